"""Imported facts get the property and the type that their words tell, in both languages (K169)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Make

from mdmem import Workspace

ROWS = [  # a memory, and the property and the type that it gets; empty: as before
    ("User lives in Leiden", "lives_in", "fact"),
    ("The user's Python is 3.12", "Python_version", "fact"),
    ("User prefers window seats on trains", "likes", "preference"),
    ("User works as a nurse", "job", "fact"),
    ("Never push to main without asking", "rule", "rule"),
    ("用户住在莱顿", "住址", "fact"),
    ("用户喜欢靠窗的座位", "喜欢", "preference"),
    ("用户的编辑器是 Emacs", "编辑器", "fact"),
    ("没有问过我不要推送到 main", "rule", "rule"),
    ("The weather in Delft was dull, and the trains were late", "note", "fact"),
    ("那天雾很大，火车晚点了", "note", "fact"),
]


def imported(make: Make, tmp_path: Path, rows: list[dict[str, str]]) -> Workspace:
    source = tmp_path / "source"
    source.mkdir()
    more = {"priority": "long_term", "importance_score": 0.7, "created_at": "2026-01-31T10:00:00"}
    (source / "memories.json").write_text(json.dumps([{**more, **row} for row in rows], ensure_ascii=False), "utf-8")
    work = make("en")
    report = work.import_from(source)
    assert report.written == len(rows), report
    return work


@pytest.mark.parametrize(("text", "predicate", "kind"), ROWS)
def test_a_memory_without_a_property_gets_that_of_its_words(
    make: Make, tmp_path: Path, text: str, predicate: str, kind: str
) -> None:
    work = imported(make, tmp_path, [{"id": "a", "content": text, "type": "fact"}])
    (fact,) = work.facts()
    assert (fact.text, fact.predicate, fact.type) == (text, predicate, kind)


def test_what_the_source_says_stays(make: Make, tmp_path: Path) -> None:
    row = {"id": "a", "content": "User lives in Leiden", "type": "skill", "subject": "Ann", "predicate": "place"}
    (fact,) = imported(make, tmp_path, [row]).facts()
    assert (fact.subject, fact.predicate, fact.type) == ("Ann", "place", "skill")
