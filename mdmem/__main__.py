"""The entry point: run the command line and end the process with its exit code.

The command line is imported after the garbage collector is off, so that its imports are faster.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

# Frequent commands that leave nothing to clean up.
_OFTEN = (["lint"], ["search"], ["merge"], ["hook", "run"], ["session", "turn"], ["session", "end"])


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _in_utf8()
    gc.disable()  # imports leave no garbage; the linter enables it before its work
    gc.set_threshold(50_000)  # a few files leave little garbage
    from mdmem.cli.output import guard

    code = guard(_run)
    if any(sys.argv[1 : len(words) + 1] == words for words in _OFTEN):
        _leave(code)
    sys.exit(code)


def _in_utf8() -> None:
    """Start again in UTF-8 where the locale has another encoding: file names of a memory are UTF-8 on every machine.

    The streams keep the encoding of the locale, for it is that of the terminal.
    """
    if sys.getfilesystemencoding() == "utf-8" or os.environ.get("PYTHONUTF8") == "1" or not sys.executable:
        return
    streams = getattr(sys.stdout, "encoding", None) or "utf-8"  # there is no stream if it was closed
    env = {"PYTHONIOENCODING": streams, **os.environ, "PYTHONUTF8": "1"}
    os.execve(sys.executable, [_as_utf8(one) for one in sys.orig_argv], env)  # noqa: S606 - this program itself


def _as_utf8(argument: str) -> bytes:
    """Return an argument in UTF-8: as it came if it is, else from the encoding of the locale."""
    data = os.fsencode(argument)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return argument.encode("utf-8", "surrogateescape")
    return data


def _run() -> int:
    from mdmem.cli import app

    return app.main(sys.argv[1:])


def _leave(code: int) -> NoReturn:
    """End the process at once, because freeing each object takes longer."""
    with suppress(OSError):  # `guard` has told it
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
