"""The laws of an import: counts that add up, nothing twice, nothing forgotten back, nothing at the source changed."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from forms import each

from mdmem import RefusedError, TargetError, UnreadableFileError, UsageError, Workspace
from mdmem.cli.app import main
from mdmem.importers.model import ImportReport
from mdmem.text.document import parse

from .samples import MEMORIES, SAMPLES, memory, openakita_database, openakita_v1, put

EACH = pytest.mark.parametrize("name", SAMPLES)


def contents(folder: Path, *without: str) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".mdmem", *without} & set(path.relative_to(folder).parts)
    }


def adds_up(report: ImportReport) -> bool:
    return report.read == report.written + report.duplicate + report.skipped + report.refused


@EACH
def test_each_system_is_recognized_and_its_numbers_add_up(name: str, workspace: Workspace, source: Path) -> None:
    sample = SAMPLES[name]
    place = sample.make(source)
    before = contents(source)
    report = workspace.import_from(place)
    assert (report.system, report.written, report.refused) == (sample.system, sample.written, 0), report.items
    assert adds_up(report)
    assert sum(report.kinds.values()) == report.written
    for path, text in sample.files.items():
        assert text in (Path(workspace.root) / path).read_text("utf-8")
    assert contents(source) == before
    assert not [one for one in workspace.lint().diagnostics if one.severity == "error"]


@EACH
def test_a_second_import_writes_nothing(name: str, workspace: Workspace, source: Path) -> None:
    place = SAMPLES[name].make(source)
    workspace.import_from(place)
    before = contents(Path(workspace.root))
    again = workspace.import_from(place)
    assert (again.status, again.written) == ("unchanged", 0)
    assert adds_up(again)
    assert contents(Path(workspace.root)) == before


@pytest.mark.parametrize(("lang", "section"), [("en", "Imports"), ("zh", "导入")])
def test_its_line_stands_below_the_heading_of_imports(tmp_path: Path, lang: str, section: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/cat.md").write_text("# Cat\n\n- the cat is called Miso\n", "utf-8")
    work = Workspace(tmp_path / "mem", lang=lang)
    work.init()
    work.import_from(tmp_path / "notes", system="obsidian")
    document = parse((tmp_path / "mem/archive/imports.md").read_bytes())
    assert next(one.title for one in document.sections if one.entries) == section


def ledger(workspace: Workspace, section: str) -> list[str]:
    document = parse((Path(workspace.root) / "archive/imports.md").read_bytes())
    return [entry.text for one in document.sections if one.title == section for entry in one.entries]


@EACH
def test_each_import_that_brings_something_has_a_line_in_the_list_of_imports(
    name: str, workspace: Workspace, source: Path
) -> None:
    place = SAMPLES[name].make(source)
    report = workspace.import_from(place)
    workspace.import_from(place)
    lines = ledger(workspace, "导入")
    assert len(lines) == 1
    assert lines[0].endswith(report.message)
    assert all("[origin:: " in line for line in ledger(workspace, "来源"))
    assert "archive/imports.md" not in {hit.path for hit in workspace.search("origin", limit=99, archive=True)}


def test_an_undo_after_an_import_takes_back_what_it_brought_not_its_line(workspace: Workspace, source: Path) -> None:
    workspace.import_from(openakita_v1(source))
    before, line = contents(Path(workspace.root)), ledger(workspace, "导入")
    undone = workspace.history.undo()
    after = contents(Path(workspace.root))
    assert undone.status == "done"
    assert {path for path in before if after.get(path, (b"",))[0] != before[path][0]} - {"archive/imports.md"}
    assert ledger(workspace, "导入") == line


@EACH
def test_a_plan_writes_nothing_and_counts_the_same(name: str, workspace: Workspace, source: Path) -> None:
    place = SAMPLES[name].make(source)
    before = contents(Path(workspace.root))
    plan = workspace.import_from(place, dry_run=True)
    assert contents(Path(workspace.root)) == before
    assert plan.status == "planned"
    done = workspace.import_from(place)
    assert (plan.read, plan.written, plan.duplicate, plan.refused) == (
        done.read,
        done.written,
        done.duplicate,
        done.refused,
    )


@EACH
def test_a_zip_is_read_as_its_folder(name: str, workspace: Workspace, source: Path, tmp_path: Path) -> None:
    SAMPLES[name].make(source)
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(source.rglob("*")):
            archive.write(path, path.relative_to(source))
    report = workspace.import_from(packed)
    assert (report.system, report.written) == (SAMPLES[name].system, SAMPLES[name].written)


def test_fields_and_dates_are_kept(workspace: Workspace, source: Path) -> None:
    workspace.import_from(openakita_v1(source))
    (rule,) = [one for one in workspace.facts() if one.type == "rule"]
    assert (rule.date, rule.priority, rule.importance) == ("2026-01-05", "permanent", 0.6)


def test_what_was_superseded_is_older_and_what_has_expired_is_archived(workspace: Workspace, source: Path) -> None:
    workspace.import_from(SAMPLES["openakita v2"].make(source))
    facts = {one.text: one.live for one in workspace.facts(before=True)}
    assert facts == {"宁波的港口很大": True, "宁波只有一个港口": False}
    (archived,) = Path(workspace.root).glob("archive/20*.md")
    assert "码头今天停电 [why:: expired]" in archived.read_text("utf-8")


def test_fastmemo_keeps_ten_and_archives_the_rest(workspace: Workspace, source: Path) -> None:
    workspace.import_from(SAMPLES["fastmemo v1"].make(source))
    kept = (Path(workspace.root) / "FASTMEMO.md").read_text("utf-8")
    (archived,) = Path(workspace.root).glob("archive/20*.md")
    gone = archived.read_text("utf-8")
    assert kept.count("天的记录") == 10
    assert "第 12 天" in kept
    assert "第 1 天" in gone
    assert "旧的临时信息 [why:: retired]" in gone


def test_only_the_branch_that_was_shown_is_imported(workspace: Workspace, source: Path) -> None:
    workspace.import_from(SAMPLES["chatgpt"].make(source))
    (path,) = Path(workspace.root).glob("sessions/*.md")
    text = path.read_text("utf-8")
    assert "Cut a scion" in text
    assert "A first answer" not in text


def test_json_and_database_of_one_memory_are_one(workspace: Workspace, source: Path) -> None:
    openakita_database(source)
    put(source, "memories.json", json.dumps([memory("cc01", "用户在学木工", type="preference")]))
    report = workspace.import_from(source)
    assert sum("木工" in one.text for one in workspace.facts()) == 1
    assert report.duplicate == 1


def test_a_database_with_a_log_is_read_from_a_copy(workspace: Workspace, source: Path) -> None:
    openakita_database(source)
    with closing(sqlite3.connect(source / "openakita.db")) as base:
        base.execute("pragma journal_mode=wal")
        base.execute(
            "insert into memories (id, content, type, created_at) values ('w1', '写在日志里', 'fact', '2026-01-01')"
        )
        base.commit()
        before = contents(source)
        report = workspace.import_from(source)
        assert contents(source) == before
    assert report.refused == 0
    assert any(one.text == "写在日志里" for one in workspace.facts())


def test_a_secret_is_counted_in_the_plan_and_never_written(workspace: Workspace, source: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    place = put(source, "memories.json", json.dumps([*MEMORIES, memory("s1", f"口令是 {secret}")]))
    plan = workspace.import_from(place, dry_run=True)
    assert (plan.masked, plan.refused) == (1, 1)
    assert secret not in repr(plan)
    report = workspace.import_from(place)
    assert (report.written, report.refused) == (3, 1)
    assert not any(secret.encode() in data for data, _ in contents(Path(workspace.root)).values())


def test_a_value_whose_predicate_names_a_password_is_kept_out(workspace: Workspace, source: Path) -> None:
    """The other statements of the source are written all the same."""
    secret = memory("s1", "Kz8-river-77") | {"subject": "用户", "predicate": "wifi_password"}
    place = put(source, "memories.json", json.dumps([*MEMORIES, secret]))
    assert workspace.import_from(place, dry_run=True).masked == 1
    report = workspace.import_from(place)
    assert (report.written, report.refused, report.masked) == (3, 1, 1)
    assert not any(b"Kz8-river-77" in data for data, _ in contents(Path(workspace.root)).values())


def test_a_secret_in_a_conversation_is_masked(workspace: Workspace, source: Path) -> None:
    secret = "ghp_" + "z9Y8" * 9
    said = [{"sender": "human", "text": f"my token is {secret}", "created_at": "2026-01-05T10:00:00Z"}]
    place = put(source, "c.json", json.dumps([{"uuid": "8", "name": "x", "chat_messages": said}]))
    assert workspace.import_from(place, dry_run=True).masked == 1
    report = workspace.import_from(place)
    assert (report.written, report.masked) == (1, 1)
    assert not any(secret.encode() in data for data, _ in contents(Path(workspace.root)).values())


@pytest.mark.parametrize(
    ("title", "said", "masked"), [("x", "tea\x00 and\x1b[31m rye", 0), ("my token ghp_" + "z9Y8" * 9, "hi", 1)]
)
def test_only_secrets_count_as_secrets(workspace: Workspace, source: Path, title: str, said: str, masked: int) -> None:
    turn = {"sender": "human", "text": said, "created_at": "2026-01-05T10:00:00Z"}
    place = put(source, "c.json", json.dumps([{"uuid": "8", "name": title, "chat_messages": [turn]}]))
    report = workspace.import_from(place)
    assert (report.written, report.masked) == (1, masked)


def test_what_was_forgotten_stays_away(workspace: Workspace, source: Path) -> None:
    place = openakita_v1(source)
    workspace.import_from(place)
    workspace.forget("用户住在宁波")
    report = workspace.import_from(place)
    assert (report.written, report.refused) == (0, 1)
    assert not any("宁波" in one.text for one in workspace.facts(before=True))


def test_what_was_removed_stays_away(workspace: Workspace, source: Path) -> None:
    place = openakita_v1(source)
    workspace.import_from(place)
    workspace.remove("facts/用户.md", ["用户住在宁波"])
    assert workspace.import_from(place).written == 0


def test_a_wrong_row_is_told_with_its_place_and_the_others_are_written(workspace: Workspace, source: Path) -> None:
    rows = [memory("x1", "好的一行"), memory("x2", "坏的一行", importance_score="high"), 7, memory("x3", "")]
    report = workspace.import_from(put(source, "memories.json", json.dumps(rows, indent=0)))
    assert (report.read, report.written, report.skipped, report.refused) == (4, 1, 1, 2)
    assert all(one.place.startswith("memories.json:") and one.reason for one in report.items)


def test_broken_json_is_told_with_its_line(workspace: Workspace, source: Path) -> None:
    whole = json.dumps(MEMORIES, ensure_ascii=False, indent=1)
    report = workspace.import_from(put(source, "memories.json", whole[: whole.index("aa03")]))
    assert (report.written, report.refused) == (2, 1)
    line = whole[: whole.index("aa03")].count("\n") + 1
    assert int(report.items[0].place.rpartition(":")[2]) <= line
    assert adds_up(report)


@pytest.mark.parametrize("text", ['[{"title":', "{", '[{"mapping": {}, "create_time": 1' + "0" * 5000 + "}]"])
def test_json_that_is_broken_from_its_beginning_is_no_success(workspace: Workspace, source: Path, text: str) -> None:
    with pytest.raises(UsageError):
        workspace.import_from(put(source, "conversations.json", text), system="chatgpt")


def test_raw_control_characters_in_json_are_read(workspace: Workspace, source: Path) -> None:
    text = json.dumps([memory("k1", "one\ntwo")]).replace("\\n", "\n")
    assert workspace.import_from(put(source, "memories.json", text)).written == 1


def test_an_unknown_schema_and_a_broken_database_are_told(workspace: Workspace, source: Path) -> None:
    openakita_database(source, 99)
    assert workspace.import_from(source).refused == 1
    (source / "openakita.db").write_bytes(b"SQLite format 3\0" + b"\x07" * 4000)
    report = workspace.import_from(source)
    assert (report.written, report.refused) == (0, 1)


def _zip(place: Path, members: dict[str, bytes], *, link: bool = False) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if link:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, data)
    return place


@pytest.mark.parametrize("name", ["../out.json", "/etc/x.json", "a/../../x.json", "a\\..\\x.json", "C:/x.json"])
def test_a_zip_that_leaves_its_folder_is_refused(name: str, workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        workspace.import_from(_zip(tmp_path / "z.zip", {name: b"[]"}))


def test_links_bombs_and_double_names_in_a_zip_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        workspace.import_from(_zip(tmp_path / "link.zip", {"memories.json": b"/etc/passwd"}, link=True))
    with pytest.raises(RefusedError):
        workspace.import_from(_zip(tmp_path / "bomb.zip", {"memories.json": bytes(30_000_000)}))
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("memories.json", "[]")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("memories.json", "[]")
    with pytest.raises(RefusedError):
        workspace.import_from(tmp_path / "two.zip")


def test_a_zip_in_a_zip_is_told_and_not_opened(workspace: Workspace, tmp_path: Path) -> None:
    data = json.dumps(MEMORIES).encode()
    report = workspace.import_from(_zip(tmp_path / "z.zip", {"memories.json": data, "inner.zip": b"PK"}))
    assert (report.written, report.skipped) == (3, 1)


def test_a_cut_zip_is_told(workspace: Workspace, tmp_path: Path) -> None:
    whole = _zip(tmp_path / "z.zip", {"memories.json": b"[]"}).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:-10])
    with pytest.raises(UnreadableFileError):
        workspace.import_from(tmp_path / "cut.zip")


def test_links_in_a_folder_are_not_followed(workspace: Workspace, source: Path, tmp_path: Path) -> None:
    openakita_v1(source)
    (tmp_path / "secret.json").write_text(json.dumps([memory("l1", "不该读到")]))
    (source / "more.json").symlink_to(tmp_path / "secret.json")
    report = workspace.import_from(source)
    assert (report.written, report.skipped) == (3, 1)


def test_wrong_names_are_told(workspace: Workspace, source: Path) -> None:
    with pytest.raises(TargetError):
        workspace.import_from(source / "nothing")
    with pytest.raises(UsageError, match="fresco"):
        workspace.import_from(source, system="fresco")
    put(source, "shopping.csv", "a,b\n")
    with pytest.raises(UsageError):
        workspace.import_from(source)


def test_proposals_go_where_the_caller_says(workspace: Workspace, source: Path) -> None:
    place = SAMPLES["mem0"].make(source)
    assert workspace.import_from(place, to="facts").waiting == 0
    assert any("cycling" in one.text for one in workspace.facts())


def test_the_command_tells_the_numbers(workspace: Workspace, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = openakita_v1(source)
    assert main(["import", str(place), "--root", workspace.root, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["read"], told["written"], told["status"]) == (3, 3, "done")


def test_former_tool_names_work_and_are_not_offered(workspace: Workspace) -> None:
    assert (
        workspace.call("add_memory", {"content": "用户会拉二胡", "type": "SKILL", "importance": 0.8})["status"]
        == "done"
    )
    assert "二胡" in workspace.call("search_memory", {"query": "二胡", "type": "skill"})["text"]
    assert "text" not in workspace.call("search_memory", {"query": "二胡", "type": "rule"})
    assert "1" in workspace.call("get_memory_stats", {})["message"]
    assert workspace.call("add_memory", {"content": "x", "importance": "high"})["status"] == "error"
    assert not {"add_memory", "search_memory", "get_memory_stats"} & {one["name"] for one in workspace.tools()}


def test_a_database_that_another_program_has_locked_is_read_from_a_copy(workspace: Workspace, source: Path) -> None:
    place = openakita_database(source)
    with closing(sqlite3.connect(place / "openakita.db")) as other:
        other.execute("begin exclusive")
        assert workspace.import_from(place).written == 2


@pytest.mark.parametrize(
    ("data", "written"),
    [
        (b"\xef\xbb\xbf" + json.dumps(MEMORIES).encode(), 3),
        (json.dumps(MEMORIES).replace(", ", ",\r\n").encode(), 3),
        (json.dumps(MEMORIES).encode("utf-16"), 3),
        (b"", 0),
    ],
    ids=["byte order mark", "CRLF", "UTF-16", "empty"],
)
def test_a_file_in_another_coding_is_read_or_told(
    workspace: Workspace, source: Path, data: bytes, written: int
) -> None:
    (source / "memories.json").write_bytes(data)
    report = workspace.import_from(source, system="openakita")
    assert (report.written, report.refused) == (written, int(not written))
    assert adds_up(report)


def test_a_number_that_is_none_keeps_its_record_out_alone(workspace: Workspace, source: Path) -> None:
    rows = [memory("h1", "用户喜欢茶", importance_score="high"), memory("h2", "用户住在杭州")]
    put(source, "memories.json", json.dumps(rows))
    report = workspace.import_from(source)
    assert (report.written, [one.reason for one in report.items if "high" in one.reason]) == (
        1, [report.items[0].reason],
    )  # fmt: skip


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["mem0.json", "mem0.jsonl"])
def test_a_file_in_utf_16_is_read(workspace: Workspace, source: Path, coding: str, name: str) -> None:
    rows = [{"id": f"r{at}", "memory": f"Ida waters fern {at} 🌿", "note": "🌿 " * 9000} for at in range(9)]
    text = json.dumps(rows, ensure_ascii=False) if name.endswith("json") else "\n".join(map(json.dumps, rows))
    mark = "" if coding == "utf-16" else "\ufeff"
    (source / name).write_bytes((mark + text).encode(coding))
    report = workspace.import_from(source / name, system="mem0", to="facts")
    assert (report.written, report.refused) == (9, 0), report.items[:3]
    assert any("fern 8 🌿" in one.text for one in workspace.facts())


def test_broken_utf_16_is_told(workspace: Workspace, source: Path) -> None:
    (source / "memories.json").write_bytes("\ufeff[{".encode("utf-16-le") + b"\x00\xd8\x20")
    report = workspace.import_from(source, system="openakita")
    assert (report.written, report.refused) == (0, 1)
    assert "UTF-16" in report.items[0].reason


def talk_of(texts: list[str], last: str = "") -> str:
    """Return a Claude export of one conversation with these messages."""
    messages = [
        {"uuid": f"m{number}", "sender": "human" if number % 2 == 0 else "assistant", "text": text,
         "created_at": f"2026-01-{number + 1:02}T10:00:00Z"}
        for number, text in enumerate(texts)
    ]  # fmt: skip
    return json.dumps(
        [{"uuid": "c-17", "name": "帐篷", "created_at": "2026-01-01T10:00:00Z", "chat_messages": messages}]
    )


SAID = ["帐篷漏水怎么办", "先晾干，再涂防水胶", "胶要涂几层", "两层，中间隔一夜"]


def said_in(workspace: Workspace) -> list[list[str]]:
    found = (workspace.sessions.show(one.id) for one in workspace.sessions.list())
    return [[turn.text for turn in session.turns] for session in sorted(found, key=lambda one: one.started)]


def test_a_conversation_that_went_on_is_gone_on_with(workspace: Workspace, source: Path) -> None:
    place = put(source, "conversations.json", talk_of(SAID[:2]))
    assert workspace.import_from(place.parent, system="claude").written == 1
    put(source, "conversations.json", talk_of(SAID))
    planned = workspace.import_from(place.parent, system="claude", dry_run=True)
    again = workspace.import_from(place.parent, system="claude")
    assert (planned.written, again.written, again.duplicate) == (1, 1, 0)
    assert said_in(workspace) == [SAID[:2], SAID[2:]]
    assert [one.started for one in workspace.sessions.list()] == ["2026-01-03 10:00", "2026-01-01 10:00"]
    for texts in (SAID, SAID[:2], SAID[:3]):
        put(source, "conversations.json", talk_of(texts))
        third = workspace.import_from(place.parent, system="claude")
        assert (third.written, third.duplicate) == (0, 1)
    assert said_in(workspace) == [SAID[:2], SAID[2:]]


def test_a_conversation_that_was_changed_is_told_and_not_mixed_up(workspace: Workspace, source: Path) -> None:
    place = put(source, "conversations.json", talk_of(SAID[:2]))
    workspace.import_from(place.parent, system="claude")
    put(source, "conversations.json", talk_of([SAID[0], "换一顶新的", *SAID[2:]]))
    report = workspace.import_from(place.parent, system="claude")
    assert (report.written, report.skipped) == (0, 1)
    assert "2" in report.items[0].reason
    assert said_in(workspace) == [SAID[:2]]


def chatgpt_talk(number: int, text: str = "the boathouse key") -> dict[str, object]:
    said = {"author": {"role": "user"}, "create_time": 1_700_000_000, "content": {"parts": [f"{text} {number}"]}}
    return {"conversation_id": f"c{number}", "title": f"Talk {number}", "current_node": "a",
            "create_time": 1_700_000_000, "mapping": {"a": {"id": "a", "parent": None, "message": said}}}  # fmt: skip


def claude_talk(number: int, text: str = "the boathouse key") -> dict[str, object]:
    said = {"sender": "human", "text": f"{text} {number}", "created_at": "2026-01-01T10:00:00Z"}
    return {"uuid": f"u{number}", "name": f"Talk {number}", "chat_messages": [said]}


def mem0_row(number: int) -> dict[str, object]:
    return {"id": f"m{number}", "memory": f"the boathouse key {number}"}


MADE = {"chatgpt": chatgpt_talk, "claude": claude_talk, "mem0": mem0_row}


@pytest.mark.parametrize("system", MADE)
def test_a_broken_file_is_told_and_the_others_come_over(workspace: Workspace, source: Path, system: str) -> None:
    whole = json.dumps([MADE[system](4), MADE[system](5), MADE[system](6)], indent=1)
    put(source, "a.json", json.dumps([MADE[system](1)]))
    put(source, "b.json", "<html>503</html>")
    put(source, "c.json", json.dumps([MADE[system](3)])[:40])
    put(source, "d.json", whole[: len(whole) * 5 // 6])
    put(source, "e.json", "")
    (source / "f.json").write_bytes(b"\xff\xfe\x00\xd8 broken UTF-16")
    put(source, "settings.json", '{"theme": "dark"}')
    put(source, "z.json", json.dumps([MADE[system](7)]))
    report = workspace.import_from(source)
    assert adds_up(report)
    assert (report.system, report.written) == (system, 4)
    told = {one.place.partition(":")[0]: one.reason for one in report.items if one.state == "refused"}
    assert set(told) == {"b.json", "c.json", "d.json", "e.json", "f.json"}
    assert "UTF-16" in told.pop("f.json")
    assert all("再导入一次" in reason or "once more" in reason for reason in told.values())
    put(source, "d.json", whole)
    assert workspace.import_from(source).written == 1


def test_a_folder_of_broken_files_is_no_success(workspace: Workspace, source: Path) -> None:
    put(source, "b.json", "[{")
    with pytest.raises(UsageError):
        workspace.import_from(source, system="chatgpt")


@pytest.mark.parametrize("half", [chr(0xD83D), chr(0xDE00)])
@pytest.mark.parametrize("title", ["{} boats", "boats {}", "boats{}boats"])
def test_half_a_character_in_a_title_costs_no_conversation(
    workspace: Workspace, source: Path, title: str, half: str
) -> None:
    """The half is replaced, the report says so, and a second import knows the conversation."""
    put(source, "conversations.json", json.dumps([chatgpt_talk(7) | {"title": title.format(half)}]))
    report = workspace.import_from(source, system="chatgpt")
    assert adds_up(report)
    assert (report.written, report.refused) == (1, 0)
    (told,) = report.items
    assert (told.state, "U+FFFD" in told.reason) == ("written", True)
    (path,) = Path(workspace.root).glob("sessions/*.md")
    assert title.format("\ufffd") in path.read_text("utf-8")
    again = workspace.import_from(source, system="chatgpt")
    assert (again.written, again.duplicate) == (0, 1)


LARGE = {"lines": "the boathouse key\n" * 600_000, "one line": "钥匙在花盆底下" * 500_000}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("make_talk", "text"), each(3, list(product((chatgpt_talk, claude_talk), LARGE.values()))))
def test_a_message_of_ten_megabytes_can_be_read(
    workspace: Workspace, source: Path, make_talk: Callable[..., dict[str, object]], text: str
) -> None:
    put(source, "conversations.json", json.dumps([make_talk(1, text), make_talk(2)]))
    report = workspace.import_from(source)
    assert (report.written, adds_up(report)) == (2, True)
    said = [part for session in said_in(workspace) for part in session]
    for sign in "b花":
        assert sum(part.count(sign) for part in said) == f"{text}the boathouse key".count(sign)
    assert [one.code for one in workspace.lint().diagnostics if one.severity == "error"] == []
    assert workspace.import_from(source).written == 0
