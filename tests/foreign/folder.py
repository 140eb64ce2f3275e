"""The folder that the hostile ones are made of: everything was done in it once, so that all its files are there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .world import World

FILES = {
    "mdmem.toml": 'lang = "en"\n',
    "MEMORY.md": (
        "# Memory\n\n## Important events\n\n- 2026-02-13: the heron nests on the mill\n"
        "- 2026-02-14: the weir is closed\n- 2026-02-15: the lock is closed\n\n"
        "## To-dos and promises\n\n- 2026-02-16: write Ada a letter\n"
    ),
    "FASTMEMO.md": "# Fast memo\n\n## Self awareness\n\n- I answer briefly\n\n## User awareness\n\n- Ada is here\n",
    "SOUL.md": "# Soul\n\n## Principles\n\n- Always answer in one sentence\n",
    "USER.md": "# User\n\n- Ada\n",
    "AGENT.md": "# Agent\n\n## Rules\n\n- Always ask before you delete\n",
    "links.md": "# Links\n\n- 2026-02-13: the stork nests on the barn\n",
    "memory/2026-02-13.md": "# 2026-02-13\n\n- the ferry was late\n",
    "memory/notes.md": "# Notes\n\n- the ford is deep\n",
    "memory/boat.pdf": "%PDF-1.4\n",
    "personas/tech_expert.md": "# Persona\n\n- skill: knots\n",
    "prompts/prompt.md": "You are a helper.\n",
    "incoming/old.md": "# Old\n\n- the quay is long\n",
    "incoming/skills/mend/SKILL.md": "---\nname: mend\ndescription: Mend a net.\n---\n# Mend\n\n1. find the hole\n",
    "incoming/skills/mend/scripts/knot.sh": "#!/bin/sh\n",
    "boat.pdf": "%PDF-1.4\n",
    "docs/read.md": "# Docs\n",
    ".gitignore": "*.log\n",
    "baseline.json": "[]\n",
}  # fmt: skip


def lived_in(base: Path) -> Path:
    """Make a folder in which everything was done once."""
    seed = base / "seed"
    for name, text in FILES.items():
        (seed / name).parent.mkdir(parents=True, exist_ok=True)
        (seed / name).write_text(text, "utf-8")
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    for words in (("init", "-q"), ("add", "-A")):
        subprocess.run(["git", "-C", str(seed), *words], check=True, env=quiet)
    first = World(base / "first", seed, {"artifact": "none", "session": "none", "attachment": "boat"})
    first.everything()
    return first.root


def names(folder: Path) -> dict[str, str]:
    """Return the names in a folder that acts ask for."""
    artifact = next(path.stem for path in sorted(folder.glob("artifacts/**/*.md")))
    session = next(path.stem for path in sorted(folder.glob("sessions/*.md")))
    attachment = next(path.stem for path in sorted(folder.glob("attachments/**/*boat*.md")))
    return {"artifact": artifact, "session": session, "attachment": attachment}
