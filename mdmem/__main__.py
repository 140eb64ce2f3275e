"""The entry point: hands `lint` its own quick path, and everything else to the full command line.

It imports nothing before it has looked at the verb; typer alone costs more than a lint.
"""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # a start-up makes no garbage worth looking for; the judge turns it on when the work begins
    from mdmem.doors.guard import guard

    sys.exit(guard(_command))


def _command() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["lint"] and "--help" not in arguments:
        from mdmem.doors import lint

        return lint.main(arguments[1:])
    from mdmem.doors import cli

    return cli.main(arguments)


if __name__ == "__main__":
    main()
