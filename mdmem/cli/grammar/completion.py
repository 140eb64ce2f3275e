"""What the shell completes beyond the words of the grammar: names of this workspace, each with what it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from typer import Context

from mdmem.errors import MdmemError

if TYPE_CHECKING:
    from mdmem import Workspace

Item = tuple[str, str]  # a word, and what it is
_FEW = 50  # sessions that are offered, the newest first
_MEANT_BY_SHELLS = re.compile(r"[\s\"'`$\\;&|<>(){}\[\]*?!~\x00-\x1f\x7f]")


def _completer(names: Callable[[Workspace, Context], Iterator[Item]]) -> Callable[[Context, str], list[Item]]:
    """Return the function that typer calls; where the names cannot be read, nothing is offered."""

    @wraps(names)
    def offered(ctx: Context, incomplete: str) -> list[Item]:
        found: list[Item] = []
        with suppress(MdmemError, OSError):
            found += (item for item in names(_workspace(ctx), ctx) if item[0].startswith(incomplete))
        # a shell enters the word as it is, and zsh evaluates the text: nothing of a folder may mean something to it
        return [(word, _MEANT_BY_SHELLS.sub(" ", about)) for word, about in found if not _MEANT_BY_SHELLS.search(word)]

    offered.__annotations__ = {"ctx": Context, "incomplete": str}
    del offered.__wrapped__  # typer reads the parameters of this function
    return offered


def _workspace(ctx: Context) -> Workspace:
    from mdmem import Workspace

    folder = os.path.dirname(str(ctx.params.get("file") or ""))
    root = _given(ctx, "root")
    start = folder if os.path.isdir(folder) else "."
    return Workspace(root, lang=_given(ctx, "lang")) if root else Workspace.find(start, lang=_given(ctx, "lang"))


def _given(ctx: Any, name: str) -> Any:  # noqa: ANN401 - typer's context; the value of any option
    """Return the value of an option, behind or before the verb."""
    while ctx is not None:
        if ctx.params.get(name):
            return ctx.params[name]
        ctx = ctx.parent
    return None


@_completer
def memory_files(work: Workspace, ctx: Context) -> Iterator[Item]:
    """Yield the memory files and the kinds; a file as its path from the current folder, unless `--root` is given."""
    for one in work.status():
        here = one.path if _given(ctx, "root") else os.path.relpath(os.path.join(work.root, one.path))
        yield here.replace(os.sep, "/"), one.kind
    yield from ((kind, "") for kind in work.config.schemas.kinds)


@_completer
def kinds(work: Workspace, _: Context) -> Iterator[Item]:
    """Yield the kinds of memory files."""
    yield from ((kind, "") for kind in work.config.schemas.kinds)


@_completer
def sections(work: Workspace, ctx: Context) -> Iterator[Item]:
    """Yield the sections of the file that stands before, each by a name without blanks where it has one."""
    template = work.config.schemas.match(work.file(str(ctx.params.get("file") or "memory")))
    if template is None:
        return
    for spec in template.sections:
        names = (spec.name, *(alias for alias, name in template.aliases.items() if name == spec.name))
        yield next((name for name in names if " " not in name), spec.name), spec.name


@_completer
def entries(work: Workspace, ctx: Context) -> Iterator[Item]:
    """Yield the keys of the entries of the file that stands before, each with its text."""
    for section in work.show(work.file(str(ctx.params.get("file") or "memory"))).sections:
        yield from ((entry.key, entry.text) for entry in section.entries)


@_completer
def sessions(work: Workspace, _: Context) -> Iterator[Item]:
    """Yield the ids of the newest sessions, each with its task."""
    yield from ((one.id, one.task) for one in work.sessions.list(limit=_FEW))


@_completer
def steps(work: Workspace, ctx: Context) -> Iterator[Item]:
    """Yield the numbers of the plan's steps, each with its text."""
    yield from ((one.number, one.text) for one in work.plan.show(agent=_given(ctx, "agent")).steps)


@_completer
def recipes(work: Workspace, _: Context) -> Iterator[Item]:
    """Yield the names of the recipes."""
    yield from ((name, "") for name in work.recipes().recipes)


@_completer
def settings(work: Workspace, _: Context) -> Iterator[Item]:
    """Yield the keys of the settings, each with its value."""
    yield from ((one.key, str(one.value)) for one in work.settings(every=True))


@_completer
def rules(work: Workspace, _: Context) -> Iterator[Item]:
    """Yield the codes of the rules, each with its title."""
    from mdmem import RULES
    from mdmem.messages.catalog import say

    yield from ((rule.code, say(work.lang, f"rules.{rule.code}.title")) for rule in RULES)
