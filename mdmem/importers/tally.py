"""Counts what became of each record of an import, and names those that were not written. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from mdmem.importers.model import ImportItem, ImportProblem, ImportRecord
from mdmem.linter.masking import mask


class ImportTally:
    """The numbers of one import; `items` tells of the records that were not written, or changed."""

    def __init__(self) -> None:
        self.read, self.masked, self.waiting = 0, 0, 0
        self.states, self.kinds = Counter[str](), Counter[str]()
        self.items: list[ImportItem] = []
        self.paths: dict[str, None] = {}
        self._written: dict[str, tuple[str, str]] = {}  # origin → place and kind

    def tell(self, place: str, kind: str, state: str, reason: str, path: str = "") -> None:
        """Count a record that was not written, and say why."""
        self.states[state] += 1
        self.items.append(ImportItem(mask(place), kind, state, path, reason))  # type: ignore[arg-type]

    def remark(self, record: ImportRecord, reason: str) -> None:
        """Tell what was changed in a record that is taken."""
        self.items.append(ImportItem(record.place, kind_of(record), "written", "", reason))

    def done(self, record: ImportRecord, path: str) -> None:
        """Count a record that was written to a file."""
        self.states["written"] += 1
        self.kinds[kind_of(record)] += 1
        self.paths[path] = None
        if not isinstance(record, ImportProblem):
            self._written[record.origin] = record.place, kind_of(record)

    def verify(self, there: Container[str], reason: str) -> None:
        """Count what was written, and whose origin is not there, as refused."""
        for origin, (place, kind) in self._written.items():
            if origin not in there:
                self.states["written"] -= 1
                self.kinds[kind] -= 1
                self.tell(place, kind, "refused", reason)


def kind_of(record: ImportRecord) -> str:
    """Return the kind of a record, as the report names it: fact, line, session, episode, file, attachment or copy."""
    return type(record).__name__.removeprefix("Import").removeprefix("ed").lower()
