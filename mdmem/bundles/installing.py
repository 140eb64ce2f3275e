"""Installs, updates and removes bundles, each as one change of the pen, and makes overlays."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mdmem.bundles.bundle_check import bundle_findings
from mdmem.bundles.bundle_source import read_bundle
from mdmem.bundles.edits import updated_overlay, whole_file
from mdmem.bundles.model import BundleFiles
from mdmem.bundles.read import installed_bundle, stored_bytes
from mdmem.bundles.signatures import ANYBODY, SIGNERS, signer
from mdmem.config.bundle_manifest import (
    MANIFEST,
    SKILL,
    BundleManifest,
    UnfitBundleError,
    bundle_folder,
    installed_files,
    overlay_path,
)
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome, OutcomeStatus
from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.formats.paths import KNOWLEDGE
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import Diagnostic, Edit


class NewBundle(NamedTuple):
    """A bundle that was read and may be let in, and what the user is told of it."""

    files: BundleFiles
    told: tuple[str, ...]


@contextmanager
def bundle_errors(commit: ChangeRequest, place: str) -> Iterator[None]:
    """Translate the reason why a bundle is refused."""
    name = os.path.basename(os.path.abspath(place))
    try:
        yield
    except UnfitBundleError as error:
        why = say(commit.lang, f"bundle.unfit-{error.why}", **error.facts)
        hint = say(commit.lang, "bundle.unfit.hint", name=name)
        raise RefusedError(say(commit.lang, "bundle.unfit", name=name, why=why), hint=hint) from error


def read_new(commit: ChangeRequest, place: str, name: str) -> NewBundle:
    """Read a bundle, check its signature and lint it.

    Raises:
        RefusedError: it is not as a bundle must be, or it holds a secret, an order or hidden text.
        MdmemError: it cannot be read.
    """
    with bundle_errors(commit, place):
        try:
            found = read_bundle(commit.config, place, name)
        except MdmemError as error:
            error.hint = say(commit.lang, "bundle.unfit.hint", name=os.path.basename(place))
            raise
        by = signer(found.data, found.signature)
        findings = safe_findings(commit, found.manifest.name, {**found.files, MANIFEST: found.data})
    key = "unsigned" if not by else "signed-anybody" if by == ANYBODY else "signed"
    told = [say(commit.lang, f"bundle.{key}", signer=by, file=SIGNERS)]
    if marked := found.manifest.executable:
        told.append(say(commit.lang, "bundle.executable", count=len(marked), path=marked[0]))
    return NewBundle(found, (*told, *_told(commit, findings)))


def safe_findings(commit: ChangeRequest, name: str, files: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """Return the warnings about a bundle; raises UnfitBundleError for a secret, an order or hidden text."""
    findings = tuple(bundle_findings(commit.config, name, files))
    if worst := next((one for one in findings if one.severity == "error"), None):
        facts = {"line": worst.line, "code": worst.code, "message": worst.message}
        raise UnfitBundleError("unsafe", path=worst.path, **facts)
    if named := commit.gate.unfit("", "\n".join(sorted(files))):
        raise UnfitBundleError("unsafe-name", code=named.code, message=named.message)
    return findings


def _told(commit: ChangeRequest, findings: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the warnings about a bundle, the first ones with their lines."""
    most = commit.config.settings.bundles.told
    for one in findings[:most]:
        yield say(commit.lang, "bundle.warning", path=one.path, line=one.line, message=mask(one.message))
    if len(findings) > most:
        yield say(commit.lang, "bundle.more-warnings", count=len(findings) - most)


def install(commit: ChangeRequest, place: str, name: str) -> Outcome:
    """Install a bundle; see `Workspace.bundles.install`."""
    _require_person(commit)
    new = read_new(commit, place, name)
    manifest = new.files.manifest
    held = commit.config.bundles.get(manifest.name)
    if held and held.data == new.files.data and not commit.config.bundles.changed(manifest.name):
        return Outcome(
            "unchanged", say(commit.lang, "bundle.same", name=manifest.name), path=bundle_folder(manifest.name)
        )
    if held:
        commit.access.stop(RefusedError, "bundle.installed-before", name=manifest.name)
    _require_room(commit, manifest.name, new.files.stored)
    _run(commit, _located(manifest.name, new.files.stored), {}, _programs(manifest))
    facts = {"name": manifest.name, "version": manifest.version, "count": len(manifest.pieces)}
    return _outcome(
        commit,
        say(commit.lang, "bundle.installed", **facts),
        manifest.name,
        _untrusted(commit, manifest.name),
        *new.told,
    )


def update(commit: ChangeRequest, name: str, place: str) -> Outcome:
    """Install another version of a bundle; see `Workspace.bundles.update`."""
    _require_person(commit)
    old = _installed(commit, name)
    new = read_new(commit, place, name)
    manifest, before = new.files.manifest, old.manifest
    if new.files.stored == old.stored:
        return Outcome("unchanged", say(commit.lang, "bundle.same", name=name), path=bundle_folder(name))
    _ask_about_changes(commit, name)
    _require_folders(commit, name, old.manifest.files)
    _require_room(commit, name, new.files.stored.keys() - old.stored.keys())
    stored = {path: new.files.stored.get(path) for path in old.stored | new.files.stored}
    told = _run(commit, _located(name, stored), _originals(commit, old, new.files), _programs(manifest))
    if signer(old.data, old.signature) not in ("", signer(new.files.data, new.files.signature)):
        told.append(say(commit.lang, "bundle.other-signer", signer=signer(old.data, old.signature)))
    _remove_empty(commit, name, old.stored.keys() - new.files.stored.keys())
    facts = {"name": name, "old": before.version, "new": manifest.version}
    return _outcome(
        commit, say(commit.lang, "bundle.updated", **facts), name, _untrusted(commit, name), *told, *new.told
    )


def remove(commit: ChangeRequest, name: str) -> Outcome:
    """Remove a bundle; see `Workspace.bundles.remove`."""
    _require_person(commit)
    old = _installed(commit, name)
    _ask_about_changes(commit, name)
    _require_folders(commit, name, old.manifest.files)
    own = [overlay_path(piece) for piece in old.manifest.pieces if commit.exists(overlay_path(piece))]
    _run(commit, _located(name, dict.fromkeys(old.stored)), {}, {})
    _remove_empty(commit, name, old.stored)
    told = [say(commit.lang, "bundle.overlays-stay", paths=", ".join(own))] if own else []
    return _outcome(commit, say(commit.lang, "bundle.removed", name=name), name, *told)


def overlay(commit: ChangeRequest, piece: str) -> Outcome:
    """Make an own text of an installed piece; see `Workspace.bundles.overlay`."""
    piece = piece.removeprefix(f"{KNOWLEDGE}/").removesuffix(f"/{SKILL}")
    source = f"{KNOWLEDGE}/{piece}/{SKILL}"
    if not commit.config.bundles.owner(source) or not commit.exists(source):
        pieces = [one for name in commit.config.bundles.names() for one in _installed(commit, name).manifest.pieces]
        key = "bundle.no-piece.hint" if pieces else "cli.no-bundles"
        hint = say(commit.lang, key, names=", ".join(pieces))
        raise TargetError(say(commit.lang, "bundle.no-piece", name=piece[:80]), hint=hint, candidates=tuple(pieces))
    path = commit.path(overlay_path(piece))
    commit.new(path)
    data = stored_bytes(commit.config, source) or b""
    commit.gate.earlier_versions = {path: parse(data)}

    def change(files: DraftFiles) -> Edits:
        return {path: whole_file(None, data)} if files[path] is None else {}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "bundle.overlaid", piece=piece, path=path), path)


def _run(
    commit: ChangeRequest,
    stored: Mapping[str, bytes | None],
    originals: Mapping[str, tuple[bytes, bytes]],
    programs: Mapping[str, bool],
) -> list[str]:
    """Write the files of a bundle as they came, and merge its changes into the overlays, as one change.

    Args:
        commit: the change.
        stored: path in the workspace → bytes; None removes the file.
        originals: overlay → the installed text of its piece, before and after.
        programs: files that are executable afterwards or not; mdmem runs none of them.

    Returns:
        What the user is told of the overlays.
    """
    commit.gate.as_they_came = installed_files(tuple(stored))
    commit.gate.earlier_versions = {path: parse(b"\n".join(texts)) for path, texts in originals.items()}
    told: list[str] = []

    def change(files: DraftFiles) -> Edits:
        told.clear()
        edits: dict[str, Sequence[Edit] | None] = {}
        for path, data in stored.items():
            now = files[path]
            if data is not None:
                edits[path] = whole_file(now, data)
            elif now is not None:
                edits[path] = None
        for path, (base, update_) in originals.items():
            own = commit.document(files, path)
            merged = updated_overlay(base, own, update_)
            edits[path] = merged.edits
            lines = ", ".join(str(one.line) for one in merged.conflicts)
            key = "overlay-collided" if lines else "overlay-merged"
            told.append(say(commit.lang, f"bundle.{key}", path=path, lines=lines))
        return edits

    commit.run(change, paths=tuple(stored), programs=programs)
    return told


def _programs(manifest: BundleManifest) -> dict[str, bool]:
    """Return the files of a bundle, each with whether its manifest names it as executable."""
    folder = bundle_folder(manifest.name)
    return {f"{folder}/{path}": path in manifest.executable for path in manifest.files}


def _originals(commit: ChangeRequest, old: BundleFiles, new: BundleFiles) -> dict[str, tuple[bytes, bytes]]:
    """Return the overlays that an update reaches, each with the installed text of its piece before and after."""
    found = {}
    for piece in old.manifest.pieces:
        path, inner = overlay_path(piece), f"{piece.partition('/')[2]}/{SKILL}"
        if commit.exists(path) and inner in old.files and inner in new.files:
            found[path] = old.files[inner], new.files[inner]
    return found


def _located(name: str, files: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """Return the files of a bundle by their paths in the workspace."""
    return {f"{bundle_folder(name)}/{path}": data for path, data in files.items()}


def _installed(commit: ChangeRequest, name: str) -> BundleFiles:
    """Return an installed bundle.

    Raises:
        TargetError: there is none of this name; `candidates` are all names.
        RefusedError: its manifest cannot be read.
    """
    found = installed_bundle(commit.config, name)
    if found is not None:
        return found
    if commit.config.bundles.get(name):
        commit.access.stop(RefusedError, "bundle.broken", f"{bundle_folder(name)}/{MANIFEST}", name=name)
    raise commit.config.bundles.missing(name, commit.lang)


def _require_person(commit: ChangeRequest) -> None:
    if not commit.access.is_person:
        commit.access.stop(RefusedError, "bundle.person")


def _require_room(commit: ChangeRequest, name: str, paths: Collection[str]) -> None:
    """Refuse to write over a file, or into a folder that is not the bundle's."""
    _require_folders(commit, name, paths)
    folder = commit.path(bundle_folder(name))
    for path in sorted(paths):
        place = commit.path(f"{folder}/{path}")
        if commit.exists(place):
            commit.access.stop(RefusedError, "bundle.in-the-way", place)
    if commit.exists(folder) and not commit.config.bundles.get(name):
        commit.access.stop(RefusedError, "bundle.taken", folder, name=name)


def _require_folders(commit: ChangeRequest, name: str, paths: Collection[str]) -> None:
    """Refuse a bundle with a link or a file in the place of one of its folders."""
    for folder in (KNOWLEDGE, *_folders(name, paths)):
        full = os.path.join(commit.config.root, folder)
        if os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full)):
            commit.access.stop(RefusedError, "bundle.no-folder", folder)


def _folders(name: str, paths: Collection[str]) -> list[str]:
    """Return the folders of some files of a bundle, the outermost first."""
    parts = [f"{bundle_folder(name)}/{path}".split("/") for path in paths]
    return sorted({"/".join(one[:count]) for one in parts for count in range(2, len(one))}, key=len)


def _ask_about_changes(commit: ChangeRequest, name: str) -> None:
    """Require confirmation where files of a bundle were changed by hand: the change would be lost."""
    if changed := commit.config.bundles.changed(name):
        commit.gate.ask("bundle.changed", f"{bundle_folder(name)}/{changed[0]}", *changed, count=len(changed))


def _remove_empty(commit: ChangeRequest, name: str, paths: Collection[str]) -> None:
    """Remove the folders that held only files of a bundle; one with another file stays."""
    for folder in () if commit.dry_run else reversed(_folders(name, paths)):
        with suppress(OSError):
            os.rmdir(os.path.join(commit.config.root, folder))


def _untrusted(commit: ChangeRequest, name: str) -> str:
    return say(commit.lang, "bundle.not-trusted", name=name)


def _outcome(commit: ChangeRequest, message: str, name: str, *hints: str) -> Outcome:
    """Return the outcome of a change of a bundle; without a diff, for its files may be of any kind."""
    status: OutcomeStatus = "done"
    if commit.dry_run:
        status, message = "planned", say(commit.lang, "pen.planned", message=message)
    hint = say(commit.lang, "punctuation.clause").join(filter(None, hints))
    return Outcome(status, message, hint, bundle_folder(name), commit.transaction)
