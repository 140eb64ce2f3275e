"""`mdmem plan`: the TODO list of a task, stepped through; the mark and the instruction pointer always agree."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument, Group, Option
from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, Json, Lang, Root

app = Group()

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


@app.alone(zh="显示计划和进度。")
def show(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show the plan and where it stands."""
    from mdmem.doors import plans

    work = given.workspace(root, lang)
    plans.show(work.plan(agent=agent or None), work.lang, as_json=json)


@app.command(zh="添加步骤；不写位置就放在最后。")
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
    work = given.workspace(root, lang)
    done = work.plan_add(texts, after=after, under=under, agent=agent or None)
    return tell(done, work.lang, as_json=json, diff=True)


@app.command(zh="把一步标为完成，接着做下一步。")
def done(step: Step = ".", agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Mark a step as done, and go on with the next."""
    work = given.workspace(root, lang)
    return tell(work.plan_done(step, agent=agent or None), work.lang, as_json=json)


@app.command("next", zh="转到下一个没做完的步骤，也会进入下级；当前步骤仍算没做完。")
def next_(agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Go on to the next open step, into those below too; the current one stays open."""
    work = given.workspace(root, lang)
    return tell(work.plan_next(agent=agent or None), work.lang, as_json=json)


@app.command(zh="跳到一步；要重做的步骤重新算没做完。")
def goto(step: Step, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Jump to a step; what is to be done again is open again."""
    work = given.workspace(root, lang)
    return tell(work.plan_goto(step, agent=agent or None), work.lang, as_json=json)


@app.command(zh="移动一步，连同下级步骤。")
def move(
    step: Step,
    to: Annotated[str, Argument(help="The number that it bears afterwards.", zh="移动后的编号。")],
    agent: Agent = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Move a step, with all below it."""
    work = given.workspace(root, lang)
    return tell(work.plan_move(step, to, agent=agent or None), work.lang, as_json=json, diff=True)


@app.command(zh="去掉步骤，连同下级；放进归档。")
def remove(
    steps: Steps, dry_run: DryRun = False, agent: Agent = "", root: Root = "", json: Json = False, lang: Lang = None
) -> int:
    """Take steps out, with all below them; they go to the archive."""
    work = given.workspace(root, lang)
    gone = work.plan_remove(steps, agent=agent or None, dry_run=dry_run)
    return tell(gone, work.lang, as_json=json, diff=True)


@app.command(zh="说明任务在哪个阶段。")
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
    work = given.workspace(root, lang)
    return tell(work.plan_phase(name, agent=agent or None), work.lang, as_json=json)
