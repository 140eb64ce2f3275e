"""What the night merges, and what it never merges: the same facts and near words, never another number or name."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make, Run, Text

from mdmem import NightStepReport
from mdmem.workspace import Workspace

FIELDS = "[confidence:: 0.5] [source:: chat:20260213_100000#{number}]"


def facts_text(*lines: str, before: str = "") -> str:
    """Return a file of facts; a line that ends in `!` is as a person writes it."""
    told = [
        f"- {line[:-1]}" if line.endswith("!") else f"- {line} {FIELDS.format(number=number)}"
        for number, line in enumerate(lines, 1)
    ]
    return "# 用户\n\n## 现在\n\n" + "\n".join(told) + "\n" + (f"\n## 以前\n\n{before}" if before else "")


def merged(work: Workspace) -> NightStepReport:
    return work.night(now=True, only="dedup").steps[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户操作系统是 Windows 11 专业版", "用户的操作系统为Windows11专业版"),
        ("每周三晚上用户去游泳馆", "用户每周三晚上去游泳馆"),
        ("the river gauge is read at six in the morning", "The river gauge is read at six in the morning."),
        ("directory is /srv/nekatu/7011", "directory is /srv/nekatu/7011。"),
        ("鱼", "鱼。"),
        ("the spare key hangs behind the green door", "the spare key hangs behind the old green door"),
        ("备用钥匙放在门口的花盆下面", "备用钥匙现在放在门口的花盆下面"),
    ],
)
def test_the_same_thing_in_near_words_becomes_one_line(make: Make, text: Text, one: str, other: str) -> None:
    work = make(files={"facts/用户.md": facts_text(f"2026-02-13：{one}", f"2026-02-14：{other}")})
    done = merged(work)
    assert (done.entries, done.kept, done.merged) == (2, 1, 1)
    assert len(work.facts("用户")) == 1
    assert text("archive/2026-02.md").count("[why:: merged]") == 1
    assert merged(work).merged == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户的电脑有 16 GB 内存和两块硬盘", "用户的电脑有 32 GB 内存和两块硬盘"),
        ("备份在每周三晚上八点开始运行", "备份在每周四晚上八点开始运行"),
        ("张伟的生日聚会在周五晚上七点", "张敏的生日聚会在周五晚上七点"),
        ("王芳的妈妈每年春天都要去一次苏州", "王芳的爸爸每年春天都要去一次苏州"),
        ("the deploy script lives in scripts/deploy.sh", "the deploy script lives in scripts/build.sh"),
        ("Ann wants the window seat on the morning train", "Bob wants the window seat on the morning train"),
        ("the old pump in the cellar works again", "the old pump in the cellar never works again"),
        ("主人在公司用的键盘不带数字区", "主人在公司用的键盘带数字区"),
        ("喜欢苹果", "喜欢苹果派"),
        ("the old pump in the cellar runs on diesel", "the old pump in the cellar probably runs on diesel"),
        ("周末去奶奶家吃饭的人有小姨和表哥", "周末可能去奶奶家吃饭的人有小姨和表哥"),
        ("the parcel goes to the left gate behind the school", "the parcel goes to the right gate behind the school"),
    ],
)
def test_another_number_name_path_or_not_is_another_thing(make: Make, text: Text, one: str, other: str) -> None:
    work = make(files={"facts/用户.md": facts_text(f"2026-02-13：{one}", f"2026-02-14：{other}")})
    before = text("facts/用户.md")
    done = merged(work)
    assert (done.entries, done.kept, done.merged) == (2, 2, 0)
    assert text("facts/用户.md") == before


def test_one_value_of_two_properties_is_two_things(make: Make, text: Text) -> None:
    lines = facts_text("2026-02-13：茶 [predicate:: 喜欢]", "2026-02-14：茶 [predicate:: 过敏]")
    work = make(files={"facts/用户.md": lines})
    assert (merged(work).merged, text("facts/用户.md")) == (0, lines)
    assert not [one for one in work.lint().diagnostics if one.code == "MM305"]


@pytest.mark.slow
def test_forty_copies_among_three_hundred_and_none_of_forty_pairs_with_another_number(mdmem: Run, root: Path) -> None:
    rng = random.Random(11)
    syllables = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u")]

    def word() -> str:
        return "".join(rng.choice(syllables) for _ in range(3))

    plain = [f"{word()} {word()} waits for {word()} beside the {word()} {word()}" for _ in range(140)]
    numbered = [f"the {word()} {word()} of {word()} takes {number} {word()} a day" for number in range(40)]
    others = [text.replace(f" {number} ", f" {number + 50} ") for number, text in enumerate(numbered)]
    copies = [f"{text.replace('beside the', 'beside')}." for text in plain[:40]]
    texts = [*plain, *numbered, *others, *copies, *(f"{word()} {word()} {word()} {word()}" for _ in range(40))]
    rng.shuffle(texts)
    (root / "facts").mkdir()
    lines = (f"2026-02-{rng.randint(10, 19)}：{text}" for text in texts)
    (root / "facts" / "用户.md").write_text(facts_text(*lines), "utf-8")
    (step,) = json.loads(mdmem("night", "--now", "--only", "dedup", "--json").stdout)["steps"]
    assert (step["entries"], step["kept"], step["merged"], step["refused"], step["calls"]) == (300, 260, 40, 0, 0)
    left = (root / "facts" / "用户.md").read_text("utf-8")
    assert [text for text in (*numbered, *others) if text not in left] == []
    assert mdmem("lint").returncode == 0
    again = mdmem("night", "--now", "--only", "dedup").stdout
    assert "合并" not in again.replace("合并重复", "")
    assert (root / "facts" / "用户.md").read_text("utf-8") == left


def test_the_line_that_stays_says_most_word_for_word_and_takes_over_what_the_others_know(
    make: Make, text: Text
) -> None:  # fmt: skip
    lines = (
        "2026-02-10：备用钥匙放在奶奶家门口的陶花盆下面 [priority:: long_term] [accesses:: 3] [accessed:: 2026-02-12]",
        "2026-02-09：备用钥匙放在奶奶家门口左边的陶花盆下面 [priority:: short_term] [accesses:: 1]",
    )
    work = make(files={"facts/用户.md": facts_text(*lines)})
    merged(work)
    (fact,) = work.facts("用户")
    assert fact.text == "备用钥匙放在奶奶家门口左边的陶花盆下面"
    assert fact.confidence == pytest.approx(0.65)
    line = next(one for one in text("facts/用户.md").splitlines() if "花盆" in one)
    for field in ("[accesses:: 4]", "[accessed:: 2026-02-12]", "[updated:: 2026-02-10]", "[priority:: long_term]"):
        assert field in line
    assert work.lint().diagnostics == ()


def test_a_copy_of_the_same_source_confirms_nothing_and_its_weight_is_kept(make: Make, text: Text) -> None:
    same = "[confidence:: 0.5] [source:: chat:20260213_100000#1]"
    lines = f"- 2026-02-10：备用钥匙放在奶奶家门口的陶花盆下面 {same}\n"
    lines += f"- 2026-02-11：备用钥匙现在放在奶奶家门口的陶花盆下面 [priority:: short_term] [importance:: 0.2] {same}\n"
    work = make(files={"facts/用户.md": f"# 用户\n\n## 现在\n\n{lines}"})
    assert merged(work).merged == 1
    (fact,) = work.facts("用户")
    assert (fact.confidence, fact.importance, fact.priority) == (0.5, 0.5, "long_term")
    assert work.lint().diagnostics == ()


def test_older_values_follow_the_line_that_stays(make: Make, text: Text) -> None:
    before = "- 2026-01-05：备用钥匙放在车里 [superseded:: 2026-02-10] [superseded_by:: kold] [confidence:: 0.5]\n"
    lines = "# 用户\n\n## 现在\n\n- 2026-02-10：备用钥匙放在门口的花盆下面 [confidence:: 0.5] ^kold\n"
    lines += "- 2026-02-12：备用钥匙现在放在门口的花盆下面 [confidence:: 0.5] ^knew\n\n## 以前\n\n" + before
    work = make(files={"facts/用户.md": lines})
    assert merged(work).merged == 1
    assert "[superseded_by:: knew]" in text("facts/用户.md")
    assert work.lint().diagnostics == ()
    work.history.undo(work.history.log("facts/用户.md")[0].id)
    assert text("facts/用户.md") == lines


def test_a_line_as_a_person_writes_it_stays_and_the_other_one_leaves(make: Make, text: Text) -> None:
    mine = "2026-02-01：备用钥匙，在门口的花盆下面放着"
    work = make(files={"facts/用户.md": facts_text(f"{mine}!", "2026-02-14：备用钥匙在门口的花盆下面放着")})
    assert merged(work).merged == 1
    assert text("facts/用户.md") == f"# 用户\n\n## 现在\n\n- {mine}\n"


@pytest.mark.parametrize("ends", [
    ("!", "!"), *((f" {field}", f"。 {field}") for field in ("[type:: rule]", "[priority:: permanent]", "#置顶")),
])  # fmt: skip
def test_lines_as_a_person_writes_them_and_rules_permanent_and_pinned_facts_stay(
    make: Make, text: Text, ends: tuple[str, str]
) -> None:
    given = facts_text(*(f"2026-02-0{day}：回答一律用中文书面语{end}" for day, end in enumerate(ends, 1)))
    work = make(files={"facts/用户.md": given})
    assert merged(work).merged == 0
    assert text("facts/用户.md") == given


def test_facts_of_another_type_or_predicate_are_not_compared(make: Make) -> None:
    same = "备用钥匙放在门口的花盆下面"
    lines = (f"2026-02-01：{same} [type:: fact]", f"2026-02-02：{same} [type:: error]",
             "2026-02-03：出差的时候住在杭州西湖区 [predicate:: 出差]",
             "2026-02-04：出差的时候常住在杭州西湖区 [predicate:: 住址]")  # fmt: skip
    assert merged(make(files={"facts/用户.md": facts_text(*lines)})).merged == 0


def test_entries_of_the_memory_are_merged_too_but_not_what_a_person_wrote(make: Make, text: Text) -> None:
    hand = "- 2026-02-10：水位图改用标准库来画\n- 2026-02-11：奥德凯克的水位每小时记一次\n"
    agent = "- 2026-02-10：水位图现在改用标准库来画 [source:: chat:20260210_100000#1]\n"
    other = "- 2026-02-12：水位图改用标准库来画 [source:: chat:20260212_100000#1]\n"
    memory = f"# 记忆\n\n## 重要事件\n\n{hand}{agent}{other}"
    work = make(files={"MEMORY.md": memory})
    done = merged(work)
    assert (done.entries, done.merged) == (4, 1)
    assert text("MEMORY.md") == memory.replace(agent, ""), "on another day it may have happened again"


def test_a_copy_with_a_secret_stays_because_the_archive_would_not_take_it(make: Make, text: Text) -> None:
    line = "测试服务器的登录口令写在这里 sk-live-{}"
    secret = line.format("9aKq27Lm4TzX81pRwQe5")
    given = facts_text(f"2026-02-01：{secret}", f"2026-02-02：{secret}")
    work = make(files={"facts/用户.md": given})
    done = merged(work)
    assert (done.merged, done.entries) == (0, 2)
    assert text("facts/用户.md") == given


def test_what_was_forgotten_does_not_come_back(make: Make, traces: Callable[[str], list[str]]) -> None:
    lines = (
        "2026-02-01：隔壁的橘猫叫做麻薯团子",
        "2026-02-02：隔壁的橘猫叫做麻薯团子。",
        "2026-02-03：浇花要用前一天的水",
    )
    work = make(files={"facts/用户.md": facts_text(*lines)})
    work.night(now=True)
    work.forget("隔壁的橘猫叫做麻薯团子")
    work.night(now=True)
    assert traces("麻薯团子") == []


MODEL = """
import json, sys
prompt = sys.stdin.read()
open({log!r}, "a").write("x")
print({answer!r})
"""


def with_model(make: Make, tmp_path: Path, answer: str, lines: tuple[str, ...], settings: str = "") -> Workspace:
    log, program = tmp_path / "calls", tmp_path / "model.py"
    program.write_text(MODEL.format(log=str(log), answer=answer), "utf-8")
    run = json.dumps([sys.executable, "-I", str(program)])
    work = make(files={"facts/用户.md": facts_text(*lines)},
                settings=f'[keeper]\nbackend = "command"\n[command]\nrun = {run}\n{settings}')  # fmt: skip
    work.trust()
    return work


def calls(tmp_path: Path) -> int:
    log = tmp_path / "calls"
    return len(log.read_text("utf-8")) if log.is_file() else 0


UNSURE = ("2026-02-01：the kettle stands on the left shelf in the kitchen",
          "2026-02-02：the kettle is found on the left shelf in the kitchen")  # fmt: skip


PAIRS = (
    *UNSURE,
    "2026-02-01：grandfather's lantern hangs from a nail beside the stable",
    "2026-02-02：grandfather's lantern dangles from a nail beside the stable",
    "2026-02-01：seven spare fuses wait inside a blue tobacco tin",
    "2026-02-02：seven spare fuses sit inside a blue tobacco tin",
    "2026-02-01：every gauge reading goes onto paper before noon",
    "2026-02-02：every gauge reading lands onto paper before noon",
    "2026-02-01：visitors ring twice when snow covers our lane",
    "2026-02-02：visitors knock twice when snow covers our lane",
)


def test_a_model_may_choose_and_writes_nothing(make: Make, tmp_path: Path, text: Text) -> None:
    work = with_model(make, tmp_path, '{"keep": 2, "remove": [1]}', UNSURE)
    done = merged(work)
    assert (done.entries, done.merged, done.calls) == (2, 1, 1)
    assert [one.text for one in work.facts("用户")] == [UNSURE[1][11:]]
    assert "[why:: merged]" in text("archive/2026-02.md")
    assert (merged(work).calls, calls(tmp_path)) == (0, 1)


def test_what_a_model_keeps_apart_is_not_asked_again(make: Make, tmp_path: Path, text: Text) -> None:
    work = with_model(make, tmp_path, '{"keep": null, "remove": []}', UNSURE)
    before = text("facts/用户.md")
    assert merged(work).calls == 1
    assert merged(work).calls == 0
    assert text("facts/用户.md") == before
    assert calls(tmp_path) == 1


@pytest.mark.parametrize(
    "answer",
    ["", "the same", '{"keep": 1, "remove": [1]}', '{"keep": 1, "remove": [7]}', '{"keep": "x", "remove": [2]}',
     '{"keep": 1, "remove": [2', "[1, 2]", '{"keep": 1, "remove": [2, 2]}', '{"keep": 1, "remove": {"2": 1}}'],
)  # fmt: skip
def test_a_wrong_answer_changes_nothing_and_is_told(make: Make, tmp_path: Path, text: Text, answer: str) -> None:
    work = with_model(make, tmp_path, answer, UNSURE)
    before = text("facts/用户.md")
    done = merged(work)
    assert (done.merged, done.refused, done.entries) == (0, 2, 2)
    assert done.reasons
    assert text("facts/用户.md") == before


def test_the_budget_of_questions_is_kept_and_the_rest_waits(make: Make, tmp_path: Path) -> None:
    work = with_model(make, tmp_path, '{"keep": null, "remove": []}', PAIRS)
    report = work.night(now=True, only="dedup", calls=2)
    (done,) = report.steps
    assert (report.status, done.calls, calls(tmp_path)) == ("stopped", 2, 2)
    assert done.left == done.entries - 4 > 0
    assert work.night(now=True, only="dedup", calls=0).steps[0].calls == 0
    assert work.night(now=True, only="dedup", tokens=10).steps[0].calls == 0
    assert work.night(now=True, only="dedup").steps[0].calls == 3


def test_a_model_that_fails_is_left_alone(make: Make, tmp_path: Path, text: Text) -> None:
    work = with_model(make, tmp_path, "", PAIRS)
    (tmp_path / "model.py").write_text(f"open({str(tmp_path / 'calls')!r}, 'a').write('x'); raise SystemExit(3)")
    before = text("facts/用户.md")
    report = work.night(now=True, only="dedup")
    assert (calls(tmp_path), report.steps[0].calls) == (3, 3)
    assert (report.status, report.steps[0].merged) == ("stopped", 0)
    assert "没有回答" in report.hint
    assert text("facts/用户.md") == before
