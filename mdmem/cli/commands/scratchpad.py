"""`mdmem scratchpad`: show what is being worked on, or write its generated lines anew."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.parameters import Json, Lang, Plan, Root
from mdmem.cli.grammar.usage import usage_error
from mdmem.cli.outcome import print_outcome
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Scratchpad


def scratchpad(
    user: Annotated[str, Option("--user")] = "",
    agent: Annotated[str, Option("--agent")] = "",
    update: Annotated[bool, Option("--update")] = False,
    plan: Plan = False,
    backend: Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")] = None,
    prompt: Annotated[bool, Option("--prompt")] = False,
    apply: Annotated[str, Option("--apply")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Show a scratchpad by section; with `--update`, write its generated lines anew."""
    if prompt and (apply or plan or update):
        raise usage_error("prompt-alone")
    work = parameters.workspace(root, lang)
    if prompt:
        print(work.scratchpad.prompt(user, agent=agent), end="")
        return ExitCode.OK
    if update or plan or apply or backend:
        answer = parameters.text(apply) if apply else None
        done = work.scratchpad.update(user, agent=agent, backend=backend, apply=answer, plan=plan)
        return print_outcome(done, work.lang, as_json=json, diff=plan)
    return print_scratchpad(work.scratchpad(user, agent=agent), work.lang, as_json=json)


def print_scratchpad(found: Scratchpad, lang: str, *, as_json: bool) -> int:
    """Print the entries below their sections; the exit code tells whether there are any."""
    sections = {
        "projects": found.active_projects,
        "progress": found.recent_progress,
        "questions": found.open_questions,
        "steps": found.next_steps,
    }
    paint = Paint(sys.stdout)
    if as_json:
        output.json(dataclasses.asdict(found))
    elif not any(sections.values()):
        print(say(lang, "scratchpad.empty", path=found.path))
    else:
        print(paint("dim", say(lang, "scratchpad.written", path=safe(found.path), time=found.updated)))
        for key, lines in sections.items():
            if lines:
                print(f"\n{paint('bold', say(lang, f'scratchpad.head-{key}'))}")
                print("\n".join(f"- {safe(line)}" for line in lines))
    return ExitCode.OK if any(sections.values()) else ExitCode.NOTHING
