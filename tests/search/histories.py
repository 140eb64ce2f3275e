"""Values that changed, told in sessions months apart, and questions for the value that held earlier."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import NamedTuple

from month.clock import MonthClock

from mdmem.workspace import Workspace

_ROUNDS = 5  # of a session


class History(NamedTuple):
    """What was said of one thing, in its order, a question for an earlier value, and that value."""

    said: tuple[str, ...]
    question: str
    value: str


def histories(half: str, lang: str) -> list[History]:
    """Read the histories of one half."""
    lines = Path(__file__).with_name("before").joinpath(f"{half}_{lang}.tsv").read_text("utf-8").splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    return [History(tuple(said.split(" > ")), question, value) for said, question, value in fields]


def told(root: Path, lang: str, rows: list[History], clock: MonthClock) -> Workspace:
    """Tell the first values in March, the second ones in June and the third ones in September."""
    (root / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")
    workspace = Workspace(root)
    workspace.init()
    for index, month in enumerate((3, 6, 9)):
        texts = [one.said[index] for one in rows if len(one.said) > index]
        for start in range(0, len(texts), _ROUNDS):
            day = dt.date(2026, month, 1 + start // _ROUNDS)
            clock.set(day)
            workspace.config.day = day.isoformat()
            with workspace.sessions.start("chat") as session:
                for text in texts[start : start + _ROUNDS]:
                    session.turn("user", text)
                    session.turn("assistant", "ok")
    workspace.config.day = "2026-10-01"
    return workspace
