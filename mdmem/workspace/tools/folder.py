"""The memory tool's verbs `view`, `create`, `str_replace`, `insert`, `delete`, `rename`, in its published wording.

The wording is English in every workspace: the models that use these verbs are trained on it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.core.text import Lines
from mdmem.errors import TargetError, UsageError
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.listing import listing
from mdmem.workspace.tools.place import comes_back, is_there, place, require_memory, shown
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace

_MOST_LINES = 999_999  # the width of the published line numbers
_AROUND = 3  # lines shown before and behind a change


def view(workspace: Workspace, actor: str, path: str, view_range: Sequence[int] | None = None) -> Reply:  # noqa: ARG001
    """List a folder, or show a file with line numbers."""
    inside = place(workspace.config, path, folder=True)
    if not comes_back(workspace.config, inside):
        raise TargetError(f"The path {shown(inside)} does not exist. Please provide a valid path.")
    if _is_folder(workspace, inside):
        return _folder(workspace, inside)
    found = workspace.read(inside)
    lines = Lines(found.text)
    if len(lines) > _MOST_LINES:
        raise UsageError(f"File {shown(inside)} exceeds maximum line limit of 999,999 lines.")
    first, last = _range(view_range, len(lines), workspace.lang)
    message = f"Here's the content of {shown(inside)} with line numbers:"
    return Reply("done", message, found.warning, path=inside, text=f"{message}\n{_numbered(lines, first, last)}")


def create(workspace: Workspace, actor: str, path: str, file_text: str) -> Reply:
    """Begin a new file."""
    inside = place(workspace.config, path)
    if is_there(workspace.config, inside):
        raise TargetError(f"Error: File {shown(inside)} already exists")
    outcome = workspace.write(inside, file_text, expect="", actor=actor, reason="create")
    return reply.of(outcome, f"File created successfully at: {shown(inside)}")


def str_replace(
    workspace: Workspace, actor: str, path: str, old_str: str, new_str: str = "", *, confirm: bool = False
) -> Reply:
    """Replace a text that stands in a file once, and show the place."""
    inside = _file(workspace, path, "Error: The path {path} does not exist. Please provide a valid path.")
    try:
        outcome = workspace.edit(inside, old_str, new_str, confirm=confirm, actor=actor, reason="str_replace")
    except TargetError as error:
        return reply.failed(error, _not_replaced(workspace.read(inside).text, old_str, inside))
    message = "The memory file has been edited."
    text = workspace.read(inside).text
    at = Lines(text).at(max(text.find(new_str), 0))
    snippet = _numbered(Lines(text), at - _AROUND + 1, at + len(Lines(new_str)) + _AROUND)
    return reply.of(outcome, message, text=f"{message}\n{snippet}" if outcome.status == "done" else "")


def insert(workspace: Workspace, actor: str, path: str, insert_line: int, insert_text: str) -> Reply:
    """Put a text behind a line of a file."""
    inside = _file(workspace, path, "Error: The path {path} does not exist")
    found = workspace.read(inside)
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
    outcome = workspace.write(inside, text, expect=found.digest, actor=actor, reason="insert")
    return reply.of(outcome, f"The file {shown(inside)} has been edited.")


def delete(workspace: Workspace, actor: str, path: str) -> Reply:
    """Take a file away; the history keeps what it held."""
    inside = _one(workspace, path)
    outcome = workspace.delete(inside, actor=actor, reason="delete")
    return reply.of(outcome, f"Successfully deleted {shown(inside)}")


def rename(workspace: Workspace, actor: str, old_path: str, new_path: str) -> Reply:
    """Give a file another name or place."""
    inside, new = _one(workspace, old_path), place(workspace.config, new_path)
    if is_there(workspace.config, new):
        raise TargetError(f"Error: The destination {shown(new)} already exists")
    outcome = workspace.rename(inside, new, actor=actor, reason="rename")
    return reply.of(outcome, f"Successfully renamed {shown(inside)} to {shown(new)}")


def _folder(workspace: Workspace, inside: str) -> Reply:
    require_memory(workspace.config)
    message = (
        f"Here're the files and directories up to 2 levels deep in {shown(inside)}, "
        "excluding hidden items and node_modules:"
    )
    lines = [f"{size}\t{shown(one)}" for size, one in listing(workspace.config, inside)]
    return Reply("done", message, path=inside, text="\n".join((message, *lines)))


def _file(workspace: Workspace, path: str, missing: str) -> str:
    inside = place(workspace.config, path)
    if not comes_back(workspace.config, inside) or _is_folder(workspace, inside):
        raise TargetError(missing.format(path=shown(inside)))
    return inside


def _one(workspace: Workspace, path: str) -> str:
    """Give a file to delete or to rename; a whole folder at once is more than one call should move."""
    inside = place(workspace.config, path)
    if _is_folder(workspace, inside):
        raise TargetError(say(workspace.lang, "folder", path=shown(inside)))
    return _file(workspace, path, "Error: The path {path} does not exist")


def _is_folder(workspace: Workspace, inside: str) -> bool:
    return os.path.isdir(os.path.join(workspace.config.root, inside))


def _not_replaced(text: str, old: str, inside: str) -> str:
    numbers = []
    at = text.find(old) if old else -1
    while at >= 0:
        numbers.append(str(text.count("\n", 0, at) + 1))
        at = text.find(old, at + len(old))
    if len(numbers) < 2:
        return f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown(inside)}."
    return (
        f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(numbers)}. "
        "Please ensure it is unique"
    )


def _range(given: Sequence[int] | None, count: int, lang: str) -> tuple[int, int]:
    """Read a range of lines, 1-based and inclusive; -1 is the last one."""
    first, last = given or (1, count)
    last = count if last == -1 else last
    if given and not 1 <= first <= last <= count:
        raise UsageError(say(lang, "range", range=list(given), lines=count))
    return first, last


def _numbered(lines: Lines, first: int, last: int) -> str:
    return "\n".join(f"{n:6}\t{lines.text(n - 1)}" for n in range(max(first, 1), min(last, len(lines)) + 1))
