"""`mdmem scratchpad`: show what is being worked on, or write its generated lines anew."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated

from typer import Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Agent, Apply, Backend, Plan, Prompt
from mdmem.cli.usage import usage_error
from mdmem.errors import ExitCode

if TYPE_CHECKING:
    from mdmem import Scratchpad


def scratchpad(
    call: Call,
    agent: Agent = "",
    update: Annotated[bool, Option("--update")] = False,
    plan: Plan = False,
    backend: Backend = None,
    prompt: Prompt = False,
    apply: Apply = "",
) -> int:
    """Show a scratchpad by section; with `--update`, write its generated lines anew."""
    if prompt and (apply or plan or update):
        raise usage_error("prompt-alone")
    pad = call.work.scratchpad
    if prompt:
        print(pad.prompt(agent=agent), end="")
        return ExitCode.OK
    if update or plan or apply or backend:
        answer = parameters.text(apply) if apply else None
        return call.print(pad.update(agent=agent, backend=backend, apply=answer, plan=plan), diff=plan)
    return print_scratchpad(call, pad(agent=agent))


def print_scratchpad(call: Call, found: Scratchpad) -> int:
    """Print the entries below their sections; the exit code tells whether there are any."""
    sections = {
        "projects": found.active_projects,
        "progress": found.recent_progress,
        "questions": found.open_questions,
        "steps": found.next_steps,
    }
    paint = Paint(sys.stdout)
    if call.json:
        output.json(dataclasses.asdict(found))
    elif not any(sections.values()):
        print(call.say("scratchpad.empty", path=found.path))
    else:
        print(paint("dim", call.say("scratchpad.written", path=safe(found.path), time=found.updated)))
        for key, lines in sections.items():
            if lines:
                print(f"\n{paint('bold', call.say(f'scratchpad.head-{key}'))}")
                print("\n".join(f"- {safe(line)}" for line in lines))
    return ExitCode.OK if any(sections.values()) else ExitCode.NOTHING
