"""How much of what a question asks for is found, and how much of it fits into a prompt.

    python tests/bench/bench_recall.py                     our own labelled memories in tests/bench/recall
    python tests/bench/bench_recall.py FOLDER …            folders of workspaces, each with a queries.jsonl
    python tests/bench/bench_recall.py --hits hits.jsonl   also writes the hits, as score_md.py reads them
    python tests/bench/bench_recall.py --last --vectors tests/bench/paraphrase
                                                           questions in other words, without and with the local model

A query is `{"qid", "category", "question", "gold": [{"path", "line"}]}`; one without gold asks for what is not there,
and is answered well by little: `noise` is the share of 512 tokens that a recall fills all the same. The rows of the
table switch the ways of recall on, one after the other.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from math import log2
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from mdmem.search.answer import AnswerRequest, AnswerSearch
from mdmem.search.question import parse_query
from mdmem.search.recall_block import pack
from mdmem.search.service import SearchFilter, no_vector_hits
from mdmem.settings.search_tables import RecallSettings
from mdmem.settings.tables import Settings
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

OWN = Path(__file__).parent / "recall"
BUDGETS = (512, 1024, 2048)
CUTS = (1, 5, 10)
Numbers = dict[str, float]
NO_CONTEXT: dict[str, Any] = {"after": 0.0, "before": 0.0, "answer": 0.0, "asking": 0.0, "story": 0.0}
NO_TIME: dict[str, Any] = {"time": 0, "near": 0.0, "day": 0.0}
NO_NAMES: dict[str, Any] = {"speaker": 0.0, "asked": 0.0}
NO_ORDER: dict[str, Any] = {"recency": 0.0, "importance": 0.0, "access": 0.0, "compared": 1}
STEPS: dict[str, dict[str, Any]] = {
    "words": {**NO_CONTEXT, **NO_TIME, **NO_NAMES, **NO_ORDER},
    "+ context": {**NO_TIME, **NO_NAMES, **NO_ORDER},
    "+ time": {**NO_NAMES, **NO_ORDER},
    "+ names": NO_ORDER,
    "+ re-rank": {},
}
_LAST, _VECTORS = "+ re-rank", "+ vectors"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[OWN])
    parser.add_argument("--hits", type=Path)
    parser.add_argument("--last", action="store_true", help="only the last row of the table")
    parser.add_argument(
        "--vectors", action="store_true", help="also a row with the local model, which must be installed"
    )
    options = parser.parse_args()
    sets = sorted(found.parent for folder in options.folders for found in folder.rglob("queries.jsonl"))
    steps = ({_LAST: {}} if options.last else STEPS) | ({_VECTORS: {}} if options.vectors else {})
    hits: list[dict[str, Any]] = []
    for name in sets:
        print(f"\n{name.name}\n{'':12}" + "".join(f"{label:>9}" for label in _labels()))
        with tempfile.TemporaryDirectory() as folder:
            root = Path(shutil.copytree(name, Path(folder) / name.name, ignore=shutil.ignore_patterns(".mdmem")))
            for step, switched in steps.items():
                numbers, found, kinds = measure(root, switched, "local" if step == _VECTORS else "none")
                print(f"{step:12}" + "".join(f"{numbers.get(label, 0):9.3f}" for label in _labels()))
                for kind, (count, share, first) in sorted(kinds.items()) if step in (_LAST, _VECTORS) else ():
                    print(f"    {kind:32} {count:4}   R@10 {share:.3f}   R@1 {first:.3f}")
        hits += [{"haystack": name.name, **one} for one in found]
    if options.hits:
        options.hits.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in hits), "utf-8")


def _labels() -> list[str]:
    times = ("p50 ms", "p95 ms")
    return [*(f"R@{cut}" for cut in CUTS), "MRR", "nDCG@10", *(f"C@{budget}" for budget in BUDGETS), "noise", *times]


def measure(
    root: Path, switched: dict[str, Any], backend: str
) -> tuple[Numbers, list[dict[str, Any]], dict[str, tuple[int, float, float]]]:
    """Ask all queries of a workspace; gives the means, the hits, and recall by category."""
    workspace = Workspace(root, lang="en")
    config = workspace.config
    vectors = config.settings.vectors._replace(backend=backend, fill_seconds=3600)
    config.__dict__["settings"] = _with(config.settings.replace(vectors=vectors), switched)
    config.day = _last_day(root)
    queries = [json.loads(line) for line in (root / "queries.jsonl").read_text("utf-8").splitlines()]
    workspace.search("warm up")
    rows, hits, times = [], [], []
    for query in queries:
        start = time.perf_counter()
        found = workspace.search(query["question"], limit=50)
        times.append((time.perf_counter() - start) * 1000)
        results = [{"path": hit.path, "start": hit.line, "end": hit.line} for hit in found]
        hits.append({"qid": query["qid"], "results": results})
        rows.append(_score(query, results) | _coverage(workspace, query))
    labels = {label for row in rows for label in row}
    numbers = {label: mean(row[label] for row in rows if label in row) for label in sorted(labels)}
    slow = quantiles(times, n=20)[-1]
    return numbers | {"p50 ms": median(times), "p95 ms": slow}, hits, _by_category(queries, rows)


def _with(settings: Settings, switched: dict[str, Any]) -> Settings:
    recall: RecallSettings = settings.recall._replace(**switched)
    return settings.replace(recall=recall)


def _last_day(root: Path) -> str:
    """Give the day on which the questions are asked: that of the last file."""
    days = [path.stem[:10] for path in root.rglob("*.md") if _is_day(path.stem[:10])]
    return max(days, default=date(2026, 2, 20).isoformat())


def _is_day(said: str) -> bool:
    try:
        return bool(date.fromisoformat(said)) and "-" in said
    except ValueError:
        return False


def _score(query: dict[str, Any], results: Sequence[dict[str, Any]]) -> Numbers:
    gold = {(one["path"], one["line"]) for one in query["gold"]}
    if not gold:
        return {}
    ranks = sorted(rank for rank, one in enumerate(results) if (one["path"], one["start"]) in gold)
    ideal = sum(1 / log2(rank + 2) for rank in range(min(10, len(gold))))
    return {
        **{f"R@{cut}": sum(rank < cut for rank in ranks) / len(gold) for cut in CUTS},
        "MRR": 1 / (ranks[0] + 1) if ranks else 0.0,
        "nDCG@10": sum(1 / log2(rank + 2) for rank in ranks if rank < 10) / ideal,
    }


def _coverage(workspace: Workspace, query: dict[str, Any]) -> Numbers:
    gold = {(one["path"], one["line"]) for one in query["gold"]}
    config, settings = workspace.config, workspace.config.settings.recall
    asker = AnswerRequest(settings.candidates, sure=True)
    search = AnswerSearch(config, workspace.index.words, query["question"], no_vector_hits, asker)
    answer = search.answer(SearchFilter().keep)
    found = () if answer.unknown else answer.found
    sought = parse_query(query["question"]).sought
    packed = {budget: pack(found, settings, sought=sought, budget=budget, counter=count_tokens) for budget in BUDGETS}
    if not gold:
        return {"noise": packed[BUDGETS[0]].tokens / BUDGETS[0]}
    return {
        f"C@{budget}": len(gold & {(hit.row.path, hit.row.line) for hit in one.found}) / len(gold)
        for budget, one in packed.items()
    }


def _by_category(queries: Sequence[dict[str, Any]], rows: Sequence[Numbers]) -> dict[str, tuple[int, float, float]]:
    kinds: dict[str, list[Numbers]] = {}
    for query, row in zip(queries, rows, strict=True):
        if query["gold"]:
            kinds.setdefault(query["category"], []).append(row)
    return {
        kind: (len(some), mean(row["R@10"] for row in some), mean(row["R@1"] for row in some))
        for kind, some in kinds.items()
    }


if __name__ == "__main__":
    main()
