"""Parameters of commands, and the parser of the words after a verb.

The tables of `lint` and `search` are here, so that their start reads no annotations. The other verbs declare their
options in the annotations of their functions (`cli/parser/declare.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any, NamedTuple

from mdmem.cli.parser.usage import nearest, usage_error
from mdmem.errors import MdmemError
from mdmem.messages.folders import languages


class Parameter(NamedTuple):
    """An option, or a positional argument if it has no flag."""

    name: str
    flags: tuple[str, ...]
    type: str  # flag, text, texts, number, choice
    choices: tuple[str, ...] = ()
    min: int | None = None
    required: bool = False
    default: object = None
    metavar: str = ""


FORMATS = ("text", "json", "github", "sarif")
ROOT = Parameter("root", ("--root",), "text")  # fmt: skip
LANG = Parameter("lang", ("--lang",), "choice", languages())
JSON = Parameter("json", ("--json",), "flag")
VERSION = Parameter("version", ("--version", "-V"), "flag")
GLOBAL = (LANG, ROOT, JSON, VERSION)  # allowed before the verb too
# Options of every command.
COMMON = (
    Parameter("color", ("--color", "--colour"), "choice", ("auto", "always", "never")),
    Parameter("help", ("--help", "-h"), "flag"),
)  # fmt: skip

LINT = (
    Parameter("paths", (), "texts"),
    Parameter("fix", ("--fix",), "flag"),
    Parameter("diff", ("--diff",), "flag"),
    Parameter("staged", ("--staged",), "flag"),
    Parameter("select", ("--select",), "texts"),
    Parameter("ignore", ("--ignore",), "texts"),
    Parameter("fail_on", ("--fail-on",), "choice", ("error", "warning", "note")),
    Parameter("format", ("--format",), "choice", FORMATS),
    Parameter("json", ("--json",), "flag"),
    Parameter("stdin_filename", ("--stdin-filename",), "text"),
    Parameter("jobs", ("--jobs", "-j"), "number", (), 1),
    ROOT,
    LANG,
    Parameter("no_cache", ("--no-cache",), "flag"),
    Parameter("quiet", ("--quiet", "-q"), "flag"),
)  # fmt: skip

SEARCH = (
    Parameter("words", (), "texts"),
    Parameter("kind", ("--kind",), "texts"),
    Parameter("since", ("--since",), "text"),
    Parameter("until", ("--until",), "text"),
    Parameter("tag", ("--tag",), "texts"),
    Parameter("agent", ("--agent",), "text"),
    Parameter("within", ("--in",), "choice", ("all", "archive")),
    Parameter("session", ("--session",), "text"),
    Parameter("role", ("--role",), "choice", ("user", "assistant", "tool", "system")),
    Parameter("tool", ("--tool",), "text"),
    Parameter("limit", ("--limit", "-n"), "number", (), 1),
    JSON,
    ROOT,
    LANG,
)  # fmt: skip
TABLES = {"lint": LINT, "search": SEARCH}
_TEXT = "\0"  # before a text that begins with a bullet, which `getopt` would take for an option; no argument has a NUL


def parse(parameters: Sequence[Parameter], arguments: Sequence[str], verb: str) -> dict[str, Any]:
    """Return the values of the words after a verb, in GNU syntax: options at any position, `--name=value`, `-qj2`.

    Raises:
        UsageError: an option is unknown, has no value or an invalid one; an argument is missing or superfluous.
    """
    known = (*parameters, *COMMON)
    named = {flag: one for one in known for flag in one.flags}
    values: dict[str, Any] = {one.name: False if one.type == "flag" else one.default for one in known}
    texts = [f"{_TEXT}{word}" if word.startswith("- ") else word for word in arguments]
    try:
        options, words = gnu_getopt(texts, *_getopt_names(named))
    except GetoptError as error:
        raise _option_error(error.opt, named, verb) from None
    for flag, given in options:
        option, value = named[flag], given.removeprefix(_TEXT)
        if option.type == "flag":
            values[option.name] = True
        elif option.type == "texts":
            values[option.name] = [*(values[option.name] or ()), value]
        else:
            values[option.name] = _value(option, value if flag.startswith("--") else value.removeprefix("="))
    if not values["help"]:
        _assign_arguments(parameters, [word.removeprefix(_TEXT) for word in words], values, verb)
        _require(parameters, values, verb)
    return values


def leading(parameters: Sequence[Parameter], arguments: Sequence[str]) -> int:
    """Return the number of words before the first argument: options and their values."""
    named = {flag: one for one in (*parameters, *COMMON) for flag in one.flags}
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] not in ("-", "--"):
        option = named.get(arguments[at])
        at += 2 if option and option.type != "flag" else 1
    return min(at, len(arguments))


def _getopt_names(named: Mapping[str, Parameter]) -> tuple[str, list[str]]:
    """Return the letters and the names of the options for `getopt`; `:` and `=` mark those with a value."""
    letters = [flag[1:] + ":" * (one.type != "flag") for flag, one in named.items() if not flag.startswith("--")]
    names = [flag[2:] + "=" * (one.type != "flag") for flag, one in named.items() if flag.startswith("--")]
    return "".join(letters), names


def _option_error(name: str, named: Mapping[str, Parameter], verb: str) -> MdmemError:
    """Return the error for an option that `getopt` refused, by its name without dashes."""
    flag = f"--{name}" if len(name) > 1 else f"-{name}"
    if flag not in named:
        return usage_error("no-option", nearest(flag, tuple(named)), option=flag, verb=verb)
    return usage_error("no-value" if named[flag].type == "flag" else "needs-value", option=flag)


def _assign_arguments(parameters: Sequence[Parameter], words: Sequence[str], values: dict[str, Any], verb: str) -> None:
    """Assign the arguments to the parameters without a flag, in order; a list takes the rest."""
    left = list(words)
    for parameter in parameters:
        if not parameter.flags and parameter.type == "texts":
            values[parameter.name], left = left or parameter.default or [], []
        elif not parameter.flags and left:
            values[parameter.name] = _value(parameter, left.pop(0))
    if left:
        raise usage_error("too-many", argument=left[0], verb=verb)


def _require(parameters: Sequence[Parameter], values: Mapping[str, Any], verb: str) -> None:
    """Refuse a call without a required parameter."""
    for parameter in parameters:
        if parameter.required and values[parameter.name] in (None, [], ()):
            raise usage_error("missing", parameter=shown(parameter), verb=verb)


def _value(option: Parameter, value: str) -> Any:  # noqa: ANN401 - the type depends on the option
    if option.choices and value not in option.choices:
        raise usage_error("choices", option=shown(option), choices=", ".join(option.choices), value=value)
    if option.type != "number":
        return value
    digits = value[1:] if value[:1] in ("-", "+") else value
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 15:
        raise usage_error("number", option=shown(option), value=value)
    if option.min is not None and int(value) < option.min:
        raise usage_error("least", option=shown(option), least=option.min, value=value)
    return int(value)


def shown(parameter: Parameter) -> str:
    """Return the name of a parameter for a person: its first flag, or its name in capitals."""
    return (
        parameter.flags[0]
        if parameter.flags
        else parameter.metavar or parameter.name.rstrip("_").upper().replace("_", "-")
    )


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
