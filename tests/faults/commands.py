"""The jobs that are put under faults: each takes a folder and a word with which it tells its caller «it is written»."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mdmem.store import files

Ack = Callable[[str], None]

OLD = "# 记忆\r\n\r\n- 旧\r\n".encode()
NEW = "# 记忆\r\n\r\n- 旧\r\n- 新\r\n".encode()


def fix_one(root: str, ack: Ack) -> None:
    """What `lint --fix` does."""
    files.replace(os.path.join(root, "MEMORY.md"), OLD, NEW, "MEMORY.md")
    ack("fixed")


def careless(root: str, ack: Ack) -> None:
    """Write in place without a sync: what the harness must find wanting."""
    Path(root, "MEMORY.md").write_bytes(NEW)
    ack("written")


def unsynced(root: str, ack: Ack) -> None:
    """Write aside and rename, without a sync: whole after a kill, not after a power cut."""
    aside = Path(root, "aside")
    aside.write_bytes(NEW)
    aside.rename(Path(root, "MEMORY.md"))
    ack("written")
