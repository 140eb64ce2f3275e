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
        ("where did I go with the canoe?", []),
        ("我跟你說過屋頂嗎？", []),
    ],
)
def test_the_word_beside_a_conjunction_is_a_part(question: str, parts: list[set[str]]) -> None:
    asked = Question(question, parse_query(question).words)
    assert [set(one) for one in parts_of(asked, ())] == parts


def test_each_part_is_served_before_a_second_line_of_one(tmp_path: Path) -> None:
    roof = [f"the roof leaks at corner {number}, we talked about the roof" for number in range(8)]
    lines = "\n".join(f"- {line}" for line in (*roof, "the fence fell over in the storm"))
    (tmp_path / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n{lines}\n", "utf-8")
    hits = Workspace(tmp_path, cache=False).search("what did we say about the roof and the fence?", limit=4)
    assert any("fence" in hit.text for hit in hits[:2])
