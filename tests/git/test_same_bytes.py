"""Two machines that merge the same pair of versions write the same bytes, whoever merges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from forms import many
from hypothesis import given, settings
from hypothesis import strategies as st

from git.machines import Machines, files_of, git
from git.test_merged_entries import Side, meetings, merged
from mdmem import Workspace
from mdmem.git.incoming import FileSides, merge_sides

FACT = "- {day}: {words} [predicate:: {name}] [type:: fact] [confidence:: 0.{sure}] [source:: said] ^{id}\n"
PROPERTIES = ("employer", "city", "editor")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("same")
    (root / "mdmem.toml").write_text('lang = "en"\n')
    return Workspace(root)


def both_ways(work: Workspace, path: str, base: str, ours: str, theirs: str) -> tuple[str, ...]:
    """Return what each of two machines makes of a file; compare what collided."""
    texts, found = [], []
    for own, other in ((ours, theirs), (theirs, ours)):
        data, collisions = merge_sides(work.config, path, FileSides(base.encode(), own.encode(), other.encode()))
        assert data is not None
        texts.append(data.decode())
        found.append([(one.ours, one.theirs) for one in collisions])
    assert sorted(found[0]) == sorted((other, own) for own, other in found[1])
    return (texts[0],) if found[0] else tuple(texts)


def as_list(side: Side) -> str:
    return side.text()


def as_generated(side: Side) -> str:
    """Return a side whose second section is a generated block."""
    head, _, rest = side.text().partition("## Notes\n\n")
    block, gap, tail = rest.partition("\n## ")
    return f"{head}## Notes\n\n<!-- mdmem:auto user -->\n{block.rstrip()}\n<!-- /mdmem:auto -->\n{gap}{tail}"


@pytest.mark.parametrize("form", [as_list, as_generated])
@given(three=meetings())
def test_entries_that_were_added_moved_ticked_and_edited(
    work: Workspace, form: Callable[[Side], str], three: tuple[Side, Side, Side]
) -> None:
    base, ours, theirs = map(form, three)
    texts = both_ways(work, "MEMORY.md", base, ours, theirs)
    assert len(set(texts)) == 1
    if len(texts) > 1 and ours != theirs:
        assert texts[0] == merged(base, ours, theirs).text  # as the merge driver does


@st.composite
def fact_files(draw: st.DrawFn) -> tuple[str, str, str]:
    """Return a facts file, and two in which properties have new values, old ones are surer or are gone."""
    base = {name: FACT.format(day="2026-02-01", words=f"{name} is old", name=name, sure=7, id=f"f{at}")
            for at, name in enumerate(PROPERTIES) if draw(st.booleans())}  # fmt: skip
    sides = []
    for who in "ab":
        side = dict(base)
        for at, name in enumerate(PROPERTIES):
            match draw(st.sampled_from(["", "new", "surer", "gone"])):
                case "new":
                    day = f"2026-02-{draw(st.integers(2, 28)):02}"
                    words = f"{name} is {who}"
                    new = FACT.format(day=day, words=words, name=name, sure=7, id=f"{who}{at}")
                    ended = side.get(name, "").replace(" ^", f" [superseded:: {day}] [superseded_by:: {who}{at}] ^")
                    side[name] = new + ended
                case "surer" if name in side:
                    side[name] = side[name].replace("0.7", f"0.{draw(st.integers(8, 9))}")
                case "gone":
                    side.pop(name, None)
        sides.append("# User\n\n## Now\n\n" + "".join(side.values()))
    return "# User\n\n## Now\n\n" + "".join(base.values()), sides[0], sides[1]


@given(three=fact_files())
@settings(max_examples=many(25, 300))
def test_facts(work: Workspace, three: tuple[str, str, str]) -> None:
    assert len(set(both_ways(work, "facts/user.md", *three))) == 1


def test_files_that_are_no_text(work: Workspace) -> None:
    one, other = b"\0one", b"\0other"
    ways = [merge_sides(work.config, "photo.jpg", FileSides(b"\0", *pair)) for pair in ((one, other), (other, one))]
    assert ways[0] == ways[1]


@pytest.mark.slow
def test_two_machines_that_sync_with_each_other(tmp_path: Path) -> None:
    two = Machines(tmp_path)
    for name, change in (("a", "z from a"), ("b", "a from b")):
        work = two.work(name)
        work.add("MEMORY.md", f"2026-02-02: {change}", section="Notes")
        work.add("MEMORY.md", f"2026-02-0{3 + (name == 'a')}: second of {name}", section="Notes")
        work.facts.set("user", "city", f"lives in {change}", at=f"2026-02-0{2 + (name == 'a')}")
    two.work("a").tick("MEMORY.md", "owl")
    for name in "ab":
        two.work(name).sync(push=False)
    two.copy("a", "first")
    for name, other in (("a", "b"), ("b", "first")):
        git(two.root(name), "remote", "set-url", "origin", (two.folder / other).as_uri())
        two.work(name).sync(push=False)
    assert files_of(two.root("a")) == files_of(two.root("b"))
