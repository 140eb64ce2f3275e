"""Tell what a question is about, and how much of that a line holds.

The words by which a question only asks («live», «go», «多少钱») are left out: an unrelated line shares them as often as
the line that answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from heapq import nlargest
from math import ceil

from mdmem.search.question import Candidate, Phrase, Question, RankedHit
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related
from mdmem.settings.tables import RecallSettings
from mdmem.text.pattern import pattern


class Focus:
    """The words that a question is about, with their weights."""

    def __init__(self, question: Question, settings: RecallSettings, related: Sequence[Related] = ()) -> None:
        said, left_out = question.words, ordinary(question, settings.ordinary)
        self.words = {word: question.weights.get(word, 1.0) for word in said if word not in left_out}
        self._related = [one for one in related if one.of in self.words]

    def weight(self, held: Collection[str]) -> float:
        """Return the weight of those words that a line of these terms holds, or that its words answer for."""
        said = frozenset(held)
        shares = {word: 1.0 for word in self.words if word in said}
        for one in self._related:
            if any(map(said.issuperset, one.alternatives)):
                shares[one.of] = max(one.share, shares.get(one.of, 0.0))
        return sum(share * self.words[word] for word, share in shares.items())


def quoted_first(found: Sequence[RankedHit], phrases: Sequence[Phrase]) -> tuple[RankedHit, ...]:
    """Order rows by how many of the phrases they hold, then by score; unchanged if no row holds any."""
    held = [sum(phrase.within(one.row.text) for phrase in phrases) for one in found]
    most = max(held, default=0)
    if not most:
        return tuple(found)
    scored = (
        one._replace(score=round((count + one.score) / (most + 1), 6)) for one, count in zip(found, held, strict=True)
    )
    return tuple(sorted(scored, key=lambda one: -one.score))


_FURTHEST = 10  # lines, however little the share fades
Terms = dict[int, float]  # the number of each term that counts for a row, and how much
_MARK = pattern(r"[?？]")
_CAPTION = pattern(r"\[image:[^\]]*\]")
_SENTENCE = pattern(r"[^.!?。！？]+[.!?。！？]*")


def spread(rows: Sequence[Candidate], settings: RecallSettings) -> list[float]:
    """Return what the rows around each row add to its own terms, each term as much as its best place gives."""
    near = [dict(row.held) for row in rows]
    places = {(row.path, row.place): index for index, row in enumerate(rows) if row.story}
    steps = _steps(settings)
    for row in rows:
        if not (row.story and row.held):
            continue
        spoken = bool(row.who) and row.length <= settings.short_terms
        trust = 1.0 if spoken else settings.unspoken
        for step, share in steps:
            there = places.get((row.path, row.place + step))
            if there is None:
                continue
            answers = step == 1 and spoken and rows[there].who != row.who and _MARK.search(row.text)
            _lend(near[there], row.held, max(share, settings.answer) if answers else share * trust)
    return [sum(terms.values()) - sum(score for _, score in row.held) for terms, row in zip(near, rows, strict=True)]


def _steps(settings: RecallSettings) -> list[tuple[int, float]]:
    """Return the distances at which a row lends, those behind it first, with the share that it lends there."""
    steps = []
    for way, first in ((1, settings.after), (-1, settings.before)):
        reach = min(_FURTHEST, ceil(round(first / settings.fade, 6))) if settings.fade else 1
        steps += [(way * (step + 1), first - step * settings.fade) for step in range(reach)]
    return steps


def _lend(terms: Terms, held: Sequence[tuple[int, float]], share: float) -> None:
    for term, score in held:
        if share * score > terms.get(term, 0.0):
            terms[term] = share * score


def asking(text: str) -> float:
    """Return the share of a line that stands in questions, captions left out."""
    if not _MARK.search(text):
        return 0.0
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(_CAPTION.sub("", text))]
    asked = sum(len(sentence) for sentence in sentences if _MARK.search(sentence))
    return asked / (sum(map(len, sentences)) or 1)


Shares = dict[str, Sequence[float]]  # of each way, what it gives each row
_LAST = 0.001  # least trust in a likeness: what only it finds is found still, after all else
_OF_TIME = pattern(
    r"(?i)\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|morning|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:19|20)\d\d|recently|just)\b|[昨今明前后]天|[上下这本]个?[周月]|[去今明]年|\d ?[月日号]|刚刚|星期"
    r"|周[一二三四五六日末]"
)


def relevance(rows: Sequence[Candidate], question: Question, settings: RecallSettings) -> tuple[list[float], Shares]:
    """Score rows from 0 up; the second value says what each way gave."""
    own, shares = _mixed(rows, settings)
    if question.days:
        known = {day: _in_time(day, question, settings) for day in {row.date for row in rows}}
        near = [known[row.date] for row in rows]
        shares["time"] = told = [
            (settings.time * score + settings.day) * share for score, share in zip(own, near, strict=True)
        ]
        own = [score + more for score, more in zip(own, told, strict=True)]
    shares["story"] = story = _story(rows, own, settings)
    named = question.names(who for row in rows for who in (row.who, row.subject, row.predicate))
    shares["asked"] = asked = [_asked(row, named, question, settings) for row in rows]
    scores = [
        (score + told) * (1 + more) * _telling(row, settings)
        for row, score, told, more in zip(rows, own, story, asked, strict=True)
    ]
    if question.when:
        for index in nlargest(2 * settings.compared, range(len(rows)), key=scores.__getitem__):
            if _OF_TIME.search(rows[index].text):
                scores[index] *= 1 + settings.when
    return scores, shares


def _mixed(rows: Sequence[Candidate], settings: RecallSettings) -> tuple[list[float], Shares]:
    """Add up the ways of recall: the words scaled by the best row's own, the last rounds' words, a likeness."""
    best = max((row.words for row in rows), default=0.0) or 1.0
    words = [row.words / best for row in rows]
    near = [lent / best for lent in spread(rows, settings)]
    context = _scaled([row.context for row in rows])
    meaning = _meant([row.meaning for row in rows], words, settings)
    mixed = [
        own + given + settings.recent * before + like
        for own, given, before, like in zip(words, near, context, meaning, strict=True)
    ]
    return mixed, {"words": words, "neighbours": near, "context": context, "meaning": meaning}


def _telling(row: Candidate, settings: RecallSettings) -> float:
    """Return less for a line of a talk that only asks."""
    return 1 - settings.asking * asking(row.text) if row.story and row.who else 1.0


def _meant(likeness: Sequence[float], words: Sequence[float], settings: RecallSettings) -> list[float]:
    """Return what a vector backend adds: what stands out of its likenesses, as far as its nearest rows hold the words.

    So a model that likes what the words never find, a weak one or one that does not know the language, changes next to
    nothing: its rows come last. Where no row holds a word it speaks alone.
    """
    if not any(words):
        return list(likeness)
    nearest = nlargest(settings.agree, range(len(words)), key=likeness.__getitem__)
    held = [words[index] for index in nearest if likeness[index]]
    agreed = sum(held) / (len(held) or 1)
    trust = 1.0 if agreed >= settings.agreed else max(_LAST, (agreed / settings.agreed) ** 2)
    return [settings.meaning * trust * like**2 for like in likeness]


def _scaled(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else [0.0] * len(scores)


def _in_time(day: str, question: Question, settings: RecallSettings) -> float:
    """Return 1 on the days that the question names, less soon after: what happened is told later."""
    if not day or any(days.hold(day) for days in question.days):
        return float(bool(day))
    try:
        told = date.fromisoformat(day[:10])
    except ValueError:
        return 0.0
    first = (told - timedelta(days=min(settings.near_days, told.toordinal() - 1))).isoformat()
    return settings.near if any(days.meet(first, day) for days in question.days) else 0.0


def _story(rows: Sequence[Candidate], own: Sequence[float], settings: RecallSettings) -> list[float]:
    """Return each row a share of its file's score: its best rows, each next one counting less."""
    files: dict[str, list[float]] = {}
    for row, score in zip(rows, own, strict=True):
        if row.story:
            files.setdefault(row.path, []).append(score)
    told = {
        path: sum(
            score * settings.story_decay**rank for rank, score in enumerate(nlargest(settings.story_lines, scores))
        )
        for path, scores in files.items()
    }
    best, top = max(told.values(), default=0.0) or 1.0, max(own, default=0.0)
    return [settings.story * top * told[row.path] / best if row.story else 0.0 for row in rows]


def _asked(row: Candidate, named: frozenset[str], question: Question, settings: RecallSettings) -> float:
    """Return how much more a row counts that is what the question names: of a kind, a tag, a subject, a speaker.

    A memory of its own stands alone: it counts more for being distilled, since no neighbour lends it anything.
    """
    factor = 1.0 if row.story else 1 + settings.distilled
    if row.who and (row.who in named or (question.mine and row.who == "user")):
        factor += settings.speaker
    if row.kind in question.kinds or not question.tags.isdisjoint(row.tags):
        factor += settings.asked
    if row.subject and row.subject in named:
        factor += settings.subject
    if row.predicate and row.predicate in named:
        factor += settings.predicate
    return factor - 1
