"""The entry point: run the command line and end the process with its exit code.

The command line is imported after the garbage collector is off, so that its imports are faster.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

_OFTEN = ("lint", "search")  # frequent commands that leave nothing to clean up


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.disable()  # imports leave no garbage; the linter enables it before its work
    gc.set_threshold(50_000)  # a few files leave little garbage
    from mdmem.cli.output import guard

    code = guard(_run)
    if (sys.argv[1:2] and sys.argv[1] in _OFTEN) or sys.argv[1:3] == ["hook", "run"]:
        _leave(code)
    sys.exit(code)


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
