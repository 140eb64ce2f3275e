"""Gives recorded turns back as the lines of a program: text, calls, results, time (K076, K171, K179)."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mdmem.artifacts.read import output_of
from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.errors import MdmemError
from mdmem.formats.artifact import POINTER
from mdmem.formats.session import Session, Turn
from mdmem.formats.tool_turn import ToolRun, read_tool_run
from mdmem.sessions.pasted_text import PASTE_TOOL
from mdmem.sessions.read import find, paths, read_whole
from mdmem.sessions.tool_turns import INPUT_TOOL
from mdmem.text.pattern import pattern

_STORED = pattern(rf"{POINTER}([0-9A-Za-z][0-9A-Za-z_.-]{{0,99}})$")


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One turn with its tool runs, as `mdmem session record` takes it."""

    session: str  # its id
    role: str  # user, assistant, tool or system
    content: str
    tool_calls: tuple[Mapping[str, Any], ...]  # name, input, id
    tool_results: tuple[Mapping[str, Any], ...]  # tool_use_id, content, is_error, and exit_code if there is one
    timestamp: str  # 2026-02-20T10:00:00
    token_estimate: int  # of the text, the inputs and the results (K073)


def export_sessions(config: WorkspaceConfig, name: str | None, since: str) -> Iterator[SessionLine]:
    """Yield the turns of one session, or of all that began since a day; see `Workspace.sessions.export`."""
    if name is not None:
        yield from _session_lines(config, read_whole(config, find(config, name)))
        return
    day = since.replace("-", "")
    begun = [path for path in paths(config, below=True) if path.rpartition("/")[2].replace("-", "")[:8] >= day[:8]]
    for path in reversed(begun):
        yield from _session_lines(config, read_whole(config, path))


@dataclass(slots=True)
class _ExportedLine:
    turn: Turn
    content: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)


def _session_lines(config: WorkspaceConfig, session: Session) -> Iterator[SessionLine]:
    day = session.started[:10] or f"{session.id[:4]}-{session.id[4:6]}-{session.id[6:8]}"
    count = token_counter(config.settings.tokens)
    for line in _Lines(config).read(session.turns):
        time = line.turn.time.replace(" ", "T") if "-" in line.turn.time[:8] else f"{day}T{line.turn.time}"
        stamp = f"{time}:00" if time.count(":") == 1 else time
        calls, results = tuple(line.calls), tuple(line.results)
        given = (one["input"] for one in calls)
        inputs = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in given)
        tokens = sum(map(count, (line.content, *inputs, *(one["content"] for one in results))))
        yield SessionLine(session.id, line.turn.role, line.content, calls, results, stamp, tokens)


class _Lines:
    """Puts tool turns to the turn of the assistant before them, and results to their calls."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config
        self._lines: list[_ExportedLine] = []
        self._waiting: dict[str, deque[tuple[_ExportedLine, str]]] = defaultdict(deque)  # tool → calls without a result
        self._calls = 0

    def read(self, turns: Sequence[Turn]) -> list[_ExportedLine]:
        for turn in turns:
            run = read_tool_run(turn.text) if turn.role == "tool" else None
            if run is None or not (run.input or run.ok is not None):
                self._lines.append(_ExportedLine(turn, self._restored(turn.text, PASTE_TOOL)))
            elif not run.input and self._waiting[run.tool]:
                line, call = self._waiting[run.tool].popleft()
                line.results.append(self._result(run, call))
            else:
                self._add(turn, run)
        return self._lines

    def _add(self, turn: Turn, run: ToolRun) -> None:
        last = self._lines[-1] if self._lines else None
        if last is None or last.turn.role != "assistant" or last.turn.number != turn.number:
            last = _ExportedLine(replace(turn, role="assistant"), "")
            self._lines.append(last)
        self._calls += 1
        call = f"call_{self._calls}"
        last.calls.append({"name": run.tool, "input": self._input(run.input), "id": call})
        if run.ok is None:
            self._waiting[run.tool].append((last, call))
        else:
            last.results.append(self._result(run, call))

    def _result(self, run: ToolRun, call: str) -> dict[str, Any]:
        found = {"tool_use_id": call, "content": self._restored(run.result, run.tool), "is_error": run.ok is False}
        return found if run.exit_code is None else found | {"exit_code": run.exit_code}

    def _input(self, tool_input: str) -> Any:  # noqa: ANN401 - any JSON
        if not tool_input.startswith(("{", "[")):
            return self._value(tool_input)
        try:
            return self._value(json.loads(tool_input))
        except (ValueError, RecursionError):
            return tool_input

    def _value(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a value with the long texts that were stored apart."""
        if isinstance(value, dict):
            return {key: self._value(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._value(one) for one in value]
        if isinstance(value, str) and (pointer := _STORED.fullmatch(value)):
            stored = self._stored(pointer[1], INPUT_TOOL)
            return stored[1] if stored else value
        return value

    def _restored(self, text: str, tool: str) -> str:
        """Return a text with the stored content in place of each complete summary in it."""
        if POINTER not in text:
            return text
        for pointer in dict.fromkeys(match[1] for line in text.split("\n") if (match := _STORED.search(line))):
            stored = self._stored(pointer, tool)
            if stored and stored[0] in text:
                text = text.replace(*stored, 1)
        return text

    def _stored(self, id: str, tool: str) -> tuple[str, str] | None:  # noqa: A002 - the noun
        """Return the summary and the whole text of an artifact; None if it is missing or of another tool."""
        summary, pieces = "", list[bytes]()
        while id:
            try:
                found = output_of(self._config, id, "user")
            except MdmemError:
                return None
            if found.artifact is None or found.artifact.tool != tool:
                return None
            summary = summary or "\n".join(found.artifact.summary)
            pieces.append(found.raw)
            id = found.artifact.next  # noqa: A001 - the noun
        return summary, b"".join(pieces).decode("utf-8", "replace")
