"""The tools `read`, `write` and `edit`, for any file (X1, X2)."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.entries.kind_files import files_of
from mdmem.messages.catalog import say
from mdmem.text.spans import Lines
from mdmem.tools import model
from mdmem.tools.memory_paths import existing_path, memory_path
from mdmem.tools.model import ToolHost, ToolReply


def read(host: ToolHost, actor: str, path: str) -> ToolReply:  # noqa: ARG001 - the common signature
    """Return the text of a file; for a kind of several files, the text of each below its path."""
    several = files_of(host.config, path)
    if len(several) > 1:
        return _read_all(host, path, several)
    file = host.read(existing_path(host.config, path))
    message = say(host.lang, "tool.read", path=file.path, lines=len(Lines(file.text)))
    return ToolReply("done", message, file.warning, path=file.path, text=file.text)


def _read_all(host: ToolHost, kind: str, files: Sequence[str]) -> ToolReply:
    texts = [host.read(existing_path(host.config, one)) for one in files]
    warnings = " ".join(f"{one.path}: {one.warning}" for one in texts if one.warning)
    text = "\n".join(f"{one.path}:\n\n{one.text}" for one in texts)
    return ToolReply("done", say(host.lang, "tool.read-all", kind=kind, count=len(texts)), warnings, text=text)


def write(host: ToolHost, actor: str, path: str, content: str, *, confirm: int = 0) -> ToolReply:
    """Replace the text of a file, or create the file."""
    inside = memory_path(host.config, path)
    return model.reply_from_outcome(host.write(inside, content, confirm=confirm, actor=actor, reason="write"))


def edit(
    host: ToolHost,
    actor: str,
    path: str,
    oldText: str,  # noqa: N803 - published
    newText: str,  # noqa: N803 - published
    *,
    confirm: int = 0,
) -> ToolReply:
    """Replace a text that occurs in a file exactly once."""
    inside = existing_path(host.config, path)
    return model.reply_from_outcome(host.edit(inside, oldText, newText, confirm=confirm, actor=actor, reason="edit"))
