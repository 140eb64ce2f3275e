"""Writes everything that a workspace holds to a folder, in open formats: as Markdown, or as JSON lines."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args

from mdmem.attachments.service import Attachments
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError, UsageError, WriteError
from mdmem.facts.read import stored_facts
from mdmem.importers.model import ExportReport
from mdmem.linter.service import lint
from mdmem.messages.catalog import say
from mdmem.sessions.export import export_sessions
from mdmem.store.walk import STATE_FOLDER, FileWalk
from mdmem.text.document import parse

ExportForm = Literal["markdown", "jsonl"]
_CHUNK = 1 << 20
_SECRETS = ("MM501", "MM502", "MM508")  # the rules that find keys, tokens and passwords
_FILES = "files"  # the folder of what is not text, in an export as JSON lines


class _Exporter:
    def __init__(
        self, config: WorkspaceConfig, folder: str, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._config, self._folder, self._progress = config, folder, progress or (lambda *_: None)
        self.files, self.bytes, self.left_out = 0, 0, list[str]()
        self._told = set[str]()  # files whose text is in the lines

    def markdown(self) -> None:
        """Copy every file but those of mdmem and of other tools."""
        for path in self._each():
            self._copy(path, path)

    def jsonl(self) -> None:
        """Write facts, entries, conversations, attachments and texts of files, a line each, and copy the rest."""
        self._lines("facts.jsonl", (dataclasses.asdict(one) for one in stored_facts(self._config, before=True)))
        self._lines("entries.jsonl", self._entries())
        self._lines("sessions.jsonl", (dataclasses.asdict(one) for one in export_sessions(self._config, None, "")))
        attached = Attachments(self._config).list(limit=sys.maxsize)
        self._lines("attachments.jsonl", ({"id": one.id, **dataclasses.asdict(one)} for one in attached))
        for path in self._each():
            if path not in self._told:
                self._copy(path, f"{_FILES}/{path}")

    def _each(self) -> Iterator[str]:
        """Yield the files to copy, and report how many are done."""
        paths = list(self._paths())
        for done, path in enumerate(paths, 1):
            yield path
            self._progress(done, len(paths))

    def _paths(self) -> Iterator[str]:
        skip = self._config.settings.lint.skip_folders
        root = self._config.root
        for folder, inner, names in os.walk(root):
            above = os.path.relpath(folder, root).replace(os.sep, "/")
            links = [name for name in inner if os.path.islink(os.path.join(folder, name))]
            inner[:] = sorted(name for name in inner if name != STATE_FOLDER and name not in (*skip, *links))
            for name in sorted((*names, *links)):
                path = name if above == "." else f"{above}/{name}"
                if not self._config.whose.covers(path):
                    continue
                if stat.S_ISREG(os.lstat(os.path.join(folder, name)).st_mode):
                    yield path
                else:
                    self.left_out.append(path)

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        settings = self._config.settings.lint
        skip, covers = (*settings.skip_folders, "artifacts"), self._config.whose.covers
        walk = FileWalk(self._config.root, settings.include, settings.exclude, skip, covers)
        for path in walk.files(""):
            data = live_bytes(self._config, path, self._config.most_bytes(path))
            if data is None or (document := parse(data)).text.encode("utf-8", "surrogatepass") != data:
                continue
            self._told.add(path)
            owned = {entry.line: section.title for section in document.sections for entry in section.entries}
            yield {"path": path, "text": document.text}
            has_own_lines = self._config.schemas.kind(path) in ("session", "facts", "attachment")
            for entry in () if has_own_lines else document.entries:
                parts = entry.parts
                yield {
                    "path": path, "section": owned.get(entry.line, ""), "line": entry.line + 1, "entry": entry.text,
                    "date": parts.date.text if parts.date else "", "id": parts.id or "",
                    "fields": {field.key: field.value for field in parts.fields},
                }  # fmt: skip

    def _lines(self, name: str, values: Iterator[Mapping[str, Any]]) -> None:
        with self._new(name) as stream:
            for value in values:
                data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
                self.bytes += stream.write(data)

    def _copy(self, path: str, name: str) -> None:
        try:
            with open(os.path.join(self._config.root, path), "rb") as source, self._new(name) as stream:
                while data := source.read(_CHUNK):
                    self.bytes += stream.write(data)
        except OSError as error:
            if error.filename != os.path.join(self._config.root, path):
                raise
            self.left_out.append(path)

    def _new(self, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a binary stream
        place = os.path.join(self._folder, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        self.files += 1
        return open(place, "xb")


def export_to(
    config: WorkspaceConfig, folder: str | os.PathLike[str], form: str,
    progress: Callable[[int, int], None] | None = None,
) -> ExportReport:  # fmt: skip
    """Write everything to a new folder; see `Workspace.export_to`."""
    if form not in get_args(ExportForm):
        raise _error(UsageError, config, "export.form", name=form, names=", ".join(get_args(ExportForm)))
    AccessPolicy(config, "user").reach("facts/a.md")  # raises if memory is switched off
    place = os.path.abspath(os.path.expanduser(os.fspath(folder) or f"mdmem-export-{config.day}"))
    name, root = os.path.basename(place), os.path.realpath(config.root)
    if os.path.commonpath((os.path.realpath(place), root)) == root:
        raise _error(UsageError, config, "export.inside", name=name)
    if os.path.lexists(place) and not (os.path.isdir(place) and not os.listdir(place)):
        raise _error(UsageError, config, "export.taken", name=name)
    exporter = _Exporter(config, place, progress)
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        exporter.markdown() if form == "markdown" else exporter.jsonl()
    except OSError as error:
        raise _error(WriteError, config, "export.failed", name=name, reason=error.strerror or "") from error
    message = say(config.lang, "export.done", files=exporter.files, bytes=exporter.bytes, name=name)
    shape: ExportForm = "markdown" if form == "markdown" else "jsonl"
    return ExportReport(
        place, shape, exporter.files, exporter.bytes, tuple(exporter.left_out), message, _secrets(config)
    )  # fmt: skip


def _secrets(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the lines that hold a secret; an export copies them as they are, for nothing may be lost."""
    found = lint(config, (), select=_SECRETS, ignore=None, staged=False, jobs=None, progress=None).diagnostics
    return tuple(dict.fromkeys(f"{one.path}:{one.line}" for one in found))


def _error(kind: type[MdmemError], config: WorkspaceConfig, key: str, **facts: object) -> MdmemError:
    return kind(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))
