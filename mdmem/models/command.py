"""Runs a program as a model: prompt on standard input, answer on standard output; no shell, limited time."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from mdmem.errors import ConfigError, ModelError
from mdmem.models import Mask, TimeLimit, excerpt
from mdmem.settings.tables import CommandSettings

_PIECE = 1 << 16
_STDERR_BYTES = 4000  # of the end of its standard error
_GRACE = 1.0  # seconds to wait for the ends of the pipes after the program and its children have ended


def ask(prompt: str, settings: CommandSettings, mask: Mask, limit: TimeLimit | None = None) -> str:
    """Run the program of the settings once and return its output.

    It runs in a temporary empty folder, so that no file of the memory folder, which may be from somebody else, can take
    the place of its own files. The program and its children are killed at the time limit, and when this process ends.

    Raises:
        ConfigError: no program is set.
        ModelError: it could not be started, failed, printed nothing or too much, or exceeded the time limit.
        OutOfTimeError: the time of several questions is over.
    """
    if not settings.run:
        raise ConfigError("no program is set", hint="set `run` in [command] of ~/.config/mdmem/mdmem.toml")
    with TemporaryDirectory(prefix="mdmem-") as folder:
        return _checked(run_program(settings.run, prompt, settings, limit, folder), settings, mask)


class ProgramRun(NamedTuple):
    """What a program printed, and how it ended."""

    code: int | None  # None: it took too long, and was killed
    answer: bytes
    errors: bytes  # the end of its standard error
    is_full: bool  # it printed more than it may, and was killed


def run_program(
    run: Sequence[str], prompt: str, settings: CommandSettings, limit: TimeLimit | None, folder: str,
    environment: Mapping[str, str] | None = None,
) -> ProgramRun:  # fmt: skip
    """Run a program once with a prompt on its standard input.

    Args:
        run: the program and its arguments.
        prompt: what it reads.
        settings: how long it may take, and how much it may print.
        limit: the time that it shares with other questions.
        folder: where it starts.
        environment: its environment; None for that of this process.

    Raises:
        ModelError: it could not be started.
        OutOfTimeError: the time of several questions is over.
    """
    seconds = limit.most(settings.seconds) if limit else settings.seconds
    with _started(run, folder, environment) as process:
        threading.Thread(target=_feed, args=(process.stdin, prompt.encode()), daemon=True).start()
        answer = _PipeReader(process.stdout, settings.max_bytes, lambda: _kill(process))
        errors = _PipeReader(process.stderr, _STDERR_BYTES, None)
        code: int | None = None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            if limit and seconds < settings.seconds:
                raise limit.over() from error
    for reader in (answer, errors):
        reader.join(_GRACE)
    return ProgramRun(code, bytes(answer.data), bytes(errors.data), answer.full)


def _checked(done: ProgramRun, settings: CommandSettings, mask: Mask) -> str:
    words, code = excerpt(done.errors, mask, last=True), done.code
    detail = f": {words}" if words else ""
    if done.is_full:
        raise ModelError("the program printed more than {max} bytes", facts={"max": settings.max_bytes}, why="junk")
    if code is None:
        raise ModelError(
            "the program took longer than {seconds} seconds",
            hint="`seconds` in [command] is the limit",
            facts={"seconds": settings.seconds},
            why="time",
        )
    if code:
        ended = (
            "the program was killed by signal {code}{detail}" if code < 0 else "the program exited with {code}{detail}"
        )
        raise ModelError(
            ended,
            hint="run it by hand with a prompt on its standard input",
            facts={"code": abs(code), "detail": detail},
        )
    if not done.answer.strip():
        raise ModelError("the program printed nothing{detail}", facts={"detail": detail}, why="junk")
    return done.answer.decode("utf-8", "replace")


@contextmanager
def _started(
    run: Sequence[str], folder: str, environment: Mapping[str, str] | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program in its own process group; kill the group at the end."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own program, named in the user's own settings
            list(run), stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such name can be"
        raise ModelError(
            "the program could not be started: {reason}",
            hint="check `run` in [command]",
            facts={"reason": why},
            why="absent",
        ) from error

    def end() -> None:
        _kill(process)

    atexit.register(end)  # a waiting thread ends with its process, a child does not
    try:
        yield process
    finally:
        end()
        process.wait()
        atexit.unregister(end)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()


def _feed(stream: IO[bytes] | None, data: bytes) -> None:
    """Write the prompt; the program may close its end before it has read everything."""
    if stream:
        with suppress(OSError, ValueError):
            stream.write(data)
        with suppress(OSError, ValueError):
            stream.close()


class _PipeReader(threading.Thread):
    """Reads a pipe to its end and keeps at most `most` bytes; beyond them it calls `full`, or keeps the last ones."""

    def __init__(self, stream: IO[bytes] | None, most: int, full: Callable[[], None] | None) -> None:
        super().__init__(daemon=True)
        self.data, self.full = bytearray(), False
        self._stream, self._most, self._end = stream, most, full
        self.start()

    def run(self) -> None:
        """Read to the end, or until the limit is exceeded."""
        if self._stream is None:
            return
        with suppress(OSError), self._stream:
            while piece := os.read(self._stream.fileno(), _PIECE):
                self.data += piece
                if len(self.data) > self._most:
                    if self._end:
                        self.full = True
                        self._end()
                        return
                    del self.data[: -self._most]
