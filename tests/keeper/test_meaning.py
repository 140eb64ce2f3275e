"""The proof knows meaning: a lie made of the source's own words is refused, and an honest answer passes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from conftest import TODAY

from mdmem.generation.meaning import doubts
from mdmem.settings.tables import Settings
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import missing

from .conftest import Make, said

_PARTS = [
    part.partition("\n")
    for part in (Path(__file__).parent / "cases" / "answers.md").read_text("utf-8").split("## ")[1:]
]
CASES = {title: [line[2:] for line in rows.splitlines() if line.startswith("- ")] for title, _, rows in _PARTS}


def refused(settings: Settings, lang: str, line: str) -> bool:
    source = CASES[f"source {lang}"]
    return bool(doubts(source, [line], ImportanceScorer(settings.keeper, TODAY)) or missing(line, "\n".join(source)))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_lies_are_refused_and_honest_answers_pass(settings: Settings, lang: str) -> None:
    passed = [line for line in CASES[f"lies {lang}"] if not refused(settings, lang, line)]
    stopped = [line for line in CASES[f"honest {lang}"] if refused(settings, lang, line)]
    assert len(passed) <= 1, passed
    assert len(stopped) <= 1, stopped


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_source_bears_itself_out(settings: Settings, lang: str) -> None:
    source = CASES[f"source {lang}"]
    scorer = ImportanceScorer(settings.keeper, TODAY)
    assert doubts(source, source, scorer) == ()
    assert doubts(source, ["；".join(source)], scorer) == ()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("主人对花生不过敏", "negated"),
        ("主人非常生气并准备辞职", "unfounded"),
        ("明年夏天回杭州工作", "certain"),
        ("爸爸每周三去医院做透析", "subject"),
    ],
)
def test_each_doubt_has_its_kind(settings: Settings, line: str, kind: str) -> None:
    (doubt,) = doubts(CASES["source zh"], [line], ImportanceScorer(settings.keeper, TODAY))
    assert doubt.kind == kind
    assert doubts(CASES["source zh"], [f"{line}（待确认）"], ImportanceScorer(settings.keeper, TODAY)) == ()


def test_a_model_that_turns_a_fact_around_changes_nothing(make: Make) -> None:
    rows = ["主人对花生过敏", "猫叫年糕，六岁", *(f"第 {n} 个书架放 {n + 20} 本旧书" for n in range(8))]
    text = "# 表层记忆\n\n## 用户感知\n\n" + "".join(f"- {row}\n" for row in rows)
    workspace = make({"FASTMEMO.md": text})
    honest = "；".join(rows)
    for lie in (honest.replace("过敏", "不过敏"), f"{honest}；主人非常生气并准备辞职"):
        (done,) = workspace.compact(now=True, backend=partial(told, lie))
        assert done.status == "refused", done
        assert "原文" in done.message
        assert said(workspace, "FASTMEMO.md") == text
    assert workspace.compact(now=True, backend=partial(told, honest))[0].status == "done"


def told(content: str, _: str) -> str:
    return json.dumps([{"section": "用户感知", "content": content}])
