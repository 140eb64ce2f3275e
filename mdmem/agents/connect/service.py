"""Enter mdmem into the settings of an agent, and take out exactly that."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from typing import Any

from mdmem import Workspace
from mdmem.agents.connect.agent_files import Placement, settings_files
from mdmem.agents.connect.edits import apply, insert, present_keys, read_json, without_entries
from mdmem.agents.connect.model import ConnectableAgent, Insertion, SettingsFile
from mdmem.agents.connect.own_program import program
from mdmem.errors import ConfigError
from mdmem.instructions.model import ConnectedFile, ConnectionState
from mdmem.instructions.outside_files import masked_diff, replace_outside, settled
from mdmem.instructions.read import read_outside, short_path
from mdmem.instructions.records import AgentRecord
from mdmem.messages.catalog import say

RECORD = "connections.json"


class Connector:
    """Connects one workspace with agents; what was entered is recorded in the workspace."""

    def __init__(self, work: Workspace, project: str = "") -> None:
        """Bind to a workspace; with `project`, to the settings of that folder instead of the user's."""
        self._work, self._lang = work, work.lang
        self._project = os.path.abspath(project) if project else ""
        self._stored = AgentRecord(work.config, RECORD)

    def connect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Enter the workspace's hooks and MCP server into the settings of an agent.

        Args:
            agent: which one.
            dry_run: only tell what would change.

        Raises:
            ConfigError: a settings file has another server of this name, or is no settings file; nothing was changed.
            UnreadableFileError: a settings file cannot be read.
            LockedError: another process connects an agent.
            WriteError: the system refused.
        """
        found: list[ConnectedFile] = []

        def change() -> None:
            with nullcontext() if dry_run else self._stored.changing():
                found[:] = self._connected(agent, dry_run=dry_run)

        settled(change)
        return tuple(found)

    def _connected(self, agent: ConnectableAgent, *, dry_run: bool) -> list[ConnectedFile]:
        made = [(file, self._made(file)) for file in self._files(agent)]
        found = []
        for file, (before, after, record) in made:
            same = before == after
            status: ConnectionState = "unchanged" if same else "planned" if dry_run else "connected"
            found.append(ConnectedFile(short_path(file.path), status, masked_diff(file.path, before or "", after)))
            if not same and not dry_run:
                # recorded before it is entered, so that an interrupted `connect` can be taken back
                self._record[file.path] = {"agent": agent, "program": list(program()), **record}
                self._stored.save()
                _write(file.path, before, after)
        return found

    def disconnect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Take out of the settings of an agent what `connect` has entered, and nothing else.

        A file in which our entries were changed by hand since is left as it is.

        Raises:
            WriteError: the system refused.
        """
        found: list[ConnectedFile] = []

        def change() -> None:
            with nullcontext() if dry_run else self._stored.changing():
                found[:] = [self._disconnected(file, dry_run=dry_run) for file in self._files(agent)]

        settled(change)
        return tuple(found)

    def _disconnected(self, file: SettingsFile, *, dry_run: bool) -> ConnectedFile:
        if file.path not in self._record:
            return ConnectedFile(short_path(file.path), "none")
        before = _read(file.path)
        if before is None:
            if not dry_run:
                self._forget(file.path)
            return ConnectedFile(short_path(file.path), "none")
        after = self._without(file, before)
        status: ConnectionState = "changed" if after is None else "planned" if dry_run else "removed"
        if after is not None and not dry_run:
            created = self._record[file.path]["created"] and after == _empty(file)
            _write(file.path, before, None if created else after)
            self._forget(file.path)
        diff = masked_diff(file.path, before, before if after is None else after)
        return ConnectedFile(short_path(file.path), status, diff)

    def _forget(self, path: str) -> None:
        del self._record[path]
        self._stored.save()

    @property
    def _record(self) -> dict[str, Any]:
        return self._stored.files

    def _files(self, agent: ConnectableAgent) -> tuple[SettingsFile, ...]:
        tools = self._work.config.settings.agents.artifacts
        home = os.path.expanduser("~")
        return settings_files(agent, Placement(program(), self._work.root, home, self._project, tools))

    def _made(self, file: SettingsFile) -> tuple[str | None, str, dict[str, Any]]:
        """Return a file's text before and after, and the record by which what was entered is found again."""
        before = _read(file.path)
        known = self._record.get(file.path)
        text = before if before is not None else _empty(file)
        created = before is None or bool(known and known["created"])
        if known and before is not None:
            if _stand(before, file):  # perhaps in another form, after the agent wrote them anew
                return before, before, {}
            without = self._without(file, before)
            text = before if without is None else without
        insertions: list[Insertion] = []
        entries: list[list[Any]] = []
        record = {"created": created, "insertions": insertions, "entries": entries}
        try:
            if file.text:
                insertions.append(self._appended(file, text))
                return before, apply(text, insertions[0]), record
            for entry in file.entries:
                if made := insert(text, entry):
                    insertions.append(made)
                    entries.append([*entry, present_keys(text, entry)])
                    text = apply(text, made)
            read_json(text)
        except ValueError as error:
            keys = {"taken": "connect.taken", "inline": "connect.inline"}
            key = keys.get(str(error), "connect.unreadable")
            raise ConfigError(
                say(self._lang, key), path=short_path(file.path), hint=say(self._lang, f"{key}.hint")
            ) from error
        return before, text, record

    def _without(self, file: SettingsFile, text: str) -> str | None:
        """Return a file's text without what was entered; None if that was changed since."""
        after = without_entries(text, self._record[file.path])
        if after is None or not file.path.endswith(".toml"):
            return after
        ((table, entries),) = _toml(file.text).items()
        try:  # what somebody added to our table would move to another one
            return after if _settings(text, table, entries) == _settings(after, table) else None
        except ValueError:
            return None

    def _appended(self, file: SettingsFile, text: str) -> Insertion:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        made = Insertion(len(text), gap + file.text)
        if file.path.endswith(".toml"):
            _check_toml(text, file.text, apply(text, made))
        elif file.text.partition("\n")[0] in text.split("\n"):
            raise ValueError("taken")
        return made


def _check_toml(before: str, added: str, after: str) -> None:
    """Refuse to append a table to a TOML text that is broken, or that has or would get another meaning there.

    Raises:
        ValueError: its message says which.
    """
    ((table, entries),) = _toml(added).items()
    there = _table(_toml(before), table)
    if there.keys() & entries.keys():
        raise ValueError("taken")
    try:
        _toml(after)
    except ValueError as error:  # an inline table cannot be extended
        raise ValueError("inline") from error


def _toml(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _table(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = settings.get(name, {})
    if not isinstance(found, dict):
        raise ValueError("another type")  # noqa: TRY004 - one kind of error for every file that cannot be edited
    return found


def _settings(text: str, table: str, without: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings of a TOML text without some entries of a table, and without that table if it is empty."""
    found = _toml(text)
    found[table] = {name: one for name, one in _table(found, table).items() if name not in without}
    return {name: one for name, one in found.items() if name != table or one}


def _stand(text: str, file: SettingsFile) -> bool:
    """Return whether all values stand in a settings file."""
    try:
        if file.path.endswith(".toml"):
            ((table, entries),) = _toml(file.text).items()
            there = _table(_toml(text), table)
            return all(entry.items() <= _table(there, name).items() for name, entry in entries.items())
        return bool(file.entries) and all(insert(text, one) is None for one in file.entries)
    except ValueError:
        return False


def _empty(file: SettingsFile) -> str:
    return "" if file.text else json.dumps(file.base, indent=2) + "\n"


def _read(path: str) -> str | None:
    """Return the text of a settings file; None if there is none."""
    data = read_outside(path)
    try:
        return None if data is None else data.decode()
    except ValueError as error:
        raise ConfigError("could not be read: {reason}", path=short_path(path), facts={"reason": "UTF-8"}) from error


def _write(path: str, before: str | None, after: str | None) -> None:
    """Replace, make or remove a settings file."""
    replace_outside(path, None if before is None else before.encode(), None if after is None else after.encode())
