"""The transcripts that Claude Code and Codex keep of their sessions, line by line. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from mdmem.importers.json_stream import stream_lines
from mdmem.importers.model import ImportedSession, ImportProblem, ImportRecord, ImportSource, System, origin_of
from mdmem.importers.readers.common import base, moment, objects, stem, text_of
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_PEEKED = 5  # lines in which a transcript says what it is
_CLAUDE_KEYS = ("sessionId", "leafUuid", "snapshot")
_CODEX_KINDS = ("session_meta", "response_item", "event_msg", "turn_context")
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_UUID = pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_ROLLOUT = pattern(r"rollout-.*\.jsonl\Z")
# What a program puts into a message in the name of the user.
_OF_PROGRAM = pattern(
    r"\s*(?:<(?:local-)?command-|<(?:system-reminder|environment_context|user_instructions|permissions instructions|"
    r"turn_aborted|bash-|INSTRUCTIONS|task-notification)|Caveat: The messages below|# AGENTS\.md instructions)"
)
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_Turn = dict[str, Any]


class _WrongLineError(ValueError):
    """A line has a value of another type than its format says."""


class _Transcript:
    """What was read of one transcript."""

    def __init__(self) -> None:
        self.turns: list[_Turn] = []
        self.left = Counter({"side": 0, "system": 0, "thinking": 0})  # what is left out
        self.title, self.ident, self.folder, self.started = "", "", "", ""

    def say(self, role: str, content: Sequence[Mapping[str, Any]], at: str) -> None:
        """Add a message that has content; a text that the program put in the user's name is left out."""
        said = [one for one in content if one["type"] != "text" or one["text"].strip()]
        if role == "user":
            own = [one for one in said if not (one["type"] == "text" and _OF_PROGRAM.match(one["text"]))]
            self.left["system"] += len(said) - len(own)
            said = own
        if said:
            turn: _Turn = {"role": role, "content": said, "timestamp": at}
            try:
                json.dumps(turn, ensure_ascii=False).encode()
            except (ValueError, RecursionError) as error:  # half a character, or values nested too deep
                raise _WrongLineError from error
            self.turns.append(turn)


_LineReader = Callable[[_Transcript, Mapping[str, Any]], None]


def is_claude_transcript(source: ImportSource, name: str) -> bool:
    """Return whether a file is a transcript of Claude Code."""
    return any(
        isinstance(one.get("type"), str) and any(key in one for key in _CLAUDE_KEYS) for one in _first(source, name)
    )


def is_codex_transcript(source: ImportSource, name: str) -> bool:
    """Return whether a file is a rollout of Codex."""
    return bool(_ROLLOUT.match(base(name))) or any(
        one.get("type") in _CODEX_KINDS and isinstance(one.get("payload"), Mapping) for one in _first(source, name)
    )


def _first(source: ImportSource, name: str) -> list[Mapping[str, Any]]:
    """Return the objects of the first lines of a file of JSON lines."""
    if not name.endswith(".jsonl"):
        return []
    try:
        with source.open(name) as stream:
            found = list(islice(stream_lines(stream), _PEEKED))
    except OSError:
        return []
    return [one.value for one in found if not isinstance(one, int) and isinstance(one.value, Mapping)]


def read_claude_transcript(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    """Yield a session of Claude Code."""
    return _read(source, name, "claude-code", _claude_line)


def read_codex_transcript(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    """Yield a session of Codex."""
    return _read(source, name, "codex", _codex_line)


def _read(source: ImportSource, name: str, system: System, read_line: _LineReader) -> Iterator[ImportRecord]:
    """Yield the session of a transcript, the lines that are wrong, and how many were left out."""
    found = _Transcript()
    for one in objects(source, name):
        if isinstance(one, ImportProblem):
            yield one
            continue
        place, line = one
        try:
            read_line(found, line)
        except _WrongLineError:
            yield ImportProblem(place, "import.broken-line", {})
    if any(found.left.values()):
        yield ImportProblem(name, "import.left-out", dict(found.left), "skipped")
    if not found.turns:
        yield ImportProblem(name, "import.no-messages", {}, "skipped")
        return
    last = stem(name)
    ident = last if _UUID.match(last) else found.ident or last
    title = one_line(found.title or _first_words(found.turns)).strip() or system
    started = found.started or next((one["timestamp"] for one in found.turns if one["timestamp"]), "")
    yield ImportedSession(
        origin_of(system, ident), name, title, tuple(found.turns), system, started, project=found.folder
    )


def _first_words(turns: list[_Turn]) -> str:
    """Return the first line that the user wrote."""
    texts = (one["text"] for turn in turns if turn["role"] == "user" for one in turn["content"] if "text" in one)
    return next((text.strip().partition("\n")[0] for text in texts), "")


def _claude_line(found: _Transcript, line: Mapping[str, Any]) -> None:
    kind, message = line.get("type"), line.get("message")
    if isinstance(kind, str) and kind in _TITLES:
        found.title = text_of(line.get(_TITLES[kind])) or found.title
        return
    found.ident = found.ident or text_of(line.get("sessionId"))
    if line.get("isSidechain") is True:
        found.left["side"] += 1
        return
    is_program = any(line.get(key) is True for key in ("isMeta", "isCompactSummary", "isApiErrorMessage"))
    if kind not in ("user", "assistant") or is_program:
        found.left["system"] += 1
        return
    found.folder = found.folder or text_of(line.get("cwd"))
    if not isinstance(message, Mapping):
        raise _WrongLineError
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    thoughts = [one for one in _objects(blocks) if one.get("type") in ("thinking", "redacted_thinking")]
    found.left["thinking"] += len(thoughts)
    said = [_claude_block(one) for one in _objects(blocks) if one not in thoughts]
    found.say(str(kind), said, moment(line.get("timestamp")))


def _claude_block(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a block with the keys that a session takes; what is no text stands as its kind."""
    kind = _text(block, "type")
    if kind == "text":
        return {"type": kind, "text": _text(block, "text")}
    if kind == "tool_use":
        return _call(_text(block, "name"), block.get("input"), text_of(block.get("id")))
    if kind == "tool_result":
        return _result(text_of(block.get("tool_use_id")), block.get("content"), is_error=block.get("is_error") is True)
    return {"type": "text", "text": f"[{kind}]"}


def _codex_line(found: _Transcript, line: Mapping[str, Any]) -> None:
    kind, payload = line.get("type"), line.get("payload", line)
    if not isinstance(payload, Mapping):
        raise _WrongLineError
    if kind == "session_meta" or (kind is None and "instructions" in line):
        found.ident = found.ident or text_of(payload.get("id"))
        found.folder = found.folder or text_of(payload.get("cwd"))
        found.started = found.started or moment(payload.get("timestamp"))
        return
    inner = payload.get("type")
    if inner == "reasoning":
        found.left["thinking"] += 1
    elif inner == "message" and payload.get("role") in ("user", "assistant") and kind != "event_msg":
        blocks = [{"type": "text", "text": _codex_text(one)} for one in _objects(payload.get("content"))]
        found.say(str(payload["role"]), blocks, moment(line.get("timestamp")))
    elif isinstance(inner, str) and inner in _CALLS and kind != "event_msg":
        action = payload.get("action")
        given = action if isinstance(action, Mapping) else payload.get("arguments", payload.get("input"))
        name = "shell" if inner == "local_shell_call" else _text(payload, "name")
        call = _call(name, given, text_of(payload.get("call_id")))
        found.say("assistant", [call], moment(line.get("timestamp")))
    elif isinstance(inner, str) and inner.removesuffix("_output") in _CALLS and kind != "event_msg":
        result = _result(text_of(payload.get("call_id")), *_codex_output(payload.get("output")))
        found.say("tool", [result], moment(line.get("timestamp")))
    else:
        found.left["system"] += 1


def _codex_text(block: Mapping[str, Any]) -> str:
    return _text(block, "text") if "text" in block else f"[{_text(block, 'type')}]"


def _codex_output(output: object) -> tuple[object, bool]:
    """Return the text of an output, and whether its tool failed, as far as it says so."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return output, False
    if not isinstance(output, Mapping):
        return output, False
    text = output.get("output", output.get("content"))
    meta = output.get("metadata")
    code = meta.get("exit_code") if isinstance(meta, Mapping) else None
    is_error = output.get("success") is False or (isinstance(code, int) and code != 0)
    return (text if isinstance(text, str | list) else json.dumps(output, ensure_ascii=False)), is_error


def _call(name: str, given: object, ident: str) -> Mapping[str, Any]:
    if not name.strip():
        raise _WrongLineError
    return {"type": "tool_use", "name": name, "input": given, "id": ident}


def _result(ident: str, content: object, is_error: bool) -> Mapping[str, Any]:  # noqa: FBT001 - unpacked
    texts = [_block_text(one) for one in _objects(content)] if isinstance(content, list) else [content or ""]
    if not all(isinstance(one, str) for one in texts):
        raise _WrongLineError
    return {"type": "tool_result", "tool_use_id": ident, "content": "\n".join(map(str, texts)), "is_error": is_error}


def _block_text(block: Mapping[str, Any]) -> str:
    return _text(block, "text") if "text" in block else f"[{text_of(block.get('type')) or 'file'}]"


def _objects(value: object) -> list[Mapping[str, Any]]:
    """Return a list of objects; anything else is wrong."""
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise _WrongLineError
    return value


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise _WrongLineError
    return value
