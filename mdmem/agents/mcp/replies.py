"""Words a tool's reply as the text that a model reads, and names the client as an actor. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WHOLE = ("done", "unchanged")  # of a reply with one of these, the text alone says everything
_NAME = 59  # characters of the client's name; an actor has 64
_GAPS = re.compile(r"[\s\[\]]+")


def reply_text(reply: Mapping[str, Any]) -> str:
    """Return what a model reads of a reply: the text, or else the message; then hint, findings and candidates."""
    text = reply.get("text", "")
    lines = [text] if text and reply["status"] in _WHOLE else [reply["message"], text]
    lines += [reply["hint"], *map(_finding, reply["findings"]), *(f"- {one}" for one in reply.get("candidates", ()))]
    return printable("\n".join(filter(None, lines)))


def _finding(finding: Mapping[str, Any]) -> str:
    location = f"{finding['path']}:{finding['line']}"
    hint = f" ({finding['hint']})" if finding["hint"] else ""
    return f"{location} {finding['code']} {finding['severity']}: {finding['message']}{hint}"


def actor_name(client: str) -> str:
    """Return the actor for a client; the prefix keeps it from posing as the person or the keeper."""
    name = "".join(char for char in _GAPS.sub("-", client.strip()) if char.isprintable())[:_NAME].strip("-")
    return f"mcp:{name}" if name else "mcp"


def printable(text: str) -> str:
    """Return a text without lone surrogates, which JSON in UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode()
