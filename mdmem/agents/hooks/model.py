"""The events of agents' hooks: read the payload of an agent, write the reply that it understands."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

from mdmem.agents.hooks.gemini_payload import NO_REPLY, shell_output, without_files
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern

AgentName: TypeAlias = Literal["claude", "codex", "gemini", "cursor"]
Event: TypeAlias = Literal["start", "prompt", "tool", "compact", "stop", "end"]
AGENTS: tuple[AgentName, ...] = ("claude", "codex", "gemini", "cursor")
EVENTS: tuple[Event, ...] = ("start", "prompt", "tool", "compact", "stop", "end")
# Agents that are given the memory with the first prompt. Gemini CLI puts what it is given at a start in front of the
# prompt, reads the files of each `@name` in it, leaves that prompt out when the session is resumed, and gives the
# model nothing after `/clear`.
GIVEN_WITH_PROMPT: frozenset[AgentName] = frozenset(("gemini",))

# Agents that are given nothing with a prompt.
GIVEN_WITH_START: frozenset[AgentName] = frozenset(("cursor",))

# The names that agents give to the events.
_NAMES: dict[str, Event] = {
    "SessionStart": "start", "sessionStart": "start",
    "UserPromptSubmit": "prompt", "BeforeAgent": "prompt", "beforeSubmitPrompt": "prompt",
    "PostToolUse": "tool", "PostToolUseFailure": "tool", "AfterTool": "tool", "afterShellExecution": "tool",
    "PreCompact": "compact", "PreCompress": "compact", "preCompact": "compact",
    "Stop": "stop", "AfterAgent": "stop", "afterAgentResponse": "stop",
    "SessionEnd": "end", "sessionEnd": "end",
}  # fmt: skip
ASKED = "manual"  # the source of a compaction that the user asked for
_FAILED = "PostToolUseFailure"  # Claude Code says a failure by the name of the event
# Blocks that an agent adds to a prompt: they are not what the user said.
_ADDED = pattern(r"<(system-reminder|hook_context|system_note)>")
_SPACE = pattern(r"\s*")
_WORD = pattern(r"\w+")


class HookPayload(NamedTuple):
    """One event of an agent's session."""

    event: Event
    name: str  # as the agent calls it
    agent: AgentName
    session: str = ""
    folder: str = ""  # where the agent works
    source: str = ""  # of a start: startup, resume, clear, compact, fork; of a compaction: manual, auto
    prompt: str = ""
    reply: str = ""  # what the agent said last
    tool: str = ""
    tool_input: str = ""
    tool_output: str = ""
    failed: bool = False
    exit_code: int | None = None  # of the tool, if the agent tells it


def read_payload(event: str, given: object, agent: str) -> HookPayload | None:
    """Return the event of a payload; None if it is no event that mdmem acts on.

    Args:
        event: ours, or the agent's name of it; empty for the one in the payload.
        given: the parsed JSON from the agent.
        agent: whose payload it is; for another name, the payload is read as Claude Code's.
    """
    if not isinstance(given, Mapping):
        return None
    name = _text(given, "hook_event_name") or event
    known = _NAMES.get(event) or next((one for one in EVENTS if one == event), None) or _NAMES.get(name)
    if known is None:
        return None
    response = given.get("tool_response", given.get("output", given.get("error")))
    output, code = _output(response)
    said = _text(given, "last_assistant_message", "prompt_response", "text")
    return HookPayload(
        known, name, next((one for one in AGENTS if one == agent), "claude"),
        session=_text(given, "session_id", "conversation_id"), folder=_text(given, "cwd"),
        source=_text(given, "source", "trigger"), prompt=_said(_text(given, "prompt"), agent),
        reply="" if said == NO_REPLY else said,
        tool=_text(given, "tool_name") or ("shell" if "command" in given else ""),
        tool_input=_as_text(given.get("tool_input", given.get("command", ""))), tool_output=output,
        failed=name == _FAILED or bool(code) or _has_failed(response), exit_code=code,
    )  # fmt: skip


def _said(prompt: str, agent: str) -> str:
    """Return what the user said, without what an agent added to it."""
    said = _without_added(prompt)
    return (without_files(said) if agent == "gemini" else said).strip()


def _without_added(prompt: str) -> str:
    """Return a prompt without the blocks that an agent adds; a block that is not closed is what the user said.

    Takes linear time, also for tags that nobody closes: a name whose closing tag was not found is not looked for again.
    """
    kept, at, unclosed = list[str](), 0, set[str]()
    for opening in _ADDED.finditer(prompt):
        name = opening.group(1)
        if opening.start() < at or name in unclosed:
            continue
        closing = f"</{name}>"
        end = prompt.find(closing, opening.end())
        if end < 0:
            unclosed.add(name)
            continue
        kept.append(prompt[at : opening.start()])
        behind = _SPACE.match(prompt, end + len(closing))
        at = behind.end() if behind else end + len(closing)
    return "".join(kept) + prompt[at:]


def _output(response: object) -> tuple[str, int | None]:
    """Return the text that a tool put out, and its exit code if the agent tells it."""
    if not isinstance(response, Mapping):
        return _as_text(response), None
    if "llmContent" in response:  # Gemini CLI, which also has the same text as it is displayed
        return shell_output(_as_text(response["llmContent"]))
    code = response.get("exit_code", response.get("exitCode"))
    return _as_text(response), code if isinstance(code, int) else None


def _text(given: Mapping[str, Any], *keys: str) -> str:
    """Return the first of these values that is a text, with what no file can hold replaced."""
    found = next((given[key] for key in keys if isinstance(given.get(key), str)), "")
    return found.encode("utf-8", "replace").decode() if found else ""


def _as_text(value: object) -> str:
    """Return the text of a tool's input or output: of an object, its texts line by line."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return "\n".join(filter(None, map(_as_text, value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, map(_as_text, value)))
    return ""


def _has_failed(response: object) -> bool:
    """Return whether the response of a tool says that it failed."""
    return isinstance(response, Mapping) and bool(response.get("error") or response.get("is_error"))


def is_question(prompt: str, least_words: int) -> bool:
    """Return whether a prompt says enough to recall something: no command of the agent, and enough words."""
    return not prompt.startswith("/") and _words(prompt) >= least_words


def _words(text: str) -> int:
    """Return the number of words; in a script without spaces, two characters make one."""
    runs = ((dense, "".join(run)) for dense, run in groupby(text, is_dense))
    return sum((len(run) + 1) // 2 if dense else len(_WORD.findall(run)) for dense, run in runs)


def reply(payload: HookPayload, text: str) -> dict[str, Any]:
    """Return the reply that puts a text into the agent's context; with only the keys that every agent knows."""
    if not text or payload.event not in ("start", "prompt"):
        return {}
    if payload.agent == "cursor":
        return {"additional_context": text} if payload.event == "start" else {}
    return {"hookSpecificOutput": {"hookEventName": payload.name, "additionalContext": text}}
