"""Shows a plan: its steps with their numbers, the current one marked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from mdmem.cli import output
from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.parameters import DryRun, Json, Lang, Root
from mdmem.cli.terminal import Paint, safe
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem.plan.service import TaskPlan


def print_plan(plan: TaskPlan, lang: str, *, as_json: bool) -> None:
    """Print a plan as a list, or as one JSON object."""
    paint = Paint(sys.stdout)
    if as_json:
        steps = [step._asdict() for step in plan.steps]
        current = plan.current.number if plan.current else None
        output.json(plan._asdict() | {"steps": steps, "current": current})
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


plan = Group()

_STEP = "A step: its number (2, or 2.1), `.` for the current one, or a piece of its text."
_STEP_ZH = "步骤：编号（2 或 2.1），`.` 是当前步骤，或其中一段文字。"
Agent = Annotated[
    str,
    Option(
        "--agent",
        help="Whose plan: that of agents/NAME or .notes/NAME.",
        zh="谁的计划：agents/名字 或 .notes/名字 里的。",
    ),
]
Step = Annotated[str, Argument(help=_STEP, zh=_STEP_ZH)]
Steps = Annotated[list[str], Argument(help=_STEP, zh=_STEP_ZH)]


@plan.alone(zh="显示计划和进度。")
def show(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show the plan and where it stands."""

    work = parameters.workspace(root, lang)
    print_plan(work.plan(agent=agent or None), work.lang, as_json=json)


@plan.command(zh="添加步骤；不写位置就放在最后。")
def add(
    texts: Annotated[
        list[str], Argument(help="What is to be done, one text for each step.", zh="要做的事，一个参数一步。")
    ],
    after: Annotated[str, Option("--after", help="Behind this step.", zh="放在这一步后面。")] = "",
    under: Annotated[
        str, Option("--under", help="Below this step, as its last steps.", zh="放在这一步下面的最后。")
    ] = "",
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add steps; without a place, at the end."""
    work = parameters.workspace(root, lang)
    done = work.plan_add(texts, after=after, under=under, agent=agent or None)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@plan.command(zh="把一步标为完成，接着做下一步。")
def done(step: Step = ".", agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Mark a step as done, and go on with the next."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan_done(step, agent=agent or None), work.lang, as_json=json)


@plan.command("next", zh="转到下一个没做完的步骤，也会进入下级；当前步骤仍算没做完。")
def next_(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Go on to the next open step, into those below too; the current one stays open."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan_next(agent=agent or None), work.lang, as_json=json)


@plan.command(zh="跳到一步；要重做的步骤重新算没做完。")
def goto(step: Step, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Jump to a step; what is to be done again is open again."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan_goto(step, agent=agent or None), work.lang, as_json=json)


@plan.command(zh="移动一步，连同下级步骤。")
def move(
    step: Step,
    to: Annotated[str, Argument(help="The number that it bears afterwards.", zh="移动后的编号。")],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Move a step, with all below it."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan_move(step, to, agent=agent or None), work.lang, as_json=json, diff=True)


@plan.command(zh="去掉步骤，连同下级；放进归档。")
def remove(
    steps: Steps, dry_run: DryRun = False, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Take steps out, with all below them; they go to the archive."""
    work = parameters.workspace(root, lang)
    gone = work.plan_remove(steps, agent=agent or None, dry_run=dry_run)
    return print_outcome(gone, work.lang, as_json=json, diff=True)


@plan.command(zh="说明任务在哪个阶段。")
def phase(
    name: Annotated[
        str,
        Argument(
            help="planning, executing, verifying, waiting, blocked or done.",
            zh="planning、executing、verifying、waiting、blocked 或 done。",
        ),
    ],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Say which phase the task is in."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.plan_phase(name, agent=agent or None), work.lang, as_json=json)
