"""The tools `knowledge` and `knowledge_run`: how something is done, and a plan that does it so."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.facade import Facade
from mdmem.formats.knowledge.piece_functions import KnowledgeFunction
from mdmem.knowledge.model import RunName, read_run_name
from mdmem.knowledge.read import open_for_use
from mdmem.messages.catalog import say
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply
from mdmem.tools.plan import reply_with_plan
from mdmem.tools.text_files import masked_text, read


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
    return reply_with_plan(host, host.plan.show(agent=who, actor=actor), done)
