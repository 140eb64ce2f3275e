"""A model that needs no weights: texts are alike that share characters."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

SIZE = 64


def embed(text: str) -> list[float]:
    """Count the pairs of characters of a text in so many bins."""
    bins = [0.0] * SIZE
    for pair in zip(text, text[1:] or text, strict=False):
        bins[blake2b("".join(pair).encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % SIZE] += 1
    return bins


class Fake:
    """Counts what it was asked for."""

    name = "fake"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.questions: list[str] = []

    def texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self.asked += texts
        return [embed(text) for text in texts]

    def question(self, text: str) -> Sequence[float]:
        self.questions.append(text)
        return embed(text)
