"""The namespace of sessions: start, resume, list and show."""

# A hook records a turn in a process of its own, so what exports and prunes is imported where it is needed.
from __future__ import annotations

import datetime as dt
import os
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.errors import RefusedError, UsageError
from mdmem.formats.session import FOLDERS, rounds
from mdmem.formats.session_edits import session_text
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.sessions.open_session import AfterEnd, OpenSession
from mdmem.sessions.pasted_text import move_pastes
from mdmem.sessions.read import agent_and_end, find, find_open, head, list_sessions, read_whole, recent_turns, template
from mdmem.sessions.sanitize import sanitize_turn
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit
from mdmem.text.inline import one_line

if TYPE_CHECKING:
    from mdmem.formats.session import Enough, Session, Turn
    from mdmem.sessions.export import SessionLine
    from mdmem.sessions.prune import PrunedSessions
    from mdmem.sessions.unextracted import UnextractedRounds


class Sessions(TypedCalls):
    """The namespace `Workspace.sessions`."""

    def __init__(
        self, config: WorkspaceConfig, after: Callable[[WorkspaceConfig, str], tuple[str, ...]] | None = None
    ) -> None:
        self._config, self._after = config, after

    def start(
        self,
        task: str,
        *,
        agent: str = "main",
        user: str = "",
        request: str = "",
        lang: str | None = None,
        write: bool | None = None,
        lazy: bool = False,
        follows: str = "",
    ) -> OpenSession:
        """Start a session: a new file to which each turn is appended durably. Leaving the block ends it.

        Args:
            task: in one sentence.
            agent: the agent that does it.
            user: whose conversation it is, as in `Workspace.of`.
            request: the full request; default the task. A long paste in it becomes an artifact, as in a turn.
            lang: zh or en, the language of the file; default the workspace's.
            write: False writes nothing but still accepts turns (the minimal mode of D020); None uses `[session] write`
                of mdmem.toml.
            lazy: create the file with the first accepted turn, so that refused turns leave no empty session.
            follows: the path of a session that this one continues: what was masked there is masked here.

        Raises:
            UsageError: the task is empty, or the agent's name is invalid.
            MemoryOffError: memory is switched off (P038).
            WriteError: the system refused.

        >>> with Workspace("workspace").sessions.start("Find the gaps") as session:
        ...     session.turn("user", "Where are they?")
        ...     session.turn("assistant", "In January.")
        ...     session.end("Four gaps in January.")
        """
        config = self._config.of(user)
        return start_session(
            config, task, agent=agent, request=request, lang=lang, write=write, lazy=lazy, follows=follows,
            after=self._after_end(config),
        )  # fmt: skip

    def resume(self, name: str | None = None, *, agent: str = "main") -> OpenSession:
        """Resume a session that has not ended, by its id, a prefix of it, or its path; None takes the agent's newest.

        Raises:
            TargetError: no session matches, or more than one.
            UsageError: it has ended.
            MemoryOffError: memory is switched off.
        """
        return resume_session(self._config, name, agent=agent, after=self._after_end(self._config))

    def _after_end(self, config: WorkspaceConfig) -> AfterEnd | None:
        return partial(self._after, config) if self._after else None

    def list(self, *, agent: str | None = None, since: str = "", limit: int | None = None) -> tuple[Session, ...]:
        """Return the newest sessions, newest first, without their turns.

        Args:
            agent: only sessions of this agent.
            since: only sessions that began on this day or later, such as 2026-02-13.
            limit: the maximum number; None uses `[session] list` of mdmem.toml.

        Raises:
            MemoryOffError: memory is switched off.
        """
        return list_sessions(self._config, agent=agent, since=since, limit=limit)

    def show(self, name: str) -> Session:
        """Return a session with all its turns, by its id, a prefix of it, or its path.

        Raises:
            TargetError: no session matches, or more than one.
            MemoryOffError: memory is switched off.
        """
        return read_whole(self._config, find(self._config, name))

    def recent_turns(self, name: str, enough: Enough | int) -> tuple[Turn, ...]:
        """Return the newest rounds of a session, reading its file from the end; the cost does not grow with its length.

        Args:
            name: the session's id, a prefix of it, or its path.
            enough: the number of rounds, or a function that returns whether given turns are enough.

        Raises:
            TargetError: there is no such session.
            MemoryOffError: memory is switched off.
        """
        wanted: Enough = enough if callable(enough) else (lambda turns: len(rounds(turns)) >= enough)
        return recent_turns(self._config, find(self._config, name), enough=wanted)

    def export(self, name: str | None = None, *, since: str = "") -> Iterator[SessionLine]:
        """Yield the turns of a session as programs know them: text, tool calls, results, time.

        `OpenSession.record` takes the same lines back. What was stored as an artifact stands in them whole.

        Args:
            name: the session's id, a prefix of it, or its path; None for all sessions, oldest first.
            since: of all sessions only those that began on this day or later, such as 2026-02-13.

        Raises:
            TargetError: no session matches, or more than one.
            MemoryOffError: memory is switched off.
        """
        from mdmem.sessions.export import export_sessions

        return export_sessions(self._config, name, since)

    def unextracted(self) -> tuple[UnextractedRounds, ...]:
        """Return the rounds from which no memories were taken yet, by session, oldest first.

        A session waits if it has ended, or if nothing was added to it for `[session] idle_minutes`, and has rounds
        behind its `extracted_through`.

        Raises:
            MemoryOffError: memory is switched off.
        """
        from mdmem.sessions.unextracted import unextracted

        return tuple(unextracted(self._config))

    def prune(self, *, older: str | None = None, actor: str = "user", dry_run: bool = False) -> PrunedSessions:
        """Move old sessions to archive/sessions/, each as one change; nothing is deleted.

        Nothing calls this automatically. A session moves once it has ended and all of its rounds were extracted.
        `show`, sources and a search in the archive still find it.

        Args:
            older: the least age since the end, such as `30d` or `2 weeks`; None uses `[session] prune_days`.
            actor: who asks.
            dry_run: only tell what would move.

        Raises:
            UsageError: `older` is no duration.
            MemoryOffError: memory is switched off.
            WriteError: the system refused; what was moved until then is in the log.
        """
        from mdmem.sessions.prune import prune_sessions

        return prune_sessions(self._config, older=older, actor=actor, dry_run=dry_run)


_NAMELESS = "session"


def start_session(
    config: WorkspaceConfig,
    task: str,
    *,
    agent: str,
    request: str = "",
    lang: str | None = None,
    write: bool | None = None,
    lazy: bool = False,
    follows: str = "",
    after: AfterEnd | None = None,
    continues: str = "",
) -> OpenSession:
    """Start a session; see `Workspace.sessions.start`. `continues` is the id of the full file that goes on in it."""
    access = AccessPolicy(config, agent)
    if not task.strip():
        raise UsageError(say(config.lang, "session.task"), hint=say(config.lang, "session.task.hint"))
    user = config.whose.user
    for name in (agent, user):  # it stands in the file and in the log
        if (shown := mask(name)) != name:
            access.stop(RefusedError, "pen.refused-words", message=shown)
    folder = access.reach(FOLDERS[0])
    if not (config.settings.session.write if write is None else write):
        return OpenSession(config, "", agent, lang)
    schema, now = template(config, lang), dt.datetime.now().astimezone()
    known = KnownSecrets(config.root, follows)
    asked = sanitize_turn(config, request or task, agent, known).text.strip("\r\n")
    moved = move_pastes(config, "user", asked, agent, now)
    clean = one_line(sanitize_turn(config, task, agent, known).text)
    stamp = f"{now:%Y%m%d_%H%M%S}"
    values: dict[str, str | int] = {
        "agent": agent,
        "task": _short(clean, config.settings.session.task_chars),
        "started": f"{now:%Y-%m-%d %H:%M}",
        "ended": "",
        "outcome": "ongoing",
        "extracted_through": 0,
        "condensed_through": 0,
    }
    if user:
        values["user"] = user
    if continues:
        values["continues"] = continues
    text = session_text(schema, stamp, values, moved.text)
    name = f"{folder}/{stamp}_{slug(clean, config.settings.session.slug_chars)}"

    def begin() -> str:
        paths = (f"{name}.md" if number == 1 else f"{name}-{number}.md" for number in count(1))
        return next(path for path in paths if _make(config, path, text, agent))

    path, later = ("", begin) if lazy else (begin(), None)
    return OpenSession(config, path, agent, lang, later, after, partial(_go_on, config), known, moved.stored)


def resume_session(
    config: WorkspaceConfig, name: str | None, *, agent: str, after: AfterEnd | None = None
) -> OpenSession:
    """Resume a session that has not ended; see `Workspace.sessions.resume`."""
    path = find(config, name) if name else find_open(config, agent)
    path = AccessPolicy(config, agent).reach(path)
    own, ended = agent_and_end(config, path)
    if ended:
        name = path.rpartition("/")[2].removesuffix(".md")
        raise UsageError(say(config.lang, "session.over", id=name), hint=say(config.lang, "session.over.hint"))
    return OpenSession(config, path, own or agent, after=after, go_on=partial(_go_on, config))


def _go_on(config: WorkspaceConfig, path: str) -> str:
    """Begin the file in which a session whose file is full goes on, and return its path."""
    full = head(config, path)
    agent, task = full.agent or _NAMELESS, full.task or full.id
    begun = start_session(config, task, agent=agent, follows=path, continues=full.id)
    return begun.path


def slug(task: str, most: int) -> str:
    """Return a file name part for a task: its letters and digits, of any script, joined by `_`."""
    characters = (char if char.isalnum() else " " for char in unicodedata.normalize("NFKC", task.casefold()))
    words = unicodedata.normalize("NFC", "".join(characters)).split()
    return "_".join(words)[:most].strip("_") or _NAMELESS


def _make(config: WorkspaceConfig, path: str, text: str, agent: str) -> bool:
    """Create the file; return False if the name is taken."""

    def change(files: DraftFiles) -> Edits:
        return {path: (Edit.insert(0, text),)} if files[path] is None else {}

    if os.path.lexists(os.path.join(config.root, path)):
        return False
    done = config.pen().commit(change, actor=agent, reason=say(config.lang, "session.reason-start"))
    return done is not None


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
