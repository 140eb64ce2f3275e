"""The language of help, usage errors and labels, which may be needed before a workspace is opened.

The facade is imported when the language is computed: a run without output of this kind does not need it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from mdmem.errors import MdmemError, WorkspaceNotFoundError
from mdmem.messages.folders import languages


def current_language() -> str:
    """Return the language of this process's command line; see `language`."""
    return language(tuple(sys.argv[1:]))


@cache
def language(arguments: Sequence[str]) -> str:
    """Return the language of the output of a command line.

    `--lang` comes first, then the settings of the workspace (named by `--root` or a path, or found upwards from the
    current folder), then the user's own, then the locale.
    """
    from mdmem import Workspace

    chosen = _value(arguments, "--lang")
    config = Workspace(_folder(arguments), lang=chosen if chosen in languages() else None).config
    for passes_over in ("no", "file"):  # the verb itself reports broken settings, in the language that they name
        config.lenient = passes_over
        with suppress(MdmemError, OSError):
            return config.lang
    return config.locale_lang


def _folder(arguments: Sequence[str]) -> str:
    from mdmem import Workspace

    if (root := _value(arguments, "--root")) and os.path.isdir(root):
        return os.path.abspath(root)
    words = [word for word in arguments if not word.startswith("-")]
    named = [word for word in words if os.path.exists(word)]
    folders = [folder for word in words if os.path.isdir(folder := os.path.dirname(word))]  # of a file that is gone
    with suppress(OSError):
        for start in (*named[:1], *folders[:1], "."):
            with suppress(WorkspaceNotFoundError):
                return Workspace.find(start).root
    with suppress(FileNotFoundError):  # the current folder was deleted
        return os.path.abspath(".")
    return os.sep


def _value(arguments: Sequence[str], flag: str) -> str:
    """Return the value of an option, before or after the verb."""
    for at, word in enumerate(arguments):
        if word == flag:
            return next(iter(arguments[at + 1 :]), "")
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""
