"""The parameters that commands share: the workspace, paths, fields, and texts from files or the standard input.

The facade, `json`, `datetime` and the messages are imported when needed: `search` imports this module at its start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from errno import errorcode
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, CallbackParam, Context, Option

from mdmem.cli import console
from mdmem.cli.grammar import completion
from mdmem.cli.grammar.usage import nearest, usage_error
from mdmem.cli.opened import opened
from mdmem.errors import ConfirmError, TargetError, UnreadableFileError, WorkspaceNotFoundError
from mdmem.messages.folders import languages

if TYPE_CHECKING:
    import datetime as dt

    from mdmem import Workspace


def open_workspace(root: str | None, lang: str | None, start: str = ".") -> Workspace:
    """Open the workspace of `--root`, or the one found upwards from a folder.

    Raises:
        WorkspaceNotFoundError: there is none.
    """
    from mdmem import Workspace

    named = folder(root) if root else ""
    try:
        work = Workspace(named, lang=lang) if named else Workspace.find(start, lang=lang)
    except WorkspaceNotFoundError as error:
        where = "" if start == "." else start
        raise usage_error("no-workspace", kind=WorkspaceNotFoundError, path=where, more="") from error
    opened(work.config)
    return work


def folder(root: str) -> str:
    """Return the folder that `--root` names, or the current one.

    Raises:
        WorkspaceNotFoundError: there is no such folder.
    """
    if root and not os.path.isdir(root):
        raise usage_error("no-root", kind=WorkspaceNotFoundError, path=root, folder=quote(root))
    return root or "."


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
Json = Annotated[bool, Option("--json", callback=inherited)]
DryRun = Annotated[bool, Option("--dry-run")]
Plan = Annotated[bool, Option("--dry-run", "--plan")]  # of the verbs whose facade calls it a plan
Yes = Annotated[bool, Option("--yes", "-y")]
Limit = Annotated[int | None, Option("--limit", "-n", min=1)]
Backend = Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")]
Prompt = Annotated[bool, Option("--prompt")]
Apply = Annotated[str, Option("--apply")]
File = Annotated[str, Argument(autocompletion=completion.memory_files)]
MaybeFile = Annotated[str, Argument(autocompletion=completion.memory_files)]
Expect = Annotated[str, Option("--expect")]  # fmt: skip


def workspace(root: str, lang: str | None, file: str = "") -> Workspace:
    """Open the workspace of `--root`, of a file, or the one found upwards from the current folder."""
    folder = os.path.dirname(file)
    return open_workspace(root, lang, folder if os.path.isdir(folder) else ".")


def lenient_workspace(
    root: str, lang: str | None, file: str = "", *, passes_over: Literal["keys", "file"] = "file"
) -> Workspace:
    """Open a workspace also if its settings have mistakes; tell these on the standard error."""
    from mdmem.cli.output import warn

    work = workspace(root, lang, file)
    work.config.lenient = passes_over
    _ = work.config.settings
    for mistake in work.config.mistakes:
        warn(mistake)
    return work


def tell_waiting(work: Workspace) -> None:
    """Print to standard error how many settings of the folder wait for trust, if any."""
    from mdmem.messages.catalog import say

    if work.config.trust_content is None or work.config.trusted:
        return
    if tables := work.trust_requests().tables:
        count = sum(len(rows) for rows in tables.values())
        print(say(work.lang, "cli.status.trust", count=count), file=sys.stderr)


def path(work: Workspace, root: str, file: str) -> str:
    """Return a file's path from the root, for a kind or a path; a path is relative to `--root` if that is given."""
    return work.file(known_name(work, root, file))


def paths(work: Workspace, root: str, file: str) -> tuple[str, ...]:
    """Return the paths of all files of a name; a kind may have several."""
    return work.files(known_name(work, root, file))


def known_name(work: Workspace, root: str, file: str) -> str:
    """Return the same as `path_or_kind`, unless it is one word that is neither a file nor a kind.

    Raises:
        TargetError: it is such a word.
    """
    name = path_or_kind(work, root, file)
    if name.isidentifier() and not work.kind(name) and not os.path.lexists(os.path.join(work.root, name)):
        kinds = work.config.schemas.kinds
        raise usage_error("no-kind", nearest(name, kinds), kind=TargetError, name=name, kinds=", ".join(kinds))
    return name


def path_or_kind(work: Workspace, root: str, file: str) -> str:
    """Return a path from the root, or the name of a kind unchanged."""
    return _existing_path(work, root, file) or file


def lost_path(work: Workspace, root: str, file: str) -> str:
    """Return the same as `path_or_kind` for a file that may not exist any more; the log is searched for its path."""
    found = path_or_kind(work, root, file)
    here = os.path.relpath(os.path.abspath(file), work.root).replace(os.sep, "/")
    known = (one.path for change in work.history.log() for one in change.files)
    return here if not root and found == file != here and here in known else found


def _existing_path(work: Workspace, root: str, file: str) -> str:
    """Return the path from the root of an existing file or folder; empty for the name of a kind."""
    if root or (work.kind(file) and not os.path.isfile(file)):
        return ""
    if not (os.path.lexists(file) or os.path.isdir(os.path.dirname(file))):
        return ""
    return os.path.relpath(os.path.abspath(file), work.root).replace(os.sep, "/")


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
    """Return the lines of a file, or of the standard input for `-`, without blank ones."""
    return [line for line in text(source).splitlines() if line.strip()] if source else []


def text(source: str) -> str:
    """Return the UTF-8 text of a file, or of the standard input for `-`.

    Raises:
        UnreadableFileError: there is no such file, or it is not UTF-8.
    """
    try:
        return data(source).decode()
    except UnicodeDecodeError as error:
        raise usage_error("no-utf8", kind=UnreadableFileError, path=source) from error


def data(source: str) -> bytes:
    """Return the bytes of a file, or of the standard input for `-`.

    Raises:
        UnreadableFileError: there is no such file.
    """
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


def confirmed(question: str, lang: str, *, json: bool, look: str = "") -> bool:
    """Ask the person at the terminal; return True only for a yes.

    Args:
        question: the question, without the choices.
        lang: the language of the choices.
        json: whether a program reads the output.
        look: the option that only shows what would happen, for the hint of the error.

    Raises:
        ConfirmError: there is no terminal, or a program reads the output.
    """
    if json or not sys.stdin.isatty():
        raise usage_error("nobody", kind=ConfirmError, look=look)
    from mdmem.messages.catalog import say

    answer = input(f"{question} [{say(lang, 'cli.yes-or-no')}] ")
    return answer.strip().casefold() in say(lang, "cli.yes-words").split()


def either(value: str | None, source: str, name: str) -> str:
    """Return a text from the command line or from a file.

    Raises:
        UsageError: neither or both were given.
    """
    if (value is None) is not bool(source):
        raise usage_error("either", name=name)
    return text(source) if value is None else value
