"""A long line is cut to what was found; nothing is cut while there is room, and nothing is invented."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.excerpt import excerpt
from mdmem.search.question import Candidate, RankedHit
from mdmem.search.recall_block import pack
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

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


SETS = Path(__file__).parents[1] / "bench" / "recall"
ANSWERS = {
    "en": (
        ("en_q123", "publish to both"),
        ("en_q125", "duplicates will happen"),
        ("en_q126", "chard"),
        ("en_q127", "tomatoes"),
        ("en_q128", "chard"),
        ("en_q130", "photo of the room"),
        ("en_q131", "28 November"),
        ("en_q132", "second resolution"),
        ("en_q133", "fix/frozen-clock"),
        ("en_q134", "31 hours"),
        ("en_q135", "San Sebastián"),
        ("en_q136", "night bus to Lisbon"),
    ),
    "zh": (
        ("zh_q122", "同时往两边发"),
        ("zh_q124", "一定会有重复"),
        ("zh_q125", "牛皮菜"),
        ("zh_q126", "番茄"),
        ("zh_q128", "一张房间的照片"),
        ("zh_q129", "11 月 28 日"),
        ("zh_q130", "按秒签发"),
        ("zh_q131", "冻结时间"),
        ("zh_q132", "31 个小时"),
        ("zh_q133", "圣塞巴斯蒂安"),
        ("zh_q134", "夜班大巴"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("lang", sorted(ANSWERS))
@pytest.mark.parametrize("budget", [512, 1024])
def test_the_answer_in_a_long_line_is_in_the_block(tmp_path: Path, lang: str, budget: int) -> None:
    root = Path(shutil.copytree(SETS / lang, tmp_path / lang, ignore=shutil.ignore_patterns(".mdmem")))
    lines = (root / "queries.jsonl").read_text("utf-8").splitlines()
    questions = {one["qid"]: one["question"] for one in map(json.loads, lines)}
    work = Workspace(root, lang="en", cache=False)
    work.config.day = "2026-02-28"
    missing = [
        (name, answer)
        for name, answer in ANSWERS[lang]
        if answer not in work.recall(questions[name], budget=budget).text
    ]
    assert missing == []


def test_a_line_longer_than_the_budget_is_shown_in_part(tmp_path: Path) -> None:
    facts = "; ".join(f"the drawer number {number} holds the tools for job {number}" for number in range(40))
    (tmp_path / "FASTMEMO.md").write_text(f"# M\n\n## User\n\n- {facts}; Ana is allergic to penicillin\n", "utf-8")
    found = Workspace(tmp_path, lang="en").recall("What is Ana allergic to?", budget=150)
    assert "penicillin" in found.text
    assert found.tokens <= 150


def test_of_a_pasted_log_only_a_part_is_packed(tmp_path: Path) -> None:
    """A turn of megabytes that fits a question must not take the time of every later prompt."""
    log = "".join(f"gauge {number} reads {number % 97} cm\n" for number in range(100_000))
    row = Candidate("sessions/a.md", 1, 1, f"{log}the heron gauge was mended\n{log}", "turn", "2026-02-13")
    read = 0

    def counter(text: str) -> int:
        nonlocal read
        read += len(text)
        return len(text) // 4

    settings = Workspace(tmp_path).config.settings.recall
    block = pack([RankedHit(row, 1.0, ())], settings, sought={"gauge"}, budget=400, counter=counter)
    assert "gauge" in block.text
    assert block.text.endswith("…")
    assert read < len(log) / 10
