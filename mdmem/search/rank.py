"""Rank the newest of several lines about one thing first, or the oldest if the question asks for the past.

Lines are about one thing if subject and predicate are the same, or if they hold the same words of the question, or,
where it asks something, its rarest word that more than one line holds: what it is about. Which other words they share
does not count: an update is often a paraphrase, and unrelated lines share sentence patterns. The newest of such lines
also comes before a line without a date that holds no more of the question: what changed is what is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from mdmem.search.question import Candidate, Question, RankedHit
from mdmem.search.relevance import Focus, Shares, relevance
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import terms
from mdmem.settings.tables import RecallSettings
from mdmem.text.inline import is_dense
from mdmem.text.similarity import near_duplicates


def newest_first(
    rows: Sequence[Candidate], scores: Sequence[float], question: Question, settings: RecallSettings
) -> list[float]:
    """Redistribute the scores of each group by date, the best score to the newest row; rows come best first."""
    given = list(scores)
    if question.days:
        return given
    same = _Same(rows[: settings.compared], question, settings)
    for group in same.groups():
        by_date = sorted(group, key=lambda index: (not rows[index].old, rows[index].date, -index))
        if not question.past:
            by_date.reverse()
        _give(given, by_date)
        _give(given, [by_date[0], *sorted(same.behind(group), key=lambda index: -given[index])])
    return given


def _give(scores: list[float], order: Sequence[int]) -> None:
    """Reassign the scores of these rows in this order, the best to the first."""
    best = sorted((scores[index] for index in order), reverse=True)
    for index, score in zip(order, best, strict=True):
        scores[index] = score


class _Same:
    """Decides which lines are about one thing, by the words of the question that they hold."""

    def __init__(self, rows: Sequence[Candidate], question: Question, settings: RecallSettings) -> None:
        self._rows, self._settings = rows, settings
        about = frozenset(question.words) - ordinary(question, settings.ordinary) or frozenset(question.words)
        self._held = [about.intersection(terms(row.plain)) for row in rows]
        # an update may part two characters that the question has side by side
        self._weights = {
            word: question.weights.get(word, 1.0) for word in sorted(about) if len(word) == 1 or not is_dense(word[0])
        }
        self._all = self._weight(about)
        self._topic = self._read_topic(question)

    def groups(self) -> Iterator[list[int]]:
        """Return the row numbers of each thing that several rows are about."""
        left = list(range(len(self._rows)))
        while left:
            first, *rest = left
            group = [first, *(other for other in rest if self._thing(first, other))]
            left = [index for index in rest if index not in group]
            if len(group) > 1:
                yield group

    def behind(self, group: Sequence[int]) -> list[int]:
        """Return the rows before which a group comes: without a date, holding no more of the question than it does.

        Where two lines of different days tell of a thing, it is the one that changed and is asked for.
        """
        most = max(self._weight(self._held[index]) for index in group)
        return [
            index
            for index, row in enumerate(self._rows)
            if not (row.date or row.story or index in group) and self._weight(self._held[index]) <= most
        ]

    def _read_topic(self, question: Question) -> str:
        """Return the rarest word of the question that several lines hold: what it is about, if it asks something."""
        if not question.text.rstrip().endswith(("?", "？")):
            return ""
        counts = Counter(word for one in self._held for word in one)
        several = [word for word, count in counts.items() if count > 1]
        return max(several, key=lambda word: (question.weights.get(word, 1.0), word), default="")

    def _thing(self, first: int, second: int) -> bool:
        """Return True if two lines are about one thing."""
        one, other, here, there = self._rows[first], self._rows[second], self._held[first], self._held[second]
        if one.predicate and other.predicate:
            return (one.subject, one.predicate) == (other.subject, other.predicate)
        common = self._weight(here & there)
        if one.who != other.who or not common or not (one.date and other.date):
            return False
        if one.story or other.story:  # most lines of a story tell what happened, which nothing supersedes
            return not one.who and one.path != other.path and common >= self._settings.same_story * self._all
        return common >= self._settings.same * self._weight(here | there) or self._topic in here & there

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._weights.get(word, 0.0) for word in sorted(words))


def weight_factor(row: Candidate, settings: RecallSettings, *, today: date, persona: Mapping[str, float]) -> float:
    """Return the factor by which a row's relevance counts; 1 for a line of a story and for the middling memory."""
    weight = persona.get(row.type.casefold(), 1.0)
    if row.story:
        return weight
    asked = row.opened / (row.opened + settings.access_half)
    given = settings.recency * recency(row.date, settings, today) + settings.importance * row.importance
    dull = settings.recency * settings.undated_recency + settings.importance * settings.unrated_importance
    middling = settings.relevance + dull or 1.0  # where the settings count nothing at all, all are alike
    return weight * (settings.relevance + given + settings.access * asked) / middling


def recency(day: str, settings: RecallSettings, today: date) -> float:
    """Return 1 for today, halved with every half-life; what has no date, as the settings say."""
    try:
        age = (today - date.fromisoformat(day[:10])).days
    except ValueError:
        return settings.undated_recency
    return float(0.5 ** (max(0, age) / settings.half_life_days))


def persona_weights(rows: Sequence[str], persona: str) -> Mapping[str, float]:
    """Read a persona's factors from rows like `tech_expert skill 1.2 error 1.2`; an unknown persona has none."""
    for said in (row.split() for row in rows):
        if persona and said and said[0].casefold() == persona.casefold():
            return {kind.casefold(): _number(factor) for kind, factor in zip(said[1::2], said[2::2], strict=False)}
    return {}


def _number(said: str) -> float:
    try:
        return float(said)
    except ValueError:
        return 1.0


def rank(
    rows: Sequence[Candidate],
    question: Question,
    settings: RecallSettings,
    *,
    today: date,
    limit: int,
    persona: str = "",
    related: Sequence[Related] = (),
) -> tuple[RankedHit, ...]:
    """Order candidates, the best first; the same candidates in any order give the same answer."""
    rows = sorted(rows, key=_place)
    weights = persona_weights(settings.persona, persona)
    fit, shares = relevance(rows, question, settings)
    scores = [
        score * weight_factor(row, settings, today=today, persona=weights) for row, score in zip(rows, fit, strict=True)
    ]
    order = sorted((index for index, score in enumerate(scores) if score > 0), key=lambda index: -scores[index])
    order = order[: max(limit, settings.compared)]
    head, rest = order[: settings.compared], order[settings.compared :]
    _focused(rows, scores, head, Focus(question, settings, related), settings)
    order = sorted(head, key=lambda index: -scores[index]) + rest
    given = newest_first([rows[index] for index in order], [scores[index] for index in order], question, settings)
    best = max(given, default=0.0)
    found = [
        RankedHit(rows[index], round(score / best, 6), _why(shares, index, newest=score > scores[index]))
        for index, score in zip(order, given, strict=True)
    ]
    found.sort(key=lambda one: -one.score)
    return _once(found, settings)[:limit]


def _focused(
    rows: Sequence[Candidate], scores: list[float], head: Sequence[int], focus: Focus, settings: RecallSettings
) -> None:
    """Take from the scores of lines that hold little of what the question is about, as compared with the best."""
    if all(rows[index].story for index in head):
        return
    held = [focus.weight(terms(f"{rows[index].subject} {rows[index].plain}")) for index in head]
    best = max(held, default=0.0) or 1.0
    for index, weight in zip(head, held, strict=True):
        if not rows[index].story:
            scores[index] *= 1 - settings.focus * (1 - weight / best)


def _place(row: Candidate) -> tuple[str, int, int]:
    return row.path, row.place, row.line


def _why(shares: Shares, index: int, *, newest: bool) -> tuple[str, ...]:
    told = sorted((-share[index], way) for way, share in shares.items() if share[index] > 0)
    return (*(("newest",) if newest else ()), *(way for _, way in told))


def _once(found: Sequence[RankedHit], settings: RecallSettings) -> tuple[RankedHit, ...]:
    """Put what says nearly the same as a better one behind the others that were compared."""
    head = found[: settings.compared]
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    kept = [one for index, one in enumerate(head) if index not in again]
    said = [one for index, one in enumerate(head) if index in again]
    return (*kept, *said, *found[settings.compared :])
