"""Finds and reads the bundles that are installed."""

from __future__ import annotations

import os

from mdmem.bundles.model import Bundle, BundleFiles
from mdmem.bundles.signatures import ANYBODY, signer
from mdmem.config.bundle_manifest import (
    SIGNATURE,
    BundleManifest,
    UnfitBundleError,
    bundle_folder,
    overlay_path,
)
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.files import read_snapshot
from mdmem.store.root import is_program

_UNREADABLE = BundleManifest("", "", "", "", (), (), {})


def list_bundles(config: WorkspaceConfig) -> tuple[Bundle, ...]:
    """Return the installed bundles, by name."""
    return tuple(_described(config, name) for name in config.bundles.names())


def _described(config: WorkspaceConfig, name: str) -> Bundle:
    found = config.bundles.get(name)
    made = (found.manifest if found else None) or _UNREADABLE
    overlays = (one for one in made.pieces if os.path.isfile(os.path.join(config.root, overlay_path(one))))
    return Bundle(
        name=name,
        path=bundle_folder(name),
        version=made.version,
        license=made.license,
        description=made.description,
        pieces=made.pieces,
        overlays=tuple(overlays),
        files=len(made.files),
        trusted=config.bundles.is_trusted(name),
        signer=_signer(config, name, found.data if found else b""),
        changed=config.bundles.changed(name),
    )


def _signer(config: WorkspaceConfig, name: str, data: bytes) -> str:
    try:
        return signer(data, stored_bytes(config, f"{bundle_folder(name)}/{SIGNATURE}") or b"")
    except UnfitBundleError:
        return ANYBODY


def installed_bundle(config: WorkspaceConfig, name: str) -> BundleFiles | None:
    """Return an installed bundle with what there is of its files; None if its manifest cannot be read."""
    found = config.bundles.get(name)
    if found is None or found.manifest is None:
        return None
    folder = bundle_folder(name)
    stored = {path: stored_bytes(config, f"{folder}/{path}") for path in (*found.manifest.files, SIGNATURE)}
    signature = stored.pop(SIGNATURE)
    return BundleFiles(
        found.manifest, {path: data for path, data in stored.items() if data is not None}, found.data, signature or b""
    )


def is_executable(config: WorkspaceConfig, path: str) -> bool:
    """Return whether a file of the workspace carries the mark of a program."""
    return is_program(os.lstat(os.path.join(config.root, path)))


def stored_bytes(config: WorkspaceConfig, path: str) -> bytes | None:
    """Return the bytes of a file of the workspace; None if it is no regular file in it, or larger than a bundle's."""
    seen = read_snapshot(os.path.join(config.root, path), config.root, config.settings.bundles.file_bytes)
    return seen.data if seen.type == "regular" and seen.link == "none" and seen.size == len(seen.data) else None
