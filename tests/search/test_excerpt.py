"""A long line is cut to what was found; nothing is cut while there is room, and nothing is invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.excerpt import excerpt
from mdmem.search.question import Candidate, RankedHit
from mdmem.search.recall_block import pack
from mdmem.text.tokens import count_tokens

from .test_rank import NUMBERS

LETTER = (
    "Ann: We spent the morning at the allotment and mended the fence. The beans came up at last. "
    "Uncle Reg fell off the ladder on Tuesday and broke his wrist in two places. "
    "He is at St. Luke's until Friday. I made soup, and we watched the rain for an hour or so. "
    "Tell Pavel that the drill is in the shed, behind the paint."
)
LETTER_ZH = (
    "早上去菜园补了篱笆，豆子总算发芽了。二叔星期二从梯子上摔下来，手腕断了两处，住在第三医院，星期五出院。"
    "中午煮了汤，看了一个小时的雨。跟老帕说，电钻在棚子里，油漆后面。"
)


def cut(text: str, *found: str, who: str = "", most: int = 50) -> str:
    return excerpt(text, dict.fromkeys(found, 1.0), who=who, most=most, counter=count_tokens)


@pytest.mark.parametrize(
    ("text", "found", "held", "left"),
    [
        (LETTER, ("wrist", "reg"), "broke his wrist in two places", "fence"),
        (LETTER, ("drill",), "the drill is in the shed, behind the paint.", "wrist"),
        (LETTER_ZH, ("手腕",), "手腕断了两处", "篱笆"),
        (LETTER_ZH, ("电钻",), "电钻在棚子里", "手腕"),
    ],
)
def test_an_excerpt_contains_the_match_and_its_surroundings(
    text: str, found: tuple[str, ...], held: str, left: str
) -> None:
    short = cut(text, *found)
    assert held in short
    assert left not in short
    assert "…" in short
    assert count_tokens(short) <= 50


def test_who_speaks_stays() -> None:
    assert cut(LETTER, "drill", who="ann").startswith("Ann: …")
    assert cut(f"00:32 {LETTER}", "drill", who="ann").startswith("00:32 Ann: …")


def test_what_is_left_out_is_marked_on_both_sides() -> None:
    short = cut(LETTER, "wrist", most=25)
    assert short.startswith("…")
    assert short.endswith("…")


WORDS = st.lists(
    st.sampled_from(["fox", "hen. ", "owl, ", "雨。", "风，", " x" * 90, "! ", "\n", "a" * 80]), max_size=40
)


@given(WORDS.map("".join), st.integers(5, 60))
def test_every_piece_of_an_excerpt_is_in_the_line(text: str, most: int) -> None:
    for piece in cut(text, "fox", "雨", most=most).split("…"):
        assert piece.strip() in text


def found(*texts: str) -> list[RankedHit]:
    return [RankedHit(Candidate(f"{n}.md", 1, 0, text), 1 - n / 100, ()) for n, text in enumerate(texts)]


def test_nothing_is_cut_while_there_is_room_and_the_best_lines_never() -> None:
    lines = [f"{LETTER} ({n} of many)" if n else LETTER for n in range(8)]
    lines = [
        line.replace("fence", f"fence {'xyz'[n % 3] * (n + 3)}").replace("soup", f"soup{n}")
        for n, line in enumerate(lines)
    ]
    numbers = NUMBERS._replace(alike=1.0, whole=2, long_tokens=50, cut_tokens=50)
    wide = pack(found(*lines), numbers, sought={"drill"}, budget=5_000, counter=count_tokens)
    assert wide.text.splitlines() == [f"- {line}" for line in lines]
    tight = pack(found(*lines), numbers, sought={"drill"}, budget=400, counter=count_tokens)
    whole = [line in tight.text for line in lines]
    assert whole[:2] == [True, True]
    assert not all(whole)
    assert tight.text.count("drill is in the shed") > 400 // count_tokens(LETTER), "more lines than fit uncut"
    assert tight.tokens <= 400
