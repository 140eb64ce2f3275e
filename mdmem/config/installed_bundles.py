"""The bundles that are installed in a workspace: which files are theirs, and whether the user trusts them.

A bundle is trusted by its manifest, which holds the digest of each file: an update, and a file that was changed since,
are not trusted. The marks lie in the user's own settings folder, as those of a workspace's settings do.
"""

from __future__ import annotations

import os
import time
from hashlib import sha256
from typing import NamedTuple

from mdmem.config import trust
from mdmem.config.bundle_manifest import (
    MANIFEST,
    SIGNATURE,
    BundleManifest,
    UnfitBundleError,
    bundle_folder,
    read_manifest,
)
from mdmem.errors import TargetError
from mdmem.formats.paths import KNOWLEDGE, VERSIONS
from mdmem.messages.catalog import say
from mdmem.store.files import read_snapshot
from mdmem.store.walk import FileStamp, is_unchanged, read_folder

_MARK = b"bundle\0"  # before the bytes of a manifest: they are no settings


class InstalledManifest(NamedTuple):
    """The manifest of an installed bundle; `manifest` is None if it cannot be read."""

    data: bytes
    manifest: BundleManifest | None


class InstalledBundles:
    """The bundles of one workspace; a manifest is read again when its file has changed."""

    def __init__(self, root: str, most_bytes: int) -> None:
        """Bind to a workspace; a larger file is not read."""
        self._root, self._most = root, most_bytes
        self._known: dict[str, tuple[FileStamp | None, InstalledManifest | None]] = {}
        self._digests: dict[str, tuple[FileStamp, str]] = {}

    def names(self) -> tuple[str, ...]:
        """Return the names of all bundles."""
        try:
            found = sorted(os.listdir(os.path.join(self._root, KNOWLEDGE)))
        except OSError:
            return ()
        return tuple(name for name in found if self.get(name))

    def missing(self, name: str, lang: str) -> TargetError:
        """Return the error for a name that no bundle has; `candidates` are all names."""
        names = self.names()
        hint = say(lang, "bundle.none.hint", names=", ".join(names)) if names else say(lang, "cli.no-bundles")
        return TargetError(say(lang, "bundle.none", name=name[:80]), hint=hint, candidates=names)

    def get(self, name: str) -> InstalledManifest | None:
        """Return the manifest of a bundle; None if no bundle has this name."""
        path = os.path.join(self._root, bundle_folder(name), MANIFEST)
        stamp = read_folder(path)
        known = self._known.get(name)
        if known and known[0] == stamp:
            return known[1]
        found = self._read(name, path) if stamp else None
        if stamp is None or is_unchanged(stamp, time.time_ns()):
            self._known[name] = stamp, found
        return found

    def _read(self, name: str, path: str) -> InstalledManifest:
        seen = read_snapshot(path, self._root, self._most)
        try:
            made = read_manifest(seen.data) if seen.type == "regular" and seen.link == "none" else None
        except UnfitBundleError:
            made = None
        return InstalledManifest(seen.data, made if made and made.name == name else None)

    def near(self, path: str) -> str:
        """Return the bundle in whose folder a normal path lies, of the user's own files too; empty if in none."""
        parts = path.split("/")
        return parts[1] if len(parts) > 2 and parts[0] == KNOWLEDGE and self.get(parts[1]) else ""

    def owner(self, path: str) -> str:
        """Return the bundle to which a normal path belongs; empty if to none.

        In the folder of a bundle the user has overlays, `NAME.md`, and saved versions of them.
        """
        name = self.near(path)
        found = self.get(name) if name else None
        if found is None:
            return ""
        inner = path.removeprefix(f"{bundle_folder(name)}/")
        is_theirs = found.manifest is not None and inner in found.manifest.files
        parts = inner.split("/")
        is_own = (len(parts) == 1 and inner.endswith(".md")) or (len(parts) == 3 and parts[1] == VERSIONS)
        return name if is_theirs or not is_own else ""

    def is_trusted(self, name: str) -> bool:
        """Return whether the user trusts a bundle as its manifest is now."""
        found = self.get(name)
        return bool(found and found.manifest) and trust.is_trusted(self._root, _MARK + found.data if found else b"")

    def trust(self, name: str, *, revoke: bool = False) -> None:
        """Trust a bundle as its manifest is now, or revoke the trust; raises WriteError."""
        if found := self.get(name):
            (trust.revoke_trust if revoke else trust.trust)(self._root, _MARK + found.data)

    def changed(self, name: str, below: str = "") -> tuple[str, ...]:
        """Return the files of a bundle that are missing or not as its manifest says, if need be of one folder."""
        found = self.get(name)
        if found is None or found.manifest is None:
            return (MANIFEST,)
        folder = bundle_folder(name)
        wanted = ((path, digest) for path, digest in found.manifest.files.items() if path.startswith(below))
        return tuple(path for path, digest in sorted(wanted) if self._digest(f"{folder}/{path}") != digest)

    def withholds(self, path: str) -> bool:
        """Return whether a file is given to no model: it is of a bundle that is not trusted, or was changed since."""
        name = self.near(path)
        if not name:
            return False
        if not self.is_trusted(name):
            return True
        inner = path.removeprefix(f"{bundle_folder(name)}/")
        is_own = inner != SIGNATURE and not self.owner(path)
        return not is_own and bool(self.changed(name, f"{inner.partition('/')[0]}/" if "/" in inner else inner))

    def _digest(self, path: str) -> str:
        """Return the SHA-256 of a file; empty if it is no regular file of the workspace."""
        full = os.path.join(self._root, path)
        stamp, known = read_folder(full), self._digests.get(path)
        if known and known[0] == stamp:
            return known[1]
        seen = read_snapshot(full, self._root, self._most)
        is_whole = seen.type == "regular" and seen.link == "none" and seen.size == len(seen.data)
        found = sha256(seen.data).hexdigest() if is_whole else ""
        if stamp and is_unchanged(stamp, time.time_ns()):
            self._digests[path] = stamp, found
        return found
