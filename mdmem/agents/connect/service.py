"""Enter mdmem into the settings of an agent, and take out exactly that."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any, NamedTuple, TypeAlias

from mdmem import Workspace
from mdmem.agents.connect.agent_files import Placement, settings_files
from mdmem.agents.connect.edits import (
    UnfitSettingsError,
    apply,
    check_append,
    insert,
    is_added_to,
    present_keys,
    read_json,
)
from mdmem.agents.connect.entered import Removal, StandingEntry, is_switched_off, left_whole, standing, without_entered
from mdmem.agents.connect.model import ConnectableAgent, Insertion, SettingsFile
from mdmem.agents.connect.own_program import program
from mdmem.agents.connect.unrecorded import connected_workspaces, unrecorded
from mdmem.errors import ConfigError
from mdmem.instructions.model import ConnectedFile, ConnectionState
from mdmem.instructions.outside_files import (
    PRIVATE,
    masked_diff,
    remove_empty,
    replace_outside,
    require_writable,
    settled,
)
from mdmem.instructions.read import read_outside, target_of
from mdmem.instructions.records import AgentRecord
from mdmem.messages.catalog import say
from mdmem.store.files import require_inside, short_path

RECORD = "connections.json"


_BLANK = "\ufeff \t\r\n"
_Left: TypeAlias = tuple[StandingEntry, ...]


class _Change(NamedTuple):
    """What becomes of a settings file."""

    before: str | None
    after: str | None
    record: dict[str, Any]
    left: _Left  # entries that were changed by hand


class Connector:
    """Connects one workspace with agents; what was entered is recorded in the user's state folder."""

    def __init__(self, work: Workspace, project: str = "") -> None:
        """Bind to a workspace; with `project`, to the settings of that folder instead of the user's."""
        self._work, self._lang = work, work.lang
        self._project = os.path.abspath(project) if project else ""
        self._within = os.path.realpath(project) if project else ""
        self._stored = AgentRecord(work.config, RECORD)

    def connect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Enter the workspace's hooks and MCP server into the settings of an agent.

        Args:
            agent: which one.
            dry_run: only tell what would change.

        Raises:
            ConfigError: a settings file has another server of this name, or is no settings file; nothing was changed.
            UnreadableFileError: a settings file cannot be read.
            RefusedError: a link leads out of the project.
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
        made = [(file, self._made(agent, file)) for file in self._files(agent)]
        if not dry_run:
            _require_writable(one.path for one, change in made if change.before != change.after)
        found = []
        for file, (before, after, record, left) in made:
            same = before == after
            status: ConnectionState = "unchanged" if same else "planned" if dry_run else "connected"
            found.append(_told(file, before, after, status, left))
            if not same and not dry_run:
                # recorded before it is entered, so that an interrupted `connect` can be taken back
                self._stored.put(file.path, {"agent": agent, "program": list(program()), **record})
                self._stored.save()
                self._write(file.path, before, after)
        return found

    def disconnect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Take out of the settings of an agent what `connect` has entered, and nothing else.

        An entry that was changed by hand, so that it calls something else, is left.

        Raises:
            WriteError: the system refused.
        """
        found: list[ConnectedFile] = []

        def change() -> None:
            with self._stored.changing() if os.path.isdir(self._work.root) and not dry_run else nullcontext():
                found[:] = self._disconnected(agent, dry_run=dry_run)

        settled(change)
        return tuple(found)

    def _disconnected(self, agent: ConnectableAgent, *, dry_run: bool) -> list[ConnectedFile]:
        made = [(file, self._unmade(agent, file)) for file in self._files(agent)]
        if not dry_run:
            _require_writable(one.path for one, change in made if change.before != change.after)
        found = []
        for file, (before, after, record, left) in made:
            status: ConnectionState = "none" if before == after else "planned" if dry_run else "removed"
            status = "changed" if left and before == after else status
            found.append(_told(file, before, after, status, left))
            if not dry_run and before != after:
                self._write(file.path, before, after)
                if after is None and self._record.get(file.path, {}).get("folder"):
                    _remove_folder_of(file.path)
            if not dry_run and file.path in self._record:
                if left:
                    self._record[file.path] = record
                else:
                    del self._record[file.path]
                self._stored.save()
        return found

    def _unmade(self, agent: ConnectableAgent, file: SettingsFile) -> _Change:
        """Return a file's text with and without what was entered, by the record or, if there is none, by the text."""
        before = _read(file.path)
        if before is None:
            return _Change(before, before, {}, ())
        try:
            known = self._record.get(file.path) or unrecorded(agent, self._place, file, before)
            if not known:
                return _Change(before, before, {}, ())
            removal = _removal(file, before, known)
        except ValueError as error:
            raise self._unfit(agent, file, error) from error
        after: str | None = removal.text
        if after != before and after == _empty(file):
            after = None if known["created"] else known.get("blank", after)
        return _Change(before, after, removal.record, removal.left)

    def _write(self, path: str, before: str | None, after: str | None) -> None:
        """Replace, make or remove a settings file."""
        old, new = (None if text is None else text.encode() for text in (before, after))
        replace_outside(path, old, new, PRIVATE, self._within)

    def projects(self, agent: ConnectableAgent) -> tuple[str, ...]:
        """Return the folders of the projects whose settings have entries for an agent, by the record."""
        found = dict.fromkeys(
            folder
            for path, entry in self._record.items()
            if entry.get("agent") == agent
            for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path)))
            if any(one.path == path for one in settings_files(agent, self._place._replace(project=folder)))
        )
        return tuple(one for one in found if one != self._place.home)

    @property
    def _record(self) -> dict[str, Any]:
        return self._stored.files

    def _files(self, agent: ConnectableAgent) -> tuple[SettingsFile, ...]:
        files = settings_files(agent, self._place)
        for one in files if self._project else ():
            require_inside(one.path, self._project)
        return files

    @property
    def _place(self) -> Placement:
        config, home = self._work.config, os.path.expanduser("~")
        return Placement(program(), config.root, home, self._project, config.settings.agents.artifacts, config.user)

    def _made(self, agent: ConnectableAgent, file: SettingsFile) -> _Change:
        """Return a file's text before and after, and the record by which what was entered is found again."""
        before = _read(file.path)
        is_blank = not file.text and before is not None and not before.strip(_BLANK)
        text = _empty(file) if before is None or is_blank else before
        record: dict[str, Any] = {"created": before is None, "insertions": [], "entries": []}
        if not os.path.isdir(os.path.dirname(file.path)):
            record["folder"] = True  # `disconnect` removes it, if nothing else is in it then
        if is_blank:
            record["blank"] = before
        known = self._record.get(file.path) if before is not None and not is_blank else None
        try:
            if known:
                text, record, *_ = _removal(file, text, known, _kept(text, known, file))
            text, left = (self._with_text if file.text else _with_entries)(text, file, record)
        except ValueError as error:
            raise self._unfit(agent, file, error) from error
        return _Change(before, text, record, left)

    def _unfit(self, agent: ConnectableAgent, file: SettingsFile, error: ValueError) -> ConfigError:
        """Return the error of a file that has no room for our entries."""
        key, facts = (error.key, error.facts) if isinstance(error, UnfitSettingsError) else ("connect.unreadable", {})
        hint = say(self._lang, f"{key}.hint", **facts)
        others = [one.root for one in connected_workspaces(agent, self._project) if one.root != self._work.root]
        if key == "connect.taken" and others:  # the entry is ours, for another memory
            hint = say(self._lang, "connect.elsewhere", agent=agent, root=others[0])
        return ConfigError(say(self._lang, key, **facts), path=short_path(file.path), hint=hint)

    def _with_text(self, text: str, file: SettingsFile, record: dict[str, Any]) -> tuple[str, _Left]:
        """Return a text with what is appended to it, unless that stands there as it is or changed by hand."""
        if record["insertions"]:
            return text, _removal(file, text, record).left
        made = Insertion(len(text), ("" if not text else "\n" if text.endswith("\n") else "\n\n") + file.text)
        if file.path.endswith(".toml"):
            check_append(text, file.text, apply(text, made))
        elif file.text.partition("\n")[0] in text.split("\n"):
            raise UnfitSettingsError("connect.taken")
        record["insertions"] = [made]
        return apply(text, made), ()


def _removal(file: SettingsFile, text: str, known: Mapping[str, Any], keep: Sequence[int] = ()) -> Removal:
    """Return a text without what was entered; a table that somebody added to is left as it is. Raises ValueError."""
    removal = without_entered(text, known, keep)
    is_table = file.path.endswith(".toml") and removal.text != text
    return left_whole(text, known) if is_table and is_added_to(text, file.text, removal.text) else removal


def _with_entries(text: str, file: SettingsFile, record: dict[str, Any]) -> tuple[str, _Left]:
    """Return a text with the entries that do not stand there; those that were changed by hand are left."""
    known, left = {(*keys, name) for keys, _, name, _ in record["entries"]}, []
    for entry in file.entries:
        if found := standing(text, entry, is_known=(*entry.keys, entry.name) in known):
            left += [] if found.is_ours else [entry]
        elif made := insert(text, entry):
            record["insertions"].append(made)
            record["entries"].append([*entry, present_keys(text, entry)])
            text = apply(text, made)
    read_json(text)
    return text, tuple(filter(None, (standing(text, entry, is_known=True) for entry in left)))


def _kept(text: str, known: Mapping[str, Any], file: SettingsFile) -> Sequence[int]:
    """Return the numbers of the recorded entries that stand in a text and would be entered so again."""
    if file.text:
        return [0] if any(one[1].endswith(file.text) and one[1] in text for one in known["insertions"]) else []
    wanted = {(entry.keys, entry.name): entry for entry in file.entries}
    same = [wanted.get((tuple(keys), name)) for keys, _, name, _ in known["entries"]]
    is_new = [one is None or one.value != row[1] for one, row in zip(same, known["entries"], strict=True)]
    found = [None if new or one is None else standing(text, one) for new, one in zip(is_new, same, strict=True)]
    return [number for number, one in enumerate(found) if one and one.is_ours]


def _told(
    file: SettingsFile, before: str | None, after: str | None, status: ConnectionState, left: _Left
) -> ConnectedFile:
    places = tuple((one.place, one.line) for one in left)
    is_off = status in ("connected", "unchanged", "planned") and is_switched_off(after or "", file.off_switch)
    diff = masked_diff(file.path, before or "", after or "")
    return ConnectedFile(
        short_path(file.path), status, diff, 0, places, file.off_switch if is_off else "", target_of(file.path)
    )


def _require_writable(paths: Iterable[str]) -> None:
    """Refuse to begin if one of the files cannot be written. Raises WriteError."""
    for path in paths:
        require_writable(path)


def _remove_folder_of(path: str) -> None:
    """Remove the folder of a file that was removed, unless something is in it."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        remove_empty(folder, os.path.dirname(folder))


def _empty(file: SettingsFile) -> str:
    return "" if file.text else json.dumps(file.base, indent=2) + "\n"


def _read(path: str) -> str | None:
    """Return the text of a settings file; None if there is none."""
    data = read_outside(path)
    try:
        return None if data is None else data.decode()
    except ValueError as error:
        raise ConfigError("could not be read: {reason}", path=short_path(path), facts={"reason": "UTF-8"}) from error
