"""Laws of the keeper's rules, on any entries: proved, grounded, verbatim, small, the same every time; nothing lost."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.formats.joined_line import Originals, join, plain
from mdmem.formats.limits import section_fills
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.model import Operation, PlanProblem
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.condense import condense, verbatim
from mdmem.keeper.condensing.edits import build_compaction_plan
from mdmem.keeper.condensing.proof import lost_entries, plan_problems
from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits
from mdmem.text.similarity import comparison_key
from mdmem.wording.literals import facts, missing

from .conftest import MakeTask

pytestmark = pytest.mark.slow

WORDS = (
    "念念", "划船", "面试", "必须先问", "不要推送", "Delft", "riverlog", "`data/raw/`", "41 小时",
    "2026-02-13", "10:00", "12 项测试",
    "「很像家里」", "https://a.example/b?c=1", "修复了", "决定", "never push", "from now on",
    "the port is 8080", "喜欢", "#家", "如果",
    "就取消", "[source:: chat:42]", "v3.10",
    "（还没验证）", "a|b", "｜", "^k7f3", "3%", "user@example.org", "，", "。", "；", " ｜ ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
MANY = st.lists(TEXTS, min_size=1, max_size=14)


def file(texts: list[str]) -> str:
    rows = "".join(f"- {text}\n" for text in texts)
    head = f"# 表层记忆\n\n## 自我感知\n\n## 用户感知\n\n{rows}\n## 环境感知\n\n- 一条\n\n"
    return f"{head}## 历史感知\n\n## 动态context池\n\n{rows}"


@pytest.mark.thorough
@example(["｜", "^k7f3"])
@example(["^k7f3", "^k7f3"])
@given(MANY)
def test_the_rules_answer_passes_the_proof_and_nothing_is_lost(task: MakeTask, texts: list[str]) -> None:
    now = task(file(texts))
    operations = tidy.rule_based_answer(now)
    assert list(plan_problems(now, operations)) == []
    assert tidy.rule_based_answer(now) == operations, "the same every time"
    made = build_compaction_plan(now, operations)
    after = parse(apply_edits(now.document.text, made.edits).encode())
    archived = "\n".join(gone.entry.text for gone in made.gone)
    assert lost_entries(now.document, after, archived) == ()
    some = int(len(texts) == 1 or any(map(plain, texts)))
    assert _numbers(after) == [0, some, 1, 0, some] or len(verbatim(texts, now.scorer)) > 1


def _numbers(document: Document) -> list[int]:
    return [sum(not entry.depth for entry in section.entries) for section in document.sections if section.level == 2]


@given(MANY, st.integers(40, 700))
def test_condensed_lines_are_short_and_hold_whole_entries_only(task: MakeTask, texts: list[str], most: int) -> None:
    scorer, texts = task(file(texts)).scorer, list(map(plain, texts))
    made = condense(texts, lines=1, max_chars=most, scorer=scorer, near=0.85)
    kept = verbatim(texts, scorer)
    assert all(len(line) <= most or letters(line) in map(letters, kept) for line in made)
    assert all(any(comparison_key(rule) in comparison_key(line) for line in made) for rule in kept)
    whole = re.compile(f"(?:{'|'.join(map(re.escape, filter(None, map(letters, texts))))})*")
    assert all(whole.fullmatch(letters(line)) for line in made), "nothing but whole entries"


def letters(text: str) -> str:
    return re.sub(r"\W", "", text)


@example(["；"])
@example(["^k7f3 ；"])
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_a_joined_line_is_taken_apart_into_the_same_entries(texts: list[str]) -> None:
    whole = list({comparison_key(plain(text)): plain(text) for text in texts if comparison_key(plain(text))}.values())
    line = join(whole)
    if not whole:
        return
    assert "".join(map(letters, whole)) == letters(line)
    found = Originals(whole).units(line)
    assert "".join(map(letters, found)) == letters(line), "nothing is lost, whatever marks an entry holds"
    assert Originals([]).units(line) == (plain(line),), "what nobody archived is one entry"


@given(TEXTS)
def test_a_text_is_grounded_in_itself_and_its_facts_do_not_overlap(text: str) -> None:
    assert missing(text, text) == ()
    found = facts(text)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
    assert all(fact.span.of(text) == fact.text for fact in found)


@pytest.mark.parametrize("text", ['the field holds " " now', "「\u3000」", "“ ”"])
def test_a_quotation_of_white_space_is_no_fact(text: str) -> None:
    assert missing(text, "something else") == ()


@given(st.text(max_size=300))
def test_any_answer_is_read_or_refused(text: str) -> None:
    found = parse_answer(text, 1000)
    assert isinstance(found, PlanProblem) or all(isinstance(one, Operation) for one in found)


@given(st.lists(st.tuples(st.sampled_from(("用户感知", "主人", "环境感知", "动态context池", "x")), TEXTS), max_size=6))
def test_whatever_passes_the_proof_loses_nothing(task: MakeTask, answers: list[tuple[str, str]]) -> None:
    now = task(
        file([f"第 {n} 件事 必须先问 {n}" if n == 3 else f"第 {n} 件事，在 Delft 用了 {n} 小时" for n in range(1, 11)])
    )
    operations = [Operation(now.path, section, text) for section, text in answers]
    if next(plan_problems(now, operations), None):
        return
    made = build_compaction_plan(now, operations)
    after = parse(apply_edits(now.document.text, made.edits).encode())
    assert lost_entries(now.document, after, "\n".join(gone.entry.text for gone in made.gone)) == ()
    assert all(not fill.over for fill in section_fills(after, now.template))


@pytest.mark.thorough
def test_a_thousand_days_of_fastmemo_stay_small(task: MakeTask) -> None:
    head, today, sizes = "# 表层记忆\n\n## 历史感知\n\n", date(2026, 1, 1), []
    rows, archived = ["- 推送之前必须先问"], ""
    for day in range(1000):
        today += timedelta(days=1)
        rows.append(f"- {today} 第 {day} 天改了 src/part{day}.py，{day % 40} 项测试通过，随手记一点别的事情")
        if len(rows) >= 10:
            now = task(head + "\n".join(rows) + "\n", today=today)
            made = build_compaction_plan(now, tidy.rule_based_answer(now))
            archived += "\n".join(gone.entry.text for gone in made.gone) + "\n"
            new = apply_edits(now.document.text, made.edits)
            rows = [line for line in new.splitlines() if line.startswith("- ")]
            assert len(rows) == 1
            assert rows[0].startswith("- 推送之前必须先问")
            sizes.append(len(new))
    assert max(sizes) <= len(head) + 605
    assert all(f"src/part{day}.py" in archived for day in range(990))
