"""The one dispatcher: a tool's name and its arguments in, a reply out, whatever a model sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mdmem.errors import MdmemError, UsageError
from mdmem.workspace.tools import entries, evidence, files, find, folder, memories, proof, reply
from mdmem.workspace.tools.check import check
from mdmem.workspace.tools.commands import for_agent
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.schemas import tools, with_choices
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace

MEMORY = "memory"  # the memory tool as model APIs send it: one tool, and the verb as its argument `command`

_RUN: dict[str, Callable[..., Reply]] = {
    "read": files.read,
    "write": files.write,
    "edit": files.edit,
    "memory_add": entries.memory_add,
    "memory_remember": entries.memory_remember,
    "memory_edit": entries.memory_edit,
    "memory_replace": memories.memory_replace,
    "memory_remove": memories.memory_remove,
    "memory_tick": memories.memory_tick,
    "memory_undo": memories.memory_undo,
    "memory_forget": memories.memory_forget,
    "memory_read": entries.memory_read,
    "memory_check": entries.memory_check,
    "pin_add": proof.pin_add,
    "pin_update": proof.pin_update,
    "pin_renew": proof.pin_renew,
    "pin_list": proof.pin_list,
    "pin_remove": proof.pin_remove,
    "why": proof.why,
    "plan": proof.plan,
    "artifact_put": evidence.artifact_put,
    "artifact_get": evidence.artifact_get,
    "file_snippet": evidence.file_snippet,
    "grep": evidence.grep,
    "memory_search": find.memory_search,
    "view": folder.view,
    "create": folder.create,
    "str_replace": folder.str_replace,
    "insert": folder.insert,
    "delete": folder.delete,
    "rename": folder.rename,
}


def offered(workspace: Workspace) -> list[dict[str, Any]]:
    """Give the definitions of the tools; see `Workspace.tools`."""
    on = workspace.config.settings.memory.enabled
    return [with_choices(tool, workspace.config).as_dict() for tool in tools(workspace.lang).values()] if on else []


def call(workspace: Workspace, name: str, arguments: object, actor: str) -> dict[str, Any]:
    """Run a tool; an error is a reply too. See `Workspace.call`."""
    try:
        done = _call(workspace, name, arguments, actor)
    except MdmemError as error:
        done = reply.failed(error)
    return for_agent(done, workspace.lang).as_dict()


def _call(workspace: Workspace, name: str, arguments: object, actor: str) -> Reply:
    lang, known = workspace.lang, tools(workspace.lang)
    if name == MEMORY and isinstance(arguments, dict):
        rest = dict(arguments)
        name, arguments = rest.pop("command", ""), rest
    if not isinstance(name, str) or name not in known:
        said = name[:40].encode("utf-8", "replace").decode() if isinstance(name, str) else type(name).__name__
        raise UsageError(say(lang, "no-tool", name=said), hint=say(lang, "tools", names=", ".join(known)))
    schema = with_choices(known[name], workspace.config).schema
    given = check(schema, arguments, lang, workspace.config.settings.lint.max_bytes)
    return _RUN[name](workspace, actor, **given)
