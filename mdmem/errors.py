"""Everything mdmem raises, as one tree.

MdmemError                  an operation stopped; code, facts and a hint (exit 3)
├─ UsageError               the call itself makes no sense (exit 2)
├─ WorkspaceNotFoundError   no memory folder here or above (exit 3)
├─ ConfigError              mdmem.toml or a template is wrong: file, line, valid keys (exit 4)
├─ UnreadableFileError      a file is no regular file, too large, or may not be read (exit 5)
├─ EditError                edits overlap, or leave the text (exit 6)
├─ VerificationError        a change would touch more than it names (exit 7)
├─ WriteError               the file could not be replaced; the old version stands (exit 8)
├─ GitError                 git is missing, refused, or this is no repository (exit 9)
├─ RefusedError             a text that the pen does not write: a secret, hidden text, an order (exit 10)
├─ ConflictError            the file moved on, and both changes touch the same thing (exit 11)
├─ TargetError              no such section, entry or text, or more than one (exit 12)
├─ LockedError              another writer held the file too long (exit 13)
├─ ConfirmError             the change needs a word first: it drops most of a file (exit 14)
├─ MemoryOffError           memory is switched off here (exit 15)
└─ ModelError               a keeper's model gave no answer (exit 16)

A finding about the user's text is a `Diagnostic`, never an exception. Messages say what, where and what next,
and carry no path outside the workspace. Doors map `exit_code` and `code`; nobody reads the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TypeAlias

Facts: TypeAlias = "Mapping[str, object] | None"


class ExitCode(IntEnum):
    """What a command ends with; `cli/exit_codes.py` says what each means."""

    OK = 0
    NOTHING = 1
    USAGE = 2
    STOPPED = 3
    CONFIG = 4
    UNREADABLE = 5
    EDIT = 6
    VERIFICATION = 7
    WRITE = 8
    GIT = 9
    REFUSED = 10
    CONFLICT = 11
    TARGET = 12
    LOCKED = 13
    CONFIRM = 14
    MEMORY_OFF = 15
    MODEL = 16
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class MdmemError(Exception):
    """The operation stopped; nothing was changed."""

    code = "mdmem-error"
    exit_code = ExitCode.STOPPED

    def __init__(self, message: str, *, hint: str = "", path: str = "", line: int = 0, facts: Facts = None) -> None:
        """Make an error.

        Args:
            message: what happened; with `facts`, a sentence with their names in braces.
            hint: what to do next, likewise.
            path: the file that it is about.
            line: the line, from 1; 0 for none.
            facts: what the sentences name, so that they can be said in another language.
        """
        self.template, self.hint_template, self.facts = message, hint, facts or {}
        self.message = message.format_map(facts) if facts else message
        self.hint = hint.format_map(facts) if facts else hint
        self.path = path
        self.line = line
        super().__init__(self.message)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}" if self.path else self.message


class UsageError(MdmemError):
    """The call itself makes no sense: an unknown verb, code, option or combination."""

    code = "usage"
    exit_code = ExitCode.USAGE


class WorkspaceNotFoundError(MdmemError):
    """Neither this folder nor one above it holds a memory workspace."""

    code = "workspace-not-found"


class ConfigError(MdmemError):
    """A settings file or a template is wrong; says the file, the line and the valid keys."""

    code = "config"
    exit_code = ExitCode.CONFIG


class UnreadableFileError(MdmemError):
    """A file is no regular file, is too large to read, or may not be read."""

    code = "unreadable-file"
    exit_code = ExitCode.UNREADABLE


class EditError(MdmemError):
    """Two edits overlap, or one leaves the text; none of them was applied."""

    code = "edit"
    exit_code = ExitCode.EDIT


class VerificationError(MdmemError):
    """A change would touch more of the file than it names; it was not written (law 2)."""

    code = "verification"
    exit_code = ExitCode.VERIFICATION


class WriteError(MdmemError):
    """The file could not be replaced; the version before stands, whole."""

    code = "write"
    exit_code = ExitCode.WRITE


class GitError(MdmemError):
    """Git is missing, refused the call, or this folder is no repository."""

    code = "git"
    exit_code = ExitCode.GIT


class RefusedError(MdmemError):
    """A text that the pen does not write: a secret, hidden text, an instruction override, a wall of raw output.

    `candidates` are what stands in its way, where that can be named.
    """

    code = "refused"
    exit_code = ExitCode.REFUSED

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        path: str = "",
        line: int = 0,
        facts: Facts = None,
        candidates: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.candidates = candidates


class ConflictError(MdmemError):
    """The file moved on since the caller saw it, and both changes touch the same thing; neither was written over."""

    code = "conflict"
    exit_code = ExitCode.CONFLICT

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        path: str = "",
        line: int = 0,
        facts: Facts = None,
        ours: str = "",
        theirs: str = "",
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.ours = ours
        self.theirs = theirs


class TargetError(MdmemError):
    """No such section, entry or text, or more than one; `candidates` are what may have been meant.

    `count` is how many there are: none, or too many. `near` is the one that a misspelt name most likely means.
    """

    code = "target"
    exit_code = ExitCode.TARGET

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        path: str = "",
        line: int = 0,
        facts: Facts = None,
        candidates: tuple[str, ...] = (),
        count: int = 0,
        near: str = "",
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.candidates = candidates
        self.count = count
        self.near = near


class LockedError(MdmemError):
    """Another writer held the file for longer than the time-out; nothing was changed."""

    code = "locked"
    exit_code = ExitCode.LOCKED


class ConfirmError(MdmemError):
    """The change needs a word first: it would drop most of what a file holds."""

    code = "confirm"
    exit_code = ExitCode.CONFIRM


class MemoryOffError(MdmemError):
    """Memory is switched off in this workspace: nothing is read or written (P038)."""

    code = "memory-off"
    exit_code = ExitCode.MEMORY_OFF


class ModelError(MdmemError):
    """A keeper's model gave no answer: not started, not reached, too slow, too long, or an error of its own.

    `retry_after` is how many seconds it asked to be left alone; 0 where it did not say.
    """

    code = "model"
    exit_code = ExitCode.MODEL

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        path: str = "",
        line: int = 0,
        facts: Facts = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.retry_after = retry_after


class OutOfTimeError(ModelError):
    """The time that several questions to models may take together is over; the model was not at fault."""


def exit_code(code: str) -> ExitCode:
    """Return the exit code that belongs to an error's code; OK for no error."""
    known: list[type[MdmemError]] = [MdmemError, *MdmemError.__subclasses__()]
    return next((error.exit_code for error in known if error.code == code), ExitCode.OK)


def warn_renamed(old: str, new: str) -> None:
    """Warn, at the line that called the caller of this function, that a public name is deprecated."""
    import warnings  # most programs never call this

    warnings.warn(f"`{old}` is deprecated; use `{new}`", DeprecationWarning, stacklevel=3)
