"""The laws of an order: one for the same rows, each row once, relevance first, the newer value, within a budget."""

from __future__ import annotations

from array import array
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdmem
from mdmem.search.index.bm25 import best_rows, summed
from mdmem.search.question import Candidate, Question, RankedHit, content, parse_query, understand
from mdmem.search.rank import newest_first, rank, weight_factor
from mdmem.search.recall_block import pack
from mdmem.search.silence import share_contained
from mdmem.settings.reader import read_settings
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.tokens import count_tokens

TODAY = date(2026, 2, 20)
SHIPPED = Path(mdmem.__file__).parent.parent / "templates" / "mdmem.toml"
NUMBERS: RecallSettings = read_settings(SHIPPED.read_bytes()).recall
TRIGGERS = {row.split()[0]: row.split()[1:] for row in NUMBERS.triggers}


def ask(text: str) -> Question:
    words, recently = parse_query(content(text, ())).words, NUMBERS.recently_days
    return understand(text, words, today=TODAY, recently=recently, triggers=TRIGGERS, old_things=())


def _holds(row: Candidate, *scores: float) -> Candidate:
    """Return a row that holds terms with these scores."""
    return row._replace(term_scores=tuple(enumerate(scores)), words=sum(scores))


def order(rows: list[Candidate], question: str, *, persona: str = "") -> list[str]:
    return [one.row.text for one in rank(rows, ask(question), NUMBERS, today=TODAY, limit=10, persona=persona)]


ROWS = st.lists(
    st.builds(
        Candidate,
        path=st.sampled_from(["memory/2026-02-13.md", "memory/2026-01-05.md", "MEMORY.md"]),
        line=st.integers(1, 40),
        ordinal=st.integers(0, 39),
        text=st.text(alphabet="ab 面试 周五", min_size=1, max_size=20),
        date=st.sampled_from(["", "2026-02-13", "2026-01-05", "not a day"]),
        who=st.sampled_from(["", "nora", "主人"]),
        story=st.booleans(),
        predicate=st.sampled_from(["", "lives_in"]),
        kind=st.sampled_from(["memory", "daily"]),
        context=st.floats(0, 9),
        term_scores=st.lists(st.tuples(st.integers(0, 5), st.floats(0, 2)), unique_by=lambda pair: pair[0]).map(tuple),
        length=st.integers(0, 200),
        meaning=st.floats(0, 1),
        importance=st.floats(0, 1),
        opened=st.integers(0, 99),
        subject=st.just(""),
        type=st.sampled_from(["", "SKILL"]),
        tags=st.just(()),
        key=st.just(""),
        old=st.booleans(),
    ).map(lambda row: row._replace(words=sum(score for _, score in row.term_scores))),
    max_size=12,
    unique_by=lambda row: (row.path, row.ordinal),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(ROWS, st.sampled_from(["面试是哪天", "where does Nora live now", "上周", "before"]), st.randoms())
def test_the_order_depends_on_the_rows_alone_and_holds_each_once(
    rows: list[Candidate], said: str, random: object
) -> None:
    again = list(rows)
    random.shuffle(again)  # type: ignore[attr-defined]
    found = rank(rows, ask(said), NUMBERS, today=TODAY, limit=50)
    assert found == rank(again, ask(said), NUMBERS, today=TODAY, limit=50)
    assert len({(one.row.path, one.row.ordinal) for one in found}) == len(found)
    assert all(0 <= one.score <= 1 for one in found)


@settings(deadline=None, max_examples=40)
@given(ROWS, st.integers(0, 120))
def test_a_block_keeps_its_budget(rows: list[Candidate], budget: int) -> None:
    found = rank(rows, ask("面试"), NUMBERS, today=TODAY, limit=50)
    packed = pack(found, NUMBERS, sought=(), budget=budget, counter=count_tokens)
    assert packed.tokens == (count_tokens(packed.text) if packed.text else 0) <= budget
    assert all(one.row.text in packed.text for one in packed.found)


def test_every_line_of_a_block_is_under_its_day() -> None:
    rows = [
        Candidate("memory/2026-02-13.md", 3, 0, "interview on Friday", date="2026-02-13", words=2.0, story=True),
        Candidate("memory/2026-01-05.md", 3, 0, "interview prepared", date="2026-01-05", words=3.0, story=True),
    ]
    found = rank(rows, ask("interview"), NUMBERS, today=TODAY, limit=10)
    packed = pack(found, NUMBERS, sought=(), budget=100, counter=count_tokens)
    assert packed.text == "2026-01-05:\n- interview prepared\n2026-02-13:\n- interview on Friday"


FACTS = [
    Candidate(
        "facts/eli.md", 9, 1, "lives at 5 Tannery Yard", "facts", "2022-08-01", "eli", 3.0, predicate="home", old=True
    ),
    Candidate("facts/eli.md", 5, 0, "lives at 18 Alder Street", "facts", "2025-09-13", "eli", 2.0, predicate="home"),
]
LINES = [
    Candidate("MEMORY.md", 3, 0, "the weekly report goes to Gregor", "memory", "2025-04-10", words=2.1),
    Candidate("MEMORY.md", 4, 1, "the weekly report goes to Ana", "memory", "2025-12-02", words=2.0),
]


@pytest.mark.parametrize("rows", [FACTS, LINES], ids=["by predicate", "by likeness"])
def test_the_newer_value_comes_first_unless_the_past_is_asked_for(rows: list[Candidate]) -> None:
    old, new = rows[0].text, rows[1].text
    assert order(rows, "report or home of Eli") == [new, old]
    assert order(rows, "previous report or home of Eli") == [old, new]


def test_a_fact_about_whom_the_question_names_comes_before_what_they_said() -> None:
    said = Candidate(
        "memory/2025-03-22.md", 7, 4, "Nora: I'll eat them all", "daily", "2025-03-22", "nora", 3.0, story=True
    )
    known = Candidate("facts/nora.md", 8, 2, "eats fish", "facts", "2025-06-01", "nora", 2.6, subject="nora")
    assert order([said, known], "what does Nora eat") == [known.text, said.text]
    assert order([said, known], "who will eat them") == [said.text, known.text]


def test_what_fits_is_not_buried_by_what_is_new_and_important() -> None:
    old = Candidate("MEMORY.md", 3, 0, "allergic to penicillin", "memory", "2023-01-01", words=8.0, importance=0.5)
    new = Candidate("MEMORY.md", 4, 1, "bought a lamp", "memory", "2026-02-20", words=1.0, importance=1.0, opened=90)
    assert order([old, new], "allergic to what") == [old.text, new.text]


def test_of_two_that_fit_alike_the_recent_important_and_often_recalled_comes_first() -> None:
    plain = Candidate("MEMORY.md", 3, 0, "tea in the garden", "memory", "2025-02-20", words=2.0)
    for better in ({"date": "2026-02-19"}, {"importance": 0.9}, {"opened": 5}):
        other = plain._replace(line=4, ordinal=1, text="tea with Ana by the sea", **better)
        assert order([plain, other], "tea")[0] == other.text


def test_the_weight_of_a_memory_without_date_or_importance_is_a_setting() -> None:
    row = Candidate("MEMORY.md", 3, 0, "tea", "memory")
    assert weight_factor(row, NUMBERS, today=TODAY, persona={}) == pytest.approx(1.0)
    new = row._replace(date="2026-02-19")
    for undated, better in ((0.1, new), (1.0, row)):
        numbers = NUMBERS._replace(undated_recency=undated)
        assert max((row, new), key=lambda one: weight_factor(one, numbers, today=TODAY, persona={})) == better
    nothing = NUMBERS._replace(relevance=0.0, undated_recency=0.0, unrated_importance=0.0)
    assert weight_factor(row, nothing, today=TODAY, persona={}) >= 0


def test_a_persona_weighs_types_of_entries() -> None:
    skill = Candidate(
        "agent_knowledge.md", 3, 1, "restart the pool by hand", "agent_knowledge", words=1.9, type="SKILL"
    )
    plain = Candidate("MEMORY.md", 4, 0, "the pool opens at nine", "memory", words=2.0)
    assert order([skill, plain], "pool")[0] == plain.text
    assert order([skill, plain], "pool", persona="tech_expert")[0] == skill.text
    assert order([skill, plain], "pool", persona="nobody")[0] == plain.text


def test_the_line_after_the_one_with_the_words_is_found() -> None:
    asked = _holds(
        Candidate("memory/2026-02-13.md", 5, 0, "Which tea do you like?", "daily", who="ana", story=True), 5.0
    )
    answer = _holds(asked._replace(line=6, ordinal=1, text="Oolong, always.", who="nora"))
    far = _holds(asked._replace(path="memory/2026-02-01.md", ordinal=9, text="like that"), 1.0)
    assert order([asked, answer, far], "Which tea does Nora like?") == [answer.text, asked.text, far.text]
    same = [row._replace(who="ana") for row in (asked, answer, far)]
    assert order(same, "Which tea?")[:2] == [asked.text, answer.text], "who asks and goes on has not answered"


def test_a_named_day_and_a_named_speaker_count() -> None:
    first = Candidate("memory/2026-02-13.md", 3, 0, "tea", "daily", "2026-02-13", "ana", 2.0, story=True)
    other = first._replace(path="memory/2026-01-05.md", date="2026-01-05", text="more tea", who="nora", words=2.1)
    assert order([first, other], "tea")[0] == other.text
    assert order([first, other], "tea last Friday")[0] == first.text
    assert order([first, other], "did Ana drink tea")[0] == first.text


def test_an_attachment_is_found_when_a_photo_is_asked_for() -> None:
    photo = Candidate("attachments/cat.md", 9, 0, "一只橘猫睡在沙发上", "attachment", "2026-01-05", words=2.0)
    chat = Candidate("MEMORY.md", 3, 0, "猫的疫苗", "memory", "2026-02-19", words=2.2)
    assert order([photo, chat], "上次我发给你的那张猫的照片")[0] == photo.text


def test_duplicates_are_shown_once() -> None:
    row = Candidate("MEMORY.md", 3, 0, "the spare key lies with Mrs Abbott", "memory", "2026-02-13", words=2.0)
    again = row._replace(path="NOTEBOOK.md", text="The spare key lies with Mrs Abbott!")
    third = row._replace(line=9, ordinal=5, text="key of the bicycle", words=0.9)
    assert order([row, again, third], "key")[-1] in (row.text, again.text)
    found = rank([row, again, third], ask("key"), NUMBERS, today=TODAY, limit=10)
    assert "Abbott" in (text := pack(found, NUMBERS, sought=(), budget=200, counter=count_tokens).text)
    assert text.count("spare key") == 1


def test_the_share_held_weighs_rare_words_and_no_fields() -> None:
    asked = ask("Nora blood")._replace(weights={"nora": 1.0, "blood": 9.0})
    assert share_contained("Nora likes tea [source:: blood]", asked) == pytest.approx(0.1)
    assert share_contained("no blood tests in May", asked) == pytest.approx(0.9)
    assert share_contained("", asked) == 0.0
    assert share_contained("Nora likes tea", asked._replace(words=())) == 0.0


def test_why_names_what_spoke_for_a_row() -> None:
    rows = [*FACTS]
    found: tuple[RankedHit, ...] = rank(rows, ask("where does Eli live"), NUMBERS, today=TODAY, limit=10)
    assert found[0].why[0] == "newest"
    assert {"words", "asked"} <= set(found[0].why)


def _lines(words: list[float], likes: list[float]) -> list[Candidate]:
    """Return lines, each with a score of its words and a likeness; those with a score contain `zzz`, and no more."""
    scores = enumerate(zip(words, likes, strict=True))
    return [
        Candidate(f"{at}.md", 3, 0, f"zzz line{at}" if said else f"line{at}", words=said, meaning=like)
        for at, (said, like) in scores
    ]


@given(st.lists(st.integers(1, 900), min_size=1, max_size=9, unique=True), st.lists(st.floats(0, 1), max_size=20))
def test_a_backend_that_likes_only_what_the_words_never_find_changes_no_order(
    words: list[int], likes: list[float]
) -> None:
    said = [float(word) for word in words]
    alone = order(_lines(said, [0.0] * len(said)), "zzz")
    beside = rank(
        _lines([*said, *[0.0] * len(likes)], [*[0.0] * len(said), *likes]), ask("zzz"), NUMBERS, today=TODAY, limit=50
    )
    found = [one.row for one in beside]
    assert [row.text for row in found if row.words] == alone
    assert {row.text for row in found if not row.words and row.meaning > 0.01} == {
        f"line{at}" for at, like in enumerate(likes, len(said)) if like > 0.01
    }, "and it is found all the same, where there is room"


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1)), min_size=2, max_size=12))
def test_a_likeness_lets_no_line_pass_one_whose_words_are_much_better(rows: list[tuple[float, float]]) -> None:
    found = rank(_lines(*map(list, zip(*rows, strict=True))), ask("zzz"), NUMBERS, today=TODAY, limit=50)
    best = max(said for said, _ in rows)
    for at, one in enumerate(found):
        behind = (other.row.words for other in found[at + 1 :])
        assert not best or one.row.words / best >= max(behind, default=0.0) / best - NUMBERS.meaning - 1e-6


def test_of_two_lines_whose_words_fit_alike_the_one_that_means_it_comes_first() -> None:
    likes = [0.0, 1.0, 0.4]
    assert order(_lines([2.0, 1.9, 1.9], likes), "zzz") == ["zzz line1", "zzz line0", "zzz line2"]
    assert order(_lines([0.0, 0.0, 0.0], likes), "zzz") == ["line1", "line2"], "where no word is found, it speaks alone"


@pytest.mark.parametrize("agreed", [0.0, 1.0])
def test_what_trust_asks_for_may_be_nothing_or_all(agreed: float) -> None:
    rows = _lines([2.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    found = rank(rows, ask("zzz"), NUMBERS._replace(agreed=agreed), today=TODAY, limit=9)
    assert [one.row.text for one in found] == ["zzz line0", "zzz line1", "line2"]


@given(st.integers(1, 9), st.floats(0.5, 9))
def test_where_the_words_find_little_of_the_topic_the_nearest_in_meaning_comes_first(lines: int, said: float) -> None:
    rows = _lines([said] * lines + [0.0], [0.0] * lines + [1.0])
    assert order(rows, "zzz")[0] == "zzz line0", "the words hold all of this question"
    assert order(rows, "zzz boiler heating chimney")[0] == f"line{lines}", "and a quarter of this one"


def test_two_lines_with_the_rarest_word_of_a_question_are_about_one_thing() -> None:
    """An update keeps the topic and little else: `The vault syncs over Dropbox`, `I took the vault off the cloud`."""
    old = Candidate("MEMORY.md", 3, 0, "The password vault syncs over Dropbox", date="2025-02-14", words=2.0)
    new = Candidate("MEMORY.md", 4, 1, "I took the vault off the cloud", date="2025-06-11", words=1.0)
    other = Candidate("MEMORY.md", 5, 2, "The calendar syncs every hour", date="2025-07-01", words=1.5)
    asked = Question("How does the vault sync?", ("vault", "sync"), weights={"vault": 3.0, "sync": 2.0})
    scores = newest_first([old, other, new], [3.0, 2.0, 1.0], asked, NUMBERS)
    assert scores == [1.0, 2.0, 3.0]


COUNT = 60
_rows = st.lists(st.integers(1, COUNT), unique=True, max_size=COUNT).map(sorted)
_lists = st.lists(_rows, max_size=6).map(lambda some: sorted(some, key=len))
_norms = st.binary(min_size=COUNT + 1, max_size=COUNT + 1).map(lambda some: bytes(1 + byte % 4 for byte in some))
SHAPE = (0.0, 1.25, 1.0, 0.75, 0.5)


@given(_lists, st.lists(st.sampled_from([0.25, 1.0, 2.0, 8.0]), min_size=6, max_size=6), _norms, st.integers(1, 12))
def test_the_best_are_those_of_all(lists: list[list[int]], weights: list[float], norms: bytes, limit: int) -> None:
    weighed = list(zip(sorted(weights, reverse=True), lists, strict=False))
    whole: dict[int, float] = {}
    for weight, rows in weighed:
        for row in rows:
            whole[row] = whole.get(row, 0.0) + weight
    whole = {row: score * SHAPE[norms[row]] for row, score in whole.items()}
    least = sorted(whole.values(), reverse=True)[limit - 1] if len(whole) > limit else 0.0
    scores = summed([(weight, array("I", rows)) for weight, rows in weighed], None, norms, SHAPE)
    assert scores == whole
    assert dict(best_rows(scores, limit)) == {row: score for row, score in whole.items() if score >= least}


@given(_lists, st.frozensets(st.integers(1, COUNT)), _norms, st.integers(1, 12))
def test_only_what_must_be_counts(lists: list[list[int]], only: frozenset[int], norms: bytes, limit: int) -> None:
    scores = summed([(1.0, array("I", rows)) for rows in lists], only, norms, SHAPE)
    assert scores.keys() == only
    found = best_rows(scores, limit)
    assert len(found) >= min(limit, len(only))
    assert all(score == max(1, sum(row in rows for rows in lists)) * SHAPE[norms[row]] for row, score in found)
