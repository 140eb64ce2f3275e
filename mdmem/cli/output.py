"""Writes what programs read to the standard output: JSON and patches, in UTF-8 whatever the locale says."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from itertools import pairwise

from mdmem.cli.terminal import Paint, safe
from mdmem.errors import ExitCode, MdmemError, TargetError


def json(value: object) -> None:
    """Write one JSON value; a byte of a file that is no UTF-8 becomes an escape."""
    from json import dumps

    _write(dumps(value, ensure_ascii=False, indent=1) + "\n", "backslashreplace")


def raw(text: str) -> None:
    """Write a text as the file holds it, byte for byte."""
    _write(text, "surrogateescape")


def _write(text: str, errors: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", errors))


def guard(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; print an expected error with its hint, as JSON after `--json`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # what was written must not fail for what cannot be printed
    try:
        code = command()
        sys.stdout.flush()
    except MdmemError as error:
        _as_json(error) if _wants_json() else _as_text(error)
        return error.exit_code
    except BrokenPipeError:  # `mdmem lint | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PIPE_CLOSED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return code


def _wants_json() -> bool:
    words = sys.argv[1:]
    asked = {"--json", "--format=json"}.intersection(words)
    return bool(asked) or ("--format", "json") in pairwise(words)


def _as_text(error: MdmemError) -> None:
    from mdmem.cli.language import spoken
    from mdmem.messages.catalog import say

    sys.stdout.flush()
    paint = Paint(sys.stderr)
    print(f"{paint('error', 'mdmem:')} {safe(str(error))}", file=sys.stderr)
    for one in _candidates(error):
        print(f"  {paint('dim', '·')} {safe(one)}", file=sys.stderr)
    if error.hint:
        print(f"  {paint('dim', say(spoken(), 'cli.lint.advice'))} {safe(error.hint)}", file=sys.stderr)


def _as_json(error: MdmemError) -> None:

    said = {"code": error.code, "message": error.message, "hint": error.hint, "path": error.path, "line": error.line}
    json({"error": said | {"candidates": list(_candidates(error))}})
    sys.stdout.flush()


def _candidates(error: MdmemError) -> tuple[str, ...]:
    """Return what may have been meant, where the hint does not list it."""
    found = error.candidates if isinstance(error, TargetError) else ()
    return () if all(one in error.hint for one in found) else found
