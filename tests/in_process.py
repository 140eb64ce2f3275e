"""Run the command line in this process, as a process of its own would see it: folder, environment, streams, exit code.

A start of the interpreter costs more than most commands. What depends on a real process (signals, closed pipes,
terminals, loaded modules) is tested with one.
"""

from __future__ import annotations

import gc
import io
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from mdmem import __main__
from mdmem.cli import console, language, opened


def run(
    *arguments: str, cwd: str | Path, env: Mapping[str, str], given: bytes = b"", merged: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Run `mdmem` with these arguments; return what a process would leave, `merged` as in a pipe for both streams."""
    out = io.BytesIO()
    errors = out if merged else io.BytesIO()
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    with _world(cwd, env), _state(), ExitStack() as stack:
        streams = {
            "argv": ["mdmem", *arguments],
            "stdin": io.TextIOWrapper(io.BytesIO(given), encoding),
            "stdout": io.TextIOWrapper(out, encoding),
            "stderr": io.TextIOWrapper(errors, encoding, "backslashreplace", line_buffering=True),
        }
        for name, value in (streams | {"__stdout__": streams["stdout"]}).items():
            stack.enter_context(mock.patch.object(sys, name, value))
        code = _main()
        sys.stdout.flush()
        sys.stderr.flush()
        return subprocess.CompletedProcess(["mdmem", *arguments], code, out.getvalue(), errors.getvalue())


def run_text(
    *arguments: str, cwd: str | Path, env: Mapping[str, str], given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `mdmem` as `run` does, with texts in UTF-8 instead of bytes."""
    done = run(*arguments, cwd=cwd, env=env, given=given.encode())
    out, errors = (part.decode().replace("\r\n", "\n") for part in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, errors)


def _main() -> int:
    """Call the program's own entry point; return its exit code, 1 for an error that nobody caught."""
    try:
        with mock.patch.object(__main__, "_leave", sys.exit):  # a quick exit would end the tests
            __main__.main()
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:  # noqa: BLE001 - the interpreter prints any error and exits with 1
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _world(cwd: str | Path, env: Mapping[str, str]) -> Iterator[None]:
    """Stand in this folder, with this environment alone."""
    before = os.getcwd()
    os.chdir(cwd)
    try:
        with mock.patch.dict(os.environ, env, clear=True):
            yield
    finally:
        os.chdir(before)


@contextmanager
def _state() -> Iterator[None]:
    """Begin with what a new process has, and put back what a command changes for the whole process."""
    collects, threshold = gc.isenabled(), gc.get_threshold()
    endings = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)}
    language.language.cache_clear()
    console.choose("auto")
    console.widen(False)
    try:
        with mock.patch.object(resource, "prlimit"):  # a limit of this process would hold for all tests that follow
            yield
    finally:
        gc.set_threshold(*threshold)
        gc.enable() if collects else gc.disable()
        for one, ending in endings.items():
            signal.signal(one, ending)
        language.language.cache_clear()
        console.choose("auto")
        opened.begin()
