"""What the lines around a row add: each term by its best place, never more, nearer lines more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdmem
from mdmem.search.question import Candidate
from mdmem.search.relevance import asking, spread
from mdmem.settings.reader import read_settings
from mdmem.settings.search_tables import RecallSettings

SHIPPED = Path(mdmem.__file__).parent.parent / "templates" / "mdmem.toml"
NUMBERS: RecallSettings = read_settings(SHIPPED.read_bytes()).recall
HELD = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 2)), unique_by=lambda pair: pair[0], max_size=3).map(tuple)
TALK = st.lists(st.tuples(HELD, st.sampled_from(["", "ana", "bo"]), st.sampled_from(["yes", "no?"])), max_size=12)


def talk(*rows: tuple[tuple[tuple[int, float], ...], str, str]) -> list[Candidate]:
    return [
        Candidate(
            "memory/2026-02-13.md",
            3 + at,
            at,
            text,
            who=who,
            term_scores=held,
            words=sum(s for _, s in held),
            story=True,
        )
        for at, (held, who, text) in enumerate(rows)
    ]


@given(TALK)
def test_a_term_counts_at_most_with_its_best_share(
    rows: list[tuple[tuple[tuple[int, float], ...], str, str]],
) -> None:
    told = talk(*rows)
    best: dict[int, float] = {}
    for held, _, _ in rows:
        best.update({term: max(score, best.get(term, 0.0)) for term, score in held})
    for row, lent in zip(told, spread(told, NUMBERS), strict=True):
        assert -1e-9 <= lent <= sum(best.values()) - row.words + 1e-9


def test_a_word_fades_with_each_line_and_reaches_further_down_than_up() -> None:
    lent = spread(talk(*[((), "ana", "so")] * 6, (((0, 1.0),), "ana", "x"), *[((), "ana", "so")] * 6), NUMBERS)
    assert lent == pytest.approx([0, 0, 0, 0.1, 0.25, 0.4, 0, 0.6, 0.45, 0.3, 0.15, 0, 0])


def test_a_word_in_two_lines_around_is_not_two_words() -> None:
    word = (((0, 1.0),), "ana", "x")
    assert spread(talk(word, ((), "ana", "so"), word), NUMBERS)[1] == pytest.approx(0.6)


def test_an_answer_gets_more_of_the_question_than_the_asker_who_goes_on() -> None:
    asked = (((0, 1.0),), "ana", "what?")
    assert spread(talk(asked, ((), "bo", "tea")), NUMBERS)[1] == pytest.approx(NUMBERS.answer)
    assert spread(talk(asked, ((), "ana", "tea")), NUMBERS)[1] == pytest.approx(NUMBERS.after)


def test_a_line_without_a_speaker_or_a_long_one_shares_less() -> None:
    rows = talk((((0, 1.0),), "", "x"), ((), "", "so"))
    long = [rows[0]._replace(who="ana", length=NUMBERS.short_terms + 1), rows[1]]
    for some in (rows, long):
        assert spread(some, NUMBERS)[1] == pytest.approx(NUMBERS.after * NUMBERS.without_speaker)


def test_nothing_is_shared_across_files_nor_outside_stories() -> None:
    one, other = talk((((0, 1.0),), "ana", "x"), ((), "ana", "so"))
    assert spread([one, other._replace(path="memory/2026-02-14.md")], NUMBERS) == [0, 0]
    assert spread([one._replace(story=False), other._replace(story=False)], NUMBERS) == [0, 0]


@pytest.mark.parametrize(
    ("text", "share"),
    [("Tea.", 0), ("Tea?", 1), ("喝茶吗？", 1), ("Tea? Yes.", 0.5), ("So. [image: who is it?]", 0), ("", 0), ("?", 0)],
)
def test_the_share_of_a_line_that_asks(text: str, share: float) -> None:
    assert asking(text) == pytest.approx(share, abs=0.06)


def test_a_fade_of_nothing_ends() -> None:
    rows = talk((((0, 1.0),), "ana", "x"), *[((), "ana", "so")] * 50)
    for fade in (0.0, 1e-9, 1.0):
        assert sum(lent > 0 for lent in spread(rows, NUMBERS._replace(fade=fade))) <= 10
