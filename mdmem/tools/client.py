"""Tracks what a client of the tools has read: its next change starts from there and removes nothing that is unseen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import no_longer_said
from mdmem.entries.edits import find_section
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import TargetError
from mdmem.facade import Facade
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.store.durable import write_new
from mdmem.store.files import digest, read_json
from mdmem.store.history.versions import VersionStore, is_fingerprint
from mdmem.store.root import Root, remove_older
from mdmem.store.walk import AGENTS_FOLDER
from mdmem.text.document import Document, Section, parse
from mdmem.text.edit import apply_edits
from mdmem.text.inline import one_line
from mdmem.text.merge import merge

_FOLDER = f"{AGENTS_FOLDER}/clients"  # a file for each session of the command line
_MOST_BYTES = 1_000_000  # of such a file
_MOST_FILES = 100  # of which a client's versions are held; the one that was read longest ago goes first


class ToolClient:
    """One client of the tools, with its name in the log: a connection, an adapter, or a program's own loop."""

    def __init__(self, actor: str) -> None:
        """Begin without having read anything."""
        self.actor = actor
        self.told = ""  # what it was told of settings that are broken
        self.asked: dict[str, bytes] = {}  # path → the version whose removal waits for a second call
        self._read: dict[str, bytes] = {}  # path → the version that it read last
        self._whole: dict[str, bytes] = {}  # path → the version that it read whole

    @property
    def known(self) -> dict[str, dict[str, bytes]]:
        """All versions that it holds, by what it did with them."""
        return {"asked": self.asked, "read": self._read, "whole": self._whole}

    def saw(self, path: str, data: bytes, *, whole: bool = True) -> None:
        """Remember the version of a file that a reply has shown, whole or a part of it."""
        for versions in (self._read, self._whole) if whole else (self._read,):
            versions.pop(path, None)
            versions[path] = data
            if len(versions) > _MOST_FILES:
                versions.pop(next(iter(versions)))

    def base(self, path: str) -> bytes | None:
        """Return the version of a file that it read last, or a part of it; None if it has not read the file."""
        return self._read.get(path)

    def whole(self, path: str) -> bytes | None:
        """Return the version of a file that it read whole last."""
        return self._whole.get(path)

    def follow(self, config: WorkspaceConfig, transaction: str) -> None:
        """Carry a change of its own over to the versions that it holds: it knows what it wrote, and nothing else."""
        with Root(config.root) as root:
            history = VersionStore(root, config.settings.store.lock_seconds)
            done = next((one for one in history.log() if one.id == transaction), None)
            for file in done.files if done else ():
                before, after = (history.read(one) if one else None for one in (file.before, file.after))
                if before is None and after is not None:
                    self.saw(file.path, after)
                for versions in (self._read, self._whole):
                    if before is not None and (seen := versions.pop(file.path, None)) is not None and after is not None:
                        versions[file.path] = _carried(before, after, seen)


@contextmanager
def kept_client(config: WorkspaceConfig, actor: str, session: str) -> Iterator[ToolClient]:
    """Give the client of a session whose calls are processes of their own, and keep what it knows after the call.

    The record holds digests; the versions stand in the history. One that is gone from there was not read.

    Raises:
        WriteError: the system refused; the call was done.
    """
    client, name = ToolClient(actor), f"{_FOLDER}/{digest(actor, session)[:32]}.json"
    found = read_json(config.root, name, _MOST_BYTES)
    with Root(config.root) as root:
        history = VersionStore(root, config.settings.store.lock_seconds)
        read = cache(history.read)  # what a client read last, it has mostly read whole
        for key, versions in client.known.items():
            recorded = found.get(key)
            for path, version in recorded.items() if isinstance(recorded, dict) else ():
                if is_fingerprint(version) and (data := read(version)) is not None:
                    versions[path] = data
        yield client
        if not any(client.known.values()):
            return
        keep = cache(history.keep)
        record = {key: {path: keep(data) for path, data in versions.items()} for key, versions in client.known.items()}
        write_new(root.place(name, make=True).name, json.dumps(record).encode(), name)
    remove_older(config.root, _FOLDER, config.settings.agents.keep_days)


def _carried(before: bytes, after: bytes, seen: bytes) -> bytes:
    """Return what a client has seen, with its own change; where that cannot be told, its version stays."""
    if seen == before:
        return after
    document = parse(seen)
    merged = merge(parse(before), parse(after), document)
    return apply_edits(document.text, merged.edits).encode("utf-8", "surrogateescape")


def from_base(client: ToolClient, path: str, change: Callable[[bytes | None], Outcome]) -> Outcome:
    """Make a change on the version that the client read; on the live one if that does not hold what it names.

    Raises:
        ConflictError: somebody else has changed the same entry since.
    """
    if (base := client.base(path)) is not None:
        with suppress(TargetError):
            return change(base)
    return change(None)


def likely_base(host: Facade, path: str, content: str, section: str = "") -> bytes | None:
    """Return the version of a file from which a text was probably written; None if there is no file.

    It is the one with the fewest other lines, of those that have at least half of their lines in the text; the live
    version wins a tie, then the newer one. If no other one has, it is the live one. With a `section`, only its lines
    are compared.
    """
    wanted = _lines(content)
    best: tuple[int, bytes] | None = None
    for data in _versions(host, path):
        lines = _lines(_text(host, path, parse(data), section))
        same = (lines & wanted).total()
        far = lines.total() + wanted.total() - 2 * same
        if best is None or (far < best[0] and 2 * same >= lines.total() > 0):
            best = far, data
    return best[1] if best else None


def _versions(host: Facade, path: str) -> Iterator[bytes]:
    """Yield the live version of a file, then the versions of the history, newest first."""
    config = host.config
    if (live := live_bytes(config, path)) is None:
        return
    yield live
    changes = host.history.log(path, limit=config.settings.store.list)
    with Root(config.root) as root:
        history = VersionStore(root, config.settings.store.lock_seconds)
        digests = (one for change in changes for file in change.files if file.path == path
                   for one in (file.after, file.before))  # fmt: skip
        for digest in dict.fromkeys(filter(None, digests)):
            if (data := history.read(digest)) is not None:
                yield data


def _lines(text: str) -> Counter[str]:
    lines = (line.strip() for line in text.splitlines())
    return Counter(line.removeprefix("- ") for line in lines if line)


def _text(host: Facade, path: str, document: Document, section: str) -> str:
    if not section:
        return document.text
    with suppress(TargetError):
        found = find_section(document, host.config.schemas.match(path, document), section)
        if isinstance(found, Section):
            return "\n".join(one.text for one in found.entries)
    return ""


def kept_hint(host: Facade, path: str, content: str) -> str:
    """Return a hint that names the entries of a file which a whole new text does not have; empty for none."""
    if (live := live_bytes(host.config, path)) is None:
        return ""
    kept = no_longer_said(parse(live).entries, content)
    lines = "\n".join(f"- {mask(one_line(text))}" for text in kept[: host.config.settings.store.list])
    return say(host.lang, "tool.kept", count=len(kept), lines=lines) if kept else ""
