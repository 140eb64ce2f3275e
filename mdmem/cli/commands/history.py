"""The verbs of the history: show, log, diff, undo, restore, recover, doctor, forget, why."""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from mdmem.cli import outcome, output
from mdmem.cli.console import Paint, folded, safe, table
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.parameters import DryRun, File, Json, Lang, MaybeFile, Root, Yes
from mdmem.cli.grammar.usage import usage_error
from mdmem.cli.outcome import advice, headline, print_outcome
from mdmem.errors import ExitCode, UnreadableFileError
from mdmem.messages.catalog import label, say
from mdmem.messages.reasons import reason_in

if TYPE_CHECKING:
    from mdmem import DoctorCheck, Evidence, ForgetResult, Provenance, ShownFile, Transaction, Workspace


def print_forgotten(found: ForgetResult, lang: str, *, as_json: bool) -> int:
    """Print the result of forgetting and return the exit code: 1 for nothing found, 5 for unreadable files."""
    if as_json:
        output.json(asdict(found))
    else:
        print("\n".join(_forgotten_lines(found, lang, Paint(sys.stdout))))
    return UnreadableFileError.exit_code if found.unread else int(found.status == "unchanged")


def _forgotten_lines(found: ForgetResult, lang: str, paint: Paint) -> list[str]:
    """Return the result of forgetting for a person: each location in a file, and the number of internal ones."""
    out = [headline(found.status, found.message, paint)]
    for target in found.places:
        if target.path:
            location = f"{target.path}:{target.line}" if target.line else target.path
            shown = f"  {safe(target.text)}" if target.text else ""
            out.append(f"  {paint('path', safe(location))}  {paint('dim', say(lang, f'cli.{target.what}'))}{shown}")
    own = [one.what for one in found.places if not one.path]
    out += [f"  {say(lang, f'cli.{what}')}  {paint('dim', f'× {own.count(what)}')}" for what in dict.fromkeys(own)]
    return [*out, advice(found.hint, paint)] if found.hint else out


_FULL_ID = re.compile(r"\d{8}T\d{6}-")  # the time in an id, which a table of changes shows beside it
_MARKS = {"good": ("good", "✓"), "weaker": ("warning", "!"), "bad": ("error", "✗")}


def print_doctor(found: Sequence[DoctorCheck], *, as_json: bool) -> int:
    """Print each check with its hint; return 1 if one has failed."""
    if as_json:
        output.json({"checks": [asdict(one) for one in found]})
    else:
        print("\n".join(_doctor_lines(found, Paint(sys.stdout))))
    return int(any(one.state == "bad" for one in found))


def _doctor_lines(found: Sequence[DoctorCheck], paint: Paint) -> list[str]:
    out = []
    for check in found:
        style, mark = _MARKS[check.state]
        out.append(f"{paint(style, mark)} {folded(safe(check.message), 2)}")
        if check.hint:
            out.append(advice(check.hint, paint))
    return out


def log_json(found: Sequence[Transaction]) -> None:
    """Print the changes as one JSON object, newest first."""
    output.json({"transactions": [asdict(one) for one in found]})


def log_table(found: Sequence[Transaction], workspace: Workspace, none: str = "cli.no-log") -> None:
    """Print changes as a table, newest first; `none` is the message key if there are none."""
    lang = workspace.lang
    if not found:
        print(say(lang, none))
        return
    rows = [
        (
            _id(one),
            local(one.time),
            one.actor,
            _lines(workspace.history.diff(one.id)),
            _FULL_ID.sub("", reason_in(lang, one.reason)),
            _files(one),
        )
        for one in found
    ]
    header = [say(lang, f"cli.{key}") for key in ("id", "time", "actor", "lines", "reason", "files")]
    print("\n".join(table(header, rows, ("dim", "", "", "note", "", "path"))))


def show_diff(diff: str, lang: str, *, as_json: bool) -> None:
    """Print a unified diff, coloured on a terminal."""
    if as_json:
        output.json({"diff": diff})
    elif diff:
        output.raw(outcome.full(diff, Paint(sys.stdout)))
    else:
        print(say(lang, "cli.no-diff"))


def local(time: str) -> str:
    """Return a time in the local time zone, to the minute."""
    return dt.datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _lines(diff: str) -> str:
    added, removed = outcome.count(diff)
    return " ".join(f"{sign}{number}" for sign, number in (("+", added), ("−", removed)) if number)


def _id(change: Transaction) -> str:
    """Return the part of an id without its time, which `diff` and `undo` accept."""
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


Node = tuple[str, list[str]]  # a line, and the lines below it


def print_provenance(found: Provenance, lang: str, *, as_json: bool) -> None:
    """Print the provenance of an entry as a tree."""
    if as_json:
        output.json(as_dict(found))
        return
    paint = Paint(sys.stdout)
    print(f"{paint('path', safe(f'{found.path}:{found.line}'))}  {paint('dim', safe(found.key))}")
    print(paint("bold", folded(safe(found.text), 2)))
    nodes = list(_nodes(found, lang, paint))
    for index, (head, below) in enumerate(nodes):
        last = index + 1 == len(nodes)
        print(f"{paint('dim', '└─ ' if last else '├─ ')}{head}")
        for line in below:
            print(f"{paint('dim', '   ' if last else '│  ')}   {line}")


def as_dict(found: Provenance) -> dict[str, Any]:
    """Return a provenance as JSON types."""
    return asdict(found) | {"evidence": [asdict(one) | {"facts": dict(one.facts)} for one in found.evidence]}


def _nodes(found: Provenance, lang: str, paint: Paint) -> Iterator[Node]:
    change = found.written
    if change:
        reason = reason_in(lang, change.reason)
        written = say(lang, "cli.written", time=local(change.time), actor=change.actor, reason=reason)
        yield safe(written), [paint("dim", safe(f"mdmem diff {change.id.rpartition('-')[2]}"))]
    yield from (_evidence(one, lang, paint) for one in found.evidence)
    for old in found.before:
        location, reason = f"{old.path}:{old.line}", label(lang, f"pin.gone-{old.reason}", old.reason)
        yield (
            f"{safe(say(lang, 'cli.before'))} {paint('path', safe(location))} {paint('dim', safe(reason))}",
            [safe(old.text)],
        )
    shown = {one.missing for one in found.evidence}
    yield from ((f"{paint('warning', '?')} {safe(one)}", []) for one in found.missing if one not in shown)


def _evidence(evidence: Evidence, lang: str, paint: Paint) -> Node:
    source = say(lang, "cli.source")
    if evidence.missing:
        return f"{safe(source)} {safe(evidence.source)}", [f"{paint('error', '✗')} {safe(evidence.missing)}"]
    location = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
    facts = "  ".join(f"{label(lang, f'pin.fact-{key}', key)} {value}" for key, value in evidence.facts if value)
    below = [paint("dim", safe(facts))] if facts else []
    return f"{safe(source)} {paint('path', safe(location))}", [*below, *map(safe, evidence.excerpt)]


def show(file: MaybeFile = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print a file, or all memory files, with the key beside each entry."""
    work = parameters.lenient_workspace(root, lang, file)
    files = parameters.paths(work, root, file) if file else work.files()
    print_file([work.show(one) for one in files], as_json=json)


def log(
    file: MaybeFile = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Print the last changes: time, actor, reason, files."""
    work = parameters.lenient_workspace(root, lang, file)
    most = limit or work.config.settings.store.list
    found = work.history.log(parameters.path(work, root, file) if file else None, limit=most)
    log_json(found) if json else log_table(found, work, none="cli.no-log-of" if file else "cli.no-log")


def diff(
    what: Annotated[str, Argument()] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Print the diff of a change, or of files since mdmem last wrote them."""
    work = parameters.lenient_workspace(root, lang)
    name = work.file(parameters.path_or_kind(work, root, what)) if what else None  # or the id of a change
    show_diff(work.history.diff(name), work.lang, as_json=json)


def undo(
    id: Annotated[  # noqa: A002
        str, Argument()
    ] = "",
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Undo a change; later changes stay. Undoing is a change too."""
    work = parameters.lenient_workspace(root, lang)
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
    """Restore a file that was deleted or overwritten outside mdmem, or accept the loss."""
    if dismiss and at:
        raise usage_error("dismiss-at")
    work = parameters.lenient_workspace(root, lang, file)
    # the name of a kind can mean all its lost files
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
    """Delete a text in all files, the archive, the history and the caches; this cannot be undone."""
    work = parameters.workspace(root, lang)
    words = " ".join(what)
    if dry_run or not yes:
        plan = work.forget(words, files=files, dry_run=True)
        code = print_forgotten(plan, work.lang, as_json=json)
        if dry_run or plan.status != "planned" or not _confirmed(work.lang, json=json):
            return code if dry_run else ExitCode.NOTHING
    return print_forgotten(work.forget(words, files=files), work.lang, as_json=json)


def _confirmed(lang: str, *, json: bool) -> bool:
    """Ask the person to confirm forgetting; print a message if they do not."""
    if parameters.confirmed(say(lang, "cli.forget"), lang, json=json, look=" --dry-run"):
        return True
    print(say(lang, "cli.kept"))
    return False


def recover(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Complete or undo changes that a crash interrupted; every write does the same first."""
    work = parameters.lenient_workspace(root, lang)
    found = work.history.recover()
    if json:
        log_json(found)
    else:
        log_table(found, work, none="cli.recovered")


def doctor(root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Check the integrity of the history, and the guarantees of this machine and file system."""
    work = parameters.workspace(root, lang)
    work.config.lenient = "file"  # a check tells the mistakes
    from mdmem.agents.connect.connection_checks import connection_checks

    return print_doctor((*work.history.doctor(), *connection_checks(work)), as_json=json)


def why(
    name: Annotated[str, Argument()],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Print the provenance of an entry: its change, its evidence, and its earlier versions."""
    work = parameters.lenient_workspace(root, lang)
    print_provenance(work.history.why(name), work.lang, as_json=json)
