"""From the turns of a session to what its episode says: by rules, or from a proved answer of a model. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, starmap
from typing import Any, NamedTuple

from mdmem.episodes.model import OUTCOMES, EpisodeDraft, EpisodeTask
from mdmem.episodes.stretches import EpisodeAction, EpisodeWords, bare, joined, outcome_of, shortened
from mdmem.formats.session import Turn
from mdmem.generation.answer_parser import json_values
from mdmem.generation.model import PlanProblem
from mdmem.generation.proof import line_problem, meaning_problems
from mdmem.search.words.terms import is_stop
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span
from mdmem.wording.literals import FactSource, TextFact, facts, fold
from mdmem.wording.transcript import sentences

_KINDS = ("path", "url", "name", "code")  # facts that are entities (K050)
_ENTITY_CHARS = 80
_WORD = pattern(r"[a-z][a-z0-9_+#-]*")
_WEIGHTS = ("decision_worth", "result_worth", "fact_weight", "facts_counted")
_WIDE_PATH = pattern(  # a path with letters of any script, which its words do not run into
    r"(?<![\w/.~-])(?:~?/)?(?:[\w.@+-]{1,60}/){0,9}[\w@+-][\w.@+-]{0,60}\.[A-Za-z][A-Za-z0-9]{1,4}(?![\w])"
)
_LIST = ("summary", "goal", "outcome", "entities")  # keys of an answer


class Told(NamedTuple):
    """A sentence, and how much it tells of what happened."""

    at: int  # its place in the conversation
    text: str
    weight: float
    facts: tuple[TextFact, ...]


def draft_episode(task: EpisodeTask, first: int, last: int, words: EpisodeWords) -> EpisodeDraft:
    """Return what the rules say of some rounds: the weightiest sentences in their order, from problem to result."""
    most, chosen = task.number("summary_chars"), list[Told]()
    ranked = sorted(_weighed(task, first, last, words), key=lambda one: (one.weight, one.at), reverse=True)
    least = ranked[0].weight * task.template.numbers.get("least_share", 0.0) if ranked else 0.0
    for one in ranked:
        if one.weight < least:
            break
        line = joined((other.text for other in sorted((*chosen, one))), most, task.lang)
        if len(line) < sum(len(other.text) for other in (*chosen, one)) or task.unfit(one.text):
            continue
        chosen.append(one)
    if not chosen:  # each sentence is too long alone
        chosen = [one for one in ranked if not task.unfit(shortened(one.text, most))][:1]
    summary = joined((one.text for one in sorted(chosen)), most, task.lang)
    turns = task.between(first, last)
    if last == task.turns[-1].number and task.session.response.strip():
        turns += (replace(turns[-1], role="assistant", text=task.session.response),)
    return EpisodeDraft(summary, outcome=outcome_of(turns, words, task.splitter))


def _weighed(task: EpisodeTask, first: int, last: int, words: EpisodeWords) -> list[Told]:
    """Return the sentences that may stand in a summary; questions only if there is nothing else."""
    spoken = [
        (at, one) for at, one in enumerate(task.sentences)
        if first <= one.number <= last and any(map(str.isalnum, one.text))
    ]  # fmt: skip
    stated = [(at, one) for at, one in spoken if not one.asks] or spoken
    telling = [(at, one) for at, one in stated if task.facts[at] or _tells(task, one.text, words)] or stated
    answer = max((at for at, one in telling if one.role == "assistant"), default=-1)
    decision, result, fact, most = (task.template.numbers.get(key, 0.0) for key in _WEIGHTS)
    seen: set[str] = set()
    found = []
    for at, one in telling:
        text, key = bare(one), comparison_key(one.text)
        if key in seen:
            continue
        seen.add(key)
        named = task.facts[at]
        decides = bool(words.decision.search(text)) + bool(words.because.search(text))
        ends = bool(words.told(text)) + (at == answer)
        weight = task.scorer.importance(text) + decision * decides + result * ends + fact * min(len(named), most)
        found.append(Told(at, text, weight, named))
    return found


def _tells(task: EpisodeTask, text: str, words: EpisodeWords) -> bool:
    """Return whether a sentence holds a word that tells of a decision, a reason, an end, or of importance."""
    found = words.decision.search(text) or words.because.search(text) or words.told(text)
    return bool(found) or task.scorer.importance(text) > task.scorer.least


def goal_of(task: EpisodeTask) -> str:
    """Return what a session was for: the first sentence of the request, else of what the user said first."""
    asked = task.session.request.strip() or next((turn.text for turn in task.turns if turn.role == "user"), "")
    turn = Turn(1, "user", "", "", asked, -1, -1, -1)
    found = next((bare(one) for one in sentences((turn,), task.splitter)), "")
    goal = shortened(found or task.session.task, task.number("goal_chars"))
    return "" if task.unfit(goal) else goal


def entities_of(task: EpisodeTask, actions: Sequence[EpisodeAction], given: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what a session is about: what is named most often in its sentences and in its tool runs."""
    runs = [f"{one.input}\n{one.result}" for one in actions]
    mentions = Counter(_WORD.findall("\n".join((*(one.text for one in task.sentences), *runs)).casefold()))
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    asked, *ran = ((text, facts(text)) for text in (task.session.request, *runs))
    told = zip((one.text for one in task.sentences), task.facts, strict=True)
    for fact in chain.from_iterable(starmap(_named, (asked, *told, *ran))):
        name = fact.text.strip("`") if fact.kind == "code" else fact.text
        if fact.kind in _KINDS and _is_entity(fact, name):
            counts[fact.value] += 1
            names.setdefault(fact.value, name)
            if fact.kind != "name" or any(map(str.isupper, name)):  # one mention is enough
                mentions[fact.value] += task.number("name_mentions")
    least = task.number("name_mentions")
    counted = (names[one] for one, count in counts.most_common() if max(count, mentions[one]) >= least)
    ranked = dict.fromkeys((*given, *counted))
    return tuple(islice((one for one in ranked if not task.unfit(one)), task.number("entities")))


def _named(text: str, known: Sequence[TextFact]) -> Iterator[TextFact]:
    """Yield the facts of a text that may be entities: also paths with letters of other scripts, and no units."""
    paths = () if text.isascii() else _WIDE_PATH.finditer(text)
    wide = [Span(*found.span()) for found in paths if not found.group().isascii()]
    for span in wide:
        yield TextFact("path", span.of(text), fold(span.of(text)), span)
    for fact in known:
        is_unit = fact.kind == "name" and text[: fact.span.start].rstrip()[-1:].isdigit()
        if not is_unit and not any(span.overlaps(fact.span) for span in wide):
            yield fact


def _is_entity(fact: TextFact, name: str) -> bool:
    return 1 < len(name) <= _ENTITY_CHARS and name.isprintable() and not is_stop(fact.value)


def importance_of(task: EpisodeTask) -> float:
    """Return the importance of a session: that of its weightiest sentence, and at least the template's number."""
    found = (task.scorer.importance(one.text) for one in task.sentences)
    return max((task.template.numbers.get("base_importance", 0.0), *found))


def read_answer(task: EpisodeTask, shown: str, most: int, text: str) -> EpisodeDraft | PlanProblem:
    """Return what a model answered, proved, or why it is not taken.

    Args:
        task: the session.
        shown: the text that the model saw.
        most: longer answers are refused unread.
        text: the answer.
    """
    values = json_values(text, most)
    draft = values if isinstance(values, PlanProblem) else _draft(values)
    if isinstance(draft, PlanProblem):
        return draft
    return next(_problems(task, draft, shown), _proved(task, draft, shown))


def _draft(values: Sequence[Any]) -> EpisodeDraft | PlanProblem:
    """Read one object with a summary; no field is trusted."""
    found = values[0] if len(values) == 1 else None
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if not isinstance(found, Mapping):
        return PlanProblem("episode-shape")
    summary, goal, outcome = (_text(found.get(key)) for key in _LIST[:3])
    if not summary:
        return PlanProblem("empty", {"section": _LIST[0]})
    named = found.get("entities")
    entities = tuple(text for one in named if (text := _text(one))) if isinstance(named, list) else ()
    return EpisodeDraft(summary, goal, outcome.casefold(), entities)


def _text(value: object) -> str:
    text = one_line(value).strip() if isinstance(value, str) else ""
    return "" if any("\ud800" <= char <= "\udfff" for char in text) else text


def _problems(task: EpisodeTask, draft: EpisodeDraft, shown: str) -> Iterator[PlanProblem]:
    """Yield what is wrong with a model's draft; without problems it is proved."""
    if draft.outcome and draft.outcome not in OUTCOMES and not _known_outcome(task, draft.outcome):
        yield PlanProblem("episode-outcome", {"names": ", ".join(OUTCOMES)})
    source = FactSource(shown)
    entries = [task.session.request, *(one.text for one in task.sentences), *shown.splitlines()]
    for name, text, most in (("summary", draft.summary, "summary_chars"), ("goal", draft.goal, "goal_chars")):
        where = {"section": name}
        if text and (problem := line_problem(text, where, task.unfit, source.missing, task.number(most))):
            yield problem
        else:
            yield from meaning_problems(entries, [text], task.scorer, where)


def _proved(task: EpisodeTask, draft: EpisodeDraft, shown: str) -> EpisodeDraft:
    """Return a proved draft: its outcome as the template spells it, and of its entities those that the model saw."""
    known = comparison_key(shown)
    kept = tuple(one for one in draft.entities if comparison_key(one) in known and len(one) <= _ENTITY_CHARS)
    return draft._replace(outcome=_known_outcome(task, draft.outcome), entities=kept)


def _known_outcome(task: EpisodeTask, word: str) -> str:
    return next((one for one in OUTCOMES if word in (one, *map(str.casefold, task.template.parts.get(one, ())))), "")
