"""Shows a file with the key of each entry in the margin, so that a person can name it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.terminal import Paint, safe

if TYPE_CHECKING:
    from mdmem.workspace.show import Shown


def show(files: Sequence[Shown], *, as_json: bool) -> None:
    """Print files for a person, or as one JSON object."""
    if as_json:
        emit.json({"files": [one.as_dict() for one in files]})
        return
    paint = Paint(sys.stdout)
    print("\n\n".join("\n".join(_page(one, paint)) for one in files))


def _page(shown: Shown, paint: Paint) -> list[str]:
    keys = {one.line: one.key for part in shown.sections for one in part.entries}
    done = {one.line for part in shown.sections for one in part.entries if one.done}
    headings = {part.line for part in shown.sections}
    wide = max(map(len, keys.values()), default=0)
    out = [paint("path", safe(shown.path))] + ([paint("warning", safe(shown.warning))] if shown.warning else [])
    for number, line in enumerate(shown.lines, 1):
        style = "path" if number in headings else "dim" if number in done else ""
        text = paint(style, safe(line)) if style else safe(line)
        margin = f"{keys.get(number, ''):>{wide}} │"
        out.append(f"{paint('dim', margin)} {text}".rstrip())
    return out
