"""fastmemo in all its generations, and the diaries and logs that lie beside it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from mdmem.importers.model import (
    ImportedLine,
    ImportedSession,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import JSON_ENDINGS, base, moment, text_of
from mdmem.importers.readers.fastmemo_databases import BUFFER, MemoBlock, is_database, read_buffer, read_database
from mdmem.importers.readers.markdown_lines import blocks_file, headed_blocks, headed_lines
from mdmem.text.pattern import pattern

_VERSION = pattern(r"\ufeff?fastmemo v\d")
_HEADER = pattern(r"\[([^\[\]:]{1,40})\](?:\s*[：:].*)?\s*\Z")
_ITEM = pattern(r"(?:[-*+•]\s+)+|\d{1,3}[.)、]\s*")
_BLOCK = pattern(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?\s*\|\s*([^|\n]{1,60}?)\s*(?:\|\s*(.*))?\Z")
_LOGS = ("datememo", "metamemo", "contextmemo", "datememory", "metamemory")
_NAMES = ("fastmemo", "fastmemory")
_TEXTS = (".jsonl", ".txt", ".md")
_SYSTEM = "fastmemo"


def recognizes(source: ImportSource) -> bool:
    """Return whether the source holds a fastmemo, a diary or a log of its system."""
    return any(
        base(name) == BUFFER or _is_fastmemo(source, name) or _is_log(source, name) or is_database(source, name)
        for name in source.names
    )


def _is_fastmemo(source: ImportSource, name: str) -> bool:
    if not base(name).lower().endswith(_TEXTS):
        return False
    text = source.text(name) or ""
    if _VERSION.match(text):
        return True
    return base(name).lower().startswith(_NAMES) and any(_HEADER.match(line) for line in text.splitlines())


def _is_log(source: ImportSource, name: str) -> bool:
    if not (base(name).lower().startswith(_LOGS) and name.endswith(_TEXTS)):
        return False
    lines = (line for line in (source.text(name) or "").splitlines() if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    return bool(_BLOCK.match(first)) or ('"speaker"' in first and '"content"' in first)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the lines of each fastmemo by section, the days of the diary, and the conversations by day."""
    diary = _Diary()
    for name in source.names:
        if _is_fastmemo(source, name):
            yield from _fastmemo(source, name)
        elif _is_log(source, name):
            blocks = _blocks(source.text(name) or "", name)
            is_diary = base(name).lower().startswith("date")
            yield from diary.lines(blocks) if is_diary else _conversations(base(name).partition(".")[0], name, blocks)
        elif base(name) == BUFFER:
            yield from _conversations(BUFFER.partition(".")[0], name, read_buffer(source, name))
        elif is_database(source, name):
            yield from _database(source, name, diary)
        elif name.endswith((*JSON_ENDINGS, ".txt", ".md")):
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")


def _fastmemo(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    text = source.text(name) or ""
    if not any(_HEADER.match(line) for line in text.splitlines()):  # a Markdown file with headings
        for one in headed_lines(text):
            yield _line(f"{name}:{one.line}", one.section, one.whole)
        path = f"notes/fastmemo/{base(name).partition('.')[0]}.md"
        yield from blocks_file(origin_of(_SYSTEM, name, text), name, path, headed_blocks(text))
        return
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip().lstrip("\ufeff")
        if not said or _VERSION.match(said):
            continue
        if header := _HEADER.match(said):
            section = header[1].strip()
            continue
        if mark := _ITEM.match(said):
            said = said[mark.end() :].strip()
        if said:
            yield _line(f"{name}:{number}", section, said)


def _line(place: str, section: str, text: str) -> ImportedLine:
    return ImportedLine(origin_of(_SYSTEM, section, text), place, _SYSTEM, text, section)


def _database(source: ImportSource, name: str, diary: _Diary) -> Iterator[ImportRecord]:
    """Yield the diary of a database, and each other table as conversations."""
    said: dict[str, list[MemoBlock]] = {}
    for found in read_database(source, name):
        if isinstance(found, ImportProblem):
            yield found
            continue
        table, block = found
        if table.startswith("date"):
            yield from diary.lines([block])
        else:
            said.setdefault(table, []).append(block)
    for table, blocks in said.items():
        yield from _conversations(table, f"{name}#{table}", blocks)


class _Diary:
    """The lines of diaries; one that stands in a file and in the database has one origin."""

    def __init__(self) -> None:
        self._origins: dict[tuple[str, str], str] = {}

    def lines(self, blocks: Iterable[MemoBlock | ImportProblem]) -> Iterator[ImportRecord]:
        """Yield the blocks of a diary as lines of their days."""
        for block in blocks:
            if problem := _problem(block):
                yield problem
            elif isinstance(block, MemoBlock):
                line = " ".join(block.text.split())
                own = origin_of(_SYSTEM, block.day, block.time, line)
                origin = self._origins.setdefault((block.day, line), own)
                yield ImportedLine(origin, block.place, "daily", line, date=block.day)


def _problem(block: MemoBlock | ImportProblem) -> ImportProblem | None:
    """Return what keeps a block from being imported."""
    if isinstance(block, ImportProblem):
        return block
    if not block.text:
        return ImportProblem(block.place, "import.empty", {}, "skipped")
    return None if block.day else ImportProblem(block.place, "import.broken-line", {})


def _conversations(kind: str, place: str, blocks: Iterable[MemoBlock | ImportProblem]) -> Iterator[ImportRecord]:
    """Yield what was said as one session a day."""
    days: dict[str, list[MemoBlock]] = {}
    for block in blocks:
        if problem := _problem(block):
            yield problem
        elif isinstance(block, MemoBlock):
            days.setdefault(block.day, []).append(block)
    for day, said in days.items():
        agent = next((one.agent for one in said if one.agent), "main")
        turns = tuple(_turn(one, agent) for one in said)
        title = " ".join(said[0].text.split())
        origin = origin_of(_SYSTEM, kind, day)
        yield ImportedSession(origin, f"{place}#{day}", title, turns, agent, turns[0]["timestamp"])


def _turn(block: MemoBlock, agent: str) -> dict[str, str]:
    speaker = block.speaker.lower()
    role = "user" if speaker in ("user", "human", "用户", "主人") else "assistant"
    role = "tool" if speaker in ("tool", "工具") else role
    text = block.text if block.agent in ("", agent) else f"{block.agent}: {block.text}"
    return {"role": role, "content": text, "timestamp": f"{block.day}T{block.time or '00:00'}"}


def _blocks(text: str, name: str) -> Iterator[MemoBlock]:
    """Yield the blocks of a log: a heading line and the indented lines below it, or a line of JSON."""
    block: MemoBlock | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("{"):
            yield _object(line, f"{name}:{number}")
        elif head := _BLOCK.match(line):
            if block:
                yield block
            block = MemoBlock(f"{name}:{number}", head[1], head[2] or "", head[3], (head[4] or "").strip())
        elif block and line.strip():
            block = block._replace(text=f"{block.text}\n{line.strip()}".strip())
    if block:
        yield block


def _object(line: str, place: str) -> MemoBlock:
    try:
        given = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return MemoBlock(place, "", "", "", line)
    at = moment(given.get("time"))
    speaker, text = (text_of(given.get(key)) for key in ("speaker", "content"))
    return MemoBlock(place, at[:10], at[11:], speaker, text.strip())


READER = ImportReader("fastmemo", recognizes, read)
