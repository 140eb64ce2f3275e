"""OpenAkita: memories.json, openakita.db, conversation_history/ and identity/. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from mdmem.formats.placeholders import is_placeholder
from mdmem.importers.model import (
    BrokenDatabaseError,
    ImportedAttachment,
    ImportedFact,
    ImportedFile,
    ImportedLine,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import (
    base,
    first_item,
    listed,
    moment,
    objects,
    share,
    stem,
    text_of,
    texts_of,
)
from mdmem.importers.readers.markdown_lines import blocks_file, headed_blocks, headed_lines
from mdmem.importers.readers.openakita_sessions import (
    Conversation,
    memory_origin,
    read_episodes,
    read_sessions,
    session,
    session_origin,
)
from mdmem.text.entry import without_brackets
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

_NAMES = ("memories.json", "memories.export.json")
_KEYS = {"id", "type", "content", "priority"}
_TYPES = {"fact", "preference", "rule", "skill", "error", "persona_trait"}
_PRIORITIES = {"transient", "short_term", "long_term", "permanent"}
_LAST_SCHEMA = 6
_EMPTY = pattern(r"\[(?:Agent 会|其他需要记住)[^\[\]]*\]\Z")  # explanations in place of a text
_NOTE = pattern(  # of the program about its file: a quotation or an emphasized line, or the time of the last update
    r"(?i)[>*_].*?(?:自动(?:生成|维护|刷新|更新|学习)|auto-?generated|最后更新\s*[:：])|\*\*最后更新\*\*\s*[:：]"
)
_STATISTICS = "Statistics"  # a section of counters
_DEFAULT_DECAY = 0.1
_LISTS = {"active_projects": "当前项目", "current_focus": "当前项目", "open_questions": "未解决的问题",
          "next_steps": "下一步"}  # fmt: skip
_OWNERS = ("scope", "scope_owner", "agent_id", "user_id", "workspace_id")  # whose a memory is
_COMMON = ("", "global", "user", "default")  # it is everybody's
_TITLES = ("# 核心记忆", "# Core Memory", "# OpenAkita Memory")
_WHOLE = ("SOUL.md", "AGENT.md")
_PERSONAS, _POLICIES = "personas/", "prompts/policies.md"  # of the identity (K185)
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
    """Yield conversations and episodes first, then memories and attachments, which name these, then the other files."""
    known, broken = set[str](), set[str]()
    turns: dict[str, list[Mapping[str, Any]]] = {}
    said: dict[str, Conversation] = {}
    yield from _messages(source, turns)
    databases = [name for name in source.names if _is_base(source, name)]
    for name in databases:
        yield from _unbroken(name, broken, _sessions(source, name, turns, said, broken))
    for session_id, given in turns.items():
        said[session_id] = Conversation((), given)
        yield session(f"conversation_history/{session_id}.jsonl", session_id, given)
    for name in databases:
        yield from _unbroken(name, broken, read_episodes(source, name, said))
    for name in filter(lambda name: _is_memories(source, name), source.names):
        for found in objects(source, name, "memories", "results"):
            yield _told(known, found if isinstance(found, ImportProblem) else _memory(*found))
    for name in databases:
        for record in _unbroken(name, broken, _database(source, name)):
            yield _told(known, record)
    for name in source.names:
        if name.endswith((".md", ".md.bak")) and "compiled/" not in name:
            yield from _identity(source, name, known)


def _messages(source: ImportSource, turns: dict[str, list[Mapping[str, Any]]]) -> Iterator[ImportProblem]:
    """Read the JSON lines of conversations into `turns`; yield those that are broken."""
    for name in filter(_is_turns, source.names):
        for found in objects(source, name):
            if isinstance(found, ImportProblem):
                yield found
            else:
                turns.setdefault(stem(name), []).append(found[1])


def _unbroken(name: str, broken: set[str], records: Iterator[ImportRecord]) -> Iterator[ImportRecord]:
    """Yield the records of a database; what is broken ends it, and is told once."""
    if name in broken:
        return
    try:
        yield from records
    except BrokenDatabaseError as error:
        broken.add(name)
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
    kind, episode = text_of(given.get("type")).lower(), memory_origin(text_of(given.get("source_episode_id")))
    if kind == "context":
        return ImportedLine(origin, place, "daily" if date else "memory", text, date=date, episode=episode)
    priority = text_of(given.get("priority")).lower()
    raw = given.get("importance_score", given.get("importance"))
    if raw is not None and share(raw) is None:
        return ImportProblem(place, "import.number", {"field": "importance", "value": str(raw)[:20]})
    ended, at = _ended(given)
    return ImportedFact(
        origin, place, text, text_of(given.get("subject")), text_of(given.get("predicate")),
        {"experience": "skill"}.get(kind, kind if kind in _TYPES else "fact"), date, share(raw),
        share(given.get("confidence")), priority if priority in _PRIORITIES else "", ended, at, _fields(given),
        episode, memory_origin(text_of(given.get("superseded_by"))),
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
    found |= {key: text for key in _OWNERS if (text := one_line(text_of(given.get(key))).strip()) not in _COMMON}
    tags = texts_of(given.get("tags"))
    found["tags"] = "" if tags == (text_of(given.get("type")).lower(),) else ",".join(tags)
    return {key: without_brackets(value) for key, value in found.items() if value}


def _sessions(
    source: ImportSource,
    name: str,
    turns: dict[str, list[Mapping[str, Any]]],
    said: dict[str, Conversation],
    broken: set[str],
) -> Iterator[ImportRecord]:
    tables = source.tables(name)
    version = next((row["value"] for row in source.rows(name, "_schema_meta") if row["key"] == "version"), "1") \
        if "_schema_meta" in tables else "1"  # fmt: skip
    if str(version).isdigit() and int(version) <= _LAST_SCHEMA:
        yield from read_sessions(source, name, turns, said)
    else:
        broken.add(name)
        yield ImportProblem(name, "import.schema", {"version": str(version)[:10], "max": _LAST_SCHEMA})


def _database(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    """Yield memories, attachments and the scratchpad."""
    tables = source.tables(name)
    for number, row in enumerate(source.rows(name, "memories") if "memories" in tables else (), 1):
        yield _memory(f"{name}#memories:{number}", row)
    for number, row in enumerate(source.rows(name, "attachments") if "attachments" in tables else (), 1):
        ident, session_id, episode = (text_of(row.get(key)) for key in ("id", "session_id", "episode_id"))
        linked = tuple(memory_origin(text_of(one)) for one in listed(row.get("linked_memory_ids")) if text_of(one))
        yield ImportedAttachment(
            origin_of("openakita", ident), f"{name}#attachments:{number}", row,
            session_origin(session_id), memory_origin(episode), linked,
        )  # fmt: skip
    for row in source.rows(name, "scratchpad") if "scratchpad" in tables else ():
        for section, text in dict.fromkeys(_scratchpad(row)):
            origin = origin_of("openakita", "scratchpad", section, text)
            yield ImportedLine(origin, f"{name}#scratchpad", "scratchpad", text, section)


def _scratchpad(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield section and text of each line: those of the text, then what only the other columns say."""
    said = set[str]()
    for one in headed_lines(text_of(row.get("content"))):
        said.add(comparison_key(one.whole))
        yield one.section, one.whole
    for key, section in _LISTS.items():
        value = row.get(key)
        texts = (" ".join(text_of(value).split()),) if key == "current_focus" else texts_of(value)
        yield from ((section, text) for text in texts if text and comparison_key(text) not in said)


def _identity(source: ImportSource, name: str, known: set[str]) -> Iterator[ImportRecord]:
    last = base(name).removesuffix(".bak")
    text = source.text(name)
    if fnmatchcase(f"/{name}", f"*/{_POLICIES}"):  # it speaks for the user, so no import writes it
        yield ImportProblem(name, "import.policies", {"path": _POLICIES}, "skipped")
    elif text is not None and fnmatchcase(f"/{name}", f"*/{_PERSONAS}*.md"):
        path = f"{_PERSONAS}{last}"
        yield ImportedFile(origin_of("openakita", path, text), name, path, text)
    elif last not in (*_WHOLE, *_MERGED):
        yield ImportProblem(name, "import.unknown-file", {}, "skipped")
    elif text is None:
        yield ImportProblem(name, "import.not-text", {})
    elif last in _WHOLE:
        yield ImportedFile(origin_of("openakita", last, text), name, last, text)
    else:
        for one in headed_lines(text):
            place = f"{name}:{one.line}"
            if is_placeholder(one.text) or _EMPTY.match(one.text):
                yield ImportProblem(place, "import.placeholder", {}, "skipped")
            elif one.section == _STATISTICS or _NOTE.match(one.text):
                yield ImportProblem(place, "import.about-itself", {}, "skipped")
            elif comparison_key(one.whole) in known:
                yield ImportProblem(place, "import.generated", {}, "skipped")
            else:
                origin = origin_of("openakita", last, one.section, one.whole)
                known.add(comparison_key(one.whole))
                yield ImportedLine(origin, place, _MERGED[last], one.whole, one.section)
        blocks = list(headed_blocks(text))
        empty = [one for one in blocks if _is_empty_table(one.text)]
        yield from (ImportProblem(f"{name}:{one.line}", "import.placeholder", {}, "skipped") for one in empty)
        filled = [one for one in blocks if one not in empty]
        yield from blocks_file(origin_of("openakita", name, text), name, f"notes/openakita/{last}", filled)


def _is_empty_table(text: str) -> bool:
    """Return whether the cells below the head of a table are all placeholders or dashes."""
    cells = [cell.strip() for row in text.splitlines()[2:] for cell in row.strip().strip("|").split("|")]
    return text.startswith("|") and all(cell in ("", "-") or is_placeholder(cell) for cell in cells)


READER = ImportReader("openakita", recognizes, read)
