"""The verbs that change a file: add, edit, rm, tick, write, mv. `mdmem inbox`: what waits, for room or for approval."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli.console import Paint, safe, short_keys
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.missing_file import misplaced_text, section_among_texts, text_alone, without_file
from mdmem.cli.grammar.parameters import DryRun, Expect, File, Yes
from mdmem.cli.grammar.wrong_entry import example_text, told_of_entries
from mdmem.cli.usage import is_text, named_in, nearest, usage_error
from mdmem.errors import ExitCode, MdmemError
from mdmem.messages.catalog import table
from mdmem.messages.folders import FALLBACK

if TYPE_CHECKING:
    from rich.text import Text

    from mdmem import InboxItem

Entries = Annotated[list[str], Argument(autocompletion=completion.entries)]
OneEntry = Annotated[str, Argument(autocompletion=completion.entries)]
Again = Annotated[bool, Option("--again")]


_OLD_AND_NEW = 2  # texts of `edit`


def add(
    call: Call,
    file: File,
    texts: Annotated[list[str] | None, Argument()] = None,
    section: Annotated[str | None, Option("--section", "-s", autocompletion=completion.sections)] = None,
    field: Annotated[list[str] | None, Option("--field", "-f")] = None,
    batch: Annotated[str, Option("--batch")] = "",
    again: Again = False,
) -> int:
    """Add entries at the end of a section, or to inbox.md if it is full; a text alone is remembered."""
    work = call.work
    if section and not (texts or batch) and not call.is_file(file):
        raise text_alone(call, file, section, call.say("usage.add-call"))
    if not (texts or batch or section or field) and is_text(file) and not call.is_file(file):
        if not call.json:
            print(call.say("cli.no-file"))
        return call.print(work.remember(file, again=again))
    given = [parameters.piped(text) for text in texts or ()]
    if given and not call.is_file(file) and (meant := misplaced_text(call, file, given)):
        raise meant
    if given and section is None and (meant := section_among_texts(call, file, given)):
        raise meant
    entries, own = [*given, *parameters.lines(batch)], parameters.fields(field)
    return call.print(work.add(call.path(file), entries, section=section, fields=own, again=again))


def _memory_kinds() -> tuple[str, ...]:
    return tuple(key.partition(".")[2] for key in table(FALLBACK, "memory-kind"))


def _kind(value: str | None) -> str | None:
    """Return a kind of memory by its name, or by what it is called in a language.

    Raises:
        UsageError: no kind is called so.
    """
    called = named_in("memory-kind")
    if value is None or value.casefold() in called:
        return value and called[value.casefold()]
    kinds = _memory_kinds()
    raise usage_error("choices", nearest(value, kinds), option="--as", choices=", ".join(kinds), value=value)


def remember(
    call: Call,
    text: Annotated[str, Argument()],
    kind: Annotated[str | None, Option("--as", callback=_kind, autocompletion=_memory_kinds)] = None,
    again: Again = False,
) -> int:
    """Add a memory to the file that fits it, and print where it went and why."""
    return call.print(call.work.remember(parameters.piped(text), kind=kind, again=again))


def today(call: Call, texts: Annotated[list[str], Argument()], again: Again = False) -> int:
    """Add entries to the daily file of today."""
    return call.print(call.work.add(call.path("daily"), texts, again=again))


def edit(
    call: Call,
    file: File,
    texts: Annotated[list[str] | None, Argument(metavar="OLD NEW")] = None,
    old: Annotated[str | None, Option("--old")] = None,
    new: Annotated[str | None, Option("--new")] = None,
    old_file: Annotated[str, Option("--old-file")] = "",
    new_file: Annotated[str, Option("--new-file")] = "",
    yes: Yes = False,
    expect: Expect = "",
) -> int:
    """Replace a text that occurs exactly once in a file; removing more than half of the file needs --yes."""
    given = list(texts or ())
    if not (len(given) == _OLD_AND_NEW or old or old_file or call.is_file(file)):
        raise without_file(call, file, call.say("usage.edit-call"))
    if given and old is None and not old_file:
        old = given.pop(0)
    if given and new is None and not new_file:
        new = given.pop(0)
    if given:
        raise usage_error("old-new")
    if (old is None and not old_file) or (new is None and not new_file):
        raise _no_texts(call, file, old)
    before, after = parameters.either(old, old_file, "old"), parameters.either(new, new_file, "new")
    path = call.path(file)
    with told_of_entries(call, path, [before], is_text=True):
        return call.print(call.work.edit(path, before, after, expect=expect or None, confirm=yes))


def _no_texts(call: Call, file: str, old: str | None) -> MdmemError:
    """Return the error for an `edit` without both of its texts, with an example from the file."""
    example = example_text(call, call.path(file)) if old is None else quote(old)
    if not example:
        return usage_error("old-new")
    return usage_error("old-new-example", usage=call.say("usage.edit-example", file=quote(file), old=example))


def rm(call: Call, file: File, entries: Entries, dry_run: DryRun = False) -> int:
    """Remove entries from a file."""
    path = call.path(file)
    with told_of_entries(call, path, entries):
        return call.print(call.work.remove(path, entries, dry_run=dry_run))


def tick(call: Call, file: File, entry: OneEntry, undo: Annotated[bool, Option("--undo")] = False) -> int:
    """Mark an entry as done."""
    path = call.path(file)
    with told_of_entries(call, path, [entry]):
        return call.print(call.work.tick(path, entry, done=not undo))


def write(call: Call, file: File, yes: Yes = False, expect: Expect = "") -> int:
    """Write a whole file from the standard input; removing more than half of its content needs --yes."""
    path = call.path(file)
    return call.print(call.work.write(path, parameters.text("-"), expect=expect or None, confirm=yes))


def mv(call: Call, file: File, new: Annotated[str, Argument()]) -> int:
    """Rename or move a file; an existing file is not overwritten."""
    name, colon, line = file.rpartition(":")
    if (colon and line.isdecimal() and call.is_file(name)) or (is_text(file) and not call.is_file(file)):
        raise usage_error("mv-entry", entry=file, file=name or "FILE", new=new)
    return call.print(call.work.rename(call.path(file), new), diff=False)


inbox = Verbs(default="list")

MaybeKeys = Annotated[list[str] | None, Argument()]


@inbox.command("list")
def list_(call: Call) -> None:
    """Print the items of the inbox."""
    print_inbox(call, call.work.inbox.list())


@inbox.command()
def accept(call: Call, keys: MaybeKeys = None) -> int:
    """Apply items of the inbox; without keys the ticked ones, or else the only item."""
    inbox = call.work.inbox
    done = inbox.accept(keys or ())
    if not (done or keys):
        if not (only := _only_key(call)):
            return ExitCode.NOTHING
        done = inbox.accept(only)
    return call.print_all(done)


@inbox.command()
def reject(call: Call, keys: MaybeKeys = None) -> int:
    """Remove items from the inbox without applying them; without keys the only item."""
    if not (chosen := keys or _only_key(call)):
        return ExitCode.NOTHING
    return call.print(call.work.inbox.reject(chosen))


def _only_key(call: Call) -> list[str]:
    """Return the key of the only item; if there is none or are several, print them and return nothing."""
    found = call.work.inbox.list()
    if len(found) == 1:
        return [found[0].key]
    print_inbox(call, found)
    return []


def print_inbox(call: Call, found: Sequence[InboxItem]) -> None:
    """Print the items as a table, with the changed lines below each proposal, or as one JSON object."""
    keys = short_keys([one.key for one in found])
    columns = {"cli.key": "dim", "cli.to": "path", "cli.actor": "", "cli.text": ""}
    call.print_list(
        "waiting", found, columns, lambda one: (keys[one.key], one.to, one.by, _what(call, one)), none="cli.no-inbox",
        whole=True,  # one approves what one has read
    )  # fmt: skip
    if found and not call.json:
        print(Paint(sys.stdout)("dim", call.say("cli.inbox-hint")))
    if left := call.work.inbox.unread():
        print(call.say("cli.inbox-unread", paths=safe(", ".join(left))), file=sys.stderr)


def _what(call: Call, item: InboxItem) -> Text:
    """Return what waits, with the lines of a proposed change below it, coloured by their signs."""
    from rich.text import Text

    found = Text(safe(item.text))
    if item.replaces:
        key = "cli.inbox-ends" if item.is_end else "cli.inbox-replaces"
        found.append(f"\n{call.say(key, text=safe(item.replaces))}", style="red")
    for line in item.change.splitlines():
        found.append(f"\n{safe(line)}", style={"+": "green", "-": "red"}.get(line[:1], "dim"))
    return found
