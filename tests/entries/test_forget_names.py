"""After `forget` no name of a file holds the text: no session's, no line of the log, no id that cites the session."""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Make

from mdmem.entries.forget.struck_names import StruckNames
from mdmem.workspace import Workspace

CASES = [
    ("en", "Velmora Castle", "Book the tour of Velmora Castle for Sunday", "We tour Velmora Castle on Sunday.",
     "I live in Tartu.", "tour"),
    ("zh", "栖霞公寓", "退掉栖霞公寓的押金", "我周日去栖霞公寓退押金。", "我住在嘉兴。", "押金"),
]  # fmt: skip


def remains(tmp_path: Path, word: str) -> list[str]:
    """Name every file that is called by the text, or holds it in any of the forms in which files store text."""
    forms = {word, word.casefold(), word.replace(" ", "_"), word.casefold().replace(" ", "_")}
    found = []
    for path in tmp_path.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        with suppress(zlib.error):
            data += zlib.decompress(data)
        escaped = [ascii(form)[1:-1].encode() for form in forms]
        coded = [form.encode(code) for form in forms for code in ("utf-8", "utf-16-le")] + escaped
        if any(form in path.name.casefold() for form in forms) or any(one in data for one in coded):
            found.append(str(path))
    return found


def told(make: Make, lang: str, task: str, said: str, other: str) -> Workspace:
    """Tell two things in a session with this task, search for them, and change a file with a reason."""
    workspace = make(lang)
    with workspace.sessions.start(task) as session:
        for text in (said, other):
            session.turn("user", text)
            session.turn("assistant", "ok")
    workspace.add("MEMORY.md", [said], reason=f"because: {said}")
    workspace.search(task)
    workspace.lint()
    return workspace


@pytest.mark.parametrize(("lang", "word", "task", "said", "other", "kept"), CASES)
def test_no_byte_and_no_name_of_the_folder_holds_it(
    make: Make, tmp_path: Path, lang: str, word: str, task: str, said: str, other: str, kept: str
) -> None:
    workspace = told(make, lang, task, said, other)
    assert len(remains(tmp_path, word)) > 3
    plan = workspace.forget(word, dry_run=True)
    assert [place.what for place in plan.places].count("name") == 1
    done = workspace.forget(word)
    assert (done.status, done.elsewhere) == ("done", ())
    assert remains(tmp_path, word) == []
    (session,) = Path(workspace.root, "sessions").iterdir()
    assert kept in session.name, "only the text goes, not the rest of the name"
    assert workspace.forget(word).status == "unchanged"
    assert not [one for one in workspace.lint().diagnostics if one.severity == "error"]


@pytest.mark.parametrize(("lang", "word", "task", "said", "other", "kept"), CASES)
def test_what_else_the_session_told_is_kept_and_cites_the_new_name(
    make: Make, lang: str, word: str, task: str, said: str, other: str, kept: str
) -> None:
    workspace = told(make, lang, task, said, other)
    (before,) = [fact for fact in workspace.facts() if fact.predicate in ("lives_in", "住址")]
    workspace.forget(word)
    (after,) = [fact for fact in workspace.facts() if fact.predicate in ("lives_in", "住址")]
    (session,) = Path(workspace.root, "sessions").iterdir()
    assert after.text == before.text
    assert after.source == f"chat:{session.stem}#2"


def test_a_session_goes_on_when_its_name_was_changed(make: Make) -> None:
    workspace = make("en")
    session = workspace.sessions.start("Paint the Velmora gate")
    session.turn("user", "The Velmora gate is green.")
    workspace.forget("Velmora")
    told = session.turn("user", "The fence is white.")
    assert told.path == session.path != ""
    session.end()
    assert "The fence is white." in workspace.read(session.path).text


def test_a_file_of_facts_about_it_gets_another_name_and_those_of_the_person_keep_theirs(
    make: Make, tmp_path: Path
) -> None:
    workspace = make("en")
    workspace.facts.set("Velmora", "gate", "the gate is green")
    workspace.facts.set("user", "gate", "the gate is wooden")
    workspace.forget("Velmora")
    assert remains(tmp_path / "workspace", "velmora") == []
    assert len(list(Path(workspace.root, "facts").iterdir())) == 2
    workspace.forget("user")
    assert Path(workspace.root, "facts/user.md").exists()


@pytest.mark.parametrize(
    ("words", "path", "cut_off", "new"),
    [
        ("Velmora Castle", "see_velmora_castle_soon", False, "see_soon"),
        ("Velmora Castle", "velmora_castle", False, "forgotten"),
        ("Velmora Castle", "see_velmora_cas", True, "see"),
        ("Velmora", "velmoran", False, "velmoran"),
        ("栖霞公寓", "退掉栖霞公寓的押金", False, "退掉_的押金"),
        ("2026", "see", False, "see"),
    ],
)
def test_a_name_loses_the_text_only(make: Make, words: str, path: str, cut_off: bool, new: str) -> None:
    names = StruckNames(words, make("en").config.schemas, lambda _: False)
    before, after = (f"sessions/20260213_103000_{one}.md" for one in (path, new))
    assert names.rename(before, cut_off=cut_off) == (after != before)
    assert names(before) == after


def test_names_that_are_needed_stay(make: Make) -> None:
    workspace = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-13: the memory of the summer\n"})
    workspace.add("MEMORY.md", ["2026-02-14: tea"], section="Notes")
    workspace.forget("memory")
    assert "tea" in workspace.read("MEMORY.md").text
    assert {file.path for one in workspace.history.log() for file in one.files} >= {"MEMORY.md"}


def test_an_attachment_that_goes_leaves_its_name_nowhere(make: Make, tmp_path: Path) -> None:
    workspace = make("en")
    given = tmp_path / "given"
    given.mkdir()
    for name in ("velmora photo.txt", "oak.txt"):
        (given / name).write_text(f"x {name[0]}")
        workspace.attach(str(given / name), description="a photo")
    (given / "velmora photo.txt").unlink()
    stays = workspace.forget("velmora")
    assert "these attachments stay" in stays.hint
    assert remains(tmp_path, "velmora")
    done = workspace.forget("velmora", files=True)
    assert (done.status, done.elsewhere) == ("done", ())
    assert {(one.what, bool(one.path)) for one in done.places} >= {("attached", True), ("line", False)}
    assert remains(tmp_path, "velmora") == []
    assert workspace.forget("velmora").status == "unchanged"
    logged = {file.path for one in workspace.history.log() for file in one.files}
    (record,) = workspace.attachments.list()
    assert record.path in logged, "the names of records that are there lead to them"


def test_an_attachment_that_a_person_removed_leaves_its_name_in_no_line_of_the_log(make: Make, tmp_path: Path) -> None:
    workspace = make("en")
    (tmp_path / "velmora photo.txt").write_text("x")
    workspace.attach(str(tmp_path / "velmora photo.txt"), description="a photo")
    (tmp_path / "velmora photo.txt").unlink()
    for one in Path(workspace.root, "attachments").iterdir():
        one.unlink()
    workspace.forget("velmora")
    assert remains(tmp_path, "velmora") == []
