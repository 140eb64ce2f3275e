"""The pages of `--help`, drawn by rich.

typer has such pages too, but its tables cut a text that has no blanks, as Chinese has none, instead of folding it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from typer import Context
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from mdmem.cli.console import coloured, console, fold, width
from mdmem.cli.exit_codes import meaning
from mdmem.cli.grammar.synopsis import argument, needed, option
from mdmem.cli.grammar.verbs import CHAPTERS, DAILY
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

_COLUMNS = 100  # longer lines are hard to read
_MARGINS = 4  # columns before the names, and between them and their texts
_WIDEST = 26  # columns of names beside their texts; a longer name is folded

Row = tuple[str, str]


def help_page(command: TyperCommand | TyperGroup, ctx: Context, lang: str) -> str:
    """Return the page of a verb or a noun: usage, description, arguments, verbs, options."""
    parameters = command.get_params(ctx)
    arguments = [one for one in parameters if isinstance(one, TyperArgument)]
    options = [one for one in parameters if isinstance(one, TyperOption) and not one.hidden]
    page = Group(
        _usage(command, ctx, lang),
        Text(f"\n{command.help}"),
        *_section(say(lang, "cli.help.arguments"), [(argument(one), one.help or "") for one in arguments]),
        *_section(say(lang, "cli.help.verbs"), list(_verbs(command, ctx))),
        *_section(say(lang, "cli.help.options"), [(option(one), one.help or "") for one in options]),
    )
    return _drawn(page, ctx)


def overview(program: TyperGroup, ctx: Context, lang: str, *, every: bool) -> str:
    """Return the page of mdmem itself: the verbs of a day and the names of the others, or all verbs by chapter."""
    about = dict(_verbs(program, ctx))
    options = [one for one in program.get_params(ctx) if isinstance(one, TyperOption)]
    parts: list[RenderableType] = [_usage(program, ctx, lang), Text(f"\n{program.help}")]
    if every:
        for key, verbs in CHAPTERS.items():
            title = say(lang, f"help.chapter.{key}")
            parts += _section(title, [(verb.name, about[verb.name]) for verb in verbs])
    else:
        parts += _section(say(lang, "cli.help.daily"), [(name, about[name]) for name in DAILY])
        parts += _section(say(lang, "cli.help.others"), list(_chapters(lang)))
    parts += _section(say(lang, "cli.help.anywhere"), [(option(one), one.help or "") for one in options])
    if every:
        codes = [(str(int(code)), meaning(lang, code)) for code in ExitCode]
        parts += _section(say(lang, "cli.help.exits"), codes)
    return _drawn(Group(*parts), ctx)


def _drawn(page: RenderableType, ctx: Context) -> str:
    """Return the text of a page for typer to print; no line ends in the blanks with which rich fills its columns."""
    screen = console(sys.stdout)
    screen.width = min(get_terminal_size().columns, _COLUMNS)  # also in a pipe: help is text to read
    ctx.color = coloured(sys.stdout)
    with screen.capture() as text:
        screen.print(page)
    return "\n".join(line.rstrip() for line in text.get().splitlines())


def _usage(command: TyperCommand | TyperGroup, ctx: Context, lang: str) -> RenderableType:
    prefix = say(lang, "cli.help.usage")
    table = Table.grid()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(prefix), Text(" ".join([ctx.command_path, *_pieces(command, ctx, lang)])))
    return table


def _pieces(command: TyperCommand | TyperGroup, ctx: Context, lang: str) -> Iterator[str]:
    """Yield the words of the usage line: arguments, options that are required, and what else there may be."""
    yield from needed(command.get_params(ctx))
    if isinstance(command, TyperGroup):
        verb = say(lang, "cli.help.verb")
        yield f"[{verb}] …" if getattr(command, "default", "") else f"{verb} …"
    else:
        yield say(lang, "cli.help.optional")


def _verbs(command: TyperCommand | TyperGroup, ctx: Context) -> Iterator[Row]:
    if isinstance(command, TyperGroup):
        for name in command.list_commands(ctx):
            if found := command.get_command(ctx, name):
                yield name, found.short_help or ""


def _chapters(lang: str) -> Iterator[Row]:
    """Yield the title of each chapter, and those of its verbs that are not among the verbs of a day."""
    for key, verbs in CHAPTERS.items():
        yield say(lang, f"help.chapter.{key}"), ", ".join(verb.name for verb in verbs if verb.name not in DAILY)


def _breakable(name: str) -> str:
    """Return the name of an option in which a long list of choices breaks between them, and not inside a word."""
    return " ".join(_between_choices(word) if len(word) > _WIDEST else word for word in name.split(" "))


def _between_choices(word: str) -> str:
    lines = [""]
    for choice in re.findall(r"[^|]+\|?", word):
        lines += [""] if lines[-1] and len(lines[-1]) + len(choice) > _WIDEST else []
        lines[-1] += choice
    return "\n".join(lines)


def _section(title: str, rows: Sequence[Row]) -> Iterable[RenderableType]:
    if not rows:
        return ()
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="cyan", max_width=_WIDEST, overflow="fold")
    table.add_column(overflow="fold")
    names = min(_WIDEST, max(width(name) for name, _ in rows))
    room = min(get_terminal_size().columns, _COLUMNS) - names - _MARGINS
    for name, text in rows:
        table.add_row(Text(_breakable(name)), Text("\n".join(fold(text, room, 0))))
    return Text(f"\n{title}", style="bold"), Padding(table, (0, 0, 0, 2))
