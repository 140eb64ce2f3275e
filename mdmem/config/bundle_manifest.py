"""The manifest of a bundle, `bundle.toml`: its name, what it brings, and the digest of each file.

A bundle is a folder or a zip of Agent Skills: a folder each, with `SKILL.md` and files beside it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mdmem.errors import ConfigError
from mdmem.formats.paths import KNOWLEDGE, escapes_root, fold_name, is_foreign, is_unportable, normal
from mdmem.settings.toml_file import MOST_BYTES, parse_toml
from mdmem.text.pattern import pattern

MANIFEST = "bundle.toml"
SIGNATURE = f"{MANIFEST}.sig"
SKILL = "SKILL.md"
KIND = "knowledge"  # the one kind of memory that a bundle may bring
FORMAT = 1
_LONGEST = 64  # characters of a name, as of Agent Skills
_NAME = pattern(r"[^\W_]+(?:-[^\W_]+)*\Z")
_DIGEST = pattern(r"[0-9a-f]{64}\Z")
_LEGAL = pattern(r"(?i)(?:licen[cs]e|notice|copying)(?:\.txt)?\Z")  # files beside the folders of the skills
_TEXTS = ("name", "version", "license", "description")
_LISTS = ("kinds", "touches")
_MARKED = "executable"  # a key that may be missing: the files that are programs
_KEYS = ("format", *_TEXTS, *_LISTS, _MARKED, "files")
_NOT_NAMES = ("long", "character", "unicode", "reserved", "ending")


class UnfitBundleError(Exception):
    """A bundle is not as it must be; `why` is the end of the message's key, `facts` are what it names."""

    def __init__(self, why: str, **facts: object) -> None:
        super().__init__(why)
        self.why, self.facts = why, facts


@dataclass(frozen=True, slots=True)
class BundleManifest:
    """What a bundle says of itself."""

    name: str
    version: str
    license: str
    description: str
    kinds: tuple[str, ...]
    touches: tuple[str, ...]  # the folders of a workspace that it writes: its own
    files: Mapping[str, str]  # path in the bundle → SHA-256
    executable: tuple[str, ...] = ()  # those of the files that carry the mark of a program

    @property
    def pieces(self) -> tuple[str, ...]:
        """The names of its pieces of knowledge."""
        skills = (path.removesuffix(f"/{SKILL}") for path in self.files if path.count("/") == 1)
        return tuple(sorted(f"{self.name}/{one}" for one in skills if "/" not in one))

    @property
    def text(self) -> str:
        """The manifest as TOML; the same manifest gives the same bytes."""
        lines = [f"format = {FORMAT}"]
        lines += [f"{key} = {_shown(getattr(self, key))}" for key in _TEXTS]
        lines += [f"{key} = [{', '.join(map(_shown, getattr(self, key)))}]" for key in _LISTS]
        if self.executable:
            lines.append(f"{_MARKED} = [{', '.join(map(_shown, sorted(self.executable)))}]")
        files = (f"{_shown(path)} = {_shown(digest)}" for path, digest in sorted(self.files.items()))
        return "\n".join((*lines, "", "[files]", *files, ""))


def bundle_folder(name: str) -> str:
    """Return the folder of an installed bundle."""
    return f"{KNOWLEDGE}/{name}"


def overlay_path(piece: str) -> str:
    """Return the file of a user's own text of a piece, which holds in place of the installed one."""
    return f"{KNOWLEDGE}/{piece}.md"


def without_overlaid(paths: Collection[str]) -> list[str]:
    """Return the files of pieces; not a skill with an own text beside its folder, which holds in its place."""
    known = frozenset(paths)
    return [path for path in paths if not (path.endswith(f"/{SKILL}") and f"{path[: -len(SKILL) - 1]}.md" in known)]


def installed_files(paths: Collection[str]) -> frozenset[str]:
    """Return the files of a bundle that a change installs, updates or removes; the user's overlays are none."""
    parts = (path.split("/") for path in paths)
    folder = next((f"{KNOWLEDGE}/{one[1]}/" for one in parts if one[0] == KNOWLEDGE and one[2:] == [MANIFEST]), "")
    inside = (path for path in paths if folder and path.startswith(folder))
    return frozenset(path for path in inside if path.count("/") > 2 or not path.endswith(".md"))


def read_manifest(data: bytes) -> BundleManifest:
    """Read a manifest; raises UnfitBundleError."""
    if len(data) > MOST_BYTES:
        raise UnfitBundleError("large", path=MANIFEST, max=MOST_BYTES, most=MOST_BYTES)
    try:
        values = parse_toml(data, MANIFEST)
    except ConfigError as error:
        raise UnfitBundleError("toml", reason=error.message, line=error.line) from error
    unknown = sorted(values.keys() - {*_KEYS})
    if unknown:
        raise UnfitBundleError("keys", key=unknown[0][:_LONGEST], count=len(unknown), keys=", ".join(_KEYS))
    if values.get("format") != FORMAT:
        raise UnfitBundleError("format", format=str(values.get("format", ""))[:_LONGEST], known=FORMAT)
    wrong = next(_wrong_values(values), "")
    if wrong:
        raise UnfitBundleError("value", key=wrong)
    texts = {key: values.get(key, "") for key in _TEXTS}
    kinds, touches = (tuple(values.get(key, ())) for key in _LISTS)
    marked = tuple(values.get(_MARKED, ()))
    made = BundleManifest(**texts, kinds=kinds, touches=touches, files=values["files"], executable=marked)
    check_name(made.name)
    _check_reach(made)
    check_paths(made.name, tuple(made.files))
    return made


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a bundle; raises UnfitBundleError."""
    is_plain = name == name.lower() == unicodedata.normalize("NFC", name) and len(name) <= _LONGEST
    if not (is_plain and _NAME.match(name)) or is_unportable(name, ["*"]):
        raise UnfitBundleError("name", name=name[:_LONGEST])


def check_paths(name: str, paths: Collection[str]) -> None:
    """Refuse a bundle with a path that leads elsewhere, or that some file system cannot hold beside the others.

    Raises:
        UnfitBundleError: the first such path and why.
    """
    seen: dict[tuple[str, ...], tuple[str, bool]] = {}
    for path in sorted(paths):
        if why := _unfit_path(name, path):
            raise UnfitBundleError(why, path=_printable(path))
        names = path.split("/")
        for count in range(1, len(names) + 1):
            this = "/".join(names[:count]), count == len(names)
            other = seen.setdefault(tuple(map(fold_name, names[:count])), this)
            if other != this:
                why = "twice" if other[0] != this[0] else "folder"
                raise UnfitBundleError(why, path=_printable(this[0]), other=_printable(other[0]))
    skills = {path.partition("/")[0] for path in paths if path.count("/") == 1 and path.endswith(f"/{SKILL}")}
    if not skills:
        raise UnfitBundleError("no-skill")
    for path in sorted(paths):
        if path.partition("/")[0] not in skills and not _LEGAL.match(path):
            raise UnfitBundleError("beside", path=_printable(path))


def _unfit_path(name: str, path: str) -> str:
    """Return why a path cannot be in a bundle; empty if it can."""
    if escapes_root(path) or "\\" in path or normal(path) != path:
        return "outside"
    if is_unportable(path, ["*"]) in _NOT_NAMES:
        return "path"
    return "foreign" if is_foreign(f"{bundle_folder(name)}/{path}") else ""


def _wrong_values(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys whose values are missing or of a wrong type."""
    yield from (key for key in ("name", "version") if not values.get(key))
    for key in _TEXTS:
        value = values.get(key, "")
        if not isinstance(value, str) or not value.isprintable():
            yield key
    for key in (*_LISTS, _MARKED):
        value = values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.isprintable() for one in value):
            yield key
    files = values.get("files")
    if not isinstance(files, dict) or not all(isinstance(one, str) and _DIGEST.match(one) for one in files.values()):
        yield "files"
    elif not set(values.get(_MARKED, [])) <= files.keys():
        yield _MARKED


def _check_reach(made: BundleManifest) -> None:
    """Refuse a bundle that wants to bring other kinds of memory, or to write elsewhere than in its folder."""
    for kind in made.kinds:
        if kind != KIND:
            raise UnfitBundleError("kind", kind=kind[:_LONGEST])
    for folder in made.touches:
        if folder.rstrip("/") != bundle_folder(made.name):
            raise UnfitBundleError("touches", folder=_printable(folder), own=bundle_folder(made.name))


def _printable(path: str) -> str:
    """Return a path for a message: of bounded length, with what is not printable replaced."""
    return "".join(char if char.isprintable() else "?" for char in path[: 2 * _LONGEST])


def _shown(text: str) -> str:
    """Return a text as a basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
