"""The acceptance scenarios of C8, one test each, named by their number.

Each is a failure that users of older systems met. Texts are in Chinese and English and stand in no other test.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import entries, holding, killed, lay, needs_fork
from harness import said as text

from mdmem.errors import RefusedError
from mdmem.text.document import parse
from mdmem.text.similarity import comparison_key
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

Make = Callable[..., Workspace]
REGIONS = ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")
TOPICS = ("厨房的净水器", "阳台的番茄", "书房的打印机", "车库的自行车", "客厅的钢琴")
DEEDS = (
    "三月换过滤芯，型号 PP-{n}，下次是九月", "坏过一次，师傅老魏修好了，花了 {n}80 元",
    "说明书在抽屉第 {n} 格，电子版在 docs/manual_{n}.pdf", "周末由阿宁照看，电话里说好了每次 {n} 小时",
    "编号 {n}-K，贴在背面，注册邮箱是 home{n}@example.org", "声音变大就先断电，等 {n} 分钟再开",
    "客人来的时候挪到走廊，离墙 {n}0 厘米", "第 {n} 次保养是在下雨天做的，没有问题",
    "不要用金属刷，{n} 年前刮坏过一次", "保修到 2027 年 {n} 月，发票在蓝色文件夹里",
)  # fmt: skip


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make a workspace of these files; today is 2026-03-20."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def build(files: dict[str, str] | None = None, *, lang: str = "zh", settings: str = "") -> Workspace:
        return again(lay(tmp_path / "workspace", files, lang=lang, settings=settings))

    return build


def again(root: str | Path) -> Workspace:
    """Open a workspace as a new process would."""
    workspace = Workspace(root)
    workspace.config.day = "2026-03-20"
    return workspace


def surface(rows: dict[str, list[str]]) -> str:
    parts = [f"## {name}\n\n" + "".join(f"- {row}\n" for row in rows.get(name, [])) for name in REGIONS]
    return "# 表层记忆\n\n" + "\n".join(parts)


def household(region: int) -> list[str]:
    return [f"{TOPICS[region]}：{deed.format(n=number + 1)}" for number, deed in enumerate(DEEDS)]


def test_c8_1_a_stored_preference_is_found_by_each_of_its_words(make: Make) -> None:
    memory = make({"USER.md": "# 用户\n\n## 沟通\n"})
    said = "用户偏好简洁直接的回复风格"
    memory.add("MEMORY.md", [f"2026-03-02：{said}"], section="偏好与习惯")
    memory.add("MEMORY.md", ["2026-03-03：用户养了一只叫豆包的猫"], section="笔记")
    for question in ("简洁", "回复风格", "簡潔", "直接", said):
        hits = memory.search(question)
        assert hits, question
        assert said in hits[0].text, question


def test_c8_2_what_was_written_by_hand_is_the_same_after_the_night(make: Make) -> None:
    odd = "\n## 我自己的一节\n\n这里  两个空格，\t一个制表符。\r\n* 星号\n1) 编号\n- [x] 做完了 🧵\n　　全角空格开头\n"
    memory = make({"facts/用户.md": "# 用户\n\n## 现在\n\n- 2026-03-01：阿宁对花生过敏 ^a1\n"})
    memory.init()
    memory.fact_set("用户", "城市", "用户住在绍兴")
    memory.add("MEMORY.md", ["2026-03-02：番茄开花了"], section="笔记")
    memory.add("USER.md", ["称呼：阿宁"])
    for name in ("MEMORY.md", "USER.md"):
        Path(memory.root, name).write_bytes((text(memory, name) + odd).encode())
    kept = {name: text(memory, name) for name in ("MEMORY.md", "USER.md")}
    for _ in range(3):
        memory = again(memory.root)
        memory.night(now=True)
    for name, before in kept.items():
        now = text(memory, name)
        document = parse(now.encode())
        for block in reversed(document.auto_blocks):
            now = now[: block.span.start] + now[block.span.end :]
        assert "mdmem:auto" not in now
        assert now.replace("\n", "") == before.replace("\n", ""), "but for the empty lines around a block"
        assert odd in now
    assert "用户住在绍兴" in text(memory, "MEMORY.md")


def test_c8_3_the_tenth_and_eleventh_entry_wait_while_nobody_keeps(make: Make) -> None:
    rows = [f"2026-03-{day:02}：借出第 {day} 本书" for day in range(1, 12)]
    memory = make({"FASTMEMO.md": surface({})}, settings='[keeper]\nbackend = "agent"\n')
    seen = [memory.add("FASTMEMO.md", [row], section="历史感知", actor="ada").status for row in rows]
    assert seen == ["done"] * 10 + ["waiting"]
    assert memory.compact()[0].status == "waiting", "the keeper is offline"
    memory = again(memory.root)
    assert entries(memory, "FASTMEMO.md", "历史感知") == rows[:10]
    assert [item.text for item in memory.inbox.list()] == rows[10:]
    (file,) = [one for one in memory.status() if one.path == "FASTMEMO.md"]
    assert [one.pending for one in file.sections if one.name == "历史感知"] == [True], "also after a restart"
    done = memory.compact(backend="rules")
    assert "done" in {one.status for one in done}
    assert len(entries(memory, "FASTMEMO.md", "历史感知")) <= 10
    everywhere = "".join(text(memory, name) for name in ("FASTMEMO.md", "inbox.md", "archive/2026-03.md"))
    assert [row for row in rows if row not in everywhere] == []


@pytest.mark.thorough
@needs_fork
def test_c8_4_killed_between_two_regions_a_compaction_is_all_old_or_all_new(make: Make) -> None:
    full = surface({name: household(number) for number, name in enumerate(REGIONS)})
    results = set()

    def prepare() -> Workspace:
        memory = make({"FASTMEMO.md": full})
        shutil.rmtree(Path(memory.root, "archive"), ignore_errors=True)
        return memory

    for fresh in killed(7, prepare):
        now = tuple(len(entries(fresh, "FASTMEMO.md", name)) for name in REGIONS)
        kept = text(fresh, "archive/2026-03.md") + text(fresh, "FASTMEMO.md")
        assert [row for region in range(5) for row in household(region) if row not in kept] == []
        assert (text(fresh, "FASTMEMO.md") == full) == (now == (10,) * 5)
        results.add(now)
    assert len(results) == 2, "no region is condensed without the others"


@pytest.mark.parametrize("times", [0, 1, 4])
def test_c8_5_the_injected_surface_memory_shows_every_region_in_1800_characters(make: Make, times: int) -> None:
    memory = make({"FASTMEMO.md": surface({name: household(number) for number, name in enumerate(REGIONS)})})
    for turn in range(times):
        assert "done" in {one.status for one in memory.compact("fastmemo", now=True)}
        if turn < times - 1:
            for number, name in enumerate(REGIONS):
                more = [f"{TOPICS[number]}第 {turn + 2} 轮：{deed.format(n=turn + 3)}" for deed in DEEDS[:9]]
                memory.add("FASTMEMO.md", more, section=name)
    pack, live = memory.pack("chat"), comparison_key(text(memory, "FASTMEMO.md"))
    regions, pool = pack.part("fastmemo"), pack.part("pool")  # the fifth region is shown as a part of its own
    assert regions
    assert pool
    assert len(regions.text) + len(pool.text) <= 1800
    shown = parse(regions.text.encode()).sections
    seen = {
        name: [one for section in shown if section.title == name for one in section.entries] for name in REGIONS[:4]
    }
    seen[REGIONS[4]] = list(parse(pool.text.encode()).entries)
    for name, found in seen.items():
        assert found, f"nothing of «{name}» is shown: {regions.text}"
        assert all(comparison_key(one.text) in live for one in found), "an entry is shown whole"


def test_c8_6_what_is_forgotten_stays_gone(make: Make) -> None:
    secret = "阿宁的旧地址是梧桐路 12 号"
    memory = make({"MEMORY.md": f"# 🧠 记忆\n\n## 笔记\n\n- 2026-03-02：{secret}\n- 2026-03-03：番茄开花了\n"})
    memory.search("梧桐路")
    assert memory.forget("梧桐路").status == "done"
    shutil.rmtree(Path(memory.root, ".mdmem"))
    memory = again(memory.root)
    assert memory.search("梧桐路") == ()
    for actor in ("keeper", "ada"):  # what an import or a night job would do
        with pytest.raises(RefusedError):
            memory.add("MEMORY.md", [f"2026-03-02：{secret}"], section="笔记", actor=actor)
        with pytest.raises(RefusedError):
            memory.write("facts/阿宁.md", f"# 阿宁\n\n## 现在\n\n- 2026-03-02：{secret}\n", actor=actor)
    memory.compact()
    assert memory.night(now=True).status in ("done", "unchanged")
    assert holding(memory.root, "梧桐路") == []
    assert "梧桐路" not in memory.recall("阿宁的旧地址在哪里？").text


@pytest.mark.thorough
@pytest.mark.usefixtures("counted_ids")
def test_c8_7_thirty_tool_calls_leave_the_request_flat(make: Make) -> None:
    memory = make({"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-03-02: the sensors are read every hour\n"}, lang="en")
    sizes = []
    with memory.sessions.start("Find the sensor that drifts", agent="ada") as session:
        session.turn("user", "Read every log and tell me which sensor drifts.")
        for call in range(1, 61):
            output = "".join(
                f"{call:02} {line:04} sensor-{line % 7} level {line * call % 997} ok\n" for line in range(700)
            )
            assert len(output) > 20_000
            kept = memory.artifacts.put(output.encode(), tool="shell", input=f"cat logs/{call}.log", exit_code=0)
            session.tool(kept)
            pack = memory.pack("tool_loop", prompt="You are careful.", tool_result=kept)
            assert output not in pack.text
            assert "which sensor drifts" in pack.text, "the question is still there"
            sizes.append(pack.tokens)
    assert sizes[29] <= 1.1 * max(sizes[9:20]), "thirty calls ask for no more than twenty"
    steady = sizes[30:]
    assert max(steady) <= 1.2 * min(steady), "what leaves, leaves in blocks of four runs"
    assert max(steady[15:]) <= 1.02 * max(steady[:15]), "and nothing grows"


@pytest.mark.thorough
def test_c8_8_a_rule_of_the_first_round_is_verbatim_after_three_compactions(make: Make) -> None:
    rule = "发给房东的邮件必须先给我看，不要自己发出去。"
    memory = make({"FASTMEMO.md": surface({})})
    session = memory.sessions.start("整理租房的事", agent="ada")
    session.turn("user", f"我们来整理租房的文件。{rule}")
    session.turn("assistant", "明白。")
    for stage in range(3):
        for number in range(8):
            session.turn("user", f"第 {stage + 1} 批第 {number + 1} 份呢？")
            said = (
                f"第 {number + 1} 份是 {stage + 1} 月的收据，{number}{stage}50 元，已放进 docs/{stage}_{number}.pdf。"
            )
            session.turn("assistant", said + "其余的页我逐行核对过，没有缺页，也没有涂改的地方。" * 12)
        assert "done" in {one.status for one in memory.compact("session", now=True)}
        for number, name in enumerate(REGIONS[:4]):
            memory.add("FASTMEMO.md", household(number)[: 9 - stage], section=name)
        memory.compact("fastmemo", now=True)
        pack = memory.pack("chat")
        assert rule.rstrip("。") in pack.text, f"after {stage + 1} compactions: {pack.text}"
    assert rule in text(memory, session.path), "and the conversation has it as it was said"


ODD = (
    "# 🧠 记忆\r\n\r\n## 待办与承诺\r\n\r\n- [ ] 2026-03-02：给番茄\u3000浇水 🍅\r\n"
    "- [x] 2026-03-03：还书 👩‍👩‍👧 #图书馆\r\n"
    "1. 2026-03-04：先量尺寸\r\n2. 2026-03-05：再订窗帘\r\n\r\n## 笔记\r\n\r\n* 2026-03-06：全角ＡＢＣ，半角ｱ\r\n"
)


def export_of_another(folder: Path) -> Path:
    """Write what another system gave its user: memories with their days."""
    rows = [
        ("a1", "2025-11-02", "阿宁的旧地址是梧桐路 12 号"), ("a2", "2025-12-24", "净水器的滤芯是 PP-3"),
        ("a3", "2026-01-05", "The piano tuner comes on the first Friday"), ("a4", "2026-01-05", "净水器的滤芯是 PP-3"),
        ("a5", "2026-02-11", "   "),
    ]  # fmt: skip
    keys = {"type": "FACT", "priority": "LONG_TERM", "source": "manual", "tags": [], "access_count": 0}
    memories = [
        {"id": ident, "content": content, "created_at": f"{day}T09:30:00", "updated_at": f"{day}T09:30:00",
         "importance_score": 0.6, **keys}
        for ident, day, content in rows
    ]  # fmt: skip
    path = folder / "memories.json"
    path.write_text(json.dumps(memories, ensure_ascii=False), "utf-8")
    return path


def test_c8_9_an_import_keeps_the_days_adds_up_and_adds_nothing_twice(make: Make, tmp_path: Path) -> None:
    memory, source = make(), export_of_another(tmp_path)
    before = source.read_bytes(), source.stat().st_mtime_ns
    done = memory.import_from(source)
    assert (done.read, done.written, done.duplicate, done.skipped + done.refused) == (5, 3, 1, 1)
    assert {(one.date, one.text) for one in memory.facts()} == {
        ("2025-11-02", "阿宁的旧地址是梧桐路 12 号"),
        ("2025-12-24", "净水器的滤芯是 PP-3"),
        ("2026-01-05", "The piano tuner comes on the first Friday"),
    }
    again_done = again(memory.root).import_from(source)
    assert (again_done.written, again_done.status) == (0, "unchanged")
    assert (source.read_bytes(), source.stat().st_mtime_ns) == before


def test_c8_6_what_is_forgotten_stays_away_from_a_second_import(make: Make, tmp_path: Path) -> None:
    memory, source = make(), export_of_another(tmp_path)
    memory.import_from(source)
    memory.forget("梧桐路")
    memory.index.rebuild()
    memory.night(now=True)
    Path(memory.root, "archive", "imports.md").unlink(missing_ok=True)
    memory = again(memory.root)
    assert memory.import_from(source).written == 0
    assert holding(memory.root, "梧桐路") == []


def test_c8_10_odd_text_survives_every_edit(make: Make) -> None:
    memory = make({"MEMORY.md": ODD})

    def changed(before: str) -> list[str]:
        now = text(memory, "MEMORY.md")
        assert "\n" not in now.replace("\r\n", ""), "every line ends as before"
        return [line for line in before.split("\r\n") if line not in now.split("\r\n")]

    before = ODD
    memory.add("MEMORY.md", ["2026-03-07：换了门锁"], section="笔记")
    assert changed(before) == []
    before = text(memory, "MEMORY.md")
    memory.tick("MEMORY.md", "浇水")
    assert changed(before) == ["- [ ] 2026-03-02：给番茄\u3000浇水 🍅"]
    assert "- [x] 2026-03-02：给番茄\u3000浇水 🍅\r\n" in text(memory, "MEMORY.md")
    before = text(memory, "MEMORY.md")
    memory.edit("MEMORY.md", "先量尺寸", "先量窗户的尺寸")
    assert changed(before) == ["1. 2026-03-04：先量尺寸"]
    before = text(memory, "MEMORY.md")
    memory.remove("MEMORY.md", ["还书 👩‍👩‍👧"])
    assert changed(before) == ["- [x] 2026-03-03：还书 👩‍👩‍👧 #图书馆"]
    assert "还书 👩‍👩‍👧" in text(memory, "archive/2026-03.md")
    for _ in range(4):
        memory.history.undo()
    assert text(memory, "MEMORY.md") == ODD


TEN = "\n".join(f"- 第 {number} 条" for number in range(1, 11))
WRONG = {
    "empty": "",
    "prose": "好的，我已经把区域整理好了，内容都保留了。",
    "half JSON": '{"tool": "memory_edit", "section": "用户感知", "content": "- 厨房的净',
    "ten bullets": json.dumps([{"section": "用户感知", "content": TEN}], ensure_ascii=False),
}


@pytest.mark.parametrize("name", WRONG)
def test_c8_11_a_wrong_answer_changes_nothing_and_is_tried_again_later(make: Make, name: str) -> None:
    before = surface({"用户感知": household(0)})
    memory = make({"FASTMEMO.md": before})
    (first,) = memory.compact(backend=lambda _: WRONG[name])
    assert first.status == "refused"
    assert first.message
    assert text(memory, "FASTMEMO.md") == before
    assert not Path(memory.root, "archive").exists()
    asked: list[str] = []
    (soon,) = again(memory.root).compact(backend=lambda prompt: asked.append(prompt) or "")  # type: ignore[func-returns-value]
    assert (soon.status, asked) == ("waiting", []), "not asked again at once, also by another process"
    (file,) = again(memory.root).status()
    assert any("失败了" in why for why in file.pending), "the reason is visible"
    assert "done" in {one.status for one in memory.compact("fastmemo", now=True, backend="rules")}
    assert [
        row for row in household(0) if row not in text(memory, "archive/2026-03.md") + text(memory, "FASTMEMO.md")
    ] == []


def test_c8_12_the_same_is_injected_after_the_caches_are_gone(make: Make, tmp_path: Path) -> None:
    rows = {name: household(number)[:6] for number, name in enumerate(REGIONS)}
    notes = "".join(f"- 2026-03-{number + 1:02}：{row}\n" for number, row in enumerate(household(2)))
    memory = make({"FASTMEMO.md": surface(rows), "MEMORY.md": f"# 🧠 记忆\n\n## 笔记\n\n{notes}"})
    memory.add("MEMORY.md", ["2026-03-19：打印机换成了激光的"], section="笔记")
    questions = ("打印机的说明书在哪里？", "谁照看番茄", "PP-1")

    def injected(of: Workspace) -> list[object]:
        recalled = [of.recall(question).text for question in questions]
        found = [[(hit.path, hit.line, hit.text) for hit in of.search(question)] for question in questions]
        return [of.pack("chat").text, recalled, found]

    memory.search(questions[0])  # builds the index
    copy = shutil.copytree(memory.root, tmp_path / "copy")  # how often something was recalled counts: the same for both
    first = injected(memory)
    for path in Path(copy, ".mdmem").glob("index.db*"):
        path.unlink()
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    assert injected(again(copy)) == first
    assert all(first[1])  # type: ignore[arg-type]
