"""The readers, in the order in which `auto` asks them: what is most particular first. Pure."""

from __future__ import annotations

from mdmem.importers.readers import agents, chats, exported, fastmemo, note_folders, openakita, statements

READERS = (
    exported.READER, openakita.READER, chats.CHATGPT, chats.CLAUDE, statements.MCP_MEMORY, statements.MEM0,
    fastmemo.READER, agents.REACT, note_folders.LOGSEQ, note_folders.BASIC_MEMORY, note_folders.CODEX,
    note_folders.CLAUDE_CODE, agents.PET,
)  # fmt: skip
