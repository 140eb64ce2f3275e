"""Turn the errors of typer into usage errors in the language of the call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from typer import Context, TyperException
from typer.core import TyperArgument, TyperOption

from mdmem.cli.grammar.usage import nearest, usage_error
from mdmem.errors import MdmemError, UsageError


@contextmanager
def refused(ctx: Context) -> Iterator[None]:
    """Raise an error of typer about the words of a command line as a `UsageError` of ours."""
    try:
        yield
    except TyperException as error:
        raise _refusal(error, ctx) from None


def _refusal(error: TyperException, ctx: Context) -> MdmemError:
    verb, option = path_of(ctx), str(getattr(error, "option_name", ""))
    options = {flag: one for one in ctx.command.get_params(ctx) for flag in one.opts if flag.startswith("-")}
    if option and option not in options:
        return usage_error("no-option", nearest(option, tuple(options)), option=option, verb=verb)
    if option:
        is_flag = getattr(options[option], "is_flag", False)
        return usage_error("no-value" if is_flag else "needs-value", option=option)
    parameter = cast("TyperArgument | TyperOption | None", getattr(error, "param", None))
    if parameter is None:
        return UsageError(error.format_message())
    return _of_parameter(error, parameter, verb)


def _of_parameter(error: TyperException, parameter: TyperArgument | TyperOption, verb: str) -> MdmemError:
    """Return the error for a parameter that is missing, or whose value does not fit its type."""
    name = shown(parameter)
    if hasattr(error, "param_type"):
        return usage_error("missing", parameter=name, verb=verb)
    refused = error.__cause__.errors()[0] if error.__cause__ else {}  # type: ignore[attr-defined]  # pydantic's
    value = refused.get("input", "")
    if choices := parameter.type_descriptor.choices:
        return usage_error("choices", option=name, choices=", ".join(map(str, choices)), value=value)
    if refused.get("type") == "greater_than_equal":
        return usage_error("least", option=name, least=parameter.min, value=value)
    return usage_error("number", option=name, value=value)


def shown(parameter: TyperArgument | TyperOption) -> str:
    """Return the name of a parameter for a person: its first flag, or its name in capitals."""
    if parameter.param_type_name == "option":
        return parameter.opts[0]
    return (parameter.metavar or parameter.name.rstrip("_").upper().replace("_", "-")).removesuffix("…")


def path_of(ctx: Context) -> str:
    """Return the words of a command behind `mdmem`."""
    return ctx.command_path.partition(" ")[2]
