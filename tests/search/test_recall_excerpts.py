"""A block that cuts long lines still holds what the question asked for: labelled questions of the own sets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mdmem.search.question import Candidate, RankedHit
from mdmem.search.recall_block import pack
from mdmem.workspace import Workspace

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
