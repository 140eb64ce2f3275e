"""The index of the patterns rules out no pattern that fits; each pattern is tried against each clause."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.extraction.clauses import clauses
from mdmem.extraction.job import shipped_patterns
from mdmem.extraction.patterns import PatternIndex, SlotWords, StatementPattern, StatementPatterns, _row
from mdmem.settings.tables import Settings


def read(rows: tuple[str, ...], lists: tuple[str, ...]) -> list[StatementPattern]:
    words = SlotWords(lists)
    return [made for row in rows if (made := _row(row, words))]


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_index_passes_over_no_pattern_that_fits(settings: Settings, lang: str) -> None:
    shipped = shipped_patterns(WorkspaceConfig("."))
    rows = [row for row in read(shipped.patterns, shipped.lists) if row.is_chinese == (lang == "zh")]
    index, cut = PatternIndex(rows), clauses(settings.extract)
    text = Path(__file__).with_name(f"sentences_{lang}.tsv").read_text("utf-8")
    sentences = [line.split("\t")[2] for line in text.splitlines()]
    said = {form for one in sentences for clause in cut.split(one) for form in (clause, cut.bare(clause)[0])}
    likely = fitting = 0
    for clause in sorted(said):
        chosen = index.rows(clause)
        fit = [row for row in rows if row.regex.fullmatch(clause)]
        assert set(map(id, fit)) <= set(map(id, chosen)), clause
        assert list(chosen) == sorted(chosen, key=rows.index)
        likely, fitting = likely + len(chosen), fitting + len(fit)
    assert fitting > 100
    assert likely < len(said) * len(rows) / 10  # most are ruled out


@pytest.mark.parametrize(
    ("said", "clause"),
    [
        ("my {thing} rests|naps", "my dog rests"),  # two sides: neither must stand there
        ("my [old|new] {thing} (is|was) {exact}", "my desk is 1.2 m"),
        ("i (ride a|own a) {thing}", "I own a kite"),
        ("(|well) {tool} it is", "Helix it is"),
        ("{who}'s {attribute} is {value}", "Ann's desk is the small one"),
    ],
)
def test_what_a_row_of_ones_own_says_is_found(said: str, clause: str) -> None:
    rows = (f"fact | thing | 0.7 | {said} | it is so",)
    (row,) = read(rows, ("attribute : desk, lamp",))
    fits = row.regex.fullmatch(clause) is not None
    assert bool(PatternIndex([row]).rows(clause)) >= fits
    assert (StatementPatterns(rows, ("attribute : desk, lamp",)).match(clause) is not None) == fits


def test_a_list_without_a_word_of_the_script_matches_nothing() -> None:
    rows = ("fact | thing | 0.7 | 我[的]{bird}是{value} | {bird}是{value}",)
    lists = ("bird : merlin, kestrel",)
    assert StatementPatterns(rows, lists).match("我的是黑的") is None
    assert StatementPatterns(rows, ("bird : merlin, 红隼",)).match("我的红隼是黑的") is not None
