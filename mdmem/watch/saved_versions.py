"""Keeps the versions of files that a watcher meets, so that what is saved by hand can be listed, shown and undone.

A thread of its own waits until nobody saves a file any more, and then logs its version as the editor's. What is known
from before is compared once at the start. Secrets that the pen would refuse are never kept.
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
_LINE_BYTES = 30_000  # of the paths in one line of the log
_AT_ONCE = 100  # files that are locked together
_PRUNE_SHARE = 8  # the history is pruned each time that a watcher has kept such a part of its bytes
_STEP, _PAUSE = 0.1, 2  # seconds of work at the start after which this thread rests twice as long: others are awaited
_END_SECONDS = 5  # to wait for the last versions when the watcher ends


class Versions:
    """Compares files with the history, and logs what is new."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config, self._pen = config, config.pen()
        numbers = config.settings.lint
        self._known = KnownFiles(config.root, (numbers.lost_ratio, numbers.lost_min_bytes))
        self._access = AccessPolicy(config, EDITOR)
        self._kept = 0  # bytes since the history was last pruned

    def sweep(self) -> Iterator[None]:
        """Log every file that is other than the history knows it; what it does not know is noted as it is."""
        self._known.refresh()
        gone, new = [path for path in self._known.files if self._is_gone(path)], list[str]()
        room = self._config.settings.store.keep_bytes // 2
        for source in all_memory_sources(self._config):
            known = self._known.met_last(source.path)
            if source.seen.type != "regular" or source.seen.size != len(source.seen.data):
                continue
            if known is None:
                room -= source.seen.size
                new += [source.path] if source.seen.data and room > 0 else []
            elif known != fingerprint(source.seen.data):
                self.log([source.path])
            yield
        self.log(gone, among=new)
        while new:
            yield
            some = _beginning(new)
            self._first(new[:some])
            del new[:some]
        self._prune(1)

    def log(self, paths: Sequence[str], among: Sequence[str] = ()) -> None:
        """Log files that were saved, made, moved or deleted; a moved one may also have gone to one of `among`."""
        self._known.refresh()
        gone = [path for path in paths if self._is_gone(path)]
        made = [path for path in (*paths, *among) if path not in gone and self._known.met_last(path) is None]
        targets = {digest: path for path in made if gone and (digest := self._digest(path))}
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
        """Return True if versions of a file are kept: it is no setting, and nothing that a tool gave."""
        return not is_of_settings(path) and not path.startswith(f"{FOLDER}/")

    def _first(self, paths: Sequence[str]) -> None:
        """Note files that nobody knew as they are; what was moved meanwhile is known by now."""
        self._known.refresh()
        if unknown := [path for path in paths if self._known.met_last(path) is None]:
            self._observe(unknown, "met")

    def _observe(self, paths: Sequence[str], reason: str) -> None:
        gate = Gate(self._access)

        def see(path: str, data: bytes | None) -> ObservedVersion | None:
            self._known.refresh()  # under the lock: nobody writes this file now
            last = self._known.met_last(path)
            if (fingerprint(data) if data is not None else None) == last:
                return None
            if data is None:
                return ObservedVersion(last)
            if (before := self._before(path, last, data)) is None:
                return None
            old = parse(before) if before else None
            if gate.secret(path, old, parse(data)):
                return None
            self._kept += len(data)
            return ObservedVersion(fingerprint(data) if reason == "met" else last)

        with suppress(MdmemError, OSError):  # what cannot be kept now is met again at the next change or start
            self._pen.observe(paths, see, actor=EDITOR, reason=_REASONS[reason])
        self._prune(self._config.settings.store.keep_bytes // _PRUNE_SHARE)

    def _prune(self, kept: int) -> None:
        """Prune the history once so many bytes were added to it."""
        if self._kept >= kept:
            self._kept = 0
            with suppress(MdmemError, OSError):
                self._pen.prune()

    def _before(self, path: str, last: str | None, data: bytes) -> bytes | None:
        """Return the version before this one; None for a session that only got more turns, which its file tells."""
        with Root(self._config.root) as root:
            before = (VersionStore(root, 0).read(last) if last else None) or b""
        is_session = bool(before) and self._access.kind(path) == _SESSION
        return None if is_session and data.startswith(before) else before

    def _is_gone(self, path: str) -> bool:
        return self._known.met_last(path) is not None and not os.path.lexists(os.path.join(self._config.root, path))

    def _digest(self, path: str) -> str:
        with suppress(OSError), open(os.path.join(self._config.root, path), "rb") as stream:
            return fingerprint(stream.read())
        return ""


def _beginning(paths: Sequence[str]) -> int:
    """Count the paths that fit into one line of the log, and into one lock."""
    size = 0
    for count, path in enumerate(paths[:_AT_ONCE]):
        size += len(path.encode("utf-8", "surrogateescape"))
        if size > _LINE_BYTES:
            return max(1, count)
    return min(len(paths), _AT_ONCE)


class VersionKeeper(Thread):
    """Runs `Versions` beside a watcher: everything at its start, then each file once it has settled."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Begin, in a thread that ends with the process."""
        super().__init__(daemon=True)
        self._config, self._hints = config, SimpleQueue[tuple[str, ...] | None]()
        self.is_sweeping = True
        self._due: dict[str, tuple[float, float]] = {}  # path → when it was first and last seen to change
        self.start()

    def touched(self, paths: Iterable[str]) -> None:
        """Take files that changed or are gone."""
        self._hints.put(tuple(paths))

    def stop(self) -> None:
        """Keep what has not settled yet, and end."""
        self._hints.put(None)
        self.join(_END_SECONDS)

    def run(self) -> None:
        """Work until `stop`."""
        try:
            versions = Versions(self._config)
            over = self._sweep(versions)
            self.is_sweeping = False
            while not over:
                over = not self._take(self._wait())
                versions.log(self._ready(versions, every=over))
        except (MdmemError, OSError):  # settings that went wrong, a folder that vanished: the watcher tells
            self.is_sweeping = False

    def _sweep(self, versions: Versions) -> bool:
        """Compare everything once, resting in between; True: the end has come."""
        begun = time.monotonic()
        for _ in versions.sweep():
            spent = time.monotonic() - begun
            if not self._take(spent * _PAUSE if spent > _STEP else 0):
                versions.log(self._ready(versions, every=True))
                return True
            begun = begun if spent <= _STEP else time.monotonic()
        return False

    def _take(self, seconds: float | None) -> bool:
        """Take what has changed, waiting so long for the first; False: the end has come."""
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
        return min(last + numbers.version_seconds, first + numbers.version_most_seconds)

    def _wait(self) -> float | None:
        """Return the seconds until the next file has settled; None if there is none."""
        ends = [self._until(*times) for times in self._due.values()]
        return max(0.001, min(ends) - time.monotonic()) if ends else None

    def _ready(self, versions: Versions, *, every: bool = False) -> list[str]:
        """Take out the files that have settled."""
        now = time.monotonic()
        ready = [path for path, times in self._due.items() if every or self._until(*times) <= now]
        for path in ready:
            del self._due[path]
        return [path for path in ready if versions.is_memory(path)]
