"""Runs git: no shell, no pager, no prompt, no editor, and a time-out. The one place that starts it.

A repository that came from elsewhere may name programs and servers in its configuration, and bring hooks along.
`read` and `run` serve such a repository too: the monitor, the check of signatures, hooks, and the server that has
missing objects are switched off. `run` is for what changes the repository. `talk` carries to a remote: it alone
contacts anybody and runs hooks. It, and what reads or merges files by way of a filter or a merge driver, are for a
repository whose requests the user trusts (`repository_requests`). Nothing may ask a question: a password is never read,
stored or passed on by mdmem.

Git's own messages may hold host paths and the credentials of a URL. Errors are therefore worded here.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Container, Mapping
from functools import cache
from typing import NamedTuple

from mdmem.errors import GitError, PushRejectedError, RemoteError
from mdmem.text.pattern import Pattern, pattern

NEEDED = (2, 38)  # the first version whose `merge-tree --write-tree` merges without touching a file
_LOCAL_SECONDS = 600.0  # no local command takes longer, in the largest repository
_LOOK_UPS = frozenset(
    ("rev-parse", "check-attr", "config", "symbolic-ref", "version", "worktree")
)  # they read a few small files
_LOOK_UP_SECONDS = 3.0

_LATER = "everything is committed here; sync again later"
# The monitor and the check of signatures are programs; the other two are files that are read, and may be pipes.
_QUIETENED = ("core.fsmonitor=false", "log.showSignature=false", "log.mailmap=false", f"diff.orderFile={os.devnull}")
_QUICK = (*(word for one in _QUIETENED for word in ("-c", one)), "--no-pager")
_READ = (*_QUICK, "--no-optional-locks", "--literal-pathspecs")
_TALK = (*_QUICK, "-c", "core.quotePath=false")
_RUN = (*_TALK, "-c", f"core.hooksPath={os.devnull}")
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}  # the second is for git 2.45 and later
_ENGLISH = {"LC_ALL": "C.UTF-8", "LANGUAGE": ""}  # the messages that `_worded` knows
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never",
          "GCM_INTERACTIVE": "never", "GIT_EDITOR": ":", "GIT_LITERAL_PATHSPECS": "1"}  # fmt: skip
# What a hook of git inherits; the folder alone says which repository is meant.
_INHERITED = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
              "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_NAMESPACE"}  # fmt: skip


class GitAnswer(NamedTuple):
    """The end of one call of git: its exit code and what it printed."""

    code: int
    output: bytes

    @property
    def line(self) -> str:
        """The first line of the output."""
        return os.fsdecode(self.output.partition(b"\n")[0])


class _KnownComplaint(NamedTuple):
    """Words of git's messages, and the error that says the same."""

    words: Pattern
    kind: type[GitError]
    message: str
    hint: str


_COMPLAINTS = (
    _KnownComplaint(
        pattern("not a git repository"), GitError,
        "this folder is not in a git repository",
        "run it inside the repository with the memory; or `git init` in the memory folder makes one",
    ),
    _KnownComplaint(
        pattern("dubious ownership"), GitError,
        "the repository belongs to another user, and git does not trust it",
        "if you trust it: `git config --global --add safe.directory FOLDER`",
    ),
    _KnownComplaint(
        pattern(
            r"terminal prompts disabled|could not read (?:Username|Password)|Authentication failed"
            r"|Permission denied \(|Host key verification failed|(?:HTTP|returned error:) 40[13]"
            r"|Too many authentication failures|agent refused operation"
        ), RemoteError,
        "the remote asks who you are, and mdmem asks nobody for a password",
        "run `git fetch` once yourself; a credential helper or an SSH key without a question lets mdmem in",
    ),
    _KnownComplaint(
        pattern(r"\[remote rejected\].{0,400}(?:cannot lock ref|incorrect old|failed to update)"), PushRejectedError,
        "the remote has changes that are not here yet", "sync again",
    ),
    _KnownComplaint(
        pattern(r"\[remote rejected\]|hook declined"), RemoteError,
        "a hook or a rule of the remote refused the push", "`git push` shows its reason",
    ),
    _KnownComplaint(
        pattern(r"\[rejected\]|non-fast-forward|fetch first|stale info"), PushRejectedError,
        "the remote has changes that are not here yet", "sync again",
    ),
    _KnownComplaint(
        pattern(r"does not appear to be a git repo|repository .{0,400}not found"), RemoteError,
        "there is no repository at the address of the remote",
        "everything is committed here; `git remote -v` shows the address, `git remote set-url NAME ADDRESS` mends it",
    ),
    _KnownComplaint(
        pattern(
            r"unable to (?:access|connect)|Could not resolve|Could not read from remote|early EOF|hung up|bad band"
            r"|Connection (?:refused|timed out|closed|reset)"
        ), RemoteError,
        "the remote cannot be reached", _LATER,
    ),
    _KnownComplaint(
        pattern(r"\.lock': File exists|cannot lock ref|Unable to create .{0,400}\.lock"), GitError,
        "another git is at work in this repository",
        "try again; if none is running, delete the file whose name ends in `.lock` in `.git`",
    ),
    _KnownComplaint(
        pattern("missing (?:blob|tree|commit)|unable to read (?:tree|sha1)|bad object|is corrupt|promisor"), GitError,
        "an object of the repository is missing", "`git fsck` tells which; fetch it, or clone again",
    ),
    _KnownComplaint(
        pattern(r"error: open\(|unable to index file|unable to stat|adding files failed"), GitError,
        "git could not read a file of the memory", "make it readable, or name it in .gitignore",
    ),
    _KnownComplaint(
        pattern("No space left|unable to write|Permission denied|Read-only file system|insufficient perm"), GitError,
        "git could not write into the repository", "make room, or make `.git` writable",
    ),
    _KnownComplaint(
        pattern("failed to push some refs"), RemoteError,
        "the hook `pre-push` of this repository refused the push", "`git push` shows its reason",
    ),
)  # fmt: skip


def read(folder: str, *arguments: str, data: bytes | None = None) -> bytes:
    """Return what a command prints that only reads; the calling hook's index and repository count.

    Raises:
        GitError: git is not installed, too slow, or refused.
    """
    done = _local(["git", "-C", folder, *_READ, *arguments], os.environ | _ENGLISH | _ALONE, data, arguments[0])
    if done.code:
        raise _worded(done.complaint)
    return done.output


def run(
    folder: str,
    *arguments: str,
    data: bytes | None = None,
    environment: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    accept: Container[int] = (0,),
) -> GitAnswer:
    """Run a command that may change the repository; it contacts nobody and runs no hook.

    Args:
        folder: a folder of the repository.
        arguments: the command and its options; paths are literal.
        data: what it reads from its standard input; nothing if None.
        environment: variables of this call, such as `GIT_INDEX_FILE`.
        settings: keys of git's configuration that hold in this call, whatever the repository says.
        accept: the exit codes that are answers and not errors.

    Raises:
        GitError: git is not installed, too slow, or refused.
    """
    surroundings = _surroundings() | _ALONE | dict(environment or {})
    held = [word for key, value in (settings or {}).items() for word in ("-c", f"{key}={value}")]
    done = _local(["git", "-C", folder, *_RUN, *held, *arguments], surroundings, data, arguments[0])
    if done.code not in accept:
        raise _worded(done.complaint)
    return GitAnswer(done.code, done.output)


def talk(folder: str, *arguments: str, seconds: float, ssh: str = "") -> GitAnswer:
    """Run a command that talks to a remote; it may take so many seconds.

    `ssh` is the command of `core.sshCommand`, if the configuration has one.

    Raises:
        RemoteError: the remote cannot be reached in time, asks for a password, or refuses.
        PushRejectedError: the remote has commits that are not here.
        GitError: git is not installed, or refused otherwise.
    """
    command = ["git", "-C", folder, *_TALK, *arguments]
    try:
        done = _start(command, _surroundings() | _ssh(ssh), None, seconds)
    except subprocess.TimeoutExpired as error:
        message = "the remote did not answer within {seconds} seconds"
        raise RemoteError(message, hint=_LATER, facts={"seconds": f"{seconds:g}"}) from error
    if done.code:
        raise _worded(done.complaint)
    return GitAnswer(done.code, done.output)


def require_version() -> None:
    """Refuse a git that is missing or older than `NEEDED`.

    Raises:
        GitError: it is; the message names both versions.
    """
    found = version()
    if found < NEEDED:
        facts = _needed() | {"found": ".".join(map(str, found))}
        message = "git {found} is too old; git {needed} is needed"
        raise GitError(message, facts=facts, hint="install a newer git")


@cache
def version() -> tuple[int, int]:
    """Return the installed git's version, as major and minor number.

    Raises:
        GitError: git is not installed.
    """
    done = _local(["git", "version"], os.environ | _ENGLISH, None, "version")
    found = re.search(rb"(\d+)\.(\d+)", done.output)
    return (int(found[1]), int(found[2])) if found else (0, 0)


class _Ended(NamedTuple):
    code: int
    output: bytes
    complaint: str


def _surroundings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _INHERITED} | _ENGLISH | _QUIET


def _local(command: list[str], environment: Mapping[str, str], data: bytes | None, verb: str) -> _Ended:
    """Run a command that talks to nobody; a pipe or a lost mount in the repository must not hold it up for ever."""
    seconds = _LOOK_UP_SECONDS if verb in _LOOK_UPS else _LOCAL_SECONDS
    try:
        return _start(command, environment, data, seconds)
    except subprocess.TimeoutExpired as error:
        hint = "look for a pipe or a lost mount in this folder and in its `.git`"
        raise GitError(
            "git did not answer within {seconds} seconds", hint=hint, facts={"seconds": f"{seconds:g}"}
        ) from error


def _start(command: list[str], environment: Mapping[str, str], data: bytes | None, seconds: float) -> _Ended:
    """Run a command in a session of its own, so that what it started ends with it and reaches no terminal."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, fixed verbs
            command, stdin=pipe if data is not None else nothing, stdout=pipe, stderr=pipe,
            env=environment, start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise GitError("git is not installed", hint="install git {needed} or newer", facts=_needed()) from error
    try:
        output, complaint = process.communicate(data, timeout=seconds)
    except BaseException:  # too slow; or Ctrl-C, of which git in its own session did not hear
        _end(process)
        raise
    return _Ended(process.returncode, output, complaint.decode("utf-8", "replace"))


def _needed() -> dict[str, str]:
    return {"needed": ".".join(map(str, NEEDED))}


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()


def _ssh(configured: str) -> dict[str, str]:
    """Return the variable that lets ssh ask nothing; a command of the user's that is not ssh stays as it is."""
    if os.environ.get("GIT_SSH"):
        return {}
    command = os.environ.get("GIT_SSH_COMMAND") or configured or "ssh"
    words = shlex.split(command)
    is_ssh = bool(words) and os.path.basename(words[0]) in ("ssh", "ssh.exe")
    return {"GIT_SSH_COMMAND": f"{command} -o BatchMode=yes"} if is_ssh else {}


def _worded(complaint: str) -> GitError:
    """Return the error that says in mdmem's words what git said."""
    for known in _COMPLAINTS:
        if known.words.search(complaint):
            return known.kind(known.message, hint=known.hint)
    return GitError("git refused", hint="`git status` says more")
