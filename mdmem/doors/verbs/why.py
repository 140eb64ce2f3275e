"""`mdmem why`: from an entry back to its evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root


def why(
    name: Annotated[str, typer.Argument(help="An entry by ^id, key or a piece of its text, in any memory file.")],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Say why something is remembered: who wrote it when and why, from what, and what it was before."""
    from mdmem.doors import proof

    work = given.workspace(root, lang)
    proof.show(work.why(name), work.lang, as_json=json)
