"""A hostile file costs each verb work that grows with its size and no faster, and no verb fails by it.

The short form takes some shapes of 64 kB; `MDMEM_LONG=1` takes all of them, of 1 MB, and of a quarter of that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from shapes import SHAPES

from mdmem.errors import MdmemError
from mdmem.workspace import Workspace

from .conftest import Make

LONG = bool(os.environ.get("MDMEM_LONG"))
SIZE = 1_000_000 if LONG else 64_000
MOST = 2.0  # seconds of the processor
CHOSEN = list(SHAPES) if LONG else list(SHAPES)[::8]
VERBS: dict[str, Callable[[Workspace], object]] = {
    "lint": lambda work: work.lint(),
    "add": lambda work: work.add("MEMORY.md", ["a new thing"], section="Notes"),
    "search": lambda work: work.search("a new thing x"),
    "pack": lambda work: work.pack(),
}


def seconds(make: Make, shape: str, size: int, verb: str) -> float:
    """Give the seconds of the processor that a verb takes for a file of a shape; a refusal is an answer too."""
    work = make("en", {"MEMORY.md": SHAPES[shape](size)})
    begin = time.process_time()
    with suppress(MdmemError):
        VERBS[verb](work)
    return time.process_time() - begin


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("shape", CHOSEN)
def test_no_shape_costs_a_verb_much(make: Make, shape: str, verb: str) -> None:
    assert len(SHAPES) >= 64
    best = min(seconds(make, shape, SIZE, verb) for _ in range(2))
    assert best < MOST
    if LONG and best > MOST / 4:
        assert best < 10 * min(seconds(make, shape, SIZE // 4, verb) for _ in range(2)), "it grows faster than the file"


@pytest.mark.parametrize("text", ["`" * 400, "(((\n" * 50, "- …\n- …\n"], ids=["backticks", "brackets", "dots"])
def test_a_memory_without_a_word_is_searched(make: Make, text: str) -> None:
    assert make("en", {"MEMORY.md": text}).search("tea") == ()


def test_a_file_of_too_many_lines_is_found_and_packed_as_far_as_it_is_read(make: Make) -> None:
    lines = "".join(f"- walked {number} rounds\n" for number in range(300))
    work = make("en", {"FASTMEMO.md": f"# Memory\n\n## Self\n\n{lines}"}, settings="[lint]\nmax_lines = 100\n")
    assert any("walked 290 rounds" in hit.text for hit in work.search("walked 290 rounds"))
    packed = work.pack("chat")
    assert "walked 95 rounds" in packed.text
    assert "walked 290 rounds" not in packed.text
    assert any((left.path, left.line) == ("FASTMEMO.md", 101) for left in packed.left)
