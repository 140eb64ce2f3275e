"""Laws of a question for several things: the best line of each comes before a second line of any."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.search.question import Question, parse_query, parts_of
from mdmem.workspace import Workspace


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what did I say about the roof and about the fence?", [{"roof"}, {"fenc"}]),
        ("the tent or the stove, which came first?", [{"tent"}, {"stove"}]),
        ("屋頂和籬笆我說過什麼？", [{"屋顶"}, {"篱笆"}]),
        ("帳篷還是爐子先買？", [{"帐篷"}, {"炉子"}]),
        ("which came first, buying the tent or selling the stove?", [{"bui", "tent"}, {"sell", "stove"}]),
        ("阿品跟小洛有什麼共同愛好？", [{"阿品"}, {"小洛"}]),
        ("where did I go with the canoe?", []),
        ("我跟你說過屋頂嗎？", []),
    ],
)
def test_the_word_beside_a_conjunction_is_a_part(question: str, parts: list[set[str]]) -> None:
    asked = Question(question, parse_query(question).words)
    assert [set(one) for one in parts_of(asked, (), 4)] == parts


def test_each_part_is_served_before_a_second_line_of_one(tmp_path: Path) -> None:
    roof = [f"the roof leaks at corner {number}, we talked about the roof" for number in range(8)]
    lines = "\n".join(f"- {line}" for line in (*roof, "the fence fell over in the storm"))
    (tmp_path / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n{lines}\n", "utf-8")
    hits = Workspace(tmp_path, cache=False).search("what did we say about the roof and the fence?", limit=4)
    assert any("fence" in hit.text for hit in hits[:2])


def days(folder: Path, *sessions: tuple[str, ...]) -> Workspace:
    """Write a file for each day, a line for each thing that was said."""
    (folder / "memory").mkdir()
    for number, said in enumerate(sessions, 1):
        lines = "\n".join(f"- Ann: {line}" for line in said)
        (folder / "memory" / f"2026-01-{number:02}.md").write_text(f"# 2026-01-{number:02}\n\n{lines}\n", "utf-8")
    return Workspace(folder, cache=False)


@pytest.mark.parametrize(
    ("asked", "often", "other"),
    [
        ("how many times did I go to Texel?", "Texel was windy, I like Texel, photo {} of Texel", "We biked on Texel"),
        ("我去過幾次莫干山？", "莫干山的照片{}，莫干山真美，又是莫干山", "跟同學騎車上了莫干山"),
    ],
)
def test_what_is_counted_has_a_line_of_each_day_before_a_second_one(
    tmp_path: Path, asked: str, often: str, other: str
) -> None:
    work = days(tmp_path, tuple(often.format(number) for number in range(5)), (other, "."), (other, "!"))
    found = [hit.path for hit in work.search(asked, limit=3)]
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("asked", "said", "common"),
    [
        (
            "what do Wim and Greet have in common?",
            ("Wim is late with the rent", "Wim likes trains and chess", "Greet is 81 now", "Greet plays chess by post"),
            "chess",
        ),
        (
            "小洛跟阿品都喜歡什麼？",
            ("阿品房租又晚交了", "小洛週五想搭我的車", "小洛週五去攀岩館", "阿品在戶外攀岩，還烤麵包"),
            "攀岩",
        ),
    ],
)
def test_what_two_have_in_common_comes_first(tmp_path: Path, asked: str, said: tuple[str, ...], common: str) -> None:
    work = days(tmp_path, said[:2], said[2:])
    assert all(common in hit.text for hit in work.search(asked, limit=2))
