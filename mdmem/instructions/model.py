"""The types of instruction files: what became of a file, and what is known of the block that was written into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from mdmem.errors import MdmemError

RECORD = "files.json"
INSTRUCTION_FILES: Mapping[str, str] = {  # the file that an agent reads in each folder
    "claude": "CLAUDE.md", "codex": "AGENTS.md", "gemini": "GEMINI.md", "cursor": "AGENTS.md", "hermes": "AGENTS.md",
}  # fmt: skip
ConnectionState: TypeAlias = Literal["connected", "unchanged", "removed", "none", "changed", "planned", "gone"]


@dataclass(frozen=True, slots=True)
class ConnectedFile:
    """What was done, or would be done, with a file that an agent reads."""

    path: str  # with ~ for the home folder
    # changed: nothing was done, for what is ours there was changed by hand; gone: the block, or the file, was removed
    status: ConnectionState
    diff: str = ""
    moved: int = 0  # lines that a person wrote into a generated block, and that stand below it now
    left: tuple[tuple[str, int], ...] = ()  # entries of an agent's settings that were changed by hand: place, line
    disabled_by: str = ""  # the setting that keeps the agent from running any hook
    target: str = ""  # the file that is written, if a link leads there


class BlockRecord(NamedTuple):
    """What is known of the block that mdmem wrote into a file."""

    agent: str
    created: bool = False  # the file was made for the block
    lead: str = ""  # what was put between the block and the text before it
    written: tuple[str, ...] = ()  # digests of the lines that stand in the block
    removed: tuple[str, ...] = ()  # digests of the lines that a person took out of it


@dataclass(frozen=True, slots=True)
class RefreshedFile:
    """The result of a refresh: what became of a file, or why nothing did."""

    key: str  # the absolute path
    file: ConnectedFile
    error: MdmemError | None = None


def read_block_record(value: Any) -> BlockRecord | None:  # noqa: ANN401 - as read from JSON
    """Return the record that was read from JSON; None if it is none."""
    if not isinstance(value, dict) or not isinstance(value.get("agent"), str):
        return None
    lists = {key: value.get(key) for key in ("written", "removed")}
    texts = {key: tuple(map(str, one)) for key, one in lists.items() if isinstance(one, list)}
    return BlockRecord(value["agent"], value.get("created") is True, str(value.get("lead", "")), **texts)
