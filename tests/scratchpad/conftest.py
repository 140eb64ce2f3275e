"""Conversations that the program records, and the scratchpad that comes of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]  # of the fixture `mdmem`
Talk = Callable[..., str]


@pytest.fixture
def talk(mdmem: Run) -> Talk:
    """Record a conversation, user and assistant in turn, and end it; return the last reply's hint."""

    def record(
        task: str, turns: Sequence[str], response: str = "", outcome: str = "success", *options: str
    ) -> str:  # fmt: skip
        lines: list[dict[str, str]] = [
            {"role": "assistant" if index % 2 else "user", "text": text} for index, text in enumerate(turns)
        ]
        lines.append({"end": response, "outcome": outcome})
        given = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        done = mdmem("session", "record", "--task", task, *options, given=given)
        return str(json.loads(done.stdout.splitlines()[-1])["hint"])

    return record


@pytest.fixture
def pad(root: Path) -> Callable[[], str]:
    """Give the text of the scratchpad."""
    return lambda: (root / "SCRATCHPAD.md").read_bytes().decode()
