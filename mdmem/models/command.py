"""Asks a program: the prompt on its standard input, the answer on its standard output; no shell, no endless wait."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import IO

from mdmem.errors import ConfigError, ModelError
from mdmem.models import Mask, TimeLimit, excerpt
from mdmem.settings.tables import CommandSettings

_PIECE = 1 << 16
_LAST_WORDS = 4000  # bytes of its standard error that are kept
_GRACE = 1.0  # seconds in which the pipes end once the program and what it started have


def ask(prompt: str, settings: CommandSettings, mask: Mask, limit: TimeLimit | None = None) -> str:
    """Run the program of the settings once and give what it printed.

    It starts in an empty folder of its own, which is removed afterwards: nothing in the memory folder, which may be
    somebody else's, can come before its own files. It and all it started end with the time limit, or with this process.

    Raises:
        ConfigError: no program is set.
        ModelError: it could not be started, failed, printed nothing or too much, or took too long.
        OutOfTimeError: the time of several questions is over.
    """
    if not settings.run:
        raise ConfigError("no program is set", hint="set `run` in [command] of ~/.config/mdmem/mdmem.toml")
    seconds = limit.most(settings.seconds) if limit else settings.seconds
    with TemporaryDirectory(prefix="mdmem-") as folder:
        with _started(settings.run, folder) as process:
            threading.Thread(target=_feed, args=(process.stdin, prompt.encode()), daemon=True).start()
            answer = _PipeReader(process.stdout, settings.max_bytes, lambda: _kill(process))
            said = _PipeReader(process.stderr, _LAST_WORDS, None)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired as error:
                if limit and seconds < settings.seconds:
                    raise limit.over() from error
                hint = "`seconds` in [command] is the limit"
                raise ModelError(
                    "the program took longer than {seconds} seconds", hint=hint, facts={"seconds": settings.seconds}
                ) from error
        for reader in (answer, said):
            reader.join(_GRACE)
    return _checked(code, answer, said, settings, mask)


def _checked(code: int, answer: _PipeReader, said: _PipeReader, settings: CommandSettings, mask: Mask) -> str:
    words = excerpt(bytes(said.data), mask, last=True)
    told = f": {words}" if words else ""
    if answer.full:
        raise ModelError("the program printed more than {max} bytes", facts={"max": settings.max_bytes})
    if code:
        ended = "the program was ended by signal {code}{told}" if code < 0 else "the program ended with {code}{told}"
        raise ModelError(
            ended,
            hint="run it by hand with a prompt on its standard input",
            facts={"code": abs(code), "told": told},
        )
    if not answer.data.strip():
        raise ModelError("the program printed nothing{told}", facts={"told": told})
    return answer.data.decode("utf-8", "replace")


@contextmanager
def _started(run: tuple[str, ...], folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program in a process group of its own, and leave nothing of it behind."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own program, named in the user's own settings
            list(run), stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such name can be"
        raise ModelError(
            "the program could not be started: {reason}", hint="check `run` in [command]", facts={"reason": why}
        ) from error

    def end() -> None:
        _kill(process)

    atexit.register(end)  # a thread that waits here dies with its process, but a child would not
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
    """Hand the prompt over; a program that does not want all of it may say so by closing its end."""
    if stream:
        with suppress(OSError, ValueError):
            stream.write(data)
        with suppress(OSError, ValueError):
            stream.close()


class _PipeReader(threading.Thread):
    """Reads a pipe to its end and keeps so many bytes; beyond them calls `full`, or keeps the last ones."""

    def __init__(self, stream: IO[bytes] | None, most: int, full: Callable[[], None] | None) -> None:
        super().__init__(daemon=True)
        self.data, self.full = bytearray(), False
        self._stream, self._most, self._end = stream, most, full
        self.start()

    def run(self) -> None:
        """Read to the end, or until there is too much."""
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
