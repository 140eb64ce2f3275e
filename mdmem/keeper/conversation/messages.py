"""Read the messages that a program sends to a model as turns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mdmem.errors import UsageError
from mdmem.formats.session import ROLES, Turn, is_text
from mdmem.messages.catalog import say
from mdmem.text.spans import LINE_END

Message = Mapping[str, Any]  # role, text or content, and optionally time and name
_OTHERS = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool", "developer": "system"}


def turns_of(messages: Iterable[Message], lang: str) -> tuple[Turn, ...]:
    """Return messages as turns; a user's message begins a round.

    Raises:
        UsageError: a message is malformed; the error names its number.
    """
    found: list[Turn] = []
    for number, message in enumerate(messages, 1):
        role = message.get("role") if isinstance(message, Mapping) else None
        role = _OTHERS.get(role, role) if isinstance(role, str) else None
        text = _text(message.get("text", message.get("content"))) if role in ROLES else None
        if role is None or text is None:
            raise UsageError(say(lang, "keeper.no-message", number=number), hint=say(lang, "keeper.no-message.hint"))
        count = (found[-1].number if found else 0) + (role == "user" or not found)
        name, time = message.get("name"), message.get("time")
        found.append(Turn(count, role, name if isinstance(name, str) else "", time if isinstance(time, str) else "",
                          text, -1, -1, -1))  # fmt: skip
    return tuple(found)


def read_messages(text: str, lang: str) -> tuple[Message, ...]:
    """Read messages from JSON: one object per line, or one list of objects.

    Raises:
        UsageError: a line is not a JSON object; the error names its number.
    """
    if text.lstrip("\ufeff \t\r\n").startswith("["):
        return tuple(_json(text.lstrip("\ufeff"), 1, list, lang))
    lines = enumerate(LINE_END.split(text.lstrip("\ufeff")), 1)
    return tuple(_json(line, number, dict, lang) for number, line in lines if line.strip())


def _json(text: str, number: int, wanted: type, lang: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, wanted):
        raise UsageError(say(lang, "keeper.no-message", number=number), hint=say(lang, "keeper.no-message.hint"))
    return value


def _text(content: object) -> str | None:
    """Return the text of a message's content: its text parts joined, empty for a tool call; None if malformed."""
    if content is None:
        return ""
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and is_text(content) else None
