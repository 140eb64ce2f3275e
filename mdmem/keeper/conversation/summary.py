"""Summarize a conversation without a model (G041, D021 to D027).

A summary consists of whole sentences of the conversation in the order of time; the most important are chosen first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.generation.model import Operation, content_of
from mdmem.keeper.condensing.condense import condense
from mdmem.keeper.conversation.model import ConversationTask, TargetSection, says_something
from mdmem.text.similarity import comparison_key, near_duplicates
from mdmem.wording.literals import facts
from mdmem.wording.transcript import Sentence


def summarize_stage(chat: ConversationTask) -> tuple[Operation, ...]:
    """Return the summary of a stage of a conversation as operations, one per section."""
    return tuple(
        Operation(chat.path, part.name, content_of(lines(chat, part, key_sentences(chat, part)))) for part in chat.parts
    )


def key_sentences(chat: ConversationTask, part: TargetSection) -> list[str]:
    """Return the sentences with a fact or an event that fit into a section, without questions and rules.

    If there are none, return all statements, else all sentences that are not rules, else all sentences.
    """
    rules = set(map(comparison_key, chat.rules))
    fit = [one for one in chat.sentences if chat.fits(part, one.text)]
    own = [one for one in fit if comparison_key(one.text) not in rules and says_something(one.text)]
    answers = [one for one in own if not one.asks]
    best = [one for one in answers if is_key_sentence(chat, one)] or answers or own or fit
    return [without_stop(one.text) for one in best]


def without_stop(text: str) -> str:
    """Return a sentence without its full stop, for joining."""
    return text.rstrip("。.；; ") or text


def is_key_sentence(chat: ConversationTask, sentence: Sentence) -> bool:
    """Return whether a sentence is important or contains a fact."""
    return chat.scorer.importance(sentence.text) > chat.scorer.least or bool(facts(sentence.text))


def lines(chat: ConversationTask, part: TargetSection, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a section made of whole sentences; empty if no sentence fits into a line."""
    most = part.lines or 1
    fit = [text for text in texts if chat.fits(part, text)]
    condensed = condense(fit, lines=most, max_chars=part.max_chars, scorer=chat.scorer, near=chat.near)
    return tuple(line for line in condensed if chat.fits(part, line))[:most]


class PreviousMemory(NamedTuple):
    """The earlier content of a compact memory, without its rules."""

    task: str = ""  # the first line of the state
    events: tuple[str, ...] = ()


class Numbers(NamedTuple):
    """The numbers in the template of the kind."""

    keep_rounds: int  # newest rounds, which are summarized in detail
    recent_share: float  # the most of the room that they take before older conclusions


class _Event(NamedTuple):
    round: int  # negative for an event from the earlier memory
    text: str
    importance: float

    @property
    def names(self) -> int:
        """The number of its facts other than numbers: paths, names, days, quotations."""
        return sum(fact.kind != "number" for fact in facts(self.text))


def summarize_context(chat: ConversationTask, previous: PreviousMemory, numbers: Numbers) -> tuple[Operation, ...]:
    """Return the compact memory of a context as operations: state and key events."""
    state, events = chat.parts
    rules = set(map(comparison_key, chat.rules))
    fit = [one for one in chat.sentences if chat.fits(state, one.text)]
    sentences = [one for one in fit if comparison_key(one.text) not in rules and says_something(one.text)] or fit
    now = _state(state, sentences, previous.task)
    recent = set(sorted({one.number for one in sentences})[-numbers.keep_rounds :])
    candidates = _without_repeats(_events(chat, events, sentences, previous.events), chat.near)
    lines = [one.text for one in _chosen(chat, candidates, recent, now, numbers)]
    contents = ((part.name, content_of(tuple(texts))) for part, texts in ((state, now), (events, lines)) if texts)
    return tuple(Operation(chat.path, name, content) for name, content in contents)


def _state(part: TargetSection, sentences: Sequence[Sentence], task: str) -> list[str]:
    """Return the first request, and the last request and answer; of each as much as fits into one entry."""
    requests = [one for one in sentences if one.role == "user"]
    first = [requests[0]] if requests and not task else []
    groups = [first]
    for role in ("user", "assistant"):
        own = [one for one in sentences if one.role == role]
        groups.append([one for one in own if one.number == own[-1].number])
    texts = [task, *(text for group in groups for text in _last_fitting(group, part.max_chars))]
    return list(dict.fromkeys(text for text in texts if text))


def _last_fitting(group: Iterable[Sentence], most: int) -> list[str]:
    """Return the last of these sentences, up to `most` characters together."""
    out: list[str] = []
    for sentence in reversed(list(group)):
        most -= len(sentence.text)
        if most < 0:
            break
        out.insert(0, without_stop(sentence.text))
    return out


def _events(
    chat: ConversationTask, part: TargetSection, sentences: Sequence[Sentence], earlier: Sequence[str]
) -> list[_Event]:
    """Return the candidates in time order: the earlier events, then sentences with a fact or an event."""
    least = chat.scorer.settings.keep_importance
    old = [text for text in earlier if len(text) <= part.max_chars and says_something(text)]
    found = [_Event(index - len(old), text, max(chat.scorer.importance(text), least)) for index, text in enumerate(old)]
    for sentence in sentences:
        importance = chat.scorer.importance(sentence.text)
        if not sentence.asks and (importance > least or is_key_sentence(chat, sentence)):
            found.append(_Event(sentence.number, without_stop(sentence.text), importance))
    return found


def _without_repeats(found: Sequence[_Event], near: float) -> list[_Event]:
    """Return the events without repetitions; the newest stays."""
    last = {comparison_key(one.text): one for one in found}
    left = [one for one in found if last[comparison_key(one.text)] is one]
    gone = {earlier for _, earlier in near_duplicates([one.text for one in left], near)}
    return [one for index, one in enumerate(left) if index not in gone]


def _chosen(
    chat: ConversationTask, candidates: Sequence[_Event], recent: set[int], others: Sequence[str], numbers: Numbers
) -> list[_Event]:
    """Choose the events that fit, in time order."""
    if chat.max_tokens is None:
        return list(candidates)
    room = chat.max_tokens - sum(_tokens(chat, line) for line in others)
    left = room
    chosen: set[int] = set()
    for share, group in ((numbers.recent_share, _recent_first(candidates, recent)), (1.0, _ranked(chat, candidates))):
        for index in group:
            cost = _tokens(chat, candidates[index].text)
            if index not in chosen and cost <= left - (1 - share) * room:
                chosen.add(index)
                left -= cost
    return [candidates[index] for index in sorted(chosen)]


def _recent_first(candidates: Sequence[_Event], recent: set[int]) -> list[int]:
    """Return the indices of the events of the newest rounds, the newest and most important first."""
    own = [index for index, one in enumerate(candidates) if one.round in recent]
    return sorted(own, key=lambda index: (-candidates[index].round, -candidates[index].importance, index))


def _ranked(chat: ConversationTask, candidates: Sequence[_Event]) -> list[int]:
    """Return the indices of all events: important ones first, then the conclusions of rounds, then the newest."""
    best: dict[int, int] = {}
    for index, one in enumerate(candidates):  # the last of a round's most important sentences is its conclusion
        current_best = candidates[best[one.round]] if one.round in best else None
        if current_best is None or (one.importance, one.names) >= (current_best.importance, current_best.names):
            best[one.round] = index
    conclusions, least = set(best.values()), chat.scorer.settings.keep_importance

    def rank(index: int) -> tuple[bool, bool, int]:
        one = candidates[index]
        return one.importance < least, index not in conclusions, -index

    return sorted(range(len(candidates)), key=rank)


def _tokens(chat: ConversationTask, line: str) -> int:
    return chat.count(f"- {line}\n")
