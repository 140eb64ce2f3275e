"""The texts of rows, read from the files they stand in; a file that moved on since it was indexed answers nothing."""

from __future__ import annotations

from collections.abc import Callable

from mdmem.index.digest import digest as digest_of
from mdmem.index.piece import visible
from mdmem.index.read import scalar
from mdmem.index.row import Row

_KEPT = 8_000_000  # characters of files that are remembered


class Texts:
    """Reads files once, and gives pieces of them."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._files: dict[str, tuple[bytes, str]] = {}
        self._size = 0

    def get(self, row: Row, digest: bytes) -> str | None:
        """Give what is seen of a row's text, if its file has the content that was indexed."""
        text = self._file(row.path, digest)
        if text is None:
            return None
        piece = text[row.start : row.start + row.size]
        if row.kind == "turn":
            from mdmem.core.session.escape import unescape

            piece = unescape(piece.partition("\n")[2])
        elif row.kind == "summary":
            piece = scalar(piece)
        elif row.kind == "heading":
            piece = row.title
        return visible(piece).strip()

    def clear(self) -> None:
        """Forget every text."""
        self._files.clear()
        self._size = 0

    def _file(self, path: str, digest: bytes) -> str | None:
        known = self._files.get(path)
        if known and known[0] == digest:
            return known[1]
        data = self._read(path)
        if data is None or digest_of(data) != digest:
            return None
        if self._size > _KEPT:
            self.clear()
        text = data.decode("utf-8", "surrogateescape")
        self._files[path] = (digest, text)
        self._size += len(text)
        return text
