"""A session of OpenAI's Agents SDK that is kept in `sessions/`, where people read it and the keeper learns from it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mdmem import OpenSession, SaidNow, SessionLine, Workspace

_T = TypeVar("_T")
Item = dict[str, Any]
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class AgentsSession:
    """The conversation history of `Runner.run(…, session=…)`, with the methods that the SDK's protocol names.

    Messages, tool calls and their outputs come back whole, except that secrets are masked and that call ids are new.
    Reasoning and other items are not kept.

    >>> session = AgentsSession("user-42", Workspace("workspace"))
    """

    session_settings: Any = None  # the SDK's settings of a session; it sets them

    def __init__(self, session_id: str, workspace: Workspace, *, agent: str = "main") -> None:
        """Bind to a conversation; nothing is written before the first item.

        Args:
            session_id: your name for the conversation, which the session's file has as its task. An open session of
                this name is continued.
            workspace: where it is kept.
            agent: the agent that holds it.
        """
        self.session_id = session_id
        self._workspace, self._agent = workspace, agent
        self._open: OpenSession | None = None
        self._said: SaidNow | None = None
        self._lock = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """Return the items of the conversation, the oldest first; with a limit, the newest."""
        items = await self._run(self._items)
        return items if limit is None else items[len(items) - min(limit, len(items)) :]

    async def add_items(self, items: Sequence[Any]) -> None:
        """Add messages and tool calls."""
        await self._run(lambda: self._add([dict(one) for one in items]))

    async def pop_item(self) -> Item | None:
        """Remove and return the newest item; a tool call and its output are removed together."""
        return await self._run(self._pop)

    async def clear_session(self) -> None:
        """End the session in its file, which stays readable, and begin an empty one."""
        await self._run(self.end)

    def end(self, response: str = "") -> None:
        """End the session; then the scratchpad and the episode are written."""
        session = self._session(begin=False)
        if session and session.path:
            session.end(response)
        self._open = None

    async def _run(self, call: Callable[[], _T]) -> _T:
        """Run a call in a thread, one after another, so that the event loop never waits for the disk."""
        async with self._lock:
            return await asyncio.to_thread(call)

    def _session(self, *, begin: bool) -> OpenSession | None:
        """Return the open session of this name; with `begin`, a new one if there is none."""
        if self._open is None:
            sessions = self._workspace.sessions
            known = (one for one in sessions.list(agent=self._agent) if one.task == self.session_id and not one.ended)
            if found := next(known, None):
                self._open = sessions.resume(found.id, agent=self._agent)
            elif begin:
                self._open = sessions.start(self.session_id, agent=self._agent, lazy=True)
        return self._open

    def _items(self) -> list[Item]:
        session = self._session(begin=False)
        if session is None or not session.path:
            return []
        return [item for line in self._workspace.sessions.export(session.id) for item in _items_of(line)]

    def _add(self, items: Sequence[Mapping[str, Any]]) -> None:
        session = self._session(begin=True)
        assert session is not None
        results = {_call_id(one): one for one in items if one.get("type") == "function_call_output"}
        called = {_call_id(one) for one in items if one.get("type") == "function_call"}
        said: list[str] = []
        for item in items:
            kind, role = item.get("type", "message"), _ROLES.get(item.get("role", ""))
            if kind == "message" and role:
                session.turn(role, text := _text(item.get("content")))
                said += [text] if role == "user" else []
            elif kind == "function_call":
                answer = results.get(_call_id(item))
                session.turn(
                    "assistant", "", tool_calls=[_call(item)], tool_results=[_result(answer)] if answer else ()
                )
            elif kind == "function_call_output" and _call_id(item) not in called:
                session.turn("tool", "", tool_results=[_result(item)])
        if said:
            self._said = self._said or self._workspace.keeper.said_now()
            self._said.hear(session.path, "\n".join(said))

    def _pop(self) -> Item | None:
        session = self._session(begin=False)
        if session is None or not session.path:
            return None
        items = self._items()
        while items and len(self._items()) == len(items):  # a turn without text, before a call, is no item
            turns = self._workspace.sessions.show(session.id).turns
            file = self._workspace.read(session.path)
            text = file.text[: turns[-1].start].rstrip("\r\n") + "\n"
            by: dict[str, Any] = {"actor": self._agent, "reason": "pop_item"}
            self._workspace.write(session.path, text, expect=file.digest, confirm=True, **by)
        return items[-1] if items else None


def _items_of(line: SessionLine) -> Iterator[Item]:
    """Yield the items of a line: its message, then each call with its result."""
    if line.content:
        yield {"role": line.role, "content": line.content}
    results = {one["tool_use_id"]: one["content"] for one in line.tool_results}
    for call in line.tool_calls:
        given = call["input"]
        arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        yield {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": arguments}
        if call["id"] in results:
            yield _output(call["id"], results.pop(call["id"]))
    yield from (_output(ident, content) for ident, content in results.items())


def _output(ident: str, content: str) -> Item:
    return {"type": "function_call_output", "call_id": ident, "output": content}


def _call_id(item: Mapping[str, Any]) -> str:
    return str(item.get("call_id") or "")


def _text(content: object) -> str:
    """Return the text of a message's content: a text, or blocks of which those with text count.

    What no file can hold is replaced.
    """
    if isinstance(content, str):
        return content.encode("utf-8", "replace").decode()
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        _text(one["text"]) for one in blocks if isinstance(one, Mapping) and isinstance(one.get("text"), str)
    )


def _call(item: Mapping[str, Any]) -> Item:
    return {"id": _call_id(item), "name": _text(item.get("name")) or "tool", "arguments": item.get("arguments", "")}


def _result(item: Mapping[str, Any]) -> Item:
    output = item.get("output")
    content = _text(output) if isinstance(output, str | list) else json.dumps(output, ensure_ascii=False)
    return {"tool_use_id": _call_id(item), "content": content}
