"""The tools of other systems under their former names: `add_memory`, `search_memory`, `get_memory_stats` (K180)."""

from __future__ import annotations

from mdmem.entries.access import AccessPolicy
from mdmem.errors import UsageError
from mdmem.facade import Facade
from mdmem.messages.catalog import say
from mdmem.tools import entries, model
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply

_CONTEXT = "context"  # a type that is no fact: what happens now
_ALIASES = {"experience": "skill"}


def add_memory(host: Facade, client: ToolClient, content: str, type: str = "", importance: str = "") -> ToolReply:  # noqa: A002
    """Record a fact about the user; a context is kept where such a text belongs."""
    kind = _ALIASES.get(type.lower(), type.lower()) or "fact"
    if kind == _CONTEXT:
        return model.reply_from_outcome(host.remember(content, actor=client.actor, reason="add_memory"))
    predicate = say(host.lang, f"import.predicate-{_known(host, kind)}")
    share = _share(host, importance)
    outcome = host.facts.set(
        "user", predicate, content, type=kind, importance=share, also=True, actor=client.actor, reason="add_memory"
    )
    return model.reply_from_outcome(outcome)


def _known(host: Facade, kind: str) -> str:
    template = host.config.schemas.get("facts")
    choices = template.entries.fields["type"].choices if template else ()
    if kind not in choices:
        names = ", ".join((*choices, _CONTEXT))
        AccessPolicy(host.config, "user").stop(UsageError, "fact.choice", field="type", name=kind[:40], names=names)
    return kind


def _share(host: Facade, importance: str) -> float | None:
    try:
        return float(importance) if importance.strip() else None
    except ValueError:
        AccessPolicy(host.config, "user").stop(UsageError, "fact.share", field="importance", name=importance[:40])


def search_memory(
    host: Facade,
    client: ToolClient,
    query: str,
    limit: int | None = None,
    type: str = "",  # noqa: A002 - published
) -> ToolReply:
    """Search the memories; with a type, only facts of it."""
    reply = entries.memory_search(host, client, query, None if type else limit)
    if not type:
        return reply
    wanted = _ALIASES.get(type.lower(), type.lower())
    places = {f"{one.path}:{one.line}" for one in host.facts(before=True) if (one.type or "fact") == wanted}
    lines = [line for line in reply.text.splitlines() if line.partition(" ")[0].rstrip(":") in places]
    if not lines:
        message, hint = say(host.lang, "tool.no-hits", query=query[:80]), say(host.lang, "tool.no-hits.hint")
        return ToolReply("done", message, reply.hint or hint)
    lines = lines[:limit]
    return reply._replace(message=say(host.lang, "tool.hits", count=len(lines)), text="\n".join(lines))


def get_memory_stats(host: Facade, client: ToolClient) -> ToolReply:  # noqa: ARG001 - the common signature
    """Return the numbers of facts, of subjects, and of facts by subject."""
    subjects = host.facts.list()
    now, before = sum(one.now for one in subjects), sum(one.before for one in subjects)
    lines = (
        say(host.lang, "fact.subject-line", subject=one.subject, path=one.path, now=one.now, before=one.before)
        for one in subjects
    )
    message = say(host.lang, "tool.stats", subjects=len(subjects), now=now, before=before)
    return ToolReply("done", message, text="\n".join(lines))
