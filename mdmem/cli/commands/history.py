"""The verbs of the history: show, log, diff, undo, restore, recover, doctor, forget, why."""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from mdmem.cli import outcome, output
from mdmem.cli.console import Paint, columns, fold, folded, safe
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun, File, Limit, MaybeFile, Yes
from mdmem.cli.grammar.wrong_entry import told_of_entries
from mdmem.cli.outcome import advice, headline
from mdmem.cli.usage import usage_error
from mdmem.errors import ExitCode, TargetError, UnreadableFileError
from mdmem.messages.catalog import label
from mdmem.messages.reasons import reason_in

if TYPE_CHECKING:
    from mdmem import DoctorCheck, Evidence, ForgetResult, Provenance, ShownFile, Transaction

_TERMINAL = 100  # columns from which a row has room for all files of a change
_FEW = 5  # changes in an error
_MARGIN = " │"  # between the key of an entry and its line
_BULLET = re.compile(r" *(?:[-*+] +(?:\[.\] +)?|\d+[.)] +)?")


def print_forgotten(call: Call, found: ForgetResult) -> int:
    """Print the result of forgetting and return the exit code: 1 for nothing found, 5 for unreadable files."""
    if call.json:
        output.json(asdict(found))
    else:
        print("\n".join(_forgotten_lines(call, found, Paint(sys.stdout))))
    return UnreadableFileError.exit_code if found.unread else int(found.status == "unchanged")


def _forgotten_lines(call: Call, found: ForgetResult, paint: Paint) -> list[str]:
    """Return the result of forgetting for a person: each location in a file, and the number of internal ones."""
    out = [headline(found.status, found.message, paint)]
    for target in found.places:
        if target.path:
            location = f"{target.path}:{target.line}" if target.line else target.path
            shown = f"  {safe(target.text)}" if target.text else ""
            out.append(f"  {paint('path', safe(location))}  {paint('dim', call.say(f'cli.{target.what}'))}{shown}")
    own = [one.what for one in found.places if not one.path]
    out += [f"  {call.say(f'cli.{what}')}  {paint('dim', f'× {own.count(what)}')}" for what in dict.fromkeys(own)]
    return out + advice(found.hint, paint)


_FULL_ID = re.compile(r"\d{8}T\d{6}-")  # the time in an id, which a table of changes shows beside it


def print_doctor(found: Sequence[DoctorCheck], *, as_json: bool) -> int:
    """Print each check with its hint; return 1 if one has failed."""
    if as_json:
        output.json({"checks": [asdict(one) for one in found]})
    else:
        paint = Paint(sys.stdout)
        lines = ([headline(one.state, one.message, paint), *advice(one.hint, paint)] for one in found)
        print("\n".join(chain.from_iterable(lines)))
    return int(any(one.state == "bad" for one in found))


def print_log(call: Call, found: Sequence[Transaction], none: str) -> None:
    """Print changes as a table, newest first; `none` is the message if there are none."""
    columns = {
        "cli.id": "dim", "cli.time": "", "cli.actor": "", "cli.lines": "note", "cli.reason": "", "cli.files": "path",
    }  # fmt: skip

    def row(one: Transaction) -> Sequence[str]:
        reason = _FULL_ID.sub("", reason_in(call.work.lang, one.reason))
        files = _few([changed.path for changed in one.files])
        return _id(one), local(one.time), one.actor, _lines(call.work.history.diff(one.id)), reason, files

    call.print_list("transactions", found, columns, row, none=none)


def _few(paths: Sequence[str]) -> str:
    """Return the files of a change; of many, on a terminal, the first and the number of the others."""
    if len(paths) <= 1 or columns() > _TERMINAL:
        return ", ".join(paths)
    return f"{paths[0]} +{len(paths) - 1}"


def show_diff(call: Call, diff: str) -> None:
    """Print a unified diff, coloured on a terminal."""
    if call.json:
        output.json({"diff": diff})
    elif diff:
        output.raw(outcome.full(diff, Paint(sys.stdout)))
    else:
        print(call.say("cli.no-diff"))


def local(time: str) -> str:
    """Return a time in the local time zone, to the minute."""
    return dt.datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _lines(diff: str) -> str:
    added, removed = outcome.count(diff)
    return " ".join(f"{sign}{number}" for sign, number in (("+", added), ("−", removed)) if number)


def _id(change: Transaction) -> str:
    """Return the part of an id without its time, which `diff` and `undo` accept."""
    return change.id.rpartition("-")[2]


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
        name = keys.get(number, "")
        for text in _below_its_bullet(safe(line), columns() - wide - len(_MARGIN) - 1):
            out.append(f"{paint('dim', f'{name:>{wide}}{_MARGIN}')} {paint(style, text)}".rstrip())
            name = ""
    return out


def _below_its_bullet(line: str, most: int) -> Iterator[str]:
    """Yield a line folded to a width; what follows its first line begins below the text of its item."""
    bullet = _BULLET.match(line)
    head = bullet.group() if bullet else ""
    first, *rest = fold(line[len(head) :], most - len(head), 0)
    yield head + first
    yield from (" " * len(head) + one for one in rest)


Node = tuple[str, list[str]]  # a line, and the lines below it


def print_provenance(call: Call, found: Provenance) -> None:
    """Print the provenance of an entry as a tree."""
    if call.json:
        output.json(as_dict(found))
        return
    paint = Paint(sys.stdout)
    print(f"{paint('path', safe(f'{found.path}:{found.line}'))}  {paint('dim', safe(found.key))}")
    print(paint("bold", folded(safe(found.text), 2)))
    nodes = list(_nodes(call, found, paint))
    for index, (head, below) in enumerate(nodes):
        last = index + 1 == len(nodes)
        print(f"{paint('dim', '└─ ' if last else '├─ ')}{head}")
        for line in below:
            print(f"{paint('dim', '   ' if last else '│  ')}   {line}")


def as_dict(found: Provenance) -> dict[str, Any]:
    """Return a provenance as JSON types."""
    return asdict(found) | {"evidence": [asdict(one) | {"facts": dict(one.facts)} for one in found.evidence]}


def _nodes(call: Call, found: Provenance, paint: Paint) -> Iterator[Node]:
    change = found.written
    if change:
        reason = reason_in(call.work.lang, change.reason)
        written = call.say("cli.written", time=local(change.time), actor=change.actor, reason=reason)
        yield safe(written), [paint("dim", safe(f"mdmem diff {_id(change)}"))]
    yield from (_evidence(call, one, paint) for one in found.evidence)
    for old in found.before:
        location, reason = f"{old.path}:{old.line}", label(call.work.lang, f"pin.gone-{old.reason}", old.reason)
        yield (
            f"{safe(call.say('cli.before'))} {paint('path', safe(location))} {paint('dim', safe(reason))}",
            [safe(old.text)],
        )
    shown = {one.missing for one in found.evidence}
    yield from ((f"{paint('warning', '?')} {safe(one)}", []) for one in found.missing if one not in shown)


def _evidence(call: Call, evidence: Evidence, paint: Paint) -> Node:
    source = call.say("cli.source")
    if evidence.missing:
        return f"{safe(source)} {safe(evidence.source)}", [f"{paint('error', '✗')} {safe(evidence.missing)}"]
    location = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
    lang = call.work.lang
    facts = "  ".join(f"{label(lang, f'pin.fact-{key}', key)} {value}" for key, value in evidence.facts if value)
    below = [paint("dim", safe(facts))] if facts else []
    return f"{safe(source)} {paint('path', safe(location))}", [*below, *map(safe, evidence.excerpt)]


def show(call: Call, file: MaybeFile = "") -> None:
    """Print a file, or all memory files, with the key beside each entry."""
    work = call.lenient()
    files = work.files(call.known_name(file)) if file else work.files()  # a kind may have several
    print_file([work.show(one) for one in files], as_json=call.json)


def log(call: Call, file: MaybeFile = "", limit: Limit = None) -> None:
    """Print the last changes: time, actor, reason, files."""
    work = call.lenient()
    most = limit or work.config.settings.store.list
    found = work.history.log(call.path(file) if file else None, limit=most)
    print_log(call, found, none="cli.no-log-of" if file else "cli.no-log")


def diff(call: Call, what: Annotated[str, Argument()] = "") -> None:
    """Print the diff of a change, or of files since mdmem last wrote them."""
    work = call.lenient()
    name = work.file(call.path_or_kind(what)) if what else None  # or the id of a change
    show_diff(call, work.history.diff(name))


@contextmanager
def _told_of_changes(call: Call) -> Iterator[None]:
    """Show the candidates of an error with their time and reason, to a person; each begins with what names it."""
    try:
        yield
    except TargetError as error:
        if not call.json:
            named = {one.id: one for one in call.work.history.log()}
            found = [named[one] for one in error.candidates if one in named][:_FEW]
            if found:
                error.candidates = tuple(
                    f"{_id(one)}  {local(one.time)}  {reason_in(call.work.lang, one.reason)}" for one in found
                )
        raise


def undo(call: Call, id: Annotated[str, Argument()] = "", dry_run: DryRun = False) -> int:  # noqa: A002
    """Undo a change; later changes stay. Undoing is a change too."""
    work = call.lenient()
    with _told_of_changes(call):
        return call.print(work.history.undo(id or None, dry_run=dry_run))


def restore(
    call: Call,
    file: File,
    at: Annotated[str, Option("--at")] = "",
    dismiss: Annotated[bool, Option("--dismiss")] = False,
    dry_run: DryRun = False,
) -> int:
    """Restore a file that was deleted or overwritten outside mdmem, or accept the loss."""
    if dismiss and at:
        raise usage_error("dismiss-at")
    work = call.lenient()
    # the name of a kind can mean all its lost files
    is_file = work.kind(file) and (work.has_one_file(file) or not dismiss)
    written = {one.path for change in work.history.log() for one in change.files}
    path = work.file(file) if is_file else _lost_path(call, file, written)
    if not (at or dismiss or call.is_file(path) or path in written):
        raise usage_error("restore-text", kind=TargetError, text=file)
    return call.print(work.dismiss(path, dry_run=dry_run) if dismiss else work.restore(path, at, dry_run=dry_run))


def _lost_path(call: Call, file: str, written: Container[str]) -> str:
    """Return the path from the root of a file that may not exist any more, but was written."""
    found, here = call.path_or_kind(file), call.from_here(file)
    return here if not call.root and found == file != here and here in written else found


def forget(
    call: Call,
    what: Annotated[list[str], Argument()],
    files: Annotated[bool, Option("--files")] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> int:
    """Delete a text in all files, the archive, the history and the caches; this cannot be undone."""
    work, words = call.work, " ".join(what)
    if dry_run or not yes:
        plan = work.forget(words, files=files, dry_run=True)
        code = print_forgotten(call, plan)
        if dry_run:
            return code
        if plan.status != "planned":
            return ExitCode.NOTHING
        if not call.confirmed(call.say("cli.forget"), look="--dry-run"):
            print(call.say("cli.kept"))
            return ExitCode.NOTHING
    return print_forgotten(call, work.forget(words, files=files))


def recover(call: Call) -> None:
    """Complete or undo changes that a crash interrupted; every write does the same first."""
    print_log(call, call.lenient().history.recover(), none="cli.recovered")


def doctor(call: Call, model: Annotated[bool, Option("--model")] = False) -> int:
    """Check the integrity of the history, and the guarantees of this machine and file system; or ask the model."""
    work = call.work
    if model:
        return _try_model(call)
    work.config.lenient = "file"  # a check tells the mistakes
    from mdmem.agents.connect.connection_checks import connection_checks

    checks = (*work.history.doctor(), *work.git.checks(), *work.keeper.model_checks(), *connection_checks(work))
    return print_doctor(checks, as_json=call.json)


def _try_model(call: Call) -> int:
    """Ask the model of the settings one small question, and print what became of it."""
    from mdmem.cli.commands.status import use_line

    found = call.work.keeper.try_model()
    if call.json:
        output.json({"model": asdict(found) if found else None})
    elif found is None:
        print(folded(call.say("model.none"), 2))
        print(folded(call.say("model.none.hint"), 2))
    else:
        facts = {"backend": found.backend, "answer": safe(found.answer), "seconds": f"{found.seconds:.1f}"}
        print(folded(call.say("model.answered", tokens=found.tokens, **facts), 2))
        print(folded(use_line(call.work), 2))
    return ExitCode.OK if found else ExitCode.NOTHING


def why(call: Call, name: Annotated[str, Argument()]) -> None:
    """Print the provenance of an entry: its change, its evidence, and its earlier versions."""
    work, file = call.lenient(), name.rpartition(":")[0]
    with told_of_entries(call, call.path_or_kind(file) if file else "", [name]):
        print_provenance(call, work.history.why(name))
