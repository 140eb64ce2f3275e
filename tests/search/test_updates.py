"""Of a value and its update in other words, the update comes first in at least 95 of 100 pairs, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from forms import many

from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

EVERY = many(4, 1)
FIRST_DAY = date(2024, 10, 1)


def pairs(lang: str) -> Iterator[tuple[str, str, str]]:
    """Give a memory with an old line, another thing and a new line; the new line; and the question."""
    rows = (Path(__file__).parent / "updates" / f"{lang}.txt").read_text("utf-8").splitlines()[1:]
    for number, row in enumerate(rows[::EVERY]):
        old, new, question, other = row.split("|")
        days = FIRST_DAY + timedelta(days=number), FIRST_DAY + timedelta(days=200 + number * 7 % 160)
        sign = "：" if lang == "zh" else ": "
        yield f"# Memory\n\n## Notes\n\n- {days[0]}{sign}{old}\n- {other}\n- {days[1]}{sign}{new}\n", new, question


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_update_in_other_words_comes_first(tmp_path: Path, lang: str) -> None:
    found = []
    for number, (memory, new, question) in enumerate(pairs(lang)):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "MEMORY.md").write_text(memory, "utf-8")
        hits = Workspace(root, lang=lang, cache=False).search(question, limit=1)
        found.append(bool(hits) and new in hits[0].text)
    assert sum(found) >= 0.95 * len(found)
