"""Write the plugin of Claude Code into a folder: hooks, MCP server and a skill, in one thing to install or to remove.

What is entered is the same as in Claude's settings. A folder with files that mdmem did not write is refused, and so is
one whose files a person changed.
"""

from __future__ import annotations

import json
import os
from contextlib import nullcontext, suppress
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Literal, TypeAlias

from mdmem import Workspace, __version__
from mdmem.agents.connect.agent_files import NAME, Placement, claude_hooks
from mdmem.agents.connect.own_program import program
from mdmem.errors import ConfigError, MdmemError
from mdmem.instructions.model import ConnectedFile, ConnectionState
from mdmem.instructions.outside_files import (
    SHARED,
    masked_diff,
    project_of,
    remove_empty,
    replace_outside,
)
from mdmem.instructions.read import read_outside
from mdmem.instructions.records import AgentRecord
from mdmem.messages.catalog import say
from mdmem.messages.folders import FALLBACK, templates_folder
from mdmem.store.files import digest, require_inside, short_path

RECORD = "plugins.json"
PluginState: TypeAlias = Literal["good", "old", "gone", "edited"]


class ClaudePlugin:
    """The plugin of Claude Code for one workspace, in the folders that it was written into."""

    def __init__(self, work: Workspace) -> None:
        """Bind to a workspace."""
        self._work, self._lang = work, work.lang
        self._record = AgentRecord(work.config, RECORD)

    @property
    def folders(self) -> tuple[str, ...]:
        """The absolute paths of the folders."""
        return tuple(sorted(self._record.files))

    def program(self, folder: str) -> list[str]:
        """Return the program that the plugin in a folder starts."""
        return [str(one) for one in self._record.files[folder].get("program", ())]

    def write(self, folder: str, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Write the plugin into a folder, or bring the one that is there up to date.

        Raises:
            ConfigError: the folder has files that mdmem did not write, or that were changed; nothing was changed.
            LockedError: another process writes a plugin.
            RefusedError: a link leads the folder out of its project.
            WriteError: the system refused.
        """
        require_inside(folder, project_of(folder))
        folder = os.path.realpath(folder)
        with nullcontext() if dry_run else self._record.changing():
            present = self._present(folder)
            wanted = self._wanted()
            found = []
            for path, text in wanted.items():
                before, after = present.get(path), text.encode("utf-8", "surrogateescape")
                found.append(_told(os.path.join(folder, path), before, after, dry_run=dry_run))
            if not dry_run and any(one.status == "connected" for one in found):
                digests = {path: digest(text) for path, text in wanted.items()}
                known = self._files(folder)  # also those of an earlier version, until they are gone
                self._keep(folder, {**known, **digests})
                for path, text in wanted.items():
                    after = text.encode("utf-8", "surrogateescape")
                    if present.get(path) != after:
                        replace_outside(os.path.join(folder, path), present.get(path), after, SHARED, folder)
                _remove(folder, {path: data for path, data in present.items() if path not in wanted})
                self._keep(folder, digests)
        return tuple(found)

    def remove(self, folder: str, *, dry_run: bool = False) -> tuple[ConnectedFile, ...]:
        """Remove the files of the plugin, and the folders that are empty then.

        Raises:
            ConfigError: the folder has files that mdmem did not write, or that were changed; nothing was changed.
            RefusedError: a link leads the folder out of its project.
            WriteError: the system refused.
        """
        require_inside(folder, project_of(folder))
        folder = os.path.realpath(folder)
        if folder not in self._record.files:
            return (ConnectedFile(short_path(folder), "none"),)
        with nullcontext() if dry_run else self._record.changing():
            present = self._present(folder)
            found = tuple(
                _told(os.path.join(folder, path), data, None, dry_run=dry_run) for path, data in present.items()
            )
            if not dry_run:
                _remove(folder, present)
                self._record.files.pop(folder, None)
                self._record.save()
        return found or (ConnectedFile(short_path(folder), "none"),)

    def state(self, folder: str) -> PluginState:
        """Return whether the plugin in a folder is whole and the one of this version."""
        try:
            present = self._present(folder)
        except MdmemError:
            return "edited"
        if present.keys() < self._files(folder).keys():
            return "gone"
        wanted = {path: text.encode("utf-8", "surrogateescape") for path, text in self._wanted().items()}
        return "good" if present == wanted else "old"

    def _wanted(self) -> dict[str, str]:
        """Return the files of the plugin by their paths in its folder."""
        work = self._work
        config = work.config
        at = Placement(program(), work.root, "", tools=config.settings.agents.artifacts, user=config.user)
        about = say(self._lang, "connect.plugin-about")
        hooks = {event: [group] for event, group in claude_hooks(at).items()}
        manifest = {"name": NAME, "version": __version__, "description": about, "author": {"name": NAME}}
        wanted = {
            ".claude-plugin/plugin.json": _json({**manifest, "license": _license()[0]}),
            ".mcp.json": _json({"mcpServers": {NAME: at.server}}),
            "LICENSE": _license()[1],
            "README.md": self._text("README.md"),
            "hooks/hooks.json": _json({"description": about, "hooks": hooks}),
            "skills/memory/SKILL.md": self._text("SKILL.md"),
        }
        return {path: text for path, text in wanted.items() if text}

    def _text(self, name: str) -> str:
        """Return a text of the plugin in the language of the workspace."""
        paths = (os.path.join(templates_folder(), lang, "plugin", name) for lang in (self._lang, FALLBACK))
        with open(next(path for path in paths if os.path.isfile(path)), encoding="utf-8") as stream:
            return stream.read().replace("{root}", self._work.root).replace("{version}", __version__)

    def _files(self, folder: str) -> dict[str, str]:
        """Return the digests of the files that were written into a folder."""
        found: Any = self._record.files.get(folder, {}).get("files")
        return found if isinstance(found, dict) else {}

    def _present(self, folder: str) -> dict[str, bytes]:
        """Return the files of a folder, all of them ours and unchanged.

        Raises:
            ConfigError: one is not, or is a link.
        """
        known, found = self._files(folder), {}
        if os.path.lexists(folder) and not os.path.isdir(folder):
            self._refuse("foreign", folder, ".")
        for parent, folders, names in os.walk(folder):
            for name in sorted((*folders, *names)):
                path = os.path.join(parent, name)
                shown = os.path.relpath(path, folder).replace(os.sep, "/")
                if name in folders and not os.path.islink(path):
                    continue
                if shown not in known or not os.path.isfile(path) or os.path.islink(path):
                    self._refuse("foreign", folder, shown)
                data = read_outside(path)
                if data is not None and digest(data) != known[shown]:
                    self._refuse("changed", folder, shown)
                if data is not None:
                    found[shown] = data
        return found

    def _refuse(self, key: str, folder: str, name: str) -> None:
        key = f"connect.folder-{key}"
        message, hint = say(self._lang, key, name=name), say(self._lang, f"{key}.hint")
        raise ConfigError(message, path=short_path(folder), hint=hint)

    def _keep(self, folder: str, digests: dict[str, str]) -> None:
        self._record.put(folder, {"files": digests, "program": program()})
        self._record.save()


def _told(path: str, before: bytes | None, after: bytes | None, *, dry_run: bool) -> ConnectedFile:
    done: ConnectionState = "removed" if after is None else "connected"
    status: ConnectionState = "unchanged" if before == after else "planned" if dry_run else done
    old, new = ((data or b"").decode("utf-8", "replace") for data in (before, after))
    return ConnectedFile(short_path(path), status, masked_diff(path, old, new))


def _remove(folder: str, files: dict[str, bytes]) -> None:
    """Remove files, and the folders that are empty then."""
    for path, data in files.items():
        full = os.path.join(folder, path)
        replace_outside(full, data, None, within=folder)
        with suppress(OSError):  # the folder is not empty
            remove_empty(os.path.dirname(full), os.path.dirname(folder))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _license() -> tuple[str, str]:
    """Return the name and the text of mdmem's licence."""
    try:
        found = distribution("mdmem")
    except PackageNotFoundError:  # a copy of the code that was not installed
        return "", ""
    return str(found.metadata["License-Expression"] or ""), found.read_text("licenses/LICENSE") or ""
