"""The workspace that a command line means."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from errno import errorcode
from typing import TYPE_CHECKING, Annotated, Any

from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.usage import wrong
from mdmem.errors import UnreadableFileError, WorkspaceNotFoundError
from mdmem.messages.folders import languages

if TYPE_CHECKING:
    import datetime as dt

    from mdmem import Workspace


def opened(root: str | None, lang: str | None, start: str = ".") -> Workspace:
    """Return the workspace named, or the one found upwards from a folder.

    Raises:
        WorkspaceNotFoundError: there is none.
    """
    from mdmem import Workspace

    if root:
        return _kept(Workspace(folder(root), lang=lang))
    try:
        return _kept(Workspace.find(start, lang=lang))
    except WorkspaceNotFoundError as error:
        raise wrong("no-workspace", kind=WorkspaceNotFoundError, more="") from error


def folder(root: str) -> str:
    """Return the folder that `--root` names, or the current one.

    Raises:
        WorkspaceNotFoundError: there is no such folder.
    """
    if root and not os.path.isdir(root):
        raise wrong("no-root", kind=WorkspaceNotFoundError, path=root)
    return root or "."


_opened: list[Workspace] = []  # by this process; a command line opens one


def _kept(work: Workspace) -> Workspace:
    _opened.append(work)
    return work


def keep_settings() -> None:
    """Keep the settings and templates that were read in the user's cache, so that the next verb parses none."""
    for work in _opened:
        work.config.cache.save(complete=False)
    _opened.clear()


Lang = Annotated[str | None, Option("--lang", choices=languages())]
Root = Annotated[str, Option("--root")]
Json = Annotated[bool, Option("--json")]
DryRun = Annotated[bool, Option("--dry-run")]
Yes = Annotated[bool, Option("--yes", "-y")]
File = Annotated[str, Argument()]
MaybeFile = Annotated[str, Argument()]
Expect = Annotated[str, Option("--expect")]  # fmt: skip


def workspace(root: str, lang: str | None, file: str = "") -> Workspace:
    """Return the workspace named, the one that a file lies in, or the one found upwards from here."""
    folder = os.path.dirname(file)
    return opened(root, lang, folder if os.path.isdir(folder) else ".")


def path(work: Workspace, root: str, file: str) -> str:
    """Return a file's path from the root: the file of a kind, else a path from here or, with --root, from the root."""
    return work.file(meant(work, root, file))


def paths(work: Workspace, root: str, file: str) -> tuple[str, ...]:
    """Return the paths of all files that a name means; a kind may have several."""
    return work.files(meant(work, root, file))


def meant(work: Workspace, root: str, file: str) -> str:
    """Return what a journey over one or several files is asked for: a path from the root, or the name of a kind."""
    return _from_here(work, root, file) or file


def lost_path(work: Workspace, root: str, file: str) -> str:
    """Return what `meant` does, for a file that may be gone: named from here where it was a path from here."""
    found = meant(work, root, file)
    here = os.path.relpath(os.path.abspath(file), work.root).replace(os.sep, "/")
    known = (one.path for change in work.history.log() for one in change.files)
    return here if not root and found == file != here and here in known else found


def _from_here(work: Workspace, root: str, file: str) -> str:
    """Return the path of what is here on disk, counted from the root; empty for the name of a kind."""
    if root or (work.kind(file) and not os.path.isfile(file)):
        return ""
    if not (os.path.lexists(file) or os.path.isdir(os.path.dirname(file))):
        return ""
    return os.path.relpath(os.path.abspath(file), work.root).replace(os.sep, "/")


def fields(pairs: Sequence[str] | None) -> dict[str, str]:
    """Read `key=value` pairs.

    Raises:
        UsageError: one of them is none.
    """
    found = {}
    for pair in pairs or ():
        key, joined, value = pair.partition("=")
        if not (key and joined):
            raise wrong("no-field", field=pair)
        found[key] = value
    return found


def lines(place: str) -> list[str]:
    """Read one text a line from a file, or from the standard input for `-`; blank lines are left out."""
    return [line for line in text(place).splitlines() if line.strip()] if place else []


def text(place: str) -> str:
    """Read a text in UTF-8 from a file of the user's, or from the standard input for `-`.

    Raises:
        UnreadableFileError: there is no such file, or it is no UTF-8.
    """
    try:
        return data(place).decode()
    except UnicodeDecodeError as error:
        raise wrong("no-utf8", kind=UnreadableFileError, path=place) from error


def data(place: str) -> bytes:
    """Read the bytes of a file of the user's, or of the standard input for `-`.

    Raises:
        UnreadableFileError: there is no such file.
    """
    if place == "-":
        return sys.stdin.buffer.read()
    try:
        with open(place, "rb") as stream:
            return stream.read()
    except FileNotFoundError as error:
        raise wrong("no-path", kind=UnreadableFileError, path=place) from error
    except OSError as error:
        reason = errorcode.get(error.errno or 0, "")
        raise wrong("unreadable", kind=UnreadableFileError, path=place, reason=reason) from error


def decoded(place: str) -> Any:  # noqa: ANN401 - JSON is what it is; the caller checks
    """Read JSON from a file of the user's, or from the standard input for `-`.

    Raises:
        UsageError: it is none, or nested too deep to be read.
        UnreadableFileError: there is no such file, or it is no UTF-8.
    """
    from json import JSONDecodeError, loads

    try:
        return loads(text(place))
    except JSONDecodeError as error:
        raise wrong("no-json", path=place, line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise wrong("no-json", path=place, line=1, column=1) from error


def day(value: str) -> dt.date:
    """Read a day, as 2026-02-13.

    Raises:
        UsageError: it is none.
    """
    import datetime as dt

    try:
        return dt.date.fromisoformat(value)
    except ValueError as error:
        raise wrong("no-day", value=value) from error


def share(value: str) -> float | None:
    """Read a number from 0 to 1; None for an empty text.

    Raises:
        UsageError: it is none.
    """
    try:
        found = float(value) if value else None
    except ValueError:
        found = -1.0
    if found is not None and not 0 <= found <= 1:
        raise wrong("no-share", value=value)
    return found


def confirmed(question: str, lang: str) -> bool:
    """Ask whoever sits at the terminal; anything but a yes is a no."""
    from mdmem.messages.catalog import say

    answer = input(f"{question} [{say(lang, 'cli.yes-or-no')}] ")
    return answer.strip().casefold() in say(lang, "cli.yes-words").split()


def either(value: str | None, place: str, name: str) -> str:
    """Take a text from the command line or from a file.

    Raises:
        UsageError: neither was given, or both.
    """
    if (value is None) is not bool(place):
        raise wrong("either", name=name)
    return text(place) if value is None else value
