"""Tells what was forgotten, or would be: every place, and what is left to the person."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from mdmem.cli import outcome, output
from mdmem.cli.outcome import headline, print_outcome, transaction
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.parameters import DryRun, File, Json, Lang, MaybeFile, Root, Yes
from mdmem.cli.parser.usage import wrong
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint, safe
from mdmem.errors import ConfirmError, ExitCode, UnreadableFileError
from mdmem.messages.catalog import label, say

if TYPE_CHECKING:
    from mdmem import DoctorCheck, Evidence, ForgetResult, Provenance, ShownFile, Transaction, Workspace


def print_forgotten(found: ForgetResult, lang: str, *, as_json: bool) -> int:
    """Print what became of a forgetting, and give the exit code: 1 for nothing found, 5 for a part unread."""
    if as_json:
        values = found._asdict() | {"places": [one._asdict() for one in found.places]}
        values |= {"unread": [one._asdict() for one in found.unread]}
        output.json(values | {"transaction": transaction(found.transaction)})
    else:
        print("\n".join(_kinds_lines(found, lang, Paint(sys.stdout))))
    return UnreadableFileError.exit_code if found.unread else int(found.status == "unchanged")


def _kinds_lines(found: ForgetResult, lang: str, paint: Paint) -> list[str]:
    """Word it for a person: the places in files line by line, those in mdmem's own folder counted."""
    out = [headline(found.status, found.message, paint)]
    for one in found.places:
        if one.path:
            place = f"{one.path}:{one.line}" if one.line else one.path
            shown = f"  {safe(one.text)}" if one.text else ""
            out.append(f"  {paint('path', safe(place))}  {paint('dim', say(lang, f'cli.{one.what}'))}{shown}")
    own = [one.what for one in found.places if not one.path]
    out += [f"  {say(lang, f'cli.{what}')}  {paint('dim', f'× {own.count(what)}')}" for what in dict.fromkeys(own)]
    return [*out, f"  {paint('dim', safe(found.hint))}"] if found.hint else out


_MARKS = {"good": ("good", "✓"), "weaker": ("warning", "!"), "bad": ("error", "✗")}


def print_doctor(found: Sequence[DoctorCheck], *, as_json: bool) -> int:
    """Print each check in a line, with what to do about it; gives 1 where something is broken."""
    if as_json:
        output.json({"checks": [one._asdict() for one in found]})
    else:
        print("\n".join(_health_lines(found, Paint(sys.stdout))))
    return int(any(one.state == "bad" for one in found))


def _health_lines(found: Sequence[DoctorCheck], paint: Paint) -> list[str]:
    out = []
    for one in found:
        style, mark = _MARKS[one.state]
        out.append(f"{paint(style, mark)} {safe(one.message)}")
        if one.hint:
            out.append(f"  {paint('dim', safe(one.hint))}")
    return out


def log_json(found: Sequence[Transaction]) -> None:
    """Print the changes as one JSON object, newest first."""
    output.json({"transactions": [transaction(one) for one in found]})


def log_table(found: Sequence[Transaction], workspace: Workspace, none: str = "cli.no-log") -> None:
    """Print changes as a table, newest first; `none` is the word where there are none."""
    lang, paint = workspace.lang, Paint(sys.stdout)
    if not found:
        print(say(lang, none))
        return
    rows = [
        (_id(one), local(one.time), one.actor, _lines(workspace.history.diff(one.id)), one.reason, _files(one))
        for one in found
    ]
    header = [say(lang, f"cli.{key}") for key in ("id", "time", "actor", "lines", "reason", "files")]
    print("\n".join(table(header, rows, ("dim", "", "", "note", "", "path"), paint)))


def show_diff(diff: str, lang: str, *, as_json: bool) -> None:
    """Print a unified diff, coloured on a terminal."""
    if as_json:
        output.json({"diff": diff})
    elif diff:
        output.raw(outcome.full(diff, Paint(sys.stdout)))
    else:
        print(say(lang, "cli.no-diff"))


def local(time: str) -> str:
    """Write a time as this place's clock showed it, to the minute."""
    return dt.datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _lines(diff: str) -> str:
    added, removed = outcome.count(diff)
    return " ".join(f"{sign}{number}" for sign, number in (("+", added), ("−", removed)) if number)


def _id(change: Transaction) -> str:
    """Return the part of an id that `diff` and `undo` take; the rest is the time."""
    return change.id.rpartition("-")[2]


def _files(change: Transaction) -> str:
    return ", ".join(one.path for one in change.files)


def print_file(files: Sequence[ShownFile], *, as_json: bool) -> None:
    """Print files for a person, or as one JSON object."""
    if as_json:
        output.json({"files": [one.as_dict() for one in files]})
        return
    paint = Paint(sys.stdout)
    print("\n\n".join("\n".join(_page(one, paint)) for one in files))


def _page(shown: ShownFile, paint: Paint) -> list[str]:
    keys = {one.line: one.key for part in shown.sections for one in part.entries}
    done = {one.line for part in shown.sections for one in part.entries if one.done}
    headings = {part.line for part in shown.sections}
    wide = max(map(len, keys.values()), default=0)
    out = [paint("path", safe(shown.path))] + ([paint("warning", safe(shown.warning))] if shown.warning else [])
    for number, line in enumerate(shown.lines, 1):
        style = "path" if number in headings else "dim" if number in done else ""
        text = paint(style, safe(line)) if style else safe(line)
        margin = f"{keys.get(number, ''):>{wide}} │"
        out.append(f"{paint('dim', margin)} {text}".rstrip())
    return out


Node = tuple[str, list[str]]  # a line, and those below it


def print_provenance(found: Provenance, lang: str, *, as_json: bool) -> None:
    """Print the tree."""
    if as_json:
        output.json(as_dict(found))
        return
    paint = Paint(sys.stdout)
    print(f"{paint('path', safe(f'{found.path}:{found.line}'))}  {paint('dim', safe(found.key))}")
    print(f"{paint('bold', safe(found.text))}")
    nodes = list(_nodes(found, lang, paint))
    for place, (head, below) in enumerate(nodes):
        last = place + 1 == len(nodes)
        print(f"{paint('dim', '└─ ' if last else '├─ ')}{head}")
        for line in below:
            print(f"{paint('dim', '   ' if last else '│  ')}   {line}")


def as_dict(found: Provenance) -> dict[str, Any]:
    """Return the walk as JSON's types, nested."""
    evidence = [one._asdict() | {"said": list(one.said), "facts": dict(one.facts)} for one in found.evidence]
    before = [one._asdict() for one in found.before]
    values = {"evidence": evidence, "before": before, "missing": list(found.missing)}
    return found._asdict() | values | {"written": transaction(found.written)}


def _nodes(found: Provenance, lang: str, paint: Paint) -> Iterator[Node]:
    change = found.written
    if change:
        told = say(lang, "cli.written", time=local(change.time), actor=change.actor, reason=change.reason)
        yield safe(told), [paint("dim", safe(f"mdmem diff {change.id.rpartition('-')[2]}"))]
    yield from (_evidence(one, lang, paint) for one in found.evidence)
    for old in found.before:
        place, reason = f"{old.path}:{old.line}", label(lang, f"pin.gone-{old.reason}", old.reason)
        yield (
            f"{safe(say(lang, 'cli.before'))} {paint('path', safe(place))} {paint('dim', safe(reason))}",
            [safe(old.text)],
        )
    shown = {one.missing for one in found.evidence}
    yield from ((f"{paint('warning', '?')} {safe(one)}", []) for one in found.missing if one not in shown)


def _evidence(one: Evidence, lang: str, paint: Paint) -> Node:
    source = say(lang, "cli.source")
    if one.missing:
        return f"{safe(source)} {safe(one.source)}", [f"{paint('error', '✗')} {safe(one.missing)}"]
    place = f"{one.path}:{one.line}" if one.line else one.path
    facts = "  ".join(f"{label(lang, f'pin.fact-{key}', key)} {value}" for key, value in one.facts if value)
    below = [paint("dim", safe(facts))] if facts else []
    return f"{safe(source)} {paint('path', safe(place))}", [*below, *map(safe, one.said)]


def show(file: MaybeFile = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show a file with the key of each entry beside it; without one, every memory file."""
    work = parameters.workspace(root, lang, file)
    files = parameters.paths(work, root, file) if file else work.files()
    print_file([work.show(one) for one in files], as_json=json)


def log(
    file: MaybeFile = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the last changes: when, who, why, which files."""
    work = parameters.workspace(root, lang, file)
    most = limit or work.config.settings.store.list
    found = work.history.log(parameters.path(work, root, file) if file else None, limit=most)
    log_json(found) if json else log_table(found, work, none="cli.no-log-of" if file else "cli.no-log")


def diff(
    what: Annotated[str, Argument()] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show what a change did, or what has become of files since mdmem last wrote them."""
    work = parameters.workspace(root, lang)
    show_diff(work.history.diff(parameters.path(work, root, what) if what else None), work.lang, as_json=json)


def undo(
    id: Annotated[  # noqa: A002
        str, Argument()
    ] = "",
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Take a change back; what came after it stays. The undoing is a change too."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.history.undo(id or None, dry_run=dry_run), work.lang, as_json=json, diff=True)


def restore(
    file: File,
    at: Annotated[str, Option("--at")] = "",
    dismiss: Annotated[bool, Option("--dismiss")] = False,
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Bring a file back that was deleted or clobbered by hand; `mdmem undo` takes that back."""
    if dismiss and at:
        raise wrong("dismiss-at")
    work = parameters.workspace(root, lang, file)
    # of a kind with several files all that are lost may be meant
    is_file = work.kind(file) and (work.has_one_file(file) or not dismiss)
    path = work.file(file) if is_file else parameters.lost_path(work, root, file)
    done = work.dismiss(path, dry_run=dry_run) if dismiss else work.restore(path, at, dry_run=dry_run)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def forget(
    what: Annotated[list[str], Argument()],
    files: Annotated[bool, Option("--files")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Forget for good: in every file, the archive, the history and the caches; it cannot be undone."""
    work = parameters.workspace(root, lang)
    words = " ".join(what)
    if dry_run or not yes:
        plan = work.forget(words, files=files, dry_run=True)
        code = print_forgotten(plan, work.lang, as_json=json)
        if dry_run or plan.status != "planned" or not _asked(work.lang, json=json):
            return code if dry_run else ExitCode.NOTHING
    return print_forgotten(work.forget(words, files=files), work.lang, as_json=json)


def _asked(lang: str, *, json: bool) -> bool:
    """Ask whoever sits at the terminal; without one nobody's word is guessed."""
    if json or not sys.stdin.isatty():
        raise wrong("nobody", kind=ConfirmError, look=" --dry-run")
    if parameters.confirmed(say(lang, "cli.forget"), lang):
        return True
    print(say(lang, "cli.kept"))
    return False


def recover(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Finish or take back what a crashed process left half done; every other verb does so too before it writes."""
    work = parameters.workspace(root, lang)
    found = work.history.recover()
    if json:
        log_json(found)
    else:
        log_table(found, work, none="cli.recovered")


def doctor(root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Look whether the history is whole, and what this machine and file system can promise."""
    work = parameters.workspace(root, lang)
    return print_doctor(work.history.doctor(), as_json=json)


def why(
    name: Annotated[str, Argument()],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Say why something is remembered: who wrote it when and why, from what, and what it was before."""

    work = parameters.workspace(root, lang)
    print_provenance(work.history.why(name), work.lang, as_json=json)
