"""A list of words answers like the set of all its terms, and like a pattern of its words without spaces."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.words.terms import is_stop, terms
from mdmem.search.words.word_list import WordList
from mdmem.text.inline import is_dense

TEMPLATES = Path(__file__).parents[2] / "templates"
COMMON = tuple(tomllib.loads((TEMPLATES / "words.toml").read_text("utf-8"))["common"])
RECALL = tomllib.loads((TEMPLATES / "mdmem.toml").read_text("utf-8"))["recall"]
ROWS = (COMMON, tuple(RECALL["ordinary"]), tuple(RECALL["open_entries"]))
OTHERS = (
    "Lisbon",
    "carburettor",
    "to-morrow",
    "E-Mail",
    "can't",
    "iPhone",
    "agreements",
    "dying",
    "skies",
    "Café",
    "漢字",
)


def all_terms(rows: tuple[str, ...]) -> set[str]:
    return {term for word in " ".join(rows).split() if not is_dense(word[0]) for term in terms(word)}


def test_a_list_holds_the_terms_of_its_words_and_no_others() -> None:
    asked = {term for rows in ROWS for term in all_terms(rows)} | {term for word in OTHERS for term in terms(word)}
    for rows in (*ROWS, (" ".join(OTHERS),)):
        words, expected = WordList(rows), all_terms(rows)
        assert {term for term in asked if words.holds(term)} == expected & asked
        assert expected <= asked


@given(st.lists(st.text("天电话时间今", min_size=1, max_size=3), max_size=6), st.text("天电话时间今a ", max_size=20))
def test_words_without_spaces_are_found_like_by_a_pattern(own: list[str], text: str) -> None:
    longest_first = sorted(own, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
    words = WordList((" ".join(own),))
    assert list(words.spans(text)) == [match.span() for match in pattern.finditer(text)]
    assert words.without(text) == pattern.sub(" ", text)


def test_words_of_one_character_are_left_out_on_request() -> None:
    assert list(WordList(("天 今天",)).spans("今天天", 2)) == [(0, 2)]


def test_a_stop_word_is_known_by_each_of_its_forms() -> None:
    assert [word for word in ("does", "doing", "were", "theirs", "kayaks") if is_stop(*terms(word))] == [
        "does", "doing", "were", "theirs",
    ]  # fmt: skip
