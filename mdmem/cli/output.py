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
    except MdmemError as raised:
        error = _spoken(raised)
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
    print(f"{paint('error', 'mdmem:')} {safe(_unsecret(str(error)))}", file=sys.stderr)
    for one in _candidates(error):
        print(f"  {paint('dim', '·')} {safe(_unsecret(one))}", file=sys.stderr)
    if error.hint:
        print(f"  {paint('dim', say(spoken(), 'cli.lint.advice'))} {safe(_unsecret(error.hint))}", file=sys.stderr)


def _as_json(error: MdmemError) -> None:

    texts = {"message": error.message, "hint": error.hint, "path": error.path}
    said = {"code": error.code, "line": error.line} | {key: _unsecret(text) for key, text in texts.items()}
    json({"error": said | {"candidates": list(map(_unsecret, _candidates(error)))}})
    sys.stdout.flush()


def _spoken(error: MdmemError) -> MdmemError:
    """Say an error in the language of this command line."""
    from mdmem.cli.language import spoken
    from mdmem.messages.errors import in_language

    return in_language(error, spoken())


def _unsecret(text: str) -> str:
    """Mask in a message the secrets that were typed: it may repeat what it refuses."""
    from mdmem.linter.echo import masked

    return masked(text, " ".join(sys.argv[1:]))


def _candidates(error: MdmemError) -> tuple[str, ...]:
    """Return what may have been meant, where the hint does not list it."""
    found = error.candidates if isinstance(error, TargetError) else ()
    return () if all(one in error.hint for one in found) else found
