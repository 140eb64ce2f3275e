"""Scores candidates: words, neighbours, recent rounds, vectors, days, stories, and names in the question.

Words by which a question only asks («live», «go», «多少钱») do not count: unrelated lines share them as often as the
line that answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from heapq import nlargest
from math import ceil

from mdmem.search.question import USER, Candidate, Phrase, Question, RankedHit
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import line_terms
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.pattern import pattern


class Focus:
    """The words of a question's topic, with their weights."""

    def __init__(self, question: Question, settings: RecallSettings, related: Sequence[Related] = ()) -> None:
        words, left_out = question.words, ordinary(question, settings.ordinary)
        self.words = {word: question.weights.get(word, 1.0) for word in words if word not in left_out}
        self._related = [one for one in related if one.of in self.words]

    def weight(self, terms: Collection[str]) -> float:
        """Return the weight of the topic words that a line contains, directly or by related terms."""
        contained = frozenset(terms)
        shares = {word: 1.0 for word in self.words if word in contained}
        for extra in self._related:
            if extra.is_in(contained):
                shares[extra.of] = max(extra.share, shares.get(extra.of, 0.0))
        return sum(share * self.words[word] for word, share in shares.items())


def quoted_first(found: Sequence[RankedHit], phrases: Sequence[Phrase]) -> tuple[RankedHit, ...]:
    """Sort rows by how many of the phrases they contain, then by score; unchanged if no row contains any."""
    counts = [sum(phrase.within(one.row.text) for phrase in phrases) for one in found]
    most = max(counts, default=0)
    if not most:
        return tuple(found)
    scored = (
        one._replace(score=round((count + one.score) / (most + 1), 6)) for one, count in zip(found, counts, strict=True)
    )
    return tuple(sorted(scored, key=lambda hit: -hit.score))


_FURTHEST = 10  # lines: the maximum distance
Terms = dict[int, float]  # the number and score of each term that counts for a row
_MARK = pattern(r"[?？]")
_CAPTION = pattern(r"\[image:[^\]]*\]")
_SENTENCE = pattern(r"[^.!?。！？]+[.!?。！？]*")


def spread(rows: Sequence[Candidate], settings: RecallSettings) -> list[float]:
    """Return what neighbouring rows add to each row: each term counts once, with its highest share."""
    near = [dict(row.term_scores) for row in rows]
    indexes = {(row.path, row.ordinal): index for index, row in enumerate(rows) if row.story}
    steps = _steps(settings)
    for row in rows:
        if not (row.story and row.term_scores):
            continue
        is_turn = bool(row.who) and row.length <= settings.short_terms
        trust = 1.0 if is_turn else settings.without_speaker
        for step, share in steps:
            neighbour = indexes.get((row.path, row.ordinal + step))
            if neighbour is None:
                continue
            answers = step == 1 and is_turn and rows[neighbour].who != row.who and _MARK.search(row.text)
            _share_terms(near[neighbour], row.term_scores, max(share, settings.answer) if answers else share * trust)
    return [
        sum(terms.values()) - sum(score for _, score in row.term_scores) for terms, row in zip(near, rows, strict=True)
    ]


def _steps(settings: RecallSettings) -> list[tuple[int, float]]:
    """Return the distances at which a row shares its terms, following rows first, with the share."""
    steps = []
    for direction, first in ((1, settings.after), (-1, settings.before)):
        reach = min(_FURTHEST, ceil(round(first / settings.fade, 6))) if settings.fade else 1
        steps += [(direction * (step + 1), first - step * settings.fade) for step in range(reach)]
    return steps


def _share_terms(terms: Terms, scores: Sequence[tuple[int, float]], share: float) -> None:
    for term, score in scores:
        if share * score > terms.get(term, 0.0):
            terms[term] = share * score


def asking(text: str) -> float:
    """Return the share of a line that is in questions, without captions."""
    if not _MARK.search(text):
        return 0.0
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(_CAPTION.sub("", text))]
    asked = sum(len(sentence) for sentence in sentences if _MARK.search(sentence))
    return asked / (sum(map(len, sentences)) or 1)


Shares = dict[str, Sequence[float]]  # the contribution of each way to each row
SESSION = "session"
_LAST = 0.001  # minimum trust in vectors: what only they find comes last


def relevance(
    rows: Sequence[Candidate], question: Question, focus: Focus, settings: RecallSettings
) -> tuple[list[float], Shares]:
    """Score rows from 0 up; the second value holds the contribution of each way."""
    own, shares = _mixed(rows, focus, settings)
    if question.days:
        by_day = {day: _in_time(day, question, settings) for day in {row.date for row in rows}}
        near = [by_day[row.date] for row in rows]
        shares["time"] = time_scores = [
            (settings.time * score + settings.day) * share for score, share in zip(own, near, strict=True)
        ]
        own = [score + more for score, more in zip(own, time_scores, strict=True)]
    shares["story"] = story = _story_scores(rows, own, settings)
    named = question.names(who for row in rows for who in (row.who, row.subject, row.predicate))
    shares["asked"] = asked = [_named_bonus(row, named, question, settings) for row in rows]
    scores = [
        (score + time_scores) * (1 + more) * _question_factor(row, settings)
        for row, score, time_scores, more in zip(rows, own, story, asked, strict=True)
    ]
    return scores, shares


def _mixed(rows: Sequence[Candidate], focus: Focus, settings: RecallSettings) -> tuple[list[float], Shares]:
    """Add up the ways of recall: words relative to the best row, neighbours, words of the last rounds, vectors."""
    best = max((row.words for row in rows), default=0.0) or 1.0
    words = [row.words / best for row in rows]
    near = [lent / best for lent in spread(rows, settings)]
    context = _scaled([row.context for row in rows])
    meaning = _vector_scores(rows, words, focus, settings)
    mixed = [
        own + given + settings.recent * before + like
        for own, given, before, like in zip(words, near, context, meaning, strict=True)
    ]
    return mixed, {"words": words, "neighbours": near, "context": context, "meaning": meaning}


def _question_factor(row: Candidate, settings: RecallSettings) -> float:
    """Return a lower factor for a turn that only asks."""
    return 1 - settings.asking * asking(row.text) if row.story and row.who else 1.0


def only_asks(row: Candidate, settings: RecallSettings) -> bool:
    """Return whether a line of a session with an agent, its title included, is a question and no more."""
    return row.story and row.kind == SESSION and asking(row.text) >= settings.sure_asks


def _vector_scores(
    rows: Sequence[Candidate], words: Sequence[float], focus: Focus, settings: RecallSettings
) -> list[float]:
    """Return the contribution of a vector backend.

    Where the best lines by words contain the topic of the question, a backend only adds to them, and is trusted as far
    as its nearest rows contain these words: a weak model, or one for another language, changes next to nothing. The
    less of the topic they contain, the more it decides, for the answer is in other words then.
    """
    likeness = [row.meaning for row in rows]
    if not any(likeness) or not any(words):
        return likeness
    nearest = nlargest(settings.agree, range(len(words)), key=likeness.__getitem__)
    contained = [words[index] for index in nearest if likeness[index]]
    agreed = sum(contained) / (len(contained) or 1)
    trust = 1.0 if agreed >= settings.agreed else max(_LAST, (agreed / settings.agreed) ** 2)
    covered = min(1.0, _topic_share(rows, words, focus, settings) / (settings.covered or 1.0))
    most = settings.meaning_alone
    weight = min(most, settings.meaning / covered**settings.covered_power) if covered else most
    return [weight * max(trust, 1 - covered) * like**2 for like in likeness]


def _topic_share(rows: Sequence[Candidate], words: Sequence[float], focus: Focus, settings: RecallSettings) -> float:
    """Return the share of a question's topic that the best lines by words contain at most."""
    best = nlargest(settings.checked, range(len(rows)), key=words.__getitem__)
    total = sum(focus.words.values())
    return max(focus.weight(line_terms(rows[index].plain)) for index in best) / total if total else 0.0


def _scaled(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else [0.0] * len(scores)


def _in_time(day: str, question: Question, settings: RecallSettings) -> float:
    """Return 1 on the days that the question names, and less soon after, because events are reported later."""
    if not day or any(days.hold(day) for days in question.days):
        return float(bool(day))
    try:
        reported_on = date.fromisoformat(day[:10])
    except ValueError:
        return 0.0
    first = (reported_on - timedelta(days=min(settings.near_days, reported_on.toordinal() - 1))).isoformat()
    return settings.near if any(days.meet(first, day) for days in question.days) else 0.0


def _story_scores(rows: Sequence[Candidate], own: Sequence[float], settings: RecallSettings) -> list[float]:
    """Return each row's share of its file's score: the best rows of the file, each next one counting less."""
    files: dict[str, list[float]] = {}
    for row, score in zip(rows, own, strict=True):
        if row.story:
            files.setdefault(row.path, []).append(score)
    by_file = {
        path: sum(
            score * settings.story_decay**rank for rank, score in enumerate(nlargest(settings.story_lines, scores))
        )
        for path, scores in files.items()
    }
    best, top = max(by_file.values(), default=0.0) or 1.0, max(own, default=0.0)
    return [settings.story * top * by_file[row.path] / best if row.story else 0.0 for row in rows]


def _named_bonus(row: Candidate, named: frozenset[str], question: Question, settings: RecallSettings) -> float:
    """Return the bonus of a row that the question names: by kind, tag, subject, predicate or speaker.

    An entry outside stories gets a bonus because it is distilled and has no neighbours that share scores.
    """
    factor = 1.0 if row.story else 1 + settings.distilled
    if row.who and (row.who in named or (question.mine and row.who == USER)):
        factor += settings.speaker
    if row.kind in question.kinds or not question.tags.isdisjoint(row.tags):
        factor += settings.asked
    if row.subject and row.subject in named:
        factor += settings.subject
    if row.predicate and row.predicate in named:
        factor += settings.predicate
    return factor - 1
