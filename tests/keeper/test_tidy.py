"""MEMORY.md is tidied, NOTEBOOK.md rolled up, pins move on; nothing is lost (P020 to P023, G055)."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from datetime import date, timedelta

import pytest
from forms import many
from harness import entries, said

from mdmem.formats.limits import size
from mdmem.generation.model import Operation
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.condense import condense
from mdmem.keeper.condensing.edits import build_compaction_plan
from mdmem.keeper.condensing.proof import lost_entries, plan_problems
from mdmem.keeper.condensing.supersede import superseded
from mdmem.keeper.model import CompactionPlan, CompactionTask
from mdmem.settings.tables import Settings
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.wording.importance import ImportanceScorer

from .conftest import Make, MakeTask


def tidied(task: CompactionTask) -> tuple[str, CompactionPlan]:
    operations = tidy.rule_based_answer(task)
    assert list(plan_problems(task, operations)) == []
    made = build_compaction_plan(task, operations)
    return apply_edits(task.document.text, made.edits), made


def memory(*events: str, todo: str = "", notes: str = "") -> str:
    rows = "\n".join(f"- {event}" for event in events)
    return f"# 🧠 记忆\n\n## 重要事件\n\n{rows}\n\n## 待办与承诺\n\n{todo}\n\n## 笔记\n\n说明文字留着。\n\n{notes}\n"


def test_done_expired_and_repeated_entries_go_each_for_its_reason(task: MakeTask) -> None:
    text = memory(
        "2026-02-18：念念喜欢早上六点半划船。",
        "2026-02-18：念念喜欢早上六点半划船",
        "2026-01-01：优惠券 [expires:: 2026-01-31]",
        "2026-02-19：还有效 [expires:: 2026-03-31]",
        todo="- [x] 2026-02-01：交年费\n- [ ] 2026-02-02：订机票",
    )
    new, made = tidied(task(text, "MEMORY.md"))
    assert sorted(gone.why for gone in made.gone) == ["expired", "merged", "outdated"]
    assert new.count("划船") == 1
    assert "还有效" in new
    assert "- [ ] 2026-02-02：订机票\n" in new
    assert "说明文字留着。" in new


def test_a_section_of_finished_todos_may_become_empty_and_nothing_else_may(task: MakeTask) -> None:
    now = task(memory("2026-02-19：留下", todo="- [x] 2026-02-01：交年费\n- [x] 2026-02-02：订机票"), "MEMORY.md")
    new, made = tidied(now)
    assert [gone.why for gone in made.gone] == ["outdated", "outdated"]
    assert "- 2026-02-19：留下\n" in new
    (problem,) = plan_problems(now, [Operation(now.path, "重要事件", "")])
    assert problem.kind == "empty"


def test_what_stands_below_an_entry_that_stays_is_not_lost(task: MakeTask) -> None:
    todo = "- [x] 2026-02-01：交年费"
    text = memory("2026-02-01：发布\n  - 从现在起先跑测试\n  - 细节", todo=todo)
    new, _ = tidied(task(text, "MEMORY.md"))
    assert new == text.replace(f"\n{todo}\n", "")


def test_what_happened_on_two_days_is_two_things(task: MakeTask) -> None:
    text = memory("2026-02-11：跑步，念念说膝盖不疼了", "2026-02-13：跑步，念念说膝盖不疼了")
    assert tidy.rule_based_answer(task(text, "MEMORY.md")) == ()


def test_no_date_is_made_up_for_what_has_none(task: MakeTask) -> None:
    text = memory("搬到河边", "2026-02-11：跑步", todo="- [x] 订机票")
    assert tidied(task(text, "MEMORY.md"))[0] == text.replace("\n- [x] 订机票\n", "")


def test_what_tells_no_day_leaves_after_what_is_old(task: MakeTask) -> None:
    old = [f"2025-0{month}-01：{'这一天处理了很多琐碎的事情，一切照旧。' * 8}" for month in range(1, 9)]
    undated = [f"第 {number} 件：{'这是没有日期的一件平常事，记在这里。' * 8}" for number in range(40)]
    new, _ = tidied(task(memory(*undated, *old), "MEMORY.md"))
    assert not any(one in new for one in old)
    kept = [one for one in undated if one in new]
    assert kept == undated[-len(kept) :]
    assert 0 < len(kept) < len(undated)


def week(monday: str, count: int = 5) -> list[str]:
    first = date.fromisoformat(monday)
    return [
        f"{first + timedelta(days=n)}：这天处理了 {n + 3} 份水位记录，顺便整理了笔记，没有别的事，一切照旧"
        for n in range(count)
    ]


def test_old_entries_leave_whole_until_the_file_is_small_and_fresh_ones_stay(task: MakeTask) -> None:
    text = memory(*week("2026-01-05"), *week("2026-01-12"), *week("2026-02-16"))
    new, made = tidied(task(text, "MEMORY.md", max_chars=700))
    assert 0.8 * 700 <= size(parse(new.encode())).chars <= 0.88 * 700
    lines = [line for line in new.splitlines() if line.startswith("- ")]
    assert all(line in text.splitlines() for line in lines), "nothing is joined or cut"
    old = [line for line in lines if line.startswith("- 2026-01")]
    assert old
    assert old == [f"- {event}" for event in [*week("2026-01-05"), *week("2026-01-12")]][-len(old) :]
    assert all(f"- {event}\n" in new for event in week("2026-02-16")), "the last seven days are left alone"
    assert {gone.why for gone in made.gone} == {"compacted"}
    assert set(made.archived_only) == {gone.entry.text for gone in made.gone}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_full_file_stays_full_and_is_not_tidied_at_each_new_entry(make: Make) -> None:
    workspace = make({"MEMORY.md": memory("2025-01-01：搬了家")})
    used, tidyings = [], 0
    for number in range(160):
        day = date(2025, 1, 1) + timedelta(days=number)
        word = f"{number * 7919 % 9973:04}"
        workspace.add(
            "MEMORY.md",
            [f"{day}：第 {word} 号闸门换了型号 {word[::-1]} 的轴承，由值班的人验收签字"],
            section="重要事件",
        )
        outcomes = workspace.compact()
        if any(one.status == "done" for one in outcomes):
            tidyings += 1
            used.append(size(parse(said(workspace, "MEMORY.md").encode())).chars / 5000)
    assert used
    assert min(used) >= 0.85, "entries leave only where the room is used"
    assert max(used) <= 0.9
    assert tidyings <= 160 / 8, "a few percent are left for what comes next"


def test_the_older_value_of_one_thing_leaves_before_anything_else(task: MakeTask) -> None:
    old, new = "2024-03-01：在 Waterlab 上班", "2026-02-15：不在 Waterlab 上班了"
    text, made = tidied(task(memory(old, new, "2026-02-16：周末划船"), "MEMORY.md"))
    assert [(gone.entry.text, gone.why) for gone in made.gone] == [(old, "superseded")]
    assert f"- {new}\n" in text


def test_rules_open_todos_and_milestones_are_left_alone(task: MakeTask) -> None:
    rule, stone = "2026-01-06：发布之前必须跑完整测试", "2026-01-07：定下 CSV 用分号 #里程碑"
    text = (
        "# 工作笔记\n\n## 里程碑\n\n- 2026-01-02：换成 pandas，原因是小数逗号\n"
        "- 2026-01-03：缺口超过三小时不插值\n\n## 近况\n\n"
        + "\n".join(f"- {row}" for row in (rule, stone, *week("2026-01-05"), *week("2026-01-12")))
        + "\n"
    )
    new, _ = tidied(task(text, "NOTEBOOK.md", max_chars=500))
    assert new.startswith(text.partition("- 2026-01-06")[0]), "the milestones' section is untouched"
    assert f"- {rule}\n- {stone}\n" in new
    assert len(new) < len(text) * 0.7


def test_a_file_of_rules_is_left_as_it_is(make: Make) -> None:
    text = memory(
        *(f"2026-01-{day:02}：第 {day} 条规矩，任何时候都禁止这样做，" + "原因写在手册里" * 20 for day in range(1, 29))
    )
    workspace = make({"MEMORY.md": text})
    (done,) = workspace.compact()
    assert (done.status, done.message) == (
        "unchanged",
        "MEMORY.md 里能合并的都合并了，剩下的是规则、没做完的事、里程碑和最近的记录",
    )
    assert said(workspace, "MEMORY.md") == text
    assert workspace.status()[0].pending


DAYS = many(250, 1000)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("name", "section"), [("MEMORY.md", "重要事件"), ("NOTEBOOK.md", "近况")])
def test_years_of_writing_stay_small(task: MakeTask, name: str, section: str) -> None:
    title = "# 🧠 记忆" if name == "MEMORY.md" else "# 工作笔记"
    text, archived, sizes, today = f"{title}\n\n## {section}\n\n- 2026-01-01：开始\n", "", [], date(2026, 1, 1)
    for day in range(DAYS):
        today += timedelta(days=1)
        row = f"- {today}：第 {day} 天，改了 src/part{day}.py，{day % 40} 项测试通过，随手记一点别的事情\n"
        text += row
        if len(text) >= 0.97 * 5000:
            now = task(text, name, today=today, max_chars=5000)
            text, made = tidied(now)
            archived += "\n".join(gone.entry.text for gone in made.gone) + "\n"
            assert lost_entries(now.document, parse(text.encode()), archived) == ()
        sizes.append(len(text))
    assert max(sizes) < 5000
    assert all(f"src/part{day}.py" in text + archived for day in range(DAYS))


def test_memory_is_tidied_through_the_pen(make: Make) -> None:
    text = memory(
        *(row for monday in ("2025-12-01", "2025-12-08", "2026-01-05", "2026-01-12") for row in week(monday, 7)),
        "2026-02-19：很近",
    )
    text += "补充" * 1800
    workspace = make({"MEMORY.md": text})
    assert any("等整理" in why for why in workspace.status()[0].pending)
    done = workspace.compact()
    assert {one.status for one in done} == {"done"}, done
    assert len(said(workspace, "MEMORY.md")) < len(text)
    everything = said(workspace, "MEMORY.md") + said(workspace, "archive/2026-02.md")
    assert all(row in everything for row in week("2025-12-01", 7))


PIN = "- `data/raw/` 放原始文件 [type:: path] [source:: chat:1] [created:: 2026-02-01]"


@pytest.mark.parametrize("count", [1, 19])
def test_expired_pins_move_to_the_notebook_without_anybodys_word(make: Make, count: int) -> None:
    fresh = "- 端口 8080 [type:: conclusion] [source:: chat:2] [created:: 2026-02-18]"
    old = [PIN.replace("raw/", f"raw{number}/") for number in range(count)]
    workspace = make({"PINS.md": "# 钉住的事\n\n" + "".join(f"{one}\n" for one in old) + f"{fresh}\n"})
    assert workspace.status()[0].pending == (f"有 {count} 条已过期",)
    (done,) = workspace.compact()
    assert done.status == "done", done
    assert said(workspace, "PINS.md") == f"# 钉住的事\n\n{fresh}\n"
    assert entries(workspace, "NOTEBOOK.md", "近况") == [
        f"2026-02-01：`data/raw{number}/` 放原始文件 [type:: path] [source:: chat:1]" for number in range(count)
    ]
    assert workspace.history.log()[0].actor == "keeper"
    assert workspace.status()[0].pending == ()
    assert workspace.inbox.list() == ()
    workspace.history.undo()
    assert PIN.replace("raw/", "raw0/") in said(workspace, "PINS.md")


def test_a_pin_is_renewed_by_its_date(make: Make) -> None:
    workspace = make({"PINS.md": f"# 钉住的事\n\n{PIN}\n"})
    workspace.edit("PINS.md", "[created:: 2026-02-01]", "[created:: 2026-02-20]")
    assert workspace.status()[0].pending == ()


def test_what_expires_elsewhere_goes_to_the_archive(make: Make) -> None:
    workspace = make({"MEMORY.md": memory("2026-01-01：优惠券 [expires:: 2026-01-31]", "2026-02-19：留下")})
    (done,) = workspace.compact()
    assert done.status == "done", done
    assert "[why:: expired]" in said(workspace, "archive/2026-02.md")
    assert entries(workspace, "MEMORY.md", "重要事件") == ["2026-02-19：留下"]


def test_a_file_that_needs_the_users_word_gets_a_proposal(make: Make) -> None:
    text = "# 灵魂\n\n## 说话方式\n\n" + "".join(
        f"- 2026-01-{day:02}：说话慢一点，第 {day} 次提醒，不紧张\n" for day in range(1, 9)
    )
    workspace = make({"SOUL.md": text + "\n" + "说话慢一点，不紧张。\n" * 1600})
    before = said(workspace, "SOUL.md")
    (done,) = workspace.compact()
    assert done.status in ("waiting", "unchanged", "refused")
    assert said(workspace, "SOUL.md") == before


ENTRIES = [f"2026-02-{1 + number % 28:02}: walked {number} rounds with Tom number {number}" for number in range(300)]


def test_an_entry_is_weighed_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: Counter[str] = Counter()
    importance = ImportanceScorer.importance
    monkeypatch.setattr(
        ImportanceScorer, "importance", lambda own, text: weighed.update([text]) or importance(own, text)
    )
    lines = condense(
        ENTRIES, lines=4, max_chars=600, scorer=ImportanceScorer(settings.keeper, dt.date(2026, 2, 20)), near=0.85
    )
    assert len(lines) == 4
    assert set(weighed.values()) == {1}


def test_where_nothing_changed_no_statement_is_taken_apart(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdmem.keeper.condensing.supersede.tokens", lambda _: pytest.fail("the words were asked for"))
    assert superseded([(text, None, order) for order, text in enumerate(ENTRIES)], settings.keeper) == frozenset()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("vegetarian since 2024", "vegetarian no longer"),
        ("2024 年起吃素", "不再吃素了"),
        ("the shell is zsh", "the shell is fish now"),
        ("Mia lives in Leiden", "Mia now lives in Delft"),
        ("drinks coffee every morning", "stopped drinking coffee"),
        ("一直住在河边的老房子", "已经不住在河边了"),
        ("rent for the flat is 80", "rent for the flat is now 90"),
    ],
)
def test_the_older_value_is_found(settings: Settings, old: str, new: str) -> None:
    assert superseded([(old, None, 0), (new, None, 1)], settings.keeper) == {0}
    assert superseded([(new, None, 0), (old, None, 1)], settings.keeper) == set(), "order is time"
    days = date(2026, 2, 1), date(2026, 1, 1)
    assert superseded([(new, days[0], 0), (old, days[1], 1)], settings.keeper) == {1}, "a day says more than order"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("喜欢香蕉和菜花", "不喜欢香菜"),
        ("Tom eats meat", "Anna does not eat meat"),
        ("妈妈对花生过敏", "爸爸对花生不过敏"),
        ("has a cat called Miso", "no cat food in the bedroom"),
        ("the blue car needs oil", "the red car does not need oil"),
        ("printer 1 prints colour", "printer 2 does not print colour"),
        ("bus 12 goes to the zoo", "bus 14 does not go to the zoo"),
        ("plan A includes breakfast", "plan B does not include breakfast"),
        ("Mia can eat eggs", "Mia can not eat raw eggs"),
        ("rent for the garage is 80", "rent for the flat is now 900"),
        ("summer opening hours are 9 to 18", "winter opening hours are now 10 to 16"),
        ("the neighbour upstairs plays drums", "the neighbour downstairs no longer plays drums"),
        ("一号线到动物园", "二号线不到动物园"),
        ("早上喝咖啡", "晚上不喝咖啡"),
        ("Sister Mei lives in Utrecht and is allergic to latex", "Mei has moved to Ghent"),
        ("女儿小满在实验二小三年级2班，对芒果过敏", "小满换了班级，现在是三年级5班"),
        ("staging is v. 14; prod is v. 15", "staging is now v. 16"),
        ("the port is 8080", "the port of the test server is 8081"),
        ("2026-02-01 跑了 5 公里", "2026-02-03 跑了 8 公里"),
    ],
)
def test_two_things_are_left_alone(settings: Settings, one: str, other: str) -> None:
    assert superseded([(one, None, 0), (other, None, 1)], settings.keeper) == set()
