"""A list of words as a pattern: a text without any of the words costs no pattern, and no match is missed for that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

import pytest
from forms import many
from hypothesis import example, given, settings
from hypothesis import strategies as some

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.settings.phrases import PairPattern, PhrasePattern, SequencePattern, any_of, source_of
from mdmem.settings.tables import Settings

WORDS = ("kind of", "is", "on hold…until", "不要", "写入", "Straße", "don't", "#rule", "Ş", "第…章")


@pytest.fixture(scope="module")
def shipped() -> Settings:
    return WorkspaceConfig(".").settings


@given(data=some.data(), words=some.sets(some.sampled_from(WORDS), min_size=1))
@settings(max_examples=many(60, 3000))
def test_a_text_that_matches_holds_one_of_the_words(data: some.DataObject, words: set[str]) -> None:
    text = data.draw(some.from_regex(re.compile(source_of(words))))
    assert re.search(source_of(words), text)
    assert any_of(words).may_match(text)


@given(letters=some.text(some.characters(categories=["L"]), max_size=6))
@example("İS")
@example("ıſ")
@example("KıND of")
@example("STRASSE")
def test_letters_that_a_pattern_takes_for_equal_are_equal(letters: str) -> None:
    plain = re.compile(source_of(WORDS))
    found = any_of(WORDS)
    for text in (letters, letters.upper(), letters.title(), f"{letters} is", f"{letters}不要"):
        assert (found.search(text) is None) == (plain.search(text) is None)
        assert (found.match(text) is None) == (plain.match(text) is None)
        assert (found.fullmatch(text) is None) == (plain.fullmatch(text) is None)
        assert [one.span() for one in found.finditer(text)] == [one.span() for one in plain.finditer(text)]
        assert found.sub("_", text) == plain.sub("_", text)


def test_no_pattern_is_made_for_texts_without_the_words() -> None:
    def source(words: str) -> str:
        raise AssertionError(words)

    found = PhrasePattern(("for now", "暂时"), source)
    assert found.search("The port is 8080.") is None
    assert found.sub("", "端口是 8080。") == "端口是 8080。"
    with pytest.raises(AssertionError, match="暂时"):
        found.search("端口暂时是 8080。")


def spans(found: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [one.span() for one in found]


@given(data=some.data())
@settings(max_examples=many(60, 3000))
def test_the_words_of_a_text_find_what_all_words_find(data: some.DataObject, shipped: Settings) -> None:
    """A long list is compiled for the words of a text only, until the parts are as long as the whole."""
    lists = (shipped.scratchpad.pending, shipped.extract.requests, shipped.keeper.confidences, shipped.scratchpad.done)
    words = data.draw(some.sampled_from(lists))
    rows = shipped.scratchpad.unsettled
    pieces = some.sampled_from([*words, *re.split("[,:]", " ".join(rows)), " ", "x", "，", "I ", "不", "è"])
    whole = re.compile(source_of(words))
    found, pairs = PhrasePattern(words), PairPattern(words, rows)
    all_pairs = re.compile(pairs._source_for(frozenset(pairs._needles)))
    for text in data.draw(some.lists(some.lists(pieces, max_size=8).map("".join), max_size=8)):
        for one in (text, text.replace("…", " of ").title()):
            assert spans(found.finditer(one)) == spans(whole.finditer(one))
            assert spans(pairs.finditer(one)) == spans(all_pairs.finditer(one))


def test_a_long_list_is_compiled_once_when_its_parts_are_as_long(shipped: Settings) -> None:
    made: list[str] = []

    def source(words: str) -> str:
        made.append(words)
        return words

    found = PhrasePattern(shipped.scratchpad.done, source)
    for word in shipped.scratchpad.done:
        assert found.search(f" {word.replace('…', ' ')} ") or word[0] == "不"
    before = len(made)
    for word, other in zip(shipped.scratchpad.done, reversed(shipped.scratchpad.done), strict=True):
        found.search(f" {word} {other} ")
    assert 1 < len(made) == before < len(shipped.scratchpad.done)


def test_no_words_match_nothing() -> None:
    assert any_of(()).search("") is None
    assert any_of(("",)).search("a") is None


def test_the_shipped_words_match_themselves(shipped: Settings) -> None:
    for words in (shipped.keeper.confidences, shipped.keeper.wishes, shipped.extract.adverbs, shipped.extract.requests):
        found = any_of(words)
        assert all(found.search(f"， {word.replace('…', ' ')} ，") for word in words if word[0] != "不")


ROWS = (
    "以后, 每次 : 我问, 我写 : ，都, ，先",
    "write, draft, 不写 : e-mail, letter, 不要 : now, #x",
    "tbd, 待定",
    "写 : 信",
    " : ,",
)


@given(
    words=some.lists(
        some.sampled_from(
            [
                "以后",
                "每次",
                "我问",
                "，都",
                "，先",
                "Write",
                "write",
                "draft",
                "letter",
                "e-mail",
                "now",
                "nowx",
                "不写",
                "不要",
                "x",
                "#x",
                "tbd",
                "atbd",
                "待定",
                "写",
                "信",
                " ",
                "不",
                "\n",
            ]
        ),
        max_size=8,
    ),
    rows=some.sets(some.sampled_from(ROWS)),
)
@settings(max_examples=many(300, 20000))
def test_a_sequence_matches_where_one_of_its_phrases_does(words: list[str], rows: set[str]) -> None:
    split = [
        [[one.strip() for one in part.split(",") if one.strip()] for part in row.split(" : ")] for row in sorted(rows)
    ]
    phrases = ["…".join(one) for row in split for one in product(*filter(None, row)) if one]
    text = "".join(words)
    assert (SequencePattern(sorted(rows)).search(text) is None) == (any_of(phrases).search(text) is None)


def test_the_shipped_conditions_are_found(shipped: Settings) -> None:
    conditions = SequencePattern(shipped.keeper.conditions)
    assert conditions.search("以后只要我问起行程，都先看日历")
    assert not conditions.search("我问起行程，都先看日历")
