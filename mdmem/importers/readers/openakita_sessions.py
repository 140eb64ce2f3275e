"""The conversations and the episodes of OpenAkita's database. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.episodes.stretches import EpisodeAction, plain_input
from mdmem.importers.model import ImportedEpisode, ImportedSession, ImportProblem, ImportRecord, ImportSource, origin_of
from mdmem.importers.readers.common import listed, moment, numbered, share, text_of, texts_of
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_SYSTEM = "openakita"
_TURN = ("role", "content", "timestamp", "tool_calls", "tool_results")
_OUTCOMES = {"completed": "success", "success": "success", "partial": "partial", "failed": "failed",
             "ongoing": "ongoing"}  # fmt: skip
_SOURCES = {"session_end": "session_end", "context_compress": "context_compress", "daily_consolidation": "night"}
_READ = {
    "id", "session_id", "summary", "goal", "started_at", "ended_at", "action_nodes", "entities", "tools_used",
    "linked_memory_ids", "tags", "importance_score", "access_count",
}  # fmt: skip
_KEY = pattern(r"[a-z][a-z0-9_]{0,40}\Z")  # a column that can be a field

Row = Mapping[str, Any]


class Conversation(NamedTuple):
    """A conversation: its rows in the database, and the messages that are taken, which may come from a file."""

    rows: Sequence[Row]
    messages: Sequence[Row]


def session_origin(session: str) -> str:
    """Return the origin of a conversation."""
    return origin_of(_SYSTEM, "session", session)


def memory_origin(ident: str) -> str:
    """Return the origin of a memory or of an episode; empty for none."""
    return origin_of(_SYSTEM, ident) if ident else ""


def session(place: str, ident: str, given: Sequence[Row], extracted: int = 0) -> ImportedSession:
    """Return a conversation of these messages."""
    turns = tuple({key: row[key] for key in _TURN if row.get(key) is not None} for row in given)
    asked = next((text_of(row.get("content")) for row in given if row.get("role") == "user"), "")
    started = moment(given[0].get("timestamp")) if given else ""
    return ImportedSession(
        session_origin(ident), place, " ".join(asked.split()) or ident, turns, started=started, extracted=extracted
    )


def read_sessions(
    source: ImportSource, name: str, turns: dict[str, list[Row]], said: dict[str, Conversation]
) -> Iterator[ImportRecord]:
    """Yield the conversations of a database, and note them in `said`.

    Where a conversation has JSON lines, these are taken from `turns`, for their times hold, and then the later rows.
    """
    rows: dict[str, list[Row]] = {}
    for row in source.rows(name, "conversation_turns") if "conversation_turns" in source.tables(name) else ():
        rows.setdefault(text_of(row.get("session_id")), []).append(row)
    for ident, given in rows.items():
        given.sort(key=lambda row: row.get("turn_index") or 0)
        lines = turns.pop(ident, [])
        later = [row for at, row in enumerate(given) if _index(row, at) >= len(lines)]
        said[ident] = Conversation(given, [*lines, *later])
        extracted = [number for number, row in zip(numbered(given), given, strict=True) if row.get("extracted")]
        place = f"{name}#conversation_turns:{ident}"
        yield session(place, ident, said[ident].messages, max(extracted, default=0))


def _index(row: Row, at: int) -> int:
    index = row.get("turn_index")
    return index if isinstance(index, int) else at


def read_episodes(source: ImportSource, name: str, said: Mapping[str, Conversation]) -> Iterator[ImportRecord]:
    """Yield the episodes of a database, those of a conversation in the order in which they began."""
    found: dict[str, list[tuple[str, Row]]] = {}
    for number, row in enumerate(source.rows(name, "episodes") if "episodes" in source.tables(name) else (), 1):
        found.setdefault(text_of(row.get("session_id")), []).append((f"{name}#episodes:{number}", row))
    for ident, given in found.items():
        given.sort(key=lambda one: moment(one[1].get("started_at")))
        for place, row in given:
            rounds = _rounds(row, said.get(ident, Conversation((), ())), is_alone=len(given) == 1)
            yield _episode(place, row, rounds, is_alone=len(given) == 1)


def _rounds(row: Row, said: Conversation, *, is_alone: bool) -> tuple[int, int] | None:
    """Return the rounds of an episode: those whose messages name it, else all if it is alone, else by their times."""
    numbers = list(numbered(said.messages))
    ident, begin, end = text_of(row.get("id")), moment(row.get("started_at")), moment(row.get("ended_at"))
    own = [number for number, one in zip(numbers, said.rows, strict=False) if ident and one.get("episode_id") == ident]
    if not own and is_alone:
        own = numbers
    if not own:
        times = [moment(one.get("timestamp")) for one in said.messages]
        own = [number for number, at in zip(numbers, times, strict=True) if at and begin <= at <= end]
    return (own[0], own[-1]) if own else None


def _episode(place: str, row: Row, rounds: tuple[int, int] | None, *, is_alone: bool) -> ImportRecord:
    summary, goal = (" ".join(text_of(row.get(key)).split()) for key in ("summary", "goal"))
    actions = tuple(_action(one) for one in listed(row.get("action_nodes")) if isinstance(one, Mapping))
    if not (summary or goal or actions):
        return ImportProblem(place, "import.empty", {}, "skipped")
    importance = row.get("importance_score")
    if importance is not None and share(importance) is None:
        return ImportProblem(place, "import.number", {"field": "importance", "value": str(importance)[:20]})
    ident, session_id = (text_of(row.get(key)) for key in ("id", "session_id"))
    return ImportedEpisode(
        memory_origin(ident) or origin_of(_SYSTEM, "episode", session_id, summary), place, session_origin(session_id),
        rounds, summary or goal, goal, _OUTCOMES.get(text_of(row.get("outcome")).lower(), ""),
        _SOURCES.get(text_of(row.get("source")), "night"), moment(row.get("started_at")), moment(row.get("ended_at")),
        share(importance), texts_of(row.get("entities")), texts_of(row.get("tags")), actions,
        tuple(map(memory_origin, texts_of(row.get("linked_memory_ids")))), _fields(row, actions), is_alone,
    )  # fmt: skip


def _fields(row: Row, actions: Sequence[EpisodeAction]) -> dict[str, str]:
    """Return what else a row says: its count, its other tools, an outcome or a source of its own, unknown columns."""
    run = {one.tool for one in actions}
    count, outcome, source = (row.get(key) for key in ("access_count", "outcome", "source"))
    found = {
        "accesses": str(count) if isinstance(count, int) and count > 0 else "",
        "used_tools": ", ".join(one for one in texts_of(row.get("tools_used")) if one not in run),
        "said_outcome": "" if text_of(outcome).lower() in _OUTCOMES else text_of(outcome),
        "said_source": "" if text_of(source) in _SOURCES else text_of(source),
    }
    others = {key: value for key, value in row.items() if key not in (*_READ, "outcome", "source") and _KEY.match(key)}
    found |= {key: one_line(str(value)) for key, value in others.items() if value not in (None, "", "[]", "{}", 0)}
    return {key: value.strip() for key, value in found.items() if value.strip()}


def _action(given: Mapping[str, Any]) -> EpisodeAction:
    params, ok = given.get("key_params"), given.get("success")
    told = {key: _told(value) for key, value in params.items()} if isinstance(params, Mapping) else {}
    shown = list(told.values()) if len(told) == 1 else [f"{key}={value}" for key, value in told.items()]
    results = (" ".join(text_of(given.get(key)).split()) for key in ("error_message", "result_summary"))
    decision = " ".join(text_of(given.get("decision")).split())
    return EpisodeAction(
        moment(given.get("timestamp"))[11:16], text_of(given.get("tool_name")) or "tool",
        plain_input(" ".join(shown)), ok if isinstance(ok, bool) else None, " ".join(filter(None, results)), decision,
    )  # fmt: skip


def _told(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
