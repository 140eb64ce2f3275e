"""`mdmem episode`: what happened in the sessions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from mdmem.cli import output
from mdmem.cli.outcome import print_outcome
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Episode

episode = Group()


@episode.command("list")
def list_(
    query: Annotated[str, Option("--query")] = "",
    entity: Annotated[str, Option("--entity")] = "",
    days: Annotated[int | None, Option("--days", min=1)] = None,
    session: Annotated[str, Option("--session")] = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """List episodes, the newest first, or those that fit a query best."""
    work = parameters.workspace(root, lang)
    found = work.episodes(query, entity=entity, days=days, session=session, limit=limit)
    return print_episodes(found, work.lang, as_json=json)


@episode.command()
def write(
    session: Annotated[str, Argument()],
    backend: Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")] = None,
    plan: Annotated[bool, Option("--plan")] = False,
    write: Annotated[bool, Option("--write")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Write the episode of a session's rounds that have none yet."""
    work = parameters.workspace(root, lang)
    done = work.episodes.write(session, backend=backend, any_format=write, dry_run=plan)
    return print_outcome(done, work.lang, as_json=json, diff=True)


def print_episodes(found: Iterable[Episode], lang: str, *, as_json: bool) -> int:
    """Print episodes, one a line. The exit code tells whether there are any."""
    episodes = list(found)
    if as_json:
        rows = [dataclasses.asdict(one) | {"actions": [asdict(run) for run in one.actions]} for one in episodes]
        output.json({"episodes": rows})
    elif not episodes:
        print(say(lang, "episode.none"))
    for one in () if as_json else episodes:
        rounds = str(one.first) if one.first == one.last else f"{one.first}-{one.last}"
        facts = {"started": one.started, "session": one.session, "outcome": one.outcome, "summary": one.summary}
        print(say(lang, "episode.line", rounds=rounds, **facts))
    return ExitCode.OK if episodes else ExitCode.NOTHING
