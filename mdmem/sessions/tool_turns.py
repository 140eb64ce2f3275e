"""Makes tool turns of calls and results: long results and long inputs become artifacts, secrets are masked (K009)."""

# `put_artifact` is imported where it is needed: see `open_session`.
from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.artifact import POINTER
from mdmem.formats.tool_turn import ToolRun, tool_run_text
from mdmem.messages.catalog import say
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.sessions.record_line import ToolCall, ToolResult
from mdmem.sessions.sanitize import sanitize_turn

if TYPE_CHECKING:
    from mdmem.artifacts.model import StoredArtifact

INPUT_TOOL = "input"  # the tool's name in the artifact of a long input
_NAMELESS = "tool"  # the name of a tool whose call is not known


class ToolTurns(NamedTuple):
    """The texts of tool turns."""

    results: tuple[str, ...]  # of calls that were recorded earlier
    runs: tuple[str, ...]  # the calls of this turn, each with its result if there is one
    open_calls: Mapping[str, str]  # the calls that wait for their result: id → tool
    notes: tuple[str, ...]
    secrets: int = 0  # that were masked


def tool_turns(
    config: WorkspaceConfig,
    calls: Sequence[ToolCall],
    results: Sequence[ToolResult],
    open_calls: Mapping[str, str],
    *,
    agent: str,
    at: dt.datetime | None,
    known: KnownSecrets | None = None,
) -> ToolTurns:
    """Return the texts of the tool turns for calls and results; `open_calls` wait for their result (id → tool)."""
    maker = _Maker(config, agent, at, known)
    own = {call.id for call in calls if call.id}
    answers = {one.call: one for one in results if one.call in own}
    late = [one for one in results if one.call not in own]
    if not own and len(calls) == len(late) and not any(one.call in open_calls for one in late):  # without ids: in order
        pairs: list[tuple[ToolCall, ToolResult | None]] = list(zip(calls, late, strict=True))
        late = []
    else:
        pairs = [(call, answers.get(call.id)) for call in calls]
    ended = [maker.text(open_calls.get(one.call, _NAMELESS), "", one) for one in late]
    runs = [maker.text(call.name, call.input, result) for call, result in pairs]
    answered = {one.call for one in late}
    waiting = {key: tool for key, tool in open_calls.items() if key not in answered}
    waiting |= {call.id: call.name for call, result in pairs if call.id and result is None}
    return ToolTurns(tuple(ended), tuple(runs), waiting, tuple(dict.fromkeys(maker.notes)), maker.secrets)


class _Maker:
    def __init__(self, config: WorkspaceConfig, agent: str, at: dt.datetime | None, known: KnownSecrets | None) -> None:
        self._config, self._agent, self._at, self._known = config, agent, at, known
        self._settings = config.settings.session
        self.notes: list[str] = []
        self.secrets = 0

    def text(self, name: str, tool_input: str, result: ToolResult | None) -> str:
        tool, entered = self._clean(name), self._clean(self._short_input(tool_input)) if tool_input else ""
        if result is None:
            return tool_run_text(ToolRun(tool, entered, None, None, "", ""))
        content = self._clean(result.content)
        stored = self._stored(content, tool, entered, result.exit_code) if self._is_long(content) else None
        if stored is None:
            return tool_run_text(ToolRun(tool, entered, result.ok, result.exit_code, content, ""))
        self.notes.append(say(self._config.lang, "session.result-stored", lines=_lines(content), id=stored.id))
        summary = "\n".join(stored.summary)
        return tool_run_text(ToolRun(tool, entered, result.ok, result.exit_code, summary, stored.id))

    def _clean(self, text: str) -> str:
        clean = sanitize_turn(self._config, text, self._agent, self._known)
        self.notes += clean.notes
        self.secrets += clean.secrets
        return clean.text

    def _is_long(self, content: str) -> bool:
        settings = self._settings
        return _lines(content) > settings.result_lines or len(content) >= settings.paste_chars

    def _short_input(self, tool_input: str) -> str:
        """Return an input with a pointer in place of each long text in it."""
        if len(tool_input) < self._settings.paste_chars:
            return tool_input
        try:
            value = json.loads(tool_input)
        except (ValueError, RecursionError):
            value = tool_input
        short = self._short(value)
        return short if isinstance(short, str) else json.dumps(short, ensure_ascii=False)

    def _short(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, dict):
            return {key: self._short(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._short(one) for one in value]
        if not isinstance(value, str) or len(value) < self._settings.paste_chars:
            return value
        stored = self._stored(self._clean(value), INPUT_TOOL, "")
        return f"{POINTER}{stored.id}" if stored else value

    def _stored(self, text: str, tool: str, tool_input: str, code: int | None = None) -> StoredArtifact | None:
        """Store a text as an artifact; None if that fails: then it stays in the turn."""
        from mdmem.artifacts.service import put_artifact

        try:
            return put_artifact(
                self._config, text.encode(), stderr=b"", tool=tool, tool_input=tool_input, exit_code=code,
                owner=self._agent, started=self._at, ended=self._at,
            )  # fmt: skip
        except MdmemError:
            return None


def _lines(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1
