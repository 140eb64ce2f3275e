"""A file in another encoding is never extended in UTF-8: it would be half in one and half in the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.text.encodings import other_encoding

CHINESE = "# 记忆\n\n## 笔记\n\n- 2026-02-13：灯修好了，钥匙在抽屉里\n"
GERMAN = "# Notizen\n\n- 2026-02-13: Der Schlüssel hängt über der Tür, für später\n"
JAPANESE = "# メモ\n\n- 2026-02-13: 鍵は引き出しの中にあります\n"


OTHERS = [
    (CHINESE, "utf-16"), (CHINESE, "utf-16-be"), ("# Notes\n\n- the lamp\n", "utf-16-le"), (CHINESE, "gbk"),
    (GERMAN, "cp1252"), (JAPANESE, "shift-jis"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), OTHERS)
def test_a_file_in_another_encoding_stays_as_it_is(make: Make, text: str, encoding: str) -> None:
    work = make("zh")
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


def test_a_whole_new_text_may_take_its_place(make: Make) -> None:
    work = make("zh")
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(CHINESE.encode("gbk"))
    work.write("MEMORY.md", CHINESE, confirm=True)
    assert path.read_text("utf-8") == CHINESE
