"""The parameters that commands share: options, fields, and texts from files or the standard input.

`json` and `datetime` are imported when needed: `search` imports this module at its start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from errno import errorcode
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, CallbackParam, Context, Option

from mdmem.cli import console
from mdmem.cli.grammar import completion
from mdmem.cli.usage import usage_error
from mdmem.errors import UnreadableFileError
from mdmem.messages.folders import languages

if TYPE_CHECKING:
    import datetime as dt


def inherited(ctx: Context, param: CallbackParam, value: Any) -> Any:  # noqa: ANN401 - any value of an option
    """Return the value of an option, or else the one that stands before the verb."""
    above, found = ctx.parent, value
    while above is not None and not found:
        found, above = above.params.get(param.name) or value, above.parent
    return found


def _known_language(ctx: Context, param: CallbackParam, value: str | None) -> str | None:
    """Return the language of a call; a folder of templates is a language.

    Raises:
        UsageError: there is no such folder.
    """
    lang: str | None = inherited(ctx, param, value)
    if lang and lang not in languages() and not ctx.resilient_parsing:
        raise usage_error("choices", option="--lang", choices=", ".join(languages()), value=lang)
    return lang


def _choose_color(value: str | None) -> None:
    if value:
        console.choose(value)


Color = Annotated[
    Literal["auto", "always", "never"] | None,
    Option("--color", "--colour", callback=_choose_color, expose_value=False),
]


def _widen(value: bool) -> None:  # noqa: FBT001 - typer calls it
    console.widen(value)


Wide = Annotated[bool, Option("--wide", callback=_widen, expose_value=False)]
Lang = Annotated[
    str | None,
    Option("--lang", callback=_known_language, autocompletion=languages, metavar="|".join(languages())),
]
Root = Annotated[str, Option("--root", callback=inherited)]
User = Annotated[str, Option("--user", callback=inherited)]
Json = Annotated[bool, Option("--json", callback=inherited)]
DryRun = Annotated[bool, Option("--dry-run")]
Plan = Annotated[bool, Option("--dry-run", "--plan")]  # of the verbs whose facade calls it a plan
Yes = Annotated[bool, Option("--yes", "-y")]
Agent = Annotated[str, Option("--agent")]
Actor = Annotated[str, Option("--actor")]
Limit = Annotated[int | None, Option("--limit", "-n", min=1)]
Backend = Annotated[
    Literal["rules", "command", "openai", "claude", "codex", "gemini", "agent"] | None, Option("--backend")
]
Prompt = Annotated[bool, Option("--prompt")]
Apply = Annotated[str, Option("--apply")]
File = Annotated[str, Argument(autocompletion=completion.memory_files)]
MaybeFile = Annotated[str, Argument(autocompletion=completion.memory_files)]
Expect = Annotated[str, Option("--expect")]


def fields(pairs: Sequence[str] | None) -> dict[str, str]:
    """Return `key=value` pairs as a dictionary.

    Raises:
        UsageError: a pair has another form.
    """
    found = {}
    for pair in pairs or ():
        key, joined, value = pair.partition("=")
        if not (key and joined):
            raise usage_error("no-field", field=pair)
        found[key] = value
    return found


def lines(source: str) -> list[str]:
    """Return the lines of a file, or of the standard input for `-`, without blank ones; none for no file."""
    return [line for line in text(source).splitlines() if line.strip()]


def text(source: str) -> str:
    """Return the UTF-8 text of a file, or of the standard input for `-`; an empty one for no file.

    Raises:
        UnreadableFileError: there is no such file, or it is not UTF-8.
    """
    try:
        return data(source).decode()
    except UnicodeDecodeError as error:
        raise usage_error("no-utf8", kind=UnreadableFileError, path=source) from error


def piped(given: str) -> str:
    """Return a text of the command line; `-` stands for the standard input."""
    return text("-").strip() if given == "-" else given


def data(source: str) -> bytes:
    """Return the bytes of a file, or of the standard input for `-`; none for no file.

    Raises:
        UnreadableFileError: there is no such file.
    """
    if not source:
        return b""
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        with open(source, "rb") as stream:
            return stream.read()
    except FileNotFoundError as error:
        raise usage_error("no-path", kind=UnreadableFileError, path=source) from error
    except OSError as error:
        reason = errorcode.get(error.errno or 0, "")
        raise usage_error("unreadable", kind=UnreadableFileError, path=source, reason=reason) from error


def decoded(source: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON value of a file, or of the standard input for `-`.

    Raises:
        UsageError: it is not valid JSON, or nested too deeply.
        UnreadableFileError: there is no such file, or it is not UTF-8.
    """
    return json_of(text(source), source)


def json_of(given: str, source: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text; `source` names it in the error.

    Raises:
        UsageError: it is not valid JSON, or nested too deeply.
    """
    from json import loads

    try:
        return loads(given)
    except (ValueError, RecursionError) as error:  # it is no JSON, nested too deeply, or has too long a number
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise usage_error("no-json", path=source, line=line, column=column) from error


def day(value: str) -> dt.date:
    """Return a day in the form 2026-02-13.

    Raises:
        UsageError: it has another form.
    """
    import datetime as dt

    try:
        return dt.date.fromisoformat(value)
    except ValueError as error:
        raise usage_error("no-day", value=value) from error


def share(value: str) -> float | None:
    """Read a number from 0 to 1; return None for an empty text.

    Raises:
        UsageError: it is not one.
    """
    try:
        found = float(value) if value else None
    except ValueError:
        found = -1.0
    if found is not None and not 0 <= found <= 1:
        raise usage_error("no-share", value=value)
    return found


def either(value: str | None, source: str, name: str) -> str:
    """Return a text from the command line or from a file.

    Raises:
        UsageError: neither or both were given.
    """
    if (value is None) is not bool(source):
        raise usage_error("either", name=name)
    return text(source) if value is None else value


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int:
    """Return the seconds of a duration such as `5m`; raises UsageError."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or len(number) > 6 or not int(number):
        raise usage_error("no-duration", value=text)
    return int(number) * _UNITS[unit]
