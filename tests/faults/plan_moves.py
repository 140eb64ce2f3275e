"""The jobs that begin a run of a piece of knowledge and move in its plan."""

from __future__ import annotations

import tempfile
from pathlib import Path

from commands import Ack
from parsed_once import parse_once

from mdmem.workspace import Workspace

PIECE = """---
name: csv
description: Import tables
---
# csv

## Functions

### import_all

- inputs: files

1. List {files}
2. CALL check(file=the next file)
3. IF a file is left THEN GOTO 2 ELSE GOTO 4
4. Say how many rows came in

### check

- inputs: file

1. Look at {file}
2. Read {file}
"""


def begin(root: str, ack: Ack) -> None:
    """Make the plan a run of the piece."""
    Workspace(root).knowledge.run("csv:import_all", {"files": "two files"})
    ack("moved")


def again(root: str, ack: Ack) -> None:
    """Jump back to the begin of the loop: three steps are open again."""
    Workspace(root).plan.goto("2")
    ack("moved")


def enter(root: str, ack: Ack) -> None:
    """Go into the called function."""
    Workspace(root).plan.goto("2.1")
    ack("moved")


def done(root: str, ack: Ack) -> None:
    """Finish the current step."""
    Workspace(root).plan.done()
    ack("moved")


def warm_up() -> None:
    """Import and parse what the jobs need."""
    parse_once(setattr)
    with tempfile.TemporaryDirectory() as root:
        Path(root, "mdmem.toml").write_text('lang = "en"\n', "utf-8")
        Path(root, "knowledge").mkdir()
        Path(root, "knowledge", "csv.md").write_text(PIECE, "utf-8")
        for job in (begin, done, enter, again):
            job(root, lambda _: None)
