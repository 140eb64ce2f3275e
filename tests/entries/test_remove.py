"""What leaves a file is what was named: one of two equal entries, one entry of a joined line, nothing by a letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import TargetError
from mdmem.text.document import parse
from mdmem.workspace import Workspace

TEXT = (
    "# Memory\n\n## Notes\n\n- 2026-03-01: the gate opens at 7\n- 2026-03-02: buy oats\n- ok\n- 2026-03-02: buy oats\n"
)


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """A workspace with two equal entries."""
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    (tmp_path / "MEMORY.md").write_text(TEXT, "utf-8")
    return Workspace(tmp_path, cache=False)


def entries(work: Workspace, path: str = "MEMORY.md") -> list[str]:
    """Return the texts of a file's entries."""
    return [entry.text for entry in parse(Path(work.root, path).read_bytes()).entries]


@pytest.mark.parametrize("name", ["7", "at", " 7 ", "7.", "2026", "2026-03-01", "03", "e", "“at”", "７", "3:0"])
def test_a_short_piece_or_a_number_takes_nothing_away(work: Workspace, name: str) -> None:
    with pytest.raises(TargetError) as refused:
        work.remove("MEMORY.md", [name])
    assert Path(work.root, "MEMORY.md").read_text("utf-8") == TEXT
    assert refused.value.hint


def test_a_short_entry_is_named_by_its_whole_text(work: Workspace) -> None:
    work.remove("MEMORY.md", ["ok"])
    assert "ok" not in entries(work)


def test_a_refused_piece_names_the_entry_by_its_key(work: Workspace) -> None:
    with pytest.raises(TargetError) as refused:
        work.remove("MEMORY.md", ["7"])
    (candidate,) = refused.value.candidates
    work.remove("MEMORY.md", [candidate.split()[0]])
    assert entries(work)[0] == "2026-03-02: buy oats"


def test_equal_entries_are_named_apart(work: Workspace) -> None:
    with pytest.raises(TargetError) as refused:
        work.remove("MEMORY.md", ["buy oats"])
    first, second = (one.split()[0] for one in refused.value.candidates)
    assert (first[-2:], second[-2:]) == (".1", ".2")
    shown = [item.key for part in work.show("MEMORY.md").sections for item in part.entries]
    assert [key[-2:] for key in shown if "." in key] == [".1", ".2"]
    work.remove("MEMORY.md", [second])
    assert entries(work) == ["2026-03-01: the gate opens at 7", "2026-03-02: buy oats", "ok"]
    work.history.undo()
    work.remove("MEMORY.md", [key for key in shown if "." in key])
    assert entries(work) == ["2026-03-01: the gate opens at 7", "ok"]


FACTS = {
    "en": ("User", ["Rides a red bike.", "Works night shifts", "Sister is called Ida.", "Hates coriander"]),
    "zh": ("用户感知", ["骑红色自行车", "上夜班", "姐姐叫伊达", "讨厌香菜"]),
}
NAMED = [
    ("en", "Ida", 2), ("en", "coriander", 3), ("en", "red bike", 0), ("zh", "叫伊达", 2), ("zh", "讨厌香菜", 3),
    ("zh", "自行车", 0),
]  # fmt: skip


def condensed(root: Path, lang: str, facts: Sequence[str]) -> Workspace:
    """Make a workspace whose FASTMEMO holds these facts as one line."""
    (root / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")
    work = Workspace(root, cache=False)
    work.init()
    work.add("FASTMEMO.md", facts, section=FACTS[lang][0])
    work.compact("fastmemo", now=True)
    assert len(entries(work, "FASTMEMO.md")) == 1
    return work


@pytest.mark.parametrize(("lang", "words", "number"), NAMED)
def test_one_entry_of_a_joined_line_leaves_alone(tmp_path: Path, lang: str, words: str, number: int) -> None:
    facts = FACTS[lang][1]
    work = condensed(tmp_path, lang, facts)
    work.remove("FASTMEMO.md", [words])
    (left,) = entries(work, "FASTMEMO.md")
    assert [fact.rstrip(".") in left for fact in facts] == [at != number for at in range(len(facts))]
    assert left == left.strip(" ；;")
    archived = [line for path in tmp_path.glob("archive/*.md") for line in path.read_text("utf-8").splitlines()]
    (gone,) = [line for line in archived if "why:: removed" in line]
    assert facts[number].rstrip(".") in gone
    assert not [fact for at, fact in enumerate(facts) if at != number and fact.rstrip(".") in gone]
    work.history.undo()
    assert all(fact.rstrip(".") in entries(work, "FASTMEMO.md")[0] for fact in facts)


def test_two_neighbours_leave_a_joined_line_and_then_the_rest(tmp_path: Path) -> None:
    facts = FACTS["en"][1]
    work = condensed(tmp_path, "en", facts)
    work.remove("FASTMEMO.md", ["Ida", "coriander"])
    assert entries(work, "FASTMEMO.md") == ["Rides a red bike; Works night shifts"]
    work.remove("FASTMEMO.md", ["red bike", "night shifts"])
    assert entries(work, "FASTMEMO.md") == []


def test_forgetting_two_neighbours_leaves_the_others(tmp_path: Path) -> None:
    work = condensed(tmp_path, "en", ["Rides a red bike.", "Works night shifts", "Ida is tall", "Calls Ida weekly"])
    work.forget("Ida")
    assert entries(work, "FASTMEMO.md") == ["Rides a red bike; Works night shifts"]


def test_a_word_of_several_joined_entries_names_none(tmp_path: Path) -> None:
    work = condensed(tmp_path, "en", ["Rides a red bike.", "Works night shifts", "Ida is tall", "Calls Ida weekly"])
    before = entries(work, "FASTMEMO.md")
    with pytest.raises(TargetError) as refused:
        work.remove("FASTMEMO.md", ["Ida"])
    assert refused.value.candidates == ("Ida is tall", "Calls Ida weekly")
    assert entries(work, "FASTMEMO.md") == before
    work.remove("FASTMEMO.md", ["Ida is tall"])
    assert "Calls Ida weekly" in entries(work, "FASTMEMO.md")[0]


def test_changing_one_entry_of_a_joined_line_keeps_the_others(tmp_path: Path) -> None:
    work = condensed(tmp_path, "en", FACTS["en"][1])
    work.replace("FASTMEMO.md", "Ida", "Sister is called Iris")
    joined, new = entries(work, "FASTMEMO.md")
    assert new == "Sister is called Iris"
    assert joined == "Rides a red bike; Works night shifts; Hates coriander"


def test_a_step_of_the_plan_is_not_taken_out_by_a_letter(tmp_path: Path) -> None:
    work = Workspace(tmp_path, lang="en", cache=False)
    work.plan.add(["measure the shelf", "buy boards"])
    for name in ("bo", "u"):
        with pytest.raises(TargetError):
            work.plan.remove([name])
    work.plan.remove(["boards"])
    work.plan.remove(["1"])
    assert not work.plan.show().steps


def test_what_leaves_a_file_of_no_known_kind_is_archived_too(tmp_path: Path) -> None:
    (tmp_path / "groceries.md").write_text("# Groceries\n\n- oats\n- barley\n", "utf-8")
    work = Workspace(tmp_path, lang="en", cache=False)
    work.remove("groceries.md", ["barley"])
    (archive,) = tmp_path.glob("archive/*.md")
    assert "- barley [from:: groceries.md#Groceries] [why:: removed]" in archive.read_text("utf-8")


FILES = {
    "MEMORY.md": "# 记忆\n\n## 待办\n\n- [ ] 给阿岚买生日蛋糕\n- [ ] 把 7 号的账单付了\n- [ ] Q\n- [ ] 还阿岚的伞\n",
    "PINS.md": "# PINS\n\n## Pinned facts\n\n- 牛奶过敏 ^p1\n",
}
VERBS: dict[str, Callable[[Workspace, str], object]] = {
    "tick": lambda work, name: work.tick("MEMORY.md", name),
    "remove": lambda work, name: work.remove("MEMORY.md", [name]),
    "replace": lambda work, name: work.replace("MEMORY.md", name, "- [ ] 换成这个"),
    "why": lambda work, name: work.history.why(name),
}


@pytest.fixture(params=sorted(VERBS))
def act(request: pytest.FixtureRequest) -> Callable[[Workspace, str], object]:
    return VERBS[request.param]


@pytest.mark.parametrize("name", ["账", "7", "蛋", "号"])
def test_what_is_shorter_than_a_word_names_nothing(
    name: str, act: Callable[[Workspace, str], object], make: Make, text: Callable[[str], str]
) -> None:
    work = make("zh", FILES)
    with pytest.raises(TargetError) as refused:
        act(work, name)
    assert "一个汉字" in refused.value.message
    assert any(name in one for one in refused.value.candidates)
    assert text("MEMORY.md") == FILES["MEMORY.md"]


@pytest.mark.parametrize("name", ["蛋糕", "账单", "Q"])
def test_a_chinese_word_or_the_whole_text_names_an_entry(
    name: str, act: Callable[[Workspace, str], object], make: Make
) -> None:
    act(make("zh", FILES), name)


def test_several_matches_are_shown(act: Callable[[Workspace, str], object], make: Make) -> None:
    with pytest.raises(TargetError) as refused:
        act(make("zh", FILES), "阿岚")
    assert refused.value.count == 2
    assert len(refused.value.candidates) == 2


@pytest.mark.parametrize("verb", ["plan.done", "plan.remove"])
def test_a_step_is_named_by_the_same_rule(verb: str, make: Make) -> None:
    work = make("zh")
    work.plan.add(["订车票", "收拾行李"])

    def act(name: str) -> str:
        return (work.plan.done(name) if verb == "plan.done" else work.plan.remove([name])).status

    with pytest.raises(TargetError):
        act("票")
    assert act("车票") == "done"
