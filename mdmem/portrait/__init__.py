"""The portrait: what MEMORY.md, USER.md and the persona file say out of the facts."""
