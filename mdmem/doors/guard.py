"""The one place where an error becomes a message and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

from mdmem.doors.terminal import Paint, safe
from mdmem.errors import MdmemError, TargetError


def guard(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; print an expected error with its hint, as JSON after `--json`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # what was written must not fail for what cannot be printed
    try:
        code = command()
        sys.stdout.flush()
    except MdmemError as error:
        if "--json" in sys.argv[1:]:
            _as_json(error)
            return error.exit_code
        paint = Paint(sys.stderr)
        print(f"{paint('error', 'mdmem:')} {safe(str(error))}", file=sys.stderr)
        for one in _candidates(error):
            print(f"  {paint('dim', '·')} {safe(one)}", file=sys.stderr)
        if error.hint:
            print(f"  {paint('dim', 'hint:')} {safe(error.hint)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # `mdmem lint | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    return code


def _as_json(error: MdmemError) -> None:
    from mdmem.doors import emit

    said = {"code": error.code, "message": error.message, "hint": error.hint, "path": error.path, "line": error.line}
    emit.json({"error": said | {"candidates": list(_candidates(error))}})
    sys.stdout.flush()


def _candidates(error: MdmemError) -> tuple[str, ...]:
    """Give what may have been meant, where the hint does not list it."""
    found = error.candidates if isinstance(error, TargetError) else ()
    return () if all(one in error.hint for one in found) else found
