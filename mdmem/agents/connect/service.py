"""Enter mdmem into the settings of an agent, take out exactly that, and test what was entered."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mdmem import DoctorCheck, MdmemError, Workspace
from mdmem.agents.connect.agent_files import Placement, settings_files
from mdmem.agents.connect.edits import apply, insert, read_json, take_out
from mdmem.agents.connect.model import ConnectableAgent, ConnectedFile, ConnectionState, Insertion, SettingsFile
from mdmem.agents.hooks.hook_state import FOLDER, last_failure
from mdmem.errors import ConfigError, WriteError
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.store.durable import write_new
from mdmem.store.root import Root

_RECORD = f"{FOLDER}/connections.json"
_SECONDS = 20  # for the program to tell its version


class Connector:
    """Connects one workspace with agents; what was entered is recorded in the workspace."""

    def __init__(self, work: Workspace, project: str = "") -> None:
        """Bind to a workspace; with `project`, to the settings of that folder instead of the user's."""
        self._work, self._lang = work, work.lang
        self._project = os.path.abspath(project) if project else ""
        self._record = _read_record(work.root)

    def connect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Enter the workspace's hooks and MCP server into the settings of an agent.

        Args:
            agent: which one.
            dry_run: only tell what would change.

        Raises:
            ConfigError: a settings file cannot be read, or has another server of this name; nothing was changed.
            WriteError: the system refused.
        """
        made = [(file, *self._made(file)) for file in self._files(agent)]
        found = []
        for file, before, after, insertions, created in made:
            same = before == after
            status: ConnectionState = "unchanged" if same else "planned" if dry_run else "connected"
            found.append(ConnectedFile(_short(file.path), status, _diff(file.path, before or "", after)))
            if not same and not dry_run:
                self._enter(agent, file.path, insertions, created=created)
                _write(file.path, after)
        return tuple(found)

    def disconnect(self, agent: ConnectableAgent, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Take out of the settings of an agent what `connect` has entered, and nothing else.

        A file in which our entries were changed by hand since is left as it is.

        Raises:
            WriteError: the system refused.
        """
        found = []
        for file in self._files(agent):
            if file.path not in self._record:
                found.append(ConnectedFile(_short(file.path), "none"))
                continue
            before = _read(file.path) or ""
            after = self._without(file, before)
            status: ConnectionState = "changed" if after is None else "planned" if dry_run else "removed"
            found.append(ConnectedFile(_short(file.path), status, _diff(file.path, before, after or before)))
            if after is not None and not dry_run:
                created = self._record[file.path]["created"] and after == _empty(file)
                _unlink(file.path) if created else _write(file.path, after)
                del self._record[file.path]
                self._save()
        return tuple(found)

    def _files(self, agent: ConnectableAgent) -> tuple[SettingsFile, ...]:
        tools = self._work.config.settings.agents.artifacts
        home = os.path.expanduser("~")
        return settings_files(agent, Placement(program(), self._work.root, home, self._project, tools))

    def _made(self, file: SettingsFile) -> tuple[str | None, str, list[Insertion], bool]:
        """Return a file's text before and after, the insertions, and whether the file is created."""
        before = _read(file.path)
        known = self._record.get(file.path)
        text = before if before is not None else _empty(file)
        if known and before is not None:
            without = self._without(file, before)
            text = before if without is None else without
        created = before is None or bool(known and known["created"])
        insertions = []
        try:
            if file.text:
                insertions.append(self._appended(file, text))
                return before, apply(text, insertions[0]), insertions, created
            for entry in file.entries:
                if made := insert(text, entry):
                    insertions.append(made)
                    text = apply(text, made)
            read_json(text)
        except ValueError as error:
            key = "connect.taken" if str(error) == "taken" else "connect.unreadable"
            raise ConfigError(
                say(self._lang, key), path=_short(file.path), hint=say(self._lang, f"{key}.hint")
            ) from error
        return before, text, insertions, created

    def _appended(self, file: SettingsFile, text: str) -> Insertion:
        first = file.text.partition("\n")[0]
        if text and first in text:
            raise ValueError("taken")
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return Insertion(len(text), gap + file.text)

    def _without(self, file: SettingsFile, text: str) -> str | None:
        """Return a text without our entries; None if they were changed, or the rest would not be readable."""
        taken = take_out(text, [Insertion(*one) for one in self._record[file.path]["insertions"]])
        if taken is not None and file.entries:
            try:
                read_json(taken)
            except ValueError:
                return None
        return taken

    def _enter(self, agent: str, path: str, insertions: list[Insertion], *, created: bool) -> None:
        """Record what is entered before it is, so that an interrupted `connect` can be taken back."""
        self._record[path] = {
            "agent": agent, "created": created, "insertions": [list(one) for one in insertions],
            "program": list(program()),
        }  # fmt: skip
        self._save()

    def _save(self) -> None:
        with Root(self._work.root) as root:
            data = json.dumps(self._record, ensure_ascii=False, indent=1).encode()
            write_new(root.place(_RECORD, make=True).name, data, _RECORD)


def connection_checks(work: Workspace) -> Iterator[DoctorCheck]:
    """Test each connection: whether its entries stand in the agent's settings, and whether the program runs."""
    for path, one in sorted(_read_record(work.root).items()):
        text = _read(path) or ""
        stands = take_out(text, [Insertion(*inserted) for inserted in one["insertions"]]) is not None
        state = "good" if stands and _runs(one["program"]) else "bad"
        found = "good" if state == "good" else "broken" if stands else "gone"
        message = say(work.lang, f"connect.check-{found}", agent=one["agent"], path=_short(path))
        hint = "" if state == "good" else say(work.lang, "connect.check-again", agent=one["agent"])
        yield DoctorCheck(f"connection-{one['agent']}", "good" if state == "good" else "bad", message, hint)
    if failure := last_failure(work.root):
        yield DoctorCheck("hook", "weaker", say(work.lang, "connect.failed", **failure))


def program() -> list[str]:
    """Return how an agent starts this mdmem: by its name on the path if that is this one, else beside this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), "mdmem")
    found = shutil.which("mdmem")
    if found and os.path.exists(beside) and os.path.realpath(found) == os.path.realpath(beside):
        return [os.path.abspath(found)]
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-m", "mdmem"]


def _runs(command: list[str]) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [*command, "--version"], capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _empty(file: SettingsFile) -> str:
    return "" if file.text else json.dumps(file.base, indent=2) + "\n"


def _read(path: str) -> str | None:
    """Return the text of a settings file; None if there is none."""
    try:
        with open(path, "rb") as stream:
            return stream.read().decode()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "UTF-8"
        raise ConfigError("could not be read: {reason}", path=_short(path), facts={"reason": reason}) from error


def _write(path: str, text: str) -> None:
    """Replace a settings file, behind a link if it is one, with the permissions that it had."""
    path = os.path.realpath(path)
    fresh = f"{path}.mdmem-{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else stat.S_IRUSR | stat.S_IWUSR
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(fresh, mode)
        os.replace(fresh, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(fresh)
        raise WriteError(
            "could not be written: {reason}", path=_short(path), facts={"reason": error.strerror}
        ) from error


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _read_record(root: str) -> dict[str, Any]:
    try:
        with open(os.path.join(root, _RECORD), "rb") as stream:
            found = json.loads(stream.read())
    except (OSError, ValueError, MdmemError):
        return {}
    return found if isinstance(found, dict) else {}


def _short(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path.removeprefix(home) if path.startswith(home + os.sep) else path


def _diff(path: str, before: str, after: str) -> str:
    """Return the changed lines, with secrets masked: settings of agents hold keys."""
    name = _short(path)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, n=0, lineterm="")
    return mask("\n".join(lines))
