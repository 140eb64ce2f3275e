"""Replaces commands in messages by tools, because an agent has no command line.

Messages name commands as `mdmem …` in backticks. In the replies of tools, each becomes the tool with the same effect,
or a request to the user.
"""

from __future__ import annotations

import re

from mdmem.messages.catalog import say
from mdmem.text.pattern import pattern
from mdmem.tools.definitions import tools
from mdmem.tools.model import ToolReply

_COMMAND = pattern(r"`mdmem ([a-z]+)(?: ([a-z]+))?([^`\n]*)`")


def for_agent(reply: ToolReply, lang: str) -> ToolReply:
    """Return a reply whose messages name tools instead of commands; the text of files is unchanged."""
    findings = tuple(
        one._replace(message=with_tools(one.message, lang), hint=with_tools(one.hint, lang)) for one in reply.findings
    )
    return reply._replace(message=with_tools(reply.message, lang), hint=with_tools(reply.hint, lang), findings=findings)


def with_tools(text: str, lang: str) -> str:
    """Return a message that names tools instead of commands."""
    if "`" not in text:
        return text
    names = {command: name for name, tool in tools(lang).items() for command in tool.commands}

    def tool(match: re.Match[str]) -> str:
        verb, noun = match[1], match[2] or ""
        name = None if "--" in match[3] else names.get(f"{verb} {noun}") or names.get(verb)
        return f"`{name}`" if name else say(lang, "tool.users-command", name=f"{verb} {noun}".strip())

    return _COMMAND.sub(tool, text)
