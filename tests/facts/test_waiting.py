"""What only the user may replace: an agent's update waits in the inbox, and is carried out as one when accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make

from mdmem.facts.model import NewFact
from mdmem.facts.service import write_facts
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.workspace import Workspace

from .test_facts import BEFORE, NOW, field, ident, part

Text = Callable[[str], str]
FILE = "facts/用户.md"


def agent(work: Workspace, predicate: str, content: str) -> str:
    reply = work.call("memory_fact", {"subject": "用户", "predicate": predicate, "content": content}, actor="scout")
    return str(reply["status"])


def test_an_update_of_a_rule_waits_and_is_carried_out(make: Make, text: Text) -> None:
    work = make()
    work.facts.set("用户", "回答语言", "以后都用中文回答", type="rule", at="2026-02-01", actor="keeper")
    before = text(FILE)
    assert agent(work, "回答语言", "以后改成用英文回答") == "waiting"
    assert text(FILE) == before
    (item,) = work.inbox.list()
    assert field(item.text, "supersedes") == ident(part(before, NOW)[0])
    assert (item.to, item.by) == (f"{FILE}#现在", "scout")
    assert agent(work, "回答语言", "以后改成用英文回答") in ("waiting", "unchanged")
    assert len(work.inbox.list()) == 1
    assert work.inbox.accept([item.key], actor="scout")[0].status == "waiting", "the agent has no say in it"
    assert work.inbox.accept([item.key])[0].status == "done"
    (live,), (old,) = part(text(FILE), NOW), part(text(FILE), BEFORE)
    assert "英文" in live
    assert "supersedes" not in live
    assert field(old, "superseded_by") == ident(live)
    assert not work.inbox.list()
    assert not work.lint().diagnostics
    work.history.undo()
    assert text(FILE) == before
    assert len(work.inbox.list()) == 1


@pytest.mark.parametrize("written", ["in an editor", "in an editor, in a file of mdmem"])
def test_what_a_person_wrote_waits(make: Make, text: Text, written: str) -> None:
    line = "- 2026-01-05：住在 Porto [predicate:: 住址]\n"
    work = make("zh", {FILE: f"# 用户\n\n## 现在\n\n{line}"} if written == "in an editor" else {})
    if written != "in an editor":
        assert agent(work, "住址", "住在 Braga") == "done"
        path = Path(work.root) / FILE
        path.write_text(text(FILE).replace("住在 Braga", "住在 Porto"), "utf-8")
    before = text(FILE)
    assert agent(work, "住址", "搬到 Faro") == "waiting"
    assert text(FILE) == before
    assert work.fact_set("用户", "住址", "搬到 Faro").status == "done"
    assert [one.text for one in work.facts("用户", predicate="住址")] == ["搬到 Faro"]


def test_what_an_agent_wrote_changes_without_a_word(make: Make) -> None:
    work = make()
    for city in ("住在 Porto", "搬到 Faro", "搬到 Lagos"):
        assert agent(work, "住址", city) == "done"
    assert [one.text for one in work.fact_history("用户", "住址")] == ["住在 Porto", "搬到 Faro", "搬到 Lagos"]


def test_a_retraction_waits_too(make: Make, text: Text) -> None:
    work = make("zh", {FILE: "# 用户\n\n## 现在\n\n- 2026-01-05：养了一只橘猫 [predicate:: 宠物]\n"})
    assert agent(work, "宠物", "不再养猫了") == "waiting"
    assert work.inbox.accept([work.inbox.list()[0].key])[0].status == "done"
    assert not part(text(FILE), NOW)
    assert field(part(text(FILE), BEFORE)[0], "superseded")


def test_a_statement_in_doubt_waits_with_its_reason(make: Make, text: Text) -> None:
    work = make()
    commit = work._change("extract", "keeper", "")
    items = [
        NewFact("用户", "路径", "数据在 /srv/x", doubt="「/srv/x」在 [原话] 里没有"),
        NewFact("用户", "住址", "住在 Faro"),
        NewFact("riverlog", "端口", "端口是 8080", doubt="没有说过"),
    ]
    waits: list[bool] = []

    def change(files: DraftFiles) -> Edits:
        edits, changes = write_facts(commit, files, items)
        waits[:] = [one.waits for one in changes]
        return edits

    commit.run(change)
    assert waits == [True, False, True]
    assert "/srv/x" not in text(FILE)
    first, second = work.inbox.list()
    assert field(first.text, "why") == "「/srv/x」在 (原话) 里没有"
    assert [one.status for one in work.inbox.accept([first.key, second.key])] == ["done", "done"]
    assert [one.text for one in work.facts("用户")] == ["住在 Faro", "数据在 /srv/x"]
    assert "why" not in text(FILE)
    assert not work.lint().diagnostics


def test_an_agent_confirms_no_line_of_a_person(make: Make, text: Text) -> None:
    """A line without fields is as the person wrote it, byte for byte."""
    own = "# 用户\n\n## 现在\n\n- 2026-01-05：住在 Porto [predicate:: 住址]\n"
    work = make("zh", {FILE: own})
    assert agent(work, "住址", "住在 Porto") == "unchanged"
    assert text(FILE) == own
