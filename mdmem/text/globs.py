"""Rewrites the regular expression of a glob so that a match takes polynomial time of a low, fixed degree.

`pathspec` and plain translations of globs join `[^/]*` with backtracking: `*a*a*a*a*b` against a long name takes
practically forever. Between two wildcards, the first place where the text between them fits is as good as any later
one, since the second wildcard takes what is left; an atomic group therefore gives the same answer without trying again,
as the standard library's `fnmatch` does.
"""

from __future__ import annotations

import re

_STAR = "[^/]*"
_UNIT = r"(?:\\[^\d\W]|\\\W|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\]()/|?*+{}^$.])"  # a sign, an escape, or a set
_SET = re.compile(r"(?<!\\)((?:\\\\)*)(\[(?!\^/\][*+])\^?\]?(?:\\.|[^\]\\])*\])")
_STARS = re.compile(rf"(?:\[\^/\]\*)+((?:\(\?!/\)|{_UNIT})+)(?=\[\^/\]\*)")
_DEEP = {"(?:.+/)?": "(?:.+?/)??", "(?:/.+)?": "(?:/.+?)??", "(?:[^/]+/)*": "(?:[^/]+/)*?"}
_FOLDERS = re.compile("(" + "|".join(map(re.escape, _DEEP)) + ")")


def without_backtracking(source: str) -> str:
    """Return the regular expression of a glob with an atomic group for what stands between two wildcards.

    Sets never match a slash, as in git. Any number of folders is `(?:.+/)?`, `(?:/.+)?` or `(?:[^/]+/)*`.
    """
    source = _SET.sub(r"\1(?!/)\2", source)
    source = re.sub(r"(?:\[\^/\]\*){2,}", lambda _: _STAR, source)
    source = _STARS.sub(lambda match: f"(?>[^/]*?{match[1]})", source)
    first, *parts = _FOLDERS.split(source)
    made = [first]
    for at in range(0, len(parts), 2):
        deep, text = parts[at : at + 2]
        if at + 2 == len(parts):
            made.append(deep + text)
        else:
            ending = "(?=/)" if parts[at + 2].startswith("(?:/") else ""
            made.append(f"(?>{_DEEP[deep]}{text}{ending})")
    return "".join(made)
