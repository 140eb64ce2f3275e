"""A facts file that has reached the bound of a file goes on in a second one, and both are read as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

SETTINGS = "[lint]\nmax_bytes = 4000\n"
DAY = "2026-02-01"
MEMORY = "# Memory\n\n## Notes\n\n- the mill is old\n"


def full(subject: str, *lines: str, size: int = 3_900) -> str:
    head = f"# {subject}\n\n## Now\n\n" + "".join(f"- {line}\n" for line in lines)
    line = "- {day}: gauge {number} was read at dawn [predicate:: gauge {number}]\n"
    body, number = "", 0
    while len((head + body).encode()) < size:
        body, number = body + line.format(day=DAY, number=number), number + 1
    return f"{head}{body}\n## Before\n"


HOME = f"{DAY}: lives in Turin [predicate:: lives in] ^home1"


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"facts/riverlog.md": full("riverlog", HOME)}, settings=SETTINGS)


def stored(work: Workspace) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(Path(work.root, "facts").glob("*.md"))}


@pytest.mark.thorough
def test_a_new_fact_goes_to_the_second_file(work: Workspace) -> None:
    before = stored(work)["riverlog.md"]
    for number in range(60):
        assert work.facts.set("riverlog", f"weir {number}", f"weir {number} was mended").status == "done"
    files = stored(work)
    assert files["riverlog.md"] == before
    assert len(files) > 2
    assert all(len(text.encode()) <= 4_000 for text in files.values())
    assert "".join(files.values()).count("was mended") == 60
    assert [one.subject for one in work.facts.list()] == ["riverlog"]
    assert len({fact.text for fact in work.facts("riverlog") if "mended" in fact.text}) == 60


def test_a_value_of_the_full_file_is_replaced(work: Workspace) -> None:
    work.facts.set("riverlog", "lives in", "lives in Oslo")
    files = stored(work)
    assert "Turin" not in files["riverlog.md"]
    assert "superseded" in files["riverlog-2.md"].partition("Turin")[2].partition("\n")[0]
    assert [fact.text for fact in work.facts("riverlog", predicate="lives in")] == ["lives in Oslo"]
    assert [fact.text for fact in work.facts.history("riverlog", "lives in")] == ["lives in Turin", "lives in Oslo"]
    work.facts.set("riverlog", "lives in", "lives in Bergen")
    assert [fact.text for fact in work.facts("riverlog", predicate="lives in")] == ["lives in Bergen"]
    assert not [one for one in work.lint().diagnostics if one.code == "MM315"]


def test_what_the_full_file_says_is_confirmed_not_repeated(work: Workspace) -> None:
    work.facts.set("riverlog", "lives in", "lives in Turin", source="chat:20260202_101010_x#3")
    assert "".join(stored(work).values()).count("Turin") == 1


def test_an_undo_takes_both_files_back(work: Workspace) -> None:
    before = stored(work)
    work.facts.set("riverlog", "lives in", "lives in Oslo")
    work.history.undo()
    assert stored(work) == before


def test_both_files_are_searched_and_packed(work: Workspace) -> None:
    work.facts.set("riverlog", "weir", "the weir was mended by Anselm")
    (hit, *_) = work.search("weir mended Anselm")
    assert hit.path == "facts/riverlog-2.md"
    assert (work.facts("riverlog", predicate="gauge 3")[0].path) == "facts/riverlog.md"


def test_a_subject_with_a_number_in_its_name_is_another_one(make: Make) -> None:
    files = {"facts/riverlog.md": full("riverlog"), "facts/riverlog-2.md": "# riverlog-2\n\n## Now\n\n- a boat\n"}
    work = make("en", files, settings=SETTINGS)
    work.facts.set("riverlog", "weir", "the weir was mended")
    work.facts.set("riverlog-2", "mast", "the mast is of spruce")
    files = stored(work)
    assert "weir" in files["riverlog-3.md"]
    assert "mast" in files["riverlog-2.md"]
    assert {one.subject for one in work.facts.list()} == {"riverlog", "riverlog-2"}


def test_an_extraction_goes_on(make: Make) -> None:
    work = make("en", {"facts/user.md": full("user")}, settings=SETTINGS)
    session = work.sessions.start("talk", agent="claude")
    session.turn("user", "I live in Bergen, and my sister is called Ragna.")
    session.turn("assistant", "Noted.")
    session.end("We talked.")
    assert "Bergen" in "".join(stored(work).values())
    assert all(len(text.encode()) <= 4_000 for text in stored(work).values())


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_one_change_may_fill_several_files(make: Make, lang: str) -> None:
    from mdmem.entries.commit import ChangeRequest
    from mdmem.facts.model import NewFact
    from mdmem.facts.service import set_facts

    work = make(lang, {}, settings=SETTINGS)
    items = [NewFact("riverlog", f"水闸 {n}", f"第 {n} 号水闸修好了，钥匙在值班室") for n in range(90)]
    set_facts(ChangeRequest(work.config, "fact-set", "user", ""), items)
    assert len(work.facts("riverlog")) == 90
    assert len(stored(work)) > 2
    assert all(len(text.encode()) <= 4_000 for text in stored(work).values())


def test_a_file_that_is_too_large_already_blocks_nothing(make: Make) -> None:
    work = make("en", {"facts/user.md": full("user", size=4_200), "MEMORY.md": MEMORY}, settings=SETTINGS)
    assert work.facts.set("user", "lives in", "lives in Oslo").status == "done"
    assert work.facts.set("riverlog", "weir", "the weir was mended").status == "done"
    session = work.sessions.start("talk", agent="claude")
    session.turn("user", "My sister is called Ragna, and I work as a baker.")
    session.end("We talked.")
    assert "Ragna" in "".join(stored(work).values())
    assert "the mill is old" in work.pack("agent").text
    assert any(one.code == "MM115" for one in work.lint().diagnostics)
