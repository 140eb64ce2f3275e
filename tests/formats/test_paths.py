"""Which paths are memory files: tables of what is let in and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.paths import escapes_root, fold_name, is_foreign, is_unportable, normal

OUT = [
    "", ".", "./", "/", "//", "/etc/passwd", "\\etc", "\\\\server\\share", "C:\\x", "c:/x", "c:x.md", "~", "~/x.md",
    "..", "../x.md", "a/../x.md", "a/..", "./../x", "a/../../x", "..\\x.md", "a\\..\\..\\x.md", "a\0b", "\0",
]  # fmt: skip
IN = ["MEMORY.md", "./MEMORY.md", "a//b.md", "a/./b.md", "...md", "a..b/c.md", "~x.md", "笔记/二月.md", "-x.md"]


@pytest.mark.parametrize("path", OUT)
def test_a_path_outside_the_workspace_is_recognized(path: str) -> None:
    assert escapes_root(path)


@pytest.mark.parametrize("path", IN)
def test_what_stays_inside_is_let_in(path: str) -> None:
    assert not escapes_root(path)
    assert not is_foreign(normal(path))


@given(st.text(st.sampled_from("./\\~a:\0"), max_size=12))
def test_a_path_that_does_not_leave_means_a_name_below_the_root(path: str) -> None:
    if not escapes_root(path):
        parts = normal(path).split("/")
        assert all(parts)
        assert not {".", ".."} & set(parts)
        assert normal(normal(path)) == normal(path)


CLOSED = [
    ".mdmem", ".mdmem/history/log", ".MDMEM/x.md", ".git/config", ".GIT/hooks/x", "sub/.git/x.md", ".gi\u200ct/x.md",
    ".git /x.md", ".git./x.md", "．git/config", ".ｇｉｔ/x", "GIT~1/x.md", "mdmem~1/log", ".git\\config", ".hg/x.md",
    "templates/zh/MEMORY.md", "Templates/x.md", "prompts/x.md", "mdmem.toml", "MDMEM.TOML", "sub/mdmem.toml",
    "archive/forgotten.md", "Archive/Forgotten.MD", ".mdmem::$DATA/x", "node_modules/x.md",
]  # fmt: skip
OPEN = [
    "archive/2026-02.md", "my/templates/x.md", "git/x.md", ".notes/a/x.md", "mdmem.md", "forgotten.md", "gitlog.md",
    "agents/scout/.compact_memory.md",
]  # fmt: skip


@pytest.mark.parametrize("path", CLOSED)
def test_what_belongs_to_others_is_closed(path: str) -> None:
    assert is_foreign(path, ("node_modules",))


@pytest.mark.parametrize("path", OPEN)
def test_what_only_looks_like_it_is_open(path: str) -> None:
    assert not is_foreign(path, ("node_modules",))


ODD = [
    ("x" * 253 + ".md", "long"), ("记" * 85 + ".md", "long"), ("a/" * 520 + "x.md", "long"),
    ("a:b.md", "character"), ("a|b.md", "character"), ("a?.md", "character"), ("a\\b.md", "character"),
    ("a\tb.md", "character"), ("a\u202eb.md", "character"), ("a\u200bb.md", "character"), ("a\x7f.md", "character"),
    ("a\udc80.md", "character"), ("a\u2028b.md", "character"),
    ("cafe\u0301.md", "unicode"), ("a／b.md", "unicode"), ("‥/x.md", "unicode"), ("\u212b.md", "unicode"),
    ("con.md", "reserved"), ("CON", "reserved"), ("sub/NUL.md", "reserved"), ("com1.md", "reserved"),
    ("lpt9.tar.md", "reserved"), ("aux/x.md", "reserved"), ("COM¹.md", "reserved"),
    ("a .md/x.md", ""), (" a.md", "ending"), ("sub /a.md", "ending"), ("sub./a.md", "ending"), ("a.md.", "ending"),
    (".x.md", "hidden"), (".obsidian/x.md", "hidden"), ("a/.b/c.md", "hidden"),
    ("a.txt", "name"), ("a.py", "name"), ("md", "name"), ("a.MD", "name"),
    ("a.md", ""), ("笔记：二月.md", ""), ("事実\u3000一.md", ""), ("🐾.md", ""), ("a/b/c.md", ""), ("console.md", ""),
    ("想法….md", ""), ("x" * 252 + ".md", ""),
]  # fmt: skip


@pytest.mark.parametrize(("path", "why"), ODD)
def test_a_new_file_has_a_name_that_every_system_takes(path: str, why: str) -> None:
    assert is_unportable(path, ("*.md",)) == why


def test_names_that_one_file_system_takes_for_one_fold_to_one() -> None:
    assert len({fold_name(name) for name in ("SOUL.md", "soul.md", "Soul.MD", "SOUL.md.", "ｓoul.md")}) == 1
    assert fold_name("SOUL.md") != fold_name("SOLE.md")
