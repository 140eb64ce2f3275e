"""A search is narrowed to a session, to who spoke, to a tool (K025)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import UsageError
from mdmem.workspace import Workspace

HEAD = "---\nagent: main\ntask: kayak trip\nstarted: 2026-02-13 21:30\n---\n# Session: x\n"
SAID = "\n### 1 Ann 10:00\n\nMy kayak is green.\n\n### 1 Bo 10:01\n\nA green kayak, then.\n"
NAMED = f"{HEAD}\n## Request\n\nThe kayak.\n\n## Turns\n{SAID}"


@pytest.fixture
def work(make: Make) -> Workspace:
    work = make("en", {"MEMORY.md": "# M\n\n- A kayak in the shed\n", "sessions/20260213_213000_named.md": NAMED})
    session = work.sessions.start("kayak", agent="a")
    session.turn("user", "Where is the kayak?")
    session.turn(
        "assistant", "I look for the kayak",
        tool_calls=[{"name": "read_file", "input": {"path": "kayak.md"}, "id": "1"},
                    {"name": "shell", "input": "grep kayak *", "id": "2"}],
        tool_results=[{"tool_use_id": "1", "content": "a kayak"},
                      {"tool_use_id": "2", "content": "kayak", "is_error": True}],
    )  # fmt: skip
    session.turn("tool", "shell: kayak found")
    return work


def texts(work: Workspace, **given: str) -> set[str]:
    return {hit.text.split("\n")[0] for hit in work.search("kayak", 50, **given)}


def test_by_role(work: Workspace) -> None:
    """A speaker with a name has the role of their place: the first of a round is the user."""
    assert texts(work, role="user") == {"Where is the kayak?", "My kayak is green."}
    assert texts(work, role="assistant") == {"I look for the kayak", "A green kayak, then."}
    assert len(texts(work, role="tool")) == 3
    assert texts(work, role="system") == set()
    with pytest.raises(UsageError):
        work.search("kayak", role="nobody")


def test_by_tool(work: Workspace) -> None:
    assert texts(work, tool="read_file") == {'read_file `{"path": "kayak.md"}` (ok)'}
    assert texts(work, tool="shell") == {"shell `grep kayak *` (error)", "shell: kayak found"}
    assert texts(work, tool="she") == set()
    assert texts(work, tool="shell", role="user") == set()


def test_by_session(work: Workspace) -> None:
    assert all("kayak" in text.lower() for text in texts(work, session="20260213"))
    assert "My kayak is green." in texts(work, session="20260213_213000_named")
    assert "A kayak in the shed" not in texts(work, session="2")
    assert texts(work, session="20260213", role="assistant") == {"A green kayak, then."}
    assert texts(work, session="nowhere") == set()


@pytest.mark.parametrize(
    ("asked", "told", "words"),
    [
        ("Which port does the database use?", "the main database listens on 5544 (port)", "port database"),
        ("数据库用的是哪个端口？", "主数据库监听 5544 端口", "数据库 端口"),
    ],
)
def test_what_was_asked_of_an_agent_comes_behind_what_tells(make: Make, asked: str, told: str, words: str) -> None:
    filler = " and was moved there by the operators of the night shift after the outage in the old hall"
    work = make("en", {"MEMORY.md": f"# M\n\n## Notes\n\n- 2026-02-01: {told}{filler}\n"})
    work.sessions.start(asked, agent="a").turn("user", asked)
    first, *rest = [hit.text for hit in work.search(words)]
    assert told in first
    assert asked in rest


def test_a_question_alone_makes_no_recall_sure(make: Make) -> None:
    work, asked = make("en", {"MEMORY.md": "# M\n\n- a kayak in the shed\n"}), "Which port does the heron server use?"
    work.sessions.start(asked, agent="a").turn("user", asked)
    assert work.recall(asked).text == ""
    work.sessions.start("ports", agent="a").turn("user", "The heron server uses port 5544.")
    assert "5544" in work.recall(asked).text


TALKS = {
    "en": (
        "Mend the greenhouse relay",
        "The relay clicks.",
        "relayctl probe",
        "The pump hums.",
        "pumpctl read",
        "relay",
    ),
    "zh": ("修好温室的继电器", "继电器一直响。", "relayctl probe", "水泵嗡嗡响。", "pumpctl read", "继电器"),
}


def told(make: Make, lang: str) -> tuple[Workspace, str]:
    """Tell of two things in one session, so that its episode has lines about each."""
    task, first, run, second, other, word = TALKS[lang]
    workspace = make(lang)
    with workspace.sessions.start(task) as session:
        for text, command in ((first, run), (second, other)):
            session.turn("user", text)
            calls = [{"name": "bash", "input": {"command": command}, "id": command}]
            results = [{"tool_use_id": command, "content": "fault 17", "is_error": True}]
            session.turn("assistant", "ok", tool_calls=calls, tool_results=results)
    return workspace, word


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_only_lines_of_episodes_that_hold_the_words_are_hits(make: Make, lang: str) -> None:
    workspace, word = told(make, lang)
    hits = workspace.search(word, kinds=("episode",), limit=50)
    assert hits
    assert all(hit.section in ("Episode", "情节") for hit in hits)
    assert not [hit.text for hit in hits if "pumpctl" in hit.text]


def test_episodes_of_archived_sessions_are_found(make: Make, tmp_path: Path) -> None:
    workspace, word = told(make, "en")
    (path,) = (tmp_path / "workspace" / "sessions").iterdir()
    target = tmp_path / "workspace" / "archive" / "sessions" / path.name
    target.parent.mkdir(parents=True)
    path.rename(target)
    for found in (workspace.episodes(), workspace.episodes(word), workspace.episodes(session=path.stem)):
        assert [one.path for one in found] == [f"archive/sessions/{path.name}"]
