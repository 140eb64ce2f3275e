"""Reads from the history which lines of a file mdmem generated, and which of them somebody took out."""

from __future__ import annotations

import re
from itertools import islice

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.edits.generated import WrittenLines, block_texts, line_key
from mdmem.entries.show import live_bytes
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root
from mdmem.text.document import parse


def written_lines(config: WorkspaceConfig, path: str, block: str, reason: str, most: int) -> WrittenLines:
    """Return which lines of a file mdmem generated in its last changes, and which somebody took out since.

    Args:
        config: the workspace.
        path: the file.
        block: the name of its generated blocks.
        reason: how the reasons of mdmem's changes begin in the log.
        most: the number of changes to look at.
    """
    written, removed, is_known = set[str](), set[str](), False
    data = live_bytes(config, path, config.settings.lint.max_bytes)
    later = None if data is None else block_texts(parse(data), block)  # None: a file deleted as a whole begins anew
    with Root(config.root) as root:
        store, place = VersionStore(root, 0), root.resolve(path)
        changes = (one for one in store.explained(re.compile(re.escape(reason))) if one.actor == KEEPER)
        files = (file for one in changes for file in one.files if file.path == place)
        for file in islice(files, most):
            after = store.read(file.after) if file.after else b""
            before = store.read(file.before) if file.before else b""
            if after is None or before is None:
                break
            is_known = True
            texts = block_texts(parse(after), block)
            written |= texts
            removed |= {line_key(text) for text in texts - later} if later is not None else set()
            later = block_texts(parse(before), block) if file.before else None
    return WrittenLines(frozenset(written), frozenset(removed), is_known)
