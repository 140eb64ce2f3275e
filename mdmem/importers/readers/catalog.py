"""The readers, in the order in which `auto` asks them: what is most particular first. Pure."""

from __future__ import annotations

from mdmem.importers.readers import agents, chats, fastmemo, folders, openakita, statements

READERS = (
    openakita.READER, chats.CHATGPT, chats.CLAUDE, statements.MCP_MEMORY, statements.MEM0, fastmemo.READER,
    agents.REACT, folders.LOGSEQ, folders.BASIC_MEMORY, folders.CODEX, folders.CLAUDE_CODE, agents.PET,
)  # fmt: skip
