"""Begins a session, or takes one up again."""

from __future__ import annotations

import datetime as dt
import os
import unicodedata
from itertools import count

from mdmem.core.edit import Edit
from mdmem.core.oneline import one_line
from mdmem.core.session.write import session_text
from mdmem.errors import UsageError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.access import Access
from mdmem.workspace.config import Config
from mdmem.workspace.session.find import find, find_open, head, template
from mdmem.workspace.session.names import FOLDERS
from mdmem.workspace.session.open import OpenSession
from mdmem.workspace.session.said import said
from mdmem.workspace.session.words import tell

_NAMELESS = "session"


def start(
    config: Config,
    task: str,
    *,
    agent: str,
    request: str = "",
    lang: str | None = None,
    write: bool | None = None,
    lazy: bool = False,
) -> OpenSession:
    """Begin a session; see `Workspace.session`."""
    access = Access(config, agent)
    if not task.strip():
        raise UsageError(tell(config.lang, "task"), hint=tell(config.lang, "task.hint"))
    folder = access.reach(FOLDERS[0])
    if not (config.settings.session.write if write is None else write):
        return OpenSession(config, "", agent, lang)
    schema, now = template(config, lang), dt.datetime.now().astimezone()
    asked, clean = said(config, request or task, agent).text.strip("\r\n"), one_line(said(config, task, agent).text)
    stamp = f"{now:%Y%m%d_%H%M%S}"
    values: dict[str, str | int] = {
        "agent": agent,
        "task": _short(clean, config.settings.session.task_chars),
        "started": f"{now:%Y-%m-%d %H:%M}",
        "outcome": "ongoing",
        "extracted_through": 0,
        "condensed_through": 0,
    }
    text = session_text(schema, stamp, values, asked)
    name = f"{folder}/{stamp}_{slug(clean, config.settings.session.slug_chars)}"

    def begin() -> str:
        paths = (f"{name}.md" if number == 1 else f"{name}-{number}.md" for number in count(1))
        return next(path for path in paths if _make(config, path, text, agent))

    return OpenSession(config, "" if lazy else begin(), agent, lang, begin if lazy else None)


def resume(config: Config, name: str | None, *, agent: str) -> OpenSession:
    """Take up a session that has not ended; see `Workspace.resume`."""
    path = find(config, name) if name else find_open(config, agent)
    path = Access(config, agent).reach(path)
    found = head(config, path)
    if found.ended:
        raise UsageError(tell(config.lang, "over", id=found.id), hint=tell(config.lang, "over.hint"))
    return OpenSession(config, path, found.agent or agent)


def slug(task: str, most: int) -> str:
    """Make a part of a file's name of a task: its letters and digits, of any script, parted by `_`."""
    kept = (char if char.isalnum() else " " for char in unicodedata.normalize("NFKC", task.casefold()))
    words = unicodedata.normalize("NFC", "".join(kept)).split()
    return "_".join(words)[:most].strip("_") or _NAMELESS


def _make(config: Config, path: str, text: str, agent: str) -> bool:
    """Make the file; False where the name is taken."""

    def change(files: Files) -> Edits:
        return {path: (Edit.insert(0, text),)} if files[path] is None else {}

    if os.path.lexists(os.path.join(config.root, path)):
        return False
    done = config.pen().commit(change, actor=agent, reason=tell(config.lang, "reason-start"))
    return done is not None


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
