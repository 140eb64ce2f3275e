"""The types of bundles. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from mdmem.config.bundle_manifest import MANIFEST, SIGNATURE, BundleManifest, UnfitBundleError


class BundleFiles(NamedTuple):
    """A bundle as it was read: its manifest, and the bytes of each of its files."""

    manifest: BundleManifest
    files: Mapping[str, bytes]  # path in the bundle → bytes, without manifest and signature
    data: bytes  # of the manifest
    signature: bytes  # empty if it is not signed

    @property
    def stored(self) -> dict[str, bytes]:
        """Every file of the bundle, manifest and signature too."""
        signature = {SIGNATURE: self.signature} if self.signature else {}
        return {**self.files, MANIFEST: self.data, **signature}


@dataclass(frozen=True, slots=True)
class Bundle:
    """An installed bundle."""

    name: str
    path: str  # its folder
    version: str
    license: str
    description: str
    pieces: tuple[str, ...]  # the names of its pieces of knowledge
    overlays: tuple[str, ...]  # pieces of which the user has an own text
    files: int
    trusted: bool
    signer: str  # who signed it, of those the user allows; `?` for anybody else, empty for nobody
    changed: tuple[str, ...]  # files that are not as they were installed


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of a file, as a manifest gives it."""
    return sha256(data).hexdigest()


def check_digests(manifest: BundleManifest, files: Mapping[str, bytes]) -> None:
    """Refuse a bundle whose files are not those that its manifest names; raises UnfitBundleError."""
    if missing := sorted(manifest.files.keys() - files.keys()):
        raise UnfitBundleError("missing", path=missing[0])
    if more := sorted(files.keys() - manifest.files.keys()):
        raise UnfitBundleError("unlisted", path=more[0])
    if wrong := next((path for path, data in sorted(files.items()) if digest_of(data) != manifest.files[path]), ""):
        raise UnfitBundleError("digest", path=wrong)
