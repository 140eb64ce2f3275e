"""The entry point of the command line: find the verb, import its module, parse its options, and call it.

Everything that `lint` and `search` do not need is imported when it is called, to keep their start short.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mdmem.cli.parser.options import GLOBAL, TABLES, leading, parse
from mdmem.cli.parser.usage import nearest, usage_error
from mdmem.errors import ExitCode, MdmemError

if TYPE_CHECKING:
    from mdmem.cli.parser.declare import Command, Group

_HELP = {"--help", "-h"}
_VERSION = {"--version", "-V"}


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    at = leading(GLOBAL, arguments)
    before, rest = arguments[:at], arguments[at:]
    if _VERSION.intersection(before):
        from mdmem import __version__

        print(f"mdmem {__version__}")
        return ExitCode.OK
    if not rest or _HELP.intersection(before):
        prepare(parse(GLOBAL, before, "help"))
        explain(rest)
        return ExitCode.OK if _HELP.intersection(before) else ExitCode.USAGE
    if rest[:2] == ["hook", "run"] and not _HELP.intersection(rest):
        from mdmem.cli.agent_hook import answer

        return answer([*before, *rest[2:]])
    if rest[0] in TABLES:
        return _quick(rest[0], [*before, *rest[1:]])
    from mdmem.cli.parser.declare import Group

    path, found, words = resolve([rest[0], *before, *rest[1:]])
    if isinstance(found, Group):
        explain(path)
        return ExitCode.OK if _HELP.intersection(words) else ExitCode.USAGE
    values = parse(found.parameters, words, " ".join(path))
    if prepare(values):
        explain(path)
        return ExitCode.OK
    from mdmem.cli.parser.parameters import keep_settings

    try:
        return found.call(**values) or ExitCode.OK
    finally:
        keep_settings()


def _quick(name: str, words: Sequence[str]) -> int:
    """Run a verb of `TABLES` without importing the catalog of verbs or reading annotations."""
    values = parse(TABLES[name], words, name)
    if prepare(values):
        explain([name])
        return ExitCode.OK
    return int(import_module(f"mdmem.cli.{name}").run(**values))


def resolve(words: Sequence[str]) -> tuple[list[str], Command | Group, list[str]]:
    """Return the path of the command that a command line names, the command, and the remaining words.

    Raises:
        UsageError: there is no such verb.
    """
    from mdmem.cli.parser.declare import Command, load
    from mdmem.cli.parser.verbs import VERBS

    name, *rest = words
    if name not in VERBS:
        raise _unknown(name)
    found = load(VERBS[name])
    if isinstance(found, Command):
        return [name], found, rest
    at = leading((*(found.default.parameters if found.default else ()), *GLOBAL), rest)
    if at == len(rest):
        return [name], found if _HELP.intersection(rest) else found.default or found, rest
    below = rest[at]
    if below not in found.names and found.default and any(not one.flags for one in found.default.parameters):
        return [name], found.default, rest
    if below not in found.names:
        raise usage_error(
            "no-subverb", nearest(below, found.names), group=name, verb=below, verbs=", ".join(found.names)
        )
    return [name, below], found.get(below), [*rest[:at], *rest[at + 1 :]]


def prepare(values: dict[str, Any]) -> bool:
    """Remove and apply the options of every command; return whether help is asked for."""
    color, wanted = values.pop("color"), values.pop("help")
    if color:
        from mdmem.cli.terminal import choose

        choose(color)
    return bool(wanted)


def explain(words: Sequence[str]) -> None:
    """Print the help of mdmem, or of the command that the words name."""
    from mdmem.cli.help import Help
    from mdmem.cli.language import current_language
    from mdmem.cli.parser.declare import Command, Group, load
    from mdmem.cli.parser.verbs import VERBS
    from mdmem.cli.terminal import Paint

    page = Help(current_language(), Paint(sys.stdout))
    if not words:
        print("\n".join(page.overview()))
        return
    path, found, _ = resolve(words)
    if isinstance(found, Command) and isinstance(whole := load(VERBS[path[0]]), Group) and len(path) == 1:
        found = whole  # a noun with a command of its own: its help lists its verbs too
    lines = page.group(path[0], found) if isinstance(found, Group) else page.command(path, found)
    print("\n".join(lines))


def _unknown(name: str) -> MdmemError:
    from mdmem.cli.parser.verbs import HABITS, VERBS

    return usage_error("no-verb", HABITS.get(name) or nearest(name, tuple(VERBS)), verb=name)
