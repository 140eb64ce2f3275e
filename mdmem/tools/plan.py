"""The tools `plan`, which shows or changes the plan of a task, and `knowledge` and `knowledge_run`: how it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mdmem.entries.model import Outcome
from mdmem.facade import Facade
from mdmem.formats.knowledge.piece_functions import KnowledgeFunction
from mdmem.knowledge.model import RunName, read_run_name
from mdmem.knowledge.read import open_for_use
from mdmem.messages.catalog import say
from mdmem.tools import model
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply
from mdmem.tools.text_files import masked_text, read

if TYPE_CHECKING:
    from mdmem.plan.service import TaskPlan


def plan(
    host: Facade, client: ToolClient, action: str, step: str = "", text: str = "", to: str = "", agent: str = ""
) -> ToolReply:
    """Show the plan, or make one change in it."""
    options: dict[str, Any] = {"agent": agent or None, "actor": client.actor, "reason": f"plan {action}"[:40]}
    actions: dict[str, Callable[[], Outcome]] = {
        "add": lambda: host.plan.add([text], after=step, under=to, **options),
        "done": lambda: host.plan.done(step or ".", **options),
        "next": lambda: host.plan.next(**options),
        "goto": lambda: host.plan.goto(step, **options),
        "move": lambda: host.plan.move(step, to, **options),
        "remove": lambda: host.plan.remove([step], **options),
        "phase": lambda: host.plan.phase(text, **options),
    }
    outcome = None if action == "show" else actions[action]()
    return _reply(host, host.plan.show(agent=agent or None, actor=client.actor), outcome)


def _reply(host: Facade, now: TaskPlan, done: Outcome | None) -> ToolReply:
    """Return the reply with the current plan, so that no second call is needed."""
    lines = [f"[{'x' if one.done else ' '}] {one.number} {one.text}{' ←' if one.current else ''}" for one in now.steps]
    text = "\n".join(([now.phase] if now.phase else []) + lines)
    if done:
        return model.reply_from_outcome(done, text=text)
    message = say(host.lang, "tool.plan", path=now.path, steps=len(now.steps))
    hint = say(host.lang, "punctuation.clause").join(one.told(host.lang) for one in now.others)
    return ToolReply("done", message, hint, path=now.path, text=text)


def knowledge(host: Facade, client: ToolClient, name: str = "", task: str = "") -> ToolReply:
    """Return a piece of knowledge with what can be run of it; without a name those that fit a task, or all."""
    if name:
        return _piece(host, client, name)
    found = {one.name: one for one in host.knowledge.list() if one.trusted}
    names = [one for one in (host.knowledge.fitting(task) if task else found) if one in found]
    most = host.config.settings.store.list
    text, hint = masked_text(host, "\n".join(f"{one}: {found[one].description}" for one in names[:most]))
    if len(names) > most:
        hint = say(host.lang, "tool.knowledge-more", count=len(names) - most)
    return ToolReply("done", say(host.lang, "tool.knowledge", count=len(names[:most]), all=len(found)), hint, text=text)


def _piece(host: Facade, client: ToolClient, name: str) -> ToolReply:
    asked = read_run_name(name)
    found = open_for_use(host.config, asked.piece, asked.version)
    own = found.piece.name
    runs = say(host.lang, "punctuation.list").join(_interface(own, one) for one in found.functions)
    told = say(host.lang, "tool.piece-runs" if runs else "tool.piece-without-steps", runs=runs)
    message = say(host.lang, "tool.piece", name=str(asked))
    if asked.version:
        text, hint = masked_text(host, found.document.text)
        reply = ToolReply("done", message, hint, path=found.piece.path, text=text)
    else:
        reply = read(host, client, found.piece.path)
    hint = say(host.lang, "punctuation.clause").join(filter(None, (reply.hint, told)))
    return reply._replace(message=message, hint=hint)


def _interface(piece: str, function: KnowledgeFunction) -> str:
    inputs = ", ".join(one.name if one.default is None else f"{one.name} = {one.default}" for one in function.inputs)
    name = str(RunName(piece, function.name))
    return f"`{name}`{f' ({inputs})' if inputs else ''}"


def knowledge_run(
    host: Facade,
    client: ToolClient,
    name: str,
    inputs: Mapping[str, str] | None = None,
    under: str = "",
    replace: bool = False,  # noqa: FBT001, FBT002 - an argument of the tool
    agent: str = "",
) -> ToolReply:
    """Make the plan a run of a piece, and return the plan."""
    who, actor = agent or None, client.actor
    done = host.knowledge.run(name, inputs or {}, under=under, replace=replace, agent=who, actor=actor)
    return _reply(host, host.plan.show(agent=who, actor=actor), done)
