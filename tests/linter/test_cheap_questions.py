"""A cheap question spares a pattern and never a finding: whatever the pattern matches, the question lets through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from forms import many
from hypothesis import example, given, settings
from hypothesis import strategies as some

from mdmem.linter.detect import check_digits, links, prompt_injection, spoken_secrets
from mdmem.linter.detect.prompt_injection import INJECTION_PATTERNS, InjectionPattern
from mdmem.linter.detect.small_talk import SmallTalk, _folded, _runs, speaker_labels
from mdmem.linter.detect.spoken import beside_words, lock_codes, pass_phrases
from mdmem.linter.detect.spoken.bip39_words import ENGLISH
from mdmem.linter.detect.spoken_secrets import _RULES, Spoken
from mdmem.linter.rules import (
    mm105_hidden_character,
    mm107_mixed_script_word,
    mm208_heading_without_space,
    mm321_transcript,
    mm509_private_amount,
)
from mdmem.linter.views import decoded_views, hidden_characters
from mdmem.linter.views.decoded_views import DecodedView, Needles, lower
from mdmem.text.pattern import Pattern

ASKING = [order for order in INJECTION_PATTERNS if order.objects != ("",)]


def compiled(pattern: Pattern) -> re.Pattern[str]:
    return re.compile(pattern._source, pattern._flags)


@pytest.mark.slow
@pytest.mark.parametrize("order", ASKING, ids=lambda order: order.needles[0])
@given(data=some.data())
def test_an_order_names_one_of_its_objects(order: InjectionPattern, data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(order.regex)))
    match = compiled(order.regex).search(text)
    assert match
    assert any(word in lower(text) for word in order.objects), match[0]


@pytest.mark.slow
@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.needles[0])
@settings(max_examples=many(20, 3000))  # an example of such an expression is slow to make
@given(data=some.data())
def test_what_follows_a_word_of_secrecy_can_lead_to_a_secret(rule: Spoken, data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(rule.shape)))
    match = rule.shape.search(text)
    assert match
    assert rule.word.match(text, match.start())


def at_a_word(data: some.DataObject, text: str) -> str:
    """Draw what may stand before and behind a text that begins at a word."""
    before = data.draw(some.sampled_from(("", " ", "a ", "x-", "é", "密", "_", "3", "\n", "Ab. ")))
    return before + text + data.draw(some.sampled_from(("", " ", "s", "1", "密", "é", ".", "ing")))


WORDS: dict[str, Needles[Any]] = {
    "spoken": spoken_secrets._NEEDLES,
    "option": spoken_secrets._OPTIONS,
    "and": spoken_secrets._AND_NEEDLES,
    "phrase": spoken_secrets._PHRASE_NEEDLES,
    "passphrase": pass_phrases._PASSPHRASE_NEEDLES,
    "beside": beside_words._FORMS,
    "reversed": beside_words._REVERSED_WORDS,
    "lock": lock_codes._LOCK_NEEDLES,
    "backup": lock_codes._BACKUP_NEEDLES,
    "injection": prompt_injection._NEEDLES,
    "scheme": links._SCHEMES,
    "handler": links._HANDLERS,
    "verb": links._VERBS,
    "mail": links._TO_MAIL_NEEDLES,
    "shell": links._SHELL_NEEDLES,
    "spaced": decoded_views._SPACED_WORDS,
}


@pytest.mark.parametrize("table", WORDS.values(), ids=WORDS.keys())
@given(data=some.data())
def test_a_needle_in_the_text_is_searched(table: Needles[Any], data: some.DataObject) -> None:
    needle, value = data.draw(some.sampled_from(table._given))
    text = at_a_word(data, needle)
    if needle in table._inside:
        text = data.draw(some.sampled_from(("", "v", "un"))) + text
    assert value in table.held_by(DecodedView(text))


@pytest.mark.parametrize("cased", [str.lower, str.upper, str.title])
def test_where_a_needle_may_not_begin_inside_a_word_none_is_found_there(cased: Callable[[str], str]) -> None:
    for needle, _ in spoken_secrets._NEEDLES._given:
        if needle not in spoken_secrets._NEEDLES._inside and needle.isascii():
            assert not spoken_secrets._begins_word(f"x{cased(needle)}", 1, needle)
    for needle, _ in beside_words._FORMS._given:
        assert beside_words._is_inside(f"x{cased(needle)}", 1) is needle.isascii()
    for needle, _ in lock_codes._LOCK_NEEDLES._given:
        assert lock_codes._latin_code(f"door x{cased(needle)}: 7731", 6, needle) is None


@pytest.mark.parametrize(
    "name", ["phrase", "passphrase", "backup", "injection", "scheme", "verb", "mail", "shell", "spaced"]
)
def test_where_a_needle_is_found_inside_a_word_it_is_searched_there(name: str) -> None:
    assert [needle for needle, _ in WORDS[name]._given if needle not in WORDS[name]._inside] == []


@pytest.mark.parametrize("program", ["PG", "MYSQL_", "REDISCLI_", "SSH"])
@pytest.mark.parametrize("name", ["PASSWORD", "PWD", "AUTH", "PASS"])
def test_each_variable_of_a_shell_begins_with_a_needle(program: str, name: str) -> None:
    view = DecodedView(f"{program}{name}=Kz8-river-77 psql")
    assert list(view.matches(spoken_secrets._OPTIONS, spoken_secrets._OPTION))


SHAPES: dict[str, tuple[Needles[str], Pattern]] = {
    "option": (spoken_secrets._OPTIONS, spoken_secrets._OPTION),
    "and": (spoken_secrets._AND_NEEDLES, spoken_secrets._AND_VALUE),
    "amount": mm509_private_amount._sought(("balance", "monthly pay", "pay", "net épargne", "余额", "账户余额", "")),
}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("beginnings", "shape"), SHAPES.values(), ids=SHAPES.keys())
@settings(max_examples=many(30, 3000))
@given(data=some.data())
def test_every_match_of_a_pattern_begins_with_a_needle(
    beginnings: Needles[str], shape: Pattern, data: some.DataObject
) -> None:
    pieces = some.from_regex(compiled(shape)) | some.sampled_from(
        ("x", " ", "-", "curl -u a:", "pass ", "余额", "cabinet épargne: 500")
    )
    text = "".join(data.draw(some.lists(pieces, min_size=1, max_size=3)))
    found = [match.span() for match in DecodedView(text).matches(beginnings, shape)]
    assert found == [match.span() for match in shape.finditer(text)]


OWN_WAYS: dict[str, tuple[Callable[[str], Iterator[re.Match[str]]], Pattern]] = {
    "account": (check_digits._account_like, check_digits._IBAN),
    "pair": (lambda text: beside_words._pairs(text, lower(text)), beside_words._PAIR),
}


@pytest.mark.parametrize(("ours", "shape"), OWN_WAYS.values(), ids=OWN_WAYS.keys())
@given(data=some.data())
def test_a_search_at_a_few_signs_finds_what_the_pattern_finds(
    ours: Callable[[str], Iterator[re.Match[str]]], shape: Pattern, data: some.DataObject
) -> None:
    signs = some.text("AZ09٣ax /-.", max_size=12)
    pieces = some.from_regex(compiled(shape)) | signs | some.sampled_from(("Admin / ", "root / a1b2c3d4", "DE89 3704"))
    text = "".join(data.draw(some.lists(pieces, min_size=1, max_size=4)))
    assert [match.span() for match in ours(text)] == [match.span() for match in shape.finditer(text)]


@given(
    words=some.lists(some.sampled_from(ENGLISH.split()), min_size=12, max_size=24),
    between=some.sampled_from((" ", ", ", "\n", "，", " 1. ", "  ")),
    before=some.text("ab 密-.\n", max_size=8),
)
def test_a_text_with_twelve_words_of_the_list_is_searched_for_a_phrase(
    words: list[str], between: str, before: str
) -> None:
    view = DecodedView(f"{before} {between.join(words)}")
    assert pass_phrases._may_hold_phrase(view.words)


TALK = SmallTalk(("hello", "good morning", "you're welcome", "好的", "好"), ("it's", "the", "今天", "a", "'tis"))


@example(pieces=["好", "hello"])
@example(pieces=["a", "好"])
@given(pieces=some.lists(some.sampled_from((*TALK._known, "x", "7", " ", "，", "! ", "’", "*")), max_size=7))
def test_small_talk_begins_with_letters_of_its_words(pieces: list[str]) -> None:
    folded = _folded("".join(pieces))
    clauses = [TALK._consumed(run) for run in _runs(folded)]
    if clauses and None not in clauses:
        assert TALK._may_begin(folded)


@example(pieces=["user", ":", " ", "x", "\n", "用户", "：", "x"])
@given(pieces=some.lists(some.sampled_from(("user", "用户", "ai", ":", "：", "**", " ", "\n", "x")), max_size=9))
def test_two_speakers_have_two_colons(pieces: list[str]) -> None:
    text = "".join(pieces)
    if len(speaker_labels(text, ("user", "ai", "用户"))) > 1:
        assert mm321_transcript._may_be_two(text)


ODD: dict[str, tuple[Pattern, Pattern]] = {
    "control": (hidden_characters.CONTROL, hidden_characters.CONTROL),
    "hidden": (hidden_characters.HIDDEN, hidden_characters.HIDDEN),
    "bidi": (hidden_characters._CONTROL, hidden_characters._CONTROL),
    "private": (mm105_hidden_character._PRIVATE, mm105_hidden_character._PRIVATE),
    "stacked": (mm105_hidden_character._MARK, mm105_hidden_character._STACKED),
    "script": (mm107_mixed_script_word._OTHER, mm107_mixed_script_word._BORDER),
    "spelling": (decoded_views._ODD, decoded_views._ODD),
}


@pytest.mark.parametrize(("char", "shape"), ODD.values(), ids=ODD.keys())
@given(data=some.data())
def test_an_odd_character_is_among_the_uncommon_ones(char: Pattern, shape: Pattern, data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(shape)))
    assert shape.search(text)
    assert char.search(hidden_characters.uncommon(f"# 记忆 {text} ✅"))


@given(data=some.data())
def test_a_tight_heading_has_signs_before_its_title(data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(mm208_heading_without_space._TIGHT)))
    assert mm208_heading_without_space._SIGNS.search(text)
