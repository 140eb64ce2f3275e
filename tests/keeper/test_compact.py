"""The acceptance journeys of the keeper: overflow is seen, condensed, proved, or left alone (F020 to F066, C8)."""

from __future__ import annotations

import json
import threading
from datetime import date, timedelta
from pathlib import Path

import pytest
from harness import entries, files_of, said

from mdmem.entries.model import Outcome
from mdmem.errors import LockedError, UsageError
from mdmem.text.document import parse
from mdmem.workspace import Workspace

from .conftest import Make

SECTIONS = ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")


def ten(workspace: Workspace, count: int = 10, section: str = "历史感知") -> None:
    texts = [
        f"2026-02-{day:02} 第 {day} 次导入用了 {80 + day} 秒，日志在 logs/run{day}.md" for day in range(1, count + 1)
    ]
    for text in texts:
        workspace.add("FASTMEMO.md", [text], section=section, again=True)


def status(workspace: Workspace, path: str = "FASTMEMO.md") -> tuple[str, ...]:
    return next(one.pending for one in workspace.status() if one.path == path)


@pytest.fixture
def workspace(make: Make) -> Workspace:
    return make()


def test_the_tenth_entry_waits_at_once_and_survives_a_restart(workspace: Workspace) -> None:
    ten(workspace, 9)
    assert status(workspace) == ()
    told = workspace.add("FASTMEMO.md", ["第十条"], section="历史感知")
    assert "等压缩" in told.hint
    assert status(workspace) == ("「历史感知」有 10 条（上限 10），等压缩",)
    assert Workspace(workspace.root).status()[0].pending == status(workspace)
    assert not Path(workspace.root, ".mdmem/queue.json").exists(), "what waits is derived, never stored"


def test_what_came_while_the_keeper_was_away_comes_home(workspace: Workspace) -> None:
    ten(workspace, 12)
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) == 10
    assert said(workspace, "inbox.md").count("[to:: FASTMEMO.md#历史感知]") == 2
    assert "收件箱里还有 2 条" in status(workspace)[0]
    done = workspace.compact()
    assert [one.status for one in done] == ["done", "done"]
    left = entries(workspace, "FASTMEMO.md", "历史感知")
    assert len(left) == 3
    assert [text[:10] for text in left[1:]] == ["2026-02-11", "2026-02-12"]
    assert "to::" not in said(workspace, "inbox.md").replace("[to:: 文件#区域]", "")
    everything = said(workspace, "FASTMEMO.md") + said(workspace, "archive/2026-02.md")
    assert all(f"logs/run{day}.md" in everything for day in range(1, 13))
    assert status(workspace) == ()


def test_what_was_done_is_told_where_the_rest_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    ten(workspace, 12)

    def busy(*_: object, **__: object) -> Outcome:
        raise LockedError("another writer is at it", path="inbox.md", hint="try again")

    monkeypatch.setattr("mdmem.keeper.compaction.drain_inbox", busy)
    done, rest = workspace.compact()
    assert (done.status, done.path) == ("done", "FASTMEMO.md")
    assert (rest.status, rest.message) == ("refused", "其余的 没有改动：inbox.md: another writer is at it（再试一次）")
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) == 1
    with pytest.raises(LockedError):
        workspace.compact()  # nothing else waits


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("more", [25, 40])
def test_an_inbox_of_any_length_comes_home_and_no_section_is_ever_over_its_cap(workspace: Workspace, more: int) -> None:
    ten(workspace, more)
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) == 10
    workspace.compact()
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) < 10
    assert "logs/run" not in said(workspace, "inbox.md")
    everything = said(workspace, "FASTMEMO.md") + said(workspace, "archive/2026-02.md")
    assert all(f"logs/run{day}.md" in everything for day in range(1, more + 1))
    counts = [len(workspace.history.diff(one.id)) for one in workspace.history.log("FASTMEMO.md")]
    assert counts, "each step stands in the log"


def test_every_region_holds_one_entry_after(workspace: Workspace) -> None:
    ten(workspace)
    for section in SECTIONS[:3]:
        workspace.add("FASTMEMO.md", [f"{section} 一", f"{section} 二"], section=section)
    workspace.add("FASTMEMO.md", ["只有一条，  带两个空格 #标签 [source:: chat:1] ^one"], section="动态context池")
    before = entries(workspace, "FASTMEMO.md", "动态context池")
    (done,) = workspace.compact()
    assert [len(entries(workspace, "FASTMEMO.md", section)) for section in SECTIONS] == [1] * 5
    assert entries(workspace, "FASTMEMO.md", "动态context池") == before, "a region with one entry stays byte for byte"
    assert done.transaction is not None
    assert {one.path for one in done.transaction.files} == {"FASTMEMO.md", "archive/2026-02.md"}
    assert (done.transaction.actor, done.transaction.reason) == ("keeper", "压缩（rules）")
    workspace.history.undo(done.transaction.id)
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) == 10


def test_a_plan_writes_nothing(workspace: Workspace) -> None:
    ten(workspace)
    before = files_of(workspace.root)
    (plan,) = workspace.compact(plan=True)
    assert plan.status == "planned"
    assert "--- a/FASTMEMO.md" in plan.diff
    assert "+++ b/archive/2026-02.md" in plan.diff
    assert files_of(workspace.root) == before


@pytest.mark.parametrize("count", [12, 17, 33])
def test_a_plan_tells_of_the_rounds_that_follow(workspace: Workspace, count: int) -> None:
    workspace.add("FASTMEMO.md", [f"第 {n} 块石头重 {n * 7919 % 997} 公斤" for n in range(count)], section="用户感知")
    first, later = workspace.compact("FASTMEMO.md", plan=True)
    done = workspace.compact("FASTMEMO.md")
    batches = [one for one in done if not one.message.startswith("已压缩")]
    assert first.status == later.status == "planned"
    assert f"{count - 10} 条分 {len(batches)} 批" in later.message
    assert len(workspace.inbox.list()) == 0


def test_nothing_to_do_is_said(workspace: Workspace) -> None:
    workspace.add("FASTMEMO.md", ["一", "二"], section="用户感知")
    assert workspace.compact()[0].message == "没有要压缩或整理的"
    (here,) = workspace.compact("fastmemo")
    assert (here.status, here.message) == ("unchanged", "FASTMEMO.md 现在不用整理")
    assert workspace.compact("fastmemo", now=True)[0].status == "done"
    assert len(entries(workspace, "FASTMEMO.md", "用户感知")) == 1


def test_a_rule_is_word_for_word_after_three_compactions(workspace: Workspace) -> None:
    rule, correction = "推送之前必须先问；没问过就不要推 [source:: chat:7]", "从现在起叫她念念，不是沈小姐"
    workspace.add("FASTMEMO.md", [rule, correction], section="用户感知")
    for turn in range(3):
        workspace.add(
            "FASTMEMO.md",
            [f"第 {turn} 轮第 {n} 件事，用了 {n * 7} 分钟" for n in range(8 + (turn > 0))],
            section="用户感知",
        )
        assert workspace.compact()[0].status == "done"
        (line,) = entries(workspace, "FASTMEMO.md", "用户感知")
        assert line.startswith(f"{rule}；{correction}；")
        assert len(line) <= 600


def test_rules_that_do_not_fit_into_one_line_stay_all_the_same(workspace: Workspace) -> None:
    rules = [f"规则 {n}：" + "绝不" + "做没有验证过的事，" * 14 for n in range(10)]
    workspace.add("FASTMEMO.md", rules, section="自我感知")
    (done,) = workspace.compact()
    assert "「自我感知」留 3 条而不是 1 条：规则要逐字保留" in done.message
    left = entries(workspace, "FASTMEMO.md", "自我感知")
    assert all(any(rule in line for line in left) for rule in rules)
    assert all(len(line) <= 600 for line in left)
    assert len(left) == 3
    assert workspace.compact("fastmemo", now=True)[0].status == "unchanged"


def test_a_reply_says_why_a_region_keeps_more_than_one_entry(make: Make) -> None:
    rows = {"Self": ["The stapler is red"], "User": ["Parking pass for lot C [expires:: 2026-03-31]"]}
    parts = (
        f"## {name}\n\n" + "".join(f"- {row}\n" for row in (*rows[name], *(f"{name} likes tea {n}" for n in range(9))))
        for name in rows
    )
    workspace = make({"FASTMEMO.md": "# Surface memory\n\n" + "\n".join(parts)}, lang="en")
    said_to_user = "".join(one.message for one in workspace.compact("fastmemo", now=True))
    assert [len(entries(workspace, "FASTMEMO.md", name)) for name in rows] == [1, 2]
    assert '"User" keeps 2 entries, not 1: some have a last day' in said_to_user
    assert '"Self" keeps' not in said_to_user


def test_a_secret_is_neither_moved_nor_shown(make: Make) -> None:
    secret = "- 旧服务器 password = 'Tr0ub4dor&3xQz9'\n"
    text = "# 表层记忆\n\n## 用户感知\n\n" + secret + "".join(f"- 第 {n} 件事\n" for n in range(10))
    workspace = make({"FASTMEMO.md": text})
    workspace.compact()
    left = said(workspace, "FASTMEMO.md")
    assert secret in left
    assert left.count("\n- ") == 2
    assert "Tr0ub4dor" not in said(workspace, "archive/2026-02.md")


def test_a_model_is_asked_without_a_lock_and_what_was_written_meanwhile_stays(workspace: Workspace) -> None:
    ten(workspace)
    ten(workspace, 3, "环境感知")
    asked, go = threading.Event(), threading.Event()

    def slow(_: str) -> str:
        asked.set()
        assert go.wait(60)
        rows = [
            ("历史感知", "2026-02-10 第 10 次导入用了 90 秒 ｜ 2026-02-09 第 9 次 ｜ " + "导入 日志 " * 60),
            ("环境感知", "2026-02-03 第 3 次导入用了 83 秒，日志在 logs/run3.md ｜ 2026-02-02 第 2 次"),
        ]
        return json.dumps([{"section": name, "content": text.strip()} for name, text in rows])

    done: list[Outcome] = []
    keeper = threading.Thread(target=lambda: done.extend(Workspace(workspace.root).compact(backend=slow)))
    keeper.start()
    assert asked.wait(60)
    workspace.add("FASTMEMO.md", ["编译机换成 arm"], section="环境感知")
    workspace.add("USER.md", ["喜欢划船"], section="基本信息")
    assert workspace.read("FASTMEMO.md").text
    assert keeper.is_alive(), "nobody waits for the model"
    go.set()
    keeper.join(60)
    assert [one.status for one in done] == ["done"], done
    assert "编译机换成 arm" in entries(workspace, "FASTMEMO.md", "环境感知")
    assert len(entries(workspace, "FASTMEMO.md", "历史感知")) == 1


def test_a_plan_that_collides_is_made_anew(workspace: Workspace) -> None:
    ten(workspace)
    turns = []

    def backend(prompt: str) -> str:
        turns.append(prompt)
        if len(turns) == 1:
            workspace.replace("FASTMEMO.md", "logs/run5.md", "2026-02-05 第 5 次导入失败，原因是磁盘没挂上")
        lines = [line[2:] for line in prompt.partition("<memory>")[2].splitlines() if line.startswith("- 2026")]
        return json.dumps([{"section": "历史感知", "content": " ｜ ".join(line.partition("，")[0] for line in lines)}])

    (done,) = workspace.compact(backend=backend)
    assert done.status == "done", done
    assert len(turns) == 2
    assert "第 5 次导入失败" in entries(workspace, "FASTMEMO.md", "历史感知")[0]
    assert "磁盘没挂上" in said(workspace, "archive/2026-02.md")


def test_an_agent_is_given_the_prompt_and_hands_back_the_operations(make: Make) -> None:
    workspace = make(settings='[keeper]\nbackend = "agent"\n')
    ten(workspace)
    (waits,) = workspace.compact()
    assert (waits.status, "mdmem compact --apply" in waits.hint) == ("waiting", True)
    (prompt,) = workspace.keeper.prompts()
    assert "- 历史感知: 10 → 1 (≤ 440)" in prompt
    assert prompt.count("logs/run7.md") == 1
    lines = [f"2026-02-{day:02} 第 {day} 次导入 {80 + day} 秒" for day in range(1, 11)]
    operations = [
        {"tool": "memory_edit", "arguments": {"path": "fastmemo", "section": "历史", "content": " ｜ ".join(lines)}}
    ]
    (done,) = workspace.compact(apply=f"好的：\n```json\n{json.dumps(operations)}\n```\n")
    assert done.status == "done", done
    assert entries(workspace, "FASTMEMO.md", "历史感知") == [" ｜ ".join(lines)]


@pytest.mark.parametrize("path", ["NOPE.md", "../x.md", "knowledge.md"])
def test_an_answer_for_no_memory_file_is_refused(workspace: Workspace, path: str) -> None:
    ten(workspace)
    before = said(workspace, "FASTMEMO.md")
    answer = json.dumps([{"path": path, "section": "历史感知", "content": "x"}])
    (done,) = workspace.compact(apply=answer)
    assert done.status == "refused"
    assert said(workspace, "FASTMEMO.md") == before


def test_what_is_no_backend_is_an_error(make: Make) -> None:
    with pytest.raises(UsageError):
        make().compact(backend="magic")


def test_a_workspace_may_word_its_own_prompt(make: Make) -> None:
    own = "<!-- mine -->\nShorten {{path}} to {{sections}}:\n{{file}}\n"
    workspace = make({"prompts/fastmemo_compact.txt": own})
    ten(workspace)
    (prompt,) = workspace.keeper.prompts()
    assert prompt.startswith("Shorten FASTMEMO.md to - 历史感知: 10 → 1")
    wrong = make({"prompts/fastmemo_compact.txt": "no slot"})
    (done,) = wrong.compact(backend=lambda _: "[]")
    assert "{{file}}" in done.message


def test_the_old_format_is_condensed_too(make: Make) -> None:
    text = (
        "[自我感知]\n[用户感知]\n"
        + "".join(f"- 第 {n} 条偏好 {n}\n" for n in range(12))
        + "[环境感知]\n[历史感知]\n[动态context池]\n"
    )
    workspace = make({"fastmemo.txt": text})
    assert workspace.compact()[0].status == "done"
    assert said(workspace, "fastmemo.txt").count("- ") == 1


def test_entries_with_more_below_them_lose_nothing(make: Make) -> None:
    text = (
        "# 表层记忆\n\n## 用户感知\n\n"
        + "".join(f"- 第 {n} 件\n  - 细节 {n}a\n  继续 {n}\n" for n in range(10))
        + "\n## 环境感知\n"
    )
    workspace = make({"FASTMEMO.md": text})
    (done,) = workspace.compact()
    assert done.status == "done", done
    kept = said(workspace, "archive/2026-02.md")
    assert all(f"细节 {n}a" in kept and f"第 {n} 件" in kept and f"继续 {n}" in kept for n in range(10))
    assert len(entries(workspace, "FASTMEMO.md", "用户感知")) == 1


@pytest.mark.thorough
@pytest.mark.slow
def test_the_file_stays_small_while_somebody_writes_every_day(workspace: Workspace) -> None:
    sizes, rule = [], "删除之前必须先问"
    workspace.add("FASTMEMO.md", [rule], section="自我感知")
    for day in range(60):
        today = date(2026, 3, 1) + timedelta(days=day)
        workspace.config.day = today.isoformat()
        texts = [f"{today} 第 {n} 件：跑了 {day * 7 + n} 项测试，写进 logs/{day}_{n}.md" for n in range(3)]
        workspace.add("FASTMEMO.md", texts, section=SECTIONS[3 + day % 2])
        if day % 6 == 5:
            workspace.compact()
        sizes.append(len(said(workspace, "FASTMEMO.md")))
        assert all(len(entries(workspace, "FASTMEMO.md", section)) <= 10 for section in SECTIONS)
    assert max(sizes[30:]) <= max(sizes[:30]) * 1.05
    everything = "".join(path.read_text("utf-8") for path in Path(workspace.root).rglob("*.md"))
    assert all(f"logs/{day}_{n}.md" in everything for day in range(60) for n in range(3))
    assert rule in entries(workspace, "FASTMEMO.md", "自我感知")[0]
    assert parse(said(workspace, "archive/2026-03.md").encode()).entries
