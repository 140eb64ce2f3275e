"""A file in another encoding is never extended in UTF-8: it would be half in one and half in the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make
from harness import hook

from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.text.encodings import as_utf8, other_encoding
from mdmem.workspace import Workspace

CHINESE = "# 记忆\n\n## 笔记\n\n- 2026-02-13：灯修好了，钥匙在抽屉里\n"
GERMAN = "# Notizen\n\n- 2026-02-13: Der Schlüssel hängt über der Tür, für später\n"
TRADITIONAL = "# 記憶\n\n## 筆記\n\n- 2026-02-13：燈修好了，鑰匙在抽屜裡，明天還要買牛奶\n"
KOREAN = "# 메모\n\n- 2026-02-13: 열쇠는 서랍 안에 있습니다\n"
JAPANESE = "# メモ\n\n- 2026-02-13: 鍵は引き出しの中にあります\n"


OTHERS = [
    (CHINESE, "utf-16"), (CHINESE, "utf-16-be"), ("# Notes\n\n- the lamp\n", "utf-16-le"), (CHINESE, "gbk"),
    (GERMAN, "cp1252"), (JAPANESE, "shift-jis"), (TRADITIONAL, "big5"), (KOREAN, "euc-kr"),
]  # fmt: skip


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("zh")


@pytest.mark.parametrize(("text", "encoding"), OTHERS)
def test_a_file_in_another_encoding_stays_as_it_is(work: Workspace, text: str, encoding: str) -> None:
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(text.encode(encoding))
    before = path.read_bytes()
    assert other_encoding(before)
    with pytest.raises(MdmemError):
        work.add("MEMORY.md", "2026-09-09：一支笔")
    with pytest.raises(MdmemError):
        work.remember("主人喜欢靠窗的座位，而且总是点一杯热茶")
    assert path.read_bytes() == before


def test_the_refusal_names_the_encoding(make: Make) -> None:
    work = make("en")
    (Path(work.root) / "MEMORY.md").write_bytes(GERMAN.encode("cp1252"))
    with pytest.raises(UnreadableFileError, match="Windows-1252"):
        work.add("MEMORY.md", "2026-09-09: a pen")


UTF8 = [b"", b"plain\n", CHINESE.encode(), b"\xef\xbb\xbf" + CHINESE.encode(), CHINESE.encode() + b"\xff\n"]


@pytest.mark.parametrize("data", UTF8)
def test_utf8_with_some_damage_is_utf8(data: bytes) -> None:
    assert other_encoding(data) == ""


def test_a_whole_new_text_may_take_its_place(work: Workspace) -> None:
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(CHINESE.encode("gbk"))
    work.write("MEMORY.md", CHINESE, confirm=True)
    assert path.read_text("utf-8") == CHINESE


Write = Callable[[Workspace], object]
WRITERS: list[Write] = [
    lambda work: work.add("MEMORY.md", "2026-09-09: a pen"),
    lambda work: work.remember("2026-09-09: a pen lies in the drawer of the desk", kind="event"),
    lambda work: work.edit("MEMORY.md", "2026-02-13", "2026-02-14"),
    lambda work: work.remove("MEMORY.md", "2026-02-13"),
    lambda work: work.tick("MEMORY.md", "2026-02-13"),
    lambda work: work.replace("MEMORY.md", "2026-02-13", "2026-02-14: a pen"),
]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(("text", "encoding"), OTHERS)
def test_every_writer_leaves_it_and_names_the_encoding(make: Make, writer: Write, text: str, encoding: str) -> None:
    work = make("en")
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(text.encode(encoding))
    before = path.read_bytes()
    with pytest.raises(UnreadableFileError, match=r"(?:is not|不是) UTF-8"):
        writer(work)
    assert path.read_bytes() == before


KINDS: list[tuple[str, Write]] = [
    ("PINS.md", lambda work: work.pins.add("fact", "door", "the door changes on Monday", "user")),
    ("task_process.md", lambda work: work.plan.add("buy paint")),
    ("facts/user.md", lambda work: work.facts.set("user", "city", "Bonn")),
    ("inbox.md", lambda work: work.inbox.reject(["1"])),
]


@pytest.mark.parametrize(("name", "writer"), KINDS)
@pytest.mark.parametrize("encoding", ["utf-16", "gbk"])
def test_so_does_each_kind_of_file(make: Make, name: str, writer: Write, encoding: str) -> None:
    work = make("en")
    path = Path(work.root) / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(CHINESE.encode(encoding))
    before = path.read_bytes()
    with pytest.raises(MdmemError):
        writer(work)
    assert path.read_bytes() == before


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "gbk"])
def test_no_turn_is_appended_to_it(work: Workspace, encoding: str) -> None:
    session = work.sessions.start("修灯")
    session.turn("user", "灯修好了吗？")
    path = Path(work.root) / session.path
    path.write_bytes(path.read_text("utf-8").encode(encoding))
    before = path.read_bytes()
    with pytest.raises(UnreadableFileError, match=r"(?:is not|不是) UTF-8"):
        session.turn("assistant", "修好了")
    with pytest.raises(UnreadableFileError, match=r"(?:is not|不是) UTF-8"):
        session.end()
    assert path.read_bytes() == before


CERTAIN = [
    (CHINESE, "utf-16"), (CHINESE, "utf-16-be"), ("# Notes\n\n- the lamp\n", "utf-16-le"), (CHINESE, "gbk"),
    (TRADITIONAL, "big5"), (JAPANESE, "shift-jis"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), CERTAIN)
def test_lint_converts_what_is_certain_and_undo_brings_it_back(work: Workspace, text: str, encoding: str) -> None:
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(text.encode(encoding))
    before = path.read_bytes()
    assert as_utf8(before) == text.encode()
    assert len(work.fix(["MEMORY.md"], select=["MM101"]).fixed) == 1
    assert path.read_text("utf-8") == text
    work.history.undo()
    assert path.read_bytes() == before


UNCERTAIN = [
    GERMAN.encode("cp1252"), KOREAN.encode("euc-kr"), "# Заметки\n\n- Ключ лежит в ящике стола\n".encode("cp1251"),
    "# Notatki\n\n- Klucz wisi nad drzwiami, później\n".encode("cp1250"), bytes(range(256)),
    b"\x89PNG\r\n\x1a\n\0\0\xff",
    "# メモ\n\n- 鍵は引き出しの中にあります\n".encode("euc-jp"), CHINESE.encode(), CHINESE.encode("utf-16") + b"x",
]  # fmt: skip


@pytest.mark.parametrize("data", UNCERTAIN)
def test_lint_converts_nothing_else(work: Workspace, data: bytes) -> None:
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(data)
    assert as_utf8(data) is None
    work.fix(["MEMORY.md"], select=["MM101"])
    assert path.read_bytes() == data


LAMP_ZH = "# 记忆\n\n## 笔记\n\n- 2026-02-13：灯修好了，钥匙在抽屉里\n"
LAMP_EN = "# Memory\n\n## Notes\n\n- 2026-02-13: the lamp is mended\n"
FILES = [
    ("MEMORY.md", LAMP_ZH, "utf-16"), ("MEMORY.md", LAMP_EN, "utf-16-le"), ("MEMORY.md", LAMP_ZH, "gbk"),
    ("facts/user.md", "# user\n\n## 现在\n\n- 2026-02-13：住在上海，家里有一只猫\n", "gbk"),
    ("USER.md", LAMP_ZH, "utf-16-be"), ("SCRATCHPAD.md", LAMP_ZH, "gbk"), ("inbox.md", LAMP_ZH, "gbk"),
]  # fmt: skip
each_file = pytest.mark.parametrize(("name", "text", "encoding"), FILES)


def kept(work: Workspace, name: str, text: str, encoding: str) -> Path:
    path = Path(work.root) / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def sessions(work: Workspace) -> str:
    return "".join(path.read_text("utf-8") for path in Path(work.root, "sessions").glob("*.md"))


@each_file
def test_a_hook_keeps_its_turn(make: Make, name: str, text: str, encoding: str) -> None:
    work = make("zh", settings="[notebook]\nruns = false\n")
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    hook(work, "SessionStart", source="startup")
    hook(work, "UserPromptSubmit", prompt="请记住：我搬到了北京，猫也一起")
    hook(work, "Stop", last_assistant_message="好的，记下了：你搬到了北京。")
    assert "我搬到了北京" in sessions(work)
    Workspace(work.root).sessions.resume(agent="claude").end("搬家记下了。")
    assert path.read_bytes() == before
    assert "搬家记下了" in sessions(work)


@each_file
def test_a_night_goes_on(work: Workspace, name: str, text: str, encoding: str) -> None:
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    session = work.sessions.start("聊天", agent="claude")
    session.turn("user", "我的妹妹叫小雨，她是护士。")
    session.end("聊完了。")
    assert Workspace(work.root).night(now=True).status in ("done", "unchanged")
    assert path.read_bytes() == before


@each_file
def test_a_tool_names_the_encoding_and_the_way_out(work: Workspace, name: str, text: str, encoding: str) -> None:
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    call = {"path": name, "content": "2026-02-14：锚是铁的", "predicate": "锚"}
    if name.startswith("facts"):
        reply = work.call("memory_fact", {"subject": "user", "predicate": "锚", "content": "锚是铁的"}, actor="user")
    else:
        reply = work.call("memory_add", {key: call[key] for key in ("path", "content")}, actor="user")
    told = json.dumps(reply.__dict__ if hasattr(reply, "__dict__") else str(reply), ensure_ascii=False, default=str)
    assert path.read_bytes() == before
    assert "UTF-16" in told or "GBK" in told
    assert "`lint`" in told


@each_file
def test_what_lint_fixes_is_named_and_then_extended(work: Workspace, name: str, text: str, encoding: str) -> None:
    path = kept(work, name, text, encoding)
    before = path.read_bytes()
    hints = [one.hint for one in work.lint().diagnostics if one.path == name and one.code in ("MM101", "MM104")]
    assert hints
    assert all("lint --fix" in hint for hint in hints)
    work.fix()
    assert path.read_text("utf-8") == text
    work.history.undo()
    assert path.read_bytes() == before
