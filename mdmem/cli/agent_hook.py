"""`mdmem hook run`: answer one event of an agent. JSON comes in, JSON goes out, and the exit code is always 0.

A thread watches the time: at the deadline the process prints what it has and ends, wherever it is. The pen leaves each
file whole when a process ends like that.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from mdmem.agents.hooks.hook_state import record_failure
from mdmem.agents.hooks.model import AGENTS, HookPayload, read_payload, reply
from mdmem.agents.hooks.service import BEGUN, AgentHook, find_workspace
from mdmem.errors import ExitCode

_DEADLINE_MS = 2000  # from the beginning of the process; the settings may only shorten it
_LATE = "deadline"  # the kind of failure
_PATIENCE = 2  # seconds after the deadline at which the process ends in any case


class _Reply:
    """The reply, printed once: at the end, or at the deadline."""

    def __init__(self) -> None:
        self._lock, self._text = threading.Lock(), "{}"
        self._timer: threading.Timer | None = None
        self._nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends
        self._begun = time.monotonic()
        self.late: Callable[[], None] = lambda: None  # called when the deadline has passed

    def set(self, payload: HookPayload, text: str) -> None:
        self._text = json.dumps(reply(payload, text))

    def until(self, milliseconds: int) -> None:
        """Set the deadline, counted from the beginning."""
        if self._timer:
            self._timer.cancel()
        seconds = max(0.0, min(milliseconds, _DEADLINE_MS) / 1000 - (time.monotonic() - self._begun))
        self._timer = threading.Timer(seconds, self._leave)
        self._timer.daemon = True
        self._timer.start()
        # a regular expression holds back every thread but this one, which ends the process without a reply
        faulthandler.dump_traceback_later(seconds + _PATIENCE, exit=True, file=self._nowhere)

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

    def _leave(self) -> None:
        with self._lock:
            if self._text:
                self._print()
                self.late()
            os._exit(ExitCode.OK)

    def _print(self) -> None:
        """Print the reply, unless the agent has closed the stream, or cannot take more."""
        text, self._text = self._text, ""
        if sys.stdout is not None:
            with suppress(OSError), open(sys.stdout.fileno(), "wb", closefd=False) as stream:
                stream.write(f"{text}\n".encode())


def _tell_late(hook: AgentHook, root: str, event: str, given: dict[str, Any]) -> None:
    record_failure(root, event, _LATE)
    hook.late(given)


def _given(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the payload; an agent under another locale may send it in that encoding."""
    try:
        return json.loads(data)
    except UnicodeDecodeError:
        from mdmem.text.encodings import sent_text

        return json.loads(sent_text(data, sys.stdin.encoding))


def answer(values: Mapping[str, Any] | None) -> int:
    """Answer the event that the standard input tells of; return 0.

    Args:
        values: event, agent, root and record; None for words that cannot be read, which get an empty reply.
    """
    made, root, event = _Reply(), "", ""
    made.until(_DEADLINE_MS)
    try:
        event = values["event"] if values else ""
        given = _given(sys.stdin.buffer.read())
        payload = read_payload(event, given, values["agent"] or AGENTS[0]) if values else None
        work = (
            find_workspace(values["root"] or "", payload.folder, values["user"] or "") if values and payload else None
        )
        if values and payload and work:
            root = work.root
            hook = AgentHook(work, payload, patient=values["record"])
            if values["record"]:
                made.unlimited()
                hook.record(given.get(BEGUN))
            else:
                made.late = partial(_tell_late, hook, root, event or payload.event, given)
                made.until(hook.settings.deadline_ms)
                hook.run(lambda text: made.set(payload, text))
            work.config.cache.save(complete=False)
    except Exception as error:  # noqa: BLE001 - a failure of the memory must never disturb the agent
        if root:
            record_failure(root, event, type(error).__name__)
    made.write()
    return ExitCode.OK
