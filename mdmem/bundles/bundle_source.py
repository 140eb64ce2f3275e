"""Reads a bundle from a folder or a zip, within bounds; nothing in it is followed, run or changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from functools import partial

from mdmem.bundles.model import BundleFiles, check_digests, digest_of
from mdmem.config.bundle_manifest import (
    KIND,
    MANIFEST,
    SIGNATURE,
    SKILL,
    BundleManifest,
    UnfitBundleError,
    bundle_folder,
    check_name,
    check_paths,
    read_manifest,
)
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError
from mdmem.importers.source_files import ReadOnlySource
from mdmem.store.root import Root, read

ZIP = ".zip"
_BESIDE = "__MACOSX/"  # where macOS puts what belongs to no file in a zip
_PROBLEMS = {"import.locked": "locked", "import.zip-name": "encoding"}  # of a zip; the others are links and devices
_VERSION_CHARS = 12  # of the digest that stands for the version of skills without a manifest


def read_bundle(config: WorkspaceConfig, place: str, name: str = "") -> BundleFiles:
    """Read a bundle and check it against its manifest.

    Args:
        config: of the workspace.
        place: a folder or a zip.
        name: for skills without a manifest, the name that they are installed under.

    Raises:
        UnfitBundleError: it is not as a bundle must be.
        MdmemError: it cannot be read, or is a zip that could harm.
    """
    place = os.path.abspath(os.path.expanduser(place))
    files, executable = _without_wrapper(*_read_files(config, place))
    data, signature = files.pop(MANIFEST, b""), files.pop(SIGNATURE, b"")
    if data:
        manifest = read_manifest(data)
        check_paths(manifest.name, files)
        check_digests(manifest, files)
        if name and name != manifest.name:
            raise UnfitBundleError("other-name", name=manifest.name, wanted=name)
    elif name:
        folder = os.path.basename(place).removesuffix(ZIP)
        located, signature = _skills(files, folder), b""
        files = {path: files[inner] for path, inner in located.items()}
        programs = {path for path, inner in located.items() if inner in executable}
        manifest = describe_files(name, files, executable=programs)
        data = manifest.text.encode()
    else:
        raise UnfitBundleError("no-manifest", manifest=MANIFEST)
    _check_kinds(config, manifest)
    return BundleFiles(manifest, files, data, signature)


def describe_files(
    name: str,
    files: Mapping[str, bytes],
    version: str = "",
    license_: str = "",
    description: str = "",
    executable: Collection[str] = (),
) -> BundleManifest:
    """Return the manifest of some files; raises UnfitBundleError."""
    check_name(name)
    check_paths(name, files)
    digests = {path: digest_of(data) for path, data in sorted(files.items())}
    version = version or digest_of(repr(digests).encode())[:_VERSION_CHARS]
    touches = (bundle_folder(name),)
    return BundleManifest(
        name, version, license_, description, (KIND,), touches, digests, tuple(sorted(executable))
    )  # fmt: skip


def _without_wrapper(files: Mapping[str, bytes], executable: Collection[str]) -> tuple[dict[str, bytes], set[str]]:
    """Return files without the one folder that is around all of them; the folder of a skill is none."""
    folders = {path.partition("/")[0] for path in files}
    folder = f"{next(iter(folders), '')}/"
    is_around = len(folders) == 1 and f"{folder}{SKILL}" not in files and all(path.startswith(folder) for path in files)
    start = len(folder) if is_around else 0
    return {path[start:]: data for path, data in files.items()}, {path[start:] for path in executable}


def _skills(files: Collection[str], folder: str) -> dict[str, str]:
    """Return the files of the skills in a folder, each with its path there; one that is a skill keeps its name."""
    if SKILL in files:
        return {f"{folder}/{path}": path for path in files}
    skills = {path.partition("/")[0] for path in files if path.count("/") == 1 and path.endswith(f"/{SKILL}")}
    return {path: path for path in files if "/" in path and path.partition("/")[0] in skills}


def _check_kinds(config: WorkspaceConfig, manifest: BundleManifest) -> None:
    """Refuse a file that the workspace would read as another kind of memory, as `SOUL.md`."""
    for path in manifest.files:
        kind = config.schemas.kind(f"{bundle_folder(manifest.name)}/{path}")
        if kind not in ("", KIND):
            raise UnfitBundleError("other-kind", path=path, kind=kind)


def _read_files(config: WorkspaceConfig, place: str) -> tuple[dict[str, bytes], set[str]]:
    """Return the bytes of every file of a folder or a zip, and which of them carry the mark of a program.

    Raises:
        UnfitBundleError: it holds something that is not a file, or it is too large.
        MdmemError: see `ReadOnlySource`.
    """
    limits, imports = config.settings.bundles, config.settings.imports
    skipped = () if os.path.lexists(os.path.join(place, MANIFEST)) else imports.skip_folders
    most = limits.files + 2  # manifest and signature besides
    bounds = imports._replace(members=most, zip_bytes=limits.bytes, skip_folders=skipped)
    found, executable, total = dict[str, bytes](), set[str](), 0
    with ReadOnlySource(config, place, bounds, parts=False) as source:
        if source.problems:
            first = source.problems[0]
            raise UnfitBundleError(_PROBLEMS.get(first.key, "no-file"), path=first.place)
        if len(source.names) > most:
            raise UnfitBundleError("many", count=len(source.names), max=limits.files)
        is_folder = os.path.isdir(source.place)
        for name in source.names:
            if name.startswith(_BESIDE):
                continue
            read_one = partial(_of_folder, source.place) if is_folder else partial(_of_zip, source)
            data = read_one(name, limits.file_bytes)
            total += len(data)
            if len(data) > limits.file_bytes or total > limits.bytes:
                raise UnfitBundleError("large", path=name, max=limits.file_bytes, most=limits.bytes)
            found[name] = data
            if source.is_executable(name):
                executable.add(name)
    return found, executable


def _of_zip(source: ReadOnlySource, name: str, most: int) -> bytes:
    try:
        with source.raw(name) as stream:
            return stream.read(most + 1)
    except OSError as error:
        raise UnfitBundleError("broken", path=name) from error


def _of_folder(folder: str, name: str, most: int) -> bytes:
    """Return the bytes of a file in a folder, opened folder by folder; a hard link may be a file of somebody else."""
    try:
        with Root(folder) as root:
            place = root.place(name)
            seen = os.stat(place.name.name, dir_fd=place.name.folder, follow_symlinks=False)
            if place.path != name or seen.st_nlink > 1 or not stat.S_ISREG(seen.st_mode):
                raise UnfitBundleError("no-file", path=name)
            if seen.st_size > most:
                raise UnfitBundleError("large", path=name, max=most, most=most)
            version = read(place, most)
    except (OSError, UnreadableFileError) as error:
        raise UnfitBundleError("broken", path=name) from error
    return version.data if version else b""
