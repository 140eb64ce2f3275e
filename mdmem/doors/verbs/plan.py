"""`mdmem plan`: the TODO list of a task, stepped through; the mark and the instruction pointer always agree."""

from __future__ import annotations

from typing import Annotated

import typer

from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, Json, Lang, Root

app = typer.Typer(help="The plan of a task: its TODO list, stepped through like a program.")

_STEP = "A step: its number (2, or 2.1), `.` for the current one, or a piece of its text."
Agent = Annotated[str, typer.Option("--agent", help="Whose plan: that of agents/NAME or .notes/NAME.")]
Step = Annotated[str, typer.Argument(help=_STEP)]
Steps = Annotated[list[str], typer.Argument(help=_STEP)]


@app.callback(invoke_without_command=True)
def show(context: typer.Context, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show the plan and where it stands, or change it."""
    if context.invoked_subcommand is None:
        from mdmem.doors import plans

        work = given.workspace(root, lang)
        plans.show(work.plan(agent=agent or None), work.lang, as_json=json)


@app.command()
def add(
    texts: Annotated[list[str], typer.Argument(help="What is to be done, one text for each step.")],
    after: Annotated[str, typer.Option("--after", help=f"Behind this step. {_STEP}")] = "",
    under: Annotated[str, typer.Option("--under", help="Below this step, as its last steps.")] = "",
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Add steps; without a place, at the end."""
    work = given.workspace(root, lang)
    done = work.plan_add(texts, after=after, under=under, agent=agent or None)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


@app.command()
def done(step: Step = ".", agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Mark a step as done, and go on with the next."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.plan_done(step, agent=agent or None), work.lang, as_json=json))


@app.command("next")
def next_(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Go on to the next open step, into those below too; the current one stays open."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.plan_next(agent=agent or None), work.lang, as_json=json))


@app.command()
def goto(step: Step, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Jump to a step; what is to be done again is open again."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.plan_goto(step, agent=agent or None), work.lang, as_json=json))


@app.command()
def move(
    step: Step,
    to: Annotated[str, typer.Argument(help="The number that it bears afterwards.")],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Move a step, with all below it."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.plan_move(step, to, agent=agent or None), work.lang, as_json=json, diff=True))


@app.command()
def remove(
    steps: Steps, dry_run: DryRun = False, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Take steps out, with all below them; they go to the archive."""
    work = given.workspace(root, lang)
    gone = work.plan_remove(steps, agent=agent or None, dry_run=dry_run)
    raise typer.Exit(tell(gone, work.lang, as_json=json, diff=True))


@app.command()
def phase(
    name: Annotated[str, typer.Argument(help="planning, executing, verifying, waiting, blocked or done.")],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Say which phase the task is in."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.plan_phase(name, agent=agent or None), work.lang, as_json=json))
