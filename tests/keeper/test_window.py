"""The chat window's journeys: full, it waits; idle, it goes into the pool, proved, in one change; the turns stay."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from harness import entries, said

from mdmem.entries.model import Outcome
from mdmem.text.document import parse
from mdmem.workspace import Workspace

from .conftest import Make

HEAD = (
    "---\nagent: main\ntask: 修好导入\nstarted: 2026-02-20 08:00\nended:\noutcome: ongoing\nextracted_through: 99"
    "\n---\n"
)
PATH = "sessions/20260220_080000_import.md"
SOURCE = "chat:20260220_080000_import"
RULE = "好，data/raw 只读，删除之前必须先问我。"
SECTIONS = "# Session: 20260220_080000\n\n## 请求\n\n修好导入，能自己跑一整夜。\n\n## 回应\n\n## 元数据\n\n## 对话\n"
ENGLISH = "# Session: 20260220_080000\n\n## Request\n\nFix it.\n\n## Response\n\n## Metadata\n\n## Turns\n"
GOOD = "修复了 src/part3.py、src/part4.py、src/part5.py，10 项测试全绿"
FASTMEMO = "# 表层记忆\n\n## 自我感知\n\n## 用户感知\n\n## 环境感知\n\n## 历史感知\n\n## 动态context池\n"


def turns(first: int, last: int, *, rule: str = "", filler: int = 60) -> str:
    out = ""
    for n in range(first, last + 1):
        asked = f"{rule}第 {n} 步呢？" if rule and n == first else f"第 {n} 步怎么样了？"
        done = f"修复了 src/part{n}.py，{n + 5} 项测试全绿。" + "我再想一想别的办法。" * filler
        out += f"\n### {n} user 08:{n % 60:02}\n\n{asked}\n\n### {n} assistant 08:{n % 60:02}\n\n{done}\n"
    return out


def full(first: int = 1, last: int = 8, **more: object) -> str:
    return HEAD + SECTIONS + turns(first, last, **more)  # type: ignore[arg-type]


def pending(workspace: Workspace, path: str = PATH) -> tuple[str, ...]:
    return next(one.pending for one in workspace.status() if one.path == path)


def through(workspace: Workspace) -> int:
    values = parse(said(workspace, PATH).encode()).front_matter
    assert values
    return int(str(values.values.get("condensed_through", 0)))


def one(found: tuple[Outcome, ...]) -> Outcome:
    (outcome,) = found
    return outcome


def test_a_full_window_waits_and_is_condensed_into_the_pool(make: Make) -> None:
    workspace = make({PATH: full(rule=RULE), "FASTMEMO.md": FASTMEMO})
    (why,) = pending(workspace)
    assert "软上限 3000" in why
    assert "第 5 轮及以前" in why
    before = said(workspace, PATH)
    done = one(workspace.compact())
    assert done.status == "done", done
    rule, summary = entries(workspace, "FASTMEMO.md", "动态context池")
    assert rule == f"{RULE} #规则 [source:: {SOURCE}#1-5]"
    assert summary.startswith("2026-02-20：")
    assert summary.endswith(f" [source:: {SOURCE}#1-5]")
    assert len(summary) <= 420
    assert "src/part5.py" in summary
    assert "part6" not in summary, "the last three rounds stay as they are"
    assert through(workspace) == 5
    after = said(workspace, PATH).replace("condensed_through: 5\n", "")
    told = after[after.index("## 情节") : after.index("## 对话")]
    assert after.replace(told, "") == before, "no turn was touched (D019)"
    assert "[rounds:: 1-5]" in told
    assert "[by:: context_compress]" in told
    assert done.transaction
    assert {file.path for file in done.transaction.files} == {PATH, "FASTMEMO.md"}, "one change"
    assert pending(workspace) == ()
    assert one(workspace.compact()).status == "unchanged", "doing it again does nothing"
    workspace.history.undo(done.transaction.id)
    assert through(workspace) == 0
    assert said(workspace, "FASTMEMO.md") == FASTMEMO


def test_in_english_and_without_a_memory_yet(make: Make) -> None:
    text = HEAD + ENGLISH + "".join(
        f"\n### {n} user 08:0{n}\n\nNever push to main. What about step {n}?\n\n### {n} assistant 08:0{n}\n\n"
        f"Fixed src/part{n}.py, {n + 5} tests passed. {'Let me think about it once more. ' * 99}\n" for n in range(1, 8)
    )  # fmt: skip
    workspace = make({PATH: text}, lang="en")
    assert "soft limit 3000" in pending(workspace)[0]
    assert one(workspace.compact("session")).status == "done"
    rule, summary = entries(workspace, "FASTMEMO.md", "Context pool")
    assert rule == f"Never push to main. #rule [source:: {SOURCE}#1-4]"
    assert summary.startswith("2026-02-20: ")
    assert not [found for found in workspace.lint().diagnostics if found.severity == "error"]


@pytest.mark.parametrize(("lang", "said_first", "value"), [
    ("zh", "我住在莱顿。我的 Python 是 3.10。", "莱顿"), ("en", "I live in Leiden. My Python is 3.10.", "Leiden"),
])  # fmt: skip
def test_what_is_condensed_is_linked_with_the_facts_that_came_of_it(
    make: Make, lang: str, said_first: str, value: str
) -> None:
    roles, sections = ("用户", "助手"), SECTIONS
    if lang == "en":
        roles, sections = ("user", "assistant"), ENGLISH
    rounds = [f"\n### {n} {roles[0]} 08:0{n}\n\n{said_first if n == 1 else 'ok'}\n\n### {n} {roles[1]} 08:0{n}\n\n"
              f"{'Let me think about it once more. ' * 99}\n" for n in range(1, 8)]  # fmt: skip
    workspace = make({PATH: HEAD.replace("99", "0") + sections + "".join(rounds)}, lang=lang)
    workspace.compact("session")
    (stretch,) = workspace.episodes()
    fact = next(fact for fact in workspace.facts() if value in fact.text)
    assert f"{fact.path}#{fact.id}" in stretch.facts
    link = f"[episode:: {SOURCE.replace('chat', 'session')}#{stretch.first}-{stretch.last}]"
    assert link in said(workspace, fact.path)
    assert len(stretch.facts) == 2
    assert not [found for found in workspace.lint().diagnostics if found.code in ("MM315", "MM312", "MM311")]
    before = said(workspace, fact.path)
    workspace.compact("session")
    assert said(workspace, fact.path) == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (full(1, 8, filler=3), "below the limit"),
        (full(1, 3, filler=300), "nothing but the last rounds"),
        (full().replace("ended:\n", "ended: 2026-02-20 09:00\n"), "over"),
        (full()[len(HEAD) :], "its file cannot say how far it is condensed"),
    ],
)
def test_what_does_not_wait(make: Make, text: str, why: str) -> None:
    workspace = make({PATH: text})
    assert pending(workspace) == (), why
    assert workspace.compact()[0].status == "unchanged"
    assert said(workspace, PATH) == text


def test_now_condenses_what_is_not_full_and_a_plan_writes_nothing(make: Make) -> None:
    workspace = make({PATH: full(filler=0), "FASTMEMO.md": FASTMEMO})
    plan = one(workspace.compact("window", now=True, plan=True))
    assert plan.status == "planned"
    assert "+condensed_through: 5" in plan.diff
    assert through(workspace) == 0
    assert one(workspace.compact(PATH, now=True)).status == "done"
    assert through(workspace) == 5
    assert one(workspace.compact(PATH, now=True)).status == "unchanged"


@pytest.mark.thorough
@pytest.mark.slow
def test_a_rule_said_in_round_one_stands_word_for_word_after_ten_compactions(make: Make) -> None:
    workspace = make({PATH: full(1, 3, rule=RULE), "FASTMEMO.md": FASTMEMO})
    pools = 0
    for stage in range(10):
        first = 4 + stage * 7
        path = Path(workspace.root, PATH)
        path.write_text(path.read_text("utf-8") + turns(first, first + 6, rule=f"第 {stage} 阶段必须写日志。"), "utf-8")
        done = workspace.compact()
        assert {outcome.status for outcome in done} <= {"done", "waiting"}, "what has no room in the pool waits for it"
        pools += any("FASTMEMO.md：" in outcome.message for outcome in done)
        assert through(workspace) == first + 3
        pool = entries(workspace, "FASTMEMO.md", "动态context池")
        assert len(pool) <= 10
        assert sum(RULE in entry for entry in pool) == 1
        assert RULE in workspace.pack("chat").text, "and a model sees it"
    assert pools, "the pool itself was condensed on the way"
    everything = said(workspace, "FASTMEMO.md") + said(workspace, "inbox.md")
    assert all(everything.count(f"第 {stage} 阶段必须写日志。") == 1 for stage in range(10))
    assert all(f"src/part{n}.py" in said(workspace, PATH) for n in range(1, 74)), "every turn is still there"


def test_a_full_pool_lets_the_rest_wait_and_comes_home(make: Make) -> None:
    nine = "".join(f"\n- 2026-02-{n:02} 第 {n} 阶段的摘要，见 logs/run{n}.md" for n in range(1, 10))
    workspace = make({PATH: full(rule=f"{RULE}推送之前务必跑测试。"), "FASTMEMO.md": FASTMEMO + nine + "\n"})
    first, *rest = workspace.compact("session")
    assert first.status == "waiting"
    assert not rest
    assert said(workspace, "inbox.md").count("[to:: FASTMEMO.md#动态context池]") == 2
    assert len(entries(workspace, "FASTMEMO.md", "动态context池")) == 10
    workspace.compact()
    pool = entries(workspace, "FASTMEMO.md", "动态context池")
    assert sum(RULE in entry for entry in pool) == 1
    assert sum("推送之前务必跑测试。" in entry for entry in pool) == 1
    assert sum("src/part5.py" in entry for entry in pool) == 1
    assert "to::" not in said(workspace, "inbox.md").replace("[to:: 文件#区域]", "")


def test_what_a_model_says_is_proved(make: Make) -> None:
    workspace = make({PATH: full(rule=RULE), "FASTMEMO.md": FASTMEMO})
    asked: list[str] = []
    good = "修复了 src/part1.py、src/part2.py 和 src/part5.py，10 项测试全绿"

    def model(prompt: str) -> str:
        asked.append(prompt)
        return json.dumps([{"path": PATH, "section": "动态context池", "content": good}], ensure_ascii=False)

    assert one(workspace.compact(backend=model)).status == "done"
    (prompt,) = asked
    assert "修好导入" in prompt, "the task is known"
    assert f"- {RULE}" in prompt
    assert "src/part5.py" in prompt
    assert "src/part6.py" not in prompt
    rule, summary = entries(workspace, "FASTMEMO.md", "动态context池")
    assert rule.startswith(RULE), "rules are none of the model's business"
    assert summary == f"2026-02-20：{good} [source:: {SOURCE}#1-5]"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "好的，我来总结一下。",
        '[{"section": "动态context池", "content": "修复了',
        '[{"section": "动态context池", "content": ""}]',
        '[{"section": "动态context池", "content": "修复了 src/part1.py，99 项测试全绿"}]',
        '[{"section": "动态context池", "content": "用户说「随便推」，修复了 src/part1.py"}]',
        '[{"section": "动态context池", "content": "大家聊得很开心"}]',
        '[{"section": "用户感知", "content": "修复了 src/part1.py，6 项测试全绿"}]',
        '[{"path": "MEMORY.md", "section": "动态context池", "content": "修复了 src/part1.py，6 项测试全绿"}]',
        '[{"section": "动态context池", "content": "- 修复了 src/part1.py\\n- 修复了 src/part2.py"}]',
        json.dumps([{"section": "动态context池", "content": "修复了 src/part1.py" * 60}]),
        json.dumps([{"section": "动态context池", "content": "修复了 src/part1.py，6 项测试全绿\u200b\u202e"}]),
    ],
)
def test_a_wrong_answer_changes_nothing(make: Make, answer: str) -> None:
    workspace = make({PATH: full(rule=RULE), "FASTMEMO.md": FASTMEMO})
    before = said(workspace, PATH), said(workspace, "FASTMEMO.md")
    refused = one(workspace.compact(backend=lambda _: answer))
    assert refused.status == "refused"
    assert (said(workspace, PATH), said(workspace, "FASTMEMO.md")) == before
    assert not Path(workspace.root, "inbox.md").exists()
    assert len(pending(workspace)) == 2, "it still waits, and says why it did not work"
    assert one(workspace.compact(backend=lambda _: answer)).status == "waiting", "with back-off"


def test_an_agent_is_handed_the_prompt_and_its_answer_is_taken(make: Make) -> None:
    workspace = make({PATH: full(), "FASTMEMO.md": FASTMEMO}, settings='[keeper]\nbackend = "agent"\n')
    assert one(workspace.compact()).status == "waiting"
    (prompt,) = workspace.keeper.prompts()
    assert f'"path": "{PATH}"' in prompt
    answer = json.dumps([{"path": PATH, "section": "动态context池", "content": GOOD}])
    assert one(workspace.compact(apply=answer)).status == "done"
    assert through(workspace) == 5


def test_a_turn_said_meanwhile_is_kept_and_stays_open(make: Make) -> None:
    workspace = make({PATH: full(), "FASTMEMO.md": FASTMEMO})

    def slow(_: str) -> str:
        workspace.sessions.resume(PATH).turn("user", "又想到一件事")
        return json.dumps([{"section": "动态context池", "content": GOOD}])

    assert one(workspace.compact(backend=slow)).status == "done"
    assert through(workspace) == 5
    assert "又想到一件事" in said(workspace, PATH)


def test_a_conversation_that_was_changed_meanwhile_is_condensed_anew(make: Make) -> None:
    workspace = make({PATH: full(), "FASTMEMO.md": FASTMEMO})
    asked = 0

    def slow(_: str) -> str:
        nonlocal asked
        asked += 1
        if asked == 1:
            path = Path(workspace.root, PATH)
            path.write_text(path.read_text("utf-8").replace("src/part2.py", "src/other.py"), "utf-8")
        return json.dumps([{"section": "动态context池", "content": GOOD}])

    assert one(workspace.compact(backend=slow)).status == "done"
    assert asked == 2
    assert "src/other.py" in said(workspace, PATH)


@pytest.mark.usefixtures("patience_for_editors")
def test_no_turn_is_lost_while_a_window_is_condensed_over_and_over(make: Make) -> None:
    workspace = make({PATH: full(1, 4), "FASTMEMO.md": FASTMEMO})
    spoken = [f"第 {n} 句，修复了 src/late{n}.py" for n in range(24)]

    def speak() -> None:
        session = Workspace(workspace.root).sessions.resume(PATH)
        for text in spoken:
            session.turn("user", text)

    speaker = threading.Thread(target=speak)
    speaker.start()
    while speaker.is_alive():
        workspace.compact("session", now=True)
    speaker.join()
    workspace.compact("session", now=True)
    text = said(workspace, PATH)
    assert [text.count(f"\n{one_}\n") for one_ in spoken] == [1] * len(spoken)
    assert through(workspace) == 4 + len(spoken) - 3


def test_a_secret_reaches_neither_model_nor_pool(make: Make) -> None:
    key = "sk-ant-" + "api03-" + "aB3dE5fG7h" * 8
    text = full().replace("第 1 步怎么样了？", f"密钥必须用 {key}。")
    workspace = make({PATH: text, "FASTMEMO.md": FASTMEMO})
    assert key not in workspace.keeper.prompts("session")[0]
    assert one(workspace.compact()).status == "done"
    assert key not in said(workspace, "FASTMEMO.md")


@pytest.mark.slow
def test_a_watcher_tells_and_condenses_when_all_is_idle(make: Make) -> None:
    workspace = make({PATH: full(), "FASTMEMO.md": FASTMEMO}, settings="[watch]\nquiet_seconds = 1\n")
    import os

    for name in (PATH, "FASTMEMO.md", "mdmem.toml"):
        os.utime(Path(workspace.root, name), (1, 1))
    told = [(notice.kind, notice.path) for notice in workspace.watch(once=True)]
    assert ("pending", PATH) in told
    assert ("kept", "FASTMEMO.md") in told
    assert through(workspace) == 5
