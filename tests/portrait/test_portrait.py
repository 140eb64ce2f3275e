"""What MEMORY.md, USER.md and the persona file say out of the facts, and what stays the person's own (WP8)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Make, Text
from forms import many

from mdmem import RefusedError, UsageError, Workspace

HAND = """# Memory

## Preferences and habits

- 2026-01-02: tea without sugar

## Notes

- 2026-01-03: the spare key lies with Ida
  and she is home on Sundays

My own paragraph, which nobody touches.

---

_Tidy it from time to time._
"""


def outside(text: str) -> str:
    """Return a text without its generated blocks and the blank lines that come with them."""
    return re.sub(r"<!-- mdmem:auto \w+ -->\n.*?<!-- /mdmem:auto -->\n\n?", "", text, flags=re.DOTALL)


def block(text: str) -> list[str]:
    """Return the generated lines of a text."""
    inside = re.findall(r"<!-- mdmem:auto \w+ -->\n(.*?)<!-- /mdmem:auto -->", text, re.DOTALL)
    return [line.removeprefix("- ") for part in inside for line in part.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def work(make: Make, folder: Path) -> Workspace:
    """A workspace in English with a memory by hand and a few facts."""
    made = make("en")
    (folder / "MEMORY.md").write_text(HAND, "utf-8")
    made.fact_set("user", "address", "lives in Leiden, near the station", at="2026-02-01", importance=0.8)
    made.fact_set("user", "editor", "the editor is Helix", at="2026-02-02", importance=0.6)
    made.fact_set("user", "rule", "Never push to main without asking.", type="rule", at="2026-01-05")
    made.fact_set("user", "likes", "likes window seats", type="preference", at="2026-02-03")
    made.fact_set("riverlog", "gap policy", "gaps above 3 hours stay gaps", type="rule", at="2026-02-04")
    return made


@pytest.mark.thorough
def test_a_bare_value_stands_behind_its_predicate(work: Workspace, text: Text) -> None:
    work.fact_set("user", "morning drink", "black tea", at="2026-02-05")
    work.fact_set("user", "shoe_size", "43", at="2026-02-05")
    work.portrait.refresh("memory", "user")
    for name in ("MEMORY.md", "USER.md"):
        lines = {re.sub(r"^[\d-]+: ", "", line.partition(" [")[0]) for line in block(text(name))}
        assert {"morning drink: black tea", "shoe size: 43", "likes window seats"} <= lines
    (found,) = [hit for hit in work.recall("what do I drink in the morning?").text.splitlines() if "tea" in hit]
    assert found == "- morning drink: black tea"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("API base URL", "https://api.new.example"),
        ("home page", "https://www.home.example/ann/index.html?lang=en"),
        ("data folder", "/srv/data/riverlog/measurements/2026"),
        ("Postgres", "16"),
        ("toolchain", "nightly-2026-02-13-x86_64-unknown-linux-gnu"),
    ],
)
def test_a_url_a_path_and_a_version_stand_behind_their_property(
    work: Workspace, text: Text, predicate: str, said: str
) -> None:  # fmt: skip
    work.fact_set("user", predicate, said, at="2026-02-05")
    work.portrait.refresh("user")
    assert f"- {predicate}: {said} [fact::" in text("USER.md")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("predicate", "said"), [("avoids", "don't eat fish"), ("habits", "quit smoking"), ("忌口", "不吃鱼")]
)
def test_what_says_by_itself_what_it_is_about_stands_alone(
    work: Workspace, text: Text, predicate: str, said: str
) -> None:  # fmt: skip
    work.fact_set("user", predicate, said, at="2026-02-05")
    work.portrait.refresh("user")
    assert f"- {said} [fact::" in text("USER.md")


def test_a_bare_value_that_is_edited_becomes_the_new_value(work: Workspace, text: Text, folder: Path) -> None:
    work.fact_set("user", "morning drink", "black tea", at="2026-02-05")
    work.portrait.refresh("user")
    (folder / "USER.md").write_text(text("USER.md").replace("drink: black tea", "drink: green tea"), "utf-8")
    work.portrait.refresh("user")
    assert "morning drink: green tea" in text("inbox.md")


def test_rules_come_first_and_the_text_is_the_facts_own(work: Workspace, text: Text) -> None:
    (done,) = work.portrait.refresh("memory")
    assert done.status == "done"
    lines = block(text("MEMORY.md"))
    assert [line.partition(" [")[0] for line in lines] == [
        "2026-02-04: gaps above 3 hours stay gaps",
        "2026-01-05: Never push to main without asking.",
        "2026-02-01: lives in Leiden, near the station",
        "2026-02-02: the editor is Helix",
        "2026-02-03: likes window seats",
    ]
    assert outside(text("MEMORY.md")) == HAND
    assert not work.lint().diagnostics


def test_the_profile_has_its_categories(work: Workspace, text: Text) -> None:
    work.portrait.refresh("user")
    profile = text("USER.md")
    for section, line in (("Basics", "lives in Leiden"), ("Working environment", "the editor is Helix"),
                          ("Preferences", "likes window seats")):  # fmt: skip
        part = profile.partition(f"## {section}\n")[2].partition("\n## ")[0]
        assert line in part
    assert "gap policy" not in profile, "only what is about the person"
    assert "Never push" not in profile, "rules stand in MEMORY.md"


@pytest.mark.thorough
@pytest.mark.slow
def test_many_refreshes_leave_the_hand_written_bytes(work: Workspace, text: Text) -> None:
    work.portrait.refresh()
    profile = outside(text("USER.md"))
    for day in range(many(8, 30)):
        work.fact_set("user", "editor", f"the editor is number {day}")
        work.portrait.refresh()
        assert outside(text("MEMORY.md")) == HAND
        assert outside(text("USER.md")) == profile
        assert sum("the editor is" in line for line in block(text("MEMORY.md"))) == 1, "a replaced fact leaves"
        assert block(text("USER.md")).count("the editor is Helix") == 0


@pytest.mark.thorough
def test_the_second_refresh_changes_nothing(work: Workspace, folder: Path) -> None:
    work.portrait.refresh()
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    assert {one.status for one in work.portrait.refresh()} == {"unchanged"}
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before


@pytest.mark.thorough
def test_the_room_is_never_exceeded(work: Workspace, text: Text, folder: Path) -> None:
    kinds = ("fact", "preference", "skill", "error")
    lines = [
        f"- 2026-02-10: number {index} has a rather long text {'x' * 80} [predicate:: thing {index}]"
        f" [type:: {kinds[index % 4]}] ^n{index}\n"
        for index in range(80)
    ]
    with (folder / "facts" / "user.md").open("a", encoding="utf-8") as file:
        file.writelines(lines)
    work.portrait.refresh()
    memory = text("MEMORY.md")
    assert sum(len(line) + 3 for line in block(memory)) <= 1500
    assert sum(line.count("number ") for line in block(memory)) <= 4 * 5
    assert len(block(text("USER.md"))) <= 30
    assert not [one for one in work.lint().diagnostics if one.code.startswith("MM4")]


@pytest.mark.thorough
def test_an_edited_line_becomes_the_persons_and_a_proposal(work: Workspace, text: Text, folder: Path) -> None:
    work.portrait.refresh("user")
    profile = folder / "USER.md"
    profile.write_text(text("USER.md").replace("the editor is Helix", "the editor is Zed now"), "utf-8")
    work.portrait.refresh("user")
    assert "the editor is Zed now" in outside(text("USER.md"))
    assert not [line for line in block(text("USER.md")) if "Zed" in line]
    (item,) = work.inbox.list()
    assert "the editor is Zed now" in item.text
    work.inbox.accept([item.key])
    assert [one.text for one in work.facts("user", predicate="editor")] == ["the editor is Zed now"]
    assert next(one.text for one in work.fact_history("user", "editor")) == "the editor is Helix"
    work.portrait.refresh()
    assert work.inbox.list() == (), "it is proposed once"


def test_a_line_that_the_person_continues_moves_with_what_belongs_to_it(
    work: Workspace, text: Text, folder: Path
) -> None:
    work.portrait.refresh("user")
    row = next(row for row in text("USER.md").splitlines() if "Helix" in row)
    mine = f"{row}\n  with the theme of a harbour\n\n  - and two plug-ins\n"
    (folder / "USER.md").write_text(text("USER.md").replace(f"{row}\n", mine), "utf-8")
    work.portrait.refresh("user")
    assert mine in outside(text("USER.md"))
    assert text("USER.md").count("the editor is Helix") == 1
    assert work.inbox.list() == (), "its words are the fact's still"
    after = text("USER.md")
    work.portrait.refresh("user")
    assert text("USER.md") == after


def test_a_deleted_line_does_not_come_back(work: Workspace, text: Text, folder: Path) -> None:
    work.portrait.refresh("memory")
    memory = folder / "MEMORY.md"
    rows = [row for row in text("MEMORY.md").splitlines(keepends=True) if "window seats" not in row]
    memory.write_text("".join(rows), "utf-8")
    work.portrait.refresh("memory")
    assert "window seats" not in text("MEMORY.md")


def test_a_line_by_hand_keeps_the_generated_one_out(work: Workspace, text: Text) -> None:
    work.add("USER.md", ["lives in Leiden, near the station"], section="Basics")
    work.portrait.refresh("user")
    assert text("USER.md").count("lives in Leiden") == 1


def test_traits_that_are_sure_stand_in_the_persona_file(work: Workspace, text: Text, folder: Path) -> None:
    work.facts.set("user", "form of address", "calls you Alice", type="persona_trait", actor="agent")
    work.portrait.refresh("persona")
    assert not (folder / "personas").exists(), "no file without a line"
    for _ in range(3):
        work.facts.set("user", "form of address", "calls you Alice", type="persona_trait", actor="agent")
    work.portrait.refresh("persona")
    (line,) = block(text("personas/user_custom.md"))
    assert line.startswith("form of address: calls you Alice")
    assert not work.lint().diagnostics
    assert "Alice" not in "".join(block(text("MEMORY.md")) if (folder / "MEMORY.md").exists() else [])


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_sure_trait_stands_in_the_persona_file_which_has_no_limit(make: Make, text: Text, lang: str) -> None:
    work = make(lang)
    aspect, value, user = ("tone {}", "calm {}", "user") if lang == "en" else ("语气 {}", "平静 {}", "用户")
    for n in range(30):
        work.fact_set(user, aspect.format(n), value.format(n), type="persona_trait", at="2026-02-03")
    work.portrait.refresh("persona")
    lines = block(text("personas/user_custom.md"))
    assert len(lines) == 30, lines
    assert all(any(value.format(n) in line for line in lines) for n in range(30))
    assert not work.lint().diagnostics
    assert value.format(29) in work.pack("layered", budget=6000).text


def test_what_must_not_be_written_stays_out(work: Workspace, text: Text, folder: Path) -> None:
    path = folder / "facts" / "user.md"
    path.write_text(
        path.read_text("utf-8").replace("likes window seats", "the password is hunter2-Qx81-zebra"), "utf-8"
    )
    work.portrait.refresh()
    assert "hunter2" not in text("MEMORY.md") + text("USER.md")


def test_a_mark_without_its_other_half_is_refused(work: Workspace, text: Text, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(HAND.replace("My own", "<!-- mdmem:auto core -->\nMy own"), "utf-8")
    before = text("MEMORY.md")
    with pytest.raises(RefusedError, match="without its other half"):
        work.portrait.refresh("memory")
    assert text("MEMORY.md") == before


def test_a_plan_writes_nothing(work: Workspace, text: Text) -> None:
    done = work.portrait.refresh(plan=True)
    assert [one.path for one in done][:3] == ["MEMORY.md", "USER.md", "personas/user_custom.md"]
    assert text("MEMORY.md") == HAND
    with pytest.raises(UsageError, match="portrait"):
        work.portrait.refresh("soul")  # type: ignore[arg-type]


def test_in_chinese(make: Make, text: Text) -> None:
    work = make("zh")
    work.fact_set("用户", "住址", "住在莱顿，离车站不远", at="2026-02-01")
    work.fact_set("用户", "规则", "没有问过，不要推送到 main", type="rule", at="2026-02-02")
    work.fact_set("用户", "喜欢", "喜欢靠窗的座位", type="preference", at="2026-02-03")
    work.portrait.refresh()
    assert [line.partition(" [")[0] for line in block(text("MEMORY.md"))] == [
        "2026-02-02：没有问过，不要推送到 main", "2026-02-03：喜欢靠窗的座位", "2026-02-01：住在莱顿，离车站不远",
    ]  # fmt: skip
    profile = text("USER.md")
    assert "住在莱顿" in profile.partition("## 基本信息")[2].partition("\n## ")[0]
    assert "喜欢靠窗的座位" in profile.partition("## 偏好")[2].partition("\n## ")[0]
    assert not work.lint().diagnostics


def test_a_trait_that_the_person_sets_is_shown_and_one_of_an_agent_waits_for_more(work: Workspace, text: Text) -> None:
    work.fact_set("user", "patience", "waits calmly in any queue", type="persona_trait", at="2026-02-03")
    work.fact_set("user", "humour", "laughs at dry jokes", type="persona_trait", at="2026-02-03", actor="agent")
    work.portrait.refresh("persona")
    shown = text("personas/user_custom.md")
    assert "waits calmly in any queue" in shown
    assert "laughs at dry jokes" not in shown
    work.fact_set("user", "humour", "laughs at dry jokes", type="persona_trait", at="2026-02-04")
    work.portrait.refresh("persona")
    assert "laughs at dry jokes" in text("personas/user_custom.md"), "the person has confirmed it"


@pytest.mark.thorough
def test_the_end_of_a_session_shows_what_was_said_of_the_person(make: Make) -> None:
    work = make("en")
    with work.sessions.start("Say hello", agent="claude") as session:
        session.turn("user", "My name is Ann and I live in Leiden. I am a nurse.")
        session.turn("assistant", "Nice to meet you, Ann.")
    assert "Leiden" in work.pack("agent").text, "the next session begins with it"
    assert not [one for one in work.portrait.refresh("user") if one.status != "unchanged"]
