"""Find in the settings of an agent the workspaces that they name, also where the record of a connection is gone."""

from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from mdmem.agents.connect.agent_files import NAME, Placement, settings_files
from mdmem.agents.connect.edits import value_of
from mdmem.agents.connect.entered import HOOK, ROOT, commands, standing
from mdmem.agents.connect.model import ConnectableAgent, Insertion, SettingsFile
from mdmem.instructions.read import read_outside

_SERVER = "mcp"
_PROVIDER = re.compile(r"register_memory_provider\(Memory\((.*)\)\)")
_MOVED = -1  # the offset of an insertion that nobody recorded


class ConnectedWorkspace(NamedTuple):
    """A workspace that an agent's settings name, and the program with which they do."""

    root: str
    program: tuple[str, ...]


def connected_workspaces(agent: ConnectableAgent, project: str = "") -> tuple[ConnectedWorkspace, ...]:
    """Return the workspaces that the settings of an agent name, of the user or of a project."""
    files = settings_files(agent, Placement((NAME,), "", os.path.expanduser("~"), project))
    return tuple(dict.fromkeys(found for file in files for found in _named(_text(file.path))))


def unrecorded(agent: ConnectableAgent, at: Placement, file: SettingsFile, text: str) -> dict[str, Any] | None:
    """Return what a record would say of the entries that a settings text has for a workspace; None if it has none.

    Raises:
        ValueError: the text is not valid JSON.
    """
    for program in dict.fromkeys(found.program for found in _named(text) if found.root == at.root):
        (ours,) = (one for one in settings_files(agent, at._replace(program=program)) if one.path == file.path)
        entries = [one for one in ours.entries if (found := standing(text, one)) and found.is_ours]
        appended = [blank + ours.text for blank in ("\n\n", "\n", "") if ours.text and blank + ours.text in text][:1]
        if entries or appended:
            insertions = [Insertion(_MOVED, one) for one in appended or [""] * len(entries)]
            rows = [[*one, 0] for one in entries]
            return {"agent": agent, "created": text == ours.text, "insertions": insertions, "entries": rows}
    return None


def _text(path: str) -> str:
    data = read_outside(path)
    return "" if data is None else data.decode("utf-8", "replace")


def _named(text: str) -> Iterator[ConnectedWorkspace]:
    """Yield the workspaces that the commands in a settings text name; none if it cannot be read."""
    if provider := _PROVIDER.search(text):
        yield ConnectedWorkspace(str(ast.literal_eval(provider.group(1))), (NAME,))
    for read in (value_of, tomllib.loads):
        try:
            value = read(text)
        except ValueError:
            continue
        for words in commands(value):
            pairs = list(pairwise(words))
            starts = [at for at, pair in enumerate(pairs) if pair == HOOK or pair[0] == _SERVER]
            program = tuple(words[: starts[0]]) if starts else ()
            if NAME in map(os.path.basename, program):
                yield from (ConnectedWorkspace(after, program) for word, after in pairs if word == ROOT)
        return
