"""The verbs that change a file: add, edit, rm, tick, write, mv. `mdmem inbox`: what waits, for room or for approval."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe, width
from mdmem.cli.console import table as drawn_table
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.missing_file import is_file, without_file
from mdmem.cli.grammar.parameters import DryRun, Expect, File, Json, Lang, Root, Yes
from mdmem.cli.grammar.usage import nearest, usage_error
from mdmem.cli.outcome import print_outcome, print_outcomes
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say, table
from mdmem.messages.folders import FALLBACK, languages

if TYPE_CHECKING:
    from rich.text import Text

    from mdmem import InboxItem, Workspace

Entries = Annotated[list[str], Argument(autocompletion=completion.entries)]
OneEntry = Annotated[str, Argument(autocompletion=completion.entries)]
Again = Annotated[bool, Option("--again")]


_OLD_AND_NEW = 2  # texts of `edit`
_WORDS = 3  # characters of a text in a script without blanks


def add(
    file: File,
    texts: Annotated[list[str] | None, Argument()] = None,
    section: Annotated[str | None, Option("--section", "-s", autocompletion=completion.sections)] = None,
    field: Annotated[list[str] | None, Option("--field", "-f")] = None,
    batch: Annotated[str, Option("--batch")] = "",
    again: Again = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries at the end of a section, or to inbox.md if it is full; a text alone is remembered."""
    work = parameters.workspace(root, lang, file)
    if not (texts or batch or section or field) and _is_text(work, root, file):
        if not json:
            print(say(work.lang, "cli.no-file"))
        return print_outcome(work.remember(file, again=again), work.lang, as_json=json, diff=True)
    entries = [*(texts or ()), *parameters.lines(batch)]
    own = parameters.fields(field)
    done = work.add(parameters.path(work, root, file), entries, section=section, fields=own, again=again)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def _is_text(work: Workspace, root: str, file: str) -> bool:
    """Return whether what stands for a file is a text: neither a file nor a kind, and no name of a Markdown file."""
    has_words = any(map(str.isspace, file.strip())) or width(file) > len(file) >= _WORDS
    return has_words and not is_file(work, parameters.path_or_kind(work, root, file))


def _memory_kinds() -> tuple[str, ...]:
    return tuple(key.partition(".")[2] for key in table(FALLBACK, "memory-kind"))


def _kind(value: str | None) -> str | None:
    """Return a kind of memory by its name, or by what it is called in a language.

    Raises:
        UsageError: no kind is called so.
    """
    called = {
        word: key.partition(".")[2]
        for lang in languages()
        for key, words in table(lang, "memory-kind").items()
        for word in words.split()
    }
    if value is None or value.casefold() in called:
        return value and called[value.casefold()]
    kinds = _memory_kinds()
    raise usage_error("choices", nearest(value, kinds), option="--as", choices=", ".join(kinds), value=value)


def remember(
    text: Annotated[str, Argument()],
    kind: Annotated[str | None, Option("--as", callback=_kind, autocompletion=_memory_kinds)] = None,
    again: Again = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add a memory to the file that fits it, and print where it went and why."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.remember(text, kind=kind, again=again), work.lang, as_json=json, diff=True)


def today(
    texts: Annotated[list[str], Argument()],
    again: Again = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries to the daily file of today."""
    work = parameters.workspace(root, lang)
    done = work.add(parameters.path(work, root, "daily"), texts, again=again)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def edit(
    file: File,
    texts: Annotated[list[str] | None, Argument(metavar="OLD NEW")] = None,
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
    options = any((old, new, old_file, new_file))
    if texts and len(texts) == 1 and not options:
        work = parameters.workspace(root, lang, file)
        if not is_file(work, parameters.path_or_kind(work, root, file)):
            raise without_file(work, file, say(work.lang, "usage.edit-call"))
    if (texts and options) or (not options and len(texts or ()) != _OLD_AND_NEW):
        raise usage_error("old-new")
    if texts:
        old, new = texts
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


inbox = Verbs(default="list")

Keys = Annotated[list[str], Argument()]
MaybeKeys = Annotated[list[str] | None, Argument()]


@inbox.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print the items of the inbox."""
    work = parameters.workspace(root, lang)
    print_inbox(work.inbox.list(), work.lang, as_json=json)


@inbox.command()
def accept(keys: MaybeKeys = None, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Apply items of the inbox; without keys the ticked ones, or else the only item."""
    work = parameters.workspace(root, lang)
    done = work.inbox.accept(keys or ())
    if not (done or keys):
        found = work.inbox.list()
        if len(found) != 1:
            print_inbox(found, work.lang, as_json=json)
            return ExitCode.NOTHING
        done = work.inbox.accept([found[0].key])
    return print_outcomes(done, work.lang, as_json=json)


@inbox.command()
def reject(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Remove items from the inbox without applying them."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.inbox.reject(keys), work.lang, as_json=json, diff=True)


_FEW = 6  # characters of a key that are shown if they are unique


def print_inbox(found: Sequence[InboxItem], lang: str, *, as_json: bool) -> None:
    """Print the items as a table, with the changed lines below each proposal, or as one JSON object."""
    if as_json:
        output.json({"waiting": [asdict(one) for one in found]})
        return
    if not found:
        print(say(lang, "cli.no-inbox"))
        return
    few = _FEW if len({one.key[:_FEW] for one in found}) == len(found) else None
    rows = [(one.key[:few], one.to, one.by, _what(one)) for one in found]
    header = [say(lang, f"cli.{key}") for key in ("key", "to", "actor", "text")]
    print("\n".join(drawn_table(header, rows, ("dim", "path", "", ""), whole=True)))  # one approves what one has read
    print(Paint(sys.stdout)("dim", say(lang, "cli.inbox-hint")))


def _what(item: InboxItem) -> Text:
    """Return what waits, with the lines of a proposed change below it, coloured by their signs."""
    from rich.text import Text

    found = Text(safe(item.text))
    for line in item.change.splitlines():
        found.append(f"\n{safe(line)}", style={"+": "green", "-": "red"}.get(line[:1], "dim"))
    return found
