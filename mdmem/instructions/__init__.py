"""Keep one generated block in the instruction files of agents: AGENTS.md, CLAUDE.md, GEMINI.md."""
