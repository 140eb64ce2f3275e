"""From the documents that a change asks for to the files it makes of them, nothing written yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from mdmem.core.artifact import FOLDER, HEAD
from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit, apply_edits
from mdmem.core.merge import merge
from mdmem.core.settings.files import StoreSettings
from mdmem.core.settings.tables import Settings
from mdmem.errors import ConflictError
from mdmem.store.graves import Late
from mdmem.store.history import History
from mdmem.store.journal import temporary_name
from mdmem.store.publish import Target
from mdmem.store.record import fingerprint
from mdmem.store.root import Root, Version, read

Edits = Mapping[str, Sequence[Edit] | None]  # path → edits of that file; None removes it
Change = Callable[["Files"], Edits]
Judge = Callable[[str, Document | None, Sequence[Edit], Document | None], None]  # raises to refuse

_LOOK_AGAIN = 0.005  # seconds
_UNKNOWN = 10  # a file that mdmem never wrote is waited for a tenth as long


class NotLocked(Exception):  # noqa: N818 - no error: the change asks for one file more
    """A change asked for a file whose lock is not held yet."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Files:
    """The documents of a change: each is locked, and read, when it is first asked for."""

    def __init__(
        self,
        root: Root,
        held: frozenset[str],
        known: set[str],
        settings: Settings,
        expect: Mapping[str, str | None],
    ) -> None:
        self.root, self._settings = root, settings
        self._held, self._known = held, known
        self._expect = {root.resolve(path): digest for path, digest in expect.items()}
        self.versions: dict[str, Version | None] = {}
        self._seen: dict[str, Document | None] = {}

    def __getitem__(self, path: str) -> Document | None:
        """Give the document at a path, as the caller saw it last; None where there is no such file."""
        return self.seen(self.root.resolve(path))

    def seen(self, path: str) -> Document | None:
        """Give the document that the change starts from: what is there, or what the caller expects to be there."""
        if path not in self._held:
            raise NotLocked(path)
        if path not in self._seen:
            version = self.versions[path] = self._stable(path)
            now = fingerprint(version.data) if version else None
            wanted = self._expect.get(path, now)
            data = version.data if version else None
            if wanted != now:
                data = self._version(path, wanted, data)
            self._seen[path] = None if data is None else parse(data)
        return self._seen[path]

    def _version(self, path: str, digest: str | None, now: bytes | None) -> bytes | None:
        found = History(self.root, 0).read(digest) if digest else None
        if digest and found is None:
            theirs = (now or b"").decode("utf-8", "replace")
            hint = "read it again, then make the change from what stands there"
            raise ConflictError(
                "is not what you saw, and what you saw is not known here", hint=hint, path=path, theirs=theirs
            )
        return found

    def _stable(self, path: str) -> Version | None:
        """Read a file; one that is missing or empty is looked at again, for so it is while editors save."""
        patient = path in self._known or self.root.is_set_aside(path)
        until = time.monotonic() + self._settings.store.stable_ms / 1000 / (1 if patient else _UNKNOWN)
        while True:
            try:
                version = read(self.root.place(path), most_bytes(self._settings, path))
            except FileNotFoundError:
                version = None
            if (version and version.data) or time.monotonic() > until:
                return version
            time.sleep(_LOOK_AGAIN)


def most_bytes(settings: Settings, path: str) -> int:
    """Return the bytes that a file may have: a tool's output, which only `forget` and a person change, has more."""
    own = settings.artifacts.max_bytes + HEAD if path.startswith(f"{FOLDER}/") else 0
    return max(settings.lint.max_bytes, own)


def draft(files: Files, edits: Edits, judge: Judge) -> list[Target]:
    """Judge the edits of each file and make its target; a file that would stay as it is has none.

    Raises:
        ConflictError: a file moved on since the caller saw it, and both changes touch the same thing.
        MdmemError: what the judge raises.
    """
    targets = []
    for named, given in sorted(edits.items()):
        path, wanted = files.root.resolve(named), given
        seen, version = files.seen(path), files.versions[path]
        now = parse(version.data) if version else None
        made = None if wanted is None else parse(_bytes(apply_edits(seen.text if seen else "", wanted)))
        if seen is not None and now is not None and made is not None and seen.text != now.text:
            wanted = _merged(path, seen, made, now)
            made = parse(_bytes(apply_edits(now.text, wanted)))
        elif (seen.text if seen else None) != (now.text if now else None):
            raise _conflict(path, made, now)
        after = None if made is None else made.to_bytes()
        if after != (version.data if version else None):
            judge(path, now, () if wanted is None else wanted, made)
            targets.append(target(files.root, path, version, after))
    return targets


def target(root: Root, path: str, base: Version | None, after: bytes | None) -> Target:
    """Make the target of a file; the folders that it needs are made."""
    place = root.place(path, make=after is not None)
    return Target(place, temporary_name(path), base, after)


def mend(root: Root, path: str, late: Late, settings: StoreSettings) -> list[Target]:
    """Bring home a save that came after its file had been replaced; where both touch the same thing, ours stays.

    The save is in the history either way.
    """
    history = History(root, settings.lock_seconds)
    history.keep(late.data)
    base, version = history.read(late.base), read(root.place(path))
    if base is None or version is None:
        return []
    now = parse(version.data)
    merged = merge(parse(base), parse(late.data), now)
    after = _bytes(apply_edits(now.text, merged.edits))
    return [] if merged.conflicts or after == version.data else [target(root, path, version, after)]


def _merged(path: str, seen: Document, made: Document, now: Document) -> Sequence[Edit]:
    merged = merge(seen, made, now)
    if merged.conflicts:
        raise _conflict(path, made, now)
    return merged.edits


def _conflict(path: str, made: Document | None, now: Document | None) -> ConflictError:
    return ConflictError(
        "moved on since you saw it, and both changes touch the same place",
        hint="read it again, then make the change from what stands there",
        path=path,
        ours=made.text if made else "",
        theirs=now.text if now else "",
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
