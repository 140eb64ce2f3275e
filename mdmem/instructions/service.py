"""Keep the memory's block in the instruction files of agents: enter it, write it anew, take it out."""

# `block_text` is imported when a block is written: it loads what makes packs, and most workspaces have no block.
from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.forget.model import ForgetResult, Unread
from mdmem.errors import ConfigError, ConflictError, MdmemError, RefusedError, UnreadableFileError
from mdmem.instructions.edits import BlockChange, BlockError, has_block, with_block, without_block
from mdmem.instructions.model import (
    INSTRUCTION_FILES,
    RECORD,
    BlockRecord,
    ConnectedFile,
    ConnectionState,
    RefreshedFile,
    read_block_record,
)
from mdmem.instructions.outside_files import (
    SHARED,
    STALE,
    masked_diff,
    project_of,
    replace_outside,
    settled,
)
from mdmem.instructions.read import read_outside
from mdmem.instructions.records import AgentRecord
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.files import linked_away, require_inside, short_path
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import smallest

_BlockEdit = Callable[[Document, BlockRecord], BlockChange]


class InstructionFiles(TypedCalls):
    """The namespace `Workspace.instructions`: files as AGENTS.md that have a block of this workspace."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace."""
        self._config, self._lang = config, config.lang
        self._record = AgentRecord(config, RECORD)

    @property
    def paths(self) -> tuple[str, ...]:
        """The absolute paths of the files that were given a block."""
        return tuple(sorted(self._record.own))

    def agent(self, path: str) -> str:
        """Return the agent for which a file was connected."""
        found = read_block_record(self._record.files.get(path))
        return found.agent if found else ""

    def place(self, agent: str, path: str) -> str:
        """Return the file that is meant: in a folder, the one that the agent reads there."""
        return os.path.join(path, INSTRUCTION_FILES[agent]) if path.endswith(os.sep) or os.path.isdir(path) else path

    def is_in_git(self, path: str) -> bool:
        """Return whether a file, or the folder that it will stand in, belongs to a git repository."""
        return os.path.lexists(os.path.join(project_of(path), ".git"))

    def connect(self, agent: str, path: str, *, dry_run: bool = False) -> ConnectedFile:
        """Enter the block into a file, or write it anew; the rest of the file stays byte for byte.

        Args:
            agent: who reads the file.
            path: the file; a new one is made.
            dry_run: only tell what would change.

        Raises:
            ConfigError: it is a memory file.
            RefusedError: a mark of a block stands without its other half, something in the file is not closed, or a
                link leads out of the project.
            UnreadableFileError: it is no text file, a memory file cannot be read, or the system refused.
            ConflictError: somebody else saves the file again and again.
            WriteError: the system refused.
        """
        require_inside(path, project_of(path))
        path = os.path.realpath(path)
        self._refuse_memory(path)
        content = self._content()
        return self._changed(
            path, BlockRecord(agent), lambda file, record: with_block(file, content, record), dry_run=dry_run
        )

    def remove(self, path: str, *, dry_run: bool = False) -> ConnectedFile:
        """Take the block out of a file, and nothing else; a file that was made for it is removed if nothing is left.

        Raises:
            RefusedError: a mark of a block stands without its other half.
            UnreadableFileError: it cannot be read.
            WriteError: the system refused.
        """
        path = os.path.realpath(path)
        data = self._read(path)
        if data is None or not has_block(parse(data)):
            if not dry_run and path in self._record.files:
                self._forget(path)
            return ConnectedFile(short_path(path), "none")
        found = self._changed(path, BlockRecord(""), without_block, dry_run=dry_run, is_removal=True)
        if not dry_run:
            self._forget(path)
        return found

    def refresh(self, path: str = "", *, dry_run: bool = False) -> tuple[RefreshedFile, ...]:
        """Write the blocks of all connected files anew, or that of one; one that was taken out does not come back."""
        paths = [one for one in self.paths if path in ("", one)]
        try:
            content = self._content() if paths else ""
        except UnreadableFileError as error:
            return tuple(RefreshedFile(one, ConnectedFile(short_path(one), "changed"), error) for one in paths)
        return tuple(self._refreshed(one, content, dry_run=dry_run) for one in paths)

    def _refreshed(self, path: str, content: str, *, dry_run: bool) -> RefreshedFile:
        try:
            if (real := os.path.realpath(path)) != path:
                raise linked_away(path, real)  # it was none when it was connected
            data = self._read(path)
            if data is None or not has_block(parse(data)):
                return RefreshedFile(path, ConnectedFile(short_path(path), "gone"))

            def edit(document: Document, record: BlockRecord) -> BlockChange:
                if not has_block(document):  # it was taken out just now
                    return BlockChange(document.text, record)
                return with_block(document, content, record)

            made = self._changed(path, BlockRecord(""), edit, dry_run=dry_run)
        except MdmemError as error:
            return RefreshedFile(path, ConnectedFile(short_path(path), "changed"), error)
        return RefreshedFile(path, made)

    def _content(self) -> str:
        """Return the text of a block; raises UnreadableFileError, see `block_text`."""
        from mdmem.instructions.block_text import block_text

        return block_text(self._config)

    def _changed(
        self, path: str, new: BlockRecord, edit: _BlockEdit, *, dry_run: bool, is_removal: bool = False
    ) -> ConnectedFile:
        """Read a file, change its block, and write it; again as often as somebody else saves in between."""
        found: list[ConnectedFile] = []

        def change() -> None:
            with nullcontext(self._record.files) if dry_run else self._record.changing() as known:
                stored = read_block_record(known.get(path)) or new
                before = self._read(path)
                made = self._edited(path, before, stored._replace(agent=new.agent or stored.agent), edit)
                found[:] = [self._told(path, before, made, dry_run=dry_run, is_removal=is_removal)]
                if dry_run:
                    return
                after = made.text.encode("utf-8", "surrogateescape")
                record = made.record._replace(created=before is None or made.record.created)
                if before != after:
                    self._write(path, before, None if is_removal and record.created and not after else after)
                if not is_removal and record != stored:
                    self._record.put(path, record._asdict())
                    self._record.save()

        settled(change)
        return found[0]

    def _told(
        self, path: str, before: bytes | None, made: BlockChange, *, dry_run: bool, is_removal: bool
    ) -> ConnectedFile:
        after = made.text.encode("utf-8", "surrogateescape")
        done: ConnectionState = "removed" if is_removal else "connected"
        status: ConnectionState = "unchanged" if before == after else "planned" if dry_run else done
        diff = masked_diff(path, (before or b"").decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        return ConnectedFile(short_path(path), status, diff, sum(bool(line.strip()) for line in made.moved))

    def _edited(self, path: str, before: bytes | None, record: BlockRecord, edit: _BlockEdit) -> BlockChange:
        try:
            return edit(parse(before or b""), record)
        except BlockError as error:
            raise RefusedError(
                say(self._lang, "instructions.open"), path=short_path(path),
                hint=say(self._lang, "instructions.open.hint"),
            ) from error  # fmt: skip

    def _read(self, path: str) -> bytes | None:
        data = read_outside(path, self._config.settings.lint.max_bytes)
        if data is not None and b"\0" in data:
            raise UnreadableFileError(say(self._lang, "instructions.no-text"), path=short_path(path))
        return data

    def _inside(self, path: str) -> str:
        """Return the path of a file in the workspace, from its root; empty for one outside."""
        root = os.path.realpath(self._config.root)
        return os.path.relpath(path, root).replace(os.sep, "/") if path.startswith(root + os.sep) else ""

    def _refuse_memory(self, path: str) -> None:
        """Refuse a file that the block is made from. Raises ConfigError."""
        inside = self._inside(path)
        if inside and ChangeRequest(self._config, "connect", KEEPER, "").template(inside, None) is not None:
            message = say(self._lang, "instructions.memory")
            raise ConfigError(message, path=inside, hint=say(self._lang, "instructions.memory.hint"))

    def _write(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Write a file: with the pen in the workspace, else beside it."""
        inside = self._inside(path)
        if not inside:
            replace_outside(path, before, after, SHARED, os.path.dirname(path))
            return
        commit = ChangeRequest(self._config, "connect", KEEPER, "", confirm=True, whole=True)
        inside = commit.path(inside)

        def change(files: DraftFiles) -> Edits:
            document = files[inside]
            if (document and document.to_bytes()) != before:
                raise ConflictError(STALE, path=inside, hint="nothing was changed; try again")
            text = document.text if document else ""
            new = None if after is None else after.decode("utf-8", "surrogateescape")
            return {inside: None if new is None else smallest(text, new)}

        commit.run(change)

    def _forget(self, path: str) -> None:
        with self._record.changing() as known:
            if known.pop(path, None) is not None:
                self._record.save()


def refreshed_notes(config: WorkspaceConfig) -> tuple[RefreshedFile, ...]:
    """Write the blocks of all connected files anew; return those that changed or could not be written."""
    with suppress(MdmemError):  # the settings or templates are wrong; a lint reports them
        found = InstructionFiles(config).refresh()
        return tuple(one for one in found if one.error or one.file.status == "connected")
    return ()


def forgotten_in_blocks(config: WorkspaceConfig, done: ForgetResult) -> ForgetResult:
    """Write all blocks anew after a text was forgotten; name those that could not be written."""
    failed = tuple(
        Unread(one.file.path, in_language(one.error, config.lang).message)
        for one in refreshed_notes(config)
        if one.error
    )
    return replace(done, status="partial", unread=(*done.unread, *failed)) if failed else done
