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
