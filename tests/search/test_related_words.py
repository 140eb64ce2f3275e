"""Related words: the shipped tables are valid, and each row has its documented meaning."""

from __future__ import annotations

import tomllib
from pathlib import Path

import mdmem
from mdmem.search.question import parse_query
from mdmem.search.words.related_words import related_terms
from mdmem.search.words.terms import terms

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
