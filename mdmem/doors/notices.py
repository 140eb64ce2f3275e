"""Prints what a watcher says, a line each: for a terminal, for the journal of systemd, or as JSON for a program."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from mdmem.core.diagnostic import Diagnostic
from mdmem.doors.terminal import Paint, safe

if TYPE_CHECKING:
    from mdmem.workspace.watch_words import Notice

_PRIORITIES = {"error": 3, "warning": 4, "note": 6}  # of syslog
_SHOWN = ("error", "warning")


class Printer:
    """Prints notices as they come; to the journal without colour and time, which it keeps itself."""

    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._journal = not as_json and _is_journal()
        self._paint = Paint(sys.stdout)

    def __call__(self, notice: Notice) -> None:
        """Print a notice, and what was found in its file."""
        if self._json:
            found = [one.as_dict() for one in notice.diagnostics]
            self._line(json.dumps(notice._asdict() | {"diagnostics": found}, ensure_ascii=False))
            return
        path = self._paint("path", safe(notice.path))
        self._say(notice.severity, f"{path}: {safe(notice.message)}" if path else safe(notice.message))
        for one in notice.diagnostics:
            if one.severity in _SHOWN:
                self._say(one.severity, self._finding(one))

    def _finding(self, one: Diagnostic) -> str:
        place = f"{safe(one.path)}:{one.line}:{one.column}:"
        return f"{place} {self._paint(one.severity, one.severity)} {one.code} {safe(one.message)}"

    def _say(self, severity: str, text: str) -> None:
        if self._journal:
            self._line(f"<{_PRIORITIES[severity]}>{text}")
        else:
            self._line(f"{self._paint('dim', time.strftime('%H:%M:%S'))} {text}")

    def _line(self, text: str) -> None:
        """Write a line at once, in UTF-8 whatever the locale says."""
        sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def _is_journal() -> bool:
    """Tell whether the standard output goes to systemd's journal: JOURNAL_STREAM names the very stream."""
    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
