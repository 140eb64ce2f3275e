"""The labelled memories of our own: enough questions of every kind, each pointing at a line that is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

OWN = Path(__file__).parent.parent / "bench" / "recall"
KINDS = {"paraphrase", "entity", "date", "multi-hop", "negation", "superseded", "past", "attachment", "nothing"}


def test_every_question_points_at_lines_that_are_there() -> None:
    kinds: Counter[str] = Counter()
    for root in (OWN / "en", OWN / "zh"):
        for line in (root / "queries.jsonl").read_text("utf-8").splitlines():
            query = json.loads(line)
            kinds[query["category"]] += 1
            assert bool(query["gold"]) == (query["category"] != "nothing"), query
            for gold in query["gold"]:
                assert (root / gold["path"]).read_text("utf-8").splitlines()[gold["line"] - 1].strip(), query
    assert set(kinds) == KINDS
    assert kinds.total() >= 300
