"""Keeps the versions of files that were saved without mdmem, so that they can be listed, shown and undone.

A thread waits until a file is no longer saved, and then logs its version as the editor's. At the start, all files are
compared once with the history. Secrets that the pen would refuse are never kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.formats.artifact import FOLDER
from mdmem.linter.sources import all_memory_sources
from mdmem.store.history.known import KnownFiles
from mdmem.store.history.versions import EDITOR, VersionStore, fingerprint
from mdmem.store.pen import ObservedVersion
from mdmem.store.root import Root
from mdmem.text.document import parse
from mdmem.watch.board import is_of_settings

_REASONS = {"met": "first met by watch", "edited": "saved by hand", "gone": "deleted by hand", "moved": "moved by hand"}
_SESSION = "session"
_LINE_BYTES = 30_000  # most bytes of the paths in one line of the log
_AT_ONCE = 100  # most files that are locked together
_PRUNE_SHARE = 8  # the history is pruned whenever a watcher has added this fraction of its limit in bytes
_STEP, _PAUSE = 0.1, 2  # at the start, this thread pauses twice as long as each step of work, so that others can run
_END_SECONDS = 5  # seconds to wait for the last versions when the watcher ends


class Versions:
    """Compares files with the history, and logs new versions."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config, self._pen = config, config.pen()
        numbers = config.settings.lint
        self._known = KnownFiles(config.root, (numbers.lost_ratio, numbers.lost_min_bytes))
        self._access = AccessPolicy(config, EDITOR)
        self._kept_bytes = 0  # bytes added since the history was last pruned

    def sweep(self) -> Iterator[None]:
        """Log every file whose version differs from the known one; unknown files are logged as they are."""
        self._known.refresh()
        gone, new = [path for path in self._known.files if self._is_gone(path)], list[str]()
        remaining_bytes = self._config.settings.store.keep_bytes // 2
        for source in all_memory_sources(self._config):
            digest = self._known.met_last(source.path)
            if source.seen.type != "regular" or source.seen.size != len(source.seen.data):
                continue
            if digest is None:
                remaining_bytes -= source.seen.size
                new += [source.path] if source.seen.data and remaining_bytes > 0 else []
            elif digest != fingerprint(source.seen.data):
                self.log([source.path])
            yield
        self.log(gone, among=new)
        while new:
            yield
            count = _batch_size(new)
            self._observe_new(new[:count])
            del new[:count]
        self._prune(1)

    def log(self, paths: Sequence[str], among: Sequence[str] = ()) -> None:
        """Log files that were saved, created, moved or deleted; a moved file may also be one of `among`."""
        self._known.refresh()
        gone = [path for path in paths if self._is_gone(path)]
        created = [path for path in (*paths, *among) if path not in gone and self._known.met_last(path) is None]
        targets = {digest: path for path in created if gone and (digest := self._digest(path))}
        done = set[str]()
        for path in gone:
            target = targets.pop(self._known.met_last(path) or "", None)
            if target:
                self._observe([path, target], "moved")
                done |= {path, target}
            else:
                self._observe([path], "gone")
        for path in paths:
            if path not in done and path not in gone:
                self._observe([path], "edited")

    def is_memory(self, path: str) -> bool:
        """Return True if versions of a file are kept: it is neither a setting nor an artifact."""
        return not is_of_settings(path) and not path.startswith(f"{FOLDER}/")

    def _observe_new(self, paths: Sequence[str]) -> None:
        """Log unknown files as they are; a file that was moved in the meantime is known by now."""
        self._known.refresh()
        if unknown := [path for path in paths if self._known.met_last(path) is None]:
            self._observe(unknown, "met")

    def _observe(self, paths: Sequence[str], reason: str) -> None:
        gate = Gate(self._access)

        def describe(path: str, data: bytes | None) -> ObservedVersion | None:
            self._known.refresh()  # under the lock: no other mdmem process writes this file
            last = self._known.met_last(path)
            if (fingerprint(data) if data is not None else None) == last:
                return None
            was_program = path in self._known.programs
            if data is None:
                return ObservedVersion(last, was_program=was_program)
            if (before := self._before(path, last, data)) is None:
                return None
            old = parse(before) if before else None
            if gate.secret(path, old, parse(data)):
                return None
            self._kept_bytes += len(data)
            return ObservedVersion(fingerprint(data) if reason == "met" else last, was_program=was_program)

        with suppress(MdmemError, OSError):  # what cannot be kept now is observed again at the next change or start
            self._pen.observe(paths, describe, actor=EDITOR, reason=_REASONS[reason])
        self._prune(self._config.settings.store.keep_bytes // _PRUNE_SHARE)

    def _prune(self, least_bytes: int) -> None:
        """Prune the history if at least this many bytes were added to it."""
        if self._kept_bytes >= least_bytes:
            self._kept_bytes = 0
            with suppress(MdmemError, OSError):
                self._pen.prune()

    def _before(self, path: str, last: str | None, data: bytes) -> bytes | None:
        """Return the version before this one; None for a session that only has more turns."""
        with Root(self._config.root) as root:
            before = (VersionStore(root, 0).read(last) if last else None) or b""
        is_session = bool(before) and self._access.kind(path) == _SESSION
        return None if is_session and data.startswith(before) else before

    def _is_gone(self, path: str) -> bool:
        return self._known.met_last(path) is not None and not os.path.lexists(os.path.join(self._config.root, path))

    def _digest(self, path: str) -> str:
        with suppress(OSError, MdmemError):
            return fingerprint(live_bytes(self._config, path) or b"")
        return ""


def _batch_size(paths: Sequence[str]) -> int:
    """Return how many of the paths fit into one line of the log and one lock."""
    size = 0
    for count, path in enumerate(paths[:_AT_ONCE]):
        size += len(path.encode("utf-8", "surrogateescape"))
        if size > _LINE_BYTES:
            return max(1, count)
    return min(len(paths), _AT_ONCE)


class VersionKeeper(Thread):
    """Runs `Versions` in a thread: all files at the start, then each file once it has settled."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Start the thread, which ends with the process."""
        super().__init__(daemon=True)
        self._config, self._hints = config, SimpleQueue[tuple[str, ...] | None]()
        self.is_sweeping = True
        self._due: dict[str, tuple[float, float]] = {}  # path → when the first and the last change was seen
        self.start()

    def touched(self, paths: Iterable[str]) -> None:
        """Pass on files that changed or are gone."""
        self._hints.put(tuple(paths))

    def stop(self) -> None:
        """Keep what has not settled yet, and end."""
        self._hints.put(None)
        self.join(_END_SECONDS)

    def run(self) -> None:
        """Keep versions until `stop`."""
        try:
            versions = Versions(self._config)
            ended = self._sweep(versions)
            self.is_sweeping = False
            while not ended:
                ended = not self._receive(self._wait())
                versions.log(self._ready(versions, every=ended))
        except (MdmemError, OSError):  # broken settings or a missing folder: the watcher reports them
            self.is_sweeping = False

    def _sweep(self, versions: Versions) -> bool:
        """Compare all files once, with pauses; return True if the thread has to end."""
        begun = time.monotonic()
        for _ in versions.sweep():
            spent = time.monotonic() - begun
            if not self._receive(spent * _PAUSE if spent > _STEP else 0):
                versions.log(self._ready(versions, every=True))
                return True
            begun = begun if spent <= _STEP else time.monotonic()
        return False

    def _receive(self, seconds: float | None) -> bool:
        """Receive the changed files, waiting up to `seconds` for the first; return False if the thread has to end."""
        with suppress(Empty):
            while True:
                hint = self._hints.get(timeout=seconds) if seconds != 0 else self._hints.get_nowait()
                if hint is None:
                    return False
                now = time.monotonic()
                self._due |= {path: (self._due.get(path, (now, now))[0], now) for path in hint}
                seconds = 0
        return True

    def _until(self, first: float, last: float) -> float:
        numbers = self._config.settings.watch
        return min(last + numbers.version_seconds, first + numbers.max_version_seconds)

    def _wait(self) -> float | None:
        """Return the seconds until the next file has settled; None if there is none."""
        ends = [self._until(*times) for times in self._due.values()]
        return max(0.001, min(ends) - time.monotonic()) if ends else None

    def _ready(self, versions: Versions, *, every: bool = False) -> list[str]:
        """Remove and return the files that have settled."""
        now = time.monotonic()
        ready = [path for path, times in self._due.items() if every or self._until(*times) <= now]
        for path in ready:
            del self._due[path]
        return [path for path in ready if versions.is_memory(path)]
