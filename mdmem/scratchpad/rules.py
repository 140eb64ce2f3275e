"""Make the lines of a scratchpad from sessions and the task plan, without a model. Pure.

A question is open if nobody answered it: the reply is missing, or puts the answer off. A question or an announced step
leaves when a later sentence says what became of it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from mdmem.entries.edits.generated import GeneratedLine
from mdmem.formats.sentences import Splitter
from mdmem.messages.catalog import say
from mdmem.scratchpad.idle_questions import IdleQuestions
from mdmem.scratchpad.line_texts import joined_sentences, last_lines, shortened, unique_lines
from mdmem.scratchpad.model import CHAT, PROGRESS, PROJECTS, QUESTIONS, STEPS, PlanDigest, SessionDigest
from mdmem.scratchpad.reminders import Reminders, dated, day_of
from mdmem.scratchpad.shared_words import chooses, shared_things, shares_only_names
from mdmem.settings.generated_tables import ScratchpadSettings
from mdmem.settings.phrases import PairPattern, PhrasePattern, any_of, source_of
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, tokens
from mdmem.wording.proper_names import numerals
from mdmem.wording.transcript import Sentence

_RETURNS = 2  # turns in which a reply is looked for: the first may only ask in return
_DAY_CHARS = 12  # of the day before a result
_UNFINISHED, _FAILED = ("ongoing", "partial", "failed"), "failed"
_LEAST_WORDS = 2  # of a step, and of what a sentence has in common with one that answers it
_OPENING_WORDS = 2  # of a first sentence that only opens a reply: «Good question.»
_DIGIT = pattern(
    r"\d|[一二两三四五六七八九十百千万]{2,}|[一二两三四五六七八九十](?=[米元块斤个岁天年月层])|半(?=[个天年])"
)
_CLOCK = pattern(
    r"\d{1,2}[:：]\d\d|\d+ ?[点号日月]|[零一二两三四五六七八九十]+[点号日月]|\d ?[ap]\.?m\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2} [A-Z][a-z]{2,8}\b|\b[A-Z][a-z]{2,8} \d{1,2}\b"
)
_PAST = pattern(  # of what was done: «Filed the receipt», «we have moved it», «the chest has been sold»
    r"(?i)(?:\A|[;；]\s)(?:(?:i|we)(?:['’]ve|\s+have)?\s+)?(?:(?:just|also|now)\s+)?[a-z]{2,}[a-df-z]ed\b"
    r"|\b(?:(?:has|have)\s+been|was|were)\s+(?:[a-z]+ly\s+|just\s+|all\s+)?"
    r"(?:[a-z]{2,}[a-df-z]ed|sold|sent|built|made|found|paid|bought|written|drawn|hung|laid|put|set|cut)\b"
)
_NAMELESS = pattern(  # «已更新。» tells that something is done, and not what
    r"(?:已经?|都|我)*(?:更新|完成|处理|修改|保存|记录|删除|添加|执行|搞定|弄好|做好)(?:好|完|成功|完毕)?了?\W*"
)
_JOINT = pattern(r"[;；]\s*")  # between the sentences that an episode quotes
_GAP = "…"  # in a row of words: any words of the same clause
_FRAME = pattern(r"(?:[\s:：,，、。.!！\-–—*]+|就?是|还有|(?<=\s)(?:is|are)(?=\s))+")
_CLAUSES = pattern(r"[，,；;：:。.!！?？—]+")
_WITHIN = r"[^,，;；:：。.!?！？]{0,12}?"  # a few words of the same clause
_NAMED = pattern(r" [A-Z]")
_CLAUSE_ENDS = ("", *"，,；;：:。.—")


class ScratchpadMaterial(NamedTuple):
    """The inputs of the rules."""

    sessions: tuple[SessionDigest, ...]  # newest first
    plan: PlanDigest
    today: dt.date
    lang: str  # of the generated lines
    splitter: Splitter
    is_left_out: Callable[[str], bool] = lambda _: False  # of a line that is small talk, or private
    kept: Mapping[str, tuple[GeneratedLine, ...]] = {}  # the questions and steps that the file has
    has_asked: Callable[[str, str], bool] = lambda _, __: False  # of a question and a line: it has the person or reason


class _Said(NamedTuple):
    """One sentence, and what was said after it."""

    sentence: Sentence
    source: str
    reply: tuple[str, ...]  # what the other one said next in the session
    added: str  # what the same one said next in the same round; empty if it was the last
    later: tuple[str, ...]  # what was said afterwards, in this session and in later ones


class ScratchpadRules:
    """The rules of one workspace, for one scratchpad."""

    def __init__(self, settings: ScratchpadSettings, material: ScratchpadMaterial) -> None:
        self._settings, self._material = settings, material
        self._asking, self._next = any_of(settings.asking), any_of(settings.next)
        self._deferred = PairPattern(settings.deferred, settings.put_off)
        self._pending = PairPattern(settings.pending, settings.unsettled)
        parts = (part for row in settings.pending for part in row.split(_GAP))
        self._open_words = any_of((*parts, *(word for pair in self._pending.pairs for side in pair for word in side)))
        self._notes, self._heard = any_of(settings.notes), any_of((*settings.notes, *settings.agreements))
        self._idle = IdleQuestions(settings)
        self._excuses, self._promises, self._done = map(any_of, (settings.excuses, settings.promises, settings.done))
        self._when, self._times, self._amounts = map(any_of, (settings.when, settings.times, settings.amounts))
        self._roughly, self._settled = any_of(settings.roughly), any_of(settings.settled)
        self._offers, self._unkept = any_of(settings.offers), any_of(settings.unkept)
        self._actions, self._postponed = any_of(settings.actions), any_of((*settings.postponed, *settings.times))
        self._labels = PhrasePattern(settings.labels, r"(?:\A|[,，;；]\s*)(?:{0})\s*[:：]\s*(?=\S)".format)
        self._commits = PhrasePattern(
            settings.commitments, lambda who: rf"(?P<who>{who})(?P<gap>{_WITHIN})(?:{source_of(settings.actions)})"
        )
        self._which, self._denials = any_of(settings.which), any_of(settings.denials)
        self._inquires = PhrasePattern(
            settings.inquirers, lambda who: f"(?:{who}).{{0,24}}?(?:{source_of(settings.inquiries)})"
        )
        self._words, self._tells_done = (
            cache(self._words_of),
            cache(self._is_done),
        )  # of each later sentence, many times
        self._reminders = Reminders(settings, self._words)

    def lines(self) -> dict[str, tuple[GeneratedLine, ...]]:
        """Return the lines of each section in the order of the file: the newest last, steps as they are to be done."""
        said = tuple(self._said())
        most = self._settings
        return {
            PROJECTS: last_lines(self._telling(self._projects()), most.projects),
            PROGRESS: last_lines(self._telling(self._progress()), most.progress),
            QUESTIONS: last_lines(self._telling(self._questions(said)), most.questions),
            STEPS: tuple(unique_lines(self._telling(self._steps(said))))[: most.steps],
        }

    def _telling(self, lines: Iterator[GeneratedLine]) -> Iterator[GeneratedLine]:
        """Yield the lines that are not left out."""
        return (one for one in lines if not self._material.is_left_out(one.text))

    def _projects(self) -> Iterator[GeneratedLine]:
        """Yield the tasks whose newest session is unfinished, oldest first, and the plan under way."""
        newest: dict[str, SessionDigest] = {}
        for one in self._material.sessions:
            newest.setdefault(comparison_key(one.task), one)
        for key, one in reversed(newest.items()):
            if key and one.outcome in _UNFINISHED and self._is_recent(one.day):
                yield self._line(one.task, one.source)
        if self._material.plan.task:
            yield self._line(self._material.plan.task, self._material.plan.source)

    def _is_recent(self, day: str) -> bool:
        try:
            return (self._material.today - dt.date.fromisoformat(day)).days <= self._settings.days
        except ValueError:
            return False

    def _progress(self) -> Iterator[GeneratedLine]:
        """Yield what came of each ended session, oldest first."""
        for one in reversed(self._material.sessions):
            if one.ended and (text := self._result(one)):
                colon = say(self._material.lang, "punctuation.colon")
                yield self._line(f"{one.day}{colon}{text}" if one.day else text, one.source)

    def _result(self, one: SessionDigest) -> str:
        """Return the result of a session: its response, else what was told as done; a failure names the task."""
        told = one_line(one.response) or self._reported(one) or self._last_episode(one)
        failed = one.outcome == _FAILED or (one.episodes and not one.response and one.episodes[-1].outcome == _FAILED)
        if failed and one.task:
            return say(self._material.lang, "scratchpad.failed", task=one.task, reason=told or "—")
        return told

    def _reported(self, one: SessionDigest) -> str:
        """Return the last sentences in which the assistant told something as done, as many as a line holds."""
        spoken = (each for each in one.reported if each.role == "assistant" and each.is_speech and not each.asks)
        told = [each.text for each in spoken if self._is_result(each.text)]
        kept: list[str] = []
        for text in reversed(told):
            if kept and sum(map(len, kept)) + len(text) > self._settings.line_chars - _DAY_CHARS:
                break
            kept.append(text)
        return joined_sentences(reversed(kept))

    def _is_result(self, text: str) -> bool:
        """Return whether a sentence tells of a result, and is neither a promise nor an acknowledgement."""
        tells = self._done.search(text) or _PAST.search(text)
        if not tells or self._promises.search(text) or self._cue(text) or self._is_vague(text):
            return False
        return len(self._words(text)) >= _LEAST_WORDS and not _NAMELESS.fullmatch(text)

    def _last_episode(self, one: SessionDigest) -> str:
        """Return what the summary of a session's last episode tells as done, without what the user said."""
        if not one.episodes:
            return ""
        asked = {comparison_key(each.text) for each in one.reported if each.role == "user"}
        parts = [part.strip() for part in _JOINT.split(one.episodes[-1].summary)]
        kept = [part for part in parts if comparison_key(part) not in asked and self._is_result(part)]
        return say(self._material.lang, "punctuation.clause").join(kept)

    def _questions(self, said: Sequence[_Said]) -> Iterator[GeneratedLine]:
        """Yield the questions that nobody answered, and the statements that leave something open."""
        yield from self._kept(QUESTIONS, self._answers)
        replies: set[str] = set()  # to a question that is shown: they say no more than it
        for before, one in zip((None, *said), said, strict=False):
            if not one.sentence.is_speech or one.sentence.text in replies:
                continue
            ahead = before.sentence if before and before.source == one.source else None
            if one.sentence.asks and self._idle.is_idle(one.sentence, ahead):
                continue
            is_open = self._is_open_question(one) if one.sentence.asks else self._leaves_open(one.sentence.text)
            if not is_open or self._is_settled(self._without_open_words(one), self._answers(one.sentence)):
                continue
            if one.sentence.asks:
                if len(self._words(one.sentence.text)) < _LEAST_WORDS and any(map(self._leaves_open, one.reply)):
                    continue  # the reply names what is open
                replies.update(one.reply)
            yield self._line(one.sentence.text, one.source)

    def _is_open_question(self, one: _Said) -> bool:
        """Return whether a question asks for something, and its reply is missing or puts the answer off."""
        if not one.added.endswith(("?", "？")) and (self._is_pending(one.added) or self._deferred.search(one.added)):
            return True
        if self._labels.search(one.sentence.text) or self._is_pending(one.sentence.text):
            words = self._words(self._open_words.sub(" ", self._labels.sub(" ", one.sentence.text)))
            return not any(words & self._words(text) for text in one.reply)
        reply = [text for text in one.reply if not (text.rstrip().endswith(("?", "？")) or self._only_notes(text))]
        if self._asks_for_value(one.sentence.text) and any(
            self._holds(one.sentence.text, text) and not self._deferred.search(text) for text in reply
        ):
            return False
        if self._idle.asks_advice(one.sentence) and not self._asks_for_value(one.sentence.text):
            return not any(map(self._advises, reply))
        opens = 2 if reply and len(self._words(reply[0])) <= _OPENING_WORDS else 1
        if not reply or any(self._puts_off(one.sentence.text, text) for text in reply[:opens]):
            return True
        asks_for_value = self._asks_for_value(one.sentence.text)
        return asks_for_value and not any(self._holds(one.sentence.text, text) for text in reply)

    def _advises(self, reply: str) -> bool:
        """Return whether a clause of a reply gives advice and puts nothing off: «Depends; for short trips, yes.»"""
        clauses = [clause for clause in _CLAUSES.split(reply) if self._words(clause) or self._heard.search(clause)]
        given = [one for one in clauses if not (self._deferred.search(one) or self._is_pending(one))]
        is_whole = len(given) == len(clauses)  # «Yes.» is enough, and «Sorry» before «I don't know» is not
        return is_whole or any(len(self._words(clause)) >= _LEAST_WORDS for clause in given)

    def _without_open_words(self, one: _Said) -> _Said:
        """Return a statement that leaves something open, with the words that name it alone."""
        if one.sentence.asks:
            return one
        return one._replace(sentence=one.sentence._replace(text=self._open_words.sub(" ", one.sentence.text)))

    def _only_notes(self, reply: str) -> bool:
        """Return whether a reply says no more than that the question was heard: «OK, noted.»"""
        said = reply.replace("’", "'")
        return self._notes.search(said) is not None and not any(map(str.isalnum, self._heard.sub(" ", said)))

    def _puts_off(self, asked: str, reply: str) -> bool:
        """Return whether a reply leaves a question open: it says so, says only what is not, or that somebody will see.

        What holds a time or a number that the question asks for answers it.
        """
        if self._deferred.search(reply) or self._is_pending(reply):
            return True
        if self._holds(asked, reply):
            return False
        if self._inquires.search(reply):
            return True
        clauses = [clause.strip() for clause in _CLAUSES.split(reply) if clause.strip()]
        if any(clause.casefold() in self._settings.labels and not _has(asked, clause) for clause in clauses):
            return True  # «Still open; Ann asks around.»
        asks_for_one = self._which.search(asked) is not None or self._asks_for_value(asked)
        return asks_for_one and all(map(self._denials.search, clauses))

    def _asks_for_value(self, asked: str) -> bool:
        return any(found.search(asked) for found in (self._when, self._amounts))

    def _holds(self, asked: str, answer: str) -> bool:
        """Return whether a sentence holds the time or the number that a question asks for, or stands for one."""
        if self._asks_for_value(asked) and self._roughly.search(answer):
            return True
        if self._when.search(asked):
            return any(found.search(answer) for found in (self._times, _CLOCK))
        if self._amounts.search(asked):
            return _DIGIT.search(answer) is not None or any(numerals(answer))
        return False

    def _is_pending(self, text: str) -> bool:
        """Return whether a statement says that something is open."""
        if any(found.search(text) for found in (self._excuses, self._offers)):
            return False
        return any(True for _ in self._pendings(text)) or self._labels.search(text) is not None

    def _pendings(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the words that say that something is open, but for what is a name: «the TBD Festival»."""
        text = self._settled.sub(_blank, text)
        for found in self._pending.finditer(text):
            if not (found.group().isupper() and _NAMED.match(text, found.end())):
                yield found

    def _leaves_open(self, text: str) -> bool:
        """Return whether a statement leaves open something that it names, before those words or behind a colon."""
        if not self._is_pending(text):
            return False
        if (label := self._labels.search(text)) and not (
            _CLOCK.match(text, label.end()) or self._times.match(text, label.end())
        ):
            return self._names_something(text[label.end() :])
        return any(
            self._names_something(self._open_words.sub(" ", _named(text, one.end()))) for one in self._pendings(text)
        )

    def _names_something(self, text: str) -> bool:
        return any(len(word) > 1 for word in self._words(text))

    def _steps(self, said: Sequence[_Said]) -> Iterator[GeneratedLine]:
        """Yield the open steps of the plan, then what was announced and is not told as done, newest first."""
        for text in self._material.plan.steps:
            yield self._line(text, self._material.plan.source)
        for one in reversed(said):
            text = about = self._announced(one.sentence)
            tells: Callable[[str], float] = self._tells_done
            if not text and (text := self._reminders.asked(one.sentence)):
                tells, about = self._comes_true, self._reminders.matter(text)
            if not text and (text := self._undertaken(one)):
                tells, about = self._comes_back, self._matter(text)
                asked = [each for each in said if each.source == one.source and one.sentence.text in each.reply]
                if any(self._is_settled(each, self._answers(each.sentence)) for each in asked if each.sentence.asks):
                    continue
            if text and not self._is_settled(one._replace(sentence=one.sentence._replace(text=about)), tells):
                yield self._line(dated(text, one.source, self._material.lang), one.source)
        yield from self._kept(STEPS, lambda _: self._tells_done)

    def _kept(self, alias: str, tells: Callable[[Sentence], Callable[[str], float]]) -> Iterator[GeneratedLine]:
        """Yield the lines of sessions that are not read any more, unless a later session settles them."""
        read = {one.source for one in self._material.sessions if one.sentences}
        later = tuple(text for one in self._material.sessions for text in self._told(one))
        for line in self._material.kept.get(alias, ()):
            said = _Said(Sentence(line.text, "", 0), line.source, (), "", later)
            is_old = line.source.startswith(CHAT) and line.source not in read and self._is_recent(day_of(line.source))
            about = self._without_open_words(said) if alias == QUESTIONS else said
            if is_old and not self._is_settled(about, tells(said.sentence)):
                yield line

    def _announced(self, sentence: Sentence) -> str:
        """Return the step that a sentence announces, without the words that announce it; empty if it does not."""
        found = self._cue(sentence.text) if sentence.is_speech and not sentence.asks else None
        if found is None:
            return ""
        frame = _FRAME.match(sentence.text, found.end())
        text = sentence.text[frame.end() if frame else found.end() :].strip()
        return text if len(self._words(text)) >= _LEAST_WORDS else ""

    def _undertaken(self, one: _Said) -> str:
        """Return what the assistant takes upon itself for later, from the verb on; empty for nothing.

        What it does at once, «let me look», is followed by the result: it counts only if nothing more was said.
        """
        text, said = one.sentence.text.replace("’", "'"), one.sentence
        if said.role != "assistant" or not said.is_speech or said.asks or self._offers.search(text):
            return ""
        found = self._commitment(text)
        if found is None or (one.added and not self._postponed.search(text)):
            return ""
        step = text[found.end("who") :].strip()
        return step if self._names_something(self._matter(step)) else ""

    def _matter(self, step: str) -> str:
        """Return what a step is about: without its verb, and without when it is to be done."""
        return self._postponed.sub(" ", self._actions.sub(" ", step))

    def _commitment(self, text: str) -> re.Match[str] | None:
        """Return the words at the beginning of a clause with which somebody takes something upon themselves."""
        for found in self._commits.finditer(text) if self._actions.may_match(text) else ():
            begins = text[: found.start()].rstrip()[-1:] in _CLAUSE_ENDS
            if begins and not self._unkept.search(f"{found['gap']} {text[found.end() : found.end() + 2]}"):
                return found
        return None

    def _comes_true(self, text: str) -> float:
        """Return the share of a reminder's words with which a sentence tells it as done; 0 if it tells nothing."""
        return 0.0 if self._reminders.repeats(text) else self._tells_done(text)

    def _comes_back(self, text: str) -> float:
        """Return the share of a commitment's words with which a statement comes back to it; 0 if it cannot."""
        is_open = self._is_vague(text) or self._promises.search(text) is not None
        return 0.0 if is_open else self._settings.answered_share

    def _cue(self, text: str) -> re.Match[str] | None:
        """Return the words at the beginning of a sentence or of a clause that announce a step."""
        matches = self._next.finditer(text)
        return next((one for one in matches if text[: one.start()].rstrip()[-1:] in _CLAUSE_ENDS), None)

    def _is_settled(self, one: _Said, tells: Callable[[str], float]) -> bool:
        """Return whether a later sentence that tells a result has enough of a sentence's words."""
        words = self._words(one.sentence.text)
        for text in one.later if words else ():
            share = tells(text)
            shared = words & self._words(text) if share else frozenset[str]()
            least = 1 if share < self._settings.answered_share else _LEAST_WORDS
            found = shared_things(one.sentence.text, text, shared) if one.sentence.asks else len(shared)
            if share and len(shared) >= share * len(words) and found >= least:
                return True
        return False

    def _answers(self, asked: Sentence) -> Callable[[str], float]:
        """Return what tells which share of a question's words a sentence needs to answer it; 0 if it cannot."""
        own, text = self._settings, asked.text
        wants_value = self._asks_for_value(text)
        asks_for_one = asked.asks and self._which.search(text) is not None

        def share(answer: str) -> float:
            if self._is_vague(answer) or self._promises.search(answer) or self._commitment(answer):
                return 0.0
            if asks_for_one and shares_only_names(text, answer, self._words(text) & self._words(answer)):
                return 0.0
            tells_done = self._done.search(answer) is not None
            if wants_value and not self._holds(text, answer):
                return own.answered_share if tells_done else 0.0
            has_asked = (
                wants_value
                or chooses(text, answer)
                or self._material.has_asked(text, answer)
                or (tells_done and asks_for_one)
            )
            return own.named_share if has_asked else own.answered_share

        return share

    def _is_vague(self, text: str) -> bool:
        """Return whether a sentence asks, or leaves open, what it names."""
        is_open = any(found.search(text) for found in (self._pending, self._deferred))
        return is_open or text.rstrip().endswith(("?", "？"))

    def _is_done(self, text: str) -> float:
        """Return the share of a step's words with which a sentence tells it as done; 0 if it tells nothing as done."""
        tells = any(found.search(text) for found in (self._done, _PAST))
        return self._settings.answered_share if tells and not self._cue(text) and not self._is_vague(text) else 0.0

    def _words_of(self, text: str) -> frozenset[str]:
        """Return the words of a text by which another text is recognized; those that only ask are left out."""
        return frozenset[str]().union(*map(tokens, self._asking.sub("\n", text).split("\n")))

    def _said(self) -> Iterator[_Said]:
        """Yield the sentences of the sessions, oldest first, each with what came after it."""
        ahead: list[tuple[str, ...]] = []  # for each session, newest first, what later sessions say
        told: tuple[str, ...] = ()
        for session in self._material.sessions:
            ahead.append(told)
            told = (*self._told(session), *told)
        for session, later in reversed(tuple(zip(self._material.sessions, ahead, strict=True))):
            spoken = session.sentences
            closing = tuple(Sentence(text, "assistant", 0) for text in self._outcomes(session))
            known = {comparison_key(text) for one in spoken for text in (one.text, *_JOINT.split(one.text))}
            spoken += tuple(one for one in closing if comparison_key(one.text) not in known)
            for index, one in enumerate(spoken):
                after = tuple(each.text for each in spoken[index + 1 :])
                next_one = spoken[index + 1] if index + 1 < len(session.sentences) else one
                has_more = next_one is not one and (next_one.role, next_one.number) == (one.role, one.number)
                added = next_one.text if has_more else ""
                yield _Said(one, session.source, _reply(session.sentences, index), added, (*after, *later))

    def _told(self, session: SessionDigest) -> tuple[str, ...]:
        """Return all that a session says, as far as it was read."""
        return (*(one.text for one in session.sentences), *self._outcomes(session))

    def _outcomes(self, session: SessionDigest) -> tuple[str, ...]:
        """Return the sentences in which a session tells its result."""
        told = (part.strip() for one in session.episodes for part in _JOINT.split(one.summary))
        return (*self._material.splitter.split(session.response), *filter(None, told))

    def _line(self, text: str, source: str) -> GeneratedLine:
        return GeneratedLine(shortened(one_line(text), self._settings.line_chars, self._material.splitter), source)


def _named(text: str, end: int) -> str:
    """Return what may name something open: what stands up to it in its sentence, and what stands behind its colon."""
    rest = text[end:].lstrip()
    clause = _CLAUSES.search(text, end)
    return text if rest.startswith((":", "：")) else text[: clause.start() if clause else len(text)]


def _has(text: str, words: str) -> bool:
    return words.casefold() in text.casefold()


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _reply(spoken: Sequence[Sentence], index: int) -> tuple[str, ...]:
    """Return what another speaker says next, and behind a question in return what they say after that.

    A summary of the session, which follows its turns, is no reply.
    """
    role = spoken[index].role if index < len(spoken) else ""
    at = end = index + 1
    for _ in range(_RETURNS):
        at = next((at for at in range(end, len(spoken)) if spoken[at].role != role), len(spoken))
        end = next((after for after in range(at, len(spoken)) if spoken[after].role == role), len(spoken))
        if not all(one.asks for one in spoken[at:end]):
            break
    return tuple(one.text for one in spoken[at:end])
