"""The tool result at hand: whole where it fits, else its summary and where the whole of it lies (G016, B1 row 4)."""

from __future__ import annotations

from mdmem.context.build import Source
from mdmem.context.chat import Limits, shorten_output
from mdmem.context.material import Eyes, Group, Item, Material, pieces
from mdmem.context.output import summarise
from mdmem.context.recipe import Slot
from mdmem.context.result import Left
from mdmem.core.artifact import Artifact, artifact_id, artifact_path, read_artifact
from mdmem.core.pattern import pattern
from mdmem.errors import UnreadableFileError
from mdmem.store.root import read
from mdmem.workspace.artifacts.kept import Kept
from mdmem.workspace.config import Config
from mdmem.workspace.packing.ask import Ask
from mdmem.workspace.packing.files import MemoryFiles

_TICKS = pattern(r"`{3,}")


def result(config: Config, files: MemoryFiles, ask: Ask, slot: Slot, eyes: Eyes) -> Source:
    """Give the source of the tool result that the caller names, or holds."""
    given = ask.tool_result
    if not given:
        return Source(why="missing")
    pointer = given.path if isinstance(given, Kept) else artifact_path(artifact_id(given)) if artifact_id(given) else ""
    kept = _kept(config, files, pointer) if pointer else None
    if kept and not config.settings.memory.enabled:
        return Source(why="off")
    if kept is not None:
        head, body = kept
        summary = "\n".join(head.summary) or shorten_output(body, _limits(slot))
        if f"tool:{head.id}" not in summary and head.path not in summary:
            summary = f"{summary}\n→ `tool:{head.id}`"
    elif isinstance(given, Kept):
        body, summary = "", "\n".join(given.summary)
    else:
        numbers = config.settings.artifacts
        lines = summarise(given, tool="", exit_code=None, path="", numbers=numbers, lines=slot.tool_lines)
        body, summary = given, "\n".join(lines)
    source = _source(slot, ask.inline or slot.inline, eyes.clean(summary), eyes.clean(body), pointer)
    # what lies nowhere else can only be read here, and who asks for all of it gets it
    return source if kept is None or ask.inline else source._replace(whole_tokens=slot.whole_tokens)


def _source(slot: Slot, inline: str, summary: str, body: str, path: str) -> Source:
    short = Material((Group(path),), _items(summary), (Left(path, 0, "", "output"),) if body else ())
    whole = Material((Group(path),), (_fenced(body),)) if body.strip() and inline == "full-if-fits" else None
    if body and body.split() == summary.split():
        short = short._replace(left=())
    return Source(short, cut=slot.cut or "head-tail", whole=whole)


def _items(text: str) -> tuple[Item, ...]:
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return tuple(Item(piece, 0, 0, piece, joint) for joint, piece in pieces(clean)) if clean.strip() else ()


def _fenced(body: str) -> Item:
    """Put an output in a block of code: whatever it says, it is no heading and no part of this pack."""
    clean = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(clean)), default=0))
    return Item(f"{fence}\n{clean}\n{fence}", 0, 0, clean)


def _limits(slot: Slot) -> Limits:
    return Limits(0, slot.tool_lines, slot.tool_chars, slot.tool_turns)


def _kept(config: Config, files: MemoryFiles, path: str) -> tuple[Artifact, str] | None:
    """Read a tool run from its file; None where there is none to read."""
    try:
        version = read(files.root.place(path), config.settings.lint.max_bytes)
    except (FileNotFoundError, UnreadableFileError):
        return None
    if version is None:
        return None
    artifact = read_artifact(version.data, path)
    return artifact, version.data[artifact.body :].decode("utf-8", "replace")
