"""The tools `read`, `write` and `edit`, for any file (X1, X2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mdmem.entries.access import path_exists
from mdmem.entries.kind_files import files_of
from mdmem.entries.read import FileText
from mdmem.errors import RefusedError
from mdmem.facade import Facade
from mdmem.linter.masking import MARK, mask_in_place
from mdmem.messages.catalog import say
from mdmem.text.spans import Lines
from mdmem.tools import model
from mdmem.tools.client import ToolClient, from_base, kept_hint, likely_base
from mdmem.tools.memory_paths import existing_path, memory_path
from mdmem.tools.model import ToolReply


def read(host: Facade, client: ToolClient, path: str) -> ToolReply:
    """Return the text of a file with secrets masked; for a kind of several files, the text of each below its path."""
    several = files_of(host.config, path)
    if len(several) > 1:
        return _read_all(host, path, several)
    file = host.read(existing_path(host.config, path))
    message = say(host.lang, "tool.read", path=file.path, lines=len(Lines(file.text)))
    text, hint = masked_text(host, file.text, file.warning)
    remember_seen(client, file)
    return ToolReply("done", message, hint, path=file.path, text=text)


def remember_seen(client: ToolClient, file: FileText, *, whole: bool = True) -> None:
    """Remember what a client reads, unless it is not the file's own text."""
    if not file.warning:
        client.saw(file.path, file.text.encode("utf-8", "surrogateescape"), whole=whole)


def masked_text(host: Facade, text: str, warning: str = "") -> tuple[str, str]:
    """Return the text of a file with secrets masked, on lines of the same numbers, and the hint of the reply."""
    shown, count = mask_in_place(text)
    notes = (warning, say(host.lang, "tool.masked", count=count) if count else "")
    return shown, say(host.lang, "punctuation.clause").join(filter(None, notes))


def _read_all(host: Facade, kind: str, files: Sequence[str]) -> ToolReply:
    texts = [host.read(existing_path(host.config, one)) for one in files]
    warnings = " ".join(f"{one.path}: {one.warning}" for one in texts if one.warning)
    text, warnings = masked_text(host, "\n".join(f"{one.path}:\n\n{one.text}" for one in texts), warnings)
    return ToolReply("done", say(host.lang, "tool.read-all", kind=kind, count=len(texts)), warnings, text=text)


def write(host: Facade, client: ToolClient, path: str, content: str, *, confirm: int = 0) -> ToolReply:
    """Replace the text of a file, or create the file; what others have added since the client read it stays."""
    inside = memory_path(host.config, path)
    refuse_mask(host, inside, content)
    base = client.whole(inside)
    if base is None and (base := likely_base(host, inside, content)) is not None:
        client.saw(inside, base)
    by = {"actor": client.actor, "reason": "write"}
    outcome = host.write(inside, content, expect=base, confirm=confirm, **by)
    reply = model.reply_from_outcome(outcome)
    if reply.status in ("done", "unchanged") and (kept := kept_hint(host, inside, content)):
        reply = reply._replace(hint=say(host.lang, "punctuation.clause").join(filter(None, (kept, reply.hint))))
    return reply


def refuse_mask(host: Facade, inside: str, content: str) -> None:
    """Raise RefusedError if a new text holds a mask that stands for a secret of the file, which it would replace."""
    if not MARK.search(content) or not path_exists(host.config, inside):
        return
    current = host.read(inside).text
    shown = (match.group() for match in MARK.finditer(mask_in_place(current)[0]))
    if mask := next((mask for mask in shown if mask in content and mask not in current), ""):
        hint = say(host.lang, "tool.mask-written.hint")
        raise RefusedError(say(host.lang, "tool.mask-written", mask=mask, path=inside), hint=hint)


def edit(
    host: Facade,
    client: ToolClient,
    path: str,
    oldText: str,  # noqa: N803 - published
    newText: str,  # noqa: N803 - published
    *,
    confirm: int = 0,
) -> ToolReply:
    """Replace a text that occurs in a file exactly once."""
    inside = existing_path(host.config, path)
    by: dict[str, Any] = {"confirm": confirm, "actor": client.actor, "reason": "edit"}
    outcome = from_base(client, inside, lambda base: host.edit(inside, oldText, newText, expect=base, **by))
    return model.reply_from_outcome(outcome)
