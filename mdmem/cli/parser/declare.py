"""Declare commands: a function is a command, and the annotations of its parameters are its options.

    def tick(entry: Annotated[str, Argument()], root: Root = "") -> int: ...

The help texts are in `templates/<lang>/help.toml`. The function returns the exit code, or None for 0. Its annotations
are read when this command is called or its help is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mdmem.cli.parser.options import TABLES, Parameter
from mdmem.cli.parser.verbs import Verb

Call = Callable[..., int | None]


class Mark(NamedTuple):
    """The facts of a parameter that its annotation adds to the type."""

    flags: tuple[str, ...]
    min: int | None
    metavar: str
    choices: tuple[str, ...] = ()  # if the type does not list them


class Command(NamedTuple):
    """One command: its parameters and its function."""

    parameters: Sequence[Parameter]
    call: Call


def Option(  # noqa: N802 - used like a class
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
    """The verbs below a noun, as in `mdmem pin add`; `default` is the command of the noun without a verb."""

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
        """Declare the command of the noun without a verb."""
        self.default = command_of(call)
        return call

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the verbs, in the order of their declaration."""
        return tuple(self._declared)

    def get(self, name: str) -> Command:
        """Return a verb by its name."""
        return command_of(self._declared[name])


def load(verb: Verb) -> Command | Group:
    """Import the module of a verb, and return its command or group."""
    if table := TABLES.get(verb.name):
        run: Call = import_module(f"mdmem.cli.{verb.name}").run
        return Command(table, run)
    name = f"{verb.name}_" if iskeyword(verb.name) else verb.name
    found = getattr(import_module(f"mdmem.cli.commands.{verb.module}"), name)
    return found if isinstance(found, Group) else command_of(found)


def brief(text: str) -> str:
    """Return a help text up to its first semicolon."""
    return text.split("; ", maxsplit=1)[0].split("；", maxsplit=1)[0]


def command_of(call: Call) -> Command:
    """Return the command of a function."""
    return Command(parameters(call), call)


def parameters(call: Call) -> tuple[Parameter, ...]:
    """Return the parameters of a function, read from its annotations."""
    hints = get_type_hints(call, include_extras=True)
    code: Any = call.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = call.__defaults__ or ()
    default_of = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return tuple(_parameter(name, hints[name], default_of) for name in names)


def _parameter(name: str, hint: Any, default_of: dict[str, Any]) -> Parameter:  # noqa: ANN401 - an annotation may be anything
    bare, mark = get_args(hint)
    choices: tuple[str, ...] = mark.choices
    kind = "choice" if choices else "text"
    for part in (bare, *get_args(bare)):  # `int | None` contains int
        if get_origin(part) is Literal:
            kind, choices = "choice", get_args(part)
        elif get_origin(part) is list:
            kind = "texts"
        elif part in (bool, int):
            kind = "flag" if part is bool else "number"
    return Parameter(
        name, mark.flags, kind, choices, mark.min, name not in default_of, default_of.get(name), mark.metavar
    )
