"""Write JSON and texts to the standard output in UTF-8, and report the errors of a command.

The modules that word an error are imported when there is one.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable
from itertools import pairwise

from mdmem.cli.console import Paint, folded, safe
from mdmem.errors import ExitCode, MdmemError, TargetError, UnreadableFileError, WorkspaceNotFoundError

# Marks that an encoding may lack, and what stands for them, the best first.
_SIMILAR = {
    "✓": ("√", "ok"),
    "✗": ("\N{MULTIPLICATION SIGN}", "x"),
    "−": ("-",),
    "⏳": ("…", "..."),
    "→": ("->",),
    "·": ("-",),
    "…": ("...",),
}
_NEAREST = "mdmem-nearest"  # the name of the error handler below


def _nearest(error: UnicodeError) -> tuple[str, int]:
    """Replace a character that the encoding lacks by the most similar one that it has, or by an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    for similar in _SIMILAR.get(error.object[error.start], ()):
        try:
            similar.encode(error.encoding)
        except UnicodeEncodeError:
            continue
        return similar, error.start + 1
    escaped, _ = codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, error.reason)
    )
    return str(escaped), error.start + 1


codecs.register_error(_NEAREST, _nearest)


def json(value: object) -> None:
    """Write one JSON value; bytes of a file that are not UTF-8 are escaped."""
    from json import dumps

    _write(dumps(value, ensure_ascii=False, indent=1) + "\n", "backslashreplace")


def raw(text: str) -> None:
    """Write a text byte for byte as in its file."""
    _write(text, "surrogateescape")


def _write(text: str, errors: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", errors))


def guard(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; print an `MdmemError` with its hint, with `--json` as JSON."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and _may_fail(stream):
            stream.reconfigure(errors=_NEAREST)  # a finished command must not fail at printing
    try:
        code = command()
        if sys.stdout is not None:  # None if it was closed before
            sys.stdout.flush()
    except MdmemError as raised:
        return _told(raised)
    except FileNotFoundError:
        if _has_current_folder():
            raise
        return _told(WorkspaceNotFoundError("the current folder was deleted", hint="change to another folder"))
    except PermissionError as error:
        name = os.path.basename(os.fsdecode(error.filename or "").rstrip(os.sep))  # no path of the host in a message
        return _told(UnreadableFileError("could not be opened: {reason}", path=name, facts={"reason": error.strerror}))
    except BrokenPipeError:  # the reader closed the pipe, as in `mdmem lint | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PIPE_CLOSED
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return code


def _told(raised: MdmemError) -> int:
    """Print the error of a command, and return its exit code."""
    error = _localized(raised)
    _as_json(error) if _wants_json() else _as_text(error)
    return error.exit_code


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def warn(error: MdmemError) -> None:
    """Print an error that stops nothing."""
    _as_text(_localized(error))


def _may_fail(stream: io.TextIOWrapper) -> bool:
    """Return whether a stream refuses characters; in the C locale Python sets `surrogateescape`, which writes bytes."""
    is_utf8 = codecs.lookup(stream.encoding).name == "utf-8"
    return stream.errors == "strict" or (stream.errors == "surrogateescape" and not is_utf8)


def _wants_json() -> bool:
    words = sys.argv[1:]
    flags = {"--json", "--format=json"}.intersection(words)
    return bool(flags) or ("--format", "json") in pairwise(words)


def _as_text(error: MdmemError) -> None:
    from mdmem.cli.language import current_language
    from mdmem.messages.catalog import say

    sys.stdout.flush()
    paint = Paint(sys.stderr)
    lines = [("error", "mdmem:", str(error)), *(("dim", "  ·", one) for one in _candidates(error))]
    if error.hint:
        lines.append(("dim", f"  {say(current_language(), 'cli.lint.advice')}", error.hint))
    for style, head, text in lines:
        line = folded(f"{head} {safe(_masked(text))}", 4, sys.stderr)
        print(paint(style, head) + line.removeprefix(head), file=sys.stderr)


def _as_json(error: MdmemError) -> None:

    texts = {"message": error.message, "hint": error.hint, "path": error.path}
    fields = {"code": error.code, "line": error.line} | {key: _masked(text) for key, text in texts.items()}
    json({"error": fields | {"candidates": list(map(_masked, _candidates(error)))}})
    sys.stdout.flush()


def _localized(error: MdmemError) -> MdmemError:
    """Return an error in the language of this command line."""
    from mdmem.cli.language import current_language
    from mdmem.messages.translated_errors import in_language

    return in_language(error, current_language())


def _masked(text: str) -> str:
    """Return a message with the secrets in the command line masked, and long arguments cut: an error may quote them."""
    from mdmem.linter.masking import safe_message

    words = sys.argv[1:]
    values = (one.partition("=")[2] for one in words if one.startswith("--"))
    return safe_message(text, " ".join(words), (*words, *values))


def _candidates(error: MdmemError) -> tuple[str, ...]:
    """Return the candidates of an error, unless the hint lists them all."""
    found = error.candidates if isinstance(error, TargetError) else ()
    return () if all(one in error.hint for one in found) else found
