"""The jobs that are put under faults: each takes a folder and a word with which it tells its caller «it is written»."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import read_settings
from mdmem.settings.tables import Settings
from mdmem.store.history.versions import VersionStore
from mdmem.store.journal import Journal
from mdmem.store.pen import Pen
from mdmem.store.root import Root
from mdmem.text.document import Document
from mdmem.text.edit import Edit

Ack = Callable[[str], None]

NOW = dt.datetime(2026, 2, 20, 12, tzinfo=dt.UTC)
_SHIPPED = read_settings(Path(templates_folder(), "mdmem.toml").read_bytes())
# displaced files are left alone, so that a second recovery has nothing to do
SETTINGS = _SHIPPED.replace(store=_SHIPPED.store._replace(stable_ms=10, lease_ms=50, displaced_seconds=3600))

_EMPTY = hashlib.sha256(b"").hexdigest()
ENTRY = "- one more entry"
OLD = "# 记忆\r\n\r\n- 旧\r\n".encode()
NEW = "# 记忆\r\n\r\n- 旧\r\n- 新\r\n".encode()


def warm_up() -> None:
    """Run some jobs, so that what is imported when first needed is there in every child."""
    with tempfile.TemporaryDirectory() as root:
        Path(root, "sessions").mkdir()
        Path(root, "sessions/s.md").write_text("# Session: s\n\n## Turns\n", "utf-8")
        for job in (several, say_turn, recover, inspect):
            job(root, lambda _: None)


def pen(root: str) -> Pen:
    """Give the pen of a folder; it looks only shortly for an editor that is about to save, for there is none."""
    return Pen(root, SETTINGS, lambda *_: None, lambda: NOW)


def appended(document: Document | None, line: str) -> list[Edit]:
    """Give the edit that adds a line at the end."""
    return [Edit.insert(len(document.text) if document else 0, f"{line}\n")]


def append(root: str, ack: Ack) -> None:
    """Add one entry to one file."""
    _commit(root, ack, {"MEMORY.md": ENTRY})


def append_patiently(root: str, ack: Ack) -> None:
    """Add one entry, with the waits that are shipped: an editor is at work in the same file."""
    ack(add(root, ENTRY))


def append_soon(root: str, ack: Ack) -> None:
    """Add one entry, and wait only a tenth of a second for an editor that keeps the file open."""
    ack(add(root, ENTRY, _SHIPPED.replace(store=_SHIPPED.store._replace(lease_ms=100))))


def add(root: str, line: str, settings: Settings = _SHIPPED) -> str:
    """Add one line to MEMORY.md, with the waits that are shipped or others; gives the transaction's name."""
    one = Pen(root, settings, lambda *_: None, lambda: NOW).commit(
        lambda files: {"MEMORY.md": appended(files["MEMORY.md"], line)}, actor="test", reason="beside an editor"
    )
    return one.id if one else "nothing"


def append_to(root: str, ack: Ack) -> None:
    """Add one entry to the path that the file `path` beside the folder names."""
    path = Path(root).parent.joinpath("path").read_text("utf-8", "surrogateescape")
    _commit(root, ack, {path: ENTRY})


def settle(root: str, ack: Ack) -> None:
    """Merge late saves at once: all writers of displaced files have finished."""
    settings = _SHIPPED.replace(store=_SHIPPED.store._replace(displaced_seconds=0))
    ack(str(len(Pen(root, settings, lambda *_: None, lambda: NOW).recover())))


def versions(root: str, ack: Ack) -> None:
    """Tell every version that a line of the log names."""
    ack(json.dumps(logged(root)))


def logged(root: str) -> list[str]:
    """Give every version that a line of the log names."""
    with Root(root) as opened:
        history = VersionStore(opened, 0)
        named = {one.after for transaction in history.log() for one in transaction.files if one.after}
        return [(history.read(digest) or b"").decode() for digest in sorted(named)]


TURN = ("\n### 2 user 10:01\n\n" + "再说一句，长一点。" * 20 + "\n\n第二段\n").encode()


def say_turn(root: str, ack: Ack) -> None:
    """Add a turn to a session."""
    ack(str(pen(root).append("sessions/s.md", lambda _: TURN, mirrored=True).size))


def begin(root: str, ack: Ack) -> None:
    """Make a file that was not there, in a folder that was not there."""
    _commit(root, ack, {"facts/tea.md": "- drinks it without sugar"})


def several(root: str, ack: Ack) -> None:
    """Change one file, make one and remove one, as one transaction."""
    _commit(root, ack, {"MEMORY.md": "- moved here", "archive/2026-02.md": "- moved there", "inbox.md": None})


def remove(root: str, ack: Ack) -> None:
    """Remove a file."""
    _commit(root, ack, {"MEMORY.md": None})


def _commit(root: str, ack: Ack, lines: dict[str, str | None]) -> None:
    one = pen(root).commit(
        lambda files: {path: appended(files[path], line) if line else None for path, line in lines.items()},
        actor="test", reason="a point",
    )  # fmt: skip
    ack(one.id if one else "nothing")


def recover(root: str, ack: Ack) -> None:
    """What runs after a crash."""
    ack(str(len(pen(root).recover())))


def recover_later(root: str, ack: Ack) -> None:
    """What runs some day: by then nobody can still own what lies about."""
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    ack(str(len(Pen(root, SETTINGS, lambda *_: None, lambda: later).recover())))


def inspect(root: str, ack: Ack) -> None:
    """Tell what the history and the journal hold."""
    with Root(root) as opened:
        history = VersionStore(opened, 0)
        ack(json.dumps({
            "made": sorted({one.path for t in history.log() for one in t.files if one.before in (None, _EMPTY)}),
            "missing": sorted({one.after for t in history.log() for one in t.files
                               if one.after and history.read(one.after) is None}),
            "damage": [str(one) for one in history.check()],
            "log": sum(bool(one.files) for one in history.log()),  # a refused plan is told there and changes nothing
            "journal": [one.transaction.id for one in Journal(opened).pending()],
        }))  # fmt: skip


def next_write(root: str, ack: Ack) -> None:
    """Write somewhere else: whatever happened before, the pen is not stuck."""
    _commit(root, ack, {"NEXT.md": "- and on it goes"})


def checked(root: str, ack: Ack) -> None:
    """Write aside, sync, look whether the file is still the old one, rename, sync: what careful programs do."""
    aside, path = Path(root, "aside"), Path(root, "MEMORY.md")
    with aside.open("wb") as stream:
        stream.write(NEW)
        stream.flush()
        os.fsync(stream.fileno())
    if path.read_bytes() == OLD:
        aside.rename(path)
        folder = os.open(root, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        ack("written")


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
