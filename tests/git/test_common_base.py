"""Without a common version nothing of either side is lost, and what both say stands once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from git.test_merged_entries import Line, Side, bases, entries, meetings
from mdmem.git.merge_file import merge_memory
from mdmem.text.document import parse
from mdmem.text.merge.common_base import common_base


def joined(copy: str, there: str, known: str = "") -> str:
    """Return what becomes of two versions of unknown origin, and below it what collided."""
    one, other = parse(copy.encode()), parse(there.encode())
    base = common_base(
        one, other, parse(known.encode()) if known else None, [row.strip() for row in known.splitlines()]
    )
    merged = merge_memory("MEMORY.md", parse(base.encode()), one, other, lambda clash: clash.theirs or clash.ours)
    assert merged is not None
    return "\n".join((merged.text, *(clash.ours for clash in merged.conflicts)))


@given(meetings())
def test_every_word_and_field_of_both_is_there(three: tuple[Side, Side, Side]) -> None:
    _, ours, theirs = three
    found = entries(joined(ours.text(), theirs.text()))
    for line in (*ours.lines, *theirs.lines):
        there = [text for text in found if line.words in text and all(one in text for one in line.fields)]
        assert there, line.text
        assert not line.done or any("✅" in text for text in there), line.text


@given(bases())
def test_the_same_text_twice_is_one_text(lines: list[Line]) -> None:
    text = Side(lines).text()
    assert joined(text, text) == text


@given(meetings())
def test_what_both_say_stands_once(three: tuple[Side, Side, Side]) -> None:
    _, ours, theirs = three
    both = {one.text for one in ours.lines} & {one.text for one in theirs.lines}
    found = entries(joined(ours.text(), theirs.text()))
    assert {text: found[text] for text in both} == dict.fromkeys(both, 1)


@given(meetings())
def test_a_second_merge_adds_nothing(three: tuple[Side, Side, Side]) -> None:
    _, ours, theirs = three
    once = joined(ours.text(), theirs.text())
    for side in (ours, theirs):
        assert entries(joined(side.text(), once)) >= Counter(one for one in entries(once))


@given(bases(), st.data())
def test_what_an_older_version_has_and_one_side_lacks_was_removed(lines: list[Line], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(lines)) if lines else st.just(set[Line]()))
    new = Line(30, 0, "an entry that nobody else has")
    here, copy = Side([*lines, new]), Side([one for one in lines if one not in gone])
    assert entries(joined(copy.text(), here.text(), Side(lines).text())) == Counter(
        one.text for one in (*lines, new) if one not in gone
    )
