"""The neutral records that readers yield, the source that they read from, and the report of an import. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

from mdmem.episodes.stretches import EpisodeAction

System: TypeAlias = Literal[
    "openakita", "chatgpt", "claude", "mem0", "mcp-memory", "fastmemo", "react", "logseq", "basic-memory", "codex",
    "claude-code", "pet", "mdmem", "notion", "obsidian", "openclaw",
]  # fmt: skip
ImportTarget: TypeAlias = Literal["auto", "facts", "inbox"]
ImportState: TypeAlias = Literal["written", "duplicate", "skipped", "refused"]
ImportStatus: TypeAlias = Literal["done", "planned", "unchanged"]


class BrokenDatabaseError(Exception):
    """A database of the source cannot be read; the text says why."""


class ImportSource(Protocol):
    """The files of another system, read-only."""

    @property
    def names(self) -> Sequence[str]:
        """The files, POSIX from the top of the source, sorted."""

    @property
    def skipped_folders(self) -> Sequence[str]:
        """The folders that were not entered."""

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, from its beginning."""

    def text(self, name: str) -> str | None:
        """Return a text file; None if it is too large or not UTF-8."""

    def tables(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the tables of a SQLite file with their columns; empty if it is none.

        Raises:
            BrokenDatabaseError: it cannot be read.
        """

    def rows(self, name: str, table: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table.

        Raises:
            BrokenDatabaseError: it cannot be read.
        """


@dataclass(frozen=True, slots=True)
class ImportedFact:
    """A statement."""

    origin: str
    place: str  # where it stands in the source
    text: str
    subject: str = ""
    predicate: str = ""
    type: str = "fact"
    date: str = ""
    importance: float | None = None
    confidence: float | None = None
    priority: str = ""
    ended: str = ""  # superseded or expired; empty if it still holds
    ended_at: str = ""
    fields: Mapping[str, str] | None = None
    episode: str = ""  # the origin of the episode that it comes from
    successor: str = ""  # the origin of the statement that took its place
    is_proposal: bool = False  # it waits in the inbox unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """An entry of a file, given by the file's kind."""

    origin: str
    place: str
    kind: str  # memory, user, daily, fastmemo, scratchpad or archive
    text: str
    section: str = ""
    date: str = ""
    why: str = ""  # why it goes to the archive
    episode: str = ""  # the origin of the episode that it comes from
    needs: str = ""  # the file of the workspace to which it links; without it, it is not written


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """A conversation; its turns are in the form that `mdmem session record` takes."""

    origin: str
    place: str
    title: str
    turns: tuple[Mapping[str, Any], ...]
    agent: str = "main"
    started: str = ""
    extracted: int = 0  # rounds from which memories were taken
    before: int = 0  # messages that an earlier import has brought
    project: str = ""  # the folder that it was about


@dataclass(frozen=True, slots=True)
class ImportedEpisode:
    """What happened in some rounds of a conversation; it gets a session of its own if these are not known."""

    origin: str
    place: str
    session: str  # the origin of the conversation
    rounds: tuple[int, int] | None
    summary: str
    goal: str = ""
    outcome: str = ""
    source: str = "session_end"  # when it was written: session_end, context_compress or night
    started: str = ""
    ended: str = ""
    importance: float | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    actions: tuple[EpisodeAction, ...] = ()
    linked: tuple[str, ...] = ()  # the origins of the memories that came of it
    fields: Mapping[str, str] | None = None  # what else is known of it
    is_alone: bool = True  # the conversation has no other one


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A whole file."""

    origin: str
    place: str
    path: str  # where it belongs in the workspace
    text: str
    instead: str = ""  # where it goes if another text is there


@dataclass(frozen=True, slots=True)
class ImportedAttachment:
    """The record of a file that somebody gave."""

    origin: str
    place: str
    values: Mapping[str, Any]
    session: str = ""  # the origin of the conversation that it belongs to
    episode: str = ""  # the origin of the episode
    linked: tuple[str, ...] = ()  # the origins of memories


@dataclass(frozen=True, slots=True)
class ImportedCopy:
    """A file that is no text, or a stored output; it is copied as it is."""

    origin: str
    place: str
    path: str  # where it belongs in the workspace
    open: Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Something in the source that cannot be imported, and why: the key of a message and its facts."""

    place: str
    key: str
    facts: Mapping[str, object]
    state: Literal["skipped", "refused"] = "refused"


ImportRecord: TypeAlias = (
    ImportedFact
    | ImportedLine
    | ImportedSession
    | ImportedEpisode
    | ImportedFile
    | ImportedAttachment
    | ImportedCopy
    | ImportProblem
)


def with_whole_title(record: ImportRecord) -> ImportRecord:
    """Return a conversation with U+FFFD for each half of a character in its title; any other record as it is."""
    if not isinstance(record, ImportedSession):
        return record
    title = record.title.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return record if title == record.title else replace(record, title=title)


def is_unicode(record: ImportRecord) -> bool:
    """Return True if UTF-8 can encode every text of a record; a JSON escape may give half a character."""
    rest: list[object] = [getattr(record, field.name) for field in fields(record) if field.name != "place"]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                return False
        elif isinstance(value, Mapping):
            rest += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            rest += value
    return True


class ImportReader(NamedTuple):
    """The reader of one system."""

    system: System
    recognizes: Any  # (source) -> bool
    read: Any  # (source) -> Iterator[ImportRecord]


@dataclass(frozen=True, slots=True)
class ImportItem:
    """What became of one record."""

    place: str
    kind: str  # fact, line, session, episode, file, attachment, copy or problem
    state: ImportState
    path: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import; `read` is the sum of the other four numbers."""

    status: ImportStatus
    system: System
    message: str
    read: int
    written: int  # of a dry run: would be written
    duplicate: int
    skipped: int
    refused: int
    masked: int  # records in which secrets were masked
    waiting: int  # of the written ones: those that wait in the inbox
    kinds: Mapping[str, int]  # written records by kind
    items: tuple[ImportItem, ...]  # those that were not written
    paths: tuple[str, ...]  # files that were written


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The files that an export wrote, and what it left out."""

    folder: str
    form: Literal["markdown", "jsonl"]
    files: int
    bytes: int
    left_out: tuple[str, ...]
    message: str
    secrets: tuple[str, ...] = ()  # lines with a key or a password, `PATH:LINE`: the copy has them too


def origin_of(system: str, *parts: str) -> str:
    """Return the origin of a record: the system and the id it has there, or a digest of its parts."""
    if len(parts) == 1 and parts[0].isascii() and parts[0].replace("-", "").replace("_", "").isalnum():
        return f"{system}:{parts[0][:64]}"
    whole = "\0".join(parts).encode("utf-8", "replace")
    return f"{system}:{blake2b(whole, digest_size=8).hexdigest()}"
