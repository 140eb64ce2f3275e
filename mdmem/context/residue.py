"""Remove what is left of broken comments: a `-->` that closes nothing (K120, K132)."""

from __future__ import annotations

from mdmem.core.inline import mask_code
from mdmem.core.pattern import pattern

_END = pattern(r"[ \t]*-{2,}>[ \t]*")


def without_residue(text: str) -> str:
    """Return a text without stray ends of comments; between two words one is an arrow and is written as `→`.

    Code stays as it is.
    """
    if "-->" not in text or text.startswith(("```", "~~~")):
        return text
    code = mask_code(text)
    out, at = "", 0
    for match in _END.finditer(code):
        begin, end = match.span()
        before = code[:begin].rpartition("\n")[2].strip(" \t-*+>")
        after = code[end:].partition("\n")[0].strip()
        out += text[at:begin] + (" → " if before and after else "")
        at = end
    return out + text[at:]
