"""Folders of Markdown: basic-memory, Logseq, and the memory folders of Claude Code and Codex. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import unquote

from mdmem.importers.model import (
    ImportedFact,
    ImportedFile,
    ImportedLine,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    System,
    origin_of,
)
from mdmem.importers.readers.common import base, broken, front_values, not_text, note_text, stem, text_of
from mdmem.importers.readers.markdown_lines import blocks_file, headed_blocks, headed_lines
from mdmem.importers.readers.transcripts import (
    is_claude_transcript,
    is_codex_transcript,
    read_claude_transcript,
    read_codex_transcript,
)
from mdmem.text.pattern import pattern

_OBSERVATION = pattern(r"\[([^\[\]\s][^\[\]]{0,40})\]\s+(\S.*)\Z")
_RELATION = pattern(r"(\S[^\[\]]{0,60}?)\s+\[\[([^\[\]]+)\]\]")
_JOURNAL = pattern(r"(?:.*/)?journals/(\d{4})_(\d\d)_(\d\d)\.md\Z")
_PAGE = pattern(r"(?:.*/)?pages/([^/]+)\.md\Z")
_BLOCK_ID = pattern(r"\s*\bid:: [0-9a-f-]{36}\s*\Z")
_INDEX = pattern(r"-\s+\[[^\]]+\]\(([^)]+\.md)\)")
_CODEX = ("memory_summary.md", "raw_memories.md")
_TYPES = ("user", "feedback", "project", "reference")
_MEMORY = "MEMORY.md"
_OBSIDIAN = ".obsidian"
_MEMORY_FOLDERS = ("/memory/", "/memories/")  # beside the transcripts of Claude Code, of Codex


def _notes(source: ImportSource) -> Iterator[tuple[str, str] | ImportProblem]:
    for name in source.names:
        if not name.endswith(".md") or "logseq/" in name:
            continue
        text = source.text(name)
        yield not_text(source, name) if text is None else (name, text)


def _texts(source: ImportSource) -> Iterator[tuple[str, str]]:
    return (one for one in _notes(source) if not isinstance(one, ImportProblem))


def recognizes_basic(source: ImportSource) -> bool:
    """Return whether a note names its `permalink`."""
    return any("permalink" in front_values(text) for _, text in _texts(source) if text.startswith("---"))


def read_basic(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield observations and relations as facts about the note, and notes with other text as files too."""
    for one in _notes(source):
        if isinstance(one, ImportProblem):
            yield one
            continue
        name, text = one
        title = str(front_values(text).get("title") or stem(name))
        others = sum(1 for _ in headed_blocks(text))
        for line in headed_lines(text):
            place = f"{name}:{line.line}"
            others += bool(line.inner)
            if found := _OBSERVATION.match(line.text):
                origin = origin_of("basic-memory", title, found[1], found[2])
                yield ImportedFact(origin, place, found[2], title, found[1])
            elif found := _RELATION.match(line.text):
                said = f"{title} {found[1]} {found[2]}"
                yield ImportedFact(origin_of("basic-memory", said), place, said, title, found[1])
            else:
                others += 1
        if others:
            yield ImportedFile(origin_of("basic-memory", name), name, f"notes/{name}", text)


def recognizes_logseq(source: ImportSource) -> bool:
    """Return whether there are journals with underscores in their dates, or the folder `logseq`."""
    return any(_JOURNAL.match(name) or name.endswith("logseq/config.edn") for name in source.names)


def read_logseq(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the outer bullets of a journal as lines of its day, what is below them to the archive, pages as files."""
    for one in _notes(source):
        if isinstance(one, ImportProblem):
            yield one
            continue
        name, text = one
        if day := _JOURNAL.match(name):
            yield from _journal(name, "-".join(day.groups()), text)
        elif page := _PAGE.match(name):
            path = unquote(page[1]).replace("___", "/")
            yield ImportedFile(origin_of("logseq", name), name, f"notes/{path}.md", text)
        else:
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")


def _journal(name: str, day: str, text: str) -> Iterator[ImportRecord]:
    for line in headed_lines(text):
        place, said = f"{name}:{line.line}", " ".join(_BLOCK_ID.sub("", line.text).split())
        if not said:
            yield ImportProblem(place, "import.empty", {}, "skipped")
            continue
        yield ImportedLine(origin_of("logseq", day, said), place, "daily", said, date=day)
        if line.inner:
            below = line._replace(text=said).whole
            yield ImportedLine(origin_of("logseq", day, below), place, "archive", below, date=day, why="nested")

    note = f"notes/logseq/{day}.md"
    yield from blocks_file(origin_of("logseq", name, text), name, note, headed_blocks(text))


def recognizes_codex(source: ImportSource) -> bool:
    """Return whether there are the summaries or the rollouts that Codex writes."""
    return any(
        base(name) in _CODEX or "rollout_summaries/" in name or is_codex_transcript(source, name)
        for name in source.names
    )


def recognizes_claude_code(source: ImportSource) -> bool:
    """Return whether MEMORY.md is an index of notes, notes name a type of memory, or there are transcripts."""
    if any(is_claude_transcript(source, name) for name in source.names):
        return True
    for name, text in _texts(source):
        if base(name) == _MEMORY and _INDEX.search(text):
            return True
        if text.startswith("---"):
            values = front_values(text)
            meta = values.get("metadata")
            kind = values.get("type") or (meta.get("type") if isinstance(meta, dict) else "")
            if "description" in values and text_of(kind) in _TYPES:
                return True
    return False


def _agent_sessions(
    source: ImportSource,
    system: System,
    is_transcript: Callable[[ImportSource, str], bool],
    read: Callable[[ImportSource, str], Iterator[ImportRecord]],
) -> Iterator[ImportRecord]:
    """Yield each session; beside sessions only notes in a folder of memories are the agent's own."""
    transcripts = [name for name in source.names if is_transcript(source, name)]
    for name in transcripts:
        yield from read(source, name)
    for name in source.names:
        if name.endswith(".jsonl") and name not in transcripts:
            yield next(broken(source, name), ImportProblem(name, "import.unknown-file", {}, "skipped"))
    yield from _agent_folder(source, system, only=_MEMORY_FOLDERS if transcripts else ())


def _agent_folder(source: ImportSource, system: System, only: tuple[str, ...]) -> Iterator[ImportRecord]:
    """Yield the lines of MEMORY.md, and each other note as a file; those of some folders only, if named."""
    for one in _notes(source):
        if isinstance(one, ImportProblem):
            yield one
            continue
        name, text = one
        if only and not any(folder in f"/{name}" for folder in only):
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")
            continue
        if base(name) != _MEMORY:
            yield ImportedFile(origin_of(system, name), name, f"notes/{system}/{name}", text)
            continue
        for line in headed_lines(text):
            origin = origin_of(system, line.section, line.whole)
            linked = _INDEX.match(f"- {line.text}")
            said = line.whole.replace("](", f"](notes/{system}/") if linked else line.whole
            needs = f"notes/{system}/{unquote(linked[1])}" if linked else ""
            yield ImportedLine(origin, f"{name}:{line.line}", "memory", said, line.section, needs=needs)
        yield from blocks_file(origin_of(system, name, text), name, f"notes/{system}/{name}", headed_blocks(text))


def read_codex(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the memory of Codex, and its sessions."""
    yield from _agent_sessions(source, "codex", is_codex_transcript, read_codex_transcript)


def read_claude_code(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the memory of Claude Code, and its sessions."""
    yield from _agent_sessions(source, "claude-code", is_claude_transcript, read_claude_transcript)


def recognizes_obsidian(source: ImportSource) -> bool:
    """Return whether there is the folder in which Obsidian keeps its settings."""
    return any(f"/{_OBSIDIAN}/" in f"/{one}/" for one in (*source.skipped_folders, *source.names))


def read_obsidian(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the notes as files in the same folders, so that the links between them hold."""
    for name in source.names:
        if not name.endswith(".md") or any(part.startswith(".") for part in name.split("/")):
            if f"/{_OBSIDIAN}/" not in f"/{name}":
                yield ImportProblem(name, "import.unknown-file", {}, "skipped")
        elif isinstance(text := note_text(source, name), ImportProblem):
            yield text
        else:
            yield ImportedFile(origin_of("obsidian", name), name, f"notes/obsidian/{name}", text)


OBSIDIAN = ImportReader("obsidian", recognizes_obsidian, read_obsidian)
BASIC_MEMORY = ImportReader("basic-memory", recognizes_basic, read_basic)
LOGSEQ = ImportReader("logseq", recognizes_logseq, read_logseq)
CODEX = ImportReader("codex", recognizes_codex, read_codex)
CLAUDE_CODE = ImportReader("claude-code", recognizes_claude_code, read_claude_code)
