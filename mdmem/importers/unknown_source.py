"""The error for a place in which no reader finds a memory: what its files are, and the way that takes them."""

from __future__ import annotations

import json
from contextlib import suppress
from shlex import quote

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UsageError
from mdmem.importers.readers.common import JSON_ENDINGS
from mdmem.importers.source_files import ReadOnlySource
from mdmem.messages.catalog import say
from mdmem.text.encodings import other_encoding

_NOTES, _TEXT = ".md", ".txt"
_UNKNOWN = "?"  # an encoding that cannot be told


def unknown_source(config: WorkspaceConfig, source: ReadOnlySource, systems: str, system: str = "") -> UsageError:
    """Return the error that helps with these files.

    Args:
        config: of the workspace.
        source: the files.
        systems: the names of the readers.
        system: the reader that was asked for; empty if none was.
    """
    facts = {"name": source.name, "names": systems, "system": system, "place": quote(source.given)}
    for name in source.names:
        if not name.endswith((_NOTES, _TEXT, *JSON_ENDINGS)):
            continue
        if encoding := _encoding(config, source, name):
            known = "import.other-encoding" if encoding != _UNKNOWN else "import.no-encoding"
            return _error(config, known, **facts | {"name": name, "encoding": encoding})
        if error := _broken_at(source, name):
            return _error(
                config, "import.not-json", **facts | {"name": name, "line": error.lineno, "column": error.colno}
            )
    if system:
        return _error(config, "import.not-of-system", **facts)
    endings = {name[name.rfind(".") :] for name in source.names}
    if _NOTES in endings:
        return _error(config, "import.notes", **facts)
    return _error(config, "import.text" if endings == {_TEXT} else "import.unrecognized", **facts)


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


def _error(config: WorkspaceConfig, key: str, **facts: object) -> UsageError:
    return UsageError(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))
