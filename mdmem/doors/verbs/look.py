"""The verbs that look: show, log, diff."""

from __future__ import annotations

from typing import Annotated

from mdmem.core.paths import closed
from mdmem.doors import history, page
from mdmem.doors.declare import Argument, Option
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, MaybeFile, Root


def show(file: MaybeFile = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show a file with the key of each entry beside it; without one, every memory file."""
    work = given.workspace(root, lang, file)
    skip = work.config.settings.lint.skip_folders
    every = (one.path for one in work.status() if one.lost != "gone" and not closed(one.path, skip))
    files = given.paths(work, root, file) if file else tuple(every)
    page.show([work.show(one) for one in files], as_json=json)


def log(
    file: MaybeFile = "",
    limit: Annotated[
        int | None, Option("--limit", "-n", min=1, help="How many of the last changes.", zh="最近几次改动。")
    ] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the last changes: when, who, why, which files."""
    work = given.workspace(root, lang, file)
    most = limit or work.config.settings.store.list
    found = work.log(given.path(work, root, file) if file else None, limit=most)
    history.log_json(found) if json else history.log_table(found, work, none="no-log-of" if file else "no-log")


def diff(
    what: Annotated[
        str,
        Argument(help="A change's id, or a file; without it, every file.", zh="改动的编号或文件；不写就是所有文件。"),
    ] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show what a change did, or what has become of files since mdmem last wrote them."""
    work = given.workspace(root, lang)
    history.show_diff(work.diff(given.path(work, root, what) if what else None), work.lang, as_json=json)
