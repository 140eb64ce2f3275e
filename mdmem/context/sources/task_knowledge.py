"""The pieces of knowledge in a pack: those that the task names, that its plan runs, or that fit it."""

# The knowledge is imported when there is a folder with it: most workspaces have none.
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.inputs import PackRequest
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem
from mdmem.context.pack import PartSource
from mdmem.context.read_file import EntryView, read_file
from mdmem.context.recipe import RecipePart
from mdmem.formats.paths import KNOWLEDGE

if TYPE_CHECKING:
    from mdmem.knowledge.read import OpenPiece


class TaskKnowledge:
    """Finds and reads the pieces for one pack."""

    def __init__(self, config: WorkspaceConfig, request: PackRequest, task: str, checks: ContentChecks) -> None:
        """Bind to a request; `task` is what is asked for in it."""
        self._config, self._request, self._task, self._checks = config, request, task, checks

    def source(self, slot: RecipePart, *, running: bool) -> PartSource:
        """Return the pieces; with `running` only where a plan runs one or is asked for by name."""
        if not (self._request.knowledge or os.path.isdir(os.path.join(self._config.root, KNOWLEDGE))):
            return PartSource(why="missing")
        names = self._names(running=running)
        if not names:
            return PartSource(why="missing")
        from mdmem.knowledge.fitting import find_contradictions, open_pieces, say_contradiction
        from mdmem.knowledge.read import say_untrusted

        found, lang = open_pieces(self._config, names), self._config.lang
        pieces = tuple(one for one in found if not self._config.bundles.withholds(one.piece.path))
        told = [say_untrusted(self._config, one.piece) for one in found if one not in pieces]
        told += [say_contradiction(lang, one) for one in find_contradictions(self._config, pieces)]
        notes = tuple(map(self._checks.clean, told))
        return PartSource(self._material(pieces)._replace(notes=notes), cut=slot.cut or "head")

    def _names(self, *, running: bool) -> tuple[str, ...]:
        """Return the names: those of the request, else those of the plan, else those that fit the task."""
        if self._request.knowledge:
            return self._request.knowledge
        from mdmem.knowledge.fitting import fitting_pieces
        from mdmem.knowledge.plan_runs import running_pieces

        named = running_pieces(self._config, self._request.agent)
        index = self._request.search_index
        if named or running or index is None:
            return named
        return fitting_pieces(self._config, index.words, self._task, index.near)

    def _material(self, pieces: tuple[OpenPiece, ...]) -> Material:
        """Return the texts of the pieces, each below its name and what it is for."""
        groups: list[MaterialGroup] = []
        items: list[MaterialItem] = []
        left: list[OmittedItem] = []
        for one in pieces:
            lines = self._config.boilerplate(one.template.kind)
            material = read_file(
                one.document, (one.template,), one.piece.path, EntryView(("source",)), self._checks, lines
            )  # fmt: skip
            begin, head = len(groups), len(groups)
            groups.append(MaterialGroup(one.piece.path, one.piece.name, 2))
            items.append(self._heading(one, head))
            groups += _below(material, begin)
            items += (item._replace(group=item.group + begin + 1) for item in material.items)
            left += material.left
        return Material(tuple(groups), tuple(items), tuple(left))

    def _heading(self, one: OpenPiece, group: int) -> MaterialItem:
        text = self._checks.clean(one.piece.description)
        return MaterialItem(text, group, 1, one.piece.description)


def _below(material: Material, above: int) -> Iterator[MaterialGroup]:
    """Return the groups of a piece, below that of its name."""
    for group in material.groups:
        parent = above if group.parent is None else group.parent + above + 1
        yield group._replace(parent=parent, level=max(3, group.level + 1) if group.level else 0)
