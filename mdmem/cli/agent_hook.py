"""`mdmem hook run`: answer one event of an agent within a deadline; JSON in, JSON out, and the exit code is always 0.

A thread watches the time: at the deadline the process prints what it has and ends, wherever it is. The pen leaves each
file whole when a process ends like that, and what was said and is not recorded yet is handed to another process.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from mdmem.agents.hooks.hook_state import LATE, is_nested, record_failure
from mdmem.agents.hooks.model import AGENTS, HookPayload, read_payload, reply
from mdmem.agents.hooks.service import BEGUN, AgentHook, find_workspace
from mdmem.errors import ExitCode

_DEADLINE_MS = 2000  # from the beginning; the settings may only shorten it
_READING_MS = 1000  # how much longer the payload is waited for
_PATIENCE = 1  # seconds after the deadline at which the process is interrupted; it ends after as many again
_HANDING_OVER = 30  # seconds that it may take at the deadline to start another process
_AT_ONCE = 1 << 16  # bytes that are read at once


class _Reply:
    """The reply, printed once: at the end, or at the deadline."""

    def __init__(self) -> None:
        self._lock, self._text = threading.RLock(), "{}"
        self._timer: threading.Timer | None = None
        self._nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends
        self._begun = time.monotonic()
        self._late: Callable[[], None] = lambda: None

    def set(self, payload: HookPayload, text: str) -> None:
        self._text = json.dumps(reply(payload, text))

    def until(self, milliseconds: int, late: Callable[[], None] | None = None) -> None:
        """Set the deadline, counted from the beginning.

        Args:
            milliseconds: when it passes.
            late: what to call when it has passed; None for what was to be called before.
        """
        with self._lock:  # a process that is leaving goes on with nothing
            self.unlimited()
            self._late = late or self._late
        seconds = max(0.0, milliseconds / 1000 - (time.monotonic() - self._begun))
        self._timer = threading.Timer(seconds, self._leave)
        self._timer.daemon = True
        self._timer.start()
        # A regular expression holds back every thread, but not a signal. What holds back both ends without a reply.
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, lambda *_: self._leave())
            signal.setitimer(signal.ITIMER_REAL, seconds + _PATIENCE)
        self._end_after(seconds + 2 * _PATIENCE)

    def write(self) -> None:
        """Print the reply."""
        with self._lock:
            self.unlimited()
            self._print()

    def unlimited(self) -> None:
        """Take the deadline back."""
        if self._timer:
            self._timer.cancel()
            faulthandler.cancel_dump_traceback_later()
            if hasattr(signal, "SIGALRM"):
                signal.setitimer(signal.ITIMER_REAL, 0)

    def _leave(self) -> None:
        with self._lock:
            if not self._text:
                return
            self._print()
            self._end_after(_HANDING_OVER)
            try:
                self._late()
            finally:
                os._exit(ExitCode.OK)

    def _end_after(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._nowhere)

    def _print(self) -> None:
        """Print the reply, unless the agent has closed the stream, or cannot take more."""
        text, self._text = self._text, ""
        if sys.stdout is not None:
            with suppress(OSError), open(sys.stdout.fileno(), "wb", closefd=False) as stream:
                stream.write(f"{text}\n".encode())


def _read(given: bytearray) -> None:
    """Add the standard input to `given`, which holds at any moment what was read so far."""
    stream: Any = sys.stdin.buffer
    while part := stream.read1(_AT_ONCE):
        given += part


def _parsed(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the payload; an agent under another locale may send it in that encoding."""
    try:
        return json.loads(data)
    except UnicodeDecodeError:
        from mdmem.text.encodings import sent_text

        return json.loads(sent_text(data, sys.stdin.encoding))


def _hand_over(data: bytearray, values: Mapping[str, Any]) -> None:
    """Hand the payload to another process, which reads it and records what was said."""
    from mdmem.agents.hooks.detached import start_recorder

    start_recorder(bytes(data), values["event"], values["agent"] or "", values["root"] or "", values["user"] or "")


def answer(values: Mapping[str, Any] | None) -> int:
    """Answer the event that the standard input tells of; return 0.

    Args:
        values: event, agent, root and record; None for words that cannot be read, which get an empty reply.
    """
    made = _Reply()
    if is_nested():
        made.write()
        return ExitCode.OK
    if values and values["record"]:
        _record(values)
    elif values:
        _answer(values, made)
    made.write()
    return ExitCode.OK


def _answer(values: Mapping[str, Any], made: _Reply) -> None:
    """Act on an event within the deadline, whatever happens."""
    hook, root, given, data = None, "", {}, bytearray()
    made.until(_DEADLINE_MS + _READING_MS, partial(_hand_over, data, values))
    try:
        _read(data)
        made.until(_DEADLINE_MS)
        given = _parsed(bytes(data))
        payload = read_payload(values["event"], given, values["agent"] or AGENTS[0])
        work = find_workspace(values["root"] or "", payload.folder, values["user"] or "") if payload else None
        if payload and work:
            root = work.root
            hook = AgentHook(work, payload)
            made.until(min(_DEADLINE_MS, hook.settings.deadline_ms), partial(hook.late, given))
            hook.run(lambda text: made.set(payload, text))
            if hook.is_early:
                hook.hand_over(given)
            work.config.cache.save(complete=False)
    except Exception as error:  # noqa: BLE001 - a failure of the memory must never disturb the agent
        if root:
            record_failure(root, values["event"], type(error).__name__)
        if hook:
            hook.hand_over(given)


def _record(values: Mapping[str, Any]) -> None:
    """Only record what was said, for a hook that had no time."""
    from mdmem.agents.hooks.detached import limit_time

    whose = values["user"] or ""
    work, kind, data = find_workspace(values["root"] or "", "", whose), "", bytearray()
    try:
        _read(data)
        given = _parsed(bytes(data))
        payload = read_payload(values["event"], given, values["agent"] or AGENTS[0])
        work = find_workspace(values["root"] or "", payload.folder, whose) if payload else None
        if work and payload:
            kind = "" if BEGUN in given else LATE  # the other process told it if it knew of the workspace
            hook = AgentHook(work, payload, patient=True)
            limit_time(0, hook.settings.detached_seconds)
            hook.record(given.get(BEGUN))
            work.config.cache.save(complete=False)
    except Exception as error:  # noqa: BLE001 - a failure of the memory must never disturb the agent
        kind = type(error).__name__
    if work and kind:
        record_failure(work.root, values["event"], kind)
