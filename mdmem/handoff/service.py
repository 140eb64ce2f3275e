"""Hand over from one agent to another, and tick what a session of the receiver was given."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import NamedTuple

from mdmem.config.agent_folders import agent_folder
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import tick
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import TargetError, UsageError
from mdmem.formats.session import Session
from mdmem.handoff.edits import HandoffText
from mdmem.handoff.material import HandoffMaterial
from mdmem.handoff.model import FOLDER, KIND, HandoffPart
from mdmem.handoff.read import known_agents, open_mark, waiting_handoffs
from mdmem.history.evidence import find_evidence
from mdmem.messages.catalog import say
from mdmem.sessions.read import parts_of
from mdmem.sessions.running import given_lines, line_digest
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit

_STAMP = len("20260213_213000")


class AgentPair(NamedTuple):
    """Who hands over, and to whom."""

    giver: str
    receiver: str


def hand_over(commit: ChangeRequest, pair: AgentPair, *, new: bool) -> Outcome:
    """Write a handoff; see `Workspace.handoff`."""
    config, now = commit.config, dt.datetime.now().astimezone()
    _check_names(commit, pair, new=new)
    template = config.schemas.required(KIND)
    folder = config.whose.place(f"{agent_folder(config, pair.receiver)}/{FOLDER}")
    name = f"{folder}/{now:%Y%m%d_%H%M%S}_{pair.giver}"
    names = (f"{name}.md" if number == 1 else f"{name}-{number}.md" for number in count(1))
    path = next(path for one in names if not commit.exists(path := commit.path(one)))
    parts, withheld = _allowed(commit, path, HandoffMaterial(config, pair.giver, template).parts())
    if not parts:
        return Outcome("unchanged", say(commit.lang, "handoff.nothing", agent=pair.giver), "", path)
    commit.new(path)
    front = {"from": pair.giver, "to": pair.receiver, "written": f"{now:%Y-%m-%d %H:%M}"}
    text = HandoffText(template, front, tuple(_proved(commit, parts))).fitted(withheld)
    commit.run(lambda _: {path: (Edit.insert(0, text),)}, expect={path: None}, propose=propose)
    message = say(commit.lang, "handoff.written", path=path, **front)
    return commit.outcome(message, path, say(commit.lang, "handoff.written.hint", **front))


def _check_names(commit: ChangeRequest, pair: AgentPair, *, new: bool) -> None:
    """Refuse unknown agents, and a handoff to oneself."""
    lang, known = commit.lang, known_agents(commit.config)
    names = say(lang, "punctuation.list").join(known) or "—"
    for agent in pair:
        agent_folder(commit.config, agent)
        commit.fit(agent)
    if pair.giver == pair.receiver:
        raise UsageError(say(lang, "handoff.same"), hint=say(lang, "handoff.same.hint", names=names))
    for key, agent in (("giver", pair.giver), *((("receiver", pair.receiver),) if not new else ())):
        if agent not in known:
            facts = {"agent": agent, "names": names, "giver": pair.giver}
            hint = say(lang, f"handoff.no-{key}.hint", **facts)
            raise TargetError(say(lang, f"handoff.no-{key}", **facts), hint=hint, candidates=known)


def _allowed(
    commit: ChangeRequest, path: str, parts: Sequence[HandoffPart]
) -> tuple[tuple[HandoffPart, ...], tuple[str, ...]]:
    """Return the parts with the lines that may be written, and the file of each line that may not."""
    found, withheld = list[HandoffPart](), list[str]()
    for part in parts:
        allowed = [commit.gate.is_allowed(path, f"- {one.written}\n") for one in part.lines]
        withheld += [one.file for one, yes in zip(part.lines, allowed, strict=True) if not yes]
        lines = tuple(one for one, yes in zip(part.lines, allowed, strict=True) if yes)
        found += [part._replace(lines=lines)] if lines else []
    return tuple(found), tuple(withheld)


def _proved(commit: ChangeRequest, parts: Sequence[HandoffPart]) -> Iterator[HandoffPart]:
    """Yield the parts; each line that may be shown knows whether its source is found."""
    missing = cache(lambda source: find_evidence(commit.config, source, commit.access.actor).missing)
    for part in parts:
        shown = (one._replace(found=not (one.source and missing(one.source))) for one in part.lines[: part.most])
        yield part._replace(lines=(*shown, *part.lines[part.most :]))


def take_over(config: WorkspaceConfig, session: Session) -> Outcome | None:
    """Tick the handoffs that a session was given, which has ended; None for none.

    It was given those that were written before it began. Of a session with hooks it is known what they have given.
    """
    waiting = tuple(waiting_handoffs(config, session.agent))
    if not waiting:
        return None
    begun, given = _stamp(parts_of(config, session.path)[0]), given_lines(config, session.path)
    told = (one for one in waiting if _stamp(one.path) <= begun and (given is None or line_digest(one.mark) in given))
    done = [_tick(config, one.path) for one in told]
    return replace(done[-1], message=say(config.lang, "handoff.taken", count=len(done))) if done else None


def _stamp(path: str) -> str:
    return path.rpartition("/")[2][:_STAMP]


def _tick(config: WorkspaceConfig, path: str) -> Outcome:
    commit = ChangeRequest(config, "taken-over", KEEPER, "")

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        template = commit.template(path, document)
        entry = open_mark(document, template) if template else None
        return {path: tick(document, entry).edits if entry else ()}

    commit.run(change, propose=propose)
    return commit.outcome("", path)
