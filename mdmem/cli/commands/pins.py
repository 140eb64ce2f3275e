"""Shows the pins as a table, or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from mdmem.cli import output
from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.parameters import DryRun, Json, Lang, Root
from mdmem.cli.table import columns, shorten, table
from mdmem.cli.terminal import Paint
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem.pins.model import Pin

_FEW = 6  # characters of a key, where they are enough to tell one from another


def print_pins(found: Sequence[Pin], lang: str, *, as_json: bool) -> None:
    """Print the pins, one a line; what is over is marked."""
    paint = Paint(sys.stdout)
    if as_json:
        output.json({"pins": [pin._asdict() for pin in found]})
        return
    if not found:
        print(say(lang, "cli.no-pins"))
        return
    short = len({pin.key[:_FEW] for pin in found}) == len(found)
    rows = [
        (
            pin.key[:_FEW] if short else pin.key,
            pin.type,
            f"{pin.until} {say(lang, 'cli.over')}" if pin.expired else pin.until,
            shorten(pin.source, max(16, columns() // 4)),
            f"{pin.title}: {pin.summary}" if pin.title else pin.summary,
        )
        for pin in found
    ]
    header = [say(lang, f"cli.{key}") for key in ("key", "type", "until", "source", "pin")]
    print("\n".join(table(header, rows, ("dim", "note", "", "path", ""), paint)))


pin = Group()

_NAME = "Pins by ^id, key or a piece of their text; `mdmem pin list` shows them."
_NAME_ZH = "钉子的 ^编号、名字或其中一段文字；`mdmem pin list` 会列出来。"
Ids = Annotated[list[str], Argument(help=_NAME, zh=_NAME_ZH)]
Type = Annotated[
    str,
    Option(
        "--type",
        "-t",
        help="constraint, path, command, code or conclusion.",
        zh="constraint、path、command、code 或 conclusion。",
    ),
]
Source = Annotated[
    str,
    Option(
        "--source",
        "-s",
        help="The proof: chat:SESSION#round, tool:ID or file:PATH#Lx.",
        zh="出处：chat:会话#轮次、tool:编号 或 file:路径#L行。",
    ),
]
Artifact = Annotated[
    str, Option("--artifact", "-a", help="The tool run that holds the whole of it.", zh="存着全文的那次工具运行。")
]
Ttl = Annotated[
    str, Option("--ttl", help="How long it holds: 7d, or «30 sessions».", zh="有效多久：7d，或「30 sessions」。")
]


@pin.command(zh="钉住一条；先查证出处。")
def add(
    title: Annotated[str, Argument(help="A few words.", zh="几个字的标题。")],
    summary: Annotated[str, Argument(help="What it says, in short.", zh="内容，简短地写。")],
    type: Type,  # noqa: A002 - published
    source: Source,
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Pin something; its source is looked up first."""
    work = parameters.workspace(root, lang)
    done = work.pin_add(type, title, summary, source, artifact=artifact or None, ttl=ttl or None)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@pin.command(zh="修改一条。")
def update(
    id: Annotated[str, Argument(help=_NAME, zh=_NAME_ZH)],  # noqa: A002 - published
    title: Annotated[str | None, Option("--title", help="Another title.", zh="新标题。")] = None,
    summary: Annotated[str | None, Option("--summary", help="Another text.", zh="新内容。")] = None,
    type: Type = "",  # noqa: A002
    source: Source = "",
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Change a pin."""
    work = parameters.workspace(root, lang)
    named = {"type": type, "source": source, "artifact": artifact, "ttl": ttl}
    changes = {key: value for key, value in named.items() if value}
    done = work.pin_update(id, title=title, summary=summary, **changes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@pin.command(zh="取下来；放进归档，`mdmem undo` 可以找回。")
def remove(ids: Ids, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Take pins down; they go to the archive, and `mdmem undo` brings them back."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.pin_remove(ids, dry_run=dry_run), work.lang, as_json=json, diff=True)


@pin.command(zh="从今天起重新计时。")
def renew(ids: Ids, ttl: Ttl = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Let pins hold from today on."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.pin_renew(ids, ttl or None), work.lang, as_json=json, diff=True)


@pin.command("list", zh="列出钉住的内容、出处和期限。")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List the pins: what, from where, until when."""

    work = parameters.workspace(root, lang)
    print_pins(work.pin_list(), work.lang, as_json=json)
