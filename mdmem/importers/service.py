"""Imports the memories of another system: finds the reader, writes what it yields, and reports what became of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from shlex import quote
from typing import get_args

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.errors import UsageError
from mdmem.importers.import_writer import ImportWriter
from mdmem.importers.model import ImportProblem, ImportReader, ImportReport, ImportStatus, ImportTarget
from mdmem.importers.readers.common import BROKEN_FILE, JSON_ENDINGS
from mdmem.importers.readers.systems import READERS
from mdmem.importers.source_files import ReadOnlySource
from mdmem.messages.catalog import say
from mdmem.store.walk import SETTINGS_FILE
from mdmem.text.encodings import other_encoding

AUTO = "auto"
_SYSTEMS = [one.system for one in READERS]
_ALIASES = {"markdown": "obsidian"}  # what people call plain notes
_NAMES = ", ".join((*_SYSTEMS, *_ALIASES))
_VAULT = "obsidian"  # it can stay where it is, so it is copied only on request
_NOTES, _TEXT = ".md", ".txt"
_UNKNOWN = "?"  # an encoding that cannot be told


def import_from(
    config: WorkspaceConfig, place: str | os.PathLike[str], system: str, to: ImportTarget, *, dry_run: bool,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:  # fmt: skip
    """Import the memories of another system; see `Workspace.import_from`."""
    AccessPolicy(config, "user").reach("facts/a.md")  # raises if memory is switched off
    if to not in get_args(ImportTarget):
        raise _usage(config, "import.target", name=str(to), names=", ".join(get_args(ImportTarget)))
    with ReadOnlySource(config, os.fspath(place)) as source:
        reader = _reader(config, source, system)
        writer = ImportWriter(config, reader.system, to, dry_run=dry_run)
        for problem in source.problems:
            writer.take(problem)
        is_empty = True
        for done, record in enumerate(reader.read(source), 1):
            if progress:
                progress(done, 0)
            is_empty = is_empty and isinstance(record, ImportProblem) and record.key == BROKEN_FILE
            writer.take(record)
        writer.verify()
        if is_empty and not source.problems:  # it has no record: that must not look like a success
            raise _unknown_source(config, source, "" if system == AUTO else system)
    report = _report(config, reader, writer, dry_run=dry_run)
    if report.status == "done":
        writer.note(report.message)
    return report


def _reader(config: WorkspaceConfig, source: ReadOnlySource, system: str) -> ImportReader:
    system = _ALIASES.get(system, system)
    if system != AUTO and system not in _SYSTEMS:
        raise _usage(config, "import.system", name=system, names=_NAMES)
    if system == AUTO and SETTINGS_FILE in source.names:
        raise _usage(config, "import.own", name=source.name)
    for one in READERS:
        if one.system == system or (system == AUTO and one.recognizes(source)):
            if system == AUTO and one.system == _VAULT:
                raise _usage(config, "import.vault", name=source.name)
            return one
    raise _unknown_source(config, source)


def _unknown_source(config: WorkspaceConfig, source: ReadOnlySource, system: str = "") -> UsageError:
    """Return the error for files of which no reader knows any: what they are, and the way that takes them.

    `system` is the reader that was asked for; empty if none was.
    """
    facts = {"name": source.name, "names": _NAMES, "system": system, "place": quote(source.given)}
    for name in source.names:
        if not name.endswith((_NOTES, _TEXT, *JSON_ENDINGS)):
            continue
        if encoding := _encoding(config, source, name):
            known = "import.other-encoding" if encoding != _UNKNOWN else "import.no-encoding"
            return _usage(config, known, **facts | {"name": name, "encoding": encoding})
        if error := _broken_at(source, name):
            return _usage(
                config, "import.not-json", **facts | {"name": name, "line": error.lineno, "column": error.colno}
            )
    if system:
        return _usage(config, "import.not-of-system", **facts)
    endings = {name[name.rfind(".") :] for name in source.names}
    if _NOTES in endings:
        return _usage(config, "import.notes", **facts)
    return _usage(config, "import.text" if endings == {_TEXT} else "import.unrecognized", **facts)


def _encoding(config: WorkspaceConfig, source: ReadOnlySource, name: str) -> str:
    """Return the encoding of a file that is not UTF-8; empty for UTF-8, and for what cannot be read."""
    with suppress(OSError), source.open(name) as stream:
        return other_encoding(stream.read(config.settings.lint.max_bytes))
    return ""


def _broken_at(source: ReadOnlySource, name: str) -> json.JSONDecodeError | None:
    """Return where a JSON file is broken; None if it is not, or too large to say."""
    text = source.text(name) if name.endswith(JSON_ENDINGS) else None
    for number, line in enumerate(text.splitlines() if text and name.endswith(".jsonl") else [text or ""], 1):
        try:
            json.loads(line) if line.strip() else None
        except json.JSONDecodeError as error:
            error.lineno += number - 1
            return error
        except (ValueError, RecursionError):
            return None
    return None


def _usage(config: WorkspaceConfig, key: str, **facts: object) -> UsageError:
    return UsageError(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))


def _report(config: WorkspaceConfig, reader: ImportReader, writer: ImportWriter, *, dry_run: bool) -> ImportReport:
    tally = writer.tally
    states = tally.states
    status: ImportStatus = "planned" if dry_run else "done" if states["written"] else "unchanged"
    numbers: Mapping[str, int] = {key: states[key] for key in ("written", "duplicate", "skipped", "refused")}
    facts = {"system": reader.system, "read": tally.read, **numbers}
    message = say(config.lang, "import.planned" if dry_run else "import.done", **facts)
    kinds = {key: number for key, number in sorted(tally.kinds.items()) if number}
    return ImportReport(
        status, reader.system, message, tally.read, **numbers, masked=tally.masked, waiting=tally.waiting,
        kinds=kinds, items=tuple(tally.items), paths=tuple(sorted(tally.paths)),
    )  # fmt: skip
