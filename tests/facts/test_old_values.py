"""When a value is replaced, the reply names the lines that still state the old one, and a pack shows the new one."""

from __future__ import annotations

import pytest
from conftest import Make

from mdmem.workspace import Workspace

STATED = [  # property, old value, new value, a line that still states the old one
    ("deploy", "we deploy with Jenkins", "we deploy with GitHub Actions", "we deploy with Jenkins on Fridays"),
    ("city", "lives in Porto", "moved to Ghent", "the owner lives in Porto, near the river"),
    ("employer", "works at Acme Tools", "now works at Globex", "works at Acme Tools as the only tester"),
    ("editor", "vim", "switched to Zed", "the editor on all machines is vim"),
    ("python version", "Python version is 3.10", "Python upgraded to 3.12", "Python version 3.10 on the server"),
    ("住址", "住在波尔图", "搬到根特", "主人住在波尔图，离河边不远"),
    ("公司", "在宁远水务上班", "跳槽到海川", "公司是宁远水务，做水位监测"),
    ("部署", "部署用 Jenkins", "部署改用 GitHub Actions", "周五部署，用 Jenkins"),
    ("编辑器", "编辑器是 vim", "编辑器换成 Zed", "所有机器的编辑器都是 vim"),
    ("版本", "版本是 3.10", "版本升级到 3.12", "服务器上的版本还是 3.10"),
]
OTHER = [  # ... and a line that does not
    ("deploy", "we deploy with Jenkins", "we deploy with GitHub Actions", "Jenkins came by for lunch"),
    (
        "deploy",
        "we deploy with Jenkins",
        "we deploy with GitHub Actions",
        "we deploy with GitHub Actions, Jenkins is idle",
    ),
    ("deploy", "we deploy with Jenkins", "we deploy with GitHub Actions", "we no longer deploy with Jenkins"),
    ("city", "lives in Porto", "moved to Ghent", "drinks a glass of port wine at night"),
    ("employer", "works at Acme Tools", "now works at Globex", "works at the desk by the window"),
    ("住址", "住在波尔图", "搬到根特", "波尔图的酒很好喝"),
    ("公司", "在宁远水务上班", "跳槽到海川", "公司食堂的面很好吃"),
    ("编辑器", "编辑器是 vim", "编辑器换成 Zed", "编辑器的字体用 14 号"),
]
BEFORE, AFTER, LATER = "2026-02-01", "2026-02-10", "2026-02-15"


def changed(make: Make, name: str, old: str, new: str, line: str, *, heading: str = "Notes", day: str = BEFORE) -> str:
    work = make("en", {"MEMORY.md": f"# Memory\n\n## {heading}\n\n- {day}: {line}\n"})
    work.facts.set("user", name, old, at=BEFORE)
    done = work.facts.set("user", name, new, at=AFTER)
    assert done.status == "done"
    return done.hint


@pytest.mark.parametrize(("name", "old", "new", "line"), STATED)
def test_the_reply_names_the_line_that_states_the_old_value(
    make: Make, name: str, old: str, new: str, line: str
) -> None:  # fmt: skip
    assert "MEMORY.md:5" in changed(make, name, old, new, line)


@pytest.mark.parametrize(("name", "old", "new", "line"), OTHER)
def test_a_line_that_says_something_else_is_not_named(make: Make, name: str, old: str, new: str, line: str) -> None:
    assert "MEMORY.md" not in changed(make, name, old, new, line)


@pytest.mark.parametrize(("heading", "day"), [("Important events", BEFORE), ("Notes", LATER), ("Runs", LATER)])
def test_events_and_later_lines_are_history_or_newer(make: Make, heading: str, day: str) -> None:
    name, old, new, line = STATED[0]
    assert "MEMORY.md" not in changed(make, name, old, new, line, heading=heading, day=day)


def test_what_ends_is_named_too(make: Make) -> None:
    work = make("en", {"USER.md": "# User\n\n## Getting to know\n\n- has an allergy: walnuts, since childhood\n"})
    work.facts.set("user", "allergy", "allergy to walnuts", at=BEFORE)
    done = work.facts.set("user", "allergy", "no longer has the allergy to walnuts", at=AFTER)
    assert "USER.md:5" in done.hint


def test_an_agent_and_a_conversation_are_told_too(make: Make) -> None:
    name, old, new, line = STATED[1]
    work = make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- {BEFORE}: {line}\n"})
    work.facts.set("user", name, old, at=BEFORE, actor="kim")
    given = {"subject": "user", "predicate": name, "content": new}
    assert "MEMORY.md:5" in str(work.call("memory_fact", given, actor="kim")["hint"])


@pytest.mark.parametrize("recipe", ["default", "chat", "tool_loop", "minimal", "full", "pet", "layered"])
@pytest.mark.parametrize(
    ("row", "query"), [(0, "how do we deploy?"), (1, "where does the owner live?"), (8, "用什么编辑器？")]
)  # fmt: skip
def test_a_pack_for_the_question_holds_the_new_value(make: Make, recipe: str, row: int, query: str) -> None:
    name, old, new, line = STATED[row]
    changed(make, name, old, new, line)
    work = Workspace(make("en").root)
    assert new in work.pack(recipe, query=query).text
    assert "Related memories" not in work.pack(recipe).text
