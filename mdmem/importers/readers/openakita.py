"""OpenAkita: memories.json, openakita.db, conversation_history/ and identity/. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mdmem.importers.model import (
    BrokenDatabaseError,
    ImportedAttachment,
    ImportedFact,
    ImportedFile,
    ImportedLine,
    ImportedSession,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import base, first_item, headed_lines, moment, objects, share, stem, text_of
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

_NAMES = ("memories.json", "memories.export.json")
_KEYS = {"id", "type", "content", "priority"}
_TYPES = {"fact", "preference", "rule", "skill", "error", "persona_trait"}
_PRIORITIES = {"transient", "short_term", "long_term", "permanent"}
_LAST_SCHEMA = 6
_EMPTY = pattern(  # a placeholder: a text in brackets alone, or behind a key
    r"(?:\*\*[^*]{1,40}\*\*\s*[:：]\s*)?"
    r"\[(?:待(?:学习|添加|记录|统计|填写|补充)|暂无|尚未|自动生成|Agent 会|其他需要记住)[^\[\]]*\]\Z"
)
_NOTE = pattern(  # of the program about its file: a quotation or an emphasized line, or the time of the last update
    r"(?i)[>*_].*?(?:自动(?:生成|维护|刷新|更新|学习)|auto-?generated|最后更新\s*[:：])|\*\*最后更新\*\*\s*[:：]"
)
_STATISTICS = "Statistics"  # a section of counters
_OUTCOMES = {"completed": "success", "success": "success", "partial": "partial", "failed": "failed"}
_DEFAULT_DECAY = 0.1
_TITLES = ("# 核心记忆", "# Core Memory", "# OpenAkita Memory")
_WHOLE = ("SOUL.md", "AGENT.md")
_MERGED = {"MEMORY.md": "memory", "USER.md": "user"}


def recognizes(source: ImportSource) -> bool:
    """Return whether the source holds memories, a database, conversations or an identity of OpenAkita."""
    return any(
        _is_memories(source, name) or _is_base(source, name) or _is_turns(name) or _is_identity(source, name)
        for name in source.names
    )


def _is_identity(source: ImportSource, name: str) -> bool:
    """Return whether a file is a MEMORY.md under one of the titles that the system writes."""
    if base(name).removesuffix(".bak") != "MEMORY.md":
        return False
    return (source.text(name) or "").lstrip().startswith(_TITLES)


def _is_memories(source: ImportSource, name: str) -> bool:
    if not name.endswith(".json"):
        return False
    if base(name) in _NAMES:
        item = first_item(source, name)
        return item is None or (isinstance(item.value, Mapping) and "content" in item.value)
    item = first_item(source, name)
    return item is not None and isinstance(item.value, Mapping) and item.value.keys() >= _KEYS


def _is_base(source: ImportSource, name: str) -> bool:
    if not name.endswith((".db", ".sqlite", ".sqlite3")):
        return False
    if base(name) == "openakita.db":
        return True
    try:
        return {"content", "importance_score"} <= set(source.tables(name).get("memories", ()))
    except BrokenDatabaseError:
        return False


def _is_turns(name: str) -> bool:
    return name.endswith(".jsonl") and "conversation_history/" in name


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield memories first, then conversations, attachments and the scratchpad, then the identity files."""
    known: set[str] = set()
    turns: dict[str, list[Mapping[str, Any]]] = {}
    for name in filter(lambda name: _is_memories(source, name), source.names):
        for found in objects(source, name, "memories", "results"):
            yield _told(known, found if isinstance(found, ImportProblem) else _memory(*found))
    for name in filter(_is_turns, source.names):
        for found in objects(source, name):
            if isinstance(found, ImportProblem):
                yield found
            else:
                turns.setdefault(stem(name), []).append(found[1])
    for name in filter(lambda name: _is_base(source, name), source.names):
        for record in _whole_database(source, name, turns):
            yield _told(known, record)
    for session, given in turns.items():
        yield _session(f"conversation_history/{session}.jsonl", session, given, 0, {})
    for name in source.names:
        if name.endswith((".md", ".md.bak")) and "compiled/" not in name:
            yield from _identity(source, name, known)


def _whole_database(
    source: ImportSource, name: str, turns: dict[str, list[Mapping[str, Any]]]
) -> Iterator[ImportRecord]:
    """Yield the records of a database; what is broken ends it."""
    try:
        yield from _database(source, name, turns)
    except BrokenDatabaseError as error:
        yield ImportProblem(name, "import.broken-database", {"reason": str(error)})


def _told(known: set[str], record: ImportRecord) -> ImportRecord:
    if isinstance(record, ImportedFact | ImportedLine):
        known.add(comparison_key(record.text))
    return record


def _memory(place: str, given: Mapping[str, Any]) -> ImportRecord:
    """Return the record of one memory; what a row does not say has the system's default."""
    text = " ".join(text_of(given.get("content")).split())
    if not text:
        return ImportProblem(place, "import.empty", {}, "skipped")
    origin = origin_of("openakita", text_of(given.get("id")) or text)
    date = moment(given.get("created_at"))[:10]
    kind = text_of(given.get("type")).lower()
    if kind == "context":
        return ImportedLine(origin, place, "daily" if date else "memory", text, date=date)
    priority = text_of(given.get("priority")).lower()
    raw = given.get("importance_score", given.get("importance"))
    if raw is not None and share(raw) is None:
        return ImportProblem(place, "import.number", {"field": "importance", "value": str(raw)[:20]})
    ended, at = _ended(given)
    return ImportedFact(
        origin, place, text, text_of(given.get("subject")), text_of(given.get("predicate")),
        {"experience": "skill"}.get(kind, kind if kind in _TYPES else "fact"), date, share(raw),
        share(given.get("confidence")), priority if priority in _PRIORITIES else "", ended, at, _fields(given),
    )  # fmt: skip


def _ended(given: Mapping[str, Any]) -> tuple[str, str]:
    if text_of(given.get("superseded_by")):
        return "superseded", moment(given.get("updated_at"))[:10]
    expires = moment(given.get("expires_at"))
    return ("expires", expires) if expires else ("", "")


def _fields(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the other fields of a memory, where they are not the default."""
    found = {"updated": moment(given.get("updated_at"))[:10], "accessed": moment(given.get("last_accessed_at"))[:10]}
    if found["updated"] == moment(given.get("created_at"))[:10]:
        found["updated"] = ""
    count = given.get("access_count")
    found["accesses"] = str(count) if isinstance(count, int) and count > 0 else ""
    decay = share(given.get("decay_rate"))
    found["decay_rate"] = "" if decay is None or decay == _DEFAULT_DECAY else f"{decay:g}"
    return {key: value for key, value in found.items() if value}


def _database(source: ImportSource, name: str, turns: dict[str, list[Mapping[str, Any]]]) -> Iterator[ImportRecord]:
    tables = source.tables(name)
    version = next((row["value"] for row in source.rows(name, "_schema_meta") if row["key"] == "version"), "1") \
        if "_schema_meta" in tables else "1"  # fmt: skip
    if not str(version).isdigit() or int(version) > _LAST_SCHEMA:
        yield ImportProblem(name, "import.schema", {"version": str(version)[:10], "max": _LAST_SCHEMA})
        return
    for number, row in enumerate(source.rows(name, "memories") if "memories" in tables else (), 1):
        yield _memory(f"{name}#memories:{number}", row)
    episodes: dict[str, Mapping[str, Any]] = {}
    for row in source.rows(name, "episodes") if "episodes" in tables else ():
        episodes[text_of(row.get("session_id"))] = row
    if "conversation_turns" in tables:
        yield from _conversations(source, name, turns, episodes)
    for session, row in episodes.items():
        line = " ".join(text_of(row.get("summary")).split())
        day = moment(row.get("started_at"))[:10]
        origin = origin_of("openakita", text_of(row.get("id")) or session)
        yield ImportedLine(origin, f"{name}#episodes", "daily" if day else "memory", line, date=day)
    for number, row in enumerate(source.rows(name, "attachments") if "attachments" in tables else (), 1):
        yield ImportedAttachment(origin_of("openakita", text_of(row.get("id"))), f"{name}#attachments:{number}", row)
    for row in source.rows(name, "scratchpad") if "scratchpad" in tables else ():
        for one in headed_lines(text_of(row.get("content"))):
            origin = origin_of("openakita", "scratchpad", one.section, one.text)
            yield ImportedLine(origin, f"{name}#scratchpad", "scratchpad", one.text, one.section)


def _conversations(
    source: ImportSource,
    name: str,
    turns: dict[str, list[Mapping[str, Any]]],
    episodes: Mapping[str, Mapping[str, Any]],
) -> Iterator[ImportRecord]:
    """Yield the sessions of a database; where a session has JSON lines, these are taken and their times hold."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in source.rows(name, "conversation_turns"):
        rows.setdefault(text_of(row.get("session_id")), []).append(row)
    for session, given in rows.items():
        given.sort(key=lambda row: row.get("turn_index") or 0)
        extracted, rounds = 0, 0
        for row in given:
            rounds += row.get("role") == "user"
            extracted = rounds if row.get("extracted") else extracted
        own = turns.pop(session, None) or given
        yield _session(f"{name}#conversation_turns:{session}", session, own, extracted, episodes.get(session, {}))


def _session(
    place: str, session: str, given: list[Mapping[str, Any]], extracted: int, episode: Mapping[str, Any]
) -> ImportedSession:
    keys = ("role", "content", "timestamp", "tool_calls", "tool_results")
    turns = tuple({key: row[key] for key in keys if row.get(key) is not None} for row in given)
    asked = next((text_of(row.get("content")) for row in given if row.get("role") == "user"), "")
    return ImportedSession(
        origin_of("openakita", "session", session), place, " ".join(asked.split()) or session, turns,
        started=moment(given[0].get("timestamp")) if given else "",
        outcome=_OUTCOMES.get(text_of(episode.get("outcome")).lower(), ""),
        goal=" ".join(text_of(episode.get("goal")).split()),
        summary=" ".join(text_of(episode.get("summary")).split()), extracted=extracted,
    )  # fmt: skip


def _identity(source: ImportSource, name: str, known: set[str]) -> Iterator[ImportRecord]:
    last = base(name).removesuffix(".bak")
    text = source.text(name)
    if last not in (*_WHOLE, *_MERGED):
        yield ImportProblem(name, "import.unknown-file", {}, "skipped")
    elif text is None:
        yield ImportProblem(name, "import.not-text", {})
    elif last in _WHOLE:
        yield ImportedFile(origin_of("openakita", last, text), name, last, text)
    else:
        for one in headed_lines(text):
            place = f"{name}:{one.line}"
            if _EMPTY.match(one.text):
                yield ImportProblem(place, "import.placeholder", {}, "skipped")
            elif one.section == _STATISTICS or _NOTE.match(one.text):
                yield ImportProblem(place, "import.about-itself", {}, "skipped")
            elif comparison_key(one.text) in known:
                yield ImportProblem(place, "import.generated", {}, "skipped")
            else:
                origin = origin_of("openakita", last, one.section, one.text)
                known.add(comparison_key(one.text))
                yield ImportedLine(origin, place, _MERGED[last], one.text, one.section)


READER = ImportReader("openakita", recognizes, read)
