"""Start a verb in a process of its own, which outlives the hook that has no time for it."""

# Imported where a hook hands work over, for an agent starts a hook after every call of a tool.
from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO


def start_detached(*words: str, root: str, given: bytes = b"", folder: str | None = None, user: str = "") -> int:
    """Start `mdmem` with these words; return the number of the process.

    Args:
        words: the verb with its arguments and options.
        root: the workspace; empty if the verb looks for it.
        given: its standard input. It lies in a file, for the hook must not wait until the process reads a pipe.
        folder: where it starts; None for where this process is.
        user: whose memory it is about; empty for the user without a name.
    """
    # -P: otherwise Python imports modules from the current folder first
    command = [sys.executable, "-P", "-m", "mdmem", *words, *(("--root", root) if root else ())]
    command += ["--user", user] if user else []
    with _file_of(given) as file:
        child = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            cwd=folder,
        )  # fmt: skip
    child.returncode = 0  # it outlives this process, which does not wait for it
    return child.pid


def start_recorder(given: bytes, event: str, agent: str, root: str, user: str) -> None:
    """Start a hook that nobody waits for and that only records what was said.

    Args:
        given: the payload.
        event: of the payload; empty for the one that it names.
        agent: whose payload it is; empty for the default.
        root: the workspace; empty to look for it.
        user: whose memory it is; empty for the user without a name.
    """
    words = (*filter(None, [event]), *(("--for", agent) if agent else ()))
    start_detached("hook", "run", *words, "--record", root=root, given=given, user=user)


def limit_time(process: int, seconds: int) -> None:
    """Limit the processor time of a process: a text or a setting that takes too long must not leave one for ever.

    Args:
        process: its number; 0 for this one.
        seconds: how much it may take.
    """
    if sys.platform == "linux":
        import resource

        with suppress(OSError):
            resource.prlimit(process, resource.RLIMIT_CPU, (seconds, seconds))


def _file_of(data: bytes) -> IO[bytes]:
    """Return a file without a name that holds these bytes, in memory where the system has such files."""
    if sys.platform == "linux":
        file: IO[bytes] = os.fdopen(os.memfd_create("payload"), "w+b")
    else:
        file = TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(data)
    file.seek(0)
    return file
