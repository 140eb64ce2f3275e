"""Undo what was written while a session went on, once the user has asked to keep it quiet."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.history.service import open_history, undo
from mdmem.messages.catalog import say
from mdmem.store.history.versions import Transaction, VersionStore


def undo_private(config: WorkspaceConfig, since: str, texts: Sequence[str]) -> bool:
    """Undo the keeper's changes that brought in one of some texts; return whether there was one.

    Args:
        config: the workspace.
        since: when the session began that says them.
        texts: what may not be kept.
    """
    if not texts:
        return False
    wanted, done = [text.encode("utf-8", "surrogateescape") for text in texts], False
    with open_history(config) as history:
        own = [one for one in history.log() if one.actor == KEEPER and one.time[:10] >= since[:10]]
        names = [one.id for one in own if _brings_in(config, history, one, wanted)]
    for name in names:
        with suppress(MdmemError):  # somebody has changed the line since, and it is theirs
            undo(config, name, actor=KEEPER, reason=say(config.lang, "extract.reason-private"), dry_run=False)
            done = True
    return done


def _brings_in(config: WorkspaceConfig, history: VersionStore, change: Transaction, wanted: Sequence[bytes]) -> bool:
    """Return whether a change brought a text into a file that still holds it."""
    for file in change.files:
        live = live_bytes(config, file.path) or b""
        held = [text for text in wanted if text in live]
        before = history.read(file.before) if held and file.before else b""
        after = history.read(file.after) if held and file.after else b""
        if after and before is not None and any(text in after and text not in before for text in held):
            return True
    return False
