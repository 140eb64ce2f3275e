"""The index equals the files: after any change, with concurrent writers, and after forgetting."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import unittest.mock
from collections.abc import Callable
from pathlib import Path

import pytest
from forms import many
from harness import holding
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mdmem.errors import MemoryOffError, WorkspaceNotFoundError
from mdmem.search.index.database import seal
from mdmem.search.index.refresh import file_record, file_stamp
from mdmem.search.question import parse_query
from mdmem.workspace import Workspace

PAIRS = [
    line.split("\t")
    for line in Path(__file__).with_name("pairs.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
QUESTIONS = (
    "简洁", "面试", "violin", "guitar", "sailing zebra", "walrus", "Ann", "2026-02-14", "打滚", "which one bought",
)  # fmt: skip


def answers(work: Workspace) -> list[list[tuple[object, ...]]]:
    """Return the results of an index for some questions, with their scores."""
    work.index.refresh()
    return [
        [
            (row.path, row.line, row.text, row.word_score, row.heading_score)
            for row in work.index.words.match(parse_query(one), 10)
        ]
        for one in QUESTIONS
    ]


def paths(work: Workspace, question: str, **given: object) -> list[str]:
    return [hit.path for hit in work.search(question, **given)]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Every memory of the pairs, in one file."""
    root = tmp_path_factory.mktemp("pairs")
    (root / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n" + "".join(f"- {said}\n" for said, _ in PAIRS), "utf-8")
    return Workspace(root, cache=False)


@pytest.mark.parametrize(("said", "questions"), PAIRS)
def test_a_memory_is_found_in_any_language(languages: Workspace, said: str, questions: str) -> None:
    for question in questions.split("|"):
        assert said in [hit.text for hit in languages.search(question, 5)], question


def test_all_kinds_of_text_are_found_with_their_place(work: Workspace) -> None:
    [hit] = work.search("简洁")
    assert (hit.path, hit.line, hit.text, hit.section) == (
        "MEMORY.md",
        5,
        "用户偏好简洁直接的回复风格 #风格",
        "偏好与习惯",
    )
    assert hit.key
    assert hit.why == ("简洁",)
    assert work.search("面试")[0].date == "2026-02-13"
    assert work.search("violin")[0].date == "2026-02-14"
    assert [paths(work, one) for one in ("sailing", "wisdom", "zebra")] == [["notes.md"]] * 3
    assert paths(work, "walruses") == ["artifacts/t1.md"]
    assert paths(work, "aardvark") == [], "of an artifact only the summary is indexed"


def test_a_long_artifact_is_found_by_its_summary(work: Workspace, root: Path) -> None:
    head = "---\ntool_name: shell\nsummary: nine narwhals\n---\n\n"
    (root / "artifacts" / "long.md").write_text(head + "noise\n" * 500_000, "utf-8")
    assert paths(work, "narwhal") == ["artifacts/long.md"]


def test_filters_hold(work: Workspace) -> None:
    assert paths(work, "sold a violin")[0] == "memory/2026-02-14.md"
    assert paths(work, "guitar", archive=True) == paths(work, "guitar", archive="only") == ["archive/2026-01.md"]
    assert paths(work, "简洁", archive="only") == []
    assert paths(work, "面试 violin", since="2026-02-14") == ["memory/2026-02-14.md"] * len(paths(work, "violin"))
    assert "memory/2026-02-14.md" not in paths(work, "面试 violin", until="2026-02-13")
    assert paths(work, "用户 violin", tags=["#风格"]) == ["MEMORY.md"]
    assert paths(work, "打滚", agent="cat") == []
    assert paths(work, "打滚", agent="rex") == ["agents/rex/FASTMEMO.md"]
    assert paths(work, "用户 violin", kinds=["memory"]) == ["MEMORY.md"]


def test_entries_below_a_heading_are_found_by_it_the_newest_first(work: Workspace, root: Path) -> None:
    for number in range(60):  # far more than are looked at where anything else answers
        text = f"# Kiln\n\n## Glazes\n\n- 2026-01-{1 + number % 28:02}: pot {number}\n"
        (root / f"kiln{number:02}.md").write_text(text, "utf-8")
    (root / "other.md").write_text("# Other\n\n- a glaze of ash\n", "utf-8")
    assert [hit.text for hit in work.search("glazes", 2)][:1] == ["a glaze of ash"]
    found = work.search("kiln", 6)
    assert [hit.date for hit in found] == [f"2026-01-{day}" for day in (28, 28, 27, 27, 26, 26)]
    assert {hit.section for hit in found} == {"Glazes"}
    assert paths(work, "kiln", until="2026-01-01") == ["kiln00.md", "kiln28.md", "kiln56.md"]


def test_quotes_and_minus_are_applied(work: Workspace) -> None:
    assert [hit.line for hit in work.search('"which one"')] == [6]
    assert all("Ann" not in hit.text for hit in work.search("violin one -Ann"))
    assert work.search("viol*")[0].text == "Ann: I bought a violin"
    assert work.search('"简洁的直接"') == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@example('"')
@example("* OR AND NOT -")
@example("\x00 \ud800 NEAR(a b, 2) {x y}: ^a col:term")
@given(st.text(max_size=40) | st.from_regex(r'[a-z"*()\-^:{}+ANDORT 简洁]{0,30}', fullmatch=True))
def test_no_question_is_an_error(work: Workspace, question: str) -> None:
    for hit in work.search(question):
        assert hit.line >= 1


# --- freshness --------------------------------------------------------------------------------------------------------


def test_a_change_is_seen_by_the_next_search(work: Workspace, root: Path) -> None:
    assert paths(work, "xylophone") == []
    work.add("MEMORY.md", ["learns the xylophone"], section="偏好与习惯")
    assert paths(work, "xylophone") == ["MEMORY.md"]
    (root / "new.md").write_text("- plays the bassoon\n", "utf-8")
    assert paths(work, "bassoon") == ["new.md"]
    (root / "new.md").rename(root / "other.md")
    assert paths(work, "bassoon") == ["other.md"]
    (root / "other.md").unlink()
    assert paths(work, "bassoon") == []


def test_a_change_in_the_same_tick_of_the_same_size_is_seen(work: Workspace, root: Path) -> None:
    place = root / "tick.md"
    for word in ("alpha", "bravo", "delta", "gamma", "omega") * 3:
        place.write_text(f"- {word}\n", "utf-8")
        assert paths(work, word) == ["tick.md"]


def test_a_file_that_had_not_rested_is_read_again(root: Path) -> None:
    found = (root / "notes.md").stat()
    size, modified, changed, inode = file_stamp(found)
    assert file_record(1, *file_stamp(found), changed + 10**9, b"").same(found) == bool(changed % 10**9)
    assert not file_record(1, *file_stamp(found), changed + 10**6, b"").same(found)
    assert not file_record(1, size, modified, changed, 1, changed + 10**9, b"").same(found)
    assert not file_record(1, size, modified, 1, inode, changed + 10**9, b"").same(found)


def test_a_change_behind_the_clocks_back_is_seen(work: Workspace, root: Path) -> None:
    place = root / "notes.md"
    time.sleep(0.15)
    assert paths(work, "sailing") == ["notes.md"]
    seen = place.stat()
    place.write_text(place.read_text("utf-8").replace("sailing", "skating"), "utf-8")
    os.utime(place, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert paths(work, "skating") == ["notes.md"]
    assert paths(work, "sailing") == []


@pytest.mark.slow
def test_a_refreshed_index_equals_a_new_one(work: Workspace, root: Path) -> None:
    dice = random.Random(3)
    words = ["violin", "面试", "sailing", "简洁", "zebra", "walrus", "Ann", "bought", "which"]
    for _ in range(12):
        path = root / f"n{dice.randrange(4)}.md"
        if dice.random() < 0.2:
            path.unlink(missing_ok=True)
        else:
            path.write_text(
                "".join(f"- {' '.join(dice.sample(words, 3))}\n" for _ in range(dice.randrange(6))), "utf-8"
            )
        kept = answers(work)
        assert work.index.check()
        shutil.copytree(root, root.with_name("copy"), ignore=shutil.ignore_patterns(".mdmem"))
        assert answers(Workspace(root.with_name("copy"))) == kept
        shutil.rmtree(root.with_name("copy"))


def test_what_is_no_memory_is_never_indexed(work: Workspace, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("- outside kangaroo\n", "utf-8")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "templates").mkdir()
    (root / "templates" / "x.md").write_text("- schema kangaroo\n", "utf-8")
    (root / ".mdmem").mkdir(exist_ok=True)
    (root / ".mdmem" / "y.md").write_text("- state kangaroo\n", "utf-8")
    os.mkfifo(root / "pipe.md")
    (root / "binary.md").write_bytes(b"\xff\xfe\x00kangaroos\n")
    (root / "bytes\udcff.md").write_text("- kangaroo\n", "utf-8")
    assert [path for path in paths(work, "kangaroo") if path != "binary.md"] == []


def test_hidden_text_is_neither_found_nor_shown(work: Workspace, root: Path) -> None:
    (root / "h.md").write_text(
        "- seen <!-- unseen --> text\n- zero\u200bwidth \U000e0041tag\n\n<!--\nunseen\n-->\n", "utf-8"
    )
    assert paths(work, "unseen") == []
    assert [hit.text for hit in work.search("seen text")] == ["seen  text"]
    assert [hit.text for hit in work.search("zerowidth")] == ["zerowidth tag"]


def test_nothing_is_indexed_or_answered_while_memory_is_off(work: Workspace, root: Path) -> None:
    assert paths(work, "简洁")
    (root / "mdmem.toml").write_text("[memory]\nenabled = false\n", "utf-8")
    off = Workspace(root)
    with pytest.raises(MemoryOffError):
        off.search("简洁")
    assert off.index.status().rows == 0


# --- what is done to the database -------------------------------------------------------------------------------------


def flip(place: Path, dice: random.Random) -> None:
    data = bytearray(place.read_bytes())
    for _ in range(dice.randint(1, 40)):
        data[dice.randrange(len(data))] ^= dice.randint(1, 255)
    place.write_bytes(data)


def truncate(place: Path, dice: random.Random) -> None:
    os.truncate(place, dice.randrange(place.stat().st_size))


def poison(place: Path, dice: random.Random) -> None:
    connection = sqlite3.connect(place)
    connection.execute(
        dice.choice(
            [
                "UPDATE rows SET line = line + 1, start = start + 2", "DELETE FROM rows WHERE id % 2",
                "UPDATE files SET path = 'MEMORY.md.x' WHERE id = 1", "UPDATE facts SET value = 1 WHERE name = 'live'",
                "INSERT INTO words(rowid, terms) VALUES (1, 'violin')", "DROP TABLE spots", "PRAGMA user_version = 9",
                "CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END",
            ]
        )
    )  # fmt: skip
    connection.commit()
    connection.close()


def age(place: Path, dice: random.Random) -> None:
    old = place.with_name("old")
    shutil.copy2(place, old)
    root = place.parent.parent
    (root / "aged.md").write_text(f"- violin {dice.random()}\n", "utf-8")
    Workspace(root).search("violin")
    os.replace(old, place)


def delete(place: Path, dice: random.Random) -> None:
    for path in dice.sample([place, place.with_suffix(".seal"), place.with_suffix(".lock")], dice.randint(1, 3)):
        path.unlink(missing_ok=True)


def empty(place: Path, dice: random.Random) -> None:
    place.write_bytes(b"" if dice.random() < 0.5 else b"SQLite format 3\x00" + bytes(200))


def replace(place: Path, dice: random.Random) -> None:
    place.unlink()
    if dice.random() < 0.5:
        place.symlink_to("/dev/null")
    else:
        place.mkdir()
        place.rmdir()


def journal(place: Path, dice: random.Random) -> None:
    place.with_name(place.name + dice.choice(["-journal", "-wal", ".new"])).write_bytes(dice.randbytes(500))


Damage = Callable[[Path, random.Random], None]
DAMAGES: list[Damage] = [flip, truncate, poison, age, delete, empty, replace, journal]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(many(3, 20)))
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_whatever_happens_to_the_index_answers_stay_the_same(root: Path, damage: Damage, seed: int) -> None:
    dice = random.Random(seed)
    work = Workspace(root)
    answers(work)
    place = root / ".mdmem" / "index.db"
    damage(place, dice)
    again = work if dice.random() < 0.5 else Workspace(root)
    said = answers(again)
    (root / ".mdmem" / "index.db").unlink()
    assert said == answers(Workspace(root))


def test_an_index_that_came_with_a_folder_is_not_opened(root: Path, tmp_path: Path) -> None:
    work = Workspace(root)
    answers(work)
    clone = tmp_path / "clone"
    shutil.copytree(root, clone)
    connection = sqlite3.connect(clone / ".mdmem" / "index.db")
    connection.execute("UPDATE rows SET line = 41")
    connection.commit()
    assert [row[1] for said in answers(Workspace(clone)) for row in said] == [
        row[1] for said in answers(work) for row in said
    ]


def test_an_index_that_was_made_by_another_version_is_built_anew(root: Path) -> None:
    work = Workspace(root)
    before = answers(work)
    seal(str(root / ".mdmem" / "index.db"), "another")
    fresh = Workspace(root)
    assert answers(fresh) == before
    assert fresh.index.rebuilt


def test_without_write_permission_the_index_is_elsewhere(root: Path, cache: Path) -> None:
    (root / ".mdmem").write_text("in the way", "utf-8")
    work = Workspace(root)
    assert paths(work, "violin") == ["memory/2026-02-14.md"] * len(paths(work, "violin")) != []
    assert work.index.status().place == "cache"
    assert Workspace(root).index.status().whole, "it is found there again"
    shutil.rmtree(cache)
    cache.write_text("in the way", "utf-8")
    nowhere = Workspace(root, cache=False)
    assert paths(nowhere, "violin")
    assert nowhere.index.status().place == "memory"
    (root / "more.md").write_text("- trombone\n", "utf-8")
    assert paths(nowhere, "trombone") == ["more.md"]


def test_a_workspace_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceNotFoundError):
        Workspace(tmp_path / "gone").search("zebra")
    assert not (tmp_path / "gone").exists()


def test_a_search_writes_nothing_that_a_person_sees(work: Workspace, root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*.md")}
    answers(work)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.md")} == before


# --- forgetting and others at work ------------------------------------------------------------------------------------


def test_forgotten_text_is_gone_from_the_index_and_its_bytes(work: Workspace, root: Path, cache: Path) -> None:
    work.add("MEMORY.md", ["the codeword is quetzalcoatl"], section="偏好与习惯")
    other = Workspace(root)
    assert paths(work, "quetzalcoatl") == paths(other, "quetzalcoatl") == ["MEMORY.md"]
    work.forget("quetzalcoatl")
    assert holding(root, "quetzal") == []
    assert paths(other, "quetzalcoatl") == paths(work, "quetzalcoatl") == []
    assert holding(root, "quetzal") == holding(cache, "quetzal") == []


def test_what_left_its_file_before_leaves_the_index_too(work: Workspace, root: Path) -> None:
    place = root / "gone.md"
    place.write_text("- quetzalcoatl\n", "utf-8")
    assert paths(work, "quetzalcoatl") == ["gone.md"]
    place.unlink()
    work.forget("quetzalcoatl")
    assert holding(root / ".mdmem", "quetzal") == []


AT_WORK = """
import random, sys
from pathlib import Path
from mdmem.workspace import Workspace
root, me = Path(sys.argv[1]), sys.argv[2]
for number in range(int(sys.argv[3])):
    (root / f"by{me}.md").write_text("".join(f"- word{me}x{i} piccolo\\n" for i in range(number + 1)), "utf-8")
    found = Workspace(root).search(f"word{me}x{number}", 3)
    assert [hit.path for hit in found][:1] == [f"by{me}.md"], (me, number, found)
    assert Workspace(root).search("violin"), "others' writing hides nothing"
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_several_processes_search_and_write_at_once(root: Path) -> None:
    command = [sys.executable, "-c", AT_WORK, str(root)]
    running = [
        subprocess.Popen([*command, str(me), str(many(4, 12))], stderr=subprocess.PIPE, text=True) for me in range(4)
    ]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert Workspace(root).index.check()


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_evidence_is_found_at_once_and_its_old_months_are_not_looked_into(work: Workspace, root: Path) -> None:
    kept = work.artifacts.put(b"quetzal one\n", tool="shell")
    assert kept.path in paths(work, "quetzal")
    with unittest.mock.patch("mdmem.search.index.indexed_files.is_unchanged", return_value=True):
        assert kept.path in paths(work, "quetzal")
    with unittest.mock.patch("os.lstat", side_effect=os.lstat) as looked:
        assert kept.path in paths(work, "quetzal")
    assert not any(str(call.args[0]).endswith(kept.path) for call in looked.call_args_list)
    other = work.artifacts.put(b"quetzal two\n", tool="shell")
    assert {kept.path, other.path} <= set(paths(work, "quetzal"))
    (root / kept.path).unlink()
    found = paths(work, "quetzal")
    assert other.path in found
    assert kept.path not in found


def test_a_month_that_leads_outside_is_not_looked_into(work: Workspace, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "20260101-000000-abcd.md").write_text("---\ntool_id: a\nsummary: quetzal\n---\nx\n", "utf-8")
    (root / "artifacts").mkdir(exist_ok=True)
    (root / "artifacts" / "2026-01").symlink_to(outside)
    assert paths(work, "quetzal") == []
