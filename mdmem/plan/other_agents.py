"""Finds who else works on the plan of an agent: who changed it last, and who has an open session on it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, PERSONS
from mdmem.errors import UnreadableFileError
from mdmem.formats.session import Session
from mdmem.history.read import open_history, visible
from mdmem.messages.catalog import say
from mdmem.sessions.read import head, last_change, paths
from mdmem.store.history.versions import EDITOR

PlanOf = Callable[[str], str]
_MINUTES = len("2026-02-13 21:30")
_SERVED = "mcp:"  # before the name of a program that the MCP server serves
_NOBODY = frozenset((*PERSONS, KEEPER, EDITOR))  # actors that are no agent at work


@dataclass(frozen=True, slots=True)
class OtherAgent:
    """Another agent that is at work on a plan."""

    name: str
    moved: str  # when it moved last in the plan, YYYY-MM-DD HH:MM; empty if that was not the last move
    session: str  # when its open session began, in the same form; empty if it has none
    step: str  # the current step, as `number text`; empty if there is none

    def told(self, lang: str) -> str:
        """Return the sentence about it."""
        facts = {"agent": self.name, "moved": self.moved, "session": self.session, "step": self.step or "—"}
        kind = "both" if self.moved and self.session else "moved" if self.moved else "session"
        return say(lang, f"plan.other-{kind}", **facts)


def is_same_agent(one: str, other: str) -> bool:
    """Return whether two names are one agent's: the MCP server knows «claude» as `mcp:claude-code`."""
    if one.startswith(_SERVED) == other.startswith(_SERVED):
        return one == other
    served, name = (one, other) if one.startswith(_SERVED) else (other, one)
    return served.removeprefix(_SERVED).casefold().partition("-")[0] == name.casefold().partition("-")[0]


def caller(actor: str, agent: str | None) -> str:
    """Return the agent that asks: the actor, or else the owner of the plan; empty for a person."""
    return (agent or "") if actor in PERSONS else actor


def other_agents(config: WorkspaceConfig, path: str, me: str, plan_of: PlanOf, step: str) -> tuple[OtherAgent, ...]:
    """Return the other agents at work on a plan within `[plan] told_minutes`.

    Args:
        config: the workspace.
        path: the plan.
        me: the agent that asks; empty for a person, who is told of nobody.
        plan_of: gives the plan that an agent works on.
        step: the current step.
    """
    if not me:
        return ()
    since = dt.datetime.now().astimezone() - dt.timedelta(minutes=config.settings.plan.told_minutes)
    moved = {name: when for name, when in _last_move(config, path, since) if not is_same_agent(name, me)}
    open_since: dict[str, str] = {}
    for session in _open_sessions(config, since):
        if session.agent and not is_same_agent(session.agent, me) and plan_of(session.agent) == path:
            name = next((one for one in moved if is_same_agent(one, session.agent)), session.agent)
            open_since.setdefault(name, session.started[:_MINUTES])
    names = dict.fromkeys((*moved, *open_since))
    return tuple(
        OtherAgent(one.removeprefix(_SERVED), moved.get(one, ""), open_since.get(one, ""), step) for one in names
    )


def _last_move(config: WorkspaceConfig, path: str, since: dt.datetime) -> Iterator[tuple[str, str]]:
    """Yield the agent that changed a plan last, and when, unless that was longer ago or was no agent."""
    with suppress(UnreadableFileError, ValueError), open_history(config) as history:  # a time in the log may be forged
        for one in visible(config, history):
            when = dt.datetime.fromisoformat(one.time).astimezone()
            if when < since:
                return
            if any(file.path == path for file in one.files):
                if one.actor not in _NOBODY:
                    yield one.actor, f"{when:%Y-%m-%d %H:%M}"
                return


def _open_sessions(config: WorkspaceConfig, since: dt.datetime) -> Iterator[Session]:
    """Yield the sessions that have not ended and that something was added to since then."""
    for path in islice(paths(config), config.settings.session.open_among):
        with suppress(OSError, UnreadableFileError):
            if last_change(config, path) >= since and not (session := head(config, path)).ended:
                yield session
