"""The typer application: verbs are typed functions, and only the module of the one that is called is imported.

    @pin.command()
    def remove(call: Call, ids: Annotated[list[str], Argument()]) -> int: ...

The texts of `--help` are in `templates/<lang>/help.toml`, by the name of the command and of the parameter. They are set
for the language of the call when a command is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any, cast

from typer import Exit, Option, Typer, echo
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Color, Json, Lang, Root, User, Wide
from mdmem.cli.grammar.refusals import flags_of, refuse_one_dash, refused
from mdmem.cli.grammar.strange_words import meant_below, no_verb, one_too_many
from mdmem.cli.grammar.synopsis import path_of
from mdmem.cli.grammar.verbs import VERBS, VERBS_OF_NOUNS, Verb
from mdmem.cli.language import current_language
from mdmem.cli.usage import nearest, usage_error
from mdmem.errors import ExitCode
from mdmem.messages.catalog import label, say

Function = Callable[..., int | None]
AnyContext = Any  # typer's, whose class is private
_HELP = {"help_option_names": ["--help", "-h"]}
_IN_THE_CALL = frozenset(("root", "json", "lang", "user"))
_QUESTION = "words"  # an argument in which `-word` leaves a word out
_TEXT = "\0"  # before a text that begins with a bullet, which would be taken for an option; no argument has a NUL


class Helped:
    """A verb or a noun whose help is a page in the language of the call."""

    def get_help_option(self, ctx: AnyContext) -> TyperOption | None:
        """Return typer's option `--help` with our text."""
        option: TyperOption | None = super().get_help_option(ctx)  # type: ignore[misc]  # typer's
        if option is not None:
            option.help = say(current_language(), "help.option.help")
        return option

    def get_help(self, ctx: AnyContext) -> str:
        from mdmem.cli.grammar.help_page import help_page  # loads rich

        return help_page(cast("TyperCommand", self), ctx, current_language())


class VerbCommand(Helped, TyperCommand):
    """A verb: takes the options of every verb, and texts that begin with a bullet.

    A function that names `--root`, `--json`, `--lang` or `--user` itself gets no other one of these.
    """

    context_class = Call
    allow_extra_args = True  # refused by `parse_args`, in the language of the call

    def __init__(self, *arguments: Any, params: list[Any] | None = None, **settings: Any) -> None:  # noqa: ANN401 - typer's
        self._own = {one.name for one in params or ()}
        left_out = _IN_THE_CALL if self._own & _IN_THE_CALL else ()
        common = (one for one in _common() if one.name not in left_out)
        super().__init__(*arguments, params=[*(params or ()), *common], **settings)

    def invoke(self, ctx: AnyContext) -> Any:  # noqa: ANN401 - the function's
        """Call the function with its own parameters; the options of every verb are in the call."""
        return ctx.invoke(self.callback, **{name: value for name, value in ctx.params.items() if name in self._own})

    def parse_args(self, ctx: AnyContext, args: list[str]) -> list[str]:
        """Parse the words behind the verb; a word that begins with a bullet is a text."""
        refuse_one_dash(ctx, args)
        with refused(ctx, args):
            left = super().parse_args(ctx, [f"{_TEXT}{word}" if self._is_text(ctx, word) else word for word in args])
        ctx.params = {name: _unmarked(value) for name, value in ctx.params.items()}
        if left and not ctx.resilient_parsing:
            raise one_too_many(ctx, [word.removeprefix(_TEXT) for word in left], args)
        return left

    def _is_text(self, ctx: AnyContext, word: str) -> bool:
        """Return whether a word that begins with a dash is no option: a bullet, or `-word` of a question."""
        if not word.startswith("-") or word.startswith("- "):
            return word.startswith("- ")
        if _QUESTION not in self._own or word[1:].isdecimal() or (word.isascii() and len(word) == len("-n")):
            return False
        return word[1:2].isalnum() and not (word[:2] in flags_of(ctx) and word[2:].isdecimal())


class Verbs:
    """The verbs below a noun, as in `mdmem pin add`; `default` is the verb that is meant if none is named."""

    def __init__(self, default: str = "") -> None:
        self.default = default
        self.functions: dict[str, Function] = {}
        self.hidden: set[str] = set()  # the verbs that no help lists

    def command(self, name: str | None = None, *, hidden: bool = False) -> Callable[[Function], Function]:
        """Declare a verb of this noun; without a name it is called as its function is."""

        def declared(function: Function) -> Function:
            own = name or function.__name__.replace("_", "-")
            self.functions[own] = function
            self.hidden |= {own} if hidden else set()
            return function

        return declared


class VerbGroup(Helped, TyperGroup):
    """A noun; the command of a verb below it is built when it is asked for."""

    verbs = Verbs()

    @property
    def default(self) -> str:
        """The verb that is meant if none is named."""
        return self.verbs.default

    def parse_args(self, ctx: AnyContext, args: list[str]) -> list[str]:
        """Parse the words behind the noun; if they name no verb, the default one is meant, or else the help."""
        first = self._first(ctx, args)
        if self._is_for_default(ctx, first):
            args = [self.default, *args]
        with refused(ctx, args):
            left = super().parse_args(ctx, args)
        if not (first or self.default or ctx.resilient_parsing):
            echo(self.get_help(ctx), color=ctx.color)
            raise Exit(ExitCode.USAGE)
        return left

    def _is_for_default(self, ctx: AnyContext, first: str) -> bool:
        """Return whether the words are those of the default verb; a word that it cannot take is no verb."""
        if not self.default or ctx.resilient_parsing or first in (*self.verbs.functions, *ctx.help_option_names):
            return False
        if first and meant_below(path_of(ctx), (first,), self.list_commands(ctx)):
            return False
        takes_words = any(one.param_type_name == "argument" for one in self.get_command(ctx, self.default).params)
        return not first or first.startswith("-") or (takes_words and first not in VERBS_OF_NOUNS)

    def _first(self, ctx: AnyContext, args: Sequence[str]) -> str:
        """Return the first word that is no option of the noun, or the option with which its help is asked for."""
        options = {flag: one for one in self.get_params(ctx) for flag in one.opts}
        words = iter(args)
        for word in words:
            option = options.get(word.partition("=")[0])
            if not word.startswith("-") or option is None:
                return word
            if option.name == "help":
                return word
            if "=" not in word and not getattr(option, "is_flag", False):
                next(words, None)
        return ""

    def resolve_command(self, ctx: AnyContext, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the verb that the words name, or an error that lists the verbs of this noun."""
        if args[0] not in self.verbs.functions and not ctx.resilient_parsing:
            names = self.list_commands(ctx)
            if args[0] == "set" and self.name == "config":
                raise usage_error("no-set")
            known = meant_below(path_of(ctx), args, names, self.default) or nearest(args[0], names)
            if not known and args[0] in VERBS:  # it is one of mdmem itself
                known = f"mdmem {args[0]}"
            elif not known and "show" in names:  # a name stands where a verb belongs
                known = f"show {args[0]}"
            raise usage_error("no-subverb", known, group=path_of(ctx), verb=args[0], verbs=", ".join(names))
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: AnyContext) -> list[str]:  # noqa: ARG002 - typer's
        return [name for name in self.verbs.functions if name not in self.verbs.hidden]

    def get_command(self, ctx: AnyContext, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - typer's
        """Return the command of a verb; None if there is no such verb."""
        if cmd_name not in self.commands and cmd_name in self.verbs.functions:
            command = self.commands[cmd_name] = _command(self.verbs.functions[cmd_name], (str(self.name), cmd_name))
            command.hidden = cmd_name in self.verbs.hidden
        return self.commands.get(cmd_name)


class Program(VerbGroup):
    """`mdmem` itself: imports the module of a verb when it is called, and lists the verbs without importing any."""

    show_all = False

    def list_commands(self, ctx: AnyContext) -> list[str]:  # noqa: ARG002 - typer's
        return list(VERBS)

    def get_command(self, ctx: AnyContext, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - typer's
        """Return the name and description of a verb, for a list; its function is not imported."""
        return TyperCommand(cmd_name, short_help=brief(_about((cmd_name,)))) if cmd_name in VERBS else None

    def resolve_command(self, ctx: AnyContext, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the verb that the words name."""
        name, *rest = args
        if name in VERBS:
            return name, load(VERBS[name]), rest
        if ctx.resilient_parsing:
            return None, None, rest
        raise no_verb(name)

    def get_help(self, ctx: AnyContext) -> str:
        from mdmem.cli.grammar.help_page import overview

        return overview(self, ctx, current_language(), every=self.show_all)


def run(arguments: Sequence[str], *, show_all: bool = False) -> int:
    """Run a command line and return its exit code; `show_all` lists all verbs in the help of mdmem.

    Raises:
        UsageError: the words cannot be parsed.
    """
    program = cast("Program", get_command(Typer(cls=Program, callback=_before_a_verb, context_settings=_HELP)))
    program.params[1:1] = _common_but_wide()  # behind `--version`
    program.callback = None  # it declares `--version` only
    program.show_all = show_all
    program.help = "\n".join(say(current_language(), f"cli.help.{key}") for key in ("about", "more"))
    _explain_parameters(program.params, ())
    try:
        return int(program.main([*arguments], prog_name="mdmem", standalone_mode=False) or ExitCode.OK)
    except SystemExit as left:  # typer leaves so when the reader of a pipe is gone
        if isinstance(left.__context__, BrokenPipeError):
            raise left.__context__ from None
        raise


def load(verb: Verb) -> VerbCommand | VerbGroup:
    """Import the module of a verb, and return its command or group with its texts."""
    name = f"{verb.name}_" if iskeyword(verb.name) else verb.name
    found = getattr(import_module(f"mdmem.cli.commands.{verb.module}"), name)
    if not isinstance(found, Verbs):
        return _command(found, (verb.name,))
    noun = VerbGroup(name=verb.name, params=list(_common_but_wide()))
    noun.verbs = found
    _explain(noun, (verb.name,))
    return noun


def _command(function: Function, path: tuple[str, ...]) -> VerbCommand:
    """Return the command of a function with its texts; `path` is the verb, behind its noun if it has one."""
    alone = Typer(add_completion=False)
    alone.command(path[-1], cls=VerbCommand)(function)
    command = cast("VerbCommand", get_command(alone))
    _explain(command, path)
    return command


def brief(text: str) -> str:
    """Return the first line of a help text up to a semicolon, without a full stop."""
    return text.partition("\n")[0].split("; ", maxsplit=1)[0].split("；", maxsplit=1)[0].rstrip(".。")


def _explain(command: VerbCommand | VerbGroup, path: tuple[str, ...]) -> None:
    """Set the texts of a command and of its parameters."""
    command.help = _about(path)
    command.short_help = brief(command.help)
    _explain_parameters(command.params, path)


def _explain_parameters(parameters: Sequence[Any], path: Sequence[str]) -> None:
    """Set the texts of parameters: those of their verb, of its noun, or the common ones."""
    scopes = [".".join(path), *path[:1], "option"]
    for one in parameters:
        found = (label(current_language(), f"help.{scope}.{one.name}", "") for scope in scopes if scope)
        choices = ", ".join(map(str, one.type_descriptor.choices or ()))
        one.help = next(filter(None, found), "").replace("{choices}", choices)


def _about(path: Sequence[str]) -> str:
    """Return the description of a command; a verb that is its noun's default has that of the noun."""
    lang, key = current_language(), f"help.{'.'.join(path)}.about"
    return say(lang, key if label(lang, key, "") else f"help.{path[0]}.about")


def _unmarked(value: Any) -> Any:  # noqa: ANN401 - any value of an option
    if isinstance(value, str):
        return value.removeprefix(_TEXT)
    return type(value)(map(_unmarked, value)) if isinstance(value, list | tuple) else value


def _print_version(value: bool) -> None:  # noqa: FBT001 - typer calls it
    if value:
        from mdmem import __version__

        print(f"mdmem {__version__}")
        raise Exit


def _on_a_verb(
    root: Root = "", json: Json = False, lang: Lang = None, user: User = "", color: Color = None, wide: Wide = False
) -> None:
    """Declare the options of every verb."""


def _before_a_verb(
    version: Annotated[bool, Option("--version", "-V", is_eager=True, callback=_print_version)] = False,
) -> None:
    """Declare the option that may stand before the verb only."""


@cache
def _common() -> tuple[TyperOption, ...]:
    """Return the options of every verb."""
    app = Typer(add_completion=False)
    app.command()(_on_a_verb)
    return tuple(cast("list[TyperOption]", get_command(app).params))


def _common_but_wide() -> tuple[TyperOption, ...]:
    """Return the options of every verb that may also stand before it."""
    return tuple(one for one in _common() if one.name != "wide")
