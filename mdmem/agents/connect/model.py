"""The types of connections: where an agent keeps its settings, and what is entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from mdmem.settings.keeper_tables import HEADLESS

ConnectableAgent: TypeAlias = Literal["claude", "codex", "gemini", "cursor", "hermes"]
CONNECTABLE: tuple[ConnectableAgent, ...] = ("claude", "codex", "gemini", "cursor", "hermes")
KEEPERS = tuple(one for one in CONNECTABLE if one in HEADLESS)  # whose own programs may be asked as a model
ENDPOINT = "model"  # the word for an endpoint, in the place of an agent's name

OTHER_NAMES: Mapping[str, ConnectableAgent] = {  # in small letters
    "claude-code": "claude", "claudecode": "claude", "claude_code": "claude", "codex-cli": "codex",
    "openai-codex": "codex", "gemini-cli": "gemini", "google-gemini": "gemini", "cursor-agent": "cursor",
    "cursor-cli": "cursor", "hermes-agent": "hermes",
}  # fmt: skip


class JsonEntry(NamedTuple):
    """A value that is entered into a JSON file: a member of an object, or an item of an array."""

    keys: tuple[str, ...]  # of the objects that contain it
    value: Any
    name: str = ""  # of the member; empty for an item of the array that `keys` lead to


class SettingsFile(NamedTuple):
    """A settings file of an agent, and what is entered into it."""

    path: str  # absolute
    entries: tuple[JsonEntry, ...] = ()
    base: Mapping[str, Any] = {}  # members of a file that is created
    off_switch: str = ""  # the member that, set to true, keeps the agent from running any hook
    text: str = ""  # appended instead of entries, for a file that is not JSON


class Insertion(NamedTuple):
    """A text that was put into a file."""

    offset: int
    text: str
