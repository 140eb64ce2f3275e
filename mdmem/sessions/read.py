"""Finds sessions by file name, newest first, reads their head, newest turns or all, and tells whether one is over."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from heapq import merge
from itertools import islice

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.read import current_path, read_file
from mdmem.errors import TargetError
from mdmem.formats.artifact import FOLDER as ARTIFACTS
from mdmem.formats.paths import USERS, user_of, within_user
from mdmem.formats.session import (
    FOLDERS,
    Enough,
    Session,
    Turn,
    known_roles,
    last_number,
    newest_rounds,
    openings,
    read_session,
    turn_marks,
    turns_in,
    turns_start,
)
from mdmem.formats.template import Template, fold
from mdmem.messages.catalog import say
from mdmem.sessions.file_names import ARCHIVED, SessionNames, session_names, stamp
from mdmem.store.append import torn_tail
from mdmem.store.files import digest, read_backwards
from mdmem.store.root import Root, as_unreadable, opened
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern

_NAME = pattern(r"[^/\\\0]{1,255}")  # of a session that another one continues
_STAMP = pattern(r"\d{8}_\d{6}")  # the beginning of an id
_HEAD = 16_384  # bytes of a file that hold everything above the turns


def template(config: WorkspaceConfig, lang: str | None = None) -> Template:
    """Return the template of session files."""
    found = config.schemas.get("session", lang)
    assert found is not None, "the kind `session` is shipped"
    return found


def allow(config: WorkspaceConfig) -> None:
    """Raise MemoryOffError if memory is switched off (P038)."""
    AccessPolicy(config, "user").reach(FOLDERS[0])


def latest_sessions(config: WorkspaceConfig, *, agent: str | None = None, limit: int | None = None) -> tuple[str, ...]:
    """Return the paths of the newest sessions, newest first, by the dates in their names.

    Args:
        config: the workspace.
        agent: only sessions of this agent; the head of each file is read until the limit is reached.
        limit: the maximum number of paths.
    """
    found = paths(config)
    if agent is not None:
        found = (path for path in found if head(config, path).agent == agent)
    return tuple(islice(found, limit))


def head(config: WorkspaceConfig, path: str) -> Session:
    """Read what precedes a session's turns, from the first bytes of its file."""
    return replace(read_session(head_document(config, path), path, template(config)), turns=())


def last_change(config: WorkspaceConfig, path: str) -> dt.datetime:
    """Return when the file of a session was written last, in local time."""
    with as_unreadable(path):
        return dt.datetime.fromtimestamp(os.stat(os.path.join(config.root, path)).st_mtime).astimezone()


def is_older(config: WorkspaceConfig, path: str, session: Session) -> bool:
    """Return whether a file was written last before a session began; its name tells the second, its text the minute."""
    changed = last_change(config, path)
    if _STAMP.match(session.id):
        return f"{changed:%Y%m%d_%H%M%S}" < session.id[:15]
    return f"{changed:%Y-%m-%d %H:%M}" < session.started[:16]


def is_over(config: WorkspaceConfig, session: Session) -> bool:
    """Return whether a session has ended, or nothing was added to it for `[session] idle_minutes`."""
    idle = dt.timedelta(minutes=config.settings.session.idle_minutes)
    return bool(session.ended) or last_change(config, session.path) <= dt.datetime.now().astimezone() - idle


def agent_and_end(config: WorkspaceConfig, path: str) -> tuple[str, str]:
    """Return whose session it is, and when it ended: by its front matter, or by the text in the older formats."""
    document = head_document(config, path)
    name = digest(config.key_of("sessions"), path, document.text.rstrip())  # a blank line precedes the next turn
    known = config.cache.get(name)
    if not isinstance(known, list):  # with an unchanged head, no YAML is parsed
        known = _agent_and_end(config, path, document)
        config.cache.put(name, known)
    agent, ended = known
    return agent, ended


def _agent_and_end(config: WorkspaceConfig, path: str, document: Document) -> tuple[str, str]:
    front = document.front_matter
    if front and front.values.keys() >= {"agent", "ended"}:
        return str(front.values["agent"] or ""), str(front.values["ended"] or "")
    found = read_session(document, path, template(config))
    return found.agent, found.ended


def head_document(config: WorkspaceConfig, path: str) -> Document:
    """Return what precedes the second turn of a session, from the first bytes of its file."""
    with Root(config.root) as root, opened(root, path) as descriptor:
        data = os.pread(descriptor, _HEAD, 0)
    return parse(_above_second_turn(data, template(config)))


def _above_second_turn(data: bytes, schema: Template) -> bytes:
    """Return the beginning of a session's file up to its second turn; one turn is enough to recognize the format."""
    text = data.decode("utf-8", "surrogateescape")
    begin = turns_start(text, schema)
    second = None if begin is None else next(islice(turn_marks(text, begin), 1, None), None)
    return data if second is None else text[: second.start()].encode("utf-8", "surrogateescape")


def recent_turns(config: WorkspaceConfig, path: str, *, enough: Enough) -> tuple[Turn, ...]:
    """Return the newest rounds of a session: the fewest that satisfy `enough`, or all. Reads the file from its end.

    The cost does not depend on the session's length. The turns equal those of `read_session`, except that their
    offsets and line numbers are -1, because the text before them is not counted. Where a file has too few rounds, those
    of the full file that it continues come before them.

    Raises:
        TargetError: there is no such file.
        MemoryOffError: memory is switched off.
    """
    allow(config)
    turns = _recent_turns(config, path, enough)
    for earlier in () if enough(turns) else _earlier_parts(config, path):
        turns = (*_recent_turns(config, earlier, _enough_with(enough, turns)), *turns)
        if enough(turns):
            break
    return turns


def _earlier_parts(config: WorkspaceConfig, path: str) -> tuple[str, ...]:
    """Return the full files that a session continues, newest first."""
    return parts_of(config, path)[-2::-1]


def _enough_with(enough: Enough, later: tuple[Turn, ...]) -> Enough:
    """Return whether turns are enough with later ones that are known already."""
    return lambda turns: enough((*turns, *later))


def _recent_turns(config: WorkspaceConfig, path: str, enough: Enough) -> tuple[Turn, ...]:
    """Return the newest rounds of one file."""
    schema = template(config)
    with Root(config.root) as root:
        try:
            with opened(root, path) as descriptor:
                size = os.fstat(descriptor).st_size
                end = torn_tail(root, path)  # a torn tail (after a crash, or of a writer at work) is not a turn
                for tail in read_backwards(descriptor, size if end is None else min(end, size)):
                    text = tail.data.decode("utf-8", "surrogateescape")
                    found = newest_rounds(text, schema, enough, whole=not tail.start)
                    if found is not None:
                        return tuple(replace(turn, start=-1, end=-1, line=-1) for turn in found)
        except FileNotFoundError as error:
            raise TargetError(
                say(config.lang, "session.none", id=path), hint=say(config.lang, "session.none.hint")
            ) from error
    return ()


def earlier_part(config: WorkspaceConfig, path: str) -> str:
    """Return the path of the full session that a session continues; empty if there is none."""
    name = head(config, path).continues
    if not name or not _NAME.fullmatch(name):
        return ""
    earlier = current_path(config, f"{path.rpartition('/')[0]}/{name}.md")
    return earlier if os.path.isfile(os.path.join(config.root, earlier)) else ""


def parts_of(config: WorkspaceConfig, path: str) -> tuple[str, ...]:
    """Return a session's file with the full ones that it continues, oldest first."""
    found = [path]
    while (earlier := earlier_part(config, found[-1])) and earlier not in found:
        found.append(earlier)
    return tuple(reversed(found))


def last_round(config: WorkspaceConfig, path: str) -> int:
    """Return the number of a session's last round, 0 if there is none; reads the file from its end."""
    schema = template(config)
    with Root(config.root) as root, suppress(FileNotFoundError), opened(root, path) as descriptor:
        for tail in read_backwards(descriptor, os.fstat(descriptor).st_size):
            text = tail.data.decode("utf-8", "surrogateescape")
            number = last_number(text, schema, whole=not tail.start)
            if number is not None:
                return number
    return 0


def newest_turns(
    config: WorkspaceConfig, path: str, keep: int, *, enough: Enough, first: int
) -> tuple[tuple[Turn, ...], dict[int, int]]:  # fmt: skip
    """Return the newest turns of a session that satisfy `enough`, and the first turn of each of its last `keep` rounds.

    Only the end of the file is parsed, however long a round is; the text before it is searched for the openings of
    rounds. The second result maps a round to the number of turns skipped after its first one. The first read takes
    `first` bytes; more are read only if these are not enough. Where the file has too few turns, those of the full file
    that it continues come before them.
    """
    turns, before = _newest_turns(config, path, keep, enough, first)
    for earlier in () if before or enough(turns) else _earlier_parts(config, path):
        more, before = _newest_turns(config, earlier, keep, _enough_with(enough, turns), first)
        turns = (*more, *turns)
        if before or enough(turns):
            break
    return turns, before


def _newest_turns(
    config: WorkspaceConfig, path: str, keep: int, enough: Enough, first: int
) -> tuple[tuple[Turn, ...], dict[int, int]]:  # fmt: skip
    """Return the newest turns of one file."""
    schema = template(config)
    with Root(config.root) as root, suppress(FileNotFoundError), opened(root, path) as descriptor:
        size = os.fstat(descriptor).st_size
        end = torn_tail(root, path)
        for tail in read_backwards(descriptor, size if end is None else min(end, size), first):
            text = tail.data.decode("utf-8", "surrogateescape")
            begin = turns_start(text, schema)
            if begin is not None:
                return tuple(turns_in(text, schema, begin)), {}
            turns = tuple(turns_in(text, schema, 1)) if tail.start else ()
            if turns and enough(turns):
                passed = tail.start + len(text[: turns[0].start].encode("utf-8", "surrogateescape"))
                return _opened(os.pread(descriptor, passed, 0), turns, keep, schema)
    return (), {}


def _opened(
    data: bytes, turns: tuple[Turn, ...], keep: int, schema: Template
) -> tuple[tuple[Turn, ...], dict[int, int]]:  # fmt: skip
    """Return the first turns of the last `keep` rounds, followed by the turns that were read from the end."""
    first, last = turns[0].number, turns[-1].number
    wanted = range(max(1, last - keep + 1), first + 1)
    found = list(openings(data.decode("utf-8", "surrogateescape"), schema, wanted))
    speakers = {one.number: one.speaker for one, _ in found}
    roles = known_roles(schema)

    def placed(turn: Turn) -> Turn:
        """Set the role from who spoke first in the round, if the speaker's name does not say it."""
        if turn.number not in speakers or fold(turn.speaker) in roles:
            return turn
        return replace(turn, role="user" if turn.speaker == speakers[turn.number] else "assistant")

    return (*(one for one, _ in found), *map(placed, turns)), {one.number: others for one, others in found if others}


def read_whole(config: WorkspaceConfig, path: str) -> Session:
    """Read a session with all its turns; raises TargetError, MemoryOffError."""
    found = read_file(config, path, "user")
    with Root(config.root) as root, as_unreadable(found.path):
        start = torn_tail(root, found.path)
    session = read_session(parse(found.text.encode()[:start]), found.path, template(config))
    return replace(session, torn=start is not None)


def find(config: WorkspaceConfig, name: str) -> str:
    """Return the path of a session by its id, a prefix of the id, or its path.

    Raises:
        TargetError: no session matches, or more than one.
        MemoryOffError: memory is switched off.
    """
    allow(config)
    if "/" in name:
        return current_path(config, AccessPolicy(config, "user").reach(name))
    named = (path for path in _every_path(config, below=True) if _stem(path).startswith(name))
    found = list(filter(config.whose.sees, named))
    exact = [path for path in found if _stem(path) == name]
    if len(exact or found) != 1:
        candidates = tuple(_stem(path) for path in found[:5])
        hint = say(config.lang, "session.none.hint")
        raise TargetError(say(config.lang, "session.none", id=name), hint=hint, candidates=candidates, count=len(found))
    return (exact or found)[0]


def find_open(config: WorkspaceConfig, agent: str) -> str:
    """Return the path of an agent's newest session that has not ended; raises TargetError, MemoryOffError."""
    allow(config)
    newest_ones = islice(paths(config), config.settings.session.open_among)
    for path in newest_ones:
        found = head(config, path)
        if found.agent == agent and not found.ended:
            return path
    raise TargetError(
        say(config.lang, "session.none-open", agent=agent), hint=say(config.lang, "session.none-open.hint")
    )


def paths(config: WorkspaceConfig, *, below: bool = False) -> Iterator[str]:
    """Return the paths of sessions by their stamps, newest first.

    Args:
        config: the workspace.
        below: include sub-projects; their session folders are searched for.
    """
    return filter(config.whose.sees, _every_path(config, below=below))


def _every_path(config: WorkspaceConfig, *, below: bool) -> Iterator[str]:
    """Return the paths of sessions in the folders of the user and in those at the root, whosever they are."""
    home = map(config.whose.place, FOLDERS)
    folders = list(dict.fromkeys((*home, *FOLDERS, *(_of_projects(config) if below else ()))))
    listings = map(_paths_in, folders, session_names(config.root, folders))
    return merge(*listings, key=lambda path: stamp(path.rpartition("/")[2]), reverse=True)


def users_of_sessions(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the users that sessions at the root name."""
    every = _every_path(config, below=False)
    return tuple(sorted({config.whose.session_user(path) for path in every if not user_of(path)} - {""}))


def _of_projects(config: WorkspaceConfig) -> Iterator[str]:
    """Return the session folders in folders below the root; skips other hidden folders and links."""
    skip = {*config.settings.lint.skip_folders, ARTIFACTS}
    for whole, folders, _ in os.walk(config.root):
        here = os.path.relpath(whole, config.root).replace(os.sep, "/")
        if here != ".":
            yield from (f"{here}/{name}" for name in FOLDERS if name in folders)
        folders[:] = [
            one for one in folders
            if not (one in skip or one in FOLDERS or one.startswith(".") or (here == "." and one == USERS))
        ]  # fmt: skip


def _paths_in(folder: str, names: SessionNames) -> Iterator[str]:
    return (f"{folder}/{name}" for name in names.newest_first)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def list_sessions(config: WorkspaceConfig, *, agent: str | None, since: str, limit: int | None) -> tuple[Session, ...]:
    """Return the newest sessions without their turns; see `Workspace.sessions.list`."""
    allow(config)
    most = config.settings.session.list if limit is None else limit
    day, found = since.replace("-", ""), list[Session]()
    for path in paths(config, below=True):
        if within_user(path).startswith(f"{ARCHIVED}/"):
            continue
        if len(found) >= most or path.rpartition("/")[2].replace("-", "")[:8] < day[:8]:
            break
        session = head(config, path)
        if agent is None or session.agent == agent:
            found.append(session)
    return tuple(found)


def session_days(config: WorkspaceConfig) -> tuple[dt.date, ...]:
    """Return the days on which sessions began, one for each session, sorted."""
    folders = dict.fromkeys((*map(config.whose.place, (*FOLDERS, ARCHIVED)), *FOLDERS, ARCHIVED))
    days = [names.days for names in session_names(config.root, tuple(folders)) if names.days]
    return days[0] if len(days) == 1 else tuple(sorted(day for some in days for day in some))
