"""Law 8: whatever a keeper answers wrong, the file stays byte for byte, the work waits, and the reason can be read."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from conftest import TODAY
from harness import said

from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.meaning import doubts
from mdmem.generation.model import PlanProblem
from mdmem.keeper.condensing.proof import plan_problems
from mdmem.keeper.job import load_task
from mdmem.messages.catalog import say
from mdmem.settings.tables import Settings
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import missing
from mdmem.workspace import Workspace

from .conftest import Make

_DICE = random.Random(4)
KEY = "sk-ant-" + "api03-" + "".join(_DICE.choice(string.ascii_letters + string.digits) for _ in range(80))
CASES = Path(__file__).parent / "cases" / "wrong.md"
RULE = "原始数据只读，删除和推送之前必须先问"
CORRECTION = "不是每周，从现在起每天备份一次"
FILE = f"""# 表层记忆

## 自我感知

- 先结论后理由
- {RULE}
- 长输出写进 artifacts/
- {CORRECTION}

## 用户感知

- 2026-02-20 10:00 念念在 Delft 的 Waterlab 面试
- 选定三个故事，英文各两分钟
- 数据放在 `~/code/riverlog`
- Ouderkerk 站的缺口 41 小时
- 12 项测试全绿，`pytest -q tests/test_gaps.py`
- 说「终于不用手抄水位了」
- 站点 https://waterlab.example/api
- Python 3.10 跑得通
- 4 月 12 日妈妈六十岁生日
- 晚上九点以后有空

## 环境感知

## 历史感知

- 2026-02-04 riverlog 的夜间导入第一次无人值守跑完，92 秒

## 动态context池
"""
GOOD = {
    "自我感知": f"{RULE} ｜ {CORRECTION} ｜ 先结论后理由 ｜ 长输出写进 artifacts/",
    "用户感知": "2026-02-20 10:00 念念在 Delft 的 Waterlab 面试 ｜ 选定三个故事 ｜ 数据放在 `~/code/riverlog` ｜ "
    "Ouderkerk 站的缺口 41 小时 ｜ 12 项测试全绿 ｜ 4 月 12 日妈妈六十岁生日",
    "历史感知": "2026-02-04 riverlog 的夜间导入第一次无人值守跑完，92 秒",
}


def as_json(operations: list[tuple[str, str]]) -> str:
    return json.dumps([{"section": name, "content": text} for name, text in operations], ensure_ascii=False)


def _cases() -> Iterator[tuple[str, str, str]]:
    for found in re.finditer(
        r"^## ([^\n]*?) → (\S+)\n(.*?)(?=^## [^\n]* → |\Z)", CASES.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        name, kind, body = found.groups()
        raw = re.fullmatch(r"```raw\n(.*?)```\s*", body, re.DOTALL)
        yield name, kind, raw.group(1).replace("GOOD", as_json(list(GOOD.items()))) if raw else _changed(body)


def _changed(body: str) -> str:
    operations, more = dict(GOOD), []
    for line in filter(None, body.splitlines()):
        section, _, text = line.partition(" =")
        text = text.strip(" ").replace("\\n", "\n").replace("MANY", "数据放在 `~/code/riverlog`，" * 40)
        text = text.replace("sk-SECRETsecret", KEY)
        if section.startswith("- "):
            operations.pop(section[2:])
        elif section.startswith("+ "):
            more.append((section[2:], text))
        else:
            operations[section] = text
    return as_json([*operations.items(), *more])


WRONG = list(_cases())


def test_there_are_more_than_fifty_wrong_answers() -> None:
    assert len(WRONG) > 60
    assert len({kind for _, kind, _ in WRONG}) > 18


@pytest.fixture
def workspace(make: Make) -> Workspace:
    return make({"FASTMEMO.md": FILE})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind", "text"), WRONG, ids=[case[0] for case in WRONG])
def test_a_wrong_answer_changes_nothing_and_says_why(workspace: Workspace, name: str, kind: str, text: str) -> None:
    asked: list[str] = []

    def backend(prompt: str) -> str:
        asked.append(prompt)
        return text

    (done,) = workspace.compact(backend=backend)
    assert said(workspace, "FASTMEMO.md") == FILE
    assert not Path(workspace.root, "archive").exists()
    assert not Path(workspace.root, "inbox.md").exists()
    assert (done.status, done.transaction) == ("refused", None)
    assert "12 秒后再试" in done.hint
    (status,) = workspace.status()
    assert [reason for reason in status.pending if "等压缩" in reason], "the work goes on waiting"
    assert [reason for reason in status.pending if "失败了 1 次" in reason], "and says why"
    assert asked[0].count(FILE.partition("## 自我感知")[2].strip()[:40]) == 1, "the model sees the file"
    assert _kind(workspace.root, text) == kind
    assert "sk-ant" not in said(workspace, ".mdmem/queue.json")


def _kind(root: str, text: str) -> str:
    """Ask the proof itself, for the kind of the first problem."""
    from mdmem.workspace import Workspace

    workspace = Workspace(root)
    workspace.config.day = "2026-02-20"
    read = load_task(workspace.config, "FASTMEMO.md")
    assert read
    found = parse_answer(text, workspace.config.settings.keeper.max_answer_chars)
    if isinstance(found, PlanProblem):
        return found.kind
    operations = [one._replace(path=one.path or "FASTMEMO.md") for one in found]
    first = next(plan_problems(read.task, operations), None)
    assert first, "this answer is right"
    assert say("zh", f"keeper.{first.kind}", **first.facts)
    assert say("en", f"keeper.{first.kind}", **first.facts)
    return first.kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[" + "x" * 10_000_000, "answer-too-long"),
        ("[" * 100_000, "answer-no-json"),
        ('[{"a":' * 30_000, "answer-no-json"),
        ("\x00\x1b[31m", "answer-half"),
        ('[{"section": "用户感知", "content": "' + "9" * 5000 + '"}]', "too-long"),
        ("[" + "9" * 5000 + "]", "answer-no-json"),
        (as_json([*GOOD.items()]).replace("Delft", "Del\x1bft"), "unfit"),
        (as_json([*GOOD.items()]).replace("Delft", "Del\u202eft"), "unfit"),
        (as_json([*GOOD.items()]).replace("Delft", "\ud83d"), "answer-unicode"),
    ],
    ids=["ten megabytes", "brackets", "objects", "controls", "long", "a huge number", "escape", "bidi", "half a sign"],
)  # fmt: skip
def test_a_hostile_answer_changes_nothing(workspace: Workspace, text: str, kind: str) -> None:
    (done,) = workspace.compact(backend=lambda _: text)
    assert done.status == "refused", done
    assert said(workspace, "FASTMEMO.md") == FILE
    assert workspace.status()[0].pending[-1].startswith("失败了")
    assert _kind(workspace.root, text) == kind


def test_the_right_answer_is_written(workspace: Workspace) -> None:
    (done,) = workspace.compact(backend=lambda _: as_json(list(GOOD.items())))
    assert done.status == "done", done
    assert said(workspace, "FASTMEMO.md").count("\n- ") == 3
    assert said(workspace, "archive/2026-02.md").count("[why:: compacted]") == 14
    assert workspace.status()[0].pending == ()


@pytest.mark.parametrize("mark", ["待确认", "推测"])
def test_what_is_marked_as_unsure_may_be_new(workspace: Workspace, mark: str) -> None:
    text = as_json([*(GOOD | {"用户感知": f"{GOOD['用户感知']} ｜ 可能 3 月搬家（{mark}）"}).items()])
    (done,) = workspace.compact(backend=lambda _: text)
    assert done.status == "done", done


def test_the_wait_doubles_up_to_an_hour_and_ends_with_success(workspace: Workspace) -> None:
    hints = [workspace.compact(now=True, backend=lambda _: "no")[0].hint for _ in range(11)]
    assert [int(re.findall(r"\d+", hint)[0]) for hint in hints] == [
        12,
        24,
        48,
        96,
        192,
        384,
        768,
        1536,
        3072,
        3600,
        3600,
    ]
    (later,) = workspace.compact(backend=lambda _: pytest.fail("asked too early"))
    assert later.status == "waiting"
    assert "以后再试" in later.message
    assert workspace.compact(now=True)[0].status == "done"
    assert json.loads(said(workspace, ".mdmem/queue.json")) == {"attempts": {}}


_PARTS = [
    part.partition("\n")
    for part in (Path(__file__).parent / "cases" / "answers.md").read_text("utf-8").split("## ")[1:]
]
MEANINGS = {title: [line[2:] for line in rows.splitlines() if line.startswith("- ")] for title, _, rows in _PARTS}


def refused(settings: Settings, lang: str, line: str) -> bool:
    source = MEANINGS[f"source {lang}"]
    return bool(doubts(source, [line], ImportanceScorer(settings.keeper, TODAY)) or missing(line, "\n".join(source)))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_lies_are_refused_and_honest_answers_pass(settings: Settings, lang: str) -> None:
    passed = [line for line in MEANINGS[f"lies {lang}"] if not refused(settings, lang, line)]
    stopped = [line for line in MEANINGS[f"honest {lang}"] if refused(settings, lang, line)]
    assert len(passed) <= 1, passed
    assert len(stopped) <= 1, stopped


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_source_bears_itself_out(settings: Settings, lang: str) -> None:
    source = MEANINGS[f"source {lang}"]
    scorer = ImportanceScorer(settings.keeper, TODAY)
    assert doubts(source, source, scorer) == ()
    assert doubts(source, ["；".join(source)], scorer) == ()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("主人对花生不过敏", "negated"),
        ("主人非常生气并准备辞职", "unfounded"),
        ("明年夏天回杭州工作", "certain"),
        ("爸爸每周三去医院做透析", "subject"),
    ],
)
def test_each_doubt_has_its_kind(settings: Settings, line: str, kind: str) -> None:
    (doubt,) = doubts(MEANINGS["source zh"], [line], ImportanceScorer(settings.keeper, TODAY))
    assert doubt.kind == kind
    assert doubts(MEANINGS["source zh"], [f"{line}（待确认）"], ImportanceScorer(settings.keeper, TODAY)) == ()


def test_a_model_that_turns_a_fact_around_changes_nothing(make: Make) -> None:
    rows = ["主人对花生过敏", "猫叫年糕，六岁", *(f"第 {n} 个书架放 {n + 20} 本旧书" for n in range(8))]
    text = "# 表层记忆\n\n## 用户感知\n\n" + "".join(f"- {row}\n" for row in rows)
    workspace = make({"FASTMEMO.md": text})
    honest = "；".join(rows)
    for lie in (honest.replace("过敏", "不过敏"), f"{honest}；主人非常生气并准备辞职"):
        (done,) = workspace.compact(now=True, backend=partial(told, lie))
        assert done.status == "refused", done
        assert "原文" in done.message
        assert said(workspace, "FASTMEMO.md") == text
    assert workspace.compact(now=True, backend=partial(told, honest))[0].status == "done"


def told(content: str, _: str) -> str:
    return json.dumps([{"section": "用户感知", "content": content}])
