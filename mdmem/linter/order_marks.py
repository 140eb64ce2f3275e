"""Finds orders of pieces of knowledge that contradict each other across files, where no precedence decides."""

# The parser and `opposed_orders` are imported only if a piece has changed.
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from mdmem.config.bundle_manifest import KIND, without_overlaid
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.paths import KNOWLEDGE
from mdmem.linter.sources import LintSource, OrderMark, find_sources
from mdmem.store.files import digest

_KEY = "order marks"


def order_marks(config: WorkspaceConfig) -> Mapping[str, tuple[OrderMark, ...]]:
    """Return the orders that contradict one of another piece of the same precedence, by the path of the piece.

    Own pieces come after those of bundles, which nobody can change. The result is in the cache until a piece changes.
    """
    if not os.path.isdir(os.path.join(config.root, KNOWLEDGE)):
        return {}
    pieces = _pieces(config)
    key = digest(config.key, _KEY, *(part for one in pieces for part in (one.path, one.seen.data)))
    known = config.cache.get(key)
    if known is None:
        known = [[path, *mark] for path, mark in _marks(config, pieces)]
        config.cache.put(key, known)
    found: dict[str, tuple[OrderMark, ...]] = {}
    for path, *mark in known:
        found[path] = (*found.get(path, ()), OrderMark(*mark))
    return found


def _pieces(config: WorkspaceConfig) -> Sequence[LintSource]:
    """Read the pieces that are given to a model, those of bundles first."""
    sources = {one.path: one for one in find_sources(config, (KNOWLEDGE,), config.settings.lint)}
    paths = [path for path in sources if config.schemas.kind(path) == KIND and not config.bundles.withholds(path)]
    ordered = sorted(without_overlaid(paths), key=lambda path: (not config.bundles.owner(path), path))
    return [sources[path] for path in ordered if sources[path].seen.type == "regular"]


def _marks(config: WorkspaceConfig, pieces: Sequence[LintSource]) -> Iterator[tuple[str, OrderMark]]:
    from mdmem.formats.knowledge.opposed_orders import opposed, precedence_of, read_orders, same_share
    from mdmem.text.document import parse

    read = []
    for one in pieces:
        document = parse(one.seen.data)
        template = config.schemas.match(one.path, document) or config.schemas.required(KIND)
        read.append((precedence_of(document), tuple(read_orders(one.path, document, template))))
    share = same_share(config.schemas.required(KIND))
    for _, group in groupby(sorted(read, key=lambda one: one[0]), key=lambda one: one[0]):
        orders = [order for _, own in group for order in own]
        for earlier, later in opposed(orders, share, across=True):
            yield later.piece, OrderMark(later.entry.line, earlier.piece, earlier.line, earlier.text)
