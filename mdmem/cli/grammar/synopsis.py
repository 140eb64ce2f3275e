"""How a command and its parameters are written, for help and errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from typer import Context
from typer.core import TyperArgument, TyperOption

from mdmem.cli.language import current_language
from mdmem.errors import MdmemError
from mdmem.messages.catalog import label, say

_WORD = re.compile(r"[A-Za-z]+")
_CHOICES = 20  # columns of choices that are shown in place of a name


def synopsis(ctx: Context) -> str:
    """Return a command with its arguments and required options, as in `mdmem rm FILE ENTRIES…`."""
    path = ctx.parent.command_path if ctx.parent and ctx.command.hidden else ctx.command_path
    return " ".join([path, *needed(ctx.command.get_params(ctx))])


def with_example(error: MdmemError, ctx: Context) -> MdmemError:
    """Return an error with the call and an example of it as its hint, where the messages have an example."""
    path, lang = path_of(ctx), current_language()
    if words := label(lang, f"example.{path}", ""):
        error.hint = say(lang, "usage.example", usage=synopsis(ctx), example=f"mdmem {path} {words}")
    return error


def path_of(ctx: Context) -> str:
    """Return the words of a command behind `mdmem`."""
    return ctx.command_path.partition(" ")[2]


def needed(parameters: Sequence[object]) -> Iterator[str]:
    """Yield the arguments, those that may be left out in brackets, and the required options."""
    for one in parameters:
        if isinstance(one, TyperArgument):
            yield argument(one) if one.required else f"[{argument(one)}]"
    yield from (option(one) for one in parameters if isinstance(one, TyperOption) and one.required)


def shown(parameter: TyperArgument | TyperOption) -> str:
    """Return the name of a parameter: its first flag, or what an argument is called in the language of the call."""
    if parameter.param_type_name == "option":
        return parameter.opts[0]
    word = "-".join(_WORD.findall(parameter.metavar or parameter.name)).lower()
    return label(current_language(), f"argument.{word}", word.upper())


def argument(one: TyperArgument) -> str:
    """Return the name of an argument, with an ellipsis if it may be repeated."""
    return shown(one) + ("…" if one.nargs == -1 and not one.metavar else "")


def option(one: TyperOption) -> str:
    """Return the flags of an option, with the name of its value."""
    short = [flag for flag in one.opts if not flag.startswith("--")]
    long = [flag for flag in one.opts if flag.startswith("--")]
    flags = ", ".join([*short[:1], *long[:1]])
    return flags if one.is_flag else f"{flags} {_value(one, long or short)}"


def _value(one: Any, flags: Sequence[str]) -> str:  # noqa: ANN401 - an option of typer
    choices = "|".join(map(str, one.type_descriptor.choices or ()))
    if choices and len(choices) <= _CHOICES:
        return choices
    is_number = int in (one.type_descriptor.annotation, *getattr(one.type_descriptor.annotation, "__args__", ()))
    return str(one.metavar or ("N" if is_number else flags[0].lstrip("-").upper()))
