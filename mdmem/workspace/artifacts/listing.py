"""The tool runs there are, newest first, by their names: no file is read before it is asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from mdmem.core.artifact import FOLDER, HEAD, Artifact, artifact_path, is_id, read_artifact
from mdmem.core.pattern import pattern
from mdmem.errors import UnreadableFileError
from mdmem.store.root import Root, open_file
from mdmem.workspace.access import Access
from mdmem.workspace.config import Config

_MONTH = pattern(r"\d{4}-\d\d\Z")
_DAY = pattern(r"(\d{4})(\d\d)(\d\d)-")


def artifacts(config: Config, *, tool: str | None, since: dt.date | None, limit: int | None) -> tuple[Artifact, ...]:
    """List tool runs; see `Workspace.artifacts`."""
    Access(config, "user").reach(FOLDER)
    most = limit or config.settings.artifacts.listed
    found: list[Artifact] = []
    with Root(config.root) as root:
        for path in newest_first(root, since):
            one = read_front(root, path)
            if one is None or (tool and one.tool != tool) or (since and one.started[:10] < since.isoformat()):
                continue
            found.append(one)
            if len(found) == most:
                break
    return tuple(found)


def newest_first(root: Root, since: dt.date | None = None) -> Iterator[str]:
    """Give the paths of tool runs: those in folders of their month by name, then the older ones beside them."""
    names = root.names(FOLDER)
    day = f"{since:%Y%m%d}" if since else ""
    for month in sorted(filter(_MONTH.match, names), reverse=True):
        if since and month < f"{since:%Y-%m}":
            break
        for name in reversed(root.names(f"{FOLDER}/{month}")):
            path = f"{FOLDER}/{month}/{name}"
            if name[:8] >= day and is_id(name[:-3]) and artifact_path(name[:-3]) == path:
                yield path
    for name in sorted(names, key=lambda name: (len(name), name), reverse=True):
        if name.endswith(".md") and is_id(name[:-3]) and artifact_path(name[:-3]) == f"{FOLDER}/{name}":
            yield f"{FOLDER}/{name}"


def read_front(root: Root, path: str) -> Artifact | None:
    """Read what stands above an output, and no more of the file; None where it is gone or cannot be read."""
    import os

    try:
        descriptor = open_file(root.place(path))
    except (OSError, UnreadableFileError):
        return None
    try:
        return read_artifact(os.pread(descriptor, HEAD, 0), path)
    except OSError:
        return None
    finally:
        os.close(descriptor)
