"""`mdmem inbox`: what waits, for room or for the user's word."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument, Group
from mdmem.doors.outcome import tell, tell_all
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import ExitCode

app = Group()

_HELP = "What waits, by the key that `mdmem inbox list` shows."
_HELP_ZH = "在等的内容，写 `mdmem inbox list` 列出的名字。"
Keys = Annotated[list[str], Argument(help=_HELP, zh=_HELP_ZH)]
MaybeKeys = Annotated[list[str] | None, Argument(help=_HELP, zh=_HELP_ZH)]


@app.command("list", zh="列出在等的内容。")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List what waits."""
    from mdmem.doors import waiting

    work = given.workspace(root, lang)
    waiting.show(work.inbox(), work.lang, as_json=json)


@app.command(zh="把在等的内容放到该去的地方；不写名字就处理 inbox.md 里打了勾的，或唯一在等的那条。")
def accept(keys: MaybeKeys = None, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Put what waits where it belongs; without a key what is ticked in inbox.md, or the only thing that waits."""
    work = given.workspace(root, lang)
    done = work.accept(keys or ())
    if not (done or keys):
        from mdmem.doors import waiting

        found = work.inbox()
        if len(found) != 1:
            waiting.show(found, work.lang, as_json=json)
            return ExitCode.NOTHING
        done = work.accept([found[0].key])
    return tell_all(done, work.lang, as_json=json)


@app.command(zh="从收件箱里拿掉，不放到任何地方。")
def reject(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Take what waits out of the inbox; it goes nowhere."""
    work = given.workspace(root, lang)
    return tell(work.reject(keys), work.lang, as_json=json, diff=True)
