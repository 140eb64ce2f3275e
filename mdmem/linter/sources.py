"""The files to lint, with their bytes, as they are on disk or staged in git."""

# `formats.artifact`, `formats.knowledge`, the bundles, the parser and `git` are imported only by the functions that use
# them: most lints need none of them.
from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.paths import KNOWLEDGE, is_saved_version, within_user
from mdmem.store.files import FileSnapshot, digest, read_snapshot
from mdmem.store.walk import FileWalk, is_excluded, is_included
from mdmem.text.edit import Diagnostic
from mdmem.text.pattern import pattern

if TYPE_CHECKING:
    from mdmem.formats.loss import Loss
    from mdmem.settings.tables import LintSettings
    from mdmem.store.git.staged_files import Staged


_KIND = KNOWLEDGE  # the kind of the pieces in the folder
_ORDERS = "order marks"  # begins the key of their cache
OUTPUTS = "artifacts/"  # the folder of the outputs of tools


class OutdatedMark(NamedTuple):
    """A line that states what a person replaced or ended in a facts file."""

    line: int  # 0-based, of its entry
    fact: str  # FILE#ID of the line that says what holds now


class OrderMark(NamedTuple):
    """An order of a piece of knowledge that contradicts one of another piece of the same precedence."""

    line: int  # 0-based, of its entry
    path: str  # the other piece
    other_line: int  # 1-based
    text: str  # the other order


class LintSource(NamedTuple):
    """A file to lint, with its bytes as they are on disk or in the index."""

    path: str
    seen: FileSnapshot
    lost: Loss = ""  # how the file lost its known text
    outdated: tuple[OutdatedMark, ...] = ()
    opposed: tuple[OrderMark, ...] = ()


def walk_of(config: WorkspaceConfig, settings: LintSettings | None = None) -> FileWalk:
    """Return the walk over the memory files of a workspace."""
    settings = settings or config.settings.lint
    return FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders, config.whose.covers)


def find_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read the named files, and the memory files below the named folders; without paths, all of the workspace."""
    walk = walk_of(config, settings)
    done: set[str] = set()
    for path in paths or ("",):
        full_path = os.path.join(config.root, path)
        is_folder = not path or (not os.path.islink(full_path) and os.path.isdir(full_path))
        for file in walk.files(path) if is_folder else filter(config.whose.covers, (path,)):
            if file not in done:
                done.add(file)
                most = config.most_bytes(file, settings)
                seen = read_snapshot(os.path.join(config.root, file), config.root, most, config.linked)
                if seen.link != "linked":  # not ours to judge
                    yield LintSource(file, seen)


def all_memory_sources(
    config: WorkspaceConfig, paths: Sequence[str] = (), max_bytes: int | None = None
) -> Iterator[LintSource]:
    """Read all memory files except artifacts, which are many and do not change."""
    settings = _without_artifacts(config)
    yield from find_sources(config, paths, settings._replace(max_bytes=max_bytes or settings.max_bytes))


def count_others(config: WorkspaceConfig, listed: Collection[str]) -> int:
    """Return the number of files that are linted, except artifacts, saved versions, and those that are `listed`."""
    paths = walk_of(config, _without_artifacts(config)).files()
    return sum(path not in listed and not is_saved_version(path) for path in paths)


def _without_artifacts(config: WorkspaceConfig) -> LintSettings:
    from mdmem.formats.artifact import FOLDER

    settings = config.settings.lint
    return settings._replace(skip_folders=(*settings.skip_folders, FOLDER))


def order_marks(config: WorkspaceConfig) -> Mapping[str, tuple[OrderMark, ...]]:
    """Return the orders that contradict one of another piece of the same precedence, by the path of the piece.

    Own pieces come after those of bundles, which nobody can change. The result is in the cache until a piece changes.
    """
    if not os.path.isdir(os.path.join(config.root, KNOWLEDGE)):
        return {}
    pieces = _pieces(config)
    key = digest(config.key, _ORDERS, *(part for one in pieces for part in (one.path, one.seen.data)))
    known = config.cache.get(key)
    if known is None:
        known = [[path, *mark] for path, mark in _opposed_orders(config, pieces)]
        config.cache.put(key, known)
    found: dict[str, tuple[OrderMark, ...]] = {}
    for path, *mark in known:
        found[path] = (*found.get(path, ()), OrderMark(*mark))
    return found


def _pieces(config: WorkspaceConfig) -> Sequence[LintSource]:
    """Read the pieces that are given to a model, those of bundles first."""
    from mdmem.config.bundle_manifest import without_overlaid

    sources = {one.path: one for one in find_sources(config, (KNOWLEDGE,), config.settings.lint)}
    paths = [path for path in sources if config.schemas.kind(path) == _KIND and not config.bundles.withholds(path)]
    ordered = sorted(without_overlaid(paths), key=lambda path: (not config.bundles.owner(path), path))
    return [sources[path] for path in ordered if sources[path].seen.type == "regular"]


def _opposed_orders(config: WorkspaceConfig, pieces: Sequence[LintSource]) -> Iterator[tuple[str, OrderMark]]:
    from mdmem.formats.knowledge.opposed_orders import opposed, precedence_of, read_orders, same_share
    from mdmem.text.document import parse

    read = []
    for one in pieces:
        document = parse(one.seen.data)
        template = config.schemas.match(one.path, document) or config.schemas.required(_KIND)
        read.append((precedence_of(document), tuple(read_orders(one.path, document, template))))
    share = same_share(config.schemas.required(_KIND))
    for _, group in groupby(sorted(read, key=lambda one: one[0]), key=lambda one: one[0]):
        orders = [order for _, own in group for order in own]
        for earlier, later in opposed(orders, share, across=True):
            yield later.piece, OrderMark(later.entry.line, earlier.piece, earlier.line, earlier.text)


_ATTACHMENTS = "attachments"
_LOCAL_PATH = pattern(r"^local_path:[ \t]*([^\r\n]+)", re.MULTILINE)


def orphan_sources(config: WorkspaceConfig, paths: Sequence[str]) -> Iterator[LintSource]:
    """Yield the files in the folder of attachments that no record names, when that folder is judged."""
    folder = os.path.join(config.root, config.whose.place(_ATTACHMENTS))
    if (paths and _ATTACHMENTS not in paths) or os.path.islink(folder) or not os.path.isdir(folder):
        return
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    others = [name for name in names if not config.is_memory(name) and os.path.isfile(os.path.join(folder, name))]
    if not others:
        return
    most = config.settings.lint.max_bytes
    records = (
        read_snapshot(os.path.join(folder, name), config.root, most).data for name in names if name.endswith(".md")
    )
    named = {
        _scalar(match[1])
        for data in records
        for match in _LOCAL_PATH.finditer(
            data[: config.settings.lint.max_front_matter_chars].decode("utf-8", "replace")
        )
    }
    for name in others:
        if (path := config.whose.place(f"{_ATTACHMENTS}/{name}")) not in named:
            yield LintSource(path, FileSnapshot("orphan", 0, "none", b""))


def _scalar(text: str) -> str:
    """Return the value of a YAML scalar on one line; the front matter is parsed only for one in quotation marks."""
    if not text.startswith(("'", '"')):
        return text.partition(" #")[0].strip()
    from mdmem.text.document import parse

    front = parse(f"---\nvalue: {text}\n---\n".encode("utf-8", "replace")).front_matter
    return str(front.values.get("value", "")) if front else ""


def is_judged(path: str, settings: LintSettings) -> bool:
    """Return whether a commit is judged by a file: by a memory file, and by any output of a tool (MM508)."""
    names = ("*",) if within_user(path).startswith(OUTPUTS) else settings.include
    return is_included(path, names, settings.skip_folders) and not is_excluded(path, settings.exclude)


def staged_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read the staged files of the workspace: the named ones, or every memory file that the commit would change."""
    from mdmem.store.git import staged_files

    repository, prefix = _repository(config)

    def most(path: str) -> int:
        return config.most_bytes(path.removeprefix(prefix), settings)

    for entry in staged_files.staged(repository, [prefix + path for path in paths], most):
        path = entry.path.removeprefix(prefix)
        if entry.path.startswith(prefix) and (paths or is_judged(path, settings)):
            yield _of_git(path, entry)


def committed_sources(config: WorkspaceConfig, settings: LintSettings) -> dict[str, LintSource | None]:
    """Return what the last commit holds of the files that the next one changes, by their present paths."""
    from mdmem.store.git import staged_files

    repository, prefix = _repository(config)

    def most(path: str) -> int:
        return config.most_bytes(path.removeprefix(prefix), settings)

    return {
        path.removeprefix(prefix): entry and _of_git(entry.path.removeprefix(prefix), entry)
        for path, entry in staged_files.before(repository, most).items()
        if path.startswith(prefix)
    }


def _repository(config: WorkspaceConfig) -> tuple[str, str]:
    """Return the top folder of the repository, and how the paths of the workspace begin there."""
    from mdmem.store.git.repository import top_of

    top = top_of(config.root)
    prefix = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top)).replace(os.sep, "/")
    return top, "" if prefix == "." else f"{prefix}/"


def _of_git(path: str, entry: Staged) -> LintSource:
    regular = FileSnapshot("regular", entry.size, "none", entry.data)
    return LintSource(path, _staged_link(path, entry) if entry.link else regular)


def _staged_link(path: str, entry: Staged) -> FileSnapshot:
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(entry.data)))
    outside = os.path.isabs(target) or target.split(os.sep)[0] == ".."
    return FileSnapshot("regular", 0, "outside" if outside else "inside", b"")


class FileFix(NamedTuple):
    """The result of fixing one file."""

    path: str
    before: bytes
    after: bytes
    applied: int
    mended: tuple[tuple[int, str], ...] = ()  # line and code of each finding, in the rounds of fixing


class LintReport(NamedTuple):
    """The result of a run: the number of files, the findings sorted by path and position, and the fixed files."""

    files: int
    diagnostics: tuple[Diagnostic, ...]
    fail_on: str  # the severity from which a run counts as failed, from the settings
    fixed: tuple[FileFix, ...] = ()
    known: tuple[Diagnostic, ...] = ()  # those that the last commit or a baseline has too; they fail no run
