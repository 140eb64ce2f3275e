"""Lists a folder for `view`: two levels deep, with sizes, without what is hidden or what no tool may touch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import path_exists
from mdmem.errors import TargetError, UsageError
from mdmem.formats.paths import is_foreign
from mdmem.messages.catalog import say
from mdmem.text.spans import Lines
from mdmem.tools import model
from mdmem.tools.memory_paths import comes_back, memory_path, require_memory, virtual_path
from mdmem.tools.model import ToolHost, ToolReply

_LEVELS = 2  # published


def folder_listing(config: WorkspaceConfig, inside: str) -> list[tuple[str, str]]:
    """Return (size as `du -h` writes it, path from the root) of a folder and all in it, by path."""
    sizes = {inside: 0}
    for path, size in _below(config, inside):
        parts = path.removeprefix(f"{inside}/").split("/") if inside else path.split("/")
        sizes[inside] += size
        for level in range(1, min(_LEVELS, len(parts)) + 1):
            above = "/".join(([inside] if inside else []) + parts[:level])
            sizes[above] = sizes.get(above, 0) + size
    return [(_short(size), path) for path, size in sorted(sizes.items())]


def _below(config: WorkspaceConfig, inside: str) -> Iterator[tuple[str, int]]:
    """Return the files and folders below a folder, a folder itself with no size; what may not be read is empty."""
    waiting = [inside]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.path.join(config.root, folder)) as found:
                items = [one for one in found if not one.name.startswith(".")]
        except OSError:
            continue
        for one in items:
            path = f"{folder}/{one.name}" if folder else one.name
            if is_foreign(path, config.settings.lint.skip_folders):
                continue
            if one.is_dir(follow_symlinks=False):
                waiting.append(path)
                yield path, 0
            elif one.is_file(follow_symlinks=False):
                yield path, one.stat(follow_symlinks=False).st_size


def _short(size: int) -> str:
    """Write a size for people: `512`, `5.5K`, `1.2M`."""
    if size < 1024:
        return str(size)
    value, unit = size / 1024, "K"
    for larger in "MG":
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.1f}{unit}"


_MOST_LINES = 999_999  # the width of the published line numbers
_AROUND = 3  # lines shown before and behind a change


def view(host: ToolHost, actor: str, path: str, view_range: Sequence[int] | None = None) -> ToolReply:  # noqa: ARG001
    """List a folder, or show a file with line numbers."""
    inside = memory_path(host.config, path, folder=True)
    if not comes_back(host.config, inside):
        raise TargetError(f"The path {virtual_path(inside)} does not exist. Please provide a valid path.")
    if _is_folder(host, inside):
        return _folder(host, inside)
    found = host.read(inside)
    lines = Lines(found.text)
    if len(lines) > _MOST_LINES:
        raise UsageError(f"File {virtual_path(inside)} exceeds maximum line limit of 999,999 lines.")
    first, last = _range(view_range, len(lines), host.lang)
    message = f"Here's the content of {virtual_path(inside)} with line numbers:"
    return ToolReply("done", message, found.warning, path=inside, text=f"{message}\n{_numbered(lines, first, last)}")


def create(host: ToolHost, actor: str, path: str, file_text: str) -> ToolReply:
    """Begin a new file."""
    inside = memory_path(host.config, path)
    if path_exists(host.config, inside):
        raise TargetError(f"Error: File {virtual_path(inside)} already exists")
    outcome = host.write(inside, file_text, expect="", actor=actor, reason="create")
    return model.reply_from_outcome(outcome, f"File created successfully at: {virtual_path(inside)}")


def str_replace(
    host: ToolHost, actor: str, path: str, old_str: str, new_str: str = "", *, confirm: int = 0
) -> ToolReply:
    """Replace a text that stands in a file once, and show the place."""
    inside = _file(host, path, "Error: The path {path} does not exist. Please provide a valid path.")
    try:
        outcome = host.edit(inside, old_str, new_str, confirm=confirm, actor=actor, reason="str_replace")
    except TargetError as error:
        return model.reply_from_error(error, _not_replaced(host.read(inside).text, old_str, inside))
    message = "The memory file has been edited."
    text = host.read(inside).text
    at = Lines(text).at(max(text.find(new_str), 0))
    snippet = _numbered(Lines(text), at - _AROUND + 1, at + len(Lines(new_str)) + _AROUND)
    return model.reply_from_outcome(outcome, message, text=f"{message}\n{snippet}" if outcome.status == "done" else "")


def insert(host: ToolHost, actor: str, path: str, insert_line: int, insert_text: str) -> ToolReply:
    """Put a text behind a line of a file."""
    inside = _file(host, path, "Error: The path {path} does not exist")
    found = host.read(inside)
    lines = Lines(found.text)
    count = len(lines) if found.text else 0
    if not 0 <= insert_line <= count:
        raise UsageError(
            f"Error: Invalid `insert_line` parameter: {insert_line}. "
            f"It should be within the range of lines of the file: [0, {count}]"
        )
    at = lines.start(insert_line) if insert_line < count else len(found.text)
    before, behind = found.text[:at], found.text[at:]
    opening = "" if not before or before.endswith(("\n", "\r")) else lines.ending
    closing = "" if insert_text.endswith("\n") else lines.ending
    text = f"{before}{opening}{insert_text}{closing}{behind}"
    outcome = host.write(inside, text, expect=found.digest, actor=actor, reason="insert")
    return model.reply_from_outcome(outcome, f"The file {virtual_path(inside)} has been edited.")


def delete(host: ToolHost, actor: str, path: str) -> ToolReply:
    """Take a file away; the history keeps what it held."""
    inside = _one(host, path)
    outcome = host.delete(inside, actor=actor, reason="delete")
    return model.reply_from_outcome(outcome, f"Successfully deleted {virtual_path(inside)}")


def rename(host: ToolHost, actor: str, old_path: str, new_path: str) -> ToolReply:
    """Return a file another name or place."""
    inside, new = _one(host, old_path), memory_path(host.config, new_path)
    if path_exists(host.config, new):
        raise TargetError(f"Error: The destination {virtual_path(new)} already exists")
    outcome = host.rename(inside, new, actor=actor, reason="rename")
    return model.reply_from_outcome(outcome, f"Successfully renamed {virtual_path(inside)} to {virtual_path(new)}")


def _folder(host: ToolHost, inside: str) -> ToolReply:
    require_memory(host.config)
    message = (
        f"Here're the files and directories up to 2 levels deep in {virtual_path(inside)}, "
        "excluding hidden items and node_modules:"
    )
    lines = [f"{size}\t{virtual_path(one)}" for size, one in folder_listing(host.config, inside)]
    return ToolReply("done", message, path=inside, text="\n".join((message, *lines)))


def _file(host: ToolHost, path: str, missing: str) -> str:
    inside = memory_path(host.config, path)
    if not comes_back(host.config, inside) or _is_folder(host, inside):
        raise TargetError(missing.format(path=virtual_path(inside)))
    return inside


def _one(host: ToolHost, path: str) -> str:
    """Return a file to delete or to rename; a whole folder at once is more than one call should move."""
    inside = memory_path(host.config, path)
    if _is_folder(host, inside):
        raise TargetError(say(host.lang, "tool.folder", path=virtual_path(inside)))
    return _file(host, path, "Error: The path {path} does not exist")


def _is_folder(host: ToolHost, inside: str) -> bool:
    return os.path.isdir(os.path.join(host.config.root, inside))


def _not_replaced(text: str, old: str, inside: str) -> str:
    numbers = []
    at = text.find(old) if old else -1
    while at >= 0:
        numbers.append(str(text.count("\n", 0, at) + 1))
        at = text.find(old, at + len(old))
    if len(numbers) < 2:
        return f"No replacement was performed, old_str `{old}` did not appear verbatim in {virtual_path(inside)}."
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(numbers)}. "
        "Please ensure it is unique"
    )


def _range(given: Sequence[int] | None, count: int, lang: str) -> tuple[int, int]:
    """Read a range of lines, 1-based and inclusive; -1 is the last one."""
    first, last = given or (1, count)
    last = count if last == -1 else last
    if given and not 1 <= first <= last <= count:
        raise UsageError(say(lang, "tool.range", range=list(given), lines=count))
    return first, last


def _numbered(lines: Lines, first: int, last: int) -> str:
    return "\n".join(f"{n:6}\t{lines.text(n - 1)}" for n in range(max(first, 1), min(last, len(lines)) + 1))
