"""`mdmem attach`: files and links that somebody gave, and their records."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from mdmem.cli import output
from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.options import split
from mdmem.cli.parser.parameters import DryRun, Json, Lang, Root
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint, safe
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Attachment

attach = Group()

Id = Annotated[str, Argument()]


@attach.alone
def add(
    source: Annotated[str, Argument()],
    direction: Annotated[Literal["inbound", "outbound"], Option("--direction")] = "inbound",
    description: Annotated[str, Option("--description", "-d")] = "",
    transcription: Annotated[str, Option("--transcription")] = "",
    text_file: Annotated[str, Option("--text-file")] = "",
    session: Annotated[str, Option("--session")] = "",
    tags: Annotated[list[str] | None, Option("--tags")] = None,
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Attach a file or a link."""
    work = parameters.workspace(root, lang)
    done = work.attach(
        source, direction=direction, description=description, transcription=transcription,
        text=parameters.text(text_file) if text_file else "", session=session, tags=split(tags) or (), dry_run=dry_run,
    )  # fmt: skip
    return print_outcome(done, work.lang, as_json=json)


@attach.command()
def describe(
    id: Id,  # noqa: A002 - a published name
    text: Annotated[str, Argument()],
    section: Annotated[Literal["description", "transcription", "text"], Option("--section")] = "description",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Replace a text of a record."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.attachments.describe(id, text, section=section), work.lang, as_json=json, diff=True)


@attach.command("list")
def list_(
    direction: Annotated[str, Option("--direction")] = "",
    session: Annotated[str, Option("--session")] = "",
    tag: Annotated[str, Option("--tag")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List attachments."""
    work = parameters.workspace(root, lang)
    found, loose = (
        work.attachments.list(direction=direction, session=session, tag=tag),
        work.attachments.without_record(),
    )
    if json:
        output.json({"attachments": [asdict(one) for one in found], "without_record": list(loose)})
        return
    if not found:
        print(say(work.lang, "attach.empty"))
    else:
        rows = [(one.created_at[:10], one.direction, one.id, _line(one)) for one in found]
        header = [say(work.lang, f"attach.head-{name}") for name in ("day", "direction", "id", "text")]
        print("\n".join(table(header, rows, ("dim", "note", "path", ""), Paint(sys.stdout))))
    if loose:
        print(safe(say(work.lang, "attach.no-record", names=", ".join(loose))), file=sys.stderr)


@attach.command()
def show(id: Id, root: Root = "", json: Json = False, lang: Lang = None) -> int:  # noqa: A002 - a published name
    """Show a record."""
    work = parameters.workspace(root, lang)
    found = work.attachments.show(id)
    if json:
        output.json(asdict(found))
    else:
        print("\n".join(map(safe, work.read(found.path).text.rstrip("\n").split("\n"))))
    return ExitCode.OK


def _line(one: Attachment) -> str:
    return " ".join((one.description or one.transcription or one.text or one.original_filename).split())
