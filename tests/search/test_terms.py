"""Texts as terms, questions as queries: the same however they are written, and never an error."""

from __future__ import annotations

import re
import sqlite3
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mdmem
from mdmem.search.index.bm25 import quoted_term
from mdmem.search.index.database import create
from mdmem.search.question import parse_query
from mdmem.search.words.highlight import marks
from mdmem.search.words.related_words import related_terms
from mdmem.search.words.stemming import stem
from mdmem.search.words.terms import is_stop, pieces, terms
from mdmem.search.words.word_list import WordList
from mdmem.text.inline import is_dense

DAY = {"month-02", "2026", "2026-02", "02-13", "2026-02-13"}


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-13", "2026/2/13", "2026.02.13", "2026年2月13日",
        "２０２６年２月１３日", "Feb 13, 2026", "13 February 2026",
        "february 13th 2026", "the 13th of February, 2026",
    ],
)  # fmt: skip
def test_a_day_is_one_term_however_it_is_written(text: str) -> None:
    assert set(terms(text)) >= DAY


@pytest.mark.parametrize("text", ["1.2.3", "10.0.0.8", "2026-13-40", "v2026.1", "12345-67-89"])
def test_what_is_no_day_is_none(text: str) -> None:
    assert not any(term.startswith("month-") for term in terms(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("簡潔", "简洁"), ("ＡＰＩ", "api"), ("Café", "CAFE"), ("ｺｰﾋｰ", "コーヒー"),
        ("don’t", "don't"), ("running", "runs"),
        ("connection", "connected"), ("后天", "後天"), ("Straße", "STRASSE"),
    ],
)  # fmt: skip
def test_what_reads_the_same_has_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserName", "get user name getusername"),
        ("HTTPServer", "http server httpserver"),
        ("snake_case_name", "snake case name snake_case_name"),
        ("src/app.py", "src app py app.py src/app.py"),
        ("bob@mail.org", "bob mail org mail.org bob@mail.org"),
        ("v1.20.3", "v 1 20 3 v1.20.3"),
    ],
)
def test_names_are_found_by_their_parts_and_whole(name: str, parts: str) -> None:
    assert set(terms(name)) == {stem(part) for part in parts.split()}


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("agreed", "agre"), ("plastered", "plaster"),
        ("motoring", "motor"), ("hopping", "hop"), ("falling", "fall"), ("happy", "happi"), ("relational", "relat"),
        ("conditional", "condit"), ("electricity", "electr"), ("hopefulness", "hope"), ("adjustment", "adjust"),
        ("adoption", "adopt"), ("rate", "rate"), ("controlling", "control"), ("sky", "sky"), ("is", "is"),
    ],
)  # fmt: skip
def test_stems_are_those_of_porter(word: str, root: str) -> None:
    assert stem(word) == root


def test_quotes_minus_and_stars_are_operators_and_everything_else_is_text() -> None:
    query = parse_query('"support group" -art NOT music paint* friends AND family')
    assert [one.text for one in query.must] == ["supportgroup", "friends", "family"]
    assert [one.text for one in query.never] == ["art", "music"]
    assert [one.text for one in query.prefixes] == ["paint"]
    assert parse_query("AND").words == ("and",)
    assert parse_query("pytest -q").never == ()
    assert parse_query("-5 degrees").words == ("5", "degre")
    assert parse_query("什么时候去的北京").words[-1] == "北京"
    assert "什么" not in parse_query("什么时候去的北京").words
    assert parse_query("what is it").words, "a question of stop words alone is looked up by them"


@example("0/0")
@given(st.text(max_size=60) | st.from_regex(r'[a-z"*()\-^:{}+ANDORT 中文]{0,40}', fullmatch=True))
def test_no_question_is_an_error(question: str) -> None:
    query = parse_query(question)
    connection = sqlite3.connect(":memory:")
    create(connection)
    for term in (*query.words, *(term for one in (*query.must, *query.never, *query.prefixes) for term in one.terms)):
        term.encode()
        connection.execute("SELECT rowid FROM words WHERE words MATCH ?", (quoted_term(term),)).fetchall()
    assert query.allows(question) in (True, False)


@given(st.text(max_size=80))
def test_marks_are_in_the_text_and_match_the_query(text: str) -> None:
    wanted = set(terms(text))
    last = 0
    for span in marks(text, wanted):
        assert last <= span.start < span.end <= len(text)
        last = span.end


@example("C# c++ don't a.b/c@d")
@example("l’été — naïve ©x™y हिन्दी")
@given(st.text(st.sampled_from("aZ09_ -.:/@#+'’\u0301éß©→😀\n")) | st.text(max_size=60))
def test_the_words_of_a_text_are_the_same_before_a_word_of_a_dense_script(text: str) -> None:
    alone, before = ([match.group() for match in pieces(one)] for one in (text, f"{text} 中"))

    assert [*alone, "中"] == before


@pytest.mark.thorough
def test_runs_of_dense_scripts_are_those_that_the_character_says() -> None:
    """The pattern has the class of all other characters, which must be the exact complement."""
    every = "".join(char for char in map(chr, range(0x110000)) if not 0xD800 <= ord(char) < 0xE000)
    found = "".join(match.group() for match in pieces(every) if is_dense(match.group()[0]))

    assert found == "".join(filter(is_dense, every))


@pytest.mark.parametrize(("text", "term"), [("C#语言", "c#"), ("学C++的人", "c++"), ("用node.js写", "node.js")])
def test_a_name_ends_before_a_dense_script(text: str, term: str) -> None:
    assert term in terms(text)


def test_marks_join_neighbours() -> None:
    assert [
        span.of("用户偏好简洁的回复风格") for span in marks("用户偏好简洁的回复风格", parse_query("回复風格").sought)
    ] == ["回复风格"]
    assert [span.of("She was running") for span in marks("She was running", {"run"})] == ["running"]


@pytest.mark.parametrize("word", ["because", "before", "being", "does", "theirs", "yourselves", "the", "吗", "は"])
def test_a_word_without_content_is_one_in_any_form(word: str) -> None:
    assert is_stop(word)
    assert is_stop(stem(word))


@pytest.mark.parametrize("word", ["bicycle", "theatre", "wash", "吉他", ""])
def test_a_word_with_content_is_none(word: str) -> None:
    assert not is_stop(word)


TEMPLATES = Path(__file__).parents[2] / "templates"
COMMON = tuple(tomllib.loads((TEMPLATES / "words.toml").read_text("utf-8"))["common"])
RECALL = tomllib.loads((TEMPLATES / "mdmem.toml").read_text("utf-8"))["recall"]
ROWS = (COMMON, tuple(RECALL["ordinary"]), tuple(RECALL["open_entries"]))
OTHERS = (
    "Lisbon", "carburettor", "to-morrow", "E-Mail", "can't", "iPhone", "agreements", "dying", "skies", "Café",
    "漢字",
)  # fmt: skip


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


TABLES = tomllib.loads((Path(mdmem.__file__).parent.parent / "templates" / "words.toml").read_text("utf-8"))


def test_every_asking_word_is_found_in_its_own_row() -> None:
    for name in ("classes", "forms"):
        for row in TABLES[name]:
            asks, colon, _ = row.partition(":")
            assert bool(colon) == (name == "classes"), row
            for word in asks.split():
                assert related_terms(tuple(terms(word)), [row], 0.5, 5), (word, row)


def test_both_languages_have_classes_forms_and_common_words() -> None:
    assert sum(len(row.split()) for row in TABLES["common"] if row.isascii()) >= 300
    assert sum(len(row.split()) for row in TABLES["common"] if not row.isascii()) >= 300
    for rows in (TABLES["classes"], TABLES["forms"]):
        assert sum(row.isascii() for row in rows) >= 20
        assert sum(not row.isascii() for row in rows) >= 20


def test_a_term_of_the_question_is_not_added_again() -> None:
    [found] = related_terms(("pet", "dog"), ["pet : dog cat"], 0.5, 5)
    assert found.alternatives == (("cat",),)
    assert found.of == "pet"
    assert not related_terms(("pet", "dog", "cat"), ["pet : dog cat"], 0.5, 5)


def test_words_are_compared_by_their_stems() -> None:
    [found] = related_terms(parse_query("hobbies").words, ["hobby : Surfing kayaks"], 0.5, 5)
    assert found.alternatives == ((terms("surf")[0],), ("kayak",))


def test_a_chinese_word_is_held_where_all_its_pairs_are() -> None:
    [found] = related_terms(parse_query("爱好是什么").words, ["爱好 : 打羽毛球 茶"], 0.5, 5)
    assert found.alternatives == (("打羽", "羽毛", "毛球"), ("茶",))
    assert not related_terms(parse_query("剧情").words, ["电视剧 : 导演"], 0.5, 5)
