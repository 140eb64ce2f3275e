"""A session whose file is full goes on in another one, and nothing about its end is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.history.evidence import find_evidence
from mdmem.workspace import Workspace

MOST = 4_000
SETTINGS = f"[lint]\nmax_bytes = {MOST}\n"


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- the mill is old\n"}, settings=SETTINGS)


def said(number: int) -> str:
    return f"question {number}: how do we mend the sluice number {number}?"


def talked(work: Workspace, rounds: int, agent: str = "claude") -> list[str]:
    """Record rounds, each by a process of its own, and return the paths that they went to."""
    session = work.sessions.start("Mend the sluices", agent=agent)
    paths = [session.path]
    for number in range(1, rounds + 1):
        session.turn("user", said(number))
        session.turn("assistant", f"answer {number}: with oak")
        paths += [session.path] if session.path != paths[-1] else []
        session = Workspace(work.root).sessions.resume(session.path, agent=agent)
    session.end("All sluices are mended.")
    return paths


def test_the_rounds_go_on_with_their_numbers(work: Workspace) -> None:
    _, *others = paths = talked(work, 60)
    shown = [work.sessions.show(path) for path in paths]
    numbers = [turn.number for one in shown for turn in one.turns if turn.role == "user"]
    assert numbers == list(range(1, 61))
    assert [turn.text for one in shown for turn in one.turns if turn.role == "user"] == list(map(said, range(1, 61)))
    assert [one.continues for one in shown] == ["", *(one.id for one in shown[:-1])]
    assert [one.outcome for one in shown] == [*("ongoing" for _ in others), "unknown"]
    assert all(one.ended for one in shown)
    assert shown[1].id in shown[0].response
    assert all(Path(work.root, path).stat().st_size <= MOST * 1.25 for path in paths)


def test_every_part_gets_its_episode_and_is_extracted(work: Workspace) -> None:
    paths = talked(work, 60)
    assert not work.sessions.unextracted()
    assert all("[rounds::" in Path(work.root, path).read_text("utf-8") for path in paths)
    assert not [one for one in work.lint().diagnostics if one.code in ("MM115", "MM609", "MM604", "MM603")]


def test_the_newest_rounds_are_read_over_the_seam(work: Workspace) -> None:
    last = talked(work, 40)[-1]
    within = len({turn.number for turn in work.sessions.show(last).turns})
    assert [turn.number for turn in work.sessions.recent_turns(last, within + 3) if turn.role == "user"] == list(
        range(40 - within - 2, 41)
    )


def test_a_chat_pack_holds_what_was_said_before_the_seam(work: Workspace) -> None:
    session = work.sessions.start("Mend the sluices", agent="claude")
    path, number = session.path, 0
    while session.path == path:
        number += 1
        session.turn("user", said(number))
    text = work.pack("chat", agent="claude").text
    assert said(number) in text
    assert said(number - 1) in text


def test_an_answer_cites_the_file_with_its_round(work: Workspace) -> None:
    last = talked(work, 40)[-1]
    number = work.sessions.show(last).turns[0].number
    found = find_evidence(work.config, f"chat:{Path(last).stem}#{number}")
    assert said(number) in " ".join(found.excerpt)


@pytest.mark.parametrize("text", ["a long tale without an end, " * 400, "很长的一段话，说不完。" * 500, "x" * 9_000])
def test_a_turn_that_fits_no_file_becomes_an_artifact(work: Workspace, text: str) -> None:
    session = work.sessions.start("Listen", agent="claude")
    done = session.turn("assistant", text)
    assert "tool:" in done.hint
    session.turn("assistant", "that was long")
    (stored,) = Path(work.root, "artifacts").rglob("*.md")
    assert text.strip()[:2_000] in stored.read_text("utf-8")
    assert "tool:" in "".join(turn.text for turn in work.sessions.show(session.path).turns)
    assert len(work.sessions.list()) == 1


@pytest.mark.parametrize("missing", [0, 1, 40, 200])
def test_a_session_at_the_bound_ends(work: Workspace, missing: int) -> None:
    session = work.sessions.start("Listen", agent="claude")
    session.turn("user", said(1))
    session.turn("assistant", "with oak")
    path = Path(work.root, session.path)
    filler = MOST - missing - path.stat().st_size - len("\n### 1 assistant 21:30\n\n\n")
    path.write_text(f"{path.read_text('utf-8')}\n### 1 assistant 21:30\n\n{'z' * filler}\n", "utf-8")
    again = Workspace(work.root).sessions.resume(session.path, agent="claude")
    done = again.end("All sluices are mended, and the oak is paid for.")
    assert "cannot be read" not in done.hint
    assert work.sessions.show(session.path).ended
    assert not work.sessions.unextracted()
    assert work.search("sluice mend")


def test_a_response_that_is_too_long_becomes_an_artifact(work: Workspace) -> None:
    session = work.sessions.start("Listen", agent="claude")
    session.turn("user", said(1))
    assert "tool:" in session.end("We mended one after the other. " * 300).hint
    assert work.sessions.show(session.path).ended
    assert not work.sessions.unextracted()


@pytest.mark.parametrize("name", ["own", "none", "..", "../../etc/passwd", "x\\y", "circle"])
def test_what_a_session_says_it_continues_leads_nowhere_else(work: Workspace, name: str) -> None:
    first, second = (work.sessions.start("Listen", agent="claude") for _ in range(2))
    for one, other in ((first, second), (second, first)):
        one.turn("user", said(1))
        target = {"own": one.id, "circle": other.id}.get(name, name)
        path = Path(work.root, one.path)
        path.write_text(path.read_text("utf-8").replace("ended:", f"continues: '{target}'\nended:", 1), "utf-8")
    turns = Workspace(work.root).sessions.recent_turns(first.path, 9)
    assert len(turns) == (2 if name == "circle" else 1)
    Workspace(work.root).sessions.resume(first.path, agent="claude").end("done")
