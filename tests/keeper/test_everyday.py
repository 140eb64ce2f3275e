"""Everyday facts are condensed again and again: each is live whole or in the archive whole, and is found."""

from __future__ import annotations

import pytest
from conftest import Lint
from harness import entries, said

from mdmem.formats.joined_line import Originals
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.proof import plan_problems
from mdmem.text.similarity import comparison_key
from mdmem.workspace import Workspace

from .conftest import Make, MakeTask

EN = (
    "Noor's piano teacher is Mrs. E. de Wit, Kerkstr. 14b, every Thu. at 4:45 p.m.",
    "The boiler (Vaillant VCW 24) loses pressure; fill it to 1.5 bar, never above 2.",
    "Uncle Theo reads J.R.R. Tolkien aloud, approx. 20 pages an evening.",
    "No gluten for Jip since Sept. 3, 2025; Dr. Aalbers has the blood test.",
    "Library books are due on the 12th, i.e. before the trip to St. Malo.",
    "Initially the plan was Lisbon. It is Porto now, flight TP 673 at 06:35.",
    "The bread needs 500 g flour, 340 ml water, 10 g salt, vs. 8 g in the old recipe.",
    "Wi-Fi password is kept in KeePass, entry «home/router».",
    "Pomodoro: 25 minutes of work, then 5 of rest; after four rounds a long walk",
    "Sanne vs. Bram: she wants the window open, he does not.",
)
MORE = (
    "The vet, Mr. Okonjo, says Miso weighs 4.2 kg and must lose 300 g.",
    "Sold the canoe to A. Bakker for € 180, cash.",
    "Parents' evening: Tue., Mar. 3, 7:30 p.m., room 2.14",
    "Dad's size is 43, wide; he hates laces.",
    "The spare key is with the neighbours at no. 9, Mr. and Mrs. Yilmaz.",
    "Jip's judo belt is yellow since Dec. 14.",
    "Compost goes out on even weeks, paper on odd ones.",
    "The old laptop runs Debian 12.5, user «noor», disk is encrypted.",
    "Lunch with Prof. K. at the U. of Ghent canteen, 12:15.",
)
ZH = (
    "青霉素过敏，做过皮试；看病先说。", "末班车 23:40 从东门发，错过就打车，约 46 元。",
    "小满的钢琴老师姓欧阳，每周四 16:45 上课，琴房在三楼 302。", "热水器压力低于 1.0 bar 时补到 1.5，再高会漏。",
    "外公住 7 床，主治是陈医生，探视 15:00–17:00。", "本来说去莫干山。后来改成天目山，住两晚，押金 300。",
    "路由器在书房柜顶，型号 AX3000，管理页是 192.168.3.1。",
    "面包：高筋粉 500 g、水 340 ml、盐 10 g；老方子是 8 g。", "借给小周的《围城》还没还，说月底带来。",
    "阳台的三角梅怕涝，五天浇一次，雨天不浇。",
)  # fmt: skip
ZH_MORE = (
    "猫叫豆沙，4.2 公斤，医生要它减 300 克。", "把皮划艇卖给老白，收了 180 块现金。",
    "家长会 3 月 3 日 19:30，在 2 号楼 214。", "爸爸穿 43 码，脚宽，最烦系鞋带。", "备用钥匙在 9 号的叶先生家。",
    "可回收垃圾单周扔，厨余双周扔。", "旧笔记本装的 Debian 12.5，磁盘加密了。",
    "周五中午跟康教授在食堂吃饭，12:15。", "小满换牙，门牙掉了一颗，扔屋顶了。",
)  # fmt: skip


def feed(workspace: Workspace, section: str, rows: tuple[str, ...]) -> None:
    for row in rows:
        assert workspace.add("FASTMEMO.md", [row], section=section).status == "done"
    assert workspace.compact("fastmemo", now=True)[0].status == "done"


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "section", "rows", "more"), [("en", "User", EN, MORE), ("zh", "用户感知", ZH, ZH_MORE)], ids=["en", "zh"]
)
def test_ten_facts_then_nine_more(
    make: Make, lang: str, section: str, rows: tuple[str, ...], more: tuple[str, ...]
) -> None:
    workspace = make(lang=lang)
    feed(workspace, section, rows)
    feed(workspace, section, more)
    (line,) = entries(workspace, "FASTMEMO.md", section)
    assert len(line) <= 600
    assert "｜" not in line
    units = Originals((*rows, *more)).units(line)
    known = set(map(comparison_key, (*rows, *more)))
    assert all(comparison_key(unit) in known for unit in units), "each part of the line is one fact, whole"
    archived = comparison_key(said(workspace, "archive/2026-02.md"))
    for row in (*rows, *more):
        assert comparison_key(row) in comparison_key(line) or comparison_key(row) in archived
        found = workspace.search(row, limit=40, archive=True)
        assert any(comparison_key(row) in comparison_key(hit.text) for hit in found), row


def test_an_original_is_archived_once(make: Make) -> None:
    workspace = make()
    feed(workspace, "用户感知", ZH)
    feed(workspace, "用户感知", ZH_MORE)
    feed(workspace, "用户感知", ("门铃坏了，来了打电话。",))
    rows = [line for line in said(workspace, "archive/2026-02.md").splitlines() if line.startswith("- ")]
    assert len(rows) == len(ZH) + len(ZH_MORE) + 1
    assert all(sum(row in line for line in rows) == 1 for row in (*ZH, *ZH_MORE))


def test_a_line_that_somebody_edited_by_hand_loses_nothing(make: Make) -> None:
    workspace = make()
    feed(workspace, "用户感知", ZH)
    workspace.edit("FASTMEMO.md", "末班车 23:40 从东门发", "末班车改到 23:10；从西门发")
    feed(workspace, "用户感知", ("门铃坏了，来了打电话。",))
    everything = comparison_key(said(workspace, "FASTMEMO.md")) + comparison_key(said(workspace, "archive/2026-02.md"))
    assert comparison_key("末班车改到 23:10；从西门发，错过就打车，约 46 元") in everything
    assert all(comparison_key(row) in everything for row in ZH)


def test_an_entry_that_holds_until_a_day_is_not_joined(make: Make) -> None:
    workspace = make()
    until = "优惠券还能用 [expires:: 2026-03-31]"
    workspace.add("FASTMEMO.md", [until], section="用户感知")
    feed(workspace, "用户感知", ZH[:8])
    left = entries(workspace, "FASTMEMO.md", "用户感知")
    assert left[0] == until
    assert len(left) == 2
    workspace.config.day = "2026-04-02"
    workspace.compact()
    assert len(entries(workspace, "FASTMEMO.md", "用户感知")) == 1
    assert "优惠券" in said(workspace, "archive/2026-04.md")


def test_the_newest_value_of_one_thing_stays(make: Make) -> None:
    workspace = make(lang="en")
    feed(workspace, "User", ("vegetarian since 2024", "the bike is in the shed", "vegetarian no longer", "likes tea"))
    (line,) = entries(workspace, "FASTMEMO.md", "User")
    assert "vegetarian no longer" in line
    assert "2024" not in line
    assert "vegetarian since 2024" in said(workspace, "archive/2026-02.md")


def test_a_kind_that_keeps_several_entries_keeps_them_as_they_stand(task: MakeTask) -> None:
    rows = [
        "- [ ] 给三角梅换盆 ^pot",
        "- 不要给三角梅浇冷水",
        "- 去年开了两茬花",
        "- 盆底有三个孔",
        "- 2026-02-18：搬进屋里了",
    ]
    now = task("# 表层记忆\n\n## 环境感知\n\n" + "\n".join(rows * 2 + [f"- 第 {n} 次施肥" for n in range(6)]) + "\n")
    template = now.template._replace(numbers={**now.template.numbers, "compact_to": 3})
    now = now._replace(template=template)
    (operation,) = tidy.rule_based_answer(now)
    assert list(plan_problems(now, [operation])) == []
    lines = operation.content.splitlines()
    assert len(lines) == 3
    assert all(line in {*rows, *(f"- 第 {n} 次施肥" for n in range(6))} for line in lines)
    assert "- 不要给三角梅浇冷水" in lines


def test_health_stays_before_numbers_and_names(make: Make) -> None:
    rows = [
        "Nadia carries an EpiPen, she is allergic to wasps",
        *(
            f"Invoice {n}81-{n} from Keller & Marsh, 1{n} March, 2{n}9.50 euros, paid to account 77{n}3"
            for n in range(9)
        ),
    ]
    workspace = make(
        {"FASTMEMO.md": "# Surface memory\n\n## User\n\n" + "".join(f"- {row}\n" for row in rows)}, lang="en"
    )
    for turn in range(3):
        workspace.compact("fastmemo", now=True)
        more = [
            f"Ticket {turn}{n}4 for Hall {n}, row {n + 3}, 1{n}:30, 5 June" + ", with Omar Said" * (n % 3)
            for n in range(9)
        ]
        workspace.add("FASTMEMO.md", more, section="User")
    workspace.compact("fastmemo", now=True)
    assert "allergic to wasps" in said(workspace, "FASTMEMO.md")


BEFORE = """# 🧠 Memory

## Important events

- 2026-01-05: the heating was bled
- 2026-02-01: Ida sang in the choir [source:: chat:9]

## Notes

- 2026-01-09: the heating was bled
- 2026-02-16: The heating was bled. #house
- 2026-02-02: the heating was bled
- 2026-02-03: the heating was bled twice
- [ ] 2026-02-04: water the ferns
- [ ] 2026-02-11: water the ferns
- 2026-02-05: the heating was bled ^h1
"""


def test_the_last_day_stays_with_the_earlier_ones(make: Make, lint: Lint) -> None:
    memory = make({"MEMORY.md": BEFORE}, lang="en")
    assert any("later day" in why for file in memory.status() for why in file.pending)
    (done,) = memory.compact("MEMORY.md")
    assert (done.status, done.message) == ("done", "merged 2 repeated entries of MEMORY.md; the dates are kept")
    assert entries(memory, "MEMORY.md", "Notes") == [
        "2026-02-16: The heating was bled. #house [also:: 2026-01-09, 2026-02-02]",
        "2026-02-03: the heating was bled twice",
        "[ ] 2026-02-04: water the ferns",
        "[ ] 2026-02-11: water the ferns",
        "2026-02-05: the heating was bled ^h1",
    ]
    assert entries(memory, "MEMORY.md", "Important events")[0] == "2026-01-05: the heating was bled", "another section"
    kept = said(memory, "archive/2026-02.md")
    assert "2026-01-09: the heating was bled [from:: MEMORY.md#Notes] [why:: merged]" in kept
    assert kept.count("heating") == 2
    assert memory.compact("MEMORY.md")[0].status == "unchanged"
    assert [one.code for one in memory.lint(["MEMORY.md"]).diagnostics if one.severity == "error"] == []


def test_days_gather_from_run_to_run(make: Make) -> None:
    memory = make({"MEMORY.md": "# 🧠 记忆\n\n## 笔记\n\n- 2026-01-02：锅炉加了水\n- 2026-01-20：锅炉加了水。\n"})
    memory.compact()
    memory.add("MEMORY.md", ["2026-02-18：锅炉加了水"], section="笔记", again=True)
    memory.compact()
    assert entries(memory, "MEMORY.md", "笔记") == ["2026-02-18：锅炉加了水 [also:: 2026-01-02, 2026-01-20]"]
    assert "MEMORY.md" in [hit.path for hit in memory.search("2026-01-20 锅炉", limit=2)], (
        "beside the archived original"
    )


@pytest.mark.parametrize("path", ["memory/2026-02-18.md", "NOTEBOOK.md", "archive/2026-01.md", "sessions/x.md"])
def test_what_tells_a_course_of_events_is_left(make: Make, path: str) -> None:
    text = "# X\n\n## Recent\n\n- 2026-01-02: all tests green\n- 2026-01-20: all tests green\n"
    memory = make({path: text}, lang="en")
    memory.compact()
    assert said(memory, path) == text
