"""What the writers of an import share: its settings and numbers, its changes, and the list of what was imported."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import current_archive
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import add
from mdmem.importers.origins import IMPORTS, LEDGER, ORIGINS
from mdmem.importers.tally import ImportTally
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document

ACTOR = "import"


class ImportContext:
    """One import into one workspace."""

    def __init__(self, config: WorkspaceConfig, system: str, *, dry_run: bool) -> None:
        """Bind to a workspace and to the system that is imported from."""
        self.config, self.system, self.dry_run = config, system, dry_run
        self.planned: dict[str, Document | None] = {}  # documents as this import would leave them, in a dry run
        self.tally = ImportTally()

    def say(self, key: str, **facts: object) -> str:
        """Return a message in the language of the workspace."""
        return say(self.config.lang, key, **facts)

    @property
    def reason(self) -> str:
        """The reason that the history gives for each change of this import."""
        return self.say("import.reason", system=self.system)

    @property
    def archive(self) -> str:
        """The file of the archive for what is imported today."""
        return current_archive(self.config)

    def day(self, day: str) -> str:
        """Return a day that is not in the future; empty for anything else."""
        with suppress(ValueError):
            return day if dt.date.fromisoformat(day) <= self.config.today else ""
        return ""

    def commit(self, actor: str = ACTOR, *, whole: bool = False) -> ChangeRequest:
        """Return a new change of this import."""
        return ChangeRequest(
            self.config, "import", actor, self.reason, dry_run=self.dry_run, whole=whole, confirm=whole,
            planned=self.planned,
        )  # fmt: skip

    def unfit(self, commit: ChangeRequest, path: str, text: str, most: int | None) -> str:
        """Return why a text may not be written; empty if it may."""
        if most is not None and len(text) > most:
            return self.say("import.too-long", chars=len(text), max=most)
        if found := commit.gate.unfit(path, f"- {text}\n"):
            self.tally.masked += found.secret
            return found.message
        return self.say("import.forgotten") if commit.access.tombstones.holds(text) else ""

    @property
    def ledger_path(self) -> str:
        """The path of the user's ledger."""
        return self.config.whose.place(LEDGER)

    def ledger(
        self, commit: ChangeRequest, files: DraftFiles | Mapping[str, Document | None], found: Sequence[tuple[str, str]]
    ) -> Edits:
        """Return the edits that note the origins of records whose lines do not carry them."""
        return self._noted(
            commit, files[self.ledger_path], ORIGINS, [f"{path} [origin:: {origin}]" for origin, path in found]
        )

    def note(self, message: str) -> None:
        """Write the line of this import."""
        commit = self.commit()
        commit.run(lambda files: self._noted(commit, files[self.ledger_path], IMPORTS, [message]))

    def _noted(self, commit: ChangeRequest, document: Document | None, section: str, texts: Sequence[str]) -> Edits:
        """Return the edits that add lines of today to a section of the ledger."""
        if not texts:
            return {}
        template, colon = self.config.schemas.get(IMPORTS), self.say("punctuation.colon")
        lines = [f"{self.config.day}{colon}{text}" for text in texts]
        path = self.ledger_path
        return {path: add(document, commit.template(path, document) or template, lines, section=section).edits}
