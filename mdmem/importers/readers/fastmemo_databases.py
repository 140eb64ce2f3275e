"""Where fastmemo keeps its diary and its conversations: SQLite files, and the JSON of the last generation. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mdmem.importers.model import BrokenDatabaseError, ImportProblem, ImportSource
from mdmem.importers.readers.common import base, listed, moment, objects, text_of
from mdmem.text.pattern import pattern

BUFFER = "datememory.json"  # the days that are not in the database yet
_ENDINGS = (".db", ".sqlite", ".sqlite3")
_NAMES = ("memo.db", "metamemory.db")  # of the first and of the later generation
_MEMO = {"ts", "date", "speaker", "content"}
_DIARY = {"date", "diary", "keywords"}
_EVENTS = "memory_events"  # the log of the program
_PARAGRAPH = pattern(r"\n\s*\n")


class MemoBlock(NamedTuple):
    """One entry of a diary or of a conversation."""

    place: str
    day: str  # empty if it has none
    time: str
    speaker: str
    text: str
    agent: str = ""  # who speaks for the program, where a generation has several


def is_database(source: ImportSource, name: str) -> bool:
    """Return whether a file is a database of fastmemo; one that is broken counts by its name."""
    if not name.lower().endswith(_ENDINGS):
        return False
    try:
        tables = source.tables(name)
    except BrokenDatabaseError:
        return base(name).lower() in _NAMES
    return bool(_tables(tables)) or set(tables.get("diaries", ())) >= _DIARY


def _tables(tables: Mapping[str, Any]) -> list[str]:
    return [name for name in ("datememo", "metamemo") if set(tables.get(name, ())) >= _MEMO]


def read_database(source: ImportSource, name: str) -> Iterator[tuple[str, MemoBlock] | ImportProblem]:
    """Yield the entries of each table, with the name of the table; what is broken ends it."""
    try:
        tables = source.tables(name)
        for table in _tables(tables):
            for number, row in enumerate(source.rows(name, table), 1):
                yield table, _memo(f"{name}#{table}:{number}", row)
        if set(tables.get("diaries", ())) >= _DIARY:
            for number, row in enumerate(source.rows(name, "diaries"), 1):
                yield from (("datememo", one) for one in _diary(f"{name}#diaries:{number}", row))
        if _EVENTS in tables:
            yield ImportProblem(f"{name}#{_EVENTS}", "import.state", {}, "skipped")
    except BrokenDatabaseError as error:
        yield ImportProblem(name, "import.broken-database", {"reason": str(error)})


def _memo(place: str, row: Mapping[str, Any]) -> MemoBlock:
    at = moment(row.get("ts")) or moment(row.get("date"))
    return MemoBlock(place, at[:10], at[11:], text_of(row.get("speaker")), text_of(row.get("content")).strip())


def _diary(place: str, row: Mapping[str, Any]) -> Iterator[MemoBlock]:
    """Yield the paragraphs of a day's diary, and its keywords as a line of their own."""
    day = moment(row.get("date"))[:10]
    texts = [one.strip() for one in _PARAGRAPH.split(text_of(row.get("diary"))) if one.strip()]
    words = ", ".join(text for one in listed(row.get("keywords")) if (text := " ".join(text_of(one).split())))
    told = [*texts, f"关键词: {words}"] if words else texts
    yield from (MemoBlock(place, day, "", "", text) for text in told or [""])


def read_buffer(source: ImportSource, name: str) -> Iterator[MemoBlock | ImportProblem]:
    """Yield what was said on each day; a turn is a list of time, role, persona and text, or an object with these."""
    for found in objects(source, name, "days", "d"):
        if isinstance(found, ImportProblem):
            yield found
            continue
        place, given = found
        day = moment(given.get("d") or given.get("date"))[:10]
        for number, turn in enumerate(listed(given.get("t") or given.get("turns")), 1):
            clock, role, agent, text = _turn(turn)
            yield MemoBlock(f"{place}#{number}", day, clock, role, text, "" if role == "user" else agent)


def _turn(turn: object) -> tuple[str, str, str, str]:
    if isinstance(turn, Mapping):
        turn = [turn.get(short) or turn.get(long) for short, long in _TURN_KEYS]
    if not isinstance(turn, list) or len(turn) < len(_TURN_KEYS):
        return "", "", "", ""
    clock, role, agent, text = (text_of(one).strip() for one in turn[: len(_TURN_KEYS)])
    return clock, role.lower(), agent, text


_TURN_KEYS = (("t", "time"), ("r", "role"), ("p", "persona"), ("x", "text"))
