"""The lines that mdmem puts into `.gitattributes` and `.gitignore`, above those of others. Pure.

They stand at the top: what a person wrote there counts more, for git lets later lines win. Removing them leaves the
file as it was, byte for byte.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

_BEGIN = "# mdmem begin: `mdmem git setup --undo` removes these lines"
_BEGIN_NEW = "# mdmem begin: `mdmem git setup --undo` removes these lines, and the file if it has no others"
_END = "# mdmem end"
_MARK = b"# mdmem begin:"


def with_lines(data: bytes | None, lines: Sequence[str]) -> bytes:
    """Return a file with these lines of ours; None stands for no file."""
    bare = without_lines(data)
    begin = _BEGIN_NEW if bare is None else _BEGIN
    block = "".join(f"{line}\n" for line in (begin, *lines, _END)).encode()
    mark = codecs.BOM_UTF8 if bare and bare.startswith(codecs.BOM_UTF8) else b""
    return mark + block + (bare or b"")[len(mark) :]


def without_lines(data: bytes | None) -> bytes | None:
    """Return a file without our lines; None if it was made for them and holds nothing else."""
    if data is None:
        return None
    start = 0 if data.startswith(_MARK) else data.find(b"\n" + _MARK) + 1
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8 + _MARK) else start
    end = data.find(_END.encode(), start) if data.startswith(_MARK, start) else -1
    if end < 0:
        return data
    after = data.find(b"\n", end) + 1 or len(data)
    rest = data[:start] + data[after:]
    return None if not rest and data.startswith(_BEGIN_NEW.encode(), start) else rest


def has_lines(data: bytes | None, lines: Sequence[str]) -> bool:
    """Return whether a file holds each of these lines, ours or not."""
    return data is not None and set(lines) <= {line.strip() for line in data.decode("utf-8", "replace").splitlines()}
