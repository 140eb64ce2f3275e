"""A header that its writer did not write as YAML is read as it is meant, and nothing of it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.importers.headers import with_readable_header
from mdmem.text.document import parse

HEADERS = (
    "title: priming: open the valve first",
    'title: the "small" gate\nquote: "the "small" gate"',
    "title: pump\n\tindented: by a tab",
    "title: pump\ntitle: the other pump",
    "title:pump",
    "title: 'unclosed",
    "author: @ann",
    "title: 水泵: 先开阀\n标签: [水, 泵",
    "title: pump 🚰: hums\ntags:\n- a\n- b: c: d",
    "percent: %d of it\nback: `ticks`",
    "just a sentence: with: colons\nand a line without any",
    "title: ```\nbroken: [",
)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("header", HEADERS)
def test_the_header_can_be_read_and_nothing_is_lost(header: str, ending: str) -> None:
    text = f"---\n{header}\n---\n\n# Pump\n\n- the valve is opened first\n".replace("\n", ending)
    made = with_readable_header(text)
    front = parse(made.encode()).front_matter
    assert front is None or not front.problems
    assert made.endswith(text.partition("# Pump")[2])
    words = [word.strip("\"'[]") for word in header.split()]
    assert all(word in made.replace("\\", "") for word in words)


@pytest.mark.parametrize("text", [
    "---\ntitle: pump\ntags: [a, b]\n---\n\ntext\n", "# Pump\n", "---\na: &x 1\nb: *x\n---\n", "---\nno end\n",
])  # fmt: skip
def test_another_text_stays_as_it_is(text: str) -> None:
    assert with_readable_header(text) == text


def test_no_line_links_to_a_note_that_was_not_written(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "from"
    folder.mkdir()
    token = "ghp_" + "Zk3vQ9mT7xLr2WbN8cYp5HsJ4dFg6AeU1oRi"
    index = "- [Pump](pump.md) — how it is primed\n- [Keys](keys.md) — the keys\n- [Gone](gone.md) — missing\n"
    (folder / "MEMORY.md").write_text(index, "utf-8")
    (folder / "pump.md").write_text(
        "---\ndescription: priming: first the valve\ntype: user\n---\n\nOpen it.\n", "utf-8"
    )
    (folder / "keys.md").write_text(f"---\ndescription: keys\ntype: user\n---\n\nThe token is {token}\n", "utf-8")
    work = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n"})
    done = work.import_from(str(folder))
    text = Path(work.root, "MEMORY.md").read_text("utf-8")
    written = {path.name for path in Path(work.root, "notes").rglob("*.md")}
    assert all((name in written) == (f"/{name})" in text) for name in ("pump.md", "keys.md", "gone.md"))
    assert "pump.md" in written
    assert done.written + done.skipped + done.refused == done.read
    assert not any(token.encode() in path.read_bytes() for path in Path(work.root).rglob("*.md"))
    again = work.import_from(str(folder))
    assert (again.written, Path(work.root, "MEMORY.md").read_text("utf-8")) == (0, text)
