"""Finds the files that were deleted or clobbered outside mdmem, for `lint`, `status` and `restore`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mdmem.core.loss import Loss, LossLimits
from mdmem.store.files import Seen
from mdmem.store.known import KnownFiles, known_files
from mdmem.workspace.config import Config
from mdmem.workspace.source import Source, found_sources, walk_of

_MISSING = Seen("missing", 0, "none", b"")


def limits_of(config: Config) -> LossLimits:
    """Return the numbers of `[lint]` that say what a loss is."""
    settings = config.settings.lint
    return LossLimits(settings.lost_ratio, settings.lost_min_bytes)


def known_of(config: Config) -> KnownFiles:
    """Return the known files of a workspace."""
    return known_files(config.root, limits_of(config), config.cache, config.key)


def loss_of(known: KnownFiles, source: Source) -> Loss:
    """Return how a file was lost; nothing is said of what was not read."""
    seen = source.seen
    if seen.link not in ("none", "inside") or seen.type not in ("regular", "missing") or seen.size != len(seen.data):
        return ""
    return known.loss(source.path, seen.data if seen.type == "regular" else None)


def gone_sources(config: Config, known: KnownFiles, there: Collection[str], paths: Sequence[str]) -> Iterator[Source]:
    """Give the known files below these paths that are gone; `there` are the files that were found there."""

    def everything() -> Collection[str]:
        return there if not paths else list(walk_of(config).files())

    for path in known.gone(there, paths or ("",), everything, config.cache):
        yield Source(path, _MISSING, "gone")


def lost_files(config: Config) -> dict[str, Loss]:
    """Find every lost file of the workspace, and how it was lost."""
    known = known_of(config)
    if not known.files:
        return {}
    found, there = dict[str, Loss](), set[str]()
    for source in found_sources(config, (), config.settings.lint):
        there.add(source.path)
        if source.path in known.files and (lost := loss_of(known, source)):
            found[source.path] = lost
    return found | {source.path: "gone" for source in gone_sources(config, known, there, ())}
