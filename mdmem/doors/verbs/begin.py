"""`mdmem init`: the files that a new memory folder begins with."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument
from mdmem.doors.verbs.given import Json, Lang
from mdmem.workspace import Workspace


def init(
    path: Annotated[str, Argument(help="The folder to begin in.", zh="放在哪个文件夹。")] = ".",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Write the files that a new workspace begins with; what is there is left alone."""
    from mdmem.doors.render import made

    workspace = Workspace(path, lang=lang)
    made(workspace.init(), path, workspace.lang, as_json=json)
