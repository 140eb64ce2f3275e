"""The part of the facade that brings memories in and out. Each method imports its journey when it is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls

if TYPE_CHECKING:
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.importers.export_writer import ExportForm
    from mdmem.importers.model import ExportReport, ImportReport, ImportTarget


class Exchange(TypedCalls):
    """Imports the memories of other systems, and exports everything."""

    if TYPE_CHECKING:

        @property
        def config(self) -> WorkspaceConfig:
            """The settings and templates of the workspace."""

    def import_from(
        self, place: str | os.PathLike[str], *, system: str = "auto", to: ImportTarget = "auto", dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:  # fmt: skip
        """Import the memories of another system; the source is only read, and what is known already is not added.

        Each record carries its origin, so that a second import adds nothing. Forgotten texts stay away, secrets are
        not written. Each batch is one change that `history.undo` takes back.

        Args:
            place: a folder, a zip or a file.
            system: openakita, pet, fastmemo, react, chatgpt, claude, mem0, mcp-memory, basic-memory, claude-code,
                codex, logseq, notion, obsidian, openclaw or mdmem; auto tells by the content.
            to: facts or inbox, for statements; auto sends those that nobody has confirmed to the inbox.
            dry_run: write nothing; the report is the plan.
            progress: called with (records done, 0), for their number is not known before.

        Raises:
            TargetError: there is no such place.
            UsageError: nothing known was found there, or an unknown system or target.
            RefusedError: a zip that could harm.
            UnreadableFileError: it cannot be read.
            MemoryOffError: memory is switched off.
            WriteError: the system refused; what was written until then is in the log.

        >>> Workspace("workspace").import_from("chatgpt-export.zip", dry_run=True).message
        """
        from mdmem.importers.service import import_from

        return import_from(self.config, place, system, to, dry_run=dry_run, progress=progress)

    def export_to(
        self, folder: str | os.PathLike[str] = "", *, form: ExportForm = "markdown",
        progress: Callable[[int, int], None] | None = None,
    ) -> ExportReport:  # fmt: skip
        """Write everything that the workspace holds to a new folder, in open formats.

        Args:
            folder: a folder outside the workspace that is empty or does not exist; default `mdmem-export-DAY`.
            form: markdown copies the files as they are; jsonl writes facts, entries, sessions and attachments as lines.
            progress: called with (files done, all files).

        Raises:
            UsageError: the folder is in the workspace or has files, or the form is unknown.
            MemoryOffError: memory is switched off.
            WriteError: the system refused.

        >>> Workspace("workspace").export_to("/tmp/leaving", form="jsonl").message
        """
        from mdmem.importers.export_writer import export_to

        return export_to(self.config, folder, form, progress)
