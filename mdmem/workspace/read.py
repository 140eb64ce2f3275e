"""The journey of a look at one file: its text, and the digest that a later change may name; nothing is written."""

from __future__ import annotations

import time

from mdmem.core.record import NamedTuple
from mdmem.errors import TargetError, UnreadableFileError
from mdmem.store.history import History
from mdmem.store.record import fingerprint
from mdmem.store.root import Root, read
from mdmem.workspace.access import Access
from mdmem.workspace.config import Config
from mdmem.workspace.words import say

_LOOK_AGAIN = 0.01  # seconds


class Reading(NamedTuple):
    """A file as it was read."""

    path: str
    text: str
    digest: str  # SHA-256 of the bytes: `expect` of a later change
    warning: str = ""  # why the text is not, or not quite, what stands in the file


def read_file(config: Config, path: str, actor: str) -> Reading:
    """Read a file; see `Workspace.read`."""
    access = Access(config, actor)
    path = access.reach(path)
    warning = ""
    with Root(config.root) as root:
        data, there = _stable(root, path, config)
        if not data and (good := _last_good(root, path) if there else None):
            data, warning = good, say(access.lang, "stale", path=path)
    if data is None:
        access.stop(TargetError, "missing", path)
    text = data.decode("utf-8", "replace")
    if not warning and text.encode() != data:
        warning = say(access.lang, "not-utf8", path=path)
    return Reading(path, text, fingerprint(data), warning)


def _stable(root: Root, path: str, config: Config) -> tuple[bytes | None, bool]:
    """Read a file without a lock, and tell whether it is there; missing, empty or broken, it is looked at again."""
    settings = config.settings
    until = time.monotonic() + settings.store.stable_ms / 1000
    while True:
        version, there, problem = None, True, None
        try:
            version = read(root.place(path), settings.lint.max_bytes)
            there = version is not None
        except FileNotFoundError:
            there = False
        except UnreadableFileError as error:
            problem = error
        if (version and version.data) or time.monotonic() > until:
            if problem and _last_good(root, path) is None:
                raise problem
            return (version.data if version else None), there
        time.sleep(_LOOK_AGAIN)


def _last_good(root: Root, path: str) -> bytes | None:
    """Give the newest version of a file that the history still has."""
    history = History(root, 0)
    named = (one.after for change in history.log() for one in change.files if one.path == path)
    digest = next(named, None)
    return history.read(digest) if digest else None
