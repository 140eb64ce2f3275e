"""Shows sessions and what becomes of turns, and speaks with programs line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.doors import emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint, safe
from mdmem.errors import MdmemError, UsageError

if TYPE_CHECKING:
    from mdmem.core.session import Session, Turn
    from mdmem.workspace.session.open import OpenSession, Recorded

_STYLES = {"user": "note", "assistant": "good", "tool": "dim", "system": "warning"}
_LONGEST = 4_000_000  # characters of a line that a program may send: more than a session may hold


def begun(session: OpenSession, *, as_json: bool) -> None:
    """Print a new session's id."""
    if as_json:
        emit.json({"id": session.id, "path": session.path, "agent": session.agent})
    else:
        print(session.id)


def recorded(done: Recorded, *, as_json: bool) -> None:
    """Print what became of a turn, or of the end."""
    if as_json:
        emit.json(done._asdict())
        return
    paint = Paint(sys.stdout)
    print(f"{paint('good', '✓')} {safe(done.message)}" if done.status == "done" else f"= {safe(done.message)}")
    if done.hint:
        print(f"  {paint('dim', safe(done.hint))}")


def listed(found: Sequence[Session], lang: str, *, as_json: bool) -> None:
    """Print sessions as a table, or as one JSON object."""
    if as_json:
        emit.json({"sessions": [_head(one) for one in found]})
        return
    say, paint = _WORDS[lang], Paint(sys.stdout)
    if not found:
        print(say["none"])
        return
    rows = [(one.id, one.started, one.agent, say.get(one.outcome, one.outcome), one.task) for one in found]
    header = [say[key] for key in ("id", "started", "agent", "outcome", "task")]
    print("\n".join(table(header, rows, ("path", "dim", "", "note", ""), paint)))


def session(found: Session, lang: str, *, as_json: bool) -> None:
    """Print a whole session."""
    if as_json:
        emit.json(_head(found) | {"turns": [_turn(one) for one in found.turns]})
        return
    say, paint = _WORDS[lang], Paint(sys.stdout)
    print(paint("bold", safe(found.task or found.id)))
    facts = (found.started, found.agent, say.get(found.outcome, found.outcome))
    print(paint("dim", " · ".join(safe(one) for one in (*facts, found.path) if one)))
    for key, text in (("request", found.request), ("response", found.response)):
        if text:
            print(f"\n{paint('bold', say[key])}\n{_lines(text)}")
    turns(found.turns, as_json=False)
    if found.torn:
        print(f"\n{paint('warning', say['torn'])}")


def turns(found: Sequence[Turn], *, as_json: bool) -> None:
    """Print turns, each below who said it when."""
    if as_json:
        emit.json({"turns": [_turn(one) for one in found]})
        return
    paint = Paint(sys.stdout)
    for one in found:
        print(f"\n{paint(_STYLES[one.role], f'{one.number} {safe(one.speaker)}')} {paint('dim', one.time)}")
        print(_lines(one.text))


def record(session: OpenSession) -> int:
    """Answer each line of the standard input; gives 1 where one of them was wrong."""
    wrong, ended = 0, False
    while line := sys.stdin.buffer.readline(_LONGEST):
        if not line.strip():
            continue
        try:
            given = _object(line)
            reply, ended = _answer(session, given), ended or "end" in given
        except MdmemError as error:
            wrong = 1
            reply = {"status": "error", "code": error.code, "message": error.message, "hint": error.hint}
        print(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace").decode(), flush=True)
    return wrong


def _answer(session: OpenSession, given: dict[str, Any]) -> dict[str, Any]:
    if "end" in given:
        return session.end(_text(given, "end"), _text(given, "outcome", "success"))._asdict()
    text = _text(given, "text")
    if tool := _text(given, "tool", ""):
        text = f"{tool}: {text}"
    role = _text(given, "role", "tool" if tool else None)
    return session.turn(role, text, at=_text(given, "time", "") or None)._asdict()


def _object(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError("this line is not valid JSON", hint='send {"role": "user", "text": "…"}') from error
    if not isinstance(given, dict):
        raise UsageError("this line is no JSON object", hint='send {"role": "user", "text": "…"}')
    return given


def _text(given: dict[str, Any], key: str, default: str | None = None) -> str:
    value = given.get(key, default)
    if not isinstance(value, str):
        raise UsageError(f"`{key}` must be a text", hint='send {"role": "user", "text": "…"}')
    return value


def _head(one: Session) -> dict[str, Any]:
    return {key: value for key, value in one._asdict().items() if key != "turns"}


def _turn(one: Turn) -> dict[str, Any]:
    return {"number": one.number, "role": one.role, "speaker": one.speaker, "time": one.time, "text": one.text}


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.split("\n"))


_WORDS = {
    "en": {
        "none": "there are no sessions yet",
        "id": "session", "started": "began", "agent": "agent", "outcome": "outcome", "task": "task",
        "request": "Request", "response": "Response",
        "torn": "a crash left half a turn at the end; `mdmem recover` sets it aside, and the history keeps it",
    },
    "zh": {
        "none": "还没有会话",
        "id": "会话", "started": "开始", "agent": "谁", "outcome": "结局", "task": "任务",
        "request": "请求", "response": "回应",
        "torn": "上次中断时末尾留下了半轮；`mdmem recover` 会把它移走，历史里留着",
        "success": "成功", "partial": "部分完成", "failed": "失败", "ongoing": "进行中",
    },
}  # fmt: skip
