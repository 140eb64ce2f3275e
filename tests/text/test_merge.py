"""A merge brings in what ours changed, keeps what theirs changed, and writes neither over the other (law 5)."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from forms import many
from hypothesis import example, given
from hypothesis import strategies as st
from inputs import CASES, ODD_BYTES, documents

from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.text.merge import Merged, merge
from mdmem.text.verify import verify


def merged(base: str, ours: str, theirs: str) -> tuple[str, Merged]:
    """Merge three texts; the result is proved."""
    before = parse(theirs.encode())
    result = merge(parse(base.encode()), parse(ours.encode()), before)
    text = apply_edits(before.text, result.edits)
    assert verify(before, result.edits, parse(text.encode())) == ()
    return text, result


def _cases() -> list[tuple[str, ...]]:
    text = (CASES / "merge.md").read_text("utf-8").replace("⊣\n", "").replace("␍", "\r")
    blocks = "".join(rf"^`{{4}}{name}\n(.*?)`{{4}}\n+" for name in ("base", "ours", "theirs", "merged"))
    return re.findall(rf"^## ([^\n]*)\n+{blocks}([^\n]*)$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("name", "base", "ours", "theirs", "expected", "end"), _cases(), ids=lambda value: value[:30])
def test_case(name: str, base: str, ours: str, theirs: str, expected: str, end: str) -> None:
    text, result = merged(base, ours, theirs)
    assert text == expected
    if end == "No conflict.":
        assert result.conflicts == ()
        return
    count, _, sides = end.partition(" conflict: ")
    assert len(result.conflicts) == int(count)
    conflict = result.conflicts[0]
    for side, words in zip(conflict[:3], sides.split("|"), strict=True):
        assert words.strip() in side
        assert bool(words.strip()) == bool(side.strip())
    # the other way round nothing is lost either, and the same entries collide
    assert len(merged(base, theirs, ours)[1].conflicts) == int(count)


def test_there_are_many_cases() -> None:
    assert len(_cases()) >= 28


# ---- laws

_ENTRIES = [f"- {word}\n" for word in ("面试", "买牛奶", "a b c", "a b d", "[ ] x", "x ^k1", "y ^k2", "e1", "e2", "e3")]
_LINES = [
    *_ENTRIES, *_ENTRIES, "- e1\n", "  - nested\n", "## A\n", "## B\n", "\n", "\n", "words\n", "more\n", "---\n",
    "```\n", "<!-- c -->\n", "[用户]\n", "1. one\n", "_end_\n", "> q\n", "- crlf\r\n",
]  # fmt: skip
_rows = st.lists(st.sampled_from(_LINES), max_size=10)
_fronts = st.sampled_from(["", "", "", "---\na: 1\nb: 2\n---\n", "\ufeff"])
_change = st.tuples(st.sampled_from(["add", "drop", "change"]), st.integers(0, 30), st.sampled_from(_LINES))
_changes = st.lists(_change, max_size=4)


def _changed(rows: list[str], changes: list[tuple[str, int, str]]) -> str:
    rows = list(rows)
    for verb, place, line in changes:
        at = place % (len(rows) + 1)
        if verb == "add":
            rows.insert(at, line)
        elif at < len(rows):
            rows[at : at + 1] = [] if verb == "drop" else [rows[at].rstrip("\r\n") + " 改\n"]
    return "".join(rows)


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str, str]:
    front, rows = draw(_fronts), draw(_rows)
    first, second = draw(_changes), draw(_changes)
    if draw(st.integers(0, 9)) == 0:
        return tuple(draw(documents).decode() for _ in range(3))  # type: ignore[return-value]
    return front + "".join(rows), front + _changed(rows, first), front + _changed(rows, second)


def _entries(text: str) -> Counter[str]:
    return Counter(entry.text.replace("\r\n", "\n") for entry in parse(text.encode()).entries)


def _shown(result: Merged) -> str:
    return "\n".join(side for conflict in result.conflicts for side in conflict[:3]).replace("\r\n", "\n")


@given(versions())
@example(("- a\n", "- a\n\n## O\n- o\n", "- a\n- t\n"))
@example(("- a\n", "", "- a\n- t\n"))
def test_nothing_is_lost(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    text, result = merged(base, ours, theirs)
    before, mine, yours, after = map(_entries, (base, ours, theirs, text))
    for entry in (mine - before) | (yours - before):
        assert after[entry] or entry in _shown(result), f"{entry} was added"
    for entry in before:
        if mine[entry] and yours[entry] and before[entry] == 1:  # of two copies each side may have touched another
            assert after[entry] or entry in _shown(result), f"{entry} was on both sides"


@pytest.mark.slow
@given(versions())
def test_lines_of_theirs_stay_unless_ours_took_them(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    text, _ = merged(base, ours, theirs)
    was, mine, yours, now = (
        Counter(re.split(r"\r\n|\r|\n", one.lstrip("\ufeff"))) for one in (base, ours, theirs, text)
    )
    for line in yours - now:
        alone = yours[line] == 1 and was[line] <= 1
        assert not alone or not line or was[line] > mine[line], line


@given(versions())
def test_one_side_alone(three: tuple[str, str, str]) -> None:
    base, ours, _ = three
    assert merged(base, base, ours) == (ours, Merged(()))
    assert merged(base, ours, base)[0] == ours
    assert merged(base, ours, ours) == (ours, Merged(()))


@given(versions())
def test_both_ways_give_the_same_entries(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    text, result = merged(base, ours, theirs)
    other, turned = merged(base, theirs, ours)
    if not result.conflicts and not turned.conflicts:
        assert set(_entries(text)) == set(_entries(other))


@given(st.lists(st.sampled_from(_ENTRIES), max_size=6), st.lists(st.sampled_from(_ENTRIES), min_size=1, max_size=4))
def test_appends_never_collide(rows: list[str], new: list[str]) -> None:
    base = "## S\n" + "".join(rows)
    texts = [f"- mine {at} {one[2:]}" for at, one in enumerate(new)]
    plain = [one.partition(" ^")[0].rstrip("\n") + "\n" for one in texts]
    text, result = merged(base, base + "".join(plain), base + "- theirs\n")
    assert result.conflicts == ()
    assert text == base + "- theirs\n" + "".join(plain)


@pytest.mark.parametrize("name", ODD_BYTES)
def test_odd_bytes(name: str) -> None:
    base = parse(ODD_BYTES[name])
    other = parse(ODD_BYTES[name] + b"\n\n- new\n")
    for three in ((base, other, base), (base, base, other), (other, base, parse(ODD_BYTES[name] + b"\n\n- third\n"))):
        result = merge(*three)
        assert parse(apply_edits(three[2].text, result.edits).encode("utf-8", "surrogateescape")).to_bytes()


LINES = many(2_500, 10_000)
_LONG = (
    ["- entry {}\n"] * LINES, ["- same\n", "\n"] * (LINES // 2), ["## {}\n", "- a\n"] * (LINES // 2), ["\n"] * LINES,
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("rows", _LONG, ids=("entries", "equal", "sections", "blank"))
def test_thousands_of_lines(rows: list[str]) -> None:
    """Bounded, whatever the lines hold; a quadratic merge would take minutes."""
    rows = [line.format(number) for number, line in enumerate(rows)]
    first, second = 3 * LINES // 10, 7 * LINES // 10
    ours = [*rows[:first], "- ours\n", *rows[first + LINES // 20 :]]
    theirs = [*rows[:second], "- theirs\n", *rows[second + 1 :]]
    documents = [parse("".join(one).encode()) for one in (rows, ours, theirs)]
    text = apply_edits(documents[2].text, merge(*documents).edits)
    assert "- ours" in text
    assert "- theirs" in text
