"""What a message tells a person to type, as what an agent has: the tool that does it, or the user.

Messages name commands as `mdmem …` in backticks, whoever reads them; the replies of tools pass through here.
"""

from __future__ import annotations

import re

from mdmem.messages.catalog import say
from mdmem.text.pattern import pattern
from mdmem.tools.definitions import tools
from mdmem.tools.model import ToolReply

_COMMAND = pattern(r"`mdmem ([a-z]+)(?: ([a-z]+))?([^`\n]*)`")


def for_agent(reply: ToolReply, lang: str) -> ToolReply:
    """Return a reply whose sentences name tools in place of commands; what was read is left as it is."""
    findings = tuple(
        one._replace(message=_renamed(one.message, lang), hint=_renamed(one.hint, lang)) for one in reply.findings
    )
    return reply._replace(message=_renamed(reply.message, lang), hint=_renamed(reply.hint, lang), findings=findings)


def _renamed(text: str, lang: str) -> str:
    if "`" not in text:
        return text
    known = {command: name for name, tool in tools(lang).items() for command in tool.commands}

    def tool(match: re.Match[str]) -> str:
        verb, noun = match[1], match[2] or ""
        name = None if "--" in match[3] else known.get(f"{verb} {noun}") or known.get(verb)
        return f"`{name}`" if name else say(lang, "tool.users-command", name=f"{verb} {noun}".strip())

    return _COMMAND.sub(tool, text)
