"""Two people change one file: what both did stands in the merge, once, without a mark where no entry collided."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem import UsageError, Workspace
from mdmem.git.merge_file import GitMerge, merge_file, merge_memory
from mdmem.text.document import parse
from mdmem.text.merge import ConflictMarks, MergedText
from mdmem.text.merge.common_base import common_base

from .conftest import MEMORY, Repository

SECTIONS = ("To-dos", "Notes", "事件")
WORDS = ("面试在周五", "buy milk", "the import reads semicolons", "call Ann back", "交周报", "water the plants")


@dataclass(frozen=True)
class Line:
    """An entry of the model: where it stands, and its parts."""

    number: int
    section: int
    words: str
    done: bool = False
    fields: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        date = f"2026-{self.number % 12 + 1:02}-{self.number % 28 + 1:02}"
        return f"{'✅ ' if self.done else ''}{date}: {self.words}{''.join(f' {one}' for one in self.fields)}"


@dataclass
class Side:
    """One side: the lines by section, and what it did to each line of the base."""

    lines: list[Line]
    did: dict[int, str] = field(default_factory=dict)

    def text(self, ending: str = "\n") -> str:
        rows = ["# Memory", ""]
        for number, title in enumerate(SECTIONS):
            rows += [f"## {title}", "", *(f"- {one.text}" for one in self.lines if one.section == number), ""]
        return ending.join(rows)


@st.composite
def bases(draw: st.DrawFn) -> list[Line]:
    count = draw(st.integers(0, 9))
    return sorted(
        (Line(n, draw(st.integers(0, 2)), f"{draw(st.sampled_from(WORDS))} {n}") for n in range(count)),
        key=lambda one: one.section,
    )


@st.composite
def sides(draw: st.DrawFn, base: list[Line], name: str) -> Side:
    """Change a base: each line at most once, so that what collides is known."""
    side = Side(list(base))
    touched = draw(st.lists(st.sampled_from(base), unique=True, max_size=4)) if base else []
    for line in touched:
        verb = draw(st.sampled_from(["edit", "tick", "remove", "move", "field"]))
        at = side.lines.index(line)
        side.did[line.number] = verb
        if verb == "remove":
            del side.lines[at]
        elif verb == "move":
            moved = replace(line, section=(line.section + draw(st.integers(1, 2))) % 3)
            side.lines = [one for one in side.lines if one is not line]
            side.lines.insert(draw(st.integers(0, len(side.lines))), moved)
        else:
            new = {"edit": {"words": f"{line.words} by {name}"}, "tick": {"done": True},
                   "field": {"fields": (f"[{name}:: yes]",)}}[verb]  # fmt: skip
            side.lines[at] = replace(line, **new)  # type: ignore[arg-type]
    for number in range(draw(st.integers(0, 3))):
        new_line = Line(20 + number, draw(st.integers(0, 2)), f"an entry from {name}, {20 + number}")
        side.lines.insert(draw(st.integers(0, len(side.lines))), new_line)
    return side


@st.composite
def meetings(draw: st.DrawFn) -> tuple[Side, Side, Side]:
    base = draw(bases())
    return Side(base), draw(sides(base, "ours")), draw(sides(base, "theirs"))


def collides(one: str, other: str) -> bool:
    """Return whether two changes of one line collide: of the same part, or a removal and a change."""
    return (one == other == "edit") or ("remove" in (one, other) and bool({one, other} & {"edit", "tick", "field"}))


def merged(base: str, ours: str, theirs: str) -> MergedText:
    result = merge_file(GitMerge(base.encode(), ours.encode(), theirs.encode(), "MEMORY.md"), ConflictMarks())
    assert result is not None
    return result


def entries(text: str) -> Counter[str]:
    return Counter(one.text for one in parse(text.encode()).entries)


def words(text: str) -> Counter[tuple[str, ...]]:
    """Return the words of each entry, in any order: that of two fields is the order of the sides."""
    return Counter(tuple(sorted(one.split())) for one in entries(text).elements())


def expected(base: list[Line], ours: Side, theirs: Side) -> dict[str, tuple[int, int]]:
    """Return the texts that the merge holds, each with how often at least and at most."""
    found: dict[str, tuple[int, int]] = {}
    for line in base:
        did = {ours.did.get(line.number, ""), theirs.did.get(line.number, "")}
        by_ours, by_theirs = (
            next((one for one in side.lines if one.number == line.number), None) for side in (ours, theirs)
        )
        if "remove" in did:
            found[line.text] = (0, int("move" in did))
            continue
        assert by_ours is not None
        assert by_theirs is not None
        words = next((one.words for one in (by_ours, by_theirs) if one.words != line.words), line.words)
        fields = (*by_theirs.fields, *by_ours.fields)
        whole = {
            replace(line, words=words, done=by_ours.done or by_theirs.done, fields=order).text
            for order in (fields, fields[::-1])
        }
        found[min(whole) if len(whole) == 1 else "|".join(sorted(whole))] = (1, 1)
    return found


@given(meetings())
def test_both_changes_stand_once(three: tuple[Side, Side, Side]) -> None:
    base, ours, theirs = three
    result = merged(base.text(), ours.text(), theirs.text())
    clash = [n for n in ours.did.keys() & theirs.did.keys() if collides(ours.did[n], theirs.did[n])]
    there = entries(result.text)
    if clash:
        assert result.conflicts
        assert "<<<<<<< ours\n" in result.text
        assert ">>>>>>> theirs" in result.text
    else:
        assert result.conflicts == ()
        assert "<<<<<<<" not in result.text
        for texts, (least, most) in expected(base.lines, ours, theirs).items():
            assert least <= sum(there[one] for one in texts.split("|")) <= most, texts
    for line in (*ours.lines, *theirs.lines):
        if line.number >= 20 and not clash:
            assert there[line.text] == 1, line.text  # what was added is there once
        elif line.number >= 20:
            assert result.text.count(f"- {line.text}\n") == 1, line.text
        elif clash and line.number in clash:
            assert line.text in result.text, line.text  # both texts of a collision are shown


@given(meetings())
def test_the_order_of_the_sides_does_not_matter(three: tuple[Side, Side, Side]) -> None:
    base, ours, theirs = (one.text() for one in three)
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert bool(one.conflicts) == bool(other.conflicts)
    if not one.conflicts:
        assert one.text == other.text


@given(meetings())
def test_a_second_merge_changes_nothing(three: tuple[Side, Side, Side]) -> None:
    base, ours, theirs = (one.text() for one in three)
    once = merged(base, ours, theirs)
    if not once.conflicts:
        assert merged(ours, once.text, ours).text == once.text
        assert merged(theirs, once.text, theirs).text == once.text


@given(meetings())
def test_line_endings_collide_with_nothing(three: tuple[Side, Side, Side]) -> None:
    base, ours, theirs = three
    plain = merged(base.text(), ours.text(), theirs.text())
    mixed = merged(base.text(), ours.text("\r\n"), theirs.text())
    assert bool(mixed.conflicts) == bool(plain.conflicts)
    if not plain.conflicts:
        assert words(mixed.text) == words(plain.text)
        assert not ("\r\n" in mixed.text and "\n" in mixed.text.replace("\r\n", ""))  # one ending


def test_an_entry_that_left_the_last_section_takes_no_heading_along() -> None:
    form = "## A\n\n{}\n## B\n\n{}"
    one, new = "- 2026-02-13: call Ann\n", "- 2026-02-14: send the report\n"
    result = merged(form.format("", one), form.format("", new + one), form.format(one, ""))
    assert result == (form.format(one, new), ())


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
@example(b"", b"- \xff a\n", b"- b\n")
@example(b"- \xe4\xbd\xa0\n", "- 你好\n".encode("gbk"), b"- \xe4\xbd\xa0\n- x\n")
def test_any_bytes(base: bytes, ours: bytes, theirs: bytes) -> None:
    result = merge_file(GitMerge(base, ours, theirs, "MEMORY.md"), ConflictMarks())
    if result is not None:
        result.text.encode("utf-8", "surrogateescape")


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


HERE = MEMORY.replace("call Ann back", "call Ann back on Monday").replace("Tom\n", "Tom\n- 2026-02-15: from main\n")
THERE = MEMORY.replace("- 2026-02-13", "- ✅ 2026-02-13").replace("Tom\n", "Tom\n- 2026-02-16: from other\n")


def conflict(bare: Repository, ours: str, theirs: str, style: str = "diff3") -> Workspace:
    """Merge with git alone, without the merge driver, so that it leaves its marks."""
    bare.git("checkout", "-qb", "other")
    bare.commit("theirs", MEMORY__md=theirs)
    bare.git("checkout", "-q", "main")
    bare.commit("ours", MEMORY__md=ours)
    assert bare.git("-c", f"merge.conflictStyle={style}", "merge", "other", ok=False).returncode == 1
    return Workspace(bare.root, lang="en")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_entries_that_do_not_collide_are_merged(bare: Repository, style: str) -> None:
    work = conflict(bare, HERE, THERE, style)
    done = work.resolve("MEMORY.md")
    assert done.status == "done"
    assert bare.read().splitlines() == [
        *HERE.replace("- 2026-02-13", "- ✅ 2026-02-13").splitlines(),
        "- 2026-02-16: from other",
    ]
    assert ("the text with which both began" in done.hint) is (style != "merge")
    assert work.inbox.list() == ()
    bare.git("add", "MEMORY.md")
    bare.git("commit", "-qm", "merged")


@pytest.mark.slow
def test_what_one_side_removed_is_removed(bare: Repository) -> None:
    report = "- 2026-02-14: send the report\n"
    work = conflict(bare, HERE.replace(report, ""), THERE)
    work.resolve("MEMORY.md")
    assert "report" not in bare.read()


@pytest.mark.slow
def test_the_text_of_the_other_side_waits_in_the_inbox(bare: Repository) -> None:
    work = conflict(bare, MEMORY.replace("with Tom", "with Ann"), MEMORY.replace("with Tom", "with Eve"))
    done = work.resolve("MEMORY.md")
    assert "1 entry say something else on the other side" in done.hint
    assert bare.read() == MEMORY.replace("with Tom", "with Ann")
    (item,) = work.inbox.list()
    work.inbox.accept([item.key])
    assert bare.read() == MEMORY.replace("with Tom", "with Eve")


@pytest.mark.parametrize(
    "text",
    [
        MEMORY,
        f"{MEMORY}<<<<<<< ours\n- a\n=======\n- b\n",
        f"{MEMORY}- b\n>>>>>>> theirs\n",
        f"{MEMORY}\n```\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n```\n",
        f"{MEMORY}<<<<<<< ours\n- a\n>>>>>>> theirs\n",
    ],
)
def test_what_holds_no_whole_conflict_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "MEMORY.md").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="no whole conflict"):
        Workspace(tmp_path, lang="en").resolve("MEMORY.md")
    assert (tmp_path / "MEMORY.md").read_text("utf-8") == text
