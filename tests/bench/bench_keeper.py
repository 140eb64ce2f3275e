"""How much of a memory's key facts the keeper's rules leave findable, and in how many characters.

    PYTHONPATH=. python tests/bench/bench_keeper.py

Each section of keeper_facts.md is condensed to one entry, once at its cap and twice at smaller ones. A fact counts as
findable where it stands letter for letter, width and case aside. With the archive it must be every one.
"""

from __future__ import annotations

import datetime as dt
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench_lint import WORDS
from clocks import busy
from markdown_it import MarkdownIt
from table_row import Row

from mdmem.config.workspace_config import template_files
from mdmem.formats.template import Schemas
from mdmem.formats.template_reader import read_template
from mdmem.keeper.condensing import tidy
from mdmem.keeper.condensing.edits import build_compaction_plan
from mdmem.keeper.condensing.proof import plan_problems
from mdmem.keeper.model import CompactionTask
from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import read_settings
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import fold
from mdmem.workspace import Workspace

HERE = Path(__file__).parent
FACT = re.compile(r"\{([^{}]+)\}")


class Region(NamedTuple):
    """The entries of one region, and the facts that somebody would look for."""

    name: str
    entries: tuple[str, ...]
    facts: tuple[str, ...]


class Score(NamedTuple):
    """What was left of one region."""

    found: int  # facts in the condensed text alone
    kept: int  # facts in it or in the archive
    facts: int
    chars: int
    was: int
    lines: int


def regions() -> list[Region]:
    """Read the labelled set."""
    text = (HERE / "keeper_facts.md").read_text("utf-8")
    found = []
    for part in text.split("\n## ")[1:]:
        name, _, body = part.partition("\n")
        rows = [line[2:] for line in body.splitlines() if line.startswith("- ")]
        facts = tuple(fact for row in rows for fact in FACT.findall(row))
        found.append(Region(name, tuple(FACT.sub(r"\1", row) for row in rows), facts))
    return found


def score(region: Region, most: int | None) -> Score:
    """Condense one region by the rules, through the proof, and look its facts up again."""
    settings = read_settings((Path(templates_folder()) / "mdmem.toml").read_bytes())
    schemas = Schemas(
        [read_template(one.read(), one.path, one.lang) for one in template_files(templates_folder())], "zh"
    )
    rows = "".join(f"- {entry}\n" for entry in region.entries)
    document = parse(f"# 表层记忆\n\n## 历史感知\n\n{rows}".encode())
    template = schemas.match("FASTMEMO.md", document)
    assert template
    if most:
        specs = tuple(spec._replace(entries=spec.entries._replace(max_chars=most)) for spec in template.sections)
        template = template._replace(sections=specs)
    task = CompactionTask(
        "FASTMEMO.md", document, template, ImportanceScorer(settings.keeper, dt.date(2026, 2, 20)), 0.85
    )
    operations = tidy.rule_based_answer(task)
    wrong = list(plan_problems(task, operations))
    assert not wrong, (region.name, wrong)
    made = build_compaction_plan(task, operations)
    new = apply_edits(document.text, made.edits)
    lines = [line[2:] for line in new.splitlines() if line.startswith("- ")]
    said = fold("\n".join(lines))
    archived = fold("\n".join(gone.entry.text for gone in made.gone))
    found = sum(fold(fact) in said for fact in region.facts)
    kept = sum(fold(fact) in said or fold(fact) in archived for fact in region.facts)
    return Score(found, kept, len(region.facts), sum(map(len, lines)), sum(map(len, region.entries)), len(lines))


def main() -> int:
    """Print the shares, by language and in all; exit 1 where a fact is nowhere."""
    found = regions()
    print(f"{sum(len(one.entries) for one in found)} entries, {sum(len(one.facts) for one in found)} facts")
    print(f"{'cap':>5} {'lang':4} {'text alone':>11} {'with archive':>13} {'characters':>16} {'lines':>6}")
    lost = 0
    begin = time.perf_counter()
    for most in (None, 420, 300, 200):
        for lang in ("zh", "en", "all"):
            chosen = [one for one in found if lang in ("all", _lang(one))]
            scores = [score(one, most) for one in chosen]
            facts, chars, was = (sum(one[at] for one in scores) for at in (2, 3, 4))
            alone, kept = sum(one.found for one in scores), sum(one.kept for one in scores)
            lost += facts - kept
            lines = sum(one.lines for one in scores) / len(scores)
            share = f"{alone / facts:10.1%} {kept / facts:13.1%}"
            print(f"{most or 600:5} {lang:4} {share} {chars:7} of {was:6} {lines:5.1f}")
    print(f"{time.perf_counter() - begin:.1f} s")
    return 1 if lost else 0


def rows(count: int = 1_000) -> Iterator[Row]:
    """Give a compaction of so many entries beside one parse of them."""
    for name, goal in (("FASTMEMO.md", "≤ 500 ms"), ("MEMORY.md", "")):
        with tempfile.TemporaryDirectory() as folder:
            root, parts = Path(folder), ("自我", "用户", "环境", "历史")
            dice = random.Random(42)
            days = [f"2026-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}" for _ in range(count)]
            entries = [f"- {day}：{' '.join(dice.choices(WORDS, k=12))} {at}\n" for at, day in enumerate(days)]
            lines = ["".join(entries[at :: len(parts)]) for at in range(len(parts))]
            text = "# 记忆\n" + "".join(f"\n## {part}\n\n{own}" for part, own in zip(parts, lines, strict=True))
            (root / "mdmem.toml").write_text("", "utf-8")
            (root / name).write_text(text, "utf-8")
            work, parser = Workspace(root), MarkdownIt("commonmark")
            floor = min(busy(partial(parser.parse, text)) for _ in range(3))
            spent = busy(partial(work.compact, name, now=True))
            yield Row(f"compact {name}, {count:,} entries", spent, floor, "bare parse", goal)


def _lang(region: Region) -> str:
    return "zh" if any("\u4e00" <= char <= "\u9fff" for char in region.name) else "en"


if __name__ == "__main__":
    sys.exit(main())
