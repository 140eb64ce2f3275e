"""Hostile input costs work that grows with its size and no faster, and raises nothing."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable

import pytest
from conftest import Lint
from shapes import SHAPES

from mdmem.text.document import parse


def _work(lint: Lint, text: str) -> float:
    """Do all there is to do with a file, and give the seconds of the processor that it takes."""
    data = text.encode()
    begin = time.process_time()
    document = parse(data)
    for entry in document.entries:
        assert entry.parts.body.end <= len(entry.text)
    assert document.sections or not document.preamble.start > len(document.text)
    assert len(document.auto_marks) <= len(document.comments)
    if document.front_matter:
        assert document.front_matter.root is None or document.front_matter.values
    unlimited = {"max_line_chars": 10**9, "max_lines": 10**9, "max_front_matter_chars": 10**9}
    lint(document, "FASTMEMO.md", **unlimited)
    lint(document, "notes.md", **unlimited)
    return time.process_time() - begin


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_four_times_the_size_is_not_ten_times_the_work(lint: Lint, shape: Callable[[int], str]) -> None:
    """Hold the best of up to eight measurements against each other: others share the processor and its caches."""
    small, large, ratio = math.inf, math.inf, math.inf
    gc.collect()
    gc.freeze()  # or the collector walks all that the other tests keep alive, in the larger measurement only
    try:
        for _ in range(8):
            small = min(small, max(_work(lint, shape(15_000)), 0.002))
            large = min(large, _work(lint, shape(60_000)))
            if (ratio := large / small) < 10:
                break
    finally:
        gc.unfreeze()
    assert ratio < 10, "the work grows faster than the text"


def test_a_file_of_too_many_lines_is_only_checked_for_safety(lint: Lint) -> None:
    text = "- a\n  b\n" * 100
    assert any(d.code.startswith("MM3") for d in lint(text, "FASTMEMO.md", max_lines=200))
    assert not any(d.code.startswith("MM3") for d in lint(text, "FASTMEMO.md", max_lines=199))


@pytest.mark.parametrize("text", ["\ufeff" + "- a\n" * 400_000 + "- a", "- a" * 500_000], ids=["lines", "line"])
def test_nobody_parses_what_is_no_memory(lint: Lint, text: str) -> None:
    document = parse(text.encode())
    found = lint(document, "FASTMEMO.md")
    assert {d.code for d in found} & {"MM116", "MM120"}, "nobody is told"
    assert not any(d.code.startswith(("MM2", "MM3", "MM4")) for d in found)
    assert "blocks" not in vars(document)


def test_nobody_looks_into_what_was_not_read(lint: Lint) -> None:
    document = parse(b"- a\n" * 600_000)
    found = lint(document, "FASTMEMO.md")
    assert not any(d.code.startswith(("MM2", "MM3", "MM4", "MM5")) for d in found)
    assert "blocks" not in vars(document)
