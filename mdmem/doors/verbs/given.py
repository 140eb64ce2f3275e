"""What the verbs have in common: their options, the workspace meant, and a path as a person writes it from here."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from mdmem.errors import UnreadableFileError, UsageError, WorkspaceNotFoundError
from mdmem.workspace import Workspace
from mdmem.workspace.kinds import file_of, files_of, kind_of

Lang = Annotated[Literal["zh", "en"] | None, typer.Option("--lang", help="The language of messages and new files.")]
Root = Annotated[str, typer.Option("--root", help="The workspace; without it, the one found upwards from here.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
File = Annotated[str, typer.Argument(help="A memory file, or a kind: `memory`, `daily` for today.", show_default=False)]
MaybeFile = Annotated[str, typer.Argument(help="A memory file, or a kind.", show_default=False)]
Expect = Annotated[
    str, typer.Option("--expect", help="The digest of the version you saw, as in `mdmem show --json`.")
]  # fmt: skip


def workspace(root: str, lang: str | None, file: str = "") -> Workspace:
    """Give the workspace named, the one that a file lies in, or the one found upwards from here."""
    if root:
        if not os.path.isdir(root):
            raise WorkspaceNotFoundError("there is no such folder", path=root, hint="`mdmem init` makes one")
        return Workspace(root, lang=lang)
    folder = os.path.dirname(file)
    return Workspace.find(folder if os.path.isdir(folder) else ".", lang=lang)


def path(work: Workspace, root: str, file: str) -> str:
    """Return a file's path from the root: the file of a kind, else a path from here or, with --root, from the root."""
    return file_of(work.config, meant(work, root, file))


def paths(work: Workspace, root: str, file: str) -> tuple[str, ...]:
    """Return the paths of all files that a name means; a kind may have several."""
    return files_of(work.config, meant(work, root, file))


def meant(work: Workspace, root: str, file: str) -> str:
    """Return what a journey over one or several files is asked for: a path from the root, or the name of a kind."""
    return _from_here(work, root, file) or file


def lost_path(work: Workspace, root: str, file: str) -> str:
    """Return what `meant` does, for a file that may be gone: named from here where it was a path from here."""
    found = meant(work, root, file)
    here = os.path.relpath(os.path.abspath(file), work.root).replace(os.sep, "/")
    known = (one.path for change in work.log() for one in change.files)
    return here if not root and found == file != here and here in known else found


def _from_here(work: Workspace, root: str, file: str) -> str:
    """Return the path of what is here on disk, counted from the root; empty for the name of a kind."""
    if root or (kind_of(work.config, file) and not os.path.isfile(file)):
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
            raise UsageError(f"`{pair}` is no field", hint="write it as --field key=value")
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
        if place == "-":
            return sys.stdin.buffer.read().decode()
        with open(place, "rb") as stream:
            return stream.read().decode()
    except OSError as error:
        raise UnreadableFileError(f"could not be read: {error.strerror}", path=place) from error
    except UnicodeDecodeError as error:
        raise UnreadableFileError("is no UTF-8", path=place, hint="save it as UTF-8") from error


def either(value: str | None, place: str, name: str) -> str:
    """Take a text from the command line or from a file.

    Raises:
        UsageError: neither was given, or both.
    """
    if (value is None) is not bool(place):
        raise UsageError(f"give either --{name} or --{name}-file")
    return text(place) if value is None else value
