"""The entry point: prepares a quick start, hands the words to the command line, and ends with its exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

_OFTEN = ("lint", "search")  # what is typed often, or runs at every commit; they leave nothing to be ended


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.disable()  # a start-up makes no garbage worth looking for; the judge turns it on when the work begins,
    gc.set_threshold(50_000)  # and a few files make little
    from mdmem.cli.output import guard

    code = guard(_run)
    if sys.argv[1:2] and sys.argv[1] in _OFTEN:
        _leave(code)
    sys.exit(code)


def _run() -> int:
    from mdmem.cli import app

    return app.main(sys.argv[1:])


def _leave(code: int) -> NoReturn:
    """End the process at once: the system takes its memory back faster than Python frees it object by object."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
