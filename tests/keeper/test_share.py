"""One number drives what condensation writes and what is shown: the view's, divided among the sections."""

from __future__ import annotations

import pytest
from harness import entries, said
from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.limits import shares, view_room
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.edits import build_compaction_plan
from mdmem.keeper.condensing.proof import plan_problems
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits

from .conftest import Make, MakeTask

SECTIONS = ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")
NUMBERS = st.lists(st.tuples(st.integers(0, 900), st.integers(0, 300)), max_size=8)


@given(st.integers(0, 3000), NUMBERS)
def test_a_room_is_divided_fairly(room: int, asked: list[tuple[int, int]]) -> None:
    wants, least = [max(pair) for pair in asked], [pair[1] for pair in asked]
    found = shares(room, wants, least)
    assert all(low <= part <= want for low, part, want in zip(least, found, wants, strict=True))
    assert sum(found) <= max(room, sum(least))
    level = max(found, default=0)
    assert all(
        part >= min(want, level) - 1 or sum(found) > room - len(found) for part, want in zip(found, wants, strict=True)
    )


def rows(section: str, count: int = 10) -> list[str]:
    return [
        f"{section}第 {n} 件：{n + 7}:{n}5 在第 {n * 3} 号码头等船，票价 {n * 4 + 6} 元，带了雨衣、热水和旧书，"
        "等到人齐了才开，路上没有信号"
        for n in range(1, count + 1)
    ]  # fmt: skip


def full(*sections: str) -> str:
    parts = (f"## {name}\n\n" + "".join(f"- {row}\n" for row in rows(name) if name in sections) for name in SECTIONS)
    return "# 表层记忆\n\n" + "\n".join(parts)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_what_is_condensed_fits_into_the_view_and_uses_its_room(task: MakeTask, count: int) -> None:
    now = task(full(*SECTIONS[:count]))
    operations = tidy.rule_based_answer(now)
    assert list(plan_problems(now, operations)) == []
    after = parse(apply_edits(now.document.text, build_compaction_plan(now, operations).edits).encode())
    lines = [entry.text for entry in after.entries]
    room = view_room(now.template, now.scorer.settings.view_titles)
    assert room
    assert len(lines) == count
    assert sum(map(len, lines)) <= room
    caps = sum((420 if name == SECTIONS[4] else 600) for name in SECTIONS[:count])
    assert sum(map(len, lines)) >= 0.85 * min(room, caps)
    kept = [row for name in SECTIONS[:count] for row in rows(name) if any(row in line for line in lines)]
    assert "；".join(kept) == "；".join(lines), "whole entries, and nothing else"


def test_a_region_that_filled_the_view_alone_makes_room_for_the_others(make: Make) -> None:
    workspace = make({"FASTMEMO.md": full(SECTIONS[2])})
    workspace.compact()
    (alone,) = entries(workspace, "FASTMEMO.md", SECTIONS[2])
    assert len(alone) > 500
    for name in SECTIONS:
        if name != SECTIONS[2]:
            workspace.add("FASTMEMO.md", rows(name), section=name)
            workspace.compact()
    lines = [line for name in SECTIONS for line in entries(workspace, "FASTMEMO.md", name)]
    assert len(lines) == 5
    packed = workspace.pack("chat").text
    assert all(line in packed for line in lines), "each region stands in the view, whole"
    everything = said(workspace, "FASTMEMO.md") + said(workspace, "archive/2026-02.md")
    assert all(row in everything for name in SECTIONS for row in rows(name))


MIXED = st.lists(
    st.sampled_from(
        (
            "别在晚上十点以后打电话给主人", "规则：" + "提交以前要把所有的改动读一遍，" * 20, "主人住在河东路 12 号",
            "停车证用到月底 [expires:: 2026-03-31]", "旧的停车证 [expires:: 2026-01-01]", "周日和老顾打了球",
            "从现在起用繁体回复", "相机的电池充好了，放在门边的篮子里，一共三块，明天出门前记得拿上",
        )
    ),
    min_size=1,
    max_size=14,
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(MIXED, min_size=1, max_size=5))
def test_a_region_has_as_many_entries_as_the_template_says_or_the_plan_says_why(
    task: MakeTask, regions: list[list[str]]
) -> None:
    parts = (
        f"## {name}\n\n" + "".join(f"- 第 {n} 条，{row}\n" for n, row in enumerate(texts))
        for name, texts in zip(SECTIONS, regions, strict=False)
    )
    now = task("# 表层记忆\n\n" + "\n".join(parts))
    plan = build_compaction_plan(now, tidy.rule_based_answer(now))
    after = parse(apply_edits(now.document.text, plan.edits).encode())
    counts = {section.title: len(section.entries) for section in after.sections if section.entries}
    told = {one.section: (one.left, one.wanted) for one in plan.extra}
    assert told == {name: (count, 1) for name, count in counts.items() if count > 1}
