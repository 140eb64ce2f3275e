"""Laws of the rules about files and characters, and the facts about files that no page can show."""

from __future__ import annotations

import pytest
from conftest import SHARED, Lint
from hypothesis import given
from hypothesis import strategies as st

from mdmem.linter.detect.conflicts import conflicts
from mdmem.linter.fixes import fix_document
from mdmem.linter.rule import FileFacts
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic

FAMILY = tuple(f"MM1{number:02}" for number in (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19))
CHARACTERS = ("MM101", "MM103", "MM104", "MM105", "MM106", "MM107", "MM108")
ODD = (
    "\0\x01\x1b\x07\x0b\x0c\x7f\x80\x85\x9b\u2028\u2029\ufffe\ufffd\u00ad\u034f\u115f\u1160\u180b\u180e\u200b\u200c\u200d"
    "\u200e\u200f\u061c\u202a\u202c\u202e\u2060\u2066\u2069\u3164\ufe00\ufe0e\ufe0f\ufeff\U000e0001\U000e0067\U000e007f"
    "\U000e0100\U000e0151"
)
PLAIN = "aZ1#*-_`[]()<>!&:; \n\r\t中が한שا\u0645क्ไခᠠ\U0001f3f4\U0001f469\U0001f4bb❤ο\u0430é\u0301"
text = st.text(st.sampled_from(ODD + PLAIN), max_size=60)
pieces = st.lists(
    st.sampled_from(("\x1b[31m", "\x1b]0;t\x07", "\x9b0m", "\r\n", "- ", "# ", "```\n", *ODD, *PLAIN)), max_size=40
)
mixed = st.one_of(text, pieces.map("".join))

# words and emoji as people write them: each survives byte for byte
NEEDED = (
    *("می\u200cخواهم", "نامه\u200cای", "ه\u200d.ق", "क्\u200dष", "श्\u200dर", "ක්\u200dෂ", "র\u200d্য", "ന്\u200d"),
    *("ക്\u200c", "සිංහල", "สวัสดี\u200bครับ", "ភាសា\u200bខ្មែរ", "မြန်မာ\u200bစာ", "ᠤ\u180b\u180eᠠ", "ᠮᠣᠩᠭᠣᠯ"),
    *("葛\U000e0100飾区", "神\ufe00", "ᄒ\u1160", "👩\u200d💻", "👨\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈"),
    *(
        "❤\ufe0f\u200d🔥",
        "👩🏽\u200d🚀",
        "🧑\u200d⚕\ufe0f",
        "☑\ufe0f",
        "⚠\ufe0e",
        "1\ufe0f⃣",
        "#\ufe0f⃣",
        "↔\ufe0f",
        "〽\ufe0f",
    ),
    *("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\u200d☠\ufe0f", "👁\ufe0f\u200d🗨\ufe0f"),
)
SCRIPTS = (
    *("שלום\u200f!", "مرحبا \u2067ABC\u2069 بكم", "中文English混写", "5 μs", "Δx", "kΩ", "λ-calculus", "ρgh", "PRами"),
    *("GitHub-репозиторий", "привет", "Café", "straße", "naïve", "日本語とEnglish", "한국어", "Ελλάδα", "㊗\ufe0f"),
)


def codes(lint: Lint, source: str | bytes, path: str = "MEMORY.md", **numbers: object) -> list[str]:
    return [d.code for d in lint(source, path, **numbers) if d.code in FAMILY]


@given(mixed)
def test_fixing_characters_converges_and_leaves_no_fixable_finding(lint: Lint, source: str) -> None:
    def only(document: Document) -> list[Diagnostic]:
        return [d for d in lint(document, "MEMORY.md") if d.code in CHARACTERS]

    once = fix_document(parse(source.encode()), only)
    assert fix_document(once.document, only).document.text == once.document.text


@given(mixed, st.sampled_from(("MM103", "MM104", "MM105", "MM106", "MM108")))
def test_a_fix_of_one_rule_removes_its_findings_and_nothing_visible(lint: Lint, source: str, code: str) -> None:
    def only(document: Document) -> list[Diagnostic]:
        return [d for d in lint(document, "notes.md") if d.code == code]

    if "\0" in source:  # such a file gets no fix
        return
    after = fix_document(parse(source.encode()), only).document.text
    if code in ("MM105", "MM106"):
        keep = [char for char in source if char not in ODD]
        assert [char for char in after if char not in ODD] == keep
        assert only(parse(after.encode())) == []


@given(
    st.lists(st.sampled_from((*NEEDED, *SCRIPTS, "text", "文字")), min_size=1, max_size=12),
    st.sampled_from((" ", "\n- ", "，")),
)
def test_scripts_and_emoji_that_need_hidden_characters_have_no_finding(
    lint: Lint, words: list[str], between: str
) -> None:
    source = between.join(words) + "\n"
    assert codes(lint, source, "notes.md") == []
    assert codes(lint, source.encode("utf-8").replace(b"\n", b"\r\n"), "notes.md") == []


@given(
    st.text(
        st.characters(
            codec="utf-8", categories=("Lu", "Ll", "Lo", "Nd", "Po", "Zs"), exclude_characters=ODD, max_codepoint=0x24F
        )
    )
)
def test_plain_text_has_no_finding_about_characters(lint: Lint, source: str) -> None:
    assert [code for code in codes(lint, source + "\n", "notes.md") if code in CHARACTERS] == []


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_get_no_fix(lint: Lint, data: bytes) -> None:
    try:
        readable = "\0" not in data.decode()
    except UnicodeDecodeError:
        readable = False
    assert readable or not any(d.fix for d in lint(data, "FASTMEMO.md"))


@pytest.mark.parametrize(("encoding", "source", "named"), [
    ("gbk", "# 记忆\n\n- 主人喜欢喝咖啡，周五有面试\n", "GBK"),
    ("shift_jis", "# メモ\n\n- 面接は金曜日です\n", "Shift-JIS"),
    ("latin-1", "# Mémoire\n\n- l’été à Paris\n".replace("’", "'"), "Latin-1"),
    ("cp1252", "# Über\n\n- „Grüße“ aus Köln\n", "Latin-1"),
    ("utf-16", "# 记忆\n\n- 主人喜欢喝咖啡\n", "UTF-16"),
    ("utf-16", "# Mémoire\n", "UTF-16"),
])  # fmt: skip
def test_the_likely_encoding_is_named_once(lint: Lint, encoding: str, source: str, named: str) -> None:
    found = [d for d in lint(source.encode(encoding), "MEMORY.md") if d.code == "MM101"]
    assert len(found) == 1
    assert named in found[0].hint


def test_damage_in_utf8_is_shown_on_each_line(lint: Lint) -> None:
    data = "- 喜欢咖啡\n- 周五面试\n- 早睡早起\n".encode()
    broken = data.replace("啡".encode(), "啡".encode()[:2]).replace("起".encode(), b"\xe8")
    assert [d.line for d in lint(broken, "MEMORY.md") if d.code == "MM101"] == [1, 3]


def test_a_lost_character_counts_in_memory_files_only(lint: Lint) -> None:
    assert codes(lint, "周五面\ufffd\n") == ["MM101"]
    assert codes(lint, "U+FFFD is \ufffd\n", "docs/unicode.md") == []


def test_nul_is_an_error_and_a_c1_control_has_no_fix(lint: Lint) -> None:
    nul, c1 = (next(d for d in lint(f"a{char}b\n", "x.md") if d.code == "MM104") for char in "\0\x93")
    assert (nul.severity, nul.fix, c1.severity, c1.fix) == ("error", (), "warning", ())


@pytest.mark.parametrize(("path", "original"), [
    ("MEMORY (Anna's conflicted copy 2026-02-13).md", "MEMORY.md"),
    ("a/MEMORY (conflicted copy 2026-02-13 101112).md", "MEMORY.md"),
    ("PINS.sync-conflict-20260213-101112-ABCDEFG.md", "PINS.md"),
    ("MEMORY-DESKTOP-ABC123.md", "MEMORY.md"),
    ("MEMORY_BACKUP_1234.md", "MEMORY.md"),
    ("MEMORY.md.orig", "MEMORY.md"),
    ("MEMORY.md~", "MEMORY.md"),
    ("MEMORY (1).md", "MEMORY.md"),
    ("MEMORY 2.md", "MEMORY.md"),
])  # fmt: skip
def test_a_conflicted_copy_is_told_by_its_name(lint: Lint, path: str, original: str) -> None:
    found = [d for d in lint("", path) if d.code == "MM114"]
    assert [original in d.message for d in found] == [True]


def test_a_number_alone_makes_no_copy(lint: Lint) -> None:
    assert codes(lint, "", "Python 3.md") == []
    assert codes(lint, "", "MEMORY 2.md", exists=lambda _: False) == []
    assert codes(lint, "", "README.sync-conflict-20260213-101112-ABCDEFG.md") == []


@pytest.mark.parametrize("kind", ["fifo", "socket", "device", "folder", "missing", "unreadable"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_no_file_is_named(lint: Lint, kind: str, lang: str) -> None:
    found = lint("", "MEMORY.md", facts=FileFacts(type=kind), lang=lang)
    assert [(d.code, bool(d.message), bool(d.hint)) for d in found] == [("MM119", True, True)]


def test_a_dangling_link_and_a_large_file_are_named(lint: Lint) -> None:
    assert codes(lint, "", facts=FileFacts(type="missing", link="dangling")) == ["MM119"]
    assert codes(lint, "", facts=FileFacts(size=2_000_001)) == ["MM115"]


@pytest.mark.thorough
@pytest.mark.slow
def test_real_documents_have_no_error(lint: Lint) -> None:
    folder = SHARED / "corpus"
    if not folder.is_dir():
        pytest.skip("no corpus here")
    found = [(path.name, d) for path in sorted(folder.rglob("*.md")) for d in lint(path.read_bytes(), path.as_posix())]
    assert [(name, d.code) for name, d in found if d.code in FAMILY and d.severity == "error"] == []


def test_a_finding_in_a_file_of_another_encoding_has_no_fix(lint: Lint) -> None:
    text = "# 表层记忆\n\n## 自我感知\n\n- 冷静\n理性\n".encode()
    assert any(d.fix for d in lint(text, "FASTMEMO.md"))
    assert not any(d.fix for d in lint(text + "中".encode("gbk"), "FASTMEMO.md"))
    assert not any(d.fix for d in lint(text + b"\0", "FASTMEMO.md"))


MERGE = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs"
DIFF3 = "<<<<<<< ours\n- a\n||||||| base\n- c\n=======\n- b\n>>>>>>> theirs"
NESTED = DIFF3.replace("- c", "<<<<<<<<< one\n- d\n=========\n- e\n>>>>>>>>> two")
LONG = DIFF3.replace("<" * 7, "<" * 12).replace("|" * 7, "|" * 12).replace("=" * 7, "=" * 12).replace(">" * 7, ">" * 12)


@pytest.mark.parametrize("text", [MERGE, DIFF3, NESTED, LONG])
def test_a_conflict_is_one_finding(text: str) -> None:
    document = parse(f"# T\n\n{text}\n- f\n\n{text}\n".encode())
    assert [span.of(document.text) for span in conflicts(document)] == [text, text]


@pytest.mark.parametrize("mark", ["<<<<<<< ours", "||||||| base", "||||||| 1a2b3c4"])
def test_a_mark_that_is_left_is_found(mark: str) -> None:
    document = parse(f"# T\n\n- a\n{mark}\n- b\n".encode())
    assert [span.of(document.text) for span in conflicts(document)] == [mark]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======",
        "||||||| x |\n|-|-|-|-|-|-|-|-|",
        ">>>>>>>>> deep",
        "```\n<<<<<<< ours\n||||||| base\n```",
        "<<<<<<<ours",
    ],
)
def test_what_is_no_mark(text: str) -> None:
    assert list(conflicts(parse(f"{text}\n".encode()))) == []
