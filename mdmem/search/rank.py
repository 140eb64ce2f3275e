"""Ranks candidates: relevance, weights, and the newest of several lines about one topic first.

If the question asks for the past, the oldest comes first. Lines are about one topic if subject and predicate are
equal, or if they contain the same words of the question. They are also about one topic if they contain the words of
the question that the best line shares with another dated one; of several, with the one that shares most. Other common
words do not count: an update is often a paraphrase, and unrelated lines share sentence patterns. A line of the days
that the question names is an event of its own. The newest line of a topic also precedes an undated line that contains
no more of the question.

Lines that hold what the question asks for (a person, a place, a time, an amount, a reason) are raised, and of several
things that it names, the best line of each comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from heapq import nlargest

from mdmem.search.earlier import ValueLine, earlier_first
from mdmem.search.question import USER, Candidate, Question, RankedHit, parts_of
from mdmem.search.relevance import SESSION, Focus, Shares, only_asks, relevance
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import is_stop, line_terms, terms
from mdmem.settings.phrases import any_of
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.inline import is_dense
from mdmem.text.similarity import near_duplicates

_REASON, _TIME = "reason", "time"  # roles: the reason has an order of its own, and lines of a log hold times
_CHAT = "chat:"  # begins the source of what a session said


def newest_first(
    rows: Sequence[Candidate], scores: Sequence[float], question: Question, settings: RecallSettings,
    related: Sequence[Related] = (),
) -> list[float]:  # fmt: skip
    """Redistribute the scores of each group by date, the best score to the newest row; rows come best first."""
    result = list(scores)
    same = _Topics(rows[: settings.compared], question, settings, related if question.past else ())
    for group in same.groups():
        by_date = sorted(group, key=lambda index: (not rows[index].old, rows[index].date, -index), reverse=True)
        if question.past:
            stated = [ValueLine(rows[index].plain, rows[index].date, rows[index].old) for index in group]
            by_date = [group[at] for at in earlier_first(stated, question.earlier)]
        _reassign(result, by_date)
        _reassign(result, [by_date[0], *sorted(same.behind(group), key=lambda index: -result[index])])
    return result


def _as_facts(
    rows: Sequence[Candidate], known: Sequence[Candidate], settings: RecallSettings
) -> list[Candidate]:  # fmt: skip
    """Return the rows with the subject, predicate and state of the fact that cites them, if one does.

    A turn that says an older value is superseded with the fact that was made of it.
    """
    cited: dict[str, list[Candidate]] = {}
    for fact in known:
        if fact.source.startswith(_CHAT):
            cited.setdefault(fact.source.removeprefix(_CHAT).partition("#")[0], []).append(fact)
    return [_as_fact(row, cited.get(_stem(row.path), ()), settings) if row.story and cited else row for row in rows]


def _as_fact(row: Candidate, facts: Sequence[Candidate], settings: RecallSettings) -> Candidate:
    said = line_terms(row.plain) if facts else frozenset()
    shares = [(len(said & (own := line_terms(fact.plain))) / (len(own) or 1), fact) for fact in facts]
    share, fact = max(shares, key=lambda one: (one[0], one[1].ordinal), default=(0.0, row))
    if share < settings.same:
        return row
    return row._replace(who=fact.who, subject=fact.subject, predicate=fact.predicate, old=fact.old)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _reassign(scores: list[float], order: Sequence[int]) -> None:
    """Reassign the scores of these rows in this order, the best to the first."""
    best = sorted((scores[index] for index in order), reverse=True)
    for index, score in zip(order, best, strict=True):
        scores[index] = score


class _Topics:
    """Groups lines about one topic by the words of the question they contain."""

    def __init__(
        self, rows: Sequence[Candidate], question: Question, settings: RecallSettings, related: Sequence[Related]
    ) -> None:
        """Bind to rows; a row that holds a related term counts as holding the word that it answers."""
        self._rows, self._settings = rows, settings
        words = frozenset(question.words) - question.earlier.until or frozenset(question.words)
        about = words - ordinary(question, settings.ordinary) or words
        held = [line_terms(row.plain) for row in rows]
        self._contained = [about & (own | {one.of for one in related if one.is_in(own)}) for own in held]
        # an update may separate two characters that are adjacent in the question
        self._weights = {
            word: question.weights.get(word, 1.0)
            for word in sorted(about)
            if _is_character(word) or not is_dense(word[0])
        }
        self._all = self._weight(about)
        self._asks = question.text.rstrip().endswith(("?", "？"))
        self._asked_days = question.days

    def groups(self) -> Iterator[list[int]]:
        """Yield the row numbers of each topic with several rows."""
        left = list(range(len(self._rows)))
        while left:
            first, *rest = left
            topic = self._topic(first, rest)
            group = [first, *(other for other in rest if self._same_topic(first, other, topic))]
            left = [index for index in rest if index not in group]
            if len(group) > 1:
                yield group

    def behind(self, group: Sequence[int]) -> list[int]:
        """Return the rows that a group precedes: undated, with no more of the question than the group."""
        most = max(self._weight(self._contained[index]) for index in group)
        return [
            index
            for index, row in enumerate(self._rows)
            if not (row.date or row.story or index in group) and self._weight(self._contained[index]) <= most
        ]

    def _topic(self, first: int, rest: Sequence[int]) -> frozenset[str]:
        """Return the words of greatest weight that a line shares with another one; none if nothing is asked."""
        if self._rows[first].story or not self._asks:
            return frozenset()
        shared = (self._contained[first] & self._contained[other] for other in rest if self._can_update(first, other))
        topics = (words for words in shared if not all(map(_is_character, words)))
        return max(topics, key=self._weight, default=frozenset())

    def _can_update(self, first: int, second: int) -> bool:
        """Return True if one of two lines can be newer than the other, and neither is of the days asked about."""
        left, right = self._rows[first], self._rows[second]
        events = (days.hold(row.date) for row in (left, right) for days in self._asked_days)
        return bool(left.who == right.who and left.date and right.date and not any(events))

    def _same_topic(self, first: int, second: int, topic: frozenset[str]) -> bool:
        """Return True if two lines are about one topic."""
        left, right = self._rows[first], self._rows[second]
        left_words, right_words = self._contained[first], self._contained[second]
        if left.predicate and right.predicate:
            return (left.subject, left.predicate) == (right.subject, right.predicate)
        common = self._weight(left_words & right_words)
        if not (common and self._can_update(first, second)):
            return False
        if left.story or right.story:
            if left.path == right.path:
                return False
            if left.who != USER:  # most lines of a story report events, which nothing supersedes
                return not left.who and common >= self._settings.same_story * self._all
        return common >= self._settings.same * self._weight(left_words | right_words) or (
            bool(topic) and topic <= left_words & right_words
        )

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._weights.get(word, 0.0) for word in sorted(words))


def _is_character(word: str) -> bool:
    """Return True for a single character of a script without spaces."""
    return len(word) == 1 and is_dense(word)


def weight_factor(row: Candidate, settings: RecallSettings, *, today: date, persona: Mapping[str, float]) -> float:
    """Return the factor of a row's relevance; 1 for a line of a story and for an average memory."""
    weight = persona.get(row.type.casefold(), 1.0)
    if row.story:
        return weight
    asked = row.opened / (row.opened + settings.access_half)
    earned = settings.recency * recency(row.date, settings, today) + settings.importance * row.importance
    dull = settings.recency * settings.undated_recency + settings.importance * settings.unrated_importance
    middling = settings.relevance + dull or 1.0  # 1.0 if all weights are 0
    return weight * (settings.relevance + earned + settings.access * asked) / middling


def recency(day: str, settings: RecallSettings, today: date) -> float:
    """Return 1 for today, halved with every half-life; a setting for undated lines."""
    try:
        age = (today - date.fromisoformat(day[:10])).days
    except ValueError:
        return settings.undated_recency
    return float(0.5 ** (max(0, age) / settings.half_life_days))


def persona_weights(rows: Sequence[str], persona: str) -> Mapping[str, float]:
    """Parse a persona's factors from rows like `tech_expert skill 1.2 error 1.2`; empty for an unknown persona."""
    for fields in (row.split() for row in rows):
        if persona and fields and fields[0].casefold() == persona.casefold():
            return {kind.casefold(): _number(factor) for kind, factor in zip(fields[1::2], fields[2::2], strict=False)}
    return {}


def _number(text: str) -> float:
    try:
        return float(text)
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
    """Rank candidates, best first; the result does not depend on their order."""
    rows = sorted(rows, key=_position)
    weights = persona_weights(settings.persona, persona)
    focus = Focus(question, settings, related)
    fit, shares = relevance(rows, question, focus, settings)
    scores = [
        score * weight_factor(row, settings, today=today, persona=weights) for row, score in zip(rows, fit, strict=True)
    ]
    _raise_answers(rows, scores, question, focus, settings)
    order = sorted((index for index, score in enumerate(scores) if score > 0), key=lambda index: -scores[index])
    order = order[: max(limit, settings.compared)]
    head, rest = order[: settings.compared], order[settings.compared :]
    _reduce_off_topic(rows, scores, head, focus, settings)
    order = sorted(head, key=lambda index: -scores[index]) + rest
    compared = _as_facts([rows[index] for index in order], rows, settings)
    final = newest_first(compared, [scores[index] for index in order], question, settings, related)
    best = max(final, default=0.0)
    found = [
        RankedHit(rows[index], round(score / best, 6), _why(shares, index, newest=score > scores[index]))
        for index, score in zip(order, final, strict=True)
    ]
    found.sort(key=lambda hit: -hit.score)
    ordered = _tellers_first(_duplicates_last(found, settings), question, focus, settings)
    return _each_part_first(ordered, question, focus, settings)[:limit]


def _raise_answers(
    rows: Sequence[Candidate], scores: list[float], question: Question, focus: Focus, settings: RecallSettings
) -> None:
    """Raise the scores of the best lines that hold what the question asks for: a person, a place, a time, an amount.

    A line outside stories is raised if it holds more than half of the topic; a line of a story may answer the line
    before it. Lines of a log, which nobody says, hold a person, a place or an amount too often.
    """
    asked_for = [role for role in question.roles if role.name != _REASON]
    if not asked_for:
        return
    asked, topic = frozenset(terms(question.text)), focus.weight(focus.words) or 1.0
    for index in nlargest(2 * settings.compared, range(len(rows)), key=scores.__getitem__):
        row = rows[index]
        roles = (role for role in asked_for if role.name == _TIME or row.who or not row.story)
        if any(role.is_answered_by(row.text, asked) for role in roles):
            share = 1.0 if row.story else max(0.0, 2 * focus.weight(line_terms(row.plain)) / topic - 1)
            scores[index] *= 1 + settings.role * share


def _reduce_off_topic(
    rows: Sequence[Candidate], scores: list[float], head: Sequence[int], focus: Focus, settings: RecallSettings
) -> None:
    """Reduce the scores of lines that contain little of the question's topic, compared with the best line."""
    if all(rows[index].story for index in head):
        return
    contained = [focus.weight(line_terms(one.subject) | line_terms(one.plain)) for one in map(rows.__getitem__, head)]
    best = max(contained, default=0.0) or 1.0
    for index, weight in zip(head, contained, strict=True):
        if not rows[index].story:
            scores[index] *= 1 - settings.focus * (1 - weight / best)


def _position(row: Candidate) -> tuple[str, int, int]:
    return row.path, row.ordinal, row.line


def _why(shares: Shares, index: int, *, newest: bool) -> tuple[str, ...]:
    ordered_ways = sorted((-share[index], way) for way, share in shares.items() if share[index] > 0)
    return (*(("newest",) if newest else ()), *(way for _, way in ordered_ways))


def _duplicates_last(found: Sequence[RankedHit], settings: RecallSettings) -> tuple[RankedHit, ...]:
    """Move near duplicates of better rows behind the others that were compared."""
    head = found[: settings.compared]
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    distinct = [one for index, one in enumerate(head) if index not in again]
    duplicates = [one for index, one in enumerate(head) if index in again]
    return (*distinct, *duplicates, *found[settings.compared :])


def _each_part_first(
    found: Sequence[RankedHit], question: Question, focus: Focus, settings: RecallSettings
) -> tuple[RankedHit, ...]:
    """Move the best row of each part before the second one of any, among the rows that were compared.

    A question that counts («how many times») has a part in each file; where it asks what two have in common, their rows
    that share the most words are the best ones.
    """
    head = found[: settings.compared]
    parts = parts_of(question, ordinary(question, settings.ordinary), settings.choice_words)
    if parts:
        is_shared = any_of(settings.sharing).search(question.text) is not None
        first = (_pair_in_common(head, parts, question, focus) if is_shared else ()) or _best_of_each(
            head, parts, question
        )
    elif any_of(settings.counting).search(question.text):
        first = _best_of_each_file(head, focus)
    else:
        return tuple(found)
    chosen = frozenset(first)
    rest = [hit for at, hit in enumerate(head) if at not in chosen]
    return (*(head[at] for at in first), *rest, *found[settings.compared :])


def _held(hit: RankedHit) -> frozenset[str]:
    return line_terms(hit.row.plain) | line_terms(hit.row.who)


def _best_of_each(head: Sequence[RankedHit], parts: Sequence[frozenset[str]], question: Question) -> list[int]:
    """Return the first row, and of each part the one that holds the most of its words."""
    held = [_held(hit) for hit in head]
    first = {0} if head else set[int]()
    for part in parts:
        weights = [sum(question.weights.get(word, 1.0) for word in part & terms) for terms in held]
        best = max(weights, default=0.0)
        if best and not any(weights[at] == best for at in first):
            first.add(weights.index(best))
    return sorted(first)


def _pair_in_common(
    head: Sequence[RankedHit], parts: Sequence[frozenset[str]], question: Question, focus: Focus
) -> tuple[int, ...]:
    """Return a row of each of two parts that hold the most of the topic, and of these the two that share most words.

    The words of the question do not count as shared; none are returned if no two rows share another one.
    """
    asked = frozenset(terms(question.text))
    held = [_held(hit) for hit in head]
    one, two = ([at for at, words in enumerate(held) if part <= words] for part in parts[:2])
    said = [{word for word in words if len(word) > 1 and not is_stop(word)} - asked for words in held]
    topic = [focus.weight(words) for words in held]
    pairs = [
        (topic[left] + topic[right], len(said[left] & said[right]), -left - right, left, right)
        for left in one for right in two if left != right
    ]  # fmt: skip
    _, most, _, left, right = max(pairs, default=(0.0, 0, 0, 0, 0))
    return (min(left, right), max(left, right)) if most else ()


def _best_of_each_file(head: Sequence[RankedHit], focus: Focus) -> list[int]:
    """Return the best row of each file, of those that hold half as much of the topic as the best row of all."""
    held = [focus.weight(line_terms(hit.row.plain)) for hit in head]
    files: dict[str, int] = {}
    for at, hit in enumerate(head):
        if 2 * held[at] >= max(held) > 0:
            files.setdefault(hit.row.path, at)
    return list(files.values())


def _tellers_first(
    found: Sequence[RankedHit], question: Question, focus: Focus, settings: RecallSettings
) -> tuple[RankedHit, ...]:
    """Move rows behind the compared ones that tell as much of the topic better.

    These are questions to an agent behind what tells something, summaries of a session behind its own turns, and
    everything behind the reason that is asked for.
    """
    head = [one.row for one in found[: settings.compared]]
    asks = [only_asks(row, settings) for row in head]
    wanted = [role for role in question.roles if role.name == _REASON]
    reasons = [
        (row.kind == SESSION or not row.story) and any(role.is_answered_by(row.text, question.words) for role in wanted)
        for row in head
    ]
    summaries = [_is_summary(row) and not reason for row, reason in zip(head, reasons, strict=True)]
    if not (any(asks) or any(summaries) or any(reasons)):
        return tuple(found)
    held = [focus.weight(line_terms(row.plain)) for row in head]

    def precedes(other: int, at: int) -> bool:
        if held[other] < held[at] or asks[other]:
            return False
        is_summed_up = summaries[at] and head[other].path == head[at].path and not summaries[other]
        return asks[at] or is_summed_up or (reasons[other] and not reasons[at])

    last = [max((at, *(other for other in range(len(head)) if precedes(other, at)))) for at in range(len(head))]
    order = sorted(range(len(head)), key=lambda at: (last[at], last[at] > at, at))
    return (*(found[at] for at in order), *found[settings.compared :])


def _is_summary(row: Candidate) -> bool:
    """Return True for a line of a session that nobody said: an episode, the request, the result."""
    return row.story and row.kind == SESSION and not row.who
