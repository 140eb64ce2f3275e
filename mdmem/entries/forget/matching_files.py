"""Find the files that contain a text that is to be forgotten: memories, records of attachments, copies and others."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.forget.model import Unread
from mdmem.entries.forget.struck_names import StruckNames
from mdmem.entries.tombstones import PATH
from mdmem.errors import UnreadableFileError
from mdmem.formats.paths import within_user
from mdmem.messages.translated_errors import in_language
from mdmem.store.purge.traces import inside
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_RAW = ("artifacts/", "attachments/", "transcripts/")  # folders whose files hold text under any name
_NAMED_BY_TASK = ("sessions/", ".sessions/", "archive/sessions/")  # a long task is cut off in the name
_COPIES = re.compile(r"(?:~|\.sw[a-p]|\.bak|\.orig)\Z")  # names of files that editors leave beside a file
ATTACHMENT = "attachment"


class MatchingFiles(NamedTuple):
    """The files that contain a text."""

    names: StruckNames
    memories: list[str]  # and evidence
    records: list[str]  # of attachments, only by their names
    copies: list[str]  # left by editors
    others: list[str]
    unread: list[Unread]

    def pass_over(self, path: str, reason: str) -> bool:
        """Leave a file as it is because it cannot be changed, and report it; return False if it is none of these."""
        path = self.names.former(path)
        is_known = path in self.memories
        if is_known:
            self.names.keep(path)
            self.memories.remove(path)
            self.unread.append(Unread(path, reason))
        return is_known


def find_matching_files(config: WorkspaceConfig, regex: re.Pattern[str], words: str, *, files: bool) -> MatchingFiles:
    """Return the files that contain the text: memories and evidence, editors' copies of them, and all others."""

    def stays(path: str) -> bool:
        goes = files and within_user(path).startswith("attachments/")
        return not goes and os.path.lexists(os.path.join(config.root, path))

    matching = MatchingFiles(StruckNames(words, config.schemas, stays), [], [], [], [], [])

    def missed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            matching.unread.append(Unread(inside(config.root, error), error.strerror or ""))

    with Root(config.root) as root:
        for folder, inner, names in os.walk(config.root, onerror=missed):
            skipped = (*config.settings.lint.skip_folders, STATE_FOLDER)
            inner[:] = sorted(name for name in inner if name not in skipped)
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), config.root).replace(os.sep, "/")
                is_stones = within_user(path) == PATH
                if not is_stones and config.whose.covers(path) and not os.path.islink(os.path.join(folder, name)):
                    _sort(config, root, path, regex, matching)
    return matching


def _sort(config: WorkspaceConfig, root: Root, path: str, regex: re.Pattern[str], matching: MatchingFiles) -> None:
    """Read a file and add it to its group, if it contains the text or cannot be read."""
    try:
        found = read(root.place(path))
    except FileNotFoundError:
        return
    except UnreadableFileError as error:
        matching.unread.append(Unread(path, in_language(error, config.lang).message))
        return
    text = found.data.decode("utf-8", "surrogateescape") if found else ""
    name, held = path.rpartition("/")[2], regex.search(text) is not None
    if config.is_memory(name) and matching.names.rename(
        path, cut_off=held and within_user(path).startswith(_NAMED_BY_TASK)
    ):
        matching.memories.append(path)
        return
    template = config.schemas.match(path) if matching.names.mentions(path) else None
    if template and template.kind == ATTACHMENT:
        matching.records.append(path)
    if found is None or not held:
        if matching.names.mentions(path) and template is None:
            matching.others.append(path)
        return
    plain = _COPIES.sub("", name).removeprefix("." if _COPIES.search(name) else "")
    if not (within_user(path).startswith(_RAW) or config.is_memory(name)):
        (matching.copies if plain != name and config.is_memory(plain) else matching.others).append(path)
    else:
        matching.memories.append(path)
