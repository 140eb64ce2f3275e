"""Two machines learn facts: one value of each property holds after the merge, the newer one, and none is lost."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from mdmem import Workspace
from mdmem.git.merge_file import GitMerge, merge_file
from mdmem.text.merge import ConflictMarks

USER = "facts/user.md"
FIRST = ("employer", "works at the city library", "2026-02-13")
LATER = (("employer", "works at the maritime museum", "2026-02-20"), ("employer", "works at the zoo", "2026-03-01"))


def said(root: Path, *facts: tuple[str, str, str], base: bytes = b"") -> bytes:
    """Return the facts file of a machine on which these were said, from a base."""
    (root / "facts").mkdir(parents=True, exist_ok=True)
    (root / "mdmem.toml").write_text('lang = "en"\n')
    (root / USER).unlink(missing_ok=True)
    if base:
        (root / USER).write_bytes(base)
    for predicate, text, day in facts:
        Workspace(root).facts.set("user", predicate, text, at=day)
    return (root / USER).read_bytes()


def merged(root: Path, base: bytes, ours: bytes, theirs: bytes) -> str:
    result = merge_file(GitMerge(base, ours, theirs, str(root / USER)), ConflictMarks())
    assert result is not None
    assert result.conflicts == ()
    (root / USER).write_text(result.text)
    return result.text


def history(root: Path) -> list[tuple[str, bool, str]]:
    found = Workspace(root).facts("user", predicate="employer", before=True)
    ids = {one.id: one.text for one in found}
    return sorted((one.text, one.live, ids.get(one.superseded_by, "")) for one in found)


EXPECTED = sorted([(FIRST[1], False, LATER[0][1]), (LATER[0][1], False, LATER[1][1]), (LATER[1][1], True, "")])


@pytest.mark.thorough
@pytest.mark.parametrize(("ours", "theirs"), list(permutations(LATER)))
def test_the_newer_value_holds_and_the_older_one_moves_below_it(
    tmp_path: Path, ours: tuple[str, str, str], theirs: tuple[str, str, str]
) -> None:
    base = said(tmp_path, FIRST)
    sides = [said(tmp_path, one, base=base) for one in (ours, theirs)]
    text = merged(tmp_path, base, *sides)
    assert history(tmp_path) == EXPECTED
    assert Workspace(tmp_path).lint([USER]).diagnostics == ()
    assert text == merged(tmp_path, base, *reversed(sides))


def test_both_learn_the_first_value_of_a_property(tmp_path: Path) -> None:
    base = said(tmp_path, ("city", "lives in Leiden", "2026-02-01"))
    sides = [said(tmp_path, one, base=base) for one in LATER]
    merged(tmp_path, base, *sides)
    assert history(tmp_path) == sorted([(LATER[0][1], False, LATER[1][1]), (LATER[1][1], True, "")])


def test_both_learn_the_same(tmp_path: Path) -> None:
    base = said(tmp_path, FIRST)
    ours = said(tmp_path, LATER[1], base=base)
    theirs = ours.replace(b"[confidence:: 0.7]", b"[confidence:: 0.9]")
    text = merged(tmp_path, base, ours, theirs)
    assert history(tmp_path) == sorted([(FIRST[1], False, LATER[1][1]), (LATER[1][1], True, "")])
    assert text.count("works at the zoo") == 1
    assert "[confidence:: 0.9]" in text


def test_a_property_with_several_values_keeps_them_all(tmp_path: Path) -> None:
    base = said(tmp_path, ("likes", "likes black tea", "2026-02-01"))
    sides = [said(tmp_path, ("likes", text, "2026-02-02"), base=base) for text in ("likes chess", "likes the sea")]
    merged(tmp_path, base, *sides)
    live = {one.text for one in Workspace(tmp_path).facts("user")}
    assert live == {"likes black tea", "likes chess", "likes the sea"}


def test_one_side_corrects_by_hand_what_the_other_replaced(tmp_path: Path) -> None:
    base = said(tmp_path, FIRST)
    ours = base.replace(b"city library", b"old city library")
    text = merged(tmp_path, base, ours, said(tmp_path, LATER[0], base=base))
    assert "works at the old city library" in text
    assert [one.text for one in Workspace(tmp_path).facts("user")] == [LATER[0][1]]


def test_settings_that_cannot_be_read_leave_both_values(tmp_path: Path) -> None:
    base = said(tmp_path, FIRST)
    sides = [said(tmp_path, one, base=base) for one in LATER]
    (tmp_path / "mdmem.toml").write_text("<<<<<<< ours\n")
    text = merged(tmp_path, base, *sides)
    assert all(one[1] in text for one in (FIRST, *LATER))


GENERATED = """\
# User

## About

<!-- mdmem:auto user -->
- {} [fact:: facts/user.md#{}]
<!-- /mdmem:auto -->

- what I wrote
"""


def test_a_generated_block_never_collides() -> None:
    base, ours, theirs = (
        GENERATED.format(*one).encode()
        for one in (("works at the library", "f1"), ("works at the museum", "f2"), ("works at the zoo", "f3"))
    )
    for one, other in ((ours, theirs), (theirs, ours)):
        result = merge_file(GitMerge(base, one, other, "USER.md"), ConflictMarks())
        assert result is not None
        assert result.conflicts == ()
        assert "<<<<<<<" not in result.text
        assert result.text.count("mdmem:auto user") == 1
        assert result.text.endswith("- what I wrote\n")


def test_of_two_compiled_texts_the_newer_one_holds_whole() -> None:
    form = "---\nsource_digest: {0}\nsource: SOUL.md\ncompiled: 2026-02-{1}T10:00:00\n---\n# Soul\n\ntext {0}\n"
    base, ours, theirs = (form.format(*one).encode() for one in (("a", 10), ("b", 12), ("c", 11)))
    result = merge_file(GitMerge(base, ours, theirs, "compiled/soul.md"), ConflictMarks())
    assert result is not None
    assert result.text.encode() == ours
