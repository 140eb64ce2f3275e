"""What the shell completes beyond the words of the grammar: names of this workspace, each with what it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, cast

from typer import Context

from mdmem.errors import MdmemError

if TYPE_CHECKING:
    from mdmem.cli.grammar.call import Call

Item = tuple[str, str]  # a word, and what it is
_FEW = 50  # sessions that are offered, the newest first
_MEANT_BY_SHELLS = re.compile(r"[\s\"'`$\\;&|<>(){}\[\]*?!~\x00-\x1f\x7f]")


def _completer(names: Callable[[Call], Iterator[Item]]) -> Callable[[Context, str], list[Item]]:
    """Return the function that typer calls; where the names cannot be read, nothing is offered."""

    @wraps(names)
    def offered(ctx: Context, incomplete: str) -> list[Item]:
        found: list[Item] = []
        with suppress(MdmemError, OSError):
            found += (item for item in names(cast("Call", ctx)) if item[0].startswith(incomplete))
        # a shell enters the word as it is, and zsh evaluates the text: nothing of a folder may mean something to it
        return [(word, _MEANT_BY_SHELLS.sub(" ", about)) for word, about in found if not _MEANT_BY_SHELLS.search(word)]

    offered.__annotations__ = {"ctx": Context, "incomplete": str}
    del offered.__wrapped__  # typer reads the parameters of this function
    return offered


@_completer
def memory_files(call: Call) -> Iterator[Item]:
    """Yield the memory files and the kinds; a file as its path from the current folder, unless `--root` is given."""
    for one in call.work.status():
        here = one.path if call.root else os.path.relpath(os.path.join(call.work.root, one.path))
        yield here.replace(os.sep, "/"), one.kind
    yield from ((kind, "") for kind in call.work.config.schemas.kinds)


@_completer
def kinds(call: Call) -> Iterator[Item]:
    """Yield the kinds of memory files."""
    yield from ((kind, "") for kind in call.work.config.schemas.kinds)


@_completer
def sections(call: Call) -> Iterator[Item]:
    """Yield the sections of the file that stands before, each by a name without blanks where it has one."""
    template = call.work.config.schemas.match(call.work.file(call.params.get("file") or "memory"))
    if template is None:
        return
    for spec in template.sections:
        names = (spec.name, *(alias for alias, name in template.aliases.items() if name == spec.name))
        yield next((name for name in names if " " not in name), spec.name), spec.name


@_completer
def entries(call: Call) -> Iterator[Item]:
    """Yield the keys of the entries of the file that stands before, each with its text."""
    for section in call.work.show(call.work.file(call.params.get("file") or "memory")).sections:
        yield from ((entry.key, entry.text) for entry in section.entries)


@_completer
def sessions(call: Call) -> Iterator[Item]:
    """Yield the ids of the newest sessions, each with its task."""
    yield from ((one.id, one.task) for one in call.work.sessions.list(limit=_FEW))


@_completer
def steps(call: Call) -> Iterator[Item]:
    """Yield the numbers of the plan's steps, each with its text."""
    yield from ((one.number, one.text) for one in call.work.plan.show(agent=call.params.get("agent") or None).steps)


@_completer
def recipes(call: Call) -> Iterator[Item]:
    """Yield the names of the recipes."""
    yield from ((name, "") for name in call.work.recipes().recipes)


@_completer
def settings(call: Call) -> Iterator[Item]:
    """Yield the keys of the settings, each with its value."""
    yield from ((one.key, str(one.value)) for one in call.work.settings(every=True))


@_completer
def rules(call: Call) -> Iterator[Item]:
    """Yield the codes of the rules, each with its title."""
    from mdmem import RULES
    from mdmem.messages.catalog import say

    yield from ((rule.code, say(call.work.lang, f"rules.{rule.code}.title")) for rule in RULES)
