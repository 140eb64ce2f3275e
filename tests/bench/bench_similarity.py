"""How the search for near-duplicates grows, and what it misses. Not a test: `python tests/bench/bench_similarity.py`.

It prints microseconds a text at each size, for made texts of every kind that hurt (the same words in all, the same
numbers, a few hundred words in thousands of texts, long ones), and the share of pairs found that comparing all with
all finds, where there are few enough for that. `--files FOLDER` adds the list items of real files.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mdmem.text import similarity
from mdmem.text.document import parse
from mdmem.text.similarity import near_duplicates

LEAST = 0.85
PAIRS = 10_000_000  # that are compared one by one
_EN = [f"{a}{b}{c}" for a in "bcdfgh" for b in "aeiou" for c in ("lt", "rn", "st", "nd", "mp", "ck", "ss")]
_OFTEN = [1 / (place + 1) for place in range(len(_EN))]
_SAME = [f"common{chr(97 + n)}" for n in range(17)]
_ZH = [chr(0x4E00 + n) for n in range(1500)]


def english(pick: random.Random) -> str:
    """A sentence of few words, some in most of the texts."""
    return " ".join(pick.choices(_EN, _OFTEN, k=14))


def chinese(pick: random.Random) -> str:
    """A sentence without spaces."""
    return "".join(pick.choices(_ZH, k=30))


def subsets(pick: random.Random) -> str:
    """All texts are alike."""
    return " ".join(pick.sample(_SAME, 14))


def replaced(pick: random.Random) -> str:
    """All texts are the same but for one word, so that no two say the same."""
    return " ".join([*_SAME[:8], "".join(pick.choices("abcdefgh", k=8)), *_SAME[8:]])


def numbers(pick: random.Random) -> str:
    """The same numbers in every text."""
    return f"2026-02-13 8080 {english(pick)}"


def long(pick: random.Random) -> str:
    """Six hundred words."""
    return " ".join(pick.choices(_EN, k=600))


def all_pairs(texts: Sequence[str]) -> tuple[set[int], int]:
    """Find the later ones of all pairs that say the same, and the number of pairs compared."""
    groups: dict[object, list[int]] = {}
    for index, text in enumerate(texts):
        groups.setdefault(similarity._facts(text), []).append(index)
    found, pairs = set(), 0
    for members in groups.values():
        pairs += len(members) ** 2 // 2
        if pairs > PAIRS:
            return set(), pairs
        for place, later in enumerate(members):
            if similarity.is_near_duplicate_of_any(texts[later], (texts[other] for other in members[:place]), LEAST):
                found.add(later)
    return found, pairs


def show(name: str, texts: Sequence[str], *, check: bool) -> None:
    """Print a line about one set of texts."""
    begin = time.process_time()
    found = {later for later, _ in near_duplicates(texts, LEAST)}
    each = (time.process_time() - begin) / max(1, len(texts)) * 1e6
    slow, pairs = all_pairs(texts) if check else (set(), PAIRS + 1)
    told = (
        f"{len(found & slow)} of {len(slow)} found, {len(found - slow)} wrong"
        if pairs <= PAIRS
        else f"{len(found)} found"
    )
    print(f"{name:12} {len(texts):8,} texts {each:8.1f} µs a text   {told}", flush=True)


def main() -> None:
    """Print all of it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=Path)
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    given = options.parse_args()
    if given.files:
        documents = (parse(path.read_bytes()) for path in sorted(given.files.rglob("*.md")))
        items = dict.fromkeys(entry.text for document in documents for entry in document.entries if len(entry.text) > 8)
        show("files", list(items), check=True)
    kinds: tuple[Callable[[random.Random], str], ...] = (english, chinese, subsets, replaced, numbers, long)
    for make in kinds:
        for size in given.sizes:
            pick = random.Random(size)
            count = size // 20 if make is long else size
            texts = [make(pick) for _ in range(count)]
            planted = [f"{text} {pick.choice(_EN)}" for text in pick.sample(texts, count // 20)]
            show(make.__name__, [*texts, *planted], check=size <= 1_000)


if __name__ == "__main__":
    main()
