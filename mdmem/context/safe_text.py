"""Removes the lines of a text that give orders to a model, unless a person accepted them or lint only notes them."""

# The linter is imported for a line that gives orders: most texts have none.
from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import UNSAFE, Material, MaterialItem, OmittedItem
from mdmem.context.pack import PartSource
from mdmem.formats.paths import within_user
from mdmem.formats.session import FOLDERS
from mdmem.linter.unsafe_lines import bare, without_orders

if TYPE_CHECKING:
    from mdmem.context.accepted_lines import MemoryLines


class SafeText(NamedTuple):
    """A text for a model, and the lines that were left out of it."""

    text: str
    left: tuple[OmittedItem, ...] = ()


def safe_text(config: WorkspaceConfig, text: str) -> SafeText:
    """Return a text without the lines that give orders to a model, and these lines with their places.

    A line stays where a mark `allow` stands at it in a file, and where lint only notes it: a quotation below a heading
    on security. The files are read only if there is such a line.
    """
    safe = without_orders(text)
    if safe == text:
        return SafeText(text)
    files = _memory_lines(config, _lines(text) - _lines(safe))
    safe = without_orders(text, files.accepted)
    return SafeText(safe, tuple(files.left(_lines(text) - _lines(safe))))


def safe_sources(config: WorkspaceConfig, sources: Mapping[str, PartSource]) -> dict[str, PartSource]:
    """Return the sources of a pack without the lines of memory files that give orders.

    What was said in a session stays: it is the caller's own conversation.
    """
    every = "\n".join(item.text for source in sources.values() for item in _of_files(source))
    if (safe := without_orders(every)) == every:
        return dict(sources)
    files = _memory_lines(config, _lines(every) - _lines(safe))
    return {name: _safe_source(source, files.accepted) for name, source in sources.items()}


def _memory_lines(config: WorkspaceConfig, wanted: Counter[str]) -> MemoryLines:
    from mdmem.context.accepted_lines import MemoryLines

    return MemoryLines(config, wanted)


def _of_files(source: PartSource) -> Iterator[MaterialItem]:
    return (item for item in source.material.items if _is_of_file(source.material, item))


def _is_of_file(material: Material, item: MaterialItem) -> bool:
    return within_user(material.path_of(item)).partition("/")[0] not in ("", *FOLDERS)


def _safe_source(source: PartSource, accepted: Collection[str]) -> PartSource:
    """Return a source without the orders of its material."""
    material = source.material
    texts = [
        without_orders(item.text, accepted) if _is_of_file(material, item) else item.text for item in material.items
    ]
    if all(text == item.text for text, item in zip(texts, material.items, strict=True)):
        return source
    kept = [index for index, text in enumerate(texts) if text.strip()]
    left = [
        OmittedItem(material.path_of(item), item.line, item.source_text, UNSAFE)
        for text, item in zip(texts, material.items, strict=True)
        if text != item.text
    ]
    wanted = source.wanted
    if wanted is not None:
        wanted = frozenset(new for new, old in enumerate(kept) if old in wanted)
    items = tuple(material.items[index]._replace(text=texts[index]) for index in kept)
    material = material._replace(items=items, left=(*material.left, *left))
    # the whole file, which is shown where it fits, holds the same lines
    return source._replace(material=material, wanted=wanted, whole=None, why=source.why if items else "empty")


def _lines(text: str) -> Counter[str]:
    return Counter(bare(line) for line in text.split("\n") if line.strip())
