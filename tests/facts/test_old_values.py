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


CHANGED = [STATED[0], STATED[1], STATED[6]]


def waiting(make: Make, name: str, old: str, new: str, line: str) -> Workspace:
    """Return a workspace in which a person's line states an old value."""
    changed(make, name, old, new, line)
    return Workspace(make("en").root)


@pytest.mark.parametrize(("name", "old", "new", "line"), CHANGED)
def test_a_correction_of_a_persons_line_waits_and_is_applied_with_one_command(
    make: Make, name: str, old: str, new: str, line: str
) -> None:
    work = waiting(make, name, old, new, line)
    (item,) = work.inbox.list()
    assert item.path == "MEMORY.md"
    assert f"-- {BEFORE}: {line}" in item.change
    assert f"+- {AFTER}: {new}" in item.change
    (done,) = work.inbox.accept([item.key])
    assert done.status == "done"
    text = work.read("MEMORY.md").text
    assert f"- {AFTER}: {new}\n" in text
    assert line not in text
    assert new in work.pack("default").text
    assert "now:" not in work.pack("default").text


@pytest.mark.parametrize(("name", "old", "new", "line"), CHANGED)
def test_until_then_each_reader_of_the_line_is_told_what_holds_now(
    make: Make, name: str, old: str, new: str, line: str
) -> None:
    work = waiting(make, name, old, new, line)
    note = f"{line} (now: {new} ({AFTER}))"
    assert note in work.pack("default").text
    hits = work.search(line)
    assert {hit.now for hit in hits if hit.path == "MEMORY.md"} == {f"now: {new} ({AFTER})"}
    assert hits[0].path == "facts/user.md"
    assert note in work.recall(line).text
    assert note in work.call("memory_search", {"query": line})["text"]


def test_a_rejected_correction_says_nothing_more(make: Make) -> None:
    work = waiting(make, *STATED[0])
    work.inbox.reject([work.inbox.list()[0].key])
    assert "now:" not in work.pack("default").text
    assert "Jenkins on Fridays" in work.read("MEMORY.md").text


def test_a_third_value_renews_the_correction(make: Make) -> None:
    work = waiting(make, *STATED[0])
    work.facts.set("user", "deploy", "we deploy with GitLab now", at=LATER)
    (item,) = work.inbox.list()
    assert "GitLab" in item.change
    assert "GitHub" not in item.change


def test_a_value_that_holds_again_takes_the_correction_away(make: Make) -> None:
    work = waiting(make, *STATED[0])
    work.facts.set("user", "deploy", "we deploy with Jenkins on Fridays", at=LATER)
    assert work.inbox.list() == ()


def test_a_value_that_holds_again_in_other_words_takes_it_away_too(make: Make) -> None:
    work = make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- {BEFORE}: I live in Amsterdam\n"})
    work.facts.set("user", "city", "Amsterdam", at=BEFORE)
    work.facts.set("user", "lives_in", "lives in Leiden", at=AFTER)
    assert len(work.inbox.list()) == 1
    again = work.facts.set("user", "lives_in", "lives in Amsterdam", at=LATER)
    assert work.inbox.list() == ()
    assert "MEMORY.md" not in again.hint


def test_what_has_ended_is_proposed_for_removal(make: Make) -> None:
    work = make("en", {"USER.md": "# User\n\n## Getting to know\n\n- has an allergy: walnuts, since childhood\n"})
    work.facts.set("user", "allergy", "allergy to walnuts", at=BEFORE)
    work.facts.set("user", "allergy", "no longer has the allergy to walnuts", at=AFTER)
    assert f"(no longer holds ({AFTER}))" in work.pack("default").text
    (item,) = work.inbox.list()
    work.inbox.accept([item.key])
    assert "walnuts" not in work.read("USER.md").text


def test_a_line_beside_a_secret_is_named_and_not_copied(make: Make) -> None:
    token = "ghp_" + "Zk3vQ9mT7xLr2WbN8cYp5HsJ4dFg6AeU1oRi"
    name, old, new, line = STATED[0]
    lines = f"- {BEFORE}: the token is {token}\n- {BEFORE}: {line}\n"
    work = make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n{lines}"})
    work.facts.set("user", name, old, at=BEFORE)
    assert "MEMORY.md:6" in work.facts.set("user", name, new, at=AFTER).hint
    assert token not in str(work.inbox.list())


def test_an_undone_change_takes_its_correction_back(make: Make) -> None:
    work = waiting(make, *STATED[0])
    work.history.undo()
    assert work.inbox.list() == ()
