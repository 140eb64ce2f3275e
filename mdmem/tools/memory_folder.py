"""The memory tool of model APIs: `view`, `create`, `str_replace`, `insert`, `delete`, `rename`.

Its replies have the published wording. `view` lists a folder two levels deep, without hidden and inaccessible files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import path_exists
from mdmem.entries.read import live_bytes
from mdmem.errors import ConfirmError, TargetError, UsageError
from mdmem.facade import Facade
from mdmem.formats.paths import is_foreign
from mdmem.messages.catalog import say
from mdmem.store.files import is_outside
from mdmem.text.spans import Lines
from mdmem.tools import model
from mdmem.tools.client import ToolClient, from_base
from mdmem.tools.memory_paths import exists_or_returns, memory_path, require_memory, virtual_path
from mdmem.tools.model import ToolReply
from mdmem.tools.text_files import masked_text, remember_seen

_LEVELS = 2  # as published


def folder_listing(config: WorkspaceConfig, inside: str) -> list[tuple[str, str]]:
    """Return (size as `du -h` writes it, path from the root) of a folder and all in it, sorted by path."""
    sizes = {inside: 0}
    for path, size in _below(config, inside):
        parts = path.removeprefix(f"{inside}/").split("/") if inside else path.split("/")
        sizes[inside] += size
        for level in range(1, min(_LEVELS, len(parts)) + 1):
            folder = "/".join(([inside] if inside else []) + parts[:level])
            sizes[folder] = sizes.get(folder, 0) + size
    return [(_short(size), path) for path, size in sorted(sizes.items())]


def _below(config: WorkspaceConfig, inside: str) -> Iterator[tuple[str, int]]:
    """Yield the files and folders below a folder with their sizes, 0 for a folder.

    An unreadable folder is empty, and so is one that a link leads elsewhere.
    """
    waiting = [] if is_outside(os.path.join(config.root, inside), config.root) else [inside]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.path.join(config.root, folder)) as listing:
                entries = [entry for entry in listing if not entry.name.startswith(".")]
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if is_foreign(path, config.settings.lint.skip_folders) or not config.whose.sees(path):
                continue
            if entry.is_dir(follow_symlinks=False):
                if not config.whose.sees(f"{path}/_.md"):
                    continue
                waiting.append(path)
                yield path, 0
            elif entry.is_file(follow_symlinks=False):
                yield path, entry.stat(follow_symlinks=False).st_size


def _short(size: int) -> str:
    """Return a size for people: `512`, `5.5K`, `1.2M`."""
    if size < 1024:
        return str(size)
    value, unit = size / 1024, "K"
    for larger in "MG":
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.1f}{unit}"


_MOST_LINES = 999_999  # the largest number of the published width
_AROUND = 3  # lines shown before and after a change


def view(host: Facade, client: ToolClient, path: str, view_range: Sequence[int] | None = None) -> ToolReply:
    """List a folder, or return a file with line numbers."""
    inside = memory_path(host.config, path, folder=True)
    if not exists_or_returns(host.config, inside):
        raise TargetError(f"The path {virtual_path(inside)} does not exist. Please provide a valid path.")
    if _is_folder(host, inside):
        return _folder(host, inside)
    file = host.read(inside)
    text, hint = masked_text(host, file.text, file.warning)
    lines = Lines(text)
    if len(lines) > _MOST_LINES:
        raise UsageError(f"File {virtual_path(inside)} exceeds maximum line limit of 999,999 lines.")
    first, last = _range(view_range, len(lines), host.lang)
    remember_seen(client, file, whole=(first, last) == (1, len(lines)))
    message = f"Here's the content of {virtual_path(inside)} with line numbers:"
    return ToolReply("done", message, hint, path=inside, text=f"{message}\n{_numbered(lines, first, last)}")


def create(host: Facade, client: ToolClient, path: str, file_text: str) -> ToolReply:
    """Create a file."""
    inside = memory_path(host.config, path)
    if path_exists(host.config, inside):
        raise TargetError(f"Error: File {virtual_path(inside)} already exists")
    outcome = host.write(inside, file_text, expect="", actor=client.actor, reason="create")
    return model.reply_from_outcome(outcome, f"File created successfully at: {virtual_path(inside)}")


def str_replace(
    host: Facade, client: ToolClient, path: str, old_str: str, new_str: str = "", *, confirm: int = 0
) -> ToolReply:
    """Replace a text that occurs in a file exactly once, and return the lines around it."""
    inside = _file(host, path, "Error: The path {path} does not exist. Please provide a valid path.")
    try:
        by: dict[str, Any] = {"confirm": confirm, "actor": client.actor, "reason": "str_replace"}
        outcome = from_base(client, inside, lambda base: host.edit(inside, old_str, new_str, expect=base, **by))
    except TargetError as error:
        return model.reply_from_error(error, _not_replaced(host.read(inside).text, old_str, inside))
    message = "The memory file has been edited."
    text = host.read(inside).text
    line = Lines(text).at(max(text.find(new_str), 0))
    snippet = _numbered(Lines(masked_text(host, text)[0]), line - _AROUND + 1, line + len(Lines(new_str)) + _AROUND)
    return model.reply_from_outcome(outcome, message, text=f"{message}\n{snippet}" if outcome.status == "done" else "")


def insert(host: Facade, client: ToolClient, path: str, insert_line: int, insert_text: str) -> ToolReply:
    """Insert a text after a line of a file."""
    inside = _file(host, path, "Error: The path {path} does not exist")
    seen = client.base(inside)  # its line numbers are those of the version that it read
    base = host.read(inside).text.encode("utf-8", "surrogateescape") if seen is None else seen
    content = base.decode("utf-8", "surrogateescape")
    lines = Lines(content)
    count = len(lines) if content else 0
    if not 0 <= insert_line <= count:
        raise UsageError(
            f"Error: Invalid `insert_line` parameter: {insert_line}. "
            f"It should be within the range of lines of the file: [0, {count}]"
        )
    offset = lines.start(insert_line) if insert_line < count else len(content)
    before, after = content[:offset], content[offset:]
    opening = "" if not before or before.endswith(("\n", "\r")) else lines.ending
    closing = "" if insert_text.endswith("\n") else lines.ending
    text = f"{before}{opening}{insert_text}{closing}{after}"
    outcome = host.write(inside, text, expect=base, actor=client.actor, reason="insert")
    return model.reply_from_outcome(outcome, f"The file {virtual_path(inside)} has been edited.")


def delete(host: Facade, client: ToolClient, path: str, *, confirm: int = 0) -> ToolReply:
    """Delete a file; its content stays in the history. A client that has no `confirm` repeats the call."""
    inside = _single_file(host, path)
    base = client.base(inside)
    if base is None:
        base = live_bytes(host.config, inside) or b""
    by: dict[str, Any] = {"actor": client.actor, "reason": "delete"}
    try:
        outcome = host.delete(inside, expect=base, confirm=confirm or client.asked.get(inside) == base, **by)
    except ConfirmError:
        client.asked[inside] = base
        raise
    client.asked.pop(inside, None)
    return model.reply_from_outcome(outcome, f"Successfully deleted {virtual_path(inside)}")


def rename(host: Facade, client: ToolClient, old_path: str, new_path: str) -> ToolReply:
    """Rename or move a file."""
    inside, new = _single_file(host, old_path), memory_path(host.config, new_path)
    if path_exists(host.config, new):
        raise TargetError(f"Error: The destination {virtual_path(new)} already exists")
    outcome = host.rename(inside, new, actor=client.actor, reason="rename")
    return model.reply_from_outcome(outcome, f"Successfully renamed {virtual_path(inside)} to {virtual_path(new)}")


def _folder(host: Facade, inside: str) -> ToolReply:
    require_memory(host.config)
    message = (
        f"Here're the files and directories up to 2 levels deep in {virtual_path(inside)}, "
        "excluding hidden items and node_modules:"
    )
    lines = [f"{size}\t{virtual_path(path)}" for size, path in folder_listing(host.config, inside)]
    return ToolReply("done", message, path=inside, text="\n".join((message, *lines)))


def _file(host: Facade, path: str, missing: str) -> str:
    inside = memory_path(host.config, path)
    if not exists_or_returns(host.config, inside) or _is_folder(host, inside):
        raise TargetError(missing.format(path=virtual_path(inside)))
    return inside


def _single_file(host: Facade, path: str) -> str:
    """Return a file to delete or rename; a folder is refused."""
    inside = memory_path(host.config, path)
    if _is_folder(host, inside):
        raise TargetError(say(host.lang, "tool.folder", path=virtual_path(inside)))
    return _file(host, path, "Error: The path {path} does not exist")


def _is_folder(host: Facade, inside: str) -> bool:
    return os.path.isdir(os.path.join(host.config.root, inside))


def _not_replaced(text: str, old: str, inside: str) -> str:
    numbers = []
    offset = text.find(old) if old else -1
    while offset >= 0:
        numbers.append(str(text.count("\n", 0, offset) + 1))
        offset = text.find(old, offset + len(old))
    if len(numbers) < 2:
        return f"No replacement was performed, old_str `{old}` did not appear verbatim in {virtual_path(inside)}."
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(numbers)}. "
        "Please ensure it is unique"
    )


def _range(requested: Sequence[int] | None, count: int, lang: str) -> tuple[int, int]:
    """Return the first and the last line of a range, 1-based and inclusive; -1 stands for the last line."""
    first, last = requested or (1, count)
    last = count if last == -1 else last
    if requested and not 1 <= first <= last <= count:
        raise UsageError(say(lang, "tool.range", range=list(requested), lines=count))
    return first, last


def _numbered(lines: Lines, first: int, last: int) -> str:
    return "\n".join(f"{n:6}\t{lines.text(n - 1)}" for n in range(max(first, 1), min(last, len(lines)) + 1))
