"""Declares commands: a function is a command, and the annotations of its parameters are its options.

    def tick(entry: Annotated[str, Argument()], root: Root = "") -> int: ...

The help texts stand in `templates/<lang>/help.toml`. The function returns the exit code, or None for 0. Annotations are
read when the command is called or explained, and then of this command alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mdmem.cli.parser.catalog import Verb
from mdmem.cli.parser.options import TABLES, Parameter

Call = Callable[..., int | None]


class Mark(NamedTuple):
    """What an annotation says of a parameter besides its type."""

    flags: tuple[str, ...]
    min: int | None
    metavar: str
    choices: tuple[str, ...] = ()  # where the type does not list them


class Command(NamedTuple):
    """One command: its parameters, and what it does."""

    parameters: Sequence[Parameter]
    call: Call


def Option(  # noqa: N802 - reads as the class that it stands for
    *flags: str,
    min: int | None = None,  # noqa: A002
    metavar: str = "",
    choices: tuple[str, ...] = (),
) -> Mark:
    """Declare an option under its flags."""
    return Mark(flags, min, metavar, choices)


def Argument(*, min: int | None = None, metavar: str = "") -> Mark:  # noqa: A002, N802
    """Declare a positional argument."""
    return Mark((), min, metavar)


class Group:
    """Verbs below a noun, as `mdmem pin add`; `default` is what the noun does alone."""

    def __init__(self) -> None:
        self.default: Command | None = None
        self._declared: dict[str, Call] = {}

    def command(self, name: str = "") -> Callable[[Call], Call]:
        """Declare a verb of this group."""

        def declare(call: Call) -> Call:
            self._declared[name or call.__name__] = call
            return call

        return declare

    def alone(self, call: Call) -> Call:
        """Declare what the noun does without a verb."""
        self.default = made(call)
        return call

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the verbs, in the order of their declaration."""
        return tuple(self._declared)

    def get(self, name: str) -> Command:
        """Return a verb by its name."""
        return made(self._declared[name])


def load(verb: Verb) -> Command | Group:
    """Import the module of a verb, and return what it declares."""
    if table := TABLES.get(verb.name):
        run: Call = import_module(f"mdmem.cli.{verb.name}").run
        return Command(table, run)
    found = getattr(import_module(f"mdmem.cli.commands.{verb.module}"), verb.name)
    return found if isinstance(found, Group) else made(found)


def brief(text: str) -> str:
    """Return what a help says up to its first semicolon."""
    return text.split("; ", maxsplit=1)[0].split("；", maxsplit=1)[0]


def made(call: Call) -> Command:
    """Make a command of a function."""
    return Command(parameters(call), call)


def parameters(call: Call) -> tuple[Parameter, ...]:
    """Read the parameters of a command from its annotations."""
    hints = get_type_hints(call, include_extras=True)
    code: Any = call.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = call.__defaults__ or ()
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return tuple(_parameter(name, hints[name], given) for name in names)


def _parameter(name: str, hint: Any, given: dict[str, Any]) -> Parameter:  # noqa: ANN401 - an annotation may be anything
    bare, mark = get_args(hint)
    choices: tuple[str, ...] = mark.choices
    kind = "choice" if choices else "text"
    for one in (bare, *get_args(bare)):  # `int | None` holds int
        if get_origin(one) is Literal:
            kind, choices = "choice", get_args(one)
        elif get_origin(one) is list:
            kind = "texts"
        elif one in (bool, int):
            kind = "flag" if one is bool else "number"
    return Parameter(name, mark.flags, kind, choices, mark.min, name not in given, given.get(name), mark.metavar)
