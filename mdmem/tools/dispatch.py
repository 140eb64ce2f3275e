"""Runs tools: checks the arguments against the tool's schema, calls the tool, and returns the reply.

The check covers the part of JSON Schema that the tools use. Models send `"3"` for 3, `"true"` for true, one text for a
list of one, and null for an omitted argument: a value with only one possible meaning is converted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from types import FunctionType
from typing import Any

from mdmem.errors import ConflictError, MdmemError, TargetError, UsageError
from mdmem.facade import Facade
from mdmem.knowledge.read import has_pieces
from mdmem.linter.masking import MARK, echo, mask, safe_message
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.tools import (
    artifacts,
    attachments,
    entries,
    former,
    memories,
    memory_folder,
    model,
    pins,
    plan,
    text_files,
)
from mdmem.tools.client import ToolClient
from mdmem.tools.commands import for_agent
from mdmem.tools.definitions import tools, with_choices
from mdmem.tools.model import Tool, ToolReply

_TYPES: dict[str, type] = {"string": str, "integer": int, "array": list, "object": dict, "boolean": bool}
_WHOLE = pattern(r"\s*[+-]?\d{1,18}(?:\.0+)?\s*")


def check(schema: Mapping[str, Any], arguments: object, lang: str, max_bytes: int) -> dict[str, Any]:
    """Return the arguments converted to the types of the schema; a text has at most `max_bytes` and valid characters.

    Raises:
        UsageError: a key is missing, unknown or of another type; the message names it and the valid ones.
    """
    valid = ", ".join(f"{key}{'' if key in schema['required'] else '?'}" for key in schema["properties"])
    hint = say(lang, "tool.keys", keys=valid)
    if not isinstance(arguments, Mapping):
        raise UsageError(say(lang, "tool.no-object"), hint=hint)
    unknown = [key for key in arguments if key not in schema["properties"]]
    missing = [key for key in schema["required"] if arguments.get(key) is None]
    if unknown or missing:
        kind, keys = ("unknown-key", unknown) if unknown else ("missing-key", missing)
        raise UsageError(say(lang, f"tool.{kind}", name=echo(str(keys[0]))), hint=hint)
    values = {}
    for key, value in arguments.items():
        if value is None:
            continue
        wanted = schema["properties"][key]
        values[key] = _converted(wanted, value)
        if wrong := _violation(wanted, values[key], max_bytes):
            names = ", ".join(wanted.get("enum", ()))
            message = say(lang, f"tool.{wrong}", name=key, names=names)
            raise UsageError(message, hint=f"`{key}`: {wanted['description']}; {hint}")
    return values


def _converted(schema: Mapping[str, Any], value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a value as the type of the schema if it has only one possible meaning; else unchanged."""
    wanted: str = schema["type"]
    if wanted == "string":
        return _text(schema, value)
    if wanted == "integer":
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return int(float(value)) if isinstance(value, str) and _WHOLE.fullmatch(value) else value
    if wanted == "boolean":
        return {"true": True, "false": False}.get(value.strip().casefold(), value) if isinstance(value, str) else value
    if isinstance(value, str):
        value = _decoded(value, _TYPES[wanted])
    if wanted == "array":
        items = value if isinstance(value, list) else [value] if isinstance(value, str | int | float) else None
        return value if items is None else [_converted(schema["items"], item) for item in items]
    inner = schema["additionalProperties"]
    return {key: _converted(inner, item) for key, item in value.items()} if isinstance(value, dict) else value


def _text(schema: Mapping[str, Any], value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and "enum" in schema:
        folded = value.strip().casefold()
        return next((one for one in schema["enum"] if one.casefold() == folded), value)
    return value


def _decoded(value: str, wanted: type) -> object:
    """Return the list or object of a JSON text; any other text unchanged."""
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return decoded if isinstance(decoded, wanted) else value


def _violation(schema: Mapping[str, Any], value: object, max_bytes: int) -> str:
    """Return the key of the message about an invalid value; empty for a valid one."""
    wanted: str = schema["type"]
    if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool) is not (wanted == "boolean"):
        return wanted
    if "enum" in schema and value not in schema["enum"]:
        return "enum"
    if isinstance(value, str):
        return _text_violation(value, max_bytes)
    if isinstance(value, list):
        if not schema["minItems"] <= len(value) <= schema["maxItems"]:
            return "length"
        return next(filter(None, (_violation(schema["items"], item, max_bytes) for item in value)), "")
    if isinstance(value, dict):
        inner = schema["additionalProperties"]
        return next(filter(None, (_violation(inner, item, max_bytes) for pair in value.items() for item in pair)), "")
    return ""


def _text_violation(value: str, max_bytes: int) -> str:
    if len(value) > max_bytes:
        return "too-long"
    try:
        return "too-long" if len(value.encode()) > max_bytes else ""
    except UnicodeEncodeError:
        return "half-character"


_ECHOED = 400  # characters of an argument in which secrets are searched; a reply repeats fewer
MEMORY = "memory"  # the memory tool of model APIs: one tool, with the verb as its argument `command`

_MODULES = (artifacts, attachments, entries, former, memories, memory_folder, pins, plan, text_files)
_HANDLERS: dict[str, Callable[..., ToolReply]] = {  # each tool is the function of its name in one of them
    name: own
    for module in _MODULES
    for name, own in vars(module).items()
    if isinstance(own, FunctionType) and own.__module__ == module.__name__
}


def offered(host: Facade, named: Collection[str] = ()) -> list[Tool]:
    """Return the tools under their present names, and those that are named; none while memory is switched off."""
    if not host.config.settings.memory.enabled:
        return []
    shown = (tool for tool in tools(host.lang).values() if not tool.hidden or tool.name in named)
    return [with_choices(tool, host.config) for tool in shown]


def usual(host: Facade) -> tuple[str, ...]:
    """Return the names of the tools of `[mcp]`; those for a plan, knowledge or outputs of tools where there are any."""
    settings = host.config.settings.mcp
    if not host.config.settings.memory.enabled:
        return settings.tools
    plan_tools = settings.plan_tools if host.plan.show().steps else ()
    knowledge_tools = settings.knowledge_tools if has_pieces(host.config) else ()
    artifact_tools = settings.artifact_tools if host.artifacts.list(limit=1) else ()
    return tuple(dict.fromkeys((*settings.tools, *plan_tools, *knowledge_tools, *artifact_tools)))


def offered_tools(host: Facade) -> list[dict[str, Any]]:
    """Return the definitions of the tools; see `Workspace.tools`."""
    return [tool.as_dict() for tool in offered(host)]


def call(host: Facade, name: object, arguments: object, client: ToolClient) -> dict[str, Any]:
    """Run a tool; an error is also returned as a reply. See `Workspace.call`."""
    try:
        reply = _call(host, name, arguments, client)
        if reply.transaction:
            client.follow(host.config, reply.transaction)
    except ConflictError as error:
        reply = _conflict_reply(host, error)
    except MdmemError as error:
        reply = model.reply_from_error(in_language(error, host.lang))
    given = _texts(arguments)
    source = "\n".join(one[:_ECHOED] for one in given)
    reply = reply._replace(
        message=safe_message(reply.message, source, given), hint=safe_message(reply.hint, source, given)
    )
    if reply.code == TargetError.code and any(MARK.search(one) for one in given):
        reply = reply._replace(hint=say(host.lang, "tool.mask-sought"))
    if reply.status == "error":
        candidates = tuple(safe_message(one, source, given) for one in reply.candidates)
        reply = reply._replace(path=safe_message(reply.path, source, given), candidates=candidates)
    return for_agent(reply, host.lang).as_dict()


def _texts(arguments: object) -> list[str]:
    """Return the texts in the arguments."""
    values = arguments.values() if isinstance(arguments, dict) else (arguments,)
    texts = (one for value in values for one in (value if isinstance(value, list) else (value,)))
    return [one for one in texts if isinstance(one, str)]


def _conflict_reply(host: Facade, error: ConflictError) -> ToolReply:
    """Return the reply about an entry that somebody else changed first, with its text as it is now."""
    reply = model.reply_from_error(in_language(error, host.lang))
    if not error.places:
        return reply
    gone = say(host.lang, "tool.removed-since")
    shown = [
        f"{error.path}:{line} {mask(one_line(text)) or gone}"
        for line, text in error.places[: host.config.settings.store.list]
    ]
    message = say(host.lang, "tool.changed-since", path=error.path, lines="\n".join(shown))
    return reply._replace(message=message, hint=say(host.lang, "tool.changed-since.hint"))


def _call(host: Facade, name: object, arguments: object, client: ToolClient) -> ToolReply:
    lang, definitions = host.lang, tools(host.lang)
    if name == MEMORY and isinstance(arguments, dict):
        rest = dict(arguments)
        name, arguments = rest.pop("command", ""), rest
    if not isinstance(name, str) or name not in definitions:
        shown = echo(name) if isinstance(name, str) else type(name).__name__
        raise UsageError(
            say(lang, "tool.no-tool", name=shown),
            hint=say(lang, "tool.tools", names=", ".join(one.name for one in definitions.values() if not one.hidden)),
        )
    schema = with_choices(definitions[name], host.config).schema
    checked = check(schema, arguments, lang, host.config.settings.lint.max_bytes)
    return _HANDLERS[name](host, client, **checked)
