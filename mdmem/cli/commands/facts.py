"""`mdmem fact`: what holds of whom or what, and what it was before."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, get_args

from typer import Argument, Option

import mdmem
from mdmem.cli import output
from mdmem.cli.console import safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Agent, Apply, Backend, Plan, Prompt
from mdmem.errors import ExitCode

if TYPE_CHECKING:
    from mdmem import CompileTarget, Fact, FactSubject, PortraitTarget
else:  # typer takes no list of literals
    CompileTarget = StrEnum("CompileTarget", [(one, one) for one in get_args(mdmem.CompileTarget)])
    PortraitTarget = StrEnum("PortraitTarget", [(one, one) for one in get_args(mdmem.PortraitTarget)])

fact = Verbs(default="list")

Subject = Annotated[str, Argument()]
Predicate = Annotated[str, Argument()]


@fact.command("set")
def set_(
    call: Call,
    subject: Subject,
    predicate: Predicate,
    text: Annotated[str, Argument()],
    type: Annotated[str, Option("--type", "-t")] = "",  # noqa: A002 - published
    source: Annotated[str, Option("--source", "-s")] = "",
    at: Annotated[str, Option("--at")] = "",
    also: Annotated[bool, Option("--also")] = False,
    importance: Annotated[str, Option("--importance")] = "",
    agent: Agent = "",
) -> int:
    """Record what holds; the value that it replaces moves to the older ones."""
    facts, named = call.work.facts, {"type": type, "source": source, "at": at, "actor": agent or "user"}
    share = parameters.share(importance)
    outcome = facts.set(subject, predicate, text, **named, also=also, importance=share)
    code = call.print(outcome, diff=False)
    if outcome.status == "done" and not call.json:
        print(call.say("fact.written", predicate=safe(predicate), text=safe(text), path=safe(outcome.path)))
    return code


@fact.command()
def show(call: Call, subject: Subject, before: Annotated[bool, Option("--before")] = False) -> int:
    """Show what holds of a subject."""
    return print_facts(call, call.work.facts(subject, before=before), subject)


@fact.command()
def history(call: Call, subject: Subject, predicate: Predicate) -> int:
    """Show the values that a predicate had, the oldest first."""
    found = call.work.facts.history(subject, predicate)
    others = () if found or call.json else dict.fromkeys(one.predicate for one in call.work.facts(subject, before=True))
    if not others:
        return print_facts(call, found, subject)
    print(call.say("fact.no-predicate", subject=subject, predicate=predicate, others=", ".join(others)))
    return ExitCode.NOTHING


@fact.command("list")
def list_(call: Call) -> None:
    """List the subjects of which facts are kept."""
    print_subjects(call, call.work.facts.list())


def print_facts(call: Call, found: Iterable[Fact], subject: str) -> int:
    """Print facts, one a line; a superseded one names what replaced it. The exit code tells whether there are any."""
    facts = list(found)
    if not (facts or call.json):
        print(call.say("fact.none", subject=subject))
        return ExitCode.NOTHING
    columns = {
        "fact.head-day": "dim", "fact.head-predicate": "note", "fact.head-state": "", "fact.head-key": "dim",
        "fact.head-text": "",
    }  # fmt: skip
    call.print_list(
        "facts", facts, columns, lambda one: (one.date, one.predicate, _state(call, one), one.key, one.text), whole=True
    )
    return ExitCode.OK if facts else ExitCode.NOTHING


def _state(call: Call, one: Fact) -> str:
    if one.live:
        return call.say("fact.live")
    return call.say("fact.superseded", id=one.superseded_by) if one.superseded_by else call.say("fact.over")


def print_subjects(call: Call, found: Iterable[FactSubject]) -> None:
    """Print the subjects, one a line, with the numbers of their facts."""
    subjects = list(found)
    if call.json:
        output.json({"subjects": [dataclasses.asdict(one) for one in subjects]})
        return
    if not subjects:
        print(call.say("fact.none-at-all"))
    for one in subjects:
        print(call.say("fact.subject-line", subject=one.subject, path=one.path, now=one.now, before=one.before))


def refresh(call: Call, targets: Annotated[list[PortraitTarget] | None, Argument()] = None, plan: Plan = False) -> int:
    """Write the generated lines of the portrait anew."""
    return call.print_all(call.work.portrait.refresh(*(targets or ()), plan=plan))


def compile(  # noqa: A001 - the name of the verb
    call: Call,
    targets: Annotated[list[CompileTarget] | None, Argument()] = None,
    plan: Plan = False,
    backend: Backend = None,
    prompt: Prompt = False,
    apply: Apply = "",
) -> int:
    """Write the short texts of the identity files."""
    identity = call.work.identity
    if prompt:
        print("\n".join(identity.prompt(one) for one in targets or get_args(mdmem.CompileTarget)), end="")
        return ExitCode.OK
    answer = parameters.text(apply) if apply else None
    return call.print_all(identity.compile(*(targets or ()), plan=plan, backend=backend, apply=answer))
