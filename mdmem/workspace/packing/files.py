"""Find and read the memory files that a recipe names, each once; no folder is listed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from mdmem.context.file import boilerplate
from mdmem.context.older import blank_older
from mdmem.core.blake import blake2b
from mdmem.core.document import Document, parse
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.errors import UnreadableFileError
from mdmem.store.root import Root, read
from mdmem.workspace.access import NO_MEMORY
from mdmem.workspace.config import Config
from mdmem.workspace.kind_file import file_names
from mdmem.workspace.packing.eyes import eyes

_FOLDERS = ("agents", ".notes")  # where agents have their own files (D030)
_LOOK_AGAIN = 0.02  # seconds


class Found(NamedTuple):
    """A file of a kind, or why there is none."""

    path: str
    document: Document | None
    templates: tuple[Template, ...]  # of its kind, that of its own language first
    why: str = ""  # off, missing, unreadable, empty
    blank: tuple[int, ...] = ()  # lines (0-based) of older entries that were not read


class MemoryFiles:
    """The memory files of one workspace, for one agent, as they are at one moment."""

    def __init__(self, config: Config, root: Root, agent: str | None, ends: Mapping[str, int] = {}) -> None:
        """Bind to a workspace; of the kinds in `ends` only so many characters at the end of a file are needed."""
        self.config, self.root, self.agent, self.ends = config, root, agent, ends
        self._read: dict[str, Document | str] = {}
        self._blank: dict[str, tuple[int, ...]] = {}
        self.digests: dict[str, str] = {}
        self._known: dict[str, frozenset[str]] = {}

    def find(self, kind: str, owner: str) -> tuple[Found, ...]:
        """Find the file of a kind; two where an agent's own lies over the workspace's."""
        templates = tuple(self.config.schemas.languages(kind).values())
        first = self.config.schemas.get(kind)
        assert first is not None, kind
        if not self.config.settings.memory.enabled and kind not in NO_MEMORY:
            return (Found(first.files[0], None, templates, "off"),)
        found: list[Found] = []
        why, place = "missing", first.files[0]
        for path in self._paths(templates, owner):
            document = self.read(path, self.ends.get(kind))
            if isinstance(document, Document):
                own = self.config.schemas.match(path, document) or first
                schemas = (own, *(one for one in templates if one is not own))
                found.append(Found(path, document, schemas, blank=self._blank.get(path, ())))
                if owner != "both":
                    break
            elif document == "unreadable":
                why, place = document, path
        return tuple(reversed(found)) or (Found(place, None, templates, why),)

    def _paths(self, templates: tuple[Template, ...], owner: str) -> Iterator[str]:
        """Give where a kind's file may lie, the agent's own places first."""
        names = tuple(dict.fromkeys(name for one in templates for name in one.files if not set(name) & set("*?")))
        if self.agent:
            yield from (f"{folder}/{self.agent}/{name}" for folder in _FOLDERS for name in names)
        if not self.agent or owner != "agent":
            first = self.config.schemas.get(templates[0].kind) or templates[0]
            yield from dict.fromkeys((*names, *file_names(self.config.root, first)))

    def known(self, found: Found) -> frozenset[str]:
        """Give the lines that a kind's templates hold themselves."""
        kind = found.templates[0].kind
        if kind not in self._known:
            self._known[kind] = boilerplate(found.templates)
        return self._known[kind]

    def read(self, path: str, end: int | None = None) -> Document | str:
        """Read a file, or so many characters at its end; or say why not: missing, unreadable."""
        if path not in self._read:
            self._read[path] = self._opened(path, end)
        return self._read[path]

    def _opened(self, path: str, end: int | None) -> Document | str:
        limits = self.config.settings
        until = time.monotonic() + limits.store.stable_ms / 1000
        while True:
            try:
                version = read(self.root.place(path), limits.lint.max_bytes)
            except FileNotFoundError:
                return "missing"
            except UnreadableFileError:
                return "unreadable"
            if version is None:
                return "missing"
            # an editor that saves shows an empty file for a moment
            fresh = time.time() - version.stat.st_mtime < limits.store.stable_ms / 1000
            if version.data or not fresh or time.monotonic() > until:
                return self._parsed(path, version.data, end)
            time.sleep(_LOOK_AGAIN)

    def _parsed(self, path: str, data: bytes, end: int | None) -> Document:
        self.digests[path] = blake2b(data, digest_size=8).hexdigest()
        most = self.config.settings.lint.max_lines
        if data.count(b"\n") > most:  # of a file with more lines no structure is read, by nobody
            data = b"\n".join(data.split(b"\n", most)[:most])
            self._blank[path] = (most,)
        if end is None or len(data) <= end:
            return parse(data)
        text = data.decode("utf-8", "surrogateescape")
        shorter, older = blank_older(text, end, eyes(self.config).is_kept)
        self._blank[path] = (*older, *self._blank.get(path, ()))
        return parse(shorter.encode("utf-8", "surrogateescape"))

    def text(self, path: str) -> str | None:
        """Read a text that is no memory, such as a prompt; None where there is none."""
        with suppress(FileNotFoundError, UnreadableFileError):
            version = read(self.root.place(path), self.config.settings.lint.max_bytes)
            return version.data.decode("utf-8", "replace") if version else None
        return None
