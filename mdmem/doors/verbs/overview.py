"""`mdmem status`: how full each memory file is, what waits, what is broken."""

from __future__ import annotations

from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root


def status(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show how full each memory file is, what waits for the keeper and what is broken."""
    from mdmem.doors.render import status_json, status_table

    workspace = given.workspace(root, lang)
    found = workspace.status()
    status_json(found) if json else status_table(found, workspace.lang)
