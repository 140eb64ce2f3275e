"""The readers, in the order in which `auto` asks them: the most specific first. Pure."""

from __future__ import annotations

from mdmem.importers.readers import agents, chats, exported, fastmemo, note_folders, notion, openakita, statements

READERS = (
    exported.READER, notion.READER, openakita.READER, chats.CHATGPT, chats.CLAUDE, statements.MCP_MEMORY,
    statements.MEM0, fastmemo.READER, agents.REACT, agents.OPENCLAW, note_folders.LOGSEQ, note_folders.BASIC_MEMORY,
    note_folders.CODEX, note_folders.CLAUDE_CODE, note_folders.OBSIDIAN, agents.PET,
)  # fmt: skip
