"""A line that was joined is taken apart into the same entries, and one that somebody typed is never cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.facts.read import fact_words
from mdmem.formats.joined_line import Originals, join
from mdmem.workspace import Workspace

EN = (
    "Mia's school is St. Mary's; it opens at 7:45 a.m.",
    "The landlord is Mr. J. K. Brouwer.",
    "Pomodoro technique - 25 minutes of work, 5 of rest",
    "Is the spare key with Mrs. Oh? Ask her!",
)
ZH = ("青霉素过敏；看病先说", "末班车 23:40，过了就打车。", "房东是陈先生", "猫叫年糕！六岁。")


def test_entries_are_joined_as_a_person_joins_sentences() -> None:
    assert join(EN) == (
        "Mia's school is St. Mary's; it opens at 7:45 a.m.; The landlord is Mr. J. K. Brouwer; "
        "Pomodoro technique - 25 minutes of work, 5 of rest; Is the spare key with Mrs. Oh? Ask her!"
    )
    assert join(ZH) == "青霉素过敏；看病先说；末班车 23:40，过了就打车；房东是陈先生；猫叫年糕！六岁"
    assert join(("fish 是默认 shell", "the NAS is in the study")) == "fish 是默认 shell；the NAS is in the study"
    assert join(("the rent is due on the 3rd.", "Ann pays")) == "the rent is due on the 3rd; Ann pays"
    assert join(("one.",)) == "one."
    assert join(()) == ""


@pytest.mark.parametrize("texts", [EN, ZH], ids=["en", "zh"])
def test_a_joined_line_is_taken_apart_at_its_own_joints_only(texts: tuple[str, ...]) -> None:
    found = Originals(texts).units(join(texts))
    assert len(found) == len(texts)
    assert all(one.rstrip(".。") == other.rstrip(".。") for one, other in zip(found, texts, strict=True))


def test_what_a_person_typed_is_one_entry() -> None:
    assert Originals(EN).units(ZH[0]) == (ZH[0],)
    assert Originals(EN).units("first this; then that; never both") == ("first this; then that; never both",)
    assert Originals(["first this"]).units("first this; then that") == ("first this; then that",), (
        "one part is no proof"
    )


def test_a_part_that_was_edited_between_known_ones_is_one_entry() -> None:
    line = join(ZH).replace("末班车 23:40，过了就打车", "末班车改成 23:10；过了就走路")
    assert Originals(ZH).units(line) == (ZH[0], "末班车改成 23:10；过了就走路", ZH[2], "猫叫年糕！六岁")


def test_a_line_of_an_older_version_is_taken_apart_at_its_bars() -> None:
    line = "末班车 23:40 ｜ 房东是陈先生 ｜ 猫叫年糕；六岁 ｜ `a ｜ b`"
    assert Originals(ZH).units(line) == ("末班车 23:40", "房东是陈先生", "猫叫年糕；六岁", "`a ｜ b`")
    assert Originals(ZH).units("左 ｜ 右") == ("左 ｜ 右",), "bars that nobody's keeper wrote"


def test_code_holds_no_joints() -> None:
    texts = ("run `a; b`", "then `c; d`")
    assert Originals(texts).units(join(texts)) == texts


@pytest.mark.parametrize(
    ("text", "predicate", "kind", "shown"),
    [
        ("black tea", "morning drink", "fact", "morning drink: black tea"),
        ("43", "shoe_size", "", "shoe size: 43"),
        ("dark chocolate", "likes", "preference", "likes: dark chocolate"),
        ("红茶", "早上喝", "fact", "早上喝: 红茶"),
        ("3.12", "Python版本", "fact", "Python版本: 3.12"),
        ("lives in Oslo", "lives_in", "fact", "lives in Oslo"),
        ("lives in Oslo", "city", "fact", "lives in Oslo"),
        ("the shoes are size 43", "shoe_size", "fact", "the shoes are size 43"),
        ("Python 升级到 3.12", "Python版本", "fact", "Python 升级到 3.12"),
        ("two cups of black tea, and a third one on Sundays", "morning drink", "fact",
         "two cups of black tea, and a third one on Sundays"),
        ("Answer in English", "language", "rule", "Answer in English"),
        ("black tea", "", "fact", "black tea"),
    ],
)  # fmt: skip
def test_what_a_reader_sees(tmp_path: Path, text: str, predicate: str, kind: str, shown: str) -> None:
    words = fact_words(Workspace(tmp_path, lang="en").config)
    assert words.shown(text, predicate, kind, ": ") == shown
