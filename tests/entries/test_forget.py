"""Law 12: after `forget` the text is nowhere, and a tombstone without content knows it when it comes back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make, Traces

from mdmem.entries.tombstones import PATH, Tombstones
from mdmem.errors import TargetError, UnfinishedError, UnreadableFileError, UsageError
from mdmem.store import replace, transaction
from mdmem.store.root import Root
from mdmem.text.document import parse

SECRET = "老张的电话"
FILES = {
    "MEMORY.md": f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：{SECRET}在抽屉里\n- 2026-02-14：买菜\n",
    "archive/2026-01.md": f"# 归档\n\n- 2026-01-02：问过{SECRET} [why:: removed]\n",
    "sessions/20260213_103000_task1.md": f"# 会话\n\n## Request\n\n{SECRET}是多少？\n\n## Response\n\n不知道。\n",
    "artifacts/tool_1.txt": f"grep: {SECRET}\nother\n",
    "MEMORY.md~": f"- {SECRET}\n",
    "notes.csv": f"a,{SECRET}\n",
}


def test_what_is_forgotten_is_nowhere(make: Make, traces: Traces, tmp_path: Path) -> None:
    memory = make(files=FILES)
    memory.lint()  # fills the cache
    memory.edit("MEMORY.md", "抽屉里", "柜子里")  # fills the history
    memory.add("MEMORY.md", [f"2026-02-15：又提到{SECRET}"], section="笔记", reason=f"她说到{SECRET}")
    plan = memory.forget(SECRET, dry_run=True)
    assert plan.status == "planned"
    assert len(traces(SECRET)) > 8, "a dry run touches nothing"
    told = {(place.path, place.what) for place in plan.places}
    assert told >= {
        ("MEMORY.md", "entry"),
        ("archive/2026-01.md", "entry"),
        ("sessions/20260213_103000_task1.md", "words"),
        ("artifacts/tool_1.txt", "words"),
        ("MEMORY.md~", "copy"),
        ("", "version"),
        ("", "displaced"),
        ("", "line"),
    }
    done = memory.forget(SECRET)
    assert done.status == "done"
    assert done.elsewhere == ("notes.csv",)
    assert [Path(path).name for path in traces(SECRET)] == ["notes.csv"], "no memory of mine: named, and left alone"
    root = tmp_path / "workspace"
    assert root.joinpath("MEMORY.md").read_text("utf-8") == "# 🧠 记忆\n\n## 笔记\n\n- 2026-02-14：买菜\n"
    assert root.joinpath("artifacts/tool_1.txt").read_text("utf-8") == "grep: …\nother\n"
    assert memory.forget(SECRET).status == "unchanged"


@pytest.mark.parametrize("said", ["Zhang San", "ZHANG  SAN", "ｚhang\nsan"])
def test_capitals_width_and_spaces_hide_nothing(make: Make, said: str) -> None:
    memory = make(
        "en", files={"MEMORY.md": f"# Memory\n\n## Notes\n\n- 2026-02-13: met {said} there\n- 2026-02-14: b\n"}
    )
    memory.forget("zhang san")
    assert "met" not in memory.read("MEMORY.md").text


def test_an_entry_with_others_below_it_loses_the_words_only(make: Make) -> None:
    memory = make("en", files={"MEMORY.md": "# Memory\n\n## Notes\n\n- about Bob Ray\n  - likes tea\n"})
    memory.forget("Bob Ray")
    assert memory.read("MEMORY.md").text.endswith("- about …\n  - likes tea\n")


def test_a_tombstone_knows_the_text_and_tells_nobody(make: Make) -> None:
    memory = make(files={"MEMORY.md": FILES["MEMORY.md"]})
    memory.forget(SECRET)
    stone = Path(memory.root, PATH).read_text("utf-8")
    assert SECRET not in stone
    known = Tombstones(parse(stone.encode()))
    assert known.holds(SECRET)
    assert known.holds(f"2026-02-13：{SECRET}在抽屉里。")
    assert not known.holds("2026-02-14：买菜")
    other = Tombstones(None)
    assert not other.holds(SECRET)
    memory.forget("买菜")
    assert Path(memory.root, PATH).read_text("utf-8").startswith(stone), "one salt, lines are added"


def test_too_short_is_refused(make: Make) -> None:
    with pytest.raises(UsageError, match="太短"):
        make().forget(" 的 ")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_tombstones_are_clean_themselves(make: Make, lang: str) -> None:
    memory = make(lang, {"MEMORY.md": "# M\n\n## Notes\n\n- 2026-02-13: quetzal\n"})
    memory.forget("quetzal")
    assert memory.lint([PATH]).diagnostics == ()


@pytest.mark.parametrize("folder", ["private", ".mdmem/history/displaced"])
def test_a_folder_that_cannot_be_looked_into_is_named_and_the_rest_forgotten(
    make: Make, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    workspace = make("zh", {"notes.md": "- 秘密咖啡馆\n", "private/notes.md": "- 秘密咖啡馆\n"})
    workspace.add("notes.md", ["另一条"])
    (Path(workspace.root) / folder).mkdir(parents=True, exist_ok=True)
    scandir = os.scandir

    def blind(path: str) -> object:
        if path == os.path.join(workspace.root, folder):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", blind)
    done = workspace.forget("秘密咖啡馆")
    assert (done.status, [one.path for one in done.unread]) == ("partial", [folder])
    assert folder in done.hint
    assert "秘密咖啡馆" not in workspace.read("notes.md").text
    monkeypatch.undo()
    again = workspace.forget("秘密咖啡馆")
    assert (again.status, again.unread) == ("done", ())


def test_what_cannot_be_looked_into_is_named_without_a_path_of_the_host(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(*_: object) -> object:
        raise OSError(5, "Input/output error", "objects")  # as an open relative to a folder says it

    workspace = make("en", {"notes.md": "- the secret café\n"})
    monkeypatch.setattr("mdmem.entries.forget.service.traces", blind)
    assert [one.path for one in workspace.forget("the secret café", dry_run=True).unread] == [".mdmem"]


def test_a_word_is_not_forgotten_inside_longer_words(make: Make) -> None:
    lines = ["had lunch with Tom", "tomorrow I fly to Oslo", "bought tomatoes", "the bottom drawer"]
    lines += ["和Tom吃饭", "Tom's car"]
    body = "".join(f"- 2026-02-13: {line}\n" for line in lines)
    work = make("en", {"MEMORY.md": f"# 🧠 Memory\n\n## Notes\n\n{body}"})
    planned = work.forget("Tom", dry_run=True)
    assert [one.text for one in planned.places if one.what == "entry"] == [
        f"- 2026-02-13: {line}" for line in lines if line not in lines[1:4]
    ]
    done = work.forget("tom")
    assert not any(one.text for one in done.places), "what is gone is not told again"
    assert [line for line in lines if line in work.read("MEMORY.md").text] == lines[1:4]


def test_an_undo_that_forgetting_took_away_says_so(make: Make) -> None:
    files = {"MEMORY.md": "# Memory\n\n## Notes\n\n- the boat is called Osprey\n"}
    memory = make("en", files, settings="[store]\nredacted_versions = 1\n")
    touched = memory.add("MEMORY.md", ["the shed is locked"], section="Notes").transaction
    memory.forget("Osprey")
    memory.add("MEMORY.md", ["the key is with Ida"], section="Notes")
    assert memory.history.undo().status == "done", "what came later needs nothing that was forgotten"
    with pytest.raises(TargetError, match="is a forget") as forgetting:
        memory.history.undo()
    assert "mdmem log" in forgetting.value.hint
    assert touched
    with pytest.raises(TargetError, match="held what was forgotten on"):
        memory.history.undo(touched.id)


def test_a_change_beside_what_was_forgotten_can_still_be_taken_back(
    make: Make, traces: Callable[[str], list[str]]
) -> None:
    memory = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- the boat is called Osprey\n"})
    shed = memory.add("MEMORY.md", ["the shed is locked"], section="Notes").transaction
    memory.add("MEMORY.md", ["Osprey leaves on Monday"], section="Notes")
    gone = memory.remove("MEMORY.md", ["shed is locked"]).transaction
    assert shed
    assert gone
    memory.forget("Osprey")
    assert traces("Osprey") == []
    assert [one.name for one in memory.history.doctor() if one.state == "bad"] == []
    assert memory.history.undo(gone.id).status == "done"
    file = Path(memory.root, "MEMORY.md")
    assert file.read_text("utf-8") == "# Memory\n\n## Notes\n\n- 2026-02-20: the shed is locked\n"
    assert memory.history.undo(shed.id).status == "done"
    assert "shed" not in file.read_text("utf-8")
    assert traces("Osprey") == []
    with pytest.raises(TargetError, match="is a forget"):
        memory.history.undo(next(one.id for one in memory.history.log() if one.reason == "forget"))


@pytest.mark.parametrize("described", ["门的尺寸", f"{SECRET}在里面"], ids=["the file alone", "the record too"])
def test_the_record_of_an_attached_file_tells_its_new_size(make: Make, tmp_path: Path, described: str) -> None:
    memory = make(files={})
    given = tmp_path / "given"
    given.mkdir()
    (given / "gate.txt").write_text(f"{SECRET}\noak\n", "utf-8")
    memory.attach(str(given / "gate.txt"), description=described)
    memory.forget(SECRET)
    (record,) = memory.attachments.list()
    file = Path(memory.root, record.local_path)
    assert (SECRET in file.read_text("utf-8"), record.file_size) == (False, file.stat().st_size)
    assert [one.code for one in memory.lint().diagnostics] == []


def test_a_forgetting_that_is_written_but_not_synced_is_not_begun_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make(files=FILES)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(replace, "keep_displaced", refused)
    with pytest.raises(UnfinishedError, match="已经写入，但磁盘没能确认保存"):
        memory.forget(SECRET)
    assert SECRET not in memory.read("MEMORY.md").text
    monkeypatch.undo()
    memory.history.recover()
    assert memory.forget(SECRET).status == "done"


def test_a_forgetting_that_is_half_undone_is_not_begun_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file may be changed or not: it is not told as one that was passed over."""
    memory = make(files={"MEMORY.md": FILES["MEMORY.md"]})

    def refused(target: replace.Target, *_: object) -> None:
        if target.base is not None:
            raise PermissionError(13, "Permission denied")
        replace.publish(target, 0)

    monkeypatch.setattr(transaction, "publish", refused)
    monkeypatch.setattr(transaction, "discard", refused)
    monkeypatch.setattr(transaction, "withdraw", refused)
    monkeypatch.setattr(transaction, "_is_live", lambda *_: True)
    with pytest.raises(UnfinishedError, match="没能完全恢复"):
        memory.forget(SECRET)
    monkeypatch.undo()
    memory.history.recover()
    assert memory.forget(SECRET).status == "done"
    assert SECRET not in memory.read("MEMORY.md").text


def test_a_forgetting_beside_an_unreadable_journal_says_so(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make(files=FILES)

    def refused(_: Root, __: str) -> list[str]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Root, "names", refused)
    with pytest.raises(UnreadableFileError, match="journal: 读不了"):
        memory.forget(SECRET)
