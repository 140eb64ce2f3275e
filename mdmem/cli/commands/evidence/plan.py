"""`mdmem plan`: show and change the steps of the task plan. `mdmem handoff`: hand it over to another agent."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import completion
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Actor, Agent, DryRun

if TYPE_CHECKING:
    from mdmem import TaskPlan


def print_plan(call: Call, plan: TaskPlan) -> None:
    """Print a plan as a numbered list with the current step marked, or as one JSON object."""
    if call.json:
        current = plan.current.number if plan.current else None
        output.json(asdict(plan) | {"current": current})
        return
    if not plan.steps:
        print(call.say("cli.no-plan"))
        return
    paint = Paint(sys.stdout)
    print(f"{paint('path', safe(plan.path))}{paint('dim', f'  {safe(plan.phase)}' if plan.phase else '')}")
    wide = max(len(step.number) + 2 * step.number.count(".") for step in plan.steps)
    for step in plan.steps:
        mark = paint("good", "✓") if step.done else paint("warning", "→") if step.current else " "
        number = f"{'  ' * step.number.count('.')}{step.number}".ljust(wide)
        text = safe(step.text)
        shown = paint("dim", text) if step.done else paint("bold", text) if step.current else text
        print(f"{mark} {paint('dim', number)}  {shown}")
    for other in plan.others:
        print(safe(other.told(call.work.lang)), file=sys.stderr)


plan = Verbs(default="show")

Step = Annotated[str, Argument(autocompletion=completion.steps)]
Steps = Annotated[list[str], Argument(autocompletion=completion.steps)]


@plan.command(hidden=True)
def show(call: Call, agent: Agent = "", actor: Actor = "user") -> None:
    """Print the plan."""
    print_plan(call, call.work.plan.show(agent=agent or None, actor=actor))


@plan.command()
def add(
    call: Call,
    texts: Annotated[list[str], Argument()],
    after: Annotated[str, Option("--after", autocompletion=completion.steps)] = "",
    under: Annotated[str, Option("--under", autocompletion=completion.steps)] = "",
    agent: Agent = "",
    actor: Actor = "user",
) -> int:
    """Add steps after or below another one, or at the end."""
    return call.print(call.work.plan.add(texts, after=after, under=under, agent=agent or None, actor=actor))


@plan.command()
def done(call: Call, step: Step = ".", agent: Agent = "", actor: Actor = "user") -> int:
    """Mark a step as done, and move the pointer to the next."""
    return call.print(call.work.plan.done(step, agent=agent or None, actor=actor), diff=False)


@plan.command("next")
def next_(call: Call, agent: Agent = "", actor: Actor = "user") -> int:
    """Move the pointer to the next open step, nested ones included; the current step stays open."""
    return call.print(call.work.plan.next(agent=agent or None, actor=actor), diff=False)


@plan.command()
def goto(call: Call, step: Step, agent: Agent = "", actor: Actor = "user") -> int:
    """Move the pointer to a step; steps that are to be done again are reopened."""
    return call.print(call.work.plan.goto(step, agent=agent or None, actor=actor), diff=False)


@plan.command()
def move(call: Call, step: Step, to: Annotated[str, Argument()], agent: Agent = "", actor: Actor = "user") -> int:
    """Move a step with its nested steps."""
    return call.print(call.work.plan.move(step, to, agent=agent or None, actor=actor))


@plan.command()
def remove(call: Call, steps: Steps, dry_run: DryRun = False, agent: Agent = "", actor: Actor = "user") -> int:
    """Remove steps with their nested steps; they go to the archive."""
    return call.print(call.work.plan.remove(steps, agent=agent or None, dry_run=dry_run, actor=actor))


@plan.command()
def phase(call: Call, name: Annotated[str, Argument()], agent: Agent = "", actor: Actor = "user") -> int:
    """Set the phase of the task."""
    return call.print(call.work.plan.phase(name, agent=agent or None, actor=actor), diff=False)


def handoff(
    call: Call,
    giver: Annotated[str, Argument()],
    receiver: Annotated[str, Argument()],
    new: Annotated[bool, Option("--new")] = False,
    dry_run: DryRun = False,
) -> int:
    """Write what the next agent needs into one file of its folder."""
    return call.print(call.work.handoff(giver, receiver, new=new, dry_run=dry_run), diff=dry_run)
