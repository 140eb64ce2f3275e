"""Find and read pieces of knowledge, their functions and their saved versions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from mdmem.config.bundle_manifest import SKILL, without_overlaid
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes, read_file
from mdmem.errors import RefusedError, TargetError, UnreadableFileError
from mdmem.formats.knowledge.opposed_orders import precedence_of
from mdmem.formats.knowledge.piece_functions import KnowledgeFunction, read_functions
from mdmem.formats.paths import KNOWLEDGE as FOLDER
from mdmem.formats.paths import VERSIONS
from mdmem.formats.template import Template
from mdmem.knowledge.model import KnowledgePiece, KnowledgeVersion
from mdmem.messages.catalog import say
from mdmem.store.files import names_in
from mdmem.store.walk import FileWalk
from mdmem.text.document import Document, parse
from mdmem.text.yaml import front_matter

KIND = "knowledge"
_END = ".md"
_NEAR = 3  # names that an error suggests


class OpenPiece(NamedTuple):
    """A piece with its text."""

    piece: KnowledgePiece
    document: Document
    template: Template

    @property
    def functions(self) -> tuple[KnowledgeFunction, ...]:
        """The functions of the piece."""
        return read_functions(self.document, self.template)


def piece_paths(config: WorkspaceConfig) -> Iterator[str]:
    """Yield the files of all pieces; saved versions are none."""
    return iter(without_overlaid(tuple(_files(config))))


def has_pieces(config: WorkspaceConfig) -> bool:
    """Return whether there is a piece that an agent may be given."""
    return any(not config.bundles.withholds(path) for path in _files(config))


def _files(config: WorkspaceConfig) -> Iterator[str]:
    settings = config.settings.lint
    walk = FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders, config.whose.sees)
    return (path for path in walk.files(FOLDER) if config.schemas.kind(path) == KIND)


def name_of(path: str) -> str:
    """Return the name of a piece from its file."""
    inner = path.removeprefix(f"{FOLDER}/")
    return inner.removesuffix(f"/{SKILL}").removesuffix(_END)


def path_of(config: WorkspaceConfig, name: str) -> str:
    """Return the file of a piece, given its name or its path; that of a new one if there is none."""
    plain = name.removeprefix(f"{FOLDER}/").removesuffix(f"/{SKILL}").removesuffix(_END)
    paths = (f"{FOLDER}/{plain}{_END}", f"{FOLDER}/{plain}/{SKILL}")
    return next((path for path in paths if os.path.isfile(os.path.join(config.root, path))), paths[0])


def is_piece(config: WorkspaceConfig, name: str) -> bool:
    """Return whether there is a piece with a name."""
    return os.path.isfile(os.path.join(config.root, path_of(config, name)))


def read_piece(path: str, document: Document) -> KnowledgePiece:
    """Return what the front matter of a piece says."""
    front = document.front_matter
    values = front.values if front else {}
    description = " ".join(str(values.get("description") or "").split())
    trial = values.get("trial")
    return KnowledgePiece(
        name=name_of(path),
        path=path,
        description=description,
        version=str(values.get("version") or ""),
        trial=tuple(map(str, trial)) if isinstance(trial, list) else (),
        precedence=precedence_of(document),
        described=bool(description),
    )


def list_pieces(config: WorkspaceConfig) -> tuple[KnowledgePiece, ...]:
    """Return all pieces, by name; those without a description are among them."""
    found = []
    for path in piece_paths(config):
        data = live_bytes(config, path)
        if data is not None:
            piece = read_piece(path, parse(data))
            found.append(replace(piece, trusted=not config.bundles.withholds(path)))
    return tuple(sorted(found, key=lambda one: one.name))


def open_piece(config: WorkspaceConfig, name: str, version: str = "") -> OpenPiece:
    """Read a piece, as it is or as one of its saved versions.

    Raises:
        TargetError: there is no such piece or version; `candidates` are similar names.
    """
    path = path_of(config, name)
    if not is_piece(config, name):
        raise missing_piece(config, name)
    text = saved_text(config, name_of(path), version) if version else read_file(config, path, "user").text
    document = parse(text.encode("utf-8", "surrogateescape"))
    template = config.schemas.match(path, document) or config.schemas.required(KIND)
    return OpenPiece(read_piece(path, document), document, template)


def open_for_use(config: WorkspaceConfig, name: str, version: str = "") -> OpenPiece:
    """Read a piece that is to be run; raises RefusedError too, for one of a bundle without trust."""
    found = open_piece(config, name, version)
    if config.bundles.withholds(found.piece.path):
        hint = say(config.lang, "knowledge.untrusted.hint", bundle=config.bundles.near(found.piece.path))
        raise RefusedError(say_untrusted(config, found.piece), hint=hint)
    return found


def say_untrusted(config: WorkspaceConfig, piece: KnowledgePiece) -> str:
    """Return why a piece of a bundle is neither run nor given to a model."""
    return say(config.lang, "knowledge.untrusted", name=piece.name, bundle=config.bundles.near(piece.path))


def say_undeclared(config: WorkspaceConfig, piece: OpenPiece, function: str, name: str) -> str:
    """Return that an input stays as it is, because its function does not declare it."""
    label = piece.template.parts.get("inputs", ("inputs",))[0]
    return say(config.lang, "knowledge.undeclared", input=name, label=label, name=function)


def missing_piece(config: WorkspaceConfig, name: str) -> TargetError:
    """Return the error about a piece that does not exist."""
    names = [name_of(path) for path in piece_paths(config)]
    near = tuple(get_close_matches(name, names, _NEAR, 0.3)) or tuple(sorted(names)[:_NEAR])
    key = "knowledge.none" if names else "knowledge.none-yet"
    hint = say(config.lang, f"{key}.hint", names=", ".join(near))
    return TargetError(say(config.lang, key, name=name[:80]), hint=hint, candidates=near)


def version_path(name: str, version: str) -> str:
    """Return the file of a saved version."""
    return f"{FOLDER}/{name}/{VERSIONS}/{version}{_END}"


def list_versions(config: WorkspaceConfig, name: str) -> tuple[KnowledgeVersion, ...]:
    """Return the saved versions of a piece, the oldest first."""
    own = open_piece(config, name).piece
    found = (read_version(config, own, version) for version in version_names(config, own.name))
    return tuple(sorted((one for one in found if one), key=lambda one: (one.saved, one.name)))


def version_names(config: WorkspaceConfig, name: str) -> tuple[str, ...]:
    """Return the names of the saved versions of a piece."""
    try:
        names = names_in(config.root, f"{FOLDER}/{name}/{VERSIONS}")
    except UnreadableFileError:
        return ()
    return tuple(sorted(one.removesuffix(_END) for one in names if one.endswith(_END)))


def read_version(config: WorkspaceConfig, piece: KnowledgePiece, version: str) -> KnowledgeVersion | None:
    """Return what a saved version says of itself; None if it cannot be read."""
    path = version_path(piece.name, version)
    data = live_bytes(config, path)
    if data is None:
        return None
    front = parse(data).front_matter
    values = front.values if front else {}
    saved, note, source = (str(values.get(key) or "") for key in ("saved", "note", "source"))
    return KnowledgeVersion(version, path, saved, note, source, version == piece.version)


def saved_text(config: WorkspaceConfig, name: str, version: str) -> str:
    """Return the text of a piece as it was saved.

    Raises:
        TargetError: there is no such version; `candidates` are the saved ones.
    """
    path = version_path(name, version)
    known = version_names(config, name)
    if version not in known:
        key = "knowledge.no-version" if known else "knowledge.no-versions"
        facts = {"name": name, "version": version[:60], "names": ", ".join(known)}
        raise TargetError(
            say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts), candidates=known
        )
    return unwrapped(read_file(config, path, "user").text)


def unwrapped(text: str) -> str:
    """Return the text of a version file without the front matter above it, which tells when and why it was saved."""
    found = front_matter.find(text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[found.span.end :] if found else text
