"""`mdmem extract`: what it prints, its flags, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def talk(folder: Path, mdmem: Run) -> Path:
    name = mdmem("session", "start", "talk", "--lang", "en").stdout.strip()
    for role, text in (
        ("user", "I live in Leeds. How do I install numpy?"), ("assistant", "With pip."),
        ("user", "Never push directly to main."), ("assistant", "All right."),
    ):  # fmt: skip
        assert mdmem("session", "turn", role, text).returncode == 0
    return folder / "sessions" / f"{name}.md"


def facts(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((folder / "facts").glob("*.md")))


def test_it_tells_what_was_written_and_what_was_not(talk: Path, folder: Path, mdmem: Run) -> None:
    done = mdmem("extract", "--lang", "en")
    assert done.returncode == 0
    assert "rounds 1–2: 2 written; not written: 1 question" in done.stdout
    assert "lives in Leeds" in done.stdout, "what was written is shown"
    assert "Never push directly to main." in facts(folder)
    assert "no session waits to be extracted" in mdmem("extract", "--lang", "en").stdout
    assert "no rounds that wait" in mdmem("extract", talk.stem, "--lang", "en").stdout


def test_a_plan_and_a_prompt_write_nothing(talk: Path, folder: Path, mdmem: Run) -> None:
    before = talk.read_bytes()
    assert "lives in Leeds" in mdmem("extract", "--plan").stdout
    assert "How do I install numpy?" in mdmem("extract", "--prompt").stdout
    assert mdmem("extract", "--prompt", "--plan").returncode == 2
    assert (talk.read_bytes(), facts(folder)) == (before, "")


def test_an_answer_from_a_file_and_no_such_session(talk: Path, folder: Path, mdmem: Run) -> None:
    row = {"content": "lives in Leeds", "predicate": "lives_in", "importance": 0.8}
    (folder / "answer.json").write_text(json.dumps([row]), "utf-8")
    assert mdmem("extract", "--apply", "answer.json").returncode == 0
    assert "lives in Leeds" in facts(folder)
    assert "extracted_through: 2" in talk.read_text("utf-8")
    missing = mdmem("extract", "1999")
    assert missing.returncode == 12
    assert "Traceback" not in missing.stderr


def test_a_single_round_is_told_as_one(folder: Path, mdmem: Run) -> None:
    mdmem("session", "start", "greet", "--lang", "en")
    mdmem("session", "turn", "user", "I live in Leeds.")
    told = mdmem("session", "end", "--lang", "en").stdout
    assert "round 1: 1 written; wrote the episode of round 1" in told
