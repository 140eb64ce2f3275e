"""Leaves out of a text for a model what gives orders to it, but not what a person has accepted or lint only notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import UNSAFE, Material, MaterialItem, OmittedItem
from mdmem.context.pack import PartSource
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.formats.paths import within_user
from mdmem.formats.session import FOLDERS
from mdmem.linter.registry import RULES
from mdmem.linter.runner import every_finding
from mdmem.linter.sources import LintSource, walk_of
from mdmem.linter.suppressions import read_suppressions
from mdmem.linter.unsafe_lines import ORDERS, bare, without_orders
from mdmem.linter.worker import LintWorker
from mdmem.store.files import FileSnapshot
from mdmem.text.document import Document, parse
from mdmem.text.inline import comments, mask

_NOTE = "note"  # the severity of a finding that tells of nothing wrong


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
    files = _MemoryLines(config, _lines(text) - _lines(safe))
    safe = without_orders(text, files.accepted)
    return SafeText(safe, tuple(files.left(_lines(text) - _lines(safe))))


def safe_sources(config: WorkspaceConfig, sources: Mapping[str, PartSource]) -> dict[str, PartSource]:
    """Return the sources of a pack without the lines of memory files that give orders.

    What was said in a session stays: it is the caller's own conversation.
    """
    every = "\n".join(item.text for source in sources.values() for item in _of_files(source))
    if (safe := without_orders(every)) == every:
        return dict(sources)
    files = _MemoryLines(config, _lines(every) - _lines(safe))
    return {name: _safe_source(source, files.accepted) for name, source in sources.items()}


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


class _MemoryLines:
    """The lines of the memory files that say what was left out."""

    def __init__(self, config: WorkspaceConfig, wanted: Counter[str]) -> None:
        """Bind to lines, as `bare` returns them."""
        self._config, self._wanted = config, frozenset(wanted)

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The lines that stay: a person allows them, or lint only notes them."""
        return frozenset(line for _, document, path in self._files for line in self._accepted(path, document))

    def left(self, lines: Counter[str]) -> Iterator[OmittedItem]:
        """Yield lines with path and line number; a line that is in no file has an empty path."""
        for line in lines.elements():
            places = ((path, shown.find(line), shown) for shown, _, path in self._files if line in shown)
            path, at, shown = next(places, ("", 0, ""))
            yield OmittedItem(path, shown.count("\n", 0, at) + 1 if path else 0, line, UNSAFE)

    @cached_property
    def _files(self) -> list[tuple[str, Document, str]]:
        """The files with one of the lines: the text as it looks in a pack, the document, the path."""
        found = []
        for path in walk_of(self._config).files():
            with suppress(MdmemError):  # a file that cannot be read is a finding of lint
                data = live_bytes(self._config, path, self._config.most_bytes(path)) or b""
                shown = "\n".join(map(_shown, data.decode("utf-8", "replace").split("\n")))
                if any(line in shown for line in self._wanted):
                    found.append((shown, parse(data), path))
        return found

    def _accepted(self, path: str, document: Document) -> Iterator[str]:
        yield from _allowed_lines(document)
        codes = [code for code, _ in ORDERS]
        source = LintSource(path, FileSnapshot("regular", len(document.to_bytes()), "none", b""))
        subject = LintWorker(self._config, ((), ())).subject(source, document)
        rules = [rule for rule in RULES if rule.code in codes]
        severities: dict[int, set[str]] = {}
        for one in every_finding(subject, rules, self._config.lang):
            for number in range(document.lines.at(one.span.start), document.lines.at(one.span.end) + 1):
                severities.setdefault(number, set()).add(one.severity)
        for number, found in severities.items():
            if found == {_NOTE}:
                yield _shown(document.lines.text(number))


def _allowed_lines(document: Document) -> Iterator[str]:
    """Yield the lines at which a person allows orders, as they look in a pack."""
    for one in read_suppressions(document):
        if any(one.allows(code, name) for code, name in ORDERS):
            for number in range(one.first, min(one.last + 1, len(document.lines))):
                yield _shown(document.lines.text(number))


def _shown(line: str) -> str:
    """Return a line of a file as it looks in a pack."""
    return bare(mask(line, comments(line), ""))
