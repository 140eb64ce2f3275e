"""Write JSON and texts to the standard output in UTF-8, and report the errors of a command.

The modules that word an error are imported when there is one.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import TextIO

from mdmem.cli.console import Paint, folded, labelled, safe
from mdmem.cli.opened import has_written
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
# A full disk, a reader or a terminal that is gone, a stream that is not open for writing.
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE, errno.EIO, errno.ENXIO, errno.EBADF, errno.EAGAIN}
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
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before: what is written goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and _may_fail(stream):
            stream.reconfigure(errors=_NEAREST)  # a finished command must not fail at printing
    try:
        code = command()
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
    except OSError as error:
        if not _is_of_output(error):
            raise
        return _unwritten(error)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return code


def _told(raised: MdmemError) -> int:
    """Print the error of a command, and return its exit code."""
    error = _localized(raised)
    try:
        _as_json(error) if _wants_json() else _as_text(error)
        sys.stderr.flush()
    except OSError as failure:  # the standard error cannot be written either
        if not _is_of_output(failure):
            raise
        _discard(sys.stdout, sys.stderr)
    return error.exit_code


def _is_of_output(error: OSError) -> bool:
    """Return whether an error is of a stream that cannot be written: it names no file, and the pen tells its own."""
    return error.filename is None and error.errno in _UNWRITABLE


def _unwritten(error: OSError) -> int:
    """Say on the standard error that the output could not be written, and whether a file was changed before that."""
    from mdmem.cli.usage import usage_error

    _discard(sys.stdout)
    is_closed, has_changed = isinstance(error, BrokenPipeError), has_written()
    if not is_closed or has_changed:  # a reader that closes the pipe, as in `mdmem lint | head`, needs no message
        from mdmem.cli.language import current_language
        from mdmem.messages.catalog import label

        reason = label(current_language(), f"errors.{error.strerror}", error.strerror or "")
        told = usage_error("half-told", reason=reason) if has_changed else usage_error("not-told", reason=reason)
        try:
            _as_text(told)
            sys.stderr.flush()
        except OSError:
            _discard(sys.stderr)
    return ExitCode.PIPE_CLOSED if is_closed else ExitCode.WRITE


def _discard(*streams: TextIO) -> None:
    """Discard what streams still hold, and what is written to them later."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())


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
    told = str(error)
    if error.path and not error.line:  # `FILE:LINE: ` stays as programs read it
        with suppress(MdmemError):  # the messages cannot be read, and that is the error
            told = f"{error.path}{say(current_language(), 'punctuation.colon')}{error.message}"
    lines = [("error", "mdmem:", told), *(("dim", "  ·", one) for one in _candidates(error))]
    if error.hint:
        lines.append(("dim", f"  {say(current_language(), 'cli.lint.advice')}", error.hint))
    for style, head, text in lines:
        line = folded(labelled(head, safe(_masked(text))), 4, sys.stderr)
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
