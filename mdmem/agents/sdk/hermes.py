"""A memory provider of Hermes Agent; see `agent/memory_provider.py` there for what calls each method and when."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from os.path import expanduser
from types import TracebackType
from typing import Any

from mdmem import MdmemError, OpenSession, SaidNow, Workspace
from mdmem.sessions.running import running_sessions

_ADDED = "add"  # the action of Hermes' own memory that brings a new text
_PRIMARY = "primary"  # the conversation with the user; others are helpers and timers
_ROLES = ("user", "assistant")
_LOG = logging.getLogger("mdmem")


class _Logged:
    """A block whose errors are logged instead of raised: no defect of the memory may stop the conversation."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):  # the text of another error may quote what was said
            _LOG.warning("%s", error if isinstance(error, MdmemError) else type(error).__name__)
        return isinstance(error, Exception)


class HermesMemory:
    """A workspace as the external memory of Hermes.

    Hermes looks for providers in `$HERMES_HOME/plugins/NAME/__init__.py`, which needs these lines:

        from agent.memory_provider import MemoryProvider
        from mdmem.agents.sdk import HermesMemory

        class Memory(HermesMemory, MemoryProvider):
            pass

        def register(ctx):
            ctx.register_memory_provider(Memory("~/memory"))

    A memory that cannot be read or written never stops the conversation: the reason is logged, and tools say it.
    """

    def __init__(self, root: str, *, lang: str | None = None, user: str = "") -> None:
        """Bind to a workspace, for a user as in `Workspace`."""
        self._workspace = Workspace(expanduser(root), lang=lang, user=user)
        self._session: OpenSession | None = None
        self._said: SaidNow | None = None
        self._writes = True

    @property
    def name(self) -> str:
        """The name of the provider, which is also the actor in the history."""
        return "mdmem"

    def is_available(self) -> bool:
        """Return whether the folder is a workspace with memory switched on."""
        with _Logged():
            return bool(self._workspace.tools()) and bool(self._workspace.files())
        return False

    def initialize(self, session_id: str, **about: Any) -> None:  # noqa: ANN401, ARG002 - Hermes sends what it knows
        """Begin a conversation; a helper's or a timer's is not recorded."""
        self._writes = about.get("agent_context", _PRIMARY) == _PRIMARY
        self._session = None

    def system_prompt_block(self) -> str:
        """Return what the model gets of the memory at the start."""
        with _Logged():
            return self._workspace.pack(rounds=()).text
        return ""

    def prefetch(self, query: str, *, session_id: str = "") -> str:  # noqa: ARG002 - Hermes' signature
        """Return the memories for a message; empty if nothing is known."""
        with _Logged():
            running = running_sessions(self._workspace.config)
            return self._workspace.recall(query, sparing=True, without=running).text
        return ""

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        """Do nothing: a search takes milliseconds."""

    def sync_turn(
        self,
        user_content: str | None,
        assistant_content: str | None,
        *,
        session_id: str = "",
        messages: object = None,  # noqa: ARG002 - Hermes' signature
    ) -> None:
        """Record a round of the conversation."""
        if not self._writes:
            return
        with _Logged():
            if self._session is None:
                task = " ".join((user_content or "").split())[:80] or session_id or self.name
                self._session = self._workspace.sessions.start(task, agent=self.name, lazy=True)
            for role, text in zip(_ROLES, (user_content, assistant_content), strict=True):
                if text and text.strip():
                    self._session.turn(role, text)
            self._said = self._said or self._workspace.keeper.said_now()
            self._said.hear(self._session.path, user_content or "")

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return the tools that `[mcp]` offers, in the form of OpenAI's functions."""
        from mdmem.tools.dispatch import usual

        with _Logged():
            names = usual(self._workspace)
            return [
                {"name": one["name"], "description": one["description"], "parameters": one["input_schema"]}
                for one in self._workspace.tools()
                if one["name"] in names
            ]
        return []

    def handle_tool_call(self, tool_name: str, args: object, **_: object) -> str:
        """Run a tool and return its reply as JSON."""
        return json.dumps(self._workspace.call(tool_name, args, actor=self.name), ensure_ascii=False)

    def on_turn_start(self, turn_number: int, message: str, **_: object) -> None:
        """Do nothing: a turn is recorded when it is complete."""

    def on_pre_compress(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """Return what the summary of these messages must keep: their state and key events, by the keeper's rules."""
        said = [one for one in messages if one.get("role") in _ROLES and isinstance(one.get("content"), str)]
        with _Logged():
            made = self._workspace.keeper.compact_context(
                [{"role": one["role"], "content": one["content"]} for one in said],
                write=False, now=True, backend="rules",
            )  # fmt: skip
            return made.text
        return ""

    def on_session_end(self, messages: object = None) -> None:  # noqa: ARG002 - each turn is recorded already
        """End the session; then the scratchpad and the episode are written."""
        session, self._session = self._session, None
        if session is not None and session.path:
            with _Logged():
                session.end()

    def on_session_switch(self, new_session_id: str, *, reset: bool = False, **_: object) -> None:  # noqa: ARG002
        """End the session if Hermes begins a new conversation; a resumed one goes on in its file."""
        if reset:
            self.on_session_end()

    def on_memory_write(self, action: str, target: str, content: str, *_: object, **__: object) -> None:  # noqa: ARG002
        """Remember what Hermes adds to its own memory files; they stay its own."""
        if action == _ADDED and self._writes:
            with _Logged():
                self._workspace.remember(content, actor=self.name, reason="on_memory_write")

    def on_delegation(self, task: str, result: str, **_: object) -> None:
        """Do nothing: what a helper found is in the turn that reports it."""

    def shutdown(self) -> None:
        """End the session."""
        self.on_session_end()

    def backup_paths(self) -> list[str]:
        """Return the folders that a backup must hold."""
        return [self._workspace.root]
