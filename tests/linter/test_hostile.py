"""Hostile input costs work that grows with its size and no faster, and raises nothing."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable

import pytest
from conftest import Lint

from mdmem.core.document import parse

_SHAPES: dict[str, Callable[[int], str]] = {
    "one word": lambda n: "a" * n,
    "words without digits": lambda n: "- " + "snake_case_" * (n // 11),
    "slugs": lambda n: "- https://x.org/" + "some-long-slug-" * (n // 15),
    "prefixes of keys": lambda n: "- " + "sk-" * (n // 3),
    "hidden elements": lambda n: "- x\n\n" + "<div style='display:" * (n // 20),
    "hidden definitions": lambda n: "[//]: # (a\n" * (n // 11),
    "scripts": lambda n: "- x\n\n" + "<script>" * (n // 8),
    "spaces in a heading": lambda n: "# a" + " " * n + "x",
    "hashes and spaces": lambda n: "# " + " #" * (n // 2) + " x",
    "markers on one line": lambda n: "- " * (n // 2) + "x",
    "deep indentation": lambda n: "".join("  " * depth + "- x\n" for depth in range(int(n**0.5))),
    "flat nesting": lambda n: "".join("  " * (line % 40) + "- x\n" for line in range(n // 40)),
    "backticks": lambda n: "`" * n,
    "backticks by line": lambda n: "`\n" * (n // 2),
    "backticks in items": lambda n: "- `a\n" * (n // 5),
    "backticks of all lengths": lambda n: "- " + " ".join("`" * length for length in range(1, int((2 * n) ** 0.5))),
    "open comments": lambda n: "<!--" * (n // 4),
    "open comments in a paragraph": lambda n: "x " + "<!--" * (n // 4),
    "open comments by line": lambda n: "x <!-- a\n" * (n // 9),
    "short comments": lambda n: "x " + "<!-->" * (n // 5),
    "closed comments": lambda n: "<!-- a -->\n" * (n // 11),
    "open tags": lambda n: "x `" + "<a " * (n // 3),
    "marks": lambda n: "<!-- mdmem: allow MM301 -->\n" * (n // 28),
    "marks of their own": lambda n: "".join(f"- x\n  y <!-- mdmem: allow MM{line} -->\n" for line in range(n // 36)),
    "marks in lines": lambda n: "- x <!-- mdmem: allow MM301 -->\n  y\n" * (n // 37),
    "auto marks": lambda n: "<!-- mdmem:auto x -->\n" * (n // 22),
    "brackets": lambda n: "[" * n,
    "brackets by line": lambda n: "[a\n" * (n // 3),
    "bracket sections": lambda n: "[a]\n" * (n // 4),
    "bracket and spaces": lambda n: "[a]: b" + " " * n + "x",
    "definitions": lambda n: "[a]: b\n" * (n // 7),
    "quotes": lambda n: ">" * n,
    "quotes by line": lambda n: (">" * 40 + "a\n") * (n // 42),
    "lazy lines in quotes": lambda n: ">" * 100 + "a\n" + "b\n" * (n // 2),
    "lazy lines in lists": lambda n: "- " * 100 + "a\n" + "b\n" * (n // 2),
    "quotes in lists": lambda n: "- > " * (n // 4) + "a\n",
    "short items": lambda n: "- x\n" * (n // 4),
    "empty items": lambda n: "-\n" * (n // 2),
    "changing markers": lambda n: "- x\n* y\n" * (n // 8),
    "headings": lambda n: "## x\n" * (n // 5),
    "falling headings": lambda n: "###### a\n" * (n // 9),
    "underlined headings": lambda n: "a\n=\n" * (n // 4),
    "underlines": lambda n: "a\n" * (n // 2) + "---\n",
    "tags": lambda n: "- x " + "#a " * (n // 3),
    "tags by line": lambda n: "- x\n" + "#a\n" * (n // 3),
    "hashes": lambda n: "- " + "#" * n,
    "fields": lambda n: "- " + "[a:: b]" * (n // 7),
    "open fields": lambda n: "- " + "[a:: " * (n // 5),
    "fields of links": lambda n: "- " + "[a::[[b]]" * (n // 9),
    "a field of links": lambda n: "- [a:: " + "[b](c)" * (n // 6),
    "dates": lambda n: "- " + "2026-02-13 " * (n // 11),
    "joined dates": lambda n: "- " + "2026-02-13-" * (n // 11),
    "dates and slashes": lambda n: "- " + "2026-02-13/" * (n // 11),
    "digits": lambda n: "- " + "1" * n,
    "carets": lambda n: "- " + " ^a" * (n // 3),
    "stars": lambda n: "- " + "**" * (n // 2),
    "table rows": lambda n: "|a|b|\n|-|-|\n" + "|a|b|\n" * (n // 6),
    "table columns": lambda n: "|" + "a|" * (n // 4) + "\n|" + "-|" * (n // 4) + "\n",
    "no tables": lambda n: "|-\n" * (n // 3),
    "rules": lambda n: "---\n\n" * (n // 5),
    "fences": lambda n: "```\nx\n```\n" * (n // 10),
    "an open fence": lambda n: "```\n" + "x\n" * (n // 2),
    "html": lambda n: "<div>\n" * (n // 6),
    "carriage returns": lambda n: "- x\r" * (n // 4),
    "blank lines": lambda n: "\n" * n,
    "backslashes": lambda n: "- `" + "\\" * n,
    "front matter, deep": lambda n: "---\n" + "[" * n + "\n---\n",
    "front matter, keys": lambda n: "---\n" + "".join(f"k{line}: 1\n" for line in range(n // 9)) + "---\n",
    "front matter, aliases": lambda n: "---\na: &a 1\n" + "b: *a\n" * (n // 6) + "---\n",
    "front matter, one value": lambda n: "---\na: " + "x" * n + "\n---\n",
    "front matter, open": lambda n: "---\n" + "a: b\n" * (n // 5),
    "unusual line ends": lambda n: "\u2028- x\n" * (n // 5),
}


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


@pytest.mark.parametrize("shape", _SHAPES.values(), ids=_SHAPES.keys())
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
