"""Finds the files of a workspace that were deleted or clobbered outside mdmem."""

from __future__ import annotations

from mdmem.core.loss import Loss
from mdmem.workspace.config import Config
from mdmem.workspace.lint import gone_sources, known_of
from mdmem.workspace.source import found_sources


def lost_files(config: Config) -> dict[str, Loss]:
    """Find every lost file of the workspace, and how it was lost."""
    known = known_of(config)
    found, there = dict[str, Loss](), set[str]()
    for source in found_sources(config, (), config.settings.lint) if known.files else ():
        there.add(source.path)
        if source.path in known.files and (lost := known.loss_of(source.path, source.seen)):
            found[source.path] = lost
    return found | {source.path: source.lost for source in gone_sources(config, known, there, ())}
