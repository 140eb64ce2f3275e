"""Score how well each row fits a question: its words, its day, what stands around it, who says it.

The ways of recall are added up, and a row of a story gets a share of its file's score: the answer often stands in a
file that speaks of the matter again and again. Names and forms of a line are factors of that sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from heapq import nlargest

from mdmem.core.pattern import pattern
from mdmem.core.settings.recall import RecallSettings
from mdmem.recall.question import Question
from mdmem.recall.row import Row
from mdmem.recall.spread import asking, spread

Shares = dict[str, Sequence[float]]  # of each way, what it gives each row
_LAST = 0.001  # least trust in a likeness: what only it finds is found still, after all else
_OF_TIME = pattern(
    r"(?i)\b(?:yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|morning|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:19|20)\d\d|recently|just)\b|[昨今明前后]天|[上下这本]个?[周月]|[去今明]年|\d ?[月日号]|刚刚|星期"
    r"|周[一二三四五六日末]"
)


def relevance(rows: Sequence[Row], question: Question, settings: RecallSettings) -> tuple[list[float], Shares]:
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


def _mixed(rows: Sequence[Row], settings: RecallSettings) -> tuple[list[float], Shares]:
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


def _telling(row: Row, settings: RecallSettings) -> float:
    """Return less for a line of a talk that only asks."""
    return 1 - settings.asking * asking(row.text) if row.story and row.who else 1.0


def _meant(likeness: Sequence[float], words: Sequence[float], settings: RecallSettings) -> list[float]:
    """Give what a vector backend adds: what stands out of its likenesses, as far as its nearest rows hold the words.

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
    """Give 1 on the days that the question names, less soon after: what happened is told later."""
    if not day or any(days.hold(day) for days in question.days):
        return float(bool(day))
    try:
        told = date.fromisoformat(day[:10])
    except ValueError:
        return 0.0
    first = (told - timedelta(days=min(settings.near_days, told.toordinal() - 1))).isoformat()
    return settings.near if any(days.meet(first, day) for days in question.days) else 0.0


def _story(rows: Sequence[Row], own: Sequence[float], settings: RecallSettings) -> list[float]:
    """Give each row a share of its file's score: its best rows, each next one counting less."""
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


def _asked(row: Row, named: frozenset[str], question: Question, settings: RecallSettings) -> float:
    """Give how much more a row counts that is what the question names: of a kind, a tag, a subject, a speaker.

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
