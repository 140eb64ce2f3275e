"""The verbs that take back and put right: undo, restore, recover, doctor, forget."""

from __future__ import annotations

import sys
from typing import Annotated

from mdmem.doors import forgetting, health, history
from mdmem.doors.declare import Argument, Option
from mdmem.doors.outcome import tell
from mdmem.doors.usage import wrong
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, File, Json, Lang, Root, Yes
from mdmem.doors.words import words as say
from mdmem.errors import ConfirmError, ExitCode
from mdmem.workspace.kinds import file_of, kind_of


def undo(
    id: Annotated[  # noqa: A002
        str, Argument(help="A change's id; without it, the last one.", zh="改动的编号；不写就是最近一次。")
    ] = "",
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Take a change back; what came after it stays. The undoing is a change too."""
    work = given.workspace(root, lang)
    return tell(work.undo(id or None, dry_run=dry_run), work.lang, as_json=json, diff=True)


def restore(
    file: File,
    at: Annotated[
        str,
        Option(
            "--at",
            help="A change's id, or a time: 2026-02-13, or '2026-02-13 21:30'.",
            zh="改动编号，或时间：2026-02-13、'2026-02-13 21:30'。",
        ),
    ] = "",
    dismiss: Annotated[
        bool,
        Option(
            "--dismiss",
            help="Restore nothing: the file, or all below a folder, is meant so.",
            zh="不找回：这个文件（或文件夹里的全部）本来就该这样。",
        ),
    ] = False,
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Bring a file back that was deleted or clobbered by hand; `mdmem undo` takes that back."""
    if dismiss and at:
        raise wrong("dismiss-at")
    work = given.workspace(root, lang, file)
    path = file_of(work.config, file) if kind_of(work.config, file) else given.lost_path(work, root, file)
    done = work.dismiss(path, dry_run=dry_run) if dismiss else work.restore(path, at, dry_run=dry_run)
    return tell(done, work.lang, as_json=json, diff=True)


def forget(
    what: Annotated[
        list[str],
        Argument(
            help="The words, as one text: every entry that holds it goes.", zh="要忘掉的文字：含有它的条目都会删去。"
        ),
    ],
    dry_run: DryRun = False,
    yes: Yes = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Forget for good: in every file, the archive, the history and the caches; it cannot be undone."""
    work = given.workspace(root, lang)
    words = " ".join(what)
    if dry_run or not yes:
        plan = work.forget(words, dry_run=True)
        code = forgetting.tell(plan, work.lang, as_json=json)
        if dry_run or plan.status != "planned" or not _asked(work.lang, json=json):
            return code if dry_run else ExitCode.NOTHING
    return forgetting.tell(work.forget(words), work.lang, as_json=json)


def _asked(lang: str, *, json: bool) -> bool:
    """Ask whoever sits at the terminal; without one nobody's word is guessed."""
    if json or not sys.stdin.isatty():
        raise wrong("nobody", kind=ConfirmError, look=" --dry-run")
    if given.confirmed(say(lang)["forget"], lang):
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


def doctor(root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Look whether the history is whole, and what this machine and file system can promise."""
    work = given.workspace(root, lang)
    return health.show(work.doctor(), as_json=json)
