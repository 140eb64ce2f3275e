"""A plan is a program: mark and pointer never part, no step is lost, and what stands around the list is not touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from conftest import Lint
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mdmem.config.workspace_config import template_files
from mdmem.entries.edits import EditPlan
from mdmem.errors import TargetError, UsageError
from mdmem.formats.task_plan import TodoList, read_todo
from mdmem.formats.template import Schemas, Template
from mdmem.formats.template_reader import read_template
from mdmem.messages.folders import templates_folder
from mdmem.plan.edits import add_steps, finish, go_to, move_step, next_step, remove_steps, set_phase
from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits
from mdmem.text.verify import verify

TEMPLATES = {
    one.lang: read_template(one.read(), one.path, one.lang)
    for one in template_files(templates_folder())
    if one.path.endswith("task_process.md")
}
ZH = TEMPLATES["zh"]
FREE = """---
agent: scout
---
# 任务：补缺口

随便写的一段话，- [ ] 不是步骤。

## 当前状态

- **指令指针**：1（从这里接着做）
- 阶段: executing
- 轮次: 4

## 我自己的标题

1. 备忘

## TODO列表

<!-- 一步一行 -->

- [ ] 读数据 ← 当前
  - [ ] 列出缺口
    说明文字，跟着这一步走
- [x] 写测试 ^k7f3
* [ ] 画图 [source:: chat:42]

---

## 动态指令

- IF 测试失败 THEN 回到第 2 步 ELSE 继续
- [ ] 这个勾不是步骤
- 指令指针: 99
"""


class File:
    """A task's file, changed by plan operations only."""

    def __init__(self, text: str | None, template: Template = ZH) -> None:
        self.document: Document | None = None if text is None else parse(text.encode())
        self.template = template

    @property
    def text(self) -> str:
        return self.document.text if self.document else ""

    @property
    def todo(self) -> TodoList:
        return read_todo(self.document or parse(b""), self.template)

    def do(self, operation: Callable[..., EditPlan], *arguments: object, **named: object) -> EditPlan:
        before = self.document or parse(b"")
        intent = operation(self.document, self.template, *arguments, **named)
        self.document = parse(apply_edits(before.text, intent.edits).encode("utf-8", "surrogateescape"))
        assert not verify(before, intent.edits, self.document)
        return intent

    @property
    def numbers(self) -> list[str]:
        return [step.number for step in self.todo.steps]

    @property
    def at(self) -> str:
        return self.todo.current.number if self.todo.current else ""

    def shown(self) -> str:
        return " ".join(
            f"{one.number}{'x' if one.done else ''}{'*' if one.marked else ''}:{one.text}" for one in self.todo.steps
        )


def outside(text: str) -> list[str]:
    """Give what no move in a plan may touch: all but steps, pointer and phase."""
    away = text.find("## 动态指令")
    rows = zip(text.splitlines(), _offsets(text), strict=True)
    kept = (row for row, at in rows if 0 <= away < at or not (_is_step(row) or _STATE.match(row)))
    return [row for row in kept if row.strip() and "跟着这一步走" not in row]


def _offsets(text: str) -> list[int]:
    at, found = 0, []
    for line in text.splitlines(keepends=True):
        found.append(at)
        at += len(line)
    return found


def _is_step(row: str) -> bool:
    return bool(re.match(r"\s*(?:[-*+]|\d+\.) \[[ xX]\] ", row))


def agrees(todo: TodoList) -> None:
    """The mark is on one open step and the pointer is its number; or all are done, and it stands behind them."""
    marked = [step for step in todo.steps if step.marked]
    pointer = re.match(r"[\d.]+", todo.pointer.value) if todo.pointer else None
    assert pointer
    if marked:
        assert [step.number for step in marked] == [pointer.group()]
        assert not marked[0].done
    else:
        assert all(step.done for step in todo.steps)
        assert pointer.group() == str(sum(not step.depth for step in todo.steps) + bool(todo.steps))


_STATE = re.compile(r"- \*{0,2}(?:指令指针|阶段)\*{0,2}[:：]")
TEXTS = st.sampled_from(["读数据", "[ ] 写 `find_gaps()` ← 当前", "IF 失败 THEN 2", "a [source:: chat:1] ^id9", "- x"])


class Program(RuleBasedStateMachine):
    """Any operations in any order on a file that a person has written, in either hand."""

    @initialize(text=st.sampled_from([None, FREE, FREE.replace("\n", "\r\n"), FREE.rstrip("\n"), "# T\n\n- [ ] a\n"]))
    def begin(self, text: str | None) -> None:
        self.file = File(text)
        self.around = outside(text) if text and "指令指针" in text else None
        self.started = False
        self.texts = sorted(step.text for step in self.file.todo.steps)

    def _pick(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(self.file.numbers))

    def _do(self, operation: Callable[..., EditPlan], *arguments: object, **named: object) -> None:
        self.file.do(operation, *arguments, **named)
        self.started = True
        if self.around is None and "TODO列表" in self.file.text:  # a file without headings gets them when it needs them
            self.around = outside(self.file.text)

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=3), data=st.data(), where=st.sampled_from(["", "behind", "under"]))
    def add(self, texts: list[str], data: st.DataObject, where: str) -> None:
        if len(self.file.numbers) > 30:
            return
        named = {where: self._pick(data)} if where and self.file.numbers else {}
        before = len(self.file.numbers)
        self._do(add_steps, texts, **named)
        assert len(self.file.numbers) == before + len(texts)
        kept = list(self.texts)
        self.texts = sorted(step.text for step in self.file.todo.steps)
        assert not Counter(kept) - Counter(self.texts)

    @precondition(lambda self: self.file.numbers)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        name = self._pick(data)
        index = self.file.todo.find(name)
        assert index is not None
        if self.file.todo.open_below(index):
            with pytest.raises(UsageError):
                self.file.do(finish, name)
            return
        self._do(finish, name)
        assert self.file.todo.steps[index].done

    @precondition(lambda self: any(not step.done for step in self.file.todo.steps))
    @rule()
    def next(self) -> None:
        self._do(next_step)

    @precondition(lambda self: self.file.numbers)
    @rule(data=st.data())
    def goto(self, data: st.DataObject) -> None:
        name = self._pick(data)
        self._do(go_to, name)
        assert self.file.at == name

    @precondition(lambda self: self.file.numbers)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        name = self._pick(data)
        index = self.file.todo.find(name)
        assert index is not None
        gone = [step.text for step in self.file.todo.steps[index : self.file.todo.end(index)]]
        self._do(remove_steps, [name])
        for text in gone:
            self.texts.remove(text)

    @precondition(lambda self: self.file.numbers)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        name, to = self._pick(data), self._pick(data)
        at = self.file.todo.current
        try:
            self._do(move_step, name, to)
        except TargetError:
            return
        assert to in self.file.numbers
        if at:
            assert self.file.todo.current
            assert self.file.todo.current.text == at.text

    @rule(phase=st.sampled_from(["blocked", "执行", "DONE"]))
    def phase(self, phase: str) -> None:
        if self.file.document is not None:
            self._do(set_phase, phase)

    @invariant()
    def holds(self) -> None:
        if not self.started:
            return
        agrees(self.file.todo)
        assert sorted(step.text for step in self.file.todo.steps) == self.texts
        assert self.around is None or self.around == outside(self.file.text)


TestProgram = Program.TestCase
TestProgram.settings = hypothesis_settings(max_examples=25, stateful_step_count=20, deadline=None)


@pytest.fixture
def check(lint: Lint) -> Callable[[File], None]:
    """Say that a file is clean and of one mind, whatever step it is at."""

    def clean(file: File) -> None:
        agrees(file.todo)
        assert [one for one in lint(file.text, "task_process.md") if one.severity != "note"] == []

    return clean


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_plan_begins_with_its_first_step_and_ends_with_its_last(lang: str, check: Callable[[File], None]) -> None:
    file = File(None, TEMPLATES[lang])
    file.do(add_steps, ["read", "write", "check"])
    check(file)
    assert file.shown() == "1*:read 2:write 3:check"
    for shown in ("1x:read 2*:write 3:check", "1x:read 2x:write 3*:check", "1x:read 2x:write 3x:check"):
        file.do(finish)
        check(file)
        assert file.shown() == shown
    assert file.todo.phase
    assert file.todo.phase.value == "done"
    file.do(add_steps, ["more"])
    check(file)
    assert (file.at, file.todo.phase.value if file.todo.phase else "") == ("4", "executing")


def test_if_then_else(check: Callable[[File], None]) -> None:
    for passed in (True, False):
        file = File(None)
        file.do(add_steps, ["run the tests", "IF they failed", "publish"])
        file.do(add_steps, ["mend", "run them again"], under="2")
        file.do(finish)
        assert file.at == "2"
        file.do(remove_steps, ["2.1", "2.2"]) if passed else file.do(next_step)
        check(file)
        seen = []
        while file.todo.current:
            seen.append(file.todo.current.text)
            file.do(finish)
            check(file)
        branch = [] if passed else ["mend", "run them again"]
        assert seen == [*branch, "IF they failed", "publish"]


def test_a_loop_counts_down(check: Callable[[File], None]) -> None:
    file, left, trace = File(None), 3, []
    file.do(add_steps, ["n = 3", "say n, then n = n - 1", "IF n > 0 THEN GOTO 2", "lift off"])
    while step := file.todo.current:
        if step.number == "2":
            trace.append(left)
            left -= 1
        if step.number == "3" and left:
            file.do(go_to, "2")
        else:
            file.do(finish)
        check(file)
    assert trace == [3, 2, 1]
    assert file.shown() == "1x:n = 3 2x:say n, then n = n - 1 3x:IF n > 0 THEN GOTO 2 4x:lift off"


def test_a_loop_over_the_steps_below_its_head(check: Callable[[File], None]) -> None:
    file, rounds, trace = File(None), 2, []
    file.do(add_steps, ["WHILE there are gaps", "report"])
    file.do(add_steps, ["find one", "fill it"], under="1")
    while step := file.todo.current:
        trace.append(step.number)
        if step.number == "1" and rounds:
            rounds -= 1
            file.do(go_to, "1.1")
        else:
            file.do(finish)
        check(file)
    assert trace == ["1", "1.1", "1.2", "1", "1.1", "1.2", "1", "2"]


def test_recursion_calls_go_below_and_return_above(check: Callable[[File], None]) -> None:
    file, values = File(None), dict[str, int]()
    file.do(add_steps, ["factorial 4"])
    deepest = 0
    while step := file.todo.current:
        n = int(step.text.split()[1])
        deepest = max(deepest, step.depth)
        if n > 1 and str(n - 1) not in values:
            file.do(add_steps, [f"factorial {n - 1}"], under=".")
            file.do(next_step)
        else:
            values[str(n)] = n * values.get(str(n - 1), 1)
            file.do(finish)
        check(file)
    assert (values["4"], deepest) == (24, 3)
    assert file.numbers == ["1", "1.1", "1.1.1", "1.1.1.1"]


def test_recursion_walks_a_tree(check: Callable[[File], None]) -> None:
    tree = {"root": ["a", "b"], "a": ["a1", "a2"], "b": [], "a1": [], "a2": []}
    file, called, returned = File(None), set[str](), []
    file.do(add_steps, ["visit root", "count"])
    while step := file.todo.current:
        name = step.text.removeprefix("visit ")
        if tree.get(name) and name not in called:
            called.add(name)
            file.do(add_steps, [f"visit {one}" for one in tree[name]], under=".")
            file.do(next_step)
        else:
            returned.append(name)
            file.do(finish)
        check(file)
    assert returned == ["a1", "a2", "a", "b", "root", "count"]


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("1", "1*:a 2:b 2.1:c 2.2:d 3:e 4:f"),
        ("2.1", "1x:a 2:b 2.1*:c 2.2:d 3:e 4:f"),
        ("3", "1x:a 2x:b 2.1x:c 2.2x:d 3*:e 4:f"),
        ("4", "1x:a 2x:b 2.1x:c 2.2x:d 3:e 4*:f"),
    ],
)
def test_a_jump_back_opens_what_is_done_again(target: str, shown: str) -> None:
    file = File("# T\n\n- [x] a\n- [x] b\n  - [x] c\n  - [x] d\n- [ ] e ← 当前\n- [ ] f\n")
    file.do(go_to, target)
    assert file.shown() == shown


def test_what_was_passed_over_comes_before_the_end() -> None:
    file = File(None)
    file.do(add_steps, ["a", "b", "c"])
    file.do(go_to, "3")
    file.do(finish)
    assert file.at == "1"


@pytest.mark.parametrize("to", ["0", "9", "1.x", "7.1", "", "x", "1.9"])
def test_a_number_that_no_step_can_bear_is_refused(to: str) -> None:
    file = File(FREE)
    with pytest.raises(TargetError):
        file.do(move_step, "2", to)


def test_steps_are_found_by_their_words_and_never_guessed() -> None:
    file = File(FREE)
    file.do(go_to, "画图")
    assert file.at == "3"
    for name in ("", "数据 和", "9", "不存在"):
        with pytest.raises(TargetError):
            file.do(go_to, name)


def test_schemas_know_the_parts_of_a_task(schemas: Schemas) -> None:
    for lang, template in schemas.languages("task_process").items():
        for part in ("todo", "state", "instructions"):
            assert template.name(template.parts[part][0]) == template.parts[part][0], lang
