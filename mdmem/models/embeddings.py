"""Asks an OpenAI-compatible endpoint for vectors: one POST to `/embeddings` for each batch of texts (K098)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from mdmem.core.settings.models import OpenAISettings
from mdmem.core.vector import Vector
from mdmem.errors import ModelError
from mdmem.models import Mask, excerpt
from mdmem.models.attempt import AgainError, call
from mdmem.models.http import Reply

_MOST = 20_000  # numbers of a vector; no model gives more


class Endpoint:
    """An embedding model behind an address; secrets in a text are masked before it leaves."""

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
        """Give the vectors of texts that are to be found; raises ConfigError, ModelError."""
        said = [self._said(text) for text in texts]
        question: dict[str, object] = {"model": self._settings.model, "input": said, "encoding_format": "float"}
        if self._dimensions:
            question["dimensions"] = self._dimensions

        def read(reply: Reply, hide: Mask) -> list[Vector]:
            return _vectors(reply, hide, len(said), self._dimensions)

        return call("embeddings", question, self._settings, self._mask, read, self._sleep)

    def question(self, text: str) -> Vector:
        """Give the vector of a question; raises ConfigError, ModelError."""
        return self.texts([text])[0]

    def _said(self, text: str) -> str:
        """Give what may be sent: no secret, nothing that is no character, not nothing."""
        return self._mask(text)[: self._max_chars].encode("utf-8", "replace").decode() or " "


def _vectors(reply: Reply, hide: Mask, count: int, dimensions: int) -> list[Vector]:
    """Take the vectors out of an answer, in the order of the texts: one for each, of one size, nothing but numbers."""
    try:
        rows = json.loads(reply.body)["data"]
        found = {row.get("index", place): _numbers(row["embedding"]) for place, row in enumerate(rows)}
        given = [found[place] for place in range(len(rows))]
    except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, RecursionError) as error:
        said = excerpt(reply.body, hide) or "nothing"
        raise AgainError(ModelError(f"the endpoint answered no vectors: {said}")) from error
    if len(given) != count:
        raise AgainError(ModelError(f"the endpoint answered {len(given)} vectors for {count} texts"))
    sizes = {len(vector) for vector in given}
    if len(sizes) != 1 or (dimensions and sizes != {dimensions}):
        told = ", ".join(map(str, sorted(sizes)))
        hint = "set `dimensions` in [vectors] to what the model gives, or to 0"
        raise ModelError(f"the endpoint answered vectors of {told} numbers", hint=hint)
    return given


def _numbers(row: Any) -> Vector:  # noqa: ANN401 - JSON is what it is
    if not isinstance(row, list) or not 0 < len(row) <= _MOST:
        raise ValueError
    if not all(type(one) in (int, float) and isfinite(one) for one in row):
        raise ValueError
    return [float(one) for one in row]
