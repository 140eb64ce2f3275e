"""Where each agent keeps its settings, and what is entered there. The names and units are those of the agents."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.agents.connect.model import ConnectableAgent, JsonEntry, SettingsFile
from mdmem.agents.hooks.model import ASKED

NAME = "mdmem"  # of the MCP server
OFF_SWITCH = "disableAllHooks"  # of Claude Code
_SECONDS = 10  # an agent's own limit; a hook ends long before


class Placement(NamedTuple):
    """What an entry names: the program, the workspace, and where the agent's settings are."""

    program: Sequence[str]
    root: str
    home: str
    project: str = ""  # the settings of this folder instead of the user's
    tools: Sequence[str] = ()  # tools whose outputs may become artifacts
    user: str = ""  # whose memory the agent is given; it can name no other

    def hook(self, agent: ConnectableAgent, event: str) -> str:
        """Return the command line of a hook."""
        return shlex.join([*self.program, "hook", "run", event, "--for", agent, *self._place])

    @property
    def server(self) -> dict[str, Any]:
        """The entry of the MCP server."""
        return {"command": self.program[0], "args": [*self.program[1:], "mcp", *self._place]}

    @property
    def _place(self) -> tuple[str, ...]:
        return ("--root", self.root, *(("--user", self.user) if self.user else ()))

    def inside(self, folder: str, name: str) -> str:
        """Return the path of a file in an agent's folder, of the user or of the project."""
        return os.path.join(self.project or self.home, folder, name)


def settings_files(agent: ConnectableAgent, at: Placement) -> tuple[SettingsFile, ...]:
    """Return the files that connect an agent."""
    return {"claude": _claude, "codex": _codex, "gemini": _gemini, "cursor": _cursor, "hermes": _hermes}[agent](at)


def _claude(at: Placement) -> tuple[SettingsFile, ...]:
    servers = os.path.join(at.project, ".mcp.json") if at.project else os.path.join(at.home, ".claude.json")
    entry = JsonEntry(("mcpServers",), {"type": "stdio", **at.server}, NAME)
    hooks = claude_hooks(at)
    settings = SettingsFile(at.inside(".claude", "settings.json"), _entries(hooks), off_switch=OFF_SWITCH)
    return settings, SettingsFile(servers, (entry,))


def claude_hooks(at: Placement) -> dict[str, Any]:
    """Return the hooks of Claude Code."""
    events = {
        "SessionStart": "start", "UserPromptSubmit": "prompt", "PostToolUse": "tool", "PostToolUseFailure": "tool",
        "Stop": "stop", "SessionEnd": "end",
    }  # fmt: skip
    return _hooks("claude", events, at, {"timeout": _SECONDS}, "|".join(at.tools))


def _codex(at: Placement) -> tuple[SettingsFile, ...]:
    events = {
        "SessionStart": "start", "UserPromptSubmit": "prompt", "PostToolUse": "tool", "PreCompact": "compact",
        "Stop": "stop",
    }  # fmt: skip
    hooks = _hooks("codex", events, at, {"timeout": _SECONDS}, "|".join(at.tools))
    server = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in at.server.items())
    return (
        SettingsFile(at.inside(".codex", "hooks.json"), _entries(hooks)),
        SettingsFile(at.inside(".codex", "config.toml"), text=f"[mcp_servers.{NAME}]\n{server}"),
    )


def _gemini(at: Placement) -> tuple[SettingsFile, ...]:
    events = {
        "SessionStart": "start", "BeforeAgent": "prompt", "AfterTool": "tool", "PreCompress": "compact",
        "AfterAgent": "stop", "SessionEnd": "end",
    }  # fmt: skip
    hooks = _hooks("gemini", events, at, {"timeout": _SECONDS * 1000}, "|".join(at.tools))
    entry = JsonEntry(("mcpServers",), at.server, NAME)
    at = at._replace(home=os.environ.get("GEMINI_CLI_HOME") or at.home)
    return (SettingsFile(at.inside(".gemini", "settings.json"), (*_entries(hooks), entry)),)


def _cursor(at: Placement) -> tuple[SettingsFile, ...]:
    events = {
        "sessionStart": "start", "beforeSubmitPrompt": "prompt", "afterShellExecution": "tool",
        "afterAgentResponse": "stop", "sessionEnd": "end",
    }  # fmt: skip
    entries = tuple(JsonEntry(("hooks", name), {"command": at.hook("cursor", ours)}) for name, ours in events.items())
    servers = (JsonEntry(("mcpServers",), at.server, NAME),)
    return (
        SettingsFile(at.inside(".cursor", "hooks.json"), entries, {"version": 1}),
        SettingsFile(at.inside(".cursor", "mcp.json"), servers),
    )


def _hermes(at: Placement) -> tuple[SettingsFile, ...]:
    given = repr(at.root) + (f", user={at.user!r}" if at.user else "")
    home = os.environ.get("HERMES_HOME") or os.path.join(at.home, ".hermes")
    return (SettingsFile(os.path.join(home, "plugins", NAME, "__init__.py"), text=_PROVIDER.format(given=given)),)


_PROVIDER = """\
from agent.memory_provider import MemoryProvider
from mdmem.agents.sdk import HermesMemory


class Memory(HermesMemory, MemoryProvider):
    pass


def register(ctx):
    ctx.register_memory_provider(Memory({given}))
"""


def _hooks(
    agent: ConnectableAgent, events: Mapping[str, str], at: Placement, more: Mapping[str, object], tools: str
) -> dict[str, Any]:
    """Return the groups of hooks by the agent's names of the events; only what matters starts a process."""
    found: dict[str, Any] = {}
    matchers = {"tool": tools}
    if agent == "gemini":  # by itself, it tells of a summary with every request to the model
        matchers["compact"] = ASKED
    for name, ours in events.items():
        group = {"matcher": matchers[ours]} if ours in matchers else {}
        found[name] = group | {"hooks": [{"type": "command", "command": at.hook(agent, ours), **more}]}
    return found


def _entries(hooks: Mapping[str, Any]) -> tuple[JsonEntry, ...]:
    return tuple(JsonEntry(("hooks", name), group) for name, group in hooks.items())
