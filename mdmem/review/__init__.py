"""The journey at the end of a session: its steps, and the review that proposes what belongs in MEMORY.md."""
