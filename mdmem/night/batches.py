"""Reads the files of facts and memories for the steps, and writes the changes of one file with its archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.archive import archive
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.kind_files import files_of, kind_file
from mdmem.entries.read import live_bytes, read_file
from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.facts.read import fact_words
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.formats.paths import user_of, within_user
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.night.edits import FileChanges, Leaving, Recalled
from mdmem.night.lines import NightRules, pins_text
from mdmem.search.access_counts import accesses, move_counts, settle_counts
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse

PINS = "pins"
ChangeOf = Callable[[ChangeRequest, Document, Template], FileChanges]


def fact_files(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the files of facts that are no part of the archive; the shared ones are of the user without a name."""
    own = (path for path in files_of(config, FACTS) if user_of(path) == config.user)
    return tuple(path for path in own if not within_user(path).startswith("archive/"))


def night_rules(config: WorkspaceConfig) -> NightRules:
    """Return by what facts are read: the words of their kind, the settings, the pins."""
    return NightRules(
        fact_words(config), config.settings.decay, config.settings.keeper.rules, pins_text(_pins(config))
    )  # fmt: skip


def _pins(config: WorkspaceConfig) -> Document | None:
    template = config.schemas.get(PINS)
    data = live_bytes(config, kind_file(config.root, template), config.settings.lint.max_bytes) if template else None
    return None if data is None else parse(data)


def read_document(config: WorkspaceConfig, path: str) -> tuple[Document, Template] | None:
    """Return a file with its template; None if it is of no kind.

    Raises:
        UnreadableFileError, TargetError: it cannot be read as it is now.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    document = parse(found.text.encode())
    template = ChangeRequest(config, "night", KEEPER, "").template(path, document)
    return (document, template) if template else None


def recalled(config: WorkspaceConfig) -> dict[str, Recalled]:
    """Return how often entries were recalled since the counts were last written into them."""
    return {key: Recalled(one.times, one.day) for key, one in accesses(config).items()}


def change_file(config: WorkspaceConfig, path: str, step: str, make: ChangeOf) -> FileChanges:
    """Make the changes of one file, with the archive, as one transaction; return what was changed.

    Raises:
        MdmemError: nothing was changed.
    """
    reason = say(config.lang, "night.reason", step=say(config.lang, f"night.step-{step}"))
    commit = ChangeRequest(config, "night", KEEPER, reason, confirm=True)
    made = FileChanges((), (), frozenset())

    def change(files: DraftFiles) -> Edits:
        nonlocal made
        document = commit.document(files, path)
        template = commit.template(path, document)
        made = make(commit, document, template) if template else FileChanges((), (), frozenset())
        if not made.edits:
            return {}
        if made.counted:
            move_counts(config, made.counted, commit.id)
        return {path: made.edits, **_archived(commit, files, path, document, made.leaving)}

    commit.run(change)
    if made.counted:
        settle_counts(config)
    return made


def _archived(
    commit: ChangeRequest, files: DraftFiles, path: str, document: Document, leaving: Sequence[Leaving]
) -> Edits:  # fmt: skip
    entries, why = [one.entry for one in leaving], [one.why for one in leaving]
    return archive(commit, files, path, document, entries, why, [(one.text,) for one in leaving])


def is_archivable(commit: ChangeRequest, path: str, texts: Sequence[str]) -> dict[str, bool]:
    """Return which texts the archive would take; a line with a secret stays where it is."""
    lines = {text: f"- {text}\n" for text in texts}
    commit.gate.screen(path, list(lines.values()))
    return {text: commit.gate.unfit(path, line) is None for text, line in lines.items()}


def readable(
    config: WorkspaceConfig, paths: Sequence[str], failed: Callable[[str, MdmemError], object]
) -> Iterator[tuple[str, Document, Template]]:
    """Yield the files that can be read; `failed` is told of the others."""
    access = ChangeRequest(config, "night", KEEPER, "").access
    for path in paths:
        try:
            found = None if access.waits(path) else read_document(config, path)
        except MdmemError as error:
            failed(path, error)
            continue
        if found:
            yield path, *found
