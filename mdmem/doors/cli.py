"""The full command line: one verb a journey, each a few lines that parse, call and render."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal

import typer

from mdmem.doors import lint as lint_door
from mdmem.doors import search as search_door
from mdmem.doors.options import LINT, SEARCH, Option
from mdmem.doors.verbs import (
    artifact,
    context,
    given,
    inbox,
    index,
    keep,
    look,
    mend,
    pen,
    pin,
    plan,
    session,
    tool,
    upkeep,
    why,
)  # fmt: skip
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError
from mdmem.workspace import Workspace

app = typer.Typer(
    name="mdmem",
    help="Plain Markdown memory for agents: lint it, change it safely, keep it small.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
hook = typer.Typer(help="The git hook that lints what is staged before each commit.", no_args_is_help=True)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; typer itself exits on usage errors (2) and with a command's own code."""
    app(list(arguments), prog_name="mdmem")
    return 0


def _version(value: bool) -> None:  # noqa: FBT001 - typer's way
    if value:
        from mdmem import __version__

        print(f"mdmem {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # noqa: FBT002 - typer's way
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Plain Markdown memory for agents: lint it, change it safely, keep it small."""


def from_table(options: Sequence[Option], run: Callable[..., int], doc: str) -> Callable[..., None]:
    """Make a typer command of a table of options, so that no option is described twice."""

    def command(**values: Any) -> None:  # noqa: ANN401 - the table says what they are
        raise typer.Exit(run(**values))

    parameters = [_parameter(option) for option in options]
    command.__doc__ = doc
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parameter(option: Option) -> Parameter:
    kind: Any = {"flag": bool, "text": str, "texts": list[str], "number": int}.get(option.type)
    kind = Literal[option.choices] if option.choices else kind
    names = [name for name in (option.flag, option.short) if name]
    given = kind if option.type == "flag" else kind | None
    shape: Any = typer.Option if names else typer.Argument
    annotation: Any = Annotated[given, shape(*names, help=option.help, show_default=False)]
    default = False if option.type == "flag" else None
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


app.command("lint")(from_table(LINT, lint_door.run, "Say what is wrong with memory files, line by line."))
app.command("search")(
    from_table(SEARCH, search_door.run, "Find entries, turns and other text; exit 1 where there is nothing.")
)
for verb in (
    pen.add, pen.remember, pen.today, pen.edit, pen.rm, pen.tick, pen.write, pen.mv,
    look.show, look.log, look.diff,
    keep.compact, context.context,
    mend.undo, mend.restore, mend.recover, mend.doctor, mend.forget,
    why.why,
    upkeep.watch, upkeep.busy, upkeep.trust,
):  # fmt: skip
    app.command(verb.__name__)(verb)
app.add_typer(inbox.app, name="inbox")
app.add_typer(pin.app, name="pin")
app.add_typer(plan.app, name="plan")
app.add_typer(session.app, name="session")
app.add_typer(index.app, name="index")
app.add_typer(tool.app, name="tool")
app.add_typer(artifact.app, name="artifact")
app.add_typer(hook, name="hook")


@app.command()
def init(path: Annotated[str, typer.Argument(help="The folder to begin in.")] = ".", lang: Lang = None) -> None:
    """Write the files that a new workspace begins with; what is there is left alone."""
    from mdmem.doors.render import made

    work = Workspace(path, lang=lang)
    made(work.init(), path, work.lang)


@app.command()
def status(root: Root = "", json: Json = False, lang: Lang = None) -> None:  # noqa: FBT002 - typer's way
    """Show how full each memory file is, what waits for the keeper and what is broken."""
    from mdmem.doors.render import status_json, status_table

    workspace = given.workspace(root, lang)
    found = workspace.status()
    status_json(found) if json else status_table(found, workspace.lang)


@app.command()
def explain(code: Annotated[str, typer.Argument(help="A rule's code or name; none lists all.")] = "") -> None:
    """Explain a rule: what it finds, why, a bad and a good example, and how it is mended."""
    from mdmem.doors.render import page, rules_table

    if not code:
        rules_table()
    elif not page(code):
        raise UsageError(f"no rule is called `{code}`", hint="`mdmem explain` lists them all")


@hook.command("install")
def hook_install() -> None:
    """Write .git/hooks/pre-commit, which lints what is staged; a hook of your own is never replaced."""
    from mdmem.doors.git_hook import install

    print(install("."))


@hook.command("uninstall")
def hook_uninstall() -> None:
    """Take the hook away again, if it is ours."""
    from mdmem.doors.git_hook import uninstall

    print(uninstall("."))
