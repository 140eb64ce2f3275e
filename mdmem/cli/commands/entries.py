"""The verbs that change a file: add, edit, rm, tick, write, mv."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.parameters import DryRun, Expect, File, Json, Lang, Root, Yes

Entries = Annotated[
    list[str],
    Argument(
        help="Entries by key, ^id or a piece of their text; `show` lists them.",
        zh="条目的名字、^编号或其中一段文字；`show` 会列出来。",
    ),
]
OneEntry = Annotated[
    str,
    Argument(
        help="An entry by key, ^id or a piece of its text; `show` lists them.",
        zh="条目的名字、^编号或其中一段文字；`show` 会列出来。",
    ),
]


def add(
    file: File,
    texts: Annotated[
        list[str] | None, Argument(help="Entries to add, one each.", zh="要添加的条目，一个参数一条。")
    ] = None,
    section: Annotated[
        str | None, Option("--section", "-s", help="The section, or an alias of it.", zh="小节名，或它的别名。")
    ] = None,
    field: Annotated[
        list[str] | None,
        Option("--field", "-f", help="A field, as in source=chat:42.", zh="字段，例如 source=chat:42。"),
    ] = None,
    batch: Annotated[
        str,
        Option(
            "--batch",
            help="A file with one entry a line; `-` reads them from a pipe.",
            zh="每行一条的文件；`-` 从管道读。",
        ),
    ] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries at the end of a section; where it is full they wait in inbox.md."""
    work = parameters.workspace(root, lang, file)
    said = [*(texts or ()), *parameters.lines(batch)]
    done = work.add(parameters.path(work, root, file), said, section=section, fields=parameters.fields(field))
    return print_outcome(done, work.lang, as_json=json, diff=True)


def remember(
    text: Annotated[str, Argument(help="What to remember, in one sentence.", zh="要记住的一句话。")],
    kind: Annotated[
        Literal["promise", "rule", "preference", "event", "fact"] | None,
        Option("--as", help="What it is, where the words do not tell.", zh="它是哪一类；从字面看不出来时用。"),
    ] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add a memory without naming a file; says where it went, why, and how to move it."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.remember(text, kind=kind), work.lang, as_json=json, diff=True)


def today(
    texts: Annotated[list[str], Argument(help="Entries to add, one each.", zh="要添加的条目，一个参数一条。")],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add entries to the daily file of today."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.add(parameters.path(work, root, "daily"), texts), work.lang, as_json=json, diff=True)


def edit(
    file: File,
    old: Annotated[
        str | None,
        Option(
            "--old", help="The text to replace; it stands in the file once.", zh="要替换的文字，在文件里只能出现一次。"
        ),
    ] = None,
    new: Annotated[
        str | None, Option("--new", help="The text to put there; empty deletes.", zh="换成的文字；留空就是删去。")
    ] = None,
    old_file: Annotated[
        str, Option("--old-file", help="Read the old text from a file.", zh="从文件读要替换的文字。")
    ] = "",
    new_file: Annotated[
        str, Option("--new-file", help="Read the new text from a file.", zh="从文件读换成的文字。")
    ] = "",
    yes: Yes = False,
    expect: Expect = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Replace a text that is in a file exactly once; dropping more than half of the file needs --yes."""
    work = parameters.workspace(root, lang, file)
    before, after = parameters.either(old, old_file, "old"), parameters.either(new, new_file, "new")
    done = work.edit(parameters.path(work, root, file), before, after, expect=expect or None, confirm=yes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def rm(
    file: File, entries: Entries, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Take entries out of a file; `mdmem undo` brings them back."""
    work = parameters.workspace(root, lang, file)
    done = work.remove(parameters.path(work, root, file), entries, dry_run=dry_run)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def tick(
    file: File,
    entry: OneEntry,
    undo: Annotated[bool, Option("--undo", help="Mark it as not done.", zh="取消完成标记。")] = False,
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
    """Write a file, whole, from the standard input; what drops more than half of it needs --yes."""
    work = parameters.workspace(root, lang, file)
    done = work.write(parameters.path(work, root, file), parameters.text("-"), expect=expect or None, confirm=yes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def mv(
    file: File,
    new: Annotated[
        str, Argument(help="Its new name or place, from the root.", zh="新的名字或位置，从工作区根目录算起。")
    ],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Give a file another name or place; a file that stands there is left alone."""
    work = parameters.workspace(root, lang, file)
    return print_outcome(work.rename(parameters.path(work, root, file), new), work.lang, as_json=json)
