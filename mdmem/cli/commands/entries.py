"""The verbs that change a file: add, remember, today, edit, rm, tick, write, mv."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.parameters import DryRun, Expect, File, Json, Lang, Root, Yes

Entries = Annotated[list[str], Argument()]
OneEntry = Annotated[str, Argument()]


def add(
    file: File,
    texts: Annotated[list[str] | None, Argument()] = None,
    section: Annotated[str | None, Option("--section", "-s")] = None,
    field: Annotated[list[str] | None, Option("--field", "-f")] = None,
    batch: Annotated[str, Option("--batch")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries at the end of a section, or to inbox.md if it is full."""
    work = parameters.workspace(root, lang, file)
    entries = [*(texts or ()), *parameters.lines(batch)]
    done = work.add(parameters.path(work, root, file), entries, section=section, fields=parameters.fields(field))
    return print_outcome(done, work.lang, as_json=json, diff=True)


def remember(
    text: Annotated[str, Argument()],
    kind: Annotated[Literal["promise", "rule", "preference", "event", "fact"] | None, Option("--as")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add a memory to the file that fits it, and print where it went and why."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.remember(text, kind=kind), work.lang, as_json=json, diff=True)


def today(
    texts: Annotated[list[str], Argument()],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries to the daily file of today."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.add(parameters.path(work, root, "daily"), texts), work.lang, as_json=json, diff=True)


def edit(
    file: File,
    old: Annotated[str | None, Option("--old")] = None,
    new: Annotated[str | None, Option("--new")] = None,
    old_file: Annotated[str, Option("--old-file")] = "",
    new_file: Annotated[str, Option("--new-file")] = "",
    yes: Yes = False,
    expect: Expect = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Replace a text that occurs exactly once in a file; removing more than half of the file needs --yes."""
    work = parameters.workspace(root, lang, file)
    before, after = parameters.either(old, old_file, "old"), parameters.either(new, new_file, "new")
    done = work.edit(parameters.path(work, root, file), before, after, expect=expect or None, confirm=yes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def rm(
    file: File, entries: Entries, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Remove entries from a file."""
    work = parameters.workspace(root, lang, file)
    done = work.remove(parameters.path(work, root, file), entries, dry_run=dry_run)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def tick(
    file: File,
    entry: OneEntry,
    undo: Annotated[bool, Option("--undo")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Mark an entry as done."""
    work = parameters.workspace(root, lang, file)
    done = work.tick(parameters.path(work, root, file), entry, done=not undo)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def write(
    file: File, yes: Yes = False, expect: Expect = "", root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Write a whole file from the standard input; removing more than half of its content needs --yes."""
    work = parameters.workspace(root, lang, file)
    done = work.write(parameters.path(work, root, file), parameters.text("-"), expect=expect or None, confirm=yes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def mv(
    file: File,
    new: Annotated[str, Argument()],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Rename or move a file; an existing file is not overwritten."""
    work = parameters.workspace(root, lang, file)
    return print_outcome(work.rename(parameters.path(work, root, file), new), work.lang, as_json=json)
