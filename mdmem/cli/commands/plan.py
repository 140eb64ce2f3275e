"""`mdmem plan`: show and change the steps of the task plan."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.parameters import DryRun, Json, Lang, Root
from mdmem.cli.outcome import print_outcome
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import TaskPlan


def print_plan(plan: TaskPlan, lang: str, *, as_json: bool) -> None:
    """Print a plan as a numbered list with the current step marked, or as one JSON object."""
    paint = Paint(sys.stdout)
    if as_json:
        current = plan.current.number if plan.current else None
        output.json(asdict(plan) | {"current": current})
        return
    if not plan.steps:
        print(say(lang, "cli.no-plan"))
        return
    print(f"{paint('path', safe(plan.path))}{paint('dim', f'  {safe(plan.phase)}' if plan.phase else '')}")
    wide = max(len(step.number) + 2 * step.number.count(".") for step in plan.steps)
    for step in plan.steps:
        mark = paint("good", "✓") if step.done else paint("warning", "→") if step.current else " "
        number = f"{'  ' * step.number.count('.')}{step.number}".ljust(wide)
        text = safe(step.text)
        shown = paint("dim", text) if step.done else paint("bold", text) if step.current else text
        print(f"{mark} {paint('dim', number)}  {shown}")


plan = Verbs(default="show")

Agent = Annotated[str, Option("--agent")]
Step = Annotated[str, Argument(autocompletion=completion.steps)]
Steps = Annotated[list[str], Argument(autocompletion=completion.steps)]


@plan.command(hidden=True)
def show(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print the plan."""
    work = parameters.workspace(root, lang)
    print_plan(work.plan.show(agent=agent or None), work.lang, as_json=json)


@plan.command()
def add(
    texts: Annotated[list[str], Argument()],
    after: Annotated[str, Option("--after", autocompletion=completion.steps)] = "",
    under: Annotated[str, Option("--under", autocompletion=completion.steps)] = "",
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add steps after or below another one, or at the end."""
    work = parameters.workspace(root, lang)
    done = work.plan.add(texts, after=after, under=under, agent=agent or None)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@plan.command()
def done(step: Step = ".", agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Mark a step as done, and move the pointer to the next."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan.done(step, agent=agent or None), work.lang, as_json=json)


@plan.command("next")
def next_(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Move the pointer to the next open step, nested ones included; the current step stays open."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan.next(agent=agent or None), work.lang, as_json=json)


@plan.command()
def goto(step: Step, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Move the pointer to a step; steps that are to be done again are reopened."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan.goto(step, agent=agent or None), work.lang, as_json=json)


@plan.command()
def move(
    step: Step,
    to: Annotated[str, Argument()],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Move a step with its nested steps."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan.move(step, to, agent=agent or None), work.lang, as_json=json, diff=True)


@plan.command()
def remove(
    steps: Steps, dry_run: DryRun = False, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Remove steps with their nested steps; they go to the archive."""
    work = parameters.workspace(root, lang)
    gone = work.plan.remove(steps, agent=agent or None, dry_run=dry_run)
    return print_outcome(gone, work.lang, as_json=json, diff=True)


@plan.command()
def phase(
    name: Annotated[str, Argument()],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Set the phase of the task."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan.phase(name, agent=agent or None), work.lang, as_json=json)
