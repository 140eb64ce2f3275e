"""Turn the errors of typer into usage errors in the language of the call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from typer import Context, TyperException
from typer.core import TyperArgument, TyperOption

from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.synopsis import option as written
from mdmem.cli.grammar.synopsis import shown, synopsis, with_example
from mdmem.cli.grammar.verbs import OPTIONS
from mdmem.cli.usage import nearest, usage_error
from mdmem.errors import MdmemError, UsageError


@contextmanager
def refused(ctx: Context) -> Iterator[None]:
    """Raise an error of typer about the words of a command line as a `UsageError` of ours."""
    try:
        yield
    except TyperException as error:
        raise _refusal(error, ctx) from None


def _refusal(error: TyperException, ctx: Context) -> MdmemError:
    option = str(getattr(error, "option_name", ""))
    options = {flag: one for one in ctx.command.get_params(ctx) for flag in one.opts if flag.startswith("-")}
    if option[1:].isdecimal() and "-n" in options:
        return usage_error("no-option", f"-n {option[1:]}", option=option, program=ctx.command_path)
    if option and option not in options:
        meant = (one for one in OPTIONS.get(option, "").split() if one in options)
        word = next(meant, "") or nearest(option, tuple(options))
        takes_text = any(isinstance(one, TyperArgument) for one in ctx.command.get_params(ctx))
        if takes_text and not word:
            return usage_error("strange-option", option=option, program=ctx.command_path)
        return usage_error("no-option", word, option=option, program=ctx.command_path)
    if option:
        if getattr(options[option], "is_flag", False):
            return usage_error("no-value", option=option)
        usage = written(cast("TyperOption", options[option]))
        return usage_error("needs-value", option=option, usage=usage, program=ctx.command_path)
    parameter = cast("TyperArgument | TyperOption | None", getattr(error, "param", None))
    if parameter is None:
        return UsageError(error.format_message())
    return _of_parameter(error, parameter, ctx)


def _of_parameter(error: TyperException, parameter: TyperArgument | TyperOption, ctx: Context) -> MdmemError:
    """Return the error for a parameter that is missing, or whose value does not fit its type."""
    name = shown(parameter)
    if hasattr(error, "param_type"):
        if isinstance(ctx, Call) and ctx.params.get("file") and name != "FILE" and (found := _without_file(ctx)):
            return found
        return with_example(usage_error("missing", parameter=name, usage=synopsis(ctx)), ctx)
    refused = error.__cause__.errors()[0] if error.__cause__ else {}  # type: ignore[attr-defined]  # pydantic's
    value = refused.get("input", "")
    if choices := parameter.type_descriptor.choices:
        words = [str(one) for one in choices]
        return usage_error("choices", nearest(str(value), words), option=name, choices=", ".join(words), value=value)
    if refused.get("type") == "greater_than_equal":
        return usage_error("least", option=name, least=parameter.min, value=value)
    return usage_error("number", option=name, value=value)


def _without_file(call: Call) -> MdmemError | None:
    """Return the error for an entry that stands where the file belongs; None if it is a file."""
    from mdmem.cli.grammar.missing_file import without_file

    text = call.params["file"]
    try:
        return None if call.is_file(text) else without_file(call, text, synopsis(call))
    except MdmemError:  # there is no workspace, or its settings are broken: the call is wrong in any case
        return None
