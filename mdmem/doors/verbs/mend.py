"""The verbs that take back and put right: undo, restore, recover, doctor, forget."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from mdmem.doors import forgetting, health, history
from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, File, Json, Lang, Root, Yes
from mdmem.doors.words import words as say
from mdmem.errors import ConfirmError, UsageError
from mdmem.workspace.kinds import file_of, kind_of


def undo(
    id: Annotated[str, typer.Argument(help="A change's id; without it, the last one.")] = "",  # noqa: A002
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Take a change back; what came after it stays. The undoing is a change too."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.undo(id or None, dry_run=dry_run), work.lang, as_json=json, diff=True))


def restore(
    file: File,
    at: Annotated[str, typer.Option("--at", help="A change's id, or a time: 2026-02-13, or '2026-02-13 21:30'.")] = "",
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Restore nothing: the file, or all below a folder, is meant so.")
    ] = False,
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Bring a file back that was deleted or clobbered by hand; `mdmem undo` takes that back."""
    if dismiss and at:
        raise UsageError("--dismiss restores nothing; --at says what to restore")
    work = given.workspace(root, lang, file)
    path = file_of(work.config, file) if kind_of(work.config, file) else given.lost_path(work, root, file)
    done = work.dismiss(path, dry_run=dry_run) if dismiss else work.restore(path, at, dry_run=dry_run)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def forget(
    what: Annotated[list[str], typer.Argument(help="The words, as one text: every entry that holds it goes.")],
    dry_run: DryRun = False,
    yes: Yes = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Forget for good: in every file, the archive, the history and the caches; it cannot be undone."""
    work = given.workspace(root, lang)
    words = " ".join(what)
    if dry_run or not yes:
        plan = work.forget(words, dry_run=True)
        code = forgetting.tell(plan, work.lang, as_json=json)
        if dry_run or plan.status != "planned" or not _asked(work.lang, json=json):
            raise typer.Exit(code if dry_run else 1)
    raise typer.Exit(forgetting.tell(work.forget(words), work.lang, as_json=json))


def _asked(lang: str, *, json: bool) -> bool:
    """Ask whoever sits at the terminal; without one nobody's word is guessed."""
    if json or not sys.stdin.isatty():
        raise ConfirmError("nobody is here to be asked", hint="look at it with --dry-run, then say --yes")
    if typer.confirm(say(lang)["forget"]):
        return True
    print(say(lang)["kept"])
    return False


def recover(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Finish or take back what a crashed process left half done; every other verb does so too before it writes."""
    work = given.workspace(root, lang)
    found = work.recover()
    if json:
        history.log_json(found)
    else:
        history.log_table(found, work, none="recovered")


def doctor(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Look whether the history is whole, and what this machine and file system can promise."""
    work = given.workspace(root, lang)
    raise typer.Exit(health.show(work.doctor(), as_json=json))
