"""Makes a bundle of pieces: a folder or a zip of Agent Skills with a manifest, the same bytes each time."""

from __future__ import annotations

import io
import os
import shutil
import stat
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

from mdmem.bundles.bundle_source import ZIP, describe_files
from mdmem.bundles.installing import bundle_errors, safe_findings
from mdmem.bundles.model import BundleFiles
from mdmem.bundles.read import is_executable, stored_bytes
from mdmem.bundles.signatures import sign
from mdmem.config.bundle_manifest import MANIFEST, SKILL, UnfitBundleError, overlay_path, read_manifest
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, UsageError, WriteError
from mdmem.formats.paths import KNOWLEDGE, VERSIONS
from mdmem.knowledge.read import open_piece
from mdmem.messages.catalog import say
from mdmem.store.files import is_outside

_OLDEST = (1980, 1, 1, 0, 0, 0)  # the time of each file in a zip: the first that a zip can name
_MODE, _PROGRAM = 0o644, 0o755  # of a file that its owner may write, and of one that all may run
_SYSTEM = 3  # Unix, whatever this machine is


class BundleDetails(NamedTuple):
    """What its maker says of a bundle."""

    name: str = ""
    version: str = ""
    license: str = ""
    description: str = ""
    key: str = ""  # the file of the SSH key that signs it


def make_bundle(commit: ChangeRequest, place: str, pieces: Sequence[str], details: BundleDetails) -> Outcome:
    """Write pieces to a folder or a zip; see `Workspace.bundles.make`."""
    place = os.path.abspath(os.path.expanduser(place))
    if not pieces:
        commit.access.stop(UsageError, "bundle.no-pieces")
    if os.path.lexists(place):
        commit.access.stop(RefusedError, "bundle.place-taken", os.path.basename(place))
    name = details.name or os.path.basename(place).removesuffix(ZIP).lower()
    with bundle_errors(commit, place):
        files, executable = dict[str, bytes](), set[str]()
        for piece in pieces:
            for path, source in _piece_files(commit.config, piece).items():
                data = _read(commit.config, source, path)
                if files.setdefault(path, data) != data:
                    raise UnfitBundleError("twice", path=path, other=path)
                if is_executable(commit.config, source):
                    executable.add(path)
        said = details.version, details.license, details.description
        data = describe_files(name, files, *said, executable).text.encode()
        manifest = read_manifest(data)  # what nobody could install is not made
        findings = safe_findings(commit, name, {**files, MANIFEST: data})
        made = BundleFiles(manifest, files, data, sign(data, details.key) if details.key else b"")
    if not commit.dry_run:
        (_write_zip if place.endswith(ZIP) else _write_folder)(place, made)
    facts = {"name": os.path.basename(place), "count": len(manifest.pieces), "files": len(files)}
    message = say(commit.lang, "bundle.made", **facts)
    hint = say(commit.lang, "bundle.made-warnings", count=len(findings)) if findings else ""
    if commit.dry_run:
        return Outcome("planned", say(commit.lang, "pen.planned", message=message), hint, os.path.basename(place))
    return Outcome("done", message, hint, os.path.basename(place))


def _piece_files(config: WorkspaceConfig, name: str) -> dict[str, str]:
    """Return the files of a piece as a skill, each with its path in the workspace.

    They are its text as `SKILL.md`, and those beside it if it is a folder.

    Raises:
        TargetError: there is no such piece.
        UnfitBundleError: it has no description.
    """
    piece = open_piece(config, name).piece
    if not piece.described:
        raise UnfitBundleError("no-description", path=piece.path)
    skill = piece.name.rpartition("/")[2]
    folder = f"{KNOWLEDGE}/{piece.name}"
    found = {f"{skill}/{SKILL}": piece.path}
    for path in _files_below(config, folder) if piece.path in (f"{folder}/{SKILL}", overlay_path(piece.name)) else ():
        found.setdefault(f"{skill}/{path}", f"{folder}/{path}")
    return found


def _read(config: WorkspaceConfig, source: str, path: str) -> bytes:
    """Return the bytes of a file; raises UnfitBundleError if it cannot be carried."""
    data = stored_bytes(config, source)
    if data is None:
        raise UnfitBundleError("no-file", path=path)
    return data


def _files_below(config: WorkspaceConfig, folder: str) -> list[str]:
    """Return the files of a skill folder without saved versions; a link is named, so that it is refused."""
    root = os.path.join(config.root, folder)
    if not os.path.isfile(os.path.join(root, SKILL)) or is_outside(root, config.root):
        return []
    found = []
    for above, folders, names in os.walk(root):
        inner = os.path.relpath(above, root).replace(os.sep, "/")
        inner = "" if inner == "." else f"{inner}/"
        if not inner and not config.bundles.owner(f"{folder}/{VERSIONS}/_"):
            folders[:] = [one for one in folders if one != VERSIONS]
        linked = [one for one in folders if os.path.islink(os.path.join(above, one))]
        found += [f"{inner}{name}" for name in (*names, *linked)]
    return sorted(found)


def _mode(made: BundleFiles, path: str) -> int:
    return _PROGRAM if path in made.manifest.executable else _MODE


def _write_zip(place: str, bundle: BundleFiles) -> None:
    """Write a zip; stored, not deflated, so that its bytes are the same on each machine."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as made:
        for path, data in sorted(bundle.stored.items()):
            info = zipfile.ZipInfo(path, _OLDEST)
            info.create_system, info.external_attr = _SYSTEM, (stat.S_IFREG | _mode(bundle, path)) << 16
            made.writestr(info, data)
    try:
        with open(place, "xb") as out:
            out.write(stream.getvalue())
    except OSError as error:
        raise _unwritten(place, error) from error


def _write_folder(place: str, bundle: BundleFiles) -> None:
    """Write a folder under another name and give it its own when it is whole."""
    draft = os.path.join(os.path.dirname(place), f".mdmem-{os.urandom(8).hex()}")
    try:
        os.mkdir(draft)
        try:
            for path, data in sorted(bundle.stored.items()):
                full = os.path.join(draft, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "xb") as out:
                    out.write(data)
                if path in bundle.manifest.executable:
                    os.chmod(full, _PROGRAM)
            os.rename(draft, place)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    except OSError as error:
        raise _unwritten(place, error) from error


def _unwritten(place: str, error: OSError) -> WriteError:
    facts = {"reason": error.strerror}
    return WriteError("could not be written: {reason}", path=os.path.basename(place), facts=facts)
