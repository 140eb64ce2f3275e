"""What a session of an agent was given so far, in `.mdmem/agents/`; losing it only repeats a pack.

Only digests of lines are stored, so that a forgotten text does not stay here.
"""

# An agent starts a hook after every call of a tool, and most of them write nothing: what writes is imported later.
from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from mdmem.errors import MdmemError
from mdmem.models import NESTED
from mdmem.sessions.running import MOST_BYTES, NOTES, line_digest, short_digest
from mdmem.store.files import digest, read_json
from mdmem.store.walk import AGENTS_FOLDER
from mdmem.text.pattern import pattern

FAILURE = "failure.json"
LATE = "deadline"  # the kind of failure of a hook that had no time
CLAIM = "index.json"  # when a hook last let the index be brought up to date
_HEADING = pattern(r"#{1,6}\s|\d{4}-\d\d-\d\d[:：]\s*\Z")  # of a section, or of the lines of one day


def is_nested() -> bool:
    """Return True in an agent that is asked as the keeper's model: that is no session."""
    return NESTED in os.environ


class HookState(NamedTuple):
    """The state of one session."""

    agent: str
    path: str = ""  # of its session file; empty before the first turn
    given: tuple[str, ...] = ()  # digests of the lines that stand in its context
    is_open: bool = False  # something was said since its file was ended
    due: str = ""  # the source of a start whose pack the next prompt brings
    before: tuple[str, ...] = ()  # the files that the session had before this one
    said: str = ""  # digest of the turn that was recorded last
    said_at: float = 0.0  # when it was, as of `time.time`

    @property
    def is_continued(self) -> bool:
        """Return whether a file of the session was ended before, so that lines were made of it."""
        return bool(self.path) and (bool(self.before) or not self.is_open)

    @property
    def files(self) -> tuple[str, ...]:
        """The session's files, of which its context holds all that is said."""
        return tuple(filter(None, (*self.before, self.path)))

    def joined(self, other: HookState) -> HookState:
        """Return this state with what another hook of the session has recorded since."""
        return other._replace(given=tuple(dict.fromkeys((*other.given, *self.given))), due=self.due)

    def repeats(self, role: str, text: str, seconds: float) -> bool:
        """Return whether this turn was recorded a moment ago, because two hooks tell of it."""
        return self.said == short_digest(role, text) and time.time() - self.said_at < seconds

    def with_turn(self, role: str, text: str) -> HookState:
        """Return the state after a turn was recorded."""
        return self._replace(said=short_digest(role, text), said_at=time.time())

    def without_given(self, text: str) -> str:
        """Return the lines of a text that the session was not given yet; empty if only headings are left."""
        lines = [line for line in text.split("\n") if is_heading(line) or line_digest(line) not in self.given]
        kept = [line for number, line in enumerate(lines) if not _is_bare(lines, number)]
        return "\n".join(kept).strip()

    def with_given(self, text: str) -> HookState:
        """Return the state after a text was given."""
        digests = (line_digest(line) for line in text.split("\n") if line.strip() and not is_heading(line))
        return self._replace(given=tuple(dict.fromkeys((*self.given, *digests))))


def is_heading(line: str) -> bool:
    """Return whether a line is the heading of a section, or of the lines of one day."""
    return _HEADING.match(line) is not None


def _is_bare(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is blank, or a heading without a text below it."""
    line = lines[number]
    if not line.strip():
        return True
    if not is_heading(line):
        return False
    after = next((one for one in lines[number + 1 :] if one.strip()), "")
    return not after or is_heading(after)


def read_state(root: str, agent: str, session: str) -> HookState | None:
    """Return the state of a session; None if there is none."""
    found = _read_state(root, _name(agent, session))
    return found if found and found.agent == agent else None


def _read_state(root: str, name: str) -> HookState | None:
    found = read_json(root, f"{AGENTS_FOLDER}/{name}", MOST_BYTES)
    given, agent = found.get("given"), found.get("agent")
    if not isinstance(agent, str) or not isinstance(given, list):
        return None
    path, due, said = (str(found.get(key, "")) for key in ("path", "due", "said"))
    before, said_at = found.get("before"), found.get("said_at")
    return HookState(
        agent, path, tuple(map(str, given)), found.get("is_open") is True, due,
        tuple(map(str, before)) if isinstance(before, list) else (), said,
        said_at if isinstance(said_at, float) else 0.0,
    )  # fmt: skip


def is_left(root: str, agent: str, session: str) -> bool:
    """Return whether another session of the agent has said something after this one."""
    own, folder = _name(agent, session), os.path.join(root, AGENTS_FOLDER)
    with suppress(OSError), os.scandir(os.path.join(folder, NOTES)) as entries:
        since = os.stat(os.path.join(folder, own)).st_mtime_ns
        later = [f"{NOTES}/{one.name}" for one in entries if one.stat(follow_symlinks=False).st_mtime_ns > since]
        return any((state := _read_state(root, one)) is not None and state.agent == agent for one in later)
    return False


def write_state(root: str, session: str, state: HookState) -> None:
    """Write the state of a session."""
    _write_state(root, _name(state.agent, session), state)


def _write_state(root: str, name: str, state: HookState) -> None:
    _write(root, name, state._asdict())


@contextmanager
def alone(root: str, seconds: float) -> Iterator[None]:
    """Hold the lock under which hooks record; go on without it if it is not free after so many seconds."""
    from mdmem.store.locks import locked
    from mdmem.store.root import Root

    with ExitStack() as stack:
        with suppress(MdmemError):
            stack.enter_context(locked(stack.enter_context(Root(root)), [f"{AGENTS_FOLDER}/{NOTES}"], seconds))
        yield


def close_idle(root: str, seconds: float, most: int) -> tuple[str, ...]:
    """Mark sessions that have said nothing for so long as ended; return their files, which the caller ends."""
    closed: list[str] = []
    with suppress(OSError, MdmemError), os.scandir(os.path.join(root, AGENTS_FOLDER, NOTES)) as entries:
        idle = (one for one in entries if one.stat(follow_symlinks=False).st_mtime < time.time() - seconds)
        for name in sorted(f"{NOTES}/{one.name}" for one in idle):
            state = _read_state(root, name)
            if state and state.is_open and state.path and len(closed) < most:
                _write_state(root, name, state._replace(is_open=False))
                closed.append(state.path)
    return tuple(closed)


def remove_old(root: str, days: int) -> None:
    """Remove the states of sessions that have said nothing for so many days."""
    from mdmem.store.root import remove_older

    remove_older(root, f"{AGENTS_FOLDER}/{NOTES}", days)


def record_failure(root: str, event: str, kind: str) -> None:
    """Record that a hook failed, for `mdmem doctor`; only the kind of the error, never a text."""
    with suppress(OSError, MdmemError):
        _write(root, FAILURE, {"event": event, "error": kind, "at": time.strftime("%Y-%m-%d %H:%M")})


def claim(root: str, seconds: float) -> bool:
    """Return True, and note the time, unless the same was claimed within so many seconds."""
    name = os.path.join(root, AGENTS_FOLDER, CLAIM)
    with suppress(OSError):
        if time.time() - os.stat(name).st_mtime < seconds:
            return False
    with suppress(OSError, MdmemError):
        _write(root, CLAIM, {})
        return True
    return False


def last_failure(root: str) -> dict[str, str]:
    """Return the last failure of a hook; empty if none was recorded."""
    return {str(key): str(value) for key, value in read_json(root, f"{AGENTS_FOLDER}/{FAILURE}", MOST_BYTES).items()}


def _name(agent: str, session: str) -> str:
    return f"{NOTES}/{digest(agent, session)[:32]}.json"


def _write(root: str, name: str, value: dict[str, object]) -> None:
    from mdmem.store.durable import write_new
    from mdmem.store.root import Root

    path = f"{AGENTS_FOLDER}/{name}"
    with Root(root) as opened:
        write_new(opened.place(path, make=True).name, json.dumps(value).encode(), path)
