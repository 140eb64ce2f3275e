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
        fit = [row for row in rows if row.match(clause)]
        assert set(map(id, fit)) <= set(map(id, chosen)), clause
        assert list(chosen) == sorted(chosen, key=rows.index)
        likely, fitting = likely + len(chosen), fitting + len(fit)
    assert fitting > 100
    assert likely < len(said) * len(rows) / 10  # most are ruled out


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_words_that_a_clause_holds_find_what_the_whole_lists_find(settings: Settings, lang: str) -> None:
    shipped = shipped_patterns(WorkspaceConfig("."))
    held, whole = (read(shipped.patterns, shipped.lists) for _ in range(2))
    for left, rows in ((10**9, held), (0, whole)):
        for row in rows:
            row._left = left
    index, cut, found = PatternIndex(held), clauses(settings.extract), 0
    twins = dict(zip(map(id, held), whole, strict=True))
    text = Path(__file__).with_name(f"sentences_{lang}.tsv").read_text("utf-8")
    for clause in sorted({clause for line in text.splitlines() for clause in cut.split(line.split("\t")[2])}):
        for row in index.rows(clause):
            one, other = row.match(clause), twins[id(row)].match(clause)
            assert (one and one.groupdict()) == (other and other.groupdict()), clause
            found += one is not None
    assert found > 100


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
    fits = row.match(clause) is not None
    assert bool(PatternIndex([row]).rows(clause)) >= fits
    assert (StatementPatterns(rows, ("attribute : desk, lamp",)).match(clause) is not None) == fits


def test_a_list_without_a_word_of_the_script_matches_nothing() -> None:
    rows = ("fact | thing | 0.7 | 我[的]{bird}是{value} | {bird}是{value}",)
    lists = ("bird : merlin, kestrel",)
    assert StatementPatterns(rows, lists).match("我的是黑的") is None
    assert StatementPatterns(rows, ("bird : merlin, 红隼",)).match("我的红隼是黑的") is not None
