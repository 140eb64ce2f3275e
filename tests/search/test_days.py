"""The days that a question names; the expected ones are in days.md."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.search.words.date_phrases import _FORMS, NAMED, DateForm, DateRanges, read_days

TODAY = date(2026, 2, 20)
TABLE = (Path(__file__).parent / "days.md").read_text("utf-8").splitlines()
CASES = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in TABLE if line.startswith("| ")][1:]


@pytest.mark.parametrize(("question", "wanted"), CASES, ids=[question for question, _ in CASES])
def test_a_question_names_these_days(question: str, wanted: str) -> None:
    found = read_days(question, TODAY, 14)
    assert [" … ".join(dict.fromkeys(days)) for days in found] == ([wanted] if wanted else [])


SAID = st.text(alphabet="上下这个周月年去前天三十二 2026-/.13lastweekMay日号,agodys初末最近", max_size=30)


@given(SAID, st.dates(), st.integers(1, 10**12))
@example("最近", date(2026, 2, 20), 10**12)
def test_no_text_and_no_day_is_an_error(text: str, today: date, recently: int) -> None:
    for days in read_days(text, today, recently):
        assert days.start <= days.end


def test_how_long_recently_is_is_a_setting() -> None:
    assert read_days("what did I do lately?", TODAY, 3) == (DateRanges("2026-02-17", "2026-02-20"),)


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 30))
def test_a_range_of_every_year_holds_over_new_year(day: date, back: int) -> None:
    first = date.fromordinal(day.toordinal() - back)
    days = DateRanges("-12-30", "-12-31")
    held = any(
        date.fromordinal(number).strftime("-%m-%d") in ("-12-30", "-12-31")
        for number in range(first.toordinal(), day.toordinal() + 1)
    )
    assert days.meet(first.isoformat(), day.isoformat()) == held


@pytest.mark.parametrize(
    "form", [form for form in (*NAMED, *_FORMS) if form.chinese], ids=lambda form: form.read.__name__
)
@given(data=st.data())
def test_a_chinese_form_matches_no_ascii_text(form: DateForm, data: st.DataObject) -> None:
    source = form.pattern.search.__self__  # type: ignore[attr-defined]
    assert not data.draw(st.from_regex(source, fullmatch=True)).isascii()


@pytest.mark.parametrize("text", [
    "laſt week", "thıs month", "laſt year", "yeſterday", "ſeptember 2024", "2024 ſpring", "THİS WEEK",
    "last wee\u212a",
])  # fmt: skip
def test_letters_that_a_pattern_takes_for_equal_name_the_same_days(text: str) -> None:
    plain = text.translate(str.maketrans("ſıİ\u212a", "siIk"))
    assert read_days(text, TODAY, 14) == read_days(plain, TODAY, 14) != ()


@pytest.mark.parametrize("today", [date.min, date.max])
@pytest.mark.parametrize("text", [
    "yesterday", "tomorrow", "last week", "next week", "last year", "next year", "去年", "明年", "下个月", "上周",
    "前天",
])  # fmt: skip
def test_days_beyond_the_calendar_are_none(text: str, today: date) -> None:
    for days in read_days(text, today, 14):
        assert days.start <= days.end
