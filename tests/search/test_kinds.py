"""A search for one kind of lines finds lines of that kind that hold the words, and nothing that stands around them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

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
