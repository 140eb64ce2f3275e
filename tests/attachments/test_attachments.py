"""The journeys of attachments, by the verbs: attach, describe, find again, undo; and what is refused (K060–K072)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from mdmem import Attachment, RefusedError, Workspace
from mdmem.attachments.edits import mime_type, read_record, record_text, set_text
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits

Run = Callable[..., "CompletedProcess[str]"]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))


@pytest.fixture
def cat(tmp_path: Path) -> Path:
    place = tmp_path / "橘猫 照片.png"
    place.write_bytes(PNG)
    return place


def test_a_picture_is_found_by_what_it_shows(mdmem: Run, root: Path, cat: Path) -> None:
    """K063 and K066: the cat is found by a question that names neither file nor day."""
    mdmem("attach", str(cat), "-d", "一只橘猫趴在沙发上", "--session", "20260220_100000", "--tags", "猫,家")
    assert (root / "attachments/橘猫 照片.png").read_bytes() == PNG
    [found] = Workspace(root).attachments.list()
    assert (found.mime_type, found.file_size, found.direction) == ("image/png", len(PNG), "inbound")
    assert found.tags == ("猫", "家")
    first = mdmem("search", "上次我发给你的那张猫的照片").stdout.splitlines()[0]
    assert first.startswith("attachments/橘猫_照片.md")
    assert mdmem("lint").returncode == 0


def test_the_same_file_again_changes_nothing(mdmem: Run, root: Path, cat: Path) -> None:
    mdmem("attach", str(cat), "-d", "橘猫")
    before = {path: path.read_bytes() for path in (root / "attachments").iterdir()}
    copy = cat.with_name("other.png")
    copy.write_bytes(PNG)
    for one in (cat, copy):
        assert mdmem("attach", str(one), code=1).stdout.startswith("=")
    assert {path: path.read_bytes() for path in (root / "attachments").iterdir()} == before


def test_two_files_of_one_name_stand_beside_each_other(mdmem: Run, root: Path, cat: Path) -> None:
    mdmem("attach", str(cat), "-d", "第一张")
    cat.write_bytes(PNG + b"more")
    mdmem("attach", str(cat), "-d", "第二张")
    assert sorted(path.name for path in (root / "attachments").iterdir()) == [
        "橘猫 照片-2.png", "橘猫 照片.png", "橘猫_照片-2.md", "橘猫_照片.md",
    ]  # fmt: skip


def test_a_report_a_voice_and_an_address(mdmem: Run, root: Path, tmp_path: Path) -> None:
    """K064 and K065, and an address without a file."""
    report, voice = tmp_path / "report.pdf", tmp_path / "note.ogg"
    report.write_bytes(b"%PDF-1.7 x")
    voice.write_bytes(b"OggS\0\0")
    mdmem("attach", str(report), "--direction", "outbound", "-d", "一月水位报告")
    mdmem("attach", str(voice), "--transcription", "记得周五之前交水费")
    mdmem("attach", "https://example.org/plan.svg", "-d", "船库的平面图")
    kinds = {one.id: (one.mime_type, one.direction) for one in Workspace(root).attachments.list()}
    assert kinds["report"] == ("application/pdf", "outbound")
    assert kinds["note"] == ("audio/ogg", "inbound")
    assert mdmem("search", "水费").stdout.startswith("attachments/note.md")
    assert Workspace(root).attachments.show("plan").url == "https://example.org/plan.svg"
    assert mdmem("lint").returncode == 0


def test_a_description_comes_later(mdmem: Run, root: Path, cat: Path) -> None:
    """K072: the model has seen the picture, and says what it shows."""
    assert "attach describe" in mdmem("attach", str(cat)).stdout
    mdmem("attach", "describe", "橘猫", "一只橘猫趴在窗台上晒太阳")
    mdmem("attach", "describe", "橘猫", "# 标题\n\n两行", "--section", "text")
    found = Workspace(root).attachments.show("橘猫_照片")
    assert (found.description, found.text) == ("一只橘猫趴在窗台上晒太阳", "# 标题\n\n两行")
    mdmem("undo")
    assert Workspace(root).attachments.show("橘猫_照片").text == ""


@pytest.mark.parametrize(("source", "code"), [("nope.png", 2), ("folder", 10), ("link.png", 10), ("pipe", 10)])
def test_what_is_no_regular_file_is_refused(mdmem: Run, root: Path, cat: Path, source: str, code: int) -> None:
    (root / "folder").mkdir()
    (root / "link.png").symlink_to(cat)
    os.mkfifo(root / "pipe")
    mdmem("attach", source, code=code)
    assert not (root / "attachments").exists()


def test_a_name_with_control_characters_is_refused(mdmem: Run, root: Path) -> None:
    (root / "a\x1b[31m.png").write_bytes(PNG)
    mdmem("attach", "a\x1b[31m.png", code=10)
    assert not (root / "attachments").exists()


def test_an_agent_attaches_only_what_lies_in_the_workspace(root: Path, cat: Path) -> None:
    workspace = Workspace(root)
    for source in (str(cat), "/etc/passwd", str(root / "../../etc/passwd")):
        with pytest.raises(RefusedError) as caught:
            workspace.attach(source, actor="main") if os.path.exists(source) else workspace.attach(
                str(cat), actor="main"
            )
        assert "/" not in caught.value.message
    (root / "own.png").write_bytes(PNG)
    assert workspace.attach(str(root / "own.png"), description="own", actor="main").status == "done"
    (root / "mdmem.toml").write_text(f'lang = "zh"\n[attachments]\nagent_folders = ["{cat.parent}"]\n', "utf-8")
    other = cat.with_name("dog.png")
    other.write_bytes(PNG + b"dog")
    assert Workspace(root).attach(str(other), description="dog", actor="main").status == "done"


def test_a_refused_text_leaves_no_file(mdmem: Run, root: Path, cat: Path) -> None:
    mdmem("attach", str(cat), "--transcription", "我的密码是 kZ8-river-77", code=10)
    assert not list(root.glob("attachments/*"))


def test_a_large_file_stays_where_it_is(mdmem: Run, root: Path, cat: Path) -> None:
    (root / "mdmem.toml").write_text('lang = "zh"\n[attachments]\nmax_bytes = 10\n', "utf-8")
    mdmem("attach", str(cat), "-d", "大图")
    assert [path.name for path in (root / "attachments").iterdir()] == ["橘猫_照片.md"]
    assert Workspace(root).attachments.list()[0].local_path == str(cat)


def test_files_without_a_record_and_records_without_a_file_are_told(mdmem: Run, root: Path, cat: Path) -> None:
    mdmem("attach", str(cat), "-d", "橘猫")
    (root / "attachments/loose.png").write_bytes(b"x")
    assert "loose.png" in mdmem("attach", "list").stderr
    (root / "attachments/橘猫 照片.png").unlink()
    assert "MM315" in mdmem("lint", code=1).stdout


def test_a_file_that_a_tool_made_for_the_person_is_recorded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K070: the record says what the assistant said; the file stays where it is, and code is not recorded."""
    monkeypatch.chdir(root)
    (root / "report.pdf").write_bytes(b"%PDF-1.7")
    (root / "main.py").write_text("x = 1\n", "utf-8")
    session = Workspace(root).sessions.start("报告")
    calls = [{"id": str(number), "name": "write_file", "input": {"path": path}}
             for number, path in enumerate(("report.pdf", "main.py", "absent.pdf"))]  # fmt: skip
    results = [{"tool_use_id": str(number), "content": "ok"} for number in range(3)]
    done = session.turn("assistant", "一月的水位报告写好了。", tool_calls=calls, tool_results=results)
    assert "attachments/report.md" in done.hint
    [found] = Workspace(root).attachments.list()
    assert (found.direction, found.local_path, found.session) == ("outbound", "report.pdf", session.id)
    assert found.description == "一月的水位报告写好了。"
    assert not (root / "attachments/report.pdf").exists()


def test_the_tools(root: Path, cat: Path) -> None:
    workspace = Workspace(root)
    (root / "cat.png").write_bytes(PNG)
    given = {"source": str(root / "cat.png"), "description": "一只橘猫"}
    assert workspace.call("attachment_add", given)["status"] == "done"
    assert workspace.call("attachment_describe", {"id": "cat", "text": "两只橘猫"})["status"] == "done"
    assert workspace.attachments.show("cat").description == "两只橘猫"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(
    "text", ["plain", "# heading\n\n## another\n", "Setext\n===\n\nx", "```\nopen fence", "<!-- open"]
)
def test_a_record_reads_back_as_it_was(root: Path, lang: str, text: str) -> None:
    template = Workspace(root).config.schemas.get("attachment", lang)
    assert template
    asked = Attachment("attachments/x.md", "x: y.png", "# x", "image/png", 3, local_path="attachments/x: y.png",
                       tags=("a, b", "c"), description=text, transcription="t", text=text)  # fmt: skip
    document = parse(record_text(template, asked).encode())
    found = read_record(document, "attachments/x.md", template)
    assert (found.description, found.text, found.tags) == (text.strip(), text.strip(), asked.tags)
    changed = parse(apply_edits(document.text, set_text(document, template, "description", "new")).encode())
    again = read_record(changed, "attachments/x.md", template)
    assert (again.description, again.transcription, again.text) == ("new", "t", text.strip())


def test_a_type_is_told_by_the_bytes() -> None:
    assert mime_type(PNG, "") == "image/png"
    assert mime_type(PNG, "text/plain") == "image/png"
    assert mime_type(b"PK\3\4", "application/vnd.oasis.opendocument.text") == "application/vnd.oasis.opendocument.text"
    assert mime_type("水位".encode()[:-1], "") == "text/plain"
    assert mime_type(b"\0\1\2", "") == "application/octet-stream"
