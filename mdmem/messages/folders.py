"""The folders of the shipped templates and of the user's cache, and the available languages."""

from __future__ import annotations

import os
import sys
from functools import cache

SENTENCES = "messages.toml"  # a folder of the templates with this file is a language
FALLBACK = "en"  # has the sentences that another language lacks
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def code_folder() -> str:
    """Return the folder of mdmem's own code."""
    return _HERE


@cache
def templates_folder() -> str:
    """Return the folder of the shipped templates: in the wheel beside the code, in a checkout one folder up."""
    inside = os.path.join(_HERE, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_HERE), "templates")


@cache
def languages() -> tuple[str, ...]:
    """Return the available languages: the folders of the shipped templates that contain messages."""
    folder = templates_folder()
    return tuple(name for name in sorted(os.listdir(folder)) if os.path.isfile(os.path.join(folder, name, SENTENCES)))


def locale_language() -> str:
    """Return the language of the locale if it is available, else English."""
    locale = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
    words = locale.partition(".")[0].replace("_", "-")
    found = [lang for lang in languages() if f"{words}-".startswith(f"{lang}-")]
    return max(found, key=len, default=FALLBACK)


def xdg_folder(variable: str) -> str:
    """Return the folder that a variable of the XDG Base Directory Specification names; empty if it names none.

    The specification says that a relative path is ignored.
    """
    base = os.environ.get(variable, "")
    return base if os.path.isabs(base) else ""


def cache_folder() -> str | None:
    """Return the user's cache folder for mdmem; None if there is no home folder."""
    if base := xdg_folder("XDG_CACHE_HOME"):
        return os.path.join(base, "mdmem")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return os.path.join(base, "mdmem", "Cache") if base else None
    home = os.path.expanduser("~")
    if not os.path.isdir(home):
        return None
    return os.path.join(home, *(("Library", "Caches") if sys.platform == "darwin" else (".cache",)), "mdmem")
