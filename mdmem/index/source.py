"""What an index is told of a workspace: which files there are, what they hold, what they are held to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from os import stat_result

from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.index.ignored import Ignored


class Source(NamedTuple):
    """The memory files of one workspace, seen by whoever may see them."""

    files: Callable[[], Iterable[tuple[str, stat_result]]]  # POSIX paths from the root; no links, nothing outside
    read: Callable[[str], bytes | None]  # None: no regular file, too large, not to be read
    template: Callable[[str], Template | None]
    ignored: Callable[[str], Ignored]  # what of a file is no memory
    too_large: Collection[str]  # the paths that `files` left out for their size when it was last asked
    max_lines: int  # of a file whose structure is read
    version: str  # changes with the code, the settings and the templates that rows depend on
