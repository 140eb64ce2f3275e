"""A text is forgotten in every spelling of Unicode, and no other text with it."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from conftest import Make, Traces
from hypothesis import given
from hypothesis import strategies as st

from mdmem.entries.forget.spellings import name_pattern, text_pattern
from mdmem.text.document import parse
from mdmem.workspace import Workspace

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
WORDS = [
    "caf\u00e9 Zo\u00eb", "office fi\ufb01nes", "Nguy\u1ec5n V\u0103n", "\uae40\uc11c\uc5f0", "\u304c\u3063\u3053",
    "\uff76\uff9e\uff72\uff84\uff9e", "stra\u00dfe", "\u674e\u2167", "\u0130stanbul", "\u0391\u03b8\u03ae\u03bd\u03b1",
    "Tom \u2122 \u00bd", "wow......", "number 1111111111111111", "a\u0323\u0302b\u0302\u0323",
]  # fmt: skip


def finds(words: str, text: str) -> bool:
    return re.search(text_pattern(words), text) is not None


@pytest.mark.parametrize("words", WORDS)
def test_every_normal_form_and_case_is_found_under_every_other_one(words: str) -> None:
    forms = {change(unicodedata.normalize(form, words)) for form in FORMS for change in (str, str.casefold, str.upper)}
    forms |= {unicodedata.normalize(form, one) for one in forms for form in FORMS}
    for sought in forms:
        for text in forms:
            assert finds(sought, f"a {text} b"), (ascii(sought), ascii(text))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("office", "o\ufb00ice"),
        ("office", "of\ufb01ce"),
        ("office", "o\ufb03ce"),
        ("office", "\U0001d428\U0001d41f\U0001d41f\U0001d422\U0001d41c\U0001d41e"),
        ("Tom", "\u24e3\u24de\u24dc"),
        ("\u1ec7t mai", "\u00ea\u0323t mai"),
        ("\u1ec7t mai", "\u1eb9\u0302t mai"),
        ("\uac01\ud558", "\uac00\u11a8\u1112\u1161"),
        ("\u682a\u5f0f\u4f1a\u793e", "\u337f"),
        ("room 12", "room \u246b"),
        ("\u8c48\u4e00", "\uf900\u2f00"),
        ("\u30a2\u30d1\u30fc\u30c8", "\u3300"),
        ("zor\u00adblax", "zorblax"),
        ("zorblax", "zo\u00adrb\u200blax"),
        ("Osprey", "\uff2f\uff53\uff50\uff52\uff45\uff59"),
    ],
)
def test_what_stands_for_the_same_characters_is_found(make: Make, words: str, text: str) -> None:
    memory = make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- 2026-02-13: see {text} soon\n"})
    assert memory.forget(words).status == "done"
    assert "soon" not in memory.read("MEMORY.md").text


@pytest.mark.parametrize(("words", "text"), [
    ("cafe", "cafe\u0301"), ("cafe", "caf\u00e9"), ("caf\u00e9", "cafe"), ("caf\u00e9", "cafe\u0301s"),
    ("cafe\u0301", "caf\u00e9s"), ("Tom", "\uff34omorrow"),
    ("\u304b\u3063\u3053\u304b", "\u304b\u3063\u3053\u304b\u3099"), ("\uac01\ud558", "\uac00\uac01\uad00"),
    ("off", "o\ufb03ce"),
])  # fmt: skip
def test_another_letter_is_another_text(words: str, text: str) -> None:
    assert not finds(words, f"a {text} b")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_file_whose_name_is_decomposed_gets_another_one(make: Make, traces: Traces, form: Form) -> None:
    name = unicodedata.normalize(form, "20260213_103000_in_caf\u00e9_zo\u00eb")
    text = unicodedata.normalize("NFD" if form == "NFC" else "NFC", "we met in Caf\u00e9 Zo\u00eb")
    memory = make("en", {f"sessions/{name}.md": f"# S\n\n{text}\n", f"notes/{name}.md": f"# N\n\nsee {name}\n"})
    assert memory.forget("caf\u00e9 zo\u00eb").status == "done"
    for one in FORMS:
        for word in ("caf\u00e9", "Caf\u00e9"):
            assert traces(unicodedata.normalize(one, word)) == []
    assert os.listdir(Path(memory.root, "sessions")) == ["20260213_103000_in.md"]


def test_a_name_that_was_cut_off_and_decomposed(make: Make) -> None:
    name = unicodedata.normalize("NFD", "20260213_103000_we_go_to_caf\u00e9")
    memory = make("en", {f"sessions/{name}.md": "# S\n\nwe go to Caf\u00e9 Zo\u00eb\n"})
    memory.forget("Caf\u00e9 Zo\u00eb")
    assert os.listdir(Path(memory.root, "sessions")) == ["20260213_103000_we_go_to.md"]


def is_sought(text: str) -> bool:
    """Return False for marks that stand for a blank with a mark, as the accent alone: these are found as they are."""
    stands_for = (unicodedata.normalize("NFKD", char).strip() for char in text if not char.isspace())
    return bool(text) and not any(one == "" or " " in one or unicodedata.combining(one[0]) for one in stands_for)


@given(st.text(min_size=1).map(str.strip).filter(is_sought), st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_any_text_is_found_in_any_form(words: str, one: Form, other: Form) -> None:
    sought, text = unicodedata.normalize(one, words).strip(), unicodedata.normalize(other, words)
    assert finds(sought, text), (sought, text)
    re.compile(name_pattern(sought))


@pytest.mark.thorough
def test_a_long_text_of_characters_that_may_stand_as_one_stays_small() -> None:
    for piece in ("f", "i", ".", "1", "\u1100\u1161\u11a8", "e\u0301\u0302\u0323\u0303"):
        assert len(text_pattern(piece * 1000)) < 3_000_000


FACTS = {
    "en": [
        "Allergic to penicillin.",
        "Lives at 5 Elm St.",
        "Ex-boss is called Bob.",
        "The bike is green; the lock is red",
    ],
    "zh": ["对青霉素过敏", "住在梧桐路 5 号", "前老板叫老白", "车是绿的；锁是红的"],
}
SECTION = {"en": "User", "zh": "用户感知"}


CASES = [
    ("en", 2, "Bob"), ("en", 0, "penicillin"), ("en", 3, "lock is red"),
    ("zh", 2, "老白"), ("zh", 0, "青霉素"), ("zh", 3, "锁是红的"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "number", "words"), CASES)
def test_only_the_entry_that_holds_the_words_goes(tmp_path: Path, lang: str, number: int, words: str) -> None:
    (tmp_path / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")
    work = Workspace(tmp_path, lang=lang)
    work.init()
    work.add("FASTMEMO.md", FACTS[lang], section=SECTION[lang])
    work.compact("fastmemo", now=True)
    (line,) = entries(tmp_path)
    facts = [fact.rstrip(".") for fact in FACTS[lang]]
    assert all(fact in line for fact in facts)
    work.forget(words)
    (left,) = entries(tmp_path)
    assert words not in left
    assert [fact in left for fact in facts] == [at != number for at in range(len(FACTS[lang]))]
    assert left == left.strip(" ；;")
    assert not [path for path in tmp_path.rglob("*.md") if words in path.read_text("utf-8")]


def entries(root: Path) -> list[str]:
    return [entry.text for entry in parse((root / "FASTMEMO.md").read_bytes()).entries]


def test_hidden_characters_hide_nothing_from_a_forgetting(tmp_path: Path) -> None:
    work = Workspace(tmp_path, lang="en")
    with work.sessions.start("talk", agent="ada") as session:
        session.turn("user", "I saw Zor\u200dblax and Zor\u00adblax at noon")
    work.forget("Zorblax")
    assert not work.search("Zorblax")
    with work.sessions.start("more", agent="ada") as session:
        session.turn("assistant", "Zor\u00adblax, again")
    assert not work.search("Zorblax")
