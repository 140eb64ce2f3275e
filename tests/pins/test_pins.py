"""Pins: proof that is there or no pin, a quota with a way out, a time to live, nothing that cannot be taken back."""

from __future__ import annotations

import pytest
from conftest import Make, Text

from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.messages.catalog import label
from mdmem.workspace import Workspace

SESSION = """---
agent: xiaoman
task: 准备面试
started: 2026-02-13 21:30
---

# 会话

## Request

帮我练习

## Turns

### 1 念念 21:30

下周五面试，那天别跑任务。

### 1 小满 21:31

记住了。
"""
RUN = """---
tool_id: t0007
tool_name: shell
input: head -n 6 data.csv
exit_code: 0
created_at: 2026-02-03 20:19
summary: |
  6 lines, separator `;`
---
a;b;c
"""
HAND = """# 钉住的事

- `data/raw/` 只读 [type:: constraint] [source:: file:facts/riverlog.md#L3]
- 旧事 [type:: path] [source:: tool:t0007] [created:: 2026-01-01]
"""
FILES = {
    "sessions/20260213_213000_interview_prep.md": SESSION,
    "artifacts/t0007.md": RUN,
    "facts/riverlog.md": "# riverlog\n\n- 原始数据：data/raw/ 只读\n",
    "PINS.md": HAND,
}


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make("zh", FILES)


def test_a_pin_is_one_line_with_its_proof_and_can_be_taken_back(memory: Workspace, text: Text) -> None:
    done = memory.pins.add(
        "constraint",
        "面试日",
        "那天不跑任务",
        "chat:20260213_213000#1",
        ttl="30 sessions",
        actor="scout",
        reason="她说的",
    )
    (pin,) = [one for one in memory.pins.list() if one.title]
    line = (
        f"- **面试日**：那天不跑任务 [type:: constraint] [source:: chat:20260213_213000#1] "
        f"[created:: 2026-02-20] [ttl:: 30 sessions] {pin.key}\n"
    )
    assert text("PINS.md") == HAND + line
    assert {one.line for one in done.diagnostics} == {4}, "only the old one is over"
    assert [(one.actor, one.reason) for one in memory.history.log(limit=1)] == [("scout", "她说的")]
    memory.history.undo()
    assert text("PINS.md") == HAND


@pytest.mark.parametrize(
    "source",
    [
        "chat:20260213_213000", "chat:20260213_213000_interview_prep#1", "tool:t0007", "file:facts/riverlog.md#L3",
        "file:facts/riverlog.md#L1-L3", "file:facts/riverlog.md",
    ],
)  # fmt: skip
def test_evidence_that_is_there(memory: Workspace, source: str) -> None:
    assert memory.pins.add("code", "甲", "乙丙丁", source, artifact="t0007").status == "done"


@pytest.mark.parametrize(
    "source",
    [
        "", "chat:", "她说的", "https://example.org", "chat:20260213_213000#2", "chat:20991231", "tool:t9999",
        "tool:../MEMORY", "file:facts/riverlog.md#L4", "file:facts/riverlog.md#L0", "file:facts/none.md#L1",
        "file:../secret.md#L1", "file:/etc/passwd#L1", "file:.mdmem/history/log#L1",
    ],
)  # fmt: skip
def test_without_evidence_there_is_no_pin(memory: Workspace, text: Text, source: str) -> None:
    with pytest.raises(RefusedError) as caught:
        memory.pins.add("code", "甲", "乙丙丁", source)
    assert "chat:" in caught.value.hint
    assert text("PINS.md") == HAND


def test_an_artifact_must_be_there_too(memory: Workspace, text: Text) -> None:
    with pytest.raises(RefusedError):
        memory.pins.add("code", "甲", "乙丙丁", "tool:t0007", artifact="t9999")
    memory.pins.add("code", "甲", "乙丙丁", "tool:t0007", artifact="t0007")
    assert "[artifact:: artifacts/t0007.md]" in text("PINS.md")


def test_what_makes_no_pin(memory: Workspace, text: Text) -> None:
    source = "tool:t0007"
    for title, summary, kind, ttl in (("", "乙", "code", None), ("甲", " ", "code", None), ("甲", "乙", "x", None),
                                      ("甲", "乙", "code", "soon")):  # fmt: skip
        with pytest.raises(UsageError):
            memory.pins.add(kind, title, summary, source, ttl=ttl)
    with pytest.raises(RefusedError, match="600") as long:
        memory.pins.add("code", "甲", "很长" * 300, source)
    assert "artifact" in long.value.hint
    with pytest.raises(RefusedError) as twin:
        memory.pins.add("code", "别的", "`data/raw/` 只读", source)
    assert "`data/raw/` 只读" in twin.value.candidates[0]
    with pytest.raises(RefusedError):
        memory.pins.add("code", "密钥", "api_key = AKIAIOSFODNN7EXAMPLQ", source)
    assert text("PINS.md") == HAND


@pytest.mark.thorough
def test_when_all_are_taken_the_expired_make_room_and_then_it_says_which_might_go(
    memory: Workspace, text: Text
) -> None:
    for number in range(18):
        memory.pins.add("code", f"第{number}件", f"内容各不相同 {number}", "tool:t0007")
    assert memory.pins.add("code", "再一件", "有过期的让位", "tool:t0007").status == "done"
    assert "旧事" in text("NOTEBOOK.md")
    assert "旧事" not in text("PINS.md")
    full = text("PINS.md")
    with pytest.raises(RefusedError) as caught:
        memory.pins.add("code", "又一件", "放不下了", "tool:t0007")
    first, second, *_ = caught.value.candidates
    assert "只读" in first, "one that nobody dated is the oldest"
    assert "第0件" in second
    assert first in caught.value.hint
    assert text("PINS.md") == full
    memory.pins.remove([first.split()[0]])
    assert memory.pins.add("code", "又一件", "放得下了", "tool:t0007").status == "done"
    assert "只读" in text("archive/2026-02.md")


def test_renewing_counts_from_today_and_leaves_the_words(memory: Workspace, text: Text) -> None:
    assert [pin.expired for pin in memory.pins.list()] == [False, True]
    memory.pins.renew(["旧事"], "14d")
    assert "- 旧事 [type:: path] [source:: tool:t0007] [created:: 2026-02-20] [ttl:: 14d]\n" in text("PINS.md")
    assert [pin.until for pin in memory.pins.list()] == ["", "2026-03-06"]
    with pytest.raises(TargetError):
        memory.pins.renew(["没有的"])


def test_only_what_is_given_of_a_pin_changes(memory: Workspace, text: Text) -> None:
    key = memory.pins.list()[1].key
    memory.pins.update(key, title="旧标题", ttl="30 sessions")
    assert (
        "- **旧标题**：旧事 [type:: path] [source:: tool:t0007] [created:: 2026-01-01] [ttl:: 30 sessions]\n"
        in text("PINS.md")
    )
    memory.pins.update("旧标题", summary="新事", source="file:facts/riverlog.md#L3")
    assert "- **旧标题**：新事 [type:: path] [source:: file:facts/riverlog.md#L3] " in text("PINS.md")
    with pytest.raises(RefusedError):
        memory.pins.update("旧标题", source="tool:t9999")
    with pytest.raises(UsageError):
        memory.pins.update("旧标题")
    assert HAND.splitlines()[2] in text("PINS.md"), "what is not meant stays as it was written"


def test_sessions_are_counted_by_their_names(make: Make) -> None:
    days = {f"sessions/202602{day:02}_100000_x.md": "# s\n" for day in range(1, 11)}
    pins = "# 钉住的事\n\n" + "".join(
        f"- 第{n}件 [type:: path] [source:: tool:t0007] [created:: 2026-02-04] [ttl:: {n} sessions]\n"
        for n in (5, 6, 7)
    )
    memory = make("zh", {"PINS.md": pins, "artifacts/t0007.md": RUN, **days})
    assert [(pin.until, pin.expired) for pin in memory.pins.list()] == [
        ("2026-02-09", True),
        ("2026-02-10", True),
        ("", False),
    ]
    (done,) = [one for one in memory.compact("PINS.md") if one.status != "unchanged"]
    assert done.status == "done", "what has expired moves on without anybody's word (G023)"
    assert [pin.summary for pin in memory.pins.list()] == ["第7件"]
    assert memory.read("NOTEBOOK.md").text.count("第") == 2


def test_the_keeper_only_proposes(memory: Workspace, text: Text) -> None:
    done = memory.pins.add("code", "甲", "乙丙丁", "tool:t0007", actor="keeper")
    assert done.status == "waiting"
    assert text("PINS.md") == HAND
    assert "乙丙丁" in text("inbox.md")


def test_pins_begin_with_the_first_one(make: Make, text: Text) -> None:
    memory = make("en", {"artifacts/t0007.md": RUN})
    assert memory.pins.list() == ()
    memory.pins.add("command", "Checks", "run `pytest -q` first", "tool:t0007")
    assert "\n- **Checks**: run `pytest -q` first [type:: command] " in text("PINS.md")


def test_why_walks_to_the_evidence(memory: Workspace) -> None:
    memory.pins.add("code", "分隔符", "用分号", "tool:t0007", artifact="t0007", actor="scout", reason="看了文件")
    memory.pins.renew(["分隔符"])
    found = memory.history.why("分隔符")
    assert found.written
    assert (found.path, found.written.actor, found.written.reason) == ("PINS.md", "scout", "看了文件")
    (run,) = found.evidence
    assert (run.path, run.excerpt, dict(run.facts)["exit"]) == (
        "artifacts/t0007.md",
        ("6 lines, separator `;`", "a;b;c"),
        "0",
    )
    assert found.missing == ()
    memory.pins.add("code", "面试", "别跑任务", "chat:20260213_213000#1")
    (turn,) = memory.history.why("别跑任务").evidence
    assert (turn.line, turn.excerpt[0]) == (15, "念念: 下周五面试，那天别跑任务。")


def test_why_says_what_is_missing(memory: Workspace, text: Text) -> None:
    found = memory.history.why("`data/raw/` 只读")
    assert (found.line, found.written) == (3, None)
    assert found.evidence[0].excerpt == ("- 原始数据：data/raw/ 只读",)
    memory.delete("facts/riverlog.md")
    found = memory.history.why("`data/raw/` 只读")
    assert found.evidence[0].excerpt == ()
    assert len(found.missing) == 2
    for name in ("哪里都没有的话", " "):
        with pytest.raises(TargetError):
            memory.history.why(name)


def test_why_tells_what_an_entry_was_made_of(make: Make) -> None:
    lines = "".join(f"- 2026-02-{day:02}：第 {day} 天量了水位 {day} 厘米\n" for day in range(1, 11))
    memory = make("zh", {"FASTMEMO.md": f"# 表层记忆\n\n## 历史感知\n\n{lines}"})
    memory.replace_section("FASTMEMO.md", "历史感知", "- 2026-02：量了十天水位", confirm=True)
    found = memory.history.why("量了十天水位")
    assert len(found.before) == 10
    assert found.before[0].origin == "FASTMEMO.md#历史感知"


def test_what_is_known_of_evidence_has_a_name_in_both_languages(memory: Workspace) -> None:
    memory.pins.add("code", "分隔符", "用分号", "tool:t0007")
    memory.pins.add("code", "面试", "别跑任务", "chat:20260213_213000#1")
    found = [*memory.history.why("分隔符").evidence, *memory.history.why("别跑任务").evidence]
    names = {name for one in found for name, _ in one.facts}
    assert names == {"tool", "input", "started", "exit", "agent", "task", "round"}
    assert all(label("zh", f"pin.fact-{name}", name) > "\u4e00" for name in names)
    assert all(label("en", f"pin.fact-{name}", name).isascii() for name in names)


@pytest.mark.parametrize(
    "reason", ["compacted", "merged", "removed", "expired", "outdated", "superseded", "decayed"]
)  # fmt: skip
def test_why_an_entry_was_put_away_is_said_in_both_languages(reason: str) -> None:
    assert label("zh", f"pin.gone-{reason}", reason) > "\u4e00"
    assert label("en", f"pin.gone-{reason}", reason).isascii()
    assert label("zh", "pin.gone-rolled-up", "rolled-up") == "rolled-up", "a word that somebody else wrote"


@pytest.mark.parametrize(("lang", "says"), [("zh", "无法读取"), ("en", "cannot be read")])
def test_evidence_that_cannot_be_read_is_told_in_the_workspaces_words(make: Make, lang: str, says: str) -> None:
    pins = "# P\n\n- 看这里 [type:: path] [source:: file:large.md#L1]\n"
    memory = make(lang, {"PINS.md": pins, "large.md": "一\n" * 900}, settings="[lint]\nmax_bytes = 3000\n")
    (one,) = memory.history.why("看这里").evidence
    assert f"large.md {says}" in one.missing.replace("：", " ")


def test_how_much_is_told_of_pins_and_their_proof_is_a_setting(make: Make) -> None:
    numbers = "candidates = 1\ncandidate_chars = 12\nevidence_lines = 1\nevidence_chars = 6\nbefore = 3\n"
    lines = "".join(f"- 2026-02-{day:02}：第 {day} 天量了水位 {day} 厘米\n" for day in range(1, 11))
    files = {**FILES, "FASTMEMO.md": f"# 表层记忆\n\n## 历史感知\n\n{lines}"}
    memory = make("zh", files, settings=f"[pins]\n{numbers}")
    assert memory.history.why("旧事").evidence[0].excerpt == ("6 lin…",)
    with pytest.raises(TargetError) as many:
        memory.history.why("天量了水位")
    (named,) = many.value.candidates
    assert named.endswith(" 2026-02-01：…")
    memory.replace_section("FASTMEMO.md", "历史感知", "- 2026-02：量了十天水位", confirm=True)
    assert len(memory.history.why("量了十天水位").before) == 3
    with pytest.raises(RefusedError) as twin:
        memory.pins.add("code", "别的", "`data/raw/` 只读", "tool:t0007")
    assert twin.value.candidates[0].endswith(" `data/raw/`…")


def test_evidence_tells_no_secret(make: Make) -> None:
    secret = "AKIA" + "IOSFODNN7QZEXMPL"
    files = {
        "notes.md": f"key {secret}\n",
        "PINS.md": "# P\n\n- 钥匙在笔记里 [type:: path] [source:: file:notes.md#L1]\n",
    }
    assert secret not in str(make("zh", files).history.why("钥匙在笔记里"))


def test_evidence_shows_only_what_a_person_sees(make: Make) -> None:
    pins = "# P\n\n- 看这里 [type:: path] [source:: file:notes.md#L1]\n"
    memory = make("zh", {"notes.md": "一\u200b二\U000e0041三\n", "PINS.md": pins})
    assert memory.history.why("看这里").evidence[0].excerpt == ("一二三",)


def test_a_name_of_several_entries_is_answered_with_what_they_say(make: Make) -> None:
    facts = "# 用户\n\n## 现在\n\n- 2026-02-13：喜欢乌龙茶 [predicate:: 喜欢] [type:: preference] ^f1a2b\n"
    memory = make(files={"facts/用户.md": facts, "NOTEBOOK.md": "# 笔记\n\n- 2026-02-14：乌龙茶买好了\n"})
    with pytest.raises(TargetError) as caught:
        memory.history.why("乌龙茶")
    said = [one.split(" ", 2)[2] for one in caught.value.candidates]
    assert said == ["2026-02-14：乌龙茶买好了", "2026-02-13：喜欢乌龙茶"]
