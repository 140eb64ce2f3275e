"""Write a keeper's plan: the file and its archive in one transaction, or a proposal where somebody must agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdmem.core.document import Entry, parse
from mdmem.core.edit import apply_edits
from mdmem.core.entry import read_entry
from mdmem.core.oneline import one_line
from mdmem.core.similarity import essence
from mdmem.errors import VerificationError
from mdmem.keeper.plan import Plan
from mdmem.keeper.verify import lost
from mdmem.store.draft import Edits, Files
from mdmem.workspace.access import KEEPER
from mdmem.workspace.archive import archive
from mdmem.workspace.commit import Commit
from mdmem.workspace.config import Config
from mdmem.workspace.inbox import propose
from mdmem.workspace.keeper_words import tell
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.task import Read


def settle(config: Config, read: Read, plan: Plan, backend: str, *, dry_run: bool) -> Outcome:
    """Make a plan's change from the version that it was made of.

    Raises:
        ConflictError: the file moved on, and both changes touch the same entries.
        VerificationError: an entry would be lost.
        MdmemError: as the pen refuses.
    """
    path, document = plan.path, read.task.document
    commit = Commit(config, "compact", KEEPER, tell(config.lang, "reason", backend=backend), dry_run=dry_run)
    left = only_archived(commit, plan.away)
    commit.reason += left

    def change(files: Files) -> Edits:
        commit.document(files, path)
        if commit.access.waits(path):
            return {path: plan.edits}
        gone, whys, texts = zip(*plan.gone, strict=True) if plan.gone else ((), (), ())
        kept = archive(commit, files, path, document, gone, whys, texts)
        after = parse(apply_edits(document.text, plan.edits).encode())
        archived = "\n".join(edit.new for edits in kept.values() for edit in edits or ())
        if lost(document, after, archived, read.task.originals):
            raise VerificationError(tell(config.lang, "lost"), path=path)
        return {path: plan.edits, **kept}

    commit.run(change, expect={path: read.digest}, propose=propose)
    joint = "，" if config.lang == "zh" else ", "
    sections = joint.join(
        tell(config.lang, "section", section=name, before=before, after=after)
        for name, (before, after) in plan.sections.items()
    )
    key = "compacted" if read.task.compacts else "tidied"
    return commit.outcome(tell(config.lang, key, path=path, sections=sections) + left, path)


def no_longer_said(gone: Iterable[Entry], after: str) -> list[str]:
    """Return what entries said that left a file, unless the file still says it."""
    said = essence(after)
    return [text for one in gone if (text := one.text.strip()) and essence(one.parts.body.of(one.text)) not in said]


def only_archived(commit: Commit, only: Sequence[str]) -> str:
    """Say how many entries, and which, stand in the archive and no longer in a file; empty where there are none.

    Args:
        commit: the change that takes them out; its reason may be extended by what this returns.
        only: the entries.
    """
    config = commit.config
    if not only:
        return ""
    settings = config.settings.keeper
    bodies = (read_entry(text).body.of(text).strip() or text for text in only[: settings.named])
    fit = (one_line(text) for text in bodies if commit.gate.unfit("", text) is None)
    most = settings.named_chars
    names = [text if len(text) <= most else f"{text[: most - 1]}…" for text in fit]
    joint = "、" if config.lang == "zh" else ", "
    shown = joint.join(tell(config.lang, "quoted", text=text) for text in names)
    rest = tell(config.lang, "and-more") if len(names) < len(only) else ""
    key = "only-archived" if shown else "only-archived-unnamed"
    where = f"archive/{config.day[:7]}.md"
    return tell(config.lang, key, count=len(only), archive=where, names=shown + rest)
