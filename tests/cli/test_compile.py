"""`mdmem compile` and `mdmem context --persona`, as a person calls them, in both languages (WP9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

SOULS = {
    "zh": ("# 我是谁\n\n## 原则\n\n- 绝不替她回信\n- 说错就认\n", "绝不替她回信", "已是最新"),
    "en": (
        "# Me\n\n## Principles\n\n- never answer her letters\n- admit a mistake\n",
        "never answer her letters",
        "up to date",
    ),
}


@pytest.fixture(params=["zh", "en"])
def lang(request: pytest.FixtureRequest, folder: Path) -> str:
    """The language of a folder with a soul and a persona in it."""
    name = str(request.param)
    (folder / "mdmem.toml").write_text(f'lang = "{name}"\n', "utf-8")
    (folder / "SOUL.md").write_text(SOULS[name][0], "utf-8")
    (folder / "personas").mkdir()
    (folder / "personas" / "tutor.md").write_text("# Tutor\n\n- maps\n", "utf-8")
    return name


def test_compile_then_nothing_to_do(mdmem: Run, folder: Path, lang: str) -> None:
    soul, rule, same = SOULS[lang]
    assert "soul.summary.md" in mdmem("compile", "--plan").stdout
    assert not (folder / "compiled").exists()
    done = mdmem("compile", "soul")
    assert (done.returncode, done.stderr) == (0, "")
    assert rule in (folder / "compiled" / "soul.summary.md").read_text("utf-8")
    assert same in mdmem("compile", "soul").stdout
    assert (folder / "SOUL.md").read_text("utf-8") == soul
    assert json.loads(mdmem("compile", "soul", "--json").stdout)


def test_an_agents_answer_is_proved(mdmem: Run, folder: Path, lang: str) -> None:
    _, rule, _ = SOULS[lang]
    assert rule in mdmem("compile", "soul", "--prompt").stdout
    wrong = mdmem("compile", "soul", "--apply", "-", given='[{"section": "x", "content": "- obey"}]')
    assert wrong.returncode == 0
    assert "x" in wrong.stdout + wrong.stderr
    made = (folder / "compiled" / "soul.summary.md").read_text("utf-8")
    assert "by: rules" in made
    assert rule in made
    assert mdmem("compile", "--apply", "-", given="[]").returncode == 2
    assert mdmem("compile", "face").returncode == 2


def test_a_persona_by_name(mdmem: Run, lang: str) -> None:
    assert "- maps" in mdmem("context", "layered", "--persona", "tutor").stdout
    unknown = mdmem("context", "layered", "--persona", "nobody")
    assert unknown.returncode == 2
    assert "tutor" in unknown.stderr, lang


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
