"""What people report of programs like this one: text between dashes that is lost, lines of an entry that go unseen."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import in_process
import pytest

Say = Callable[..., str]


@pytest.fixture
def say(root: Path) -> Say:
    """Run `mdmem …` in the workspace; return what it prints on both streams, whatever its exit code is."""

    def run(*arguments: str, given: str = "") -> str:
        done = in_process.run_text(*arguments, cwd=root, env={**os.environ, "LANG": "C.UTF-8"}, given=given)
        return done.stdout + done.stderr

    return run


# Texts between two `---` at the top of MEMORY.md; each names Orsolya.
BETWEEN_DASHES = {
    "a sentence": "The lighthouse keeper is called Orsolya.\n",
    "a list": "\n- the keeper Orsolya has a goat\n- it bites\n\n",
    "Chinese": "灯塔的看守人叫Orsolya，她养了一只羊。\n",
    "a colon in a sentence": "Remember: Orsolya keeps the light\nand the goat (it bites).\n",
    "a quotation": "> Orsolya said: never lock the door\n",
    "a heading": "# Orsolya\n\nkeeps the light, Orsolya by name\n",
    "a field and a sentence": "title: Light\nOrsolya keeps the light\n",
    "a task": "- [ ] bring Orsolya the oil\n",
}


@pytest.mark.parametrize("text", BETWEEN_DASHES.values(), ids=BETWEEN_DASHES)
def test_a_text_between_two_rules_is_read_or_told(say: Say, root: Path, text: str) -> None:
    (root / "MEMORY.md").write_text(f"---\n{text}---\n\n- 2026-05-02: the ferry leaves at nine\n", "utf-8")
    is_read = "MEMORY.md" in say("search", "Orsolya") and "Orsolya" in say("context", "agent")
    assert is_read or "MM109" in say("lint", "MEMORY.md")


class Lines(NamedTuple):
    """An entry of several lines, a piece of it that is changed, and words of its other lines."""

    entry: str
    piece: str
    others: tuple[str, ...]


SEVERAL_LINES = {
    "a list of things": Lines(
        "- 2026-08-01: tools\n  pump: in the cellar\n  ladder: in the shed\n  saw: lent to Bo\n",
        "ladder: in the shed",
        ("saw: lent to Bo", "pump"),
    ),
    "nested items": Lines(
        "- 2026-08-01: tools\n  - pump in the cellar\n  - ladder in the shed\n", "ladder in the shed", ("pump in",)
    ),
    "a paragraph": Lines(
        "- 2026-08-01: the ladder is\nin the shed and the saw\nis lent to Bo\n",
        "in the shed and the saw",
        ("lent to Bo",),
    ),
    "code": Lines(
        "- 2026-08-01: start it so\n\n  ```sh\n  make ladder\n  make saw\n  ```\n", "make ladder", ("make saw",)
    ),
    "Chinese": Lines(
        "- 2026-08-01：家里的工具\n  水泵在地下室\n  梯子在棚子里\n  锯子借给了小博\n",
        "梯子在棚子里",
        ("锯子借给了小博", "水泵"),
    ),
    "a quotation": Lines(
        "- 2026-08-01: Bo said\n  > the ladder stays here\n  > the saw goes with me\n",
        "ladder stays",
        ("the saw goes",),
    ),
}


@pytest.mark.parametrize("tool", ["memory_replace", "memory_remove"])
@pytest.mark.parametrize("lines", SEVERAL_LINES.values(), ids=SEVERAL_LINES)
def test_of_an_entry_of_several_lines_nothing_goes_without_a_word(
    say: Say, root: Path, tool: str, lines: Lines
) -> None:
    (root / "MEMORY.md").write_text(f"# Memory\n\n## Notes\n\n{lines.entry}- 2026-08-02: something else\n", "utf-8")
    arguments = {"entry": lines.piece, "path": "MEMORY.md"} | ({"content": "gone"} if tool == "memory_replace" else {})
    reply = say("tool", "call", tool, given=json.dumps(arguments))
    kept = "".join(path.read_text("utf-8") for path in root.rglob("*.md"))
    assert all(word in kept or word in reply for word in lines.others)
