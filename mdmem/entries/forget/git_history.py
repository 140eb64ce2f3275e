"""What git's history still holds of a forgotten text. Mdmem never changes that history; it tells how a person does."""

from __future__ import annotations

import re
from collections.abc import Collection

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.messages.catalog import say
from mdmem.store.git.repository import in_repository


def told_of_git(config: WorkspaceConfig, paths: Collection[str], regex: re.Pattern[str]) -> str:
    """Return how many versions of some files in git's history hold a text, and how they are purged; empty for none."""
    if not in_repository(config.root):
        return ""
    from mdmem.store.git.past_versions import past_versions

    counts: dict[str, int] = {}
    try:
        for path in sorted(paths):
            texts = (data.decode("utf-8", "surrogateescape") for data in past_versions(config.root, path))
            if count := sum(regex.search(text) is not None for text in texts):
                counts[path] = count
    except MdmemError:
        return say(config.lang, "pen.forget-git-unread")
    facts = {"count": sum(counts.values()), "files": ", ".join(counts)}
    return say(config.lang, "pen.forget-git", **facts) if counts else ""
