"""The exceptions of mdmem and their exit codes.

MdmemError                  an operation stopped; code, facts and a hint (exit 3)
├─ UsageError               the call is invalid (exit 2)
├─ WorkspaceNotFoundError   no memory folder here or above (exit 3)
├─ ConfigError              mdmem.toml or a template is invalid: file, line, valid keys (exit 4)
├─ UnreadableFileError      a file is not a regular file, too large, or not readable (exit 5)
├─ EditError                edits overlap, or are outside the text (exit 6)
├─ VerificationError        a change would affect more than it names (exit 7)
├─ WriteError               the file could not be replaced and is unchanged (exit 8)
├─ GitError                 git is missing or refused, or this is not a repository (exit 9)
├─ RefusedError             the gate refused a text: a secret, hidden text, a prompt injection (exit 10)
├─ ConflictError            the file changed, and both changes affect the same text (exit 11)
├─ TargetError              no section, entry or text matches, or more than one (exit 12)
├─ LockedError              another writer kept the lock too long (exit 13)
├─ ConfirmError             the change needs confirmation: it removes most of a file (exit 14)
├─ MemoryOffError           memory is switched off here (exit 15)
└─ ModelError               a model gave no usable answer (exit 16)

A finding about the user's text is a `Diagnostic`, never an exception. Messages say what, where and what next, and
contain no path outside the workspace. Interfaces use `exit_code` and `code`, never the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Literal, TypeAlias

Facts: TypeAlias = "Mapping[str, object] | None"
# Why a model gave no answer: its program is not there, nobody is signed in, its quota is used up, no network, too slow,
# no usable answer, the budget of the day is spent.
FailureKind: TypeAlias = Literal["absent", "sign-in", "quota", "network", "time", "junk", "spent", "other"]


class ExitCode(IntEnum):
    """The exit code of a command; `cli/exit_codes.py` describes each."""

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
    """The operation failed; nothing was changed."""

    code = "mdmem-error"
    exit_code = ExitCode.STOPPED

    def __init__(self, message: str, *, hint: str = "", path: str = "", line: int = 0, facts: Facts = None) -> None:
        """Create an error.

        Args:
            message: what happened; with `facts`, a template with their names in braces.
            hint: what to do next; also a template.
            path: the file concerned.
            line: the line, from 1; 0 for none.
            facts: the values in the templates, so that the message can be translated.
        """
        self.template, self.hint_template, self.facts = message, hint, facts or {}
        self.message = message.format_map(facts) if facts else message
        self.hint = hint.format_map(facts) if facts else hint
        self.path = path
        self.line = line
        super().__init__(self.message)

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else self.path
        return f"{location}: {self.message}" if self.path else self.message


class UsageError(MdmemError):
    """The call is invalid: an unknown verb, code, option or combination."""

    code = "usage"
    exit_code = ExitCode.USAGE


class WorkspaceNotFoundError(MdmemError):
    """Neither this folder nor a parent is a memory workspace."""

    code = "workspace-not-found"


class ConfigError(MdmemError):
    """A settings file or a template is invalid; names the file, the line and the valid keys."""

    code = "config"
    exit_code = ExitCode.CONFIG


class UnreadableFileError(MdmemError):
    """A file is not a regular file, is too large, or is not readable."""

    code = "unreadable-file"
    exit_code = ExitCode.UNREADABLE


class EditError(MdmemError):
    """Two edits overlap, or one is outside the text; none of them was applied."""

    code = "edit"
    exit_code = ExitCode.EDIT


class VerificationError(MdmemError):
    """A change would affect more of the file than it names; it was not written (law 2)."""

    code = "verification"
    exit_code = ExitCode.VERIFICATION


class WriteError(MdmemError):
    """The file could not be replaced; it is unchanged."""

    code = "write"
    exit_code = ExitCode.WRITE


class UnfinishedError(WriteError):
    """The change is made in whole or in part, and the disk refused the rest; a recovery completes it or undoes it."""


class FileFullError(WriteError):
    """The file has no room for what was to be added; it is unchanged."""


class GitError(MdmemError):
    """Git is missing or refused the call, or this folder is not a repository."""

    code = "git"
    exit_code = ExitCode.GIT


class RemoteError(GitError):
    """A remote cannot be reached, asks for a password, or refuses; what is here is unharmed."""


class PushRejectedError(RemoteError):
    """The remote has commits that are not here; the push can begin again."""


class RefusedError(MdmemError):
    """The gate refused a text: a secret, hidden text, a prompt injection, a long raw output.

    `candidates` are the entries that prevent the change, if there are any.
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
    """The file changed since the caller read it, and both changes affect the same text; neither was overwritten.

    `ours` and `theirs` are the versions, and `places` the lines of theirs that are concerned, each with its number and
    its text; the text is empty if they removed it.
    """

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
        places: Sequence[tuple[int, str]] = (),
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.ours = ours
        self.theirs = theirs
        self.places = tuple(places)


class TargetError(MdmemError):
    """No section, entry or text matches, or more than one; `candidates` may have been meant.

    `count` is the number of matches. `near` is the most likely candidate for a misspelt name.
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
    """Another writer kept the lock for longer than the time-out; nothing was changed."""

    code = "locked"
    exit_code = ExitCode.LOCKED


class ConfirmError(MdmemError):
    """The change needs confirmation: it would remove most of a file."""

    code = "confirm"
    exit_code = ExitCode.CONFIRM


class MemoryOffError(MdmemError):
    """Memory is switched off in this workspace: nothing is read or written (P038)."""

    code = "memory-off"
    exit_code = ExitCode.MEMORY_OFF


class ModelError(MdmemError):
    """A model gave no usable answer: not started, not reached, too slow, too long, or an error of its own.

    `retry_after` is the number of seconds until a retry, if the model set it, else 0. `why` is the kind of failure, by
    which `mdmem doctor` says what to do.
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
        why: FailureKind = "other",
    ) -> None:
        super().__init__(message, hint=hint, path=path, line=line, facts=facts)
        self.retry_after, self.why = retry_after, why


class OutOfTimeError(ModelError):
    """The time, or the questions of a day, that models may take are used up; the model was not at fault."""


def exit_code(code: str) -> ExitCode:
    """Return the exit code that belongs to an error's code; OK for no error."""
    known: list[type[MdmemError]] = [MdmemError, *MdmemError.__subclasses__()]
    return next((error.exit_code for error in known if error.code == code), ExitCode.OK)
