"""The class behind `Workspace.bundles`: skills of other people, and own knowledge for other people."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mdmem.bundles import installing
from mdmem.bundles.making import BundleDetails, make_bundle
from mdmem.bundles.model import Bundle
from mdmem.bundles.read import list_bundles
from mdmem.config.typed_calls import TypedCalls, several
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome


class Bundles(TypedCalls):
    """The namespace `Workspace.bundles`: folders or zips of Agent Skills, installed in `knowledge/BUNDLE/`."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace."""
        self._config = config

    def list(self) -> tuple[Bundle, ...]:
        """Return the installed bundles, by name.

        >>> [bundle.name for bundle in Workspace("workspace").bundles.list()]
        """
        return list_bundles(self._config)

    def install(
        self,
        place: str | os.PathLike[str],
        name: str = "",
        *,
        dry_run: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Install a bundle as it is; it is given to no model before it is trusted.

        Args:
            place: a folder or a zip, anywhere.
            name: for skills without `bundle.toml`, the name that they get here.
            dry_run: only tell what would change.
            actor: as for `Workspace.add`; only a person installs.
            reason: as for `Workspace.add`.

        Raises:
            RefusedError: it is not as a bundle must be, or its name is taken.
            TargetError: there is nothing at this place.
        """
        commit = ChangeRequest(self._config, "bundle-install", actor, reason, dry_run=dry_run)
        return installing.install(commit, os.fspath(place), name)

    def update(
        self,
        name: str,
        place: str | os.PathLike[str],
        *,
        confirm: bool | int = False,
        dry_run: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Replace a bundle by another version, and merge what is new into the overlays; it must be trusted again.

        Args:
            name: an installed bundle.
            place: the new version, a folder or a zip.
            confirm: True to drop what was changed in its files by hand.
            dry_run: only tell what would change.
            actor: as for `Workspace.add`; only a person updates.
            reason: as for `Workspace.add`.

        Raises:
            RefusedError: it is not as a bundle must be.
            ConfirmError: its files were changed by hand.
        """
        commit = ChangeRequest(self._config, "bundle-update", actor, reason, confirm=confirm, dry_run=dry_run)
        return installing.update(commit, name, os.fspath(place))

    def remove(
        self, name: str, *, confirm: bool | int = False, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Remove the files of a bundle; overlays stay as the user's own pieces.

        Args:
            name: an installed bundle.
            confirm: True to drop what was changed in its files by hand.
            dry_run: only tell what would change.
            actor: as for `Workspace.add`; only a person removes.
            reason: as for `Workspace.add`.

        Raises:
            ConfirmError: its files were changed by hand.
        """
        commit = ChangeRequest(self._config, "bundle-remove", actor, reason, confirm=confirm, dry_run=dry_run)
        return installing.remove(commit, name)

    def overlay(self, piece: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Make an own text of an installed piece, `knowledge/BUNDLE/PIECE.md`, which holds in its place.

        Raises:
            TargetError: no bundle has this piece; `candidates` are all pieces of bundles.
        """
        return installing.overlay(ChangeRequest(self._config, "bundle-overlay", actor, reason), piece)

    def make(
        self,
        place: str | os.PathLike[str],
        pieces: str | Sequence[str],
        *,
        name: str = "",
        version: str = "",
        license: str = "",  # noqa: A002 - as the manifest calls it
        description: str = "",
        key: str = "",
        dry_run: bool = False,
    ) -> Outcome:
        """Write pieces as a bundle of Agent Skills, the same bytes each time.

        Args:
            place: a path that does not exist: a zip if it ends in `.zip`, else a folder.
            pieces: their names.
            name: of the bundle; empty for that of the file.
            version: empty for one from the digests.
            license: as in `MIT`.
            description: what it is for.
            key: the file of an SSH key that signs it.
            dry_run: only tell what would be written.

        Raises:
            TargetError: there is no such piece.
            RefusedError: something is at this place, or a piece holds a secret, an order or hidden text.
        """
        commit = ChangeRequest(self._config, "bundle-make", "user", "", dry_run=dry_run)
        return make_bundle(
            commit, os.fspath(place), several(pieces), BundleDetails(name, version, license, description, key)
        )
