"""Turn the errors of typer into usage errors in the language of the call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from shlex import quote
from typing import Any, cast

from typer import Context, TyperException
from typer.core import TyperArgument, TyperGroup, TyperOption

from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.synopsis import option as written
from mdmem.cli.grammar.synopsis import path_of, shown, synopsis, with_example
from mdmem.cli.grammar.verbs import OPTIONS, VERBS
from mdmem.cli.usage import habitual, nearest, usage_error
from mdmem.errors import MdmemError, UsageError

_ONE_DASH = re.compile(r"-[a-z][a-z-]+(?:=.*)?", re.DOTALL)
_TAGS = ("--tag", "--tags")  # of verbs that write a text
_LIST = "list"  # the verb of a noun that lists its ids
_TEXTS = ("text", "texts")  # what the arguments are called in which such a verb takes it


@contextmanager
def refused(ctx: Context, words: Sequence[str]) -> Iterator[None]:
    """Raise an error of typer about the words of a command line as a `UsageError` of ours."""
    try:
        yield
    except TyperException as error:
        raise _refusal(error, ctx, words) from None


def flags_of(ctx: Context) -> Mapping[str, Any]:
    """Return the parameters of a command by their flags."""
    return {flag: one for one in ctx.command.get_params(ctx) for flag in one.opts if flag.startswith("-")}


def refuse_one_dash(ctx: Context, words: Sequence[str]) -> None:
    """Refuse a long option with a single dash, as `-fix`: typer would take its letters one by one."""
    options = flags_of(ctx)
    for word in words:
        if word == "--":
            return
        if _ONE_DASH.fullmatch(word) and (name := f"-{word.partition('=')[0]}") in options:
            raise _strange(ctx, word.partition("=")[0], name)


def _refusal(error: TyperException, ctx: Context, words: Sequence[str]) -> MdmemError:
    option, options = str(getattr(error, "option_name", "")), flags_of(ctx)
    if option[1:].isdecimal() and "-n" in options:
        return usage_error("no-option", f"-n {option[1:]}", option=option, program=ctx.command_path)
    if option and option not in options:
        return _no_option(option, ctx, words)
    if option:
        if getattr(options[option], "is_flag", False):
            return usage_error("no-value", option=option)
        usage = written(cast("TyperOption", options[option]))
        return usage_error("needs-value", option=option, usage=usage, program=ctx.command_path)
    parameter = cast("TyperArgument | TyperOption | None", getattr(error, "param", None))
    if parameter is None:
        return UsageError(error.format_message())
    return _of_parameter(error, parameter, ctx)


def _strange(ctx: Context, option: str, meant: str) -> MdmemError:
    """Return the error for an option that there is not: where a text may be meant, the hint tells it."""
    takes_text = any(isinstance(one, TyperArgument) for one in ctx.command.get_params(ctx))
    program = ctx.command_path
    return usage_error("strange-option" if takes_text else "no-option", meant, option=option, program=program)


def _no_option(option: str, ctx: Context, words: Sequence[str]) -> MdmemError:
    """Return the error for an option that a command does not have; the hint names the option or verb that is meant."""
    options, name = flags_of(ctx), option.lstrip("-").casefold()
    habits = habitual(name).split()
    meant = (*OPTIONS.get(option, "").split(), *habits, *(f"--{one}" for one in habits), f"-{name}")
    if word := next((one for one in meant if one in options), ""):
        return usage_error("no-option", word, option=option, program=ctx.command_path)
    behind = next((one for at, one in enumerate(words) if words[at - 1 : at] == [option]), "")
    writes = any(one.name in _TEXTS for one in ctx.command.get_params(ctx))
    if writes and {option, *habits}.intersection(_TAGS):
        return usage_error("tag-option", option=option, tag=behind.lstrip("#") or "NAME")
    named = {one.lstrip("-"): one for one in options}
    word = named.get(nearest(name, tuple(named)), "")
    if not word and name in VERBS:
        word = " ".join(("mdmem", name, *map(quote, filter(None, (behind,)))))
    if word:
        return usage_error("no-option", word, option=option, program=ctx.command_path)
    return _strange(ctx, option, "")


def _of_parameter(error: TyperException, parameter: TyperArgument | TyperOption, ctx: Context) -> MdmemError:
    """Return the error for a parameter that is missing, or whose value does not fit its type."""
    name = shown(parameter)
    if hasattr(error, "param_type"):
        if isinstance(ctx, Call) and ctx.params.get("file") and name != "FILE" and (found := _without_file(ctx)):
            return found
        if (parameter.metavar or parameter.name) in ("ID", "id") and (listing := _listing(ctx)):
            return usage_error("missing-id", parameter=name, usage=synopsis(ctx), listing=listing)
        return with_example(usage_error("missing", parameter=name, usage=synopsis(ctx)), ctx)
    refused = error.__cause__.errors()[0] if error.__cause__ else {}  # type: ignore[attr-defined]  # pydantic's
    value = refused.get("input", "")
    if choices := parameter.type_descriptor.choices:
        words = [str(one) for one in choices]
        return usage_error("choices", nearest(str(value), words), option=name, choices=", ".join(words), value=value)
    if refused.get("type") == "greater_than_equal":
        return usage_error("least", option=name, least=parameter.min, value=value)
    return usage_error("number", option=name, value=value)


def _listing(ctx: Context) -> str:
    """Return the call that lists what the verb takes an id of; empty if its noun has no such verb."""
    noun = cast("Context | None", ctx.parent)
    names = noun.command.list_commands(noun) if noun and isinstance(noun.command, TyperGroup) else ()
    return f"mdmem {path_of(noun)} {_LIST}" if noun and _LIST in names else ""


def _without_file(call: Call) -> MdmemError | None:
    """Return the error for an entry that stands where the file belongs; None if it is a file."""
    from mdmem.cli.grammar.missing_file import without_file

    text = call.params["file"]
    try:
        return None if call.is_file(text) else without_file(call, text, synopsis(call))
    except MdmemError:  # there is no workspace, or its settings are broken: the call is wrong in any case
        return None
