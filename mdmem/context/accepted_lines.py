"""Find lines that give orders in the memory files: which of them a person has accepted, or lint only notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import UNSAFE, OmittedItem
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.linter.registry import RULES
from mdmem.linter.runner import every_finding
from mdmem.linter.sources import LintSource, walk_of
from mdmem.linter.suppressions import read_suppressions
from mdmem.linter.unsafe_lines import ORDERS, bare
from mdmem.linter.worker import LintWorker
from mdmem.store.files import FileSnapshot
from mdmem.text.document import Document, parse
from mdmem.text.inline import comments, mask

_NOTE = "note"  # the severity of a finding that tells of nothing wrong


class MemoryLines:
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
