"""A long paste in a turn becomes an artifact; the turn keeps the message about it, and a pointer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.formats.artifact import read_artifact
from mdmem.workspace import Workspace

Make = Callable[..., Workspace]

LOG = "\n".join(f"2026-02-20 08:{n:02}:11,204 ERROR importer: row {n} has no level" for n in range(40))
TABLE = "| station | level |\n|---|---|\n" + "\n".join(f"| s{n} | {n}.5 |" for n in range(40))
CSV = "\n".join(f"s{n},2026-02-{n % 28 + 1:02},{n}.5,ok" for n in range(40))
CODE = (
    "def gaps(rows):\n" + "\n".join(f"    total_{n} = compute(rows, {n})" for n in range(40)) + "\n    return total_1"
)
PYTHON = f"```python\n{CODE}\n```"
TRACE = "Traceback (most recent call last):\n" + "\n".join(
    f'  File "/srv/app/part{n}.py", line {n}, in run\n    step_{n}(rows)' for n in range(20)
)
JSON = '{\n  "rows": [\n' + "\n".join(f'    {{"id": {n}, "level": {n}.5}},' for n in range(40)) + "\n  ]\n}"
POEM = "\n".join(f"Line {n} of a song that nobody wrote down" for n in range(60))
LIST = "\n".join(f"- {n} eggs, some milk and bread" for n in range(60))
STEPS = "\n".join(f"{n}. Open the door, then wait for Dr. Petrova to come back." for n in range(60))
TALK = "\n\n".join(f"第 {n} 天我们去了海边，念念捡了 {n} 个贝壳，回来的时候下雨了。" for n in range(60))


@pytest.mark.parametrize("paste", [LOG, TABLE, CSV, PYTHON, CODE, TRACE, JSON])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_paste_is_stored_apart_and_the_message_stays(make: Make, role: str, paste: str) -> None:
    work = make("en")
    session = work.sessions.start("find the gaps")
    done = session.turn(role, f"Look at this, row 7 is odd:\n\n{paste}\n\nWhat do you make of it?")
    (turn,) = work.sessions.show(session.id).turns
    (run,) = work.artifacts.list()
    data = Path(work.root, run.path).read_bytes()
    assert data[read_artifact(data, run.path).body :].decode() == paste
    assert turn.text.startswith("Look at this, row 7 is odd:\n\n")
    assert turn.text.endswith("\n\nWhat do you make of it?")
    assert f"tool:{run.id}" in turn.text
    assert len(turn.text) < len(paste)
    assert f"kept as tool:{run.id}" in done.hint
    assert not [one for one in work.lint().diagnostics if one.severity != "note"]


@pytest.mark.parametrize("text", [POEM, LIST, STEPS, TALK, "word " * 5000, PYTHON.replace("total", "t")[:300]])
def test_what_a_person_wrote_stays_in_the_turn(make: Make, text: str) -> None:
    work = make("en")
    session = work.sessions.start("talk")
    session.turn("user", text)
    assert work.sessions.show(session.id).turns[0].text.strip() == text.strip()
    assert work.artifacts.list() == ()


def test_a_text_that_is_too_long_for_a_message_is_stored_apart(make: Make) -> None:
    work = make("en", settings="[session]\ntext_chars = 5000\n")
    text = "The tide was high and the boats were in. " * 200
    session = work.sessions.start(text)
    session.turn("user", text)
    (turn,) = work.sessions.show(session.id).turns
    stored = [path.read_bytes() for path in Path(work.root, "artifacts").rglob("*.md")]
    assert stored
    assert all(data[read_artifact(data, "a.md").body :].decode().strip() == text.strip() for data in stored)
    assert len(turn.text) < 1000
    assert (Path(work.root) / session.path).stat().st_size < 5000


def test_the_whole_text_of_a_tool_is_output(make: Make) -> None:
    work = make("en")
    session = work.sessions.start("run it")
    session.turn("tool", "word " * 2000)
    (turn,) = work.sessions.show(session.id).turns
    assert f"tool:{work.artifacts.list()[0].id}" in turn.text
    assert len(turn.text) < 1500


def test_a_secret_in_a_paste_is_masked(make: Make, traces: Callable[[str], list[str]]) -> None:
    work = make("en")
    key = "sk-proj-" + "a8Fq2Lz0Xw7Rt5Yp3Kd9Mn4Bv6Cx1Jh"
    work.sessions.start("paste").turn("user", f"{LOG}\n2026-02-20 09:00:00 INFO key {key}\n{LOG}")
    assert traces(key) == []
