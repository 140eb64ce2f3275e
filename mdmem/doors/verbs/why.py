"""`mdmem why`: from an entry back to its evidence."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root


def why(
    name: Annotated[
        str,
        Argument(
            help="An entry by ^id, key or a piece of its text, in any memory file.",
            zh="条目的 ^编号、名字或其中一段文字，在哪个记忆文件里都行。",
        ),
    ],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Say why something is remembered: who wrote it when and why, from what, and what it was before."""
    from mdmem.doors import proof

    work = given.workspace(root, lang)
    proof.show(work.why(name), work.lang, as_json=json)
