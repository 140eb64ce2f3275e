"""`mdmem status` and `mdmem index`: the memory files against their limits, pending work, and the search index."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING

from mdmem import Workspace
from mdmem.cli import output
from mdmem.cli.console import Paint, ProgressBar, folded, safe, table
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.errors import MdmemError, WorkspaceNotFoundError
from mdmem.generation.model_use import backend_use
from mdmem.linter.sources import count_others, walk_of
from mdmem.messages.catalog import label, say

if TYPE_CHECKING:
    from rich.text import Text

    from mdmem import FileStatus, InitResult, SectionStatus

_MINUTE = len("2026-02-13T10:00")  # of a time
_BAR = 6  # cells; the table fits eighty columns


def print_init(result: InitResult, path: str, lang: str, *, as_json: bool = False) -> None:
    """Print what was made, each file with its purpose, and the three commands that come next."""
    if as_json:
        output.json(asdict(result))
        return
    rows = [(f"+ {name}", result.purposes.get(name, "")) for name in result.written]
    for line in table(("", ""), rows, ("good", "dim"), whole=True)[1:]:  # without the empty header
        print(line)
    if result.kept:
        print(say(lang, "cli.status.kept", count=len(result.kept)))
    with suppress(WorkspaceNotFoundError):
        outer = Workspace.find(os.path.dirname(os.path.abspath(path))).root
        print(folded(say(lang, "cli.status.nested", path=safe(os.path.relpath(outer))), 2))
    root, folder = ("", "") if path == "." else (f" --root {quote(safe(path))}", f" {quote(safe(path))}")
    print(say(lang, "cli.status.next", root=root, path=folder))


def use_line(work: Workspace) -> str:
    """Return what the model was asked today, and how much it may be asked; empty if there is none."""
    used = backend_use(work.config)
    return say(work.lang, "model.use", **asdict(used)) if used else ""


def sync_lines(work: Workspace) -> Iterator[str]:
    """Yield the commits ahead and behind, and the last problem of a sync; nothing if there was none."""
    state = work.sync_state()
    if state and state.time:
        facts = {
            "ahead": state.ahead,
            "behind": state.behind,
            "remote": safe(state.remote),
            "time": state.time[:_MINUTE].replace("T", " "),
        }
        yield say(work.lang, "sync.state", **facts)
    elif state:
        yield say(work.lang, "sync.state-never")
    if state and state.trouble:
        yield say(work.lang, "sync.state-trouble", trouble=safe(state.trouble))


def is_inside(folder: str, root: str) -> bool:
    """Return whether a folder is a memory's folder, or lies in it."""
    return os.path.join(os.path.realpath(folder), "").startswith(os.path.join(os.path.realpath(root), ""))


def status_table(found: Sequence[FileStatus], lang: str) -> None:
    """Print the status as a table: entries and size against their limits, findings, pending work."""
    paint = Paint(sys.stdout)
    if not found:
        print(say(lang, "cli.status.none"))
        return
    header = [say(lang, f"cli.status.{key}") for key in ("file", "kind", "entries", "size", "state")]
    rows = [row for one in found for row in _rows(one, lang)]
    first, *lines = table(header, [cells for cells, _ in rows], ("path", "", "", "", ""))
    print(first)
    for line, (_, pending) in zip(lines, rows, strict=True):
        print("\n".join([line, *(paint("note", folded(f"  ⏳ {safe(reason)}", 5)) for reason in pending)]))
    if any(one.errors or one.warnings for one in found):
        print(paint("dim", say(lang, "cli.status.advice")))
    if any(one.lost for one in found):
        print(paint("dim", say(lang, "cli.status.restore")))


def _rows(one: FileStatus, lang: str) -> Iterator[tuple[tuple[str | Text, ...], Sequence[str]]]:
    """Yield the cells of a file and of its sections with a limit, and what waits in the file."""
    from rich.text import Text

    style = "red" if one.errors else "yellow" if one.warnings or one.too_large or one.lost else "green"
    state = Text(_state(one, lang), style, no_wrap=True, overflow="ellipsis")  # one line for each row
    kind = label(lang, f"kind.{one.kind}", one.kind)
    if one.versions:
        kind = say(lang, "cli.status.versions", kind=kind, count=one.versions)
    yield (one.path, kind, _entries(one), _size(one), state), one.pending
    yield from ((_section(section), ()) for section in one.sections if section.max is not None)


def _bar(share: float) -> str:
    full = min(_BAR, round(share * _BAR)) or (1 if share > 0 else 0)
    return "━" * full + "─" * (_BAR - full)


def _entries(file: FileStatus) -> str:
    if file.max_entries is None:
        return f"{file.entries}"
    return f"{_bar(file.entries / file.max_entries)} {file.entries}/{file.max_entries}"


def _section(section: SectionStatus) -> tuple[str, ...]:
    most = section.max or 1
    fill = f"{_bar(section.entries / most)} {section.entries}/{most}{' ⏳' if section.pending else ''}"
    return f"  {section.name}", "", fill, "", ""


def _size(file: FileStatus) -> str:
    if file.max_chars is None:
        return f"{file.chars}"
    return f"{_bar(file.chars / file.max_chars)} {_short(file.chars)}/{_short(file.max_chars)}"


def _short(number: int) -> str:
    return f"{number}" if number < 10_000 else f"{number / 1000:.0f}k"


def _state(file: FileStatus, lang: str) -> str:
    parts = [f"✗ {say(lang, 'cli.lint.errors', count=file.errors)}"] if file.errors else []
    if file.warnings:
        parts.append(f"! {say(lang, 'cli.lint.warnings', count=file.warnings)}")
    if file.too_large:
        parts.append(f"! {say(lang, 'cli.status.too-large', bytes=file.too_large)}")
    if file.lost:
        parts.append(f"! {say(lang, 'cli.status.gone' if file.lost == 'gone' else 'cli.status.lost')}")
    return " ".join(parts) or f"✓ {say(lang, 'cli.status.ok')}"


def status(call: Call) -> None:
    """Print the status of the memory files."""
    work = call.work
    found = work.status()
    if call.json:
        used = backend_use(work.config)
        state = work.sync_state()
        sync = asdict(state) if state else None
        output.json({"files": [asdict(one) for one in found], "model": asdict(used) if used else None, "sync": sync})
        return
    if not call.root and not is_inside(os.getcwd(), work.root):
        print(folded(call.say("cli.status.worktree", path=safe(os.path.relpath(work.root))), 2))
    status_table(found, work.lang)
    call.tell_waiting()
    with suppress(MdmemError):  # memory is switched off, or the table tells what is wrong with the inbox
        if waiting := work.inbox.list():
            print(Paint(sys.stdout)("note", call.say("cli.status.inbox", count=len(waiting))))
    if line := use_line(work):
        print(folded(line, 2))
    for line in sync_lines(work):
        print(folded(line, 2))
    if links := walk_of(work.config).outward_links(work.config.linked):
        print(Paint(sys.stdout)("warning", call.say("pen.outside-links", paths=safe(", ".join(links)))))
    if notes := count_others(work.config, {one.path for one in found}):
        print(Paint(sys.stdout)("dim", folded(call.say("cli.status.notes", count=notes), 2)))


index = Verbs(default="status")


@index.command("status")
def index_status(call: Call) -> None:
    """Print the size of the search index."""
    status, meaning = call.work.index.status(), call.work.index.meaning
    if call.json:
        output.json({**asdict(status), "meaning": asdict(meaning.status())})
        return
    sizes = {"size": f"{status.bytes / 1000:.0f}", "text": f"{status.text_bytes / 1000:.0f}"}
    place = call.say(f"cli.index.{status.place}")
    print(call.say("cli.index.status", rows=status.rows, files=status.files, place=place, **sizes))
    if warning := meaning.summary():
        print(safe(warning))


@index.command()
def rebuild(call: Call) -> None:
    """Rebuild the search index from the files."""
    index = call.work.index
    with closing(ProgressBar(call.say("cli.indexing"))) as bar:
        index.report(bar)
        index.rebuild()
    index_status(call)


@index.command()
def check(call: Call) -> int:
    """Compare the index with a rebuilt one, and correct it; return 1 if they differed."""
    same, was_rebuilt = call.work.index.check(), call.work.index.rebuilt
    if call.json:
        output.json({"same": same, "rebuilt": was_rebuilt or not same})
    else:
        found = "wrong" if not same else "mended" if was_rebuilt else "whole"
        print(call.say(f"cli.index.{found}"))
    return int(not same)
