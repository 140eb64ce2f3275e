"""`mdmem fact`: what holds of whom or what, and what it was before."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import table
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.parameters import Json, Lang, Plan, Root
from mdmem.cli.outcome import print_outcome, print_outcomes
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Fact, FactSubject

fact = Verbs(default="list")

Subject = Annotated[str, Argument()]
Predicate = Annotated[str, Argument()]


@fact.command("set")
def set_(
    subject: Subject,
    predicate: Predicate,
    text: Annotated[str, Argument()],
    type: Annotated[str, Option("--type", "-t")] = "",  # noqa: A002 - published
    source: Annotated[str, Option("--source", "-s")] = "",
    at: Annotated[str, Option("--at")] = "",
    also: Annotated[bool, Option("--also")] = False,
    importance: Annotated[str, Option("--importance")] = "",
    agent: Annotated[str, Option("--agent")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Record what holds; the value that it replaces moves to the older ones."""
    work = parameters.workspace(root, lang)
    named = {"type": type, "source": source, "at": at, "actor": agent or "user"}
    done = work.facts.set(subject, predicate, text, **named, also=also, importance=parameters.share(importance))
    return print_outcome(done, work.lang, as_json=json, diff=True)


@fact.command()
def show(
    subject: Subject,
    before: Annotated[bool, Option("--before")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Show what holds of a subject."""
    work = parameters.workspace(root, lang)
    return print_facts(work.facts(subject, before=before), work.lang, subject, as_json=json)


@fact.command()
def history(subject: Subject, predicate: Predicate, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Show the values that a predicate had, the oldest first."""
    work = parameters.workspace(root, lang)
    found = work.facts.history(subject, predicate)
    others = () if found or json else dict.fromkeys(one.predicate for one in work.facts(subject, before=True))
    if not others:
        return print_facts(found, work.lang, subject, as_json=json)
    print(say(work.lang, "fact.no-predicate", subject=subject, predicate=predicate, others=", ".join(others)))
    return ExitCode.NOTHING


@fact.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List the subjects of which facts are kept."""
    work = parameters.workspace(root, lang)
    print_subjects(work.facts.list(), work.lang, as_json=json)


def print_facts(found: Iterable[Fact], lang: str, subject: str, *, as_json: bool) -> int:
    """Print facts, one a line; a superseded one names what replaced it. The exit code tells whether there are any."""
    facts = list(found)
    if as_json:
        output.json({"facts": [dataclasses.asdict(one) for one in facts]})
    elif not facts:
        print(say(lang, "fact.none", subject=subject))
    else:
        rows = [(one.date, one.predicate, _state(one, lang), one.key, one.text) for one in facts]
        header = [say(lang, f"fact.head-{name}") for name in ("day", "predicate", "state", "key", "text")]
        print("\n".join(table(header, rows, ("dim", "note", "", "dim", ""), whole=True)))
    return ExitCode.OK if facts else ExitCode.NOTHING


def _state(one: Fact, lang: str) -> str:
    if one.live:
        return say(lang, "fact.live")
    return say(lang, "fact.superseded", id=one.superseded_by) if one.superseded_by else say(lang, "fact.over")


def print_subjects(found: Iterable[FactSubject], lang: str, *, as_json: bool) -> None:
    """Print the subjects, one a line, with the numbers of their facts."""
    subjects = list(found)
    if as_json:
        output.json({"subjects": [dataclasses.asdict(one) for one in subjects]})
        return
    if not subjects:
        print(say(lang, "fact.none-at-all"))
    for one in subjects:
        print(say(lang, "fact.subject-line", subject=one.subject, path=one.path, now=one.now, before=one.before))


class _RefreshTarget(StrEnum):  # typer takes no list of literals
    MEMORY = "memory"
    USER = "user"
    PERSONA = "persona"


def refresh(
    targets: Annotated[list[_RefreshTarget] | None, Argument()] = None,
    plan: Plan = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Write the generated lines of the portrait anew."""
    work = parameters.workspace(root, lang)
    done = work.portrait.refresh(*(targets or ()), plan=plan)
    return print_outcomes(done, work.lang, as_json=json)


class _CompileTarget(StrEnum):
    SOUL = "soul"
    AGENT_CORE = "agent.core"
    AGENT_TOOLING = "agent.tooling"
    USER = "user"
    PERSONA = "persona"


def compile(  # noqa: A001 - the name of the verb
    targets: Annotated[list[_CompileTarget] | None, Argument()] = None,
    plan: Plan = False,
    backend: Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")] = None,
    prompt: Annotated[bool, Option("--prompt")] = False,
    apply: Annotated[str, Option("--apply")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Write the short texts of the identity files."""
    work = parameters.workspace(root, lang)
    if prompt:
        print("\n".join(work.identity.prompt(_CompileTarget(one).value) for one in targets or _CompileTarget), end="")
        return ExitCode.OK
    answer = parameters.text(apply) if apply else None
    done = work.identity.compile(*(targets or ()), plan=plan, backend=backend, apply=answer)
    return print_outcomes(done, work.lang, as_json=json)
