"""The lines of a session's episode: a summary for each stretch of rounds, and below it the tool runs. Pure.

    - Rounds 1–11: chose SQLite … [rounds:: 1-11] [outcome:: success] [by:: session_end] [facts:: facts/db.md#f1a2]
    - → 10:00 write_file docs/a.md: written [tool:: t0012] [decision:: …]

The lines stand above the turns, so that turns can still be appended. No two stretches of a session overlap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mdmem.entries.edits.content import content
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import UNKNOWN, Session, Turn, read_rounds, turns_start
from mdmem.formats.session_edits import append_part, tool_runs
from mdmem.formats.template import EntryRule, Template
from mdmem.formats.tool_turn import ToolRun
from mdmem.messages.catalog import say
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry, without_brackets, without_fields
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.wording.transcript import SPEAKERS, Sentence, sentences

SECTION = "episode"  # an alias of the section in every language
_ARROW, _FAILED = "→", "✗"
_ACTION = pattern(rf"{_ARROW} (?:(\d\d:\d\d) )?(\S+?)(?: (.*?))?(?:：|: |\Z)(?:({_FAILED})(?: |\Z))?(.*)\Z")
_LEAD = pattern(r"[^：:]{0,40}\d[^：:]{0,8}(?:：|: )")
_LONGEST_INPUT = 20_000  # characters of a tool's input that are read as JSON
_NEAR = 8  # characters before a word in which a negation is looked for


@dataclass(frozen=True, slots=True)
class EpisodeAction:
    """One tool run of an episode (K052)."""

    time: str  # `10:00`; may be empty
    tool: str
    input: str  # the parameters that say what it was about
    ok: bool | None  # None if the turn does not say
    result: str  # or what went wrong
    decision: str = ""  # what was decided next
    output: str = ""  # the id of the whole output


class EpisodeStretch(NamedTuple):
    """A stretch of rounds as an episode tells it."""

    first: int
    last: int
    summary: str
    outcome: str  # success, partial, failed, ongoing, unknown
    by: str  # session_end, context_compress, night
    facts: tuple[str, ...] = ()  # what came of it: `file#id`
    actions: tuple[EpisodeAction, ...] = ()
    line: int = 0  # 1-based, of the file
    text: str = ""  # of the line, as it is written

    @property
    def rounds(self) -> str:
        """The rounds as the line names them: `3` or `1-11`."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class EpisodeWords:
    """The words and numbers of the session's template that tell what matters in a stretch of rounds."""

    def __init__(self, template: Template) -> None:
        parts = {key: any_of(template.parts.get(key, ())) for key in _WORDS}
        self.decision, self.because, self.error_line = (parts[key] for key in _WORDS[:3])
        self._worked, self._not_worked, self._half, self._continues, self._work = (parts[key] for key in _WORDS[3:])
        self._not = tuple(template.parts.get("negation", ()))
        self.inputs = template.parts.get("inputs", ())
        self.input_chars = int(template.numbers.get("input_chars", 0))
        self.result_chars = int(template.numbers.get("result_chars", 0))
        self.actions = int(template.numbers.get("actions", 0))

    def goes_on(self, text: str) -> bool:
        """Return whether a text says that the work goes on another time."""
        return self._continues.search(text) is not None

    def told(self, text: str) -> str:
        """Return the outcome that a text tells: success, partial, failed; empty if it tells none."""
        if self._half.search(text):
            return "partial"
        if self._holds(self._not_worked, text):
            return "failed"
        return "success" if self._holds(self._worked, text) else ""

    def asks_for_work(self, text: str) -> bool:
        """Return whether a question asks to do something."""
        return self._work.search(text) is not None

    def _holds(self, words: PhrasePattern, text: str) -> bool:
        """Return whether a text holds one of some words that no negation precedes."""
        found = (text[max(0, match.start() - _NEAR) : match.start()].casefold() for match in words.finditer(text))
        return any(not any(word in before for word in self._not) for before in found)


_WORDS = ("decision", "because", "error_line", "worked", "not_worked", "half", "continues", "work")


def find_actions(turns: Sequence[Turn], words: EpisodeWords, splitter: Splitter) -> tuple[EpisodeAction, ...]:
    """Return the tool runs among some turns, in order; of many, those that failed, led to a decision or came last."""
    found = [
        EpisodeAction(turns[index].time[-5:], run.tool, _input(run.input, words), run.ok, _result(run, words),
                      _decision(turns, index, words, splitter), run.artifact.rpartition("/")[2].removesuffix(".md"))
        for index, run in tool_runs(turns)
    ]  # fmt: skip
    if len(found) <= words.actions:
        return tuple(found)

    broken: set[tuple[str, str]] = set()
    tells = []  # whether a run failed, or is the first that succeeded after that
    for one in found:
        key = one.tool, one.input
        tells.append(one.ok is False or key in broken)
        (broken.add if one.ok is False else broken.discard)(key)

    def rank(at: int) -> tuple[bool, bool, int]:
        return not tells[at], not found[at].decision, -at

    return tuple(found[at] for at in sorted(sorted(range(len(found)), key=rank)[: words.actions]))


def _input(text: str, words: EpisodeWords) -> str:
    """Return what a tool was given, without what says little: of an object the values of known keys."""
    given = text.strip()
    if given.startswith("{") and len(given) <= _LONGEST_INPUT:
        try:
            values = json.loads(given, strict=False)
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, dict):
            plain = {key: one_line(str(value)) for key, value in values.items() if isinstance(value, str | int | float)}
            named = [plain[key] for key in words.inputs if plain.get(key)]
            given = " ".join(named or list(plain.values())[:1])
    return shortened(plain_input(given), words.input_chars)


def plain_input(text: str) -> str:
    """Return a text on one line without the colons that end the input in the line of a tool run."""
    return one_line(text).replace("：", ":").replace(": ", ":").strip()


def _result(run: ToolRun, words: EpisodeWords) -> str:
    """Return the line of a result that says most: of a failed run the last one that names the error, else the first."""
    lines = [line for raw in run.result.splitlines() if (line := one_line(raw).strip()).strip("`~-=_* ")]
    errors = [line for line in lines if words.error_line.search(line)] if run.ok is False else []
    return shortened(errors[-1] if errors else lines[0] if lines else "", words.result_chars)


def _decision(turns: Sequence[Turn], index: int, words: EpisodeWords, splitter: Splitter) -> str:
    """Return the sentence after a tool run in which the assistant decides; empty if the next thing is another one."""
    following = turns[index + 1] if index + 1 < len(turns) else None
    if following is None or following.role != "assistant" or following.number != turns[index].number:
        return ""
    found = (one for one in sentences((following,), splitter) if words.decision.search(one.text) and not one.asks)
    first = next(found, None)
    return shortened(bare(first), words.result_chars) if first else ""


def bare(one: Sentence) -> str:
    """Return a sentence without its full stop."""
    return one.text.rstrip("。.；; ") or one.text


def shortened(text: str, most: int) -> str:
    """Return a text cut to so many characters."""
    return text if len(text) <= most else text[: max(0, most - 1)].rstrip() + "…"


def outcome_of(turns: Sequence[Turn], words: EpisodeWords, splitter: Splitter) -> str:
    """Return how a stretch ended: what its last run or the user said last, and the words of the last answer.

    `ongoing` if the last turns say that it goes on another time; `unknown` if nothing tells how it ended.
    """
    spoken = [(at, turn) for at, turn in enumerate(turns) if turn.role in SPEAKERS and turn.text.strip()]
    last = {turn.role: (at, _stated(turn, splitter)) for at, turn in spoken}
    if any(words.goes_on(text) for _, text in last.values()):
        return "ongoing"
    at, fact = next(((at, run.ok) for at, run in reversed(tool_runs(turns)) if run.ok is not None), (-1, None))
    how = "" if fact is None else "success" if fact else "failed"
    said_at, said = last.get("user", (-1, ""))
    is_request = spoken[:1] == [(said_at, turns[said_at])] and turns[said_at].number == 1  # it says what is to be done
    if said_at > at and not is_request:
        how = words.told(said) or how
    told = words.told(last["assistant"][1]) if "assistant" in last else ""
    if not how:
        return UNKNOWN if not told or (told == "failed" and _only_asks(turns, words, splitter)) else told
    if how == "failed":
        return "partial" if told in ("success", "partial") else how
    return "partial" if told == "partial" else how


def _only_asks(turns: Sequence[Turn], words: EpisodeWords, splitter: Splitter) -> bool:
    """Return whether the user only asks questions, and none to do something: what is not known has not failed."""
    said = [one for one in sentences(turns, splitter) if one.role == "user"]
    return bool(said) and all(one.asks and not words.asks_for_work(one.text) for one in said)


def _stated(turn: Turn, splitter: Splitter) -> str:
    """Return what a turn states, without its questions."""
    return "\n".join(one.text for one in sentences((turn,), splitter) if not one.asks)


def stretch_lines(one: EpisodeStretch, lang: str) -> Iterator[str]:
    """Yield the lines of a stretch, without bullets."""
    key = "episode.round" if one.first == one.last else "episode.rounds"
    text = say(lang, key, first=one.first, last=one.last, summary=without_fields(one.summary))
    fields = {"rounds": one.rounds, "outcome": one.outcome, "by": one.by}
    linked = "".join(f" [facts:: {name}]" for name in one.facts)
    yield content(text, fields, EntryRule()).text + linked
    for action in one.actions:
        yield _action_line(action, lang)


def _action_line(one: EpisodeAction, lang: str) -> str:
    head = " ".join(filter(None, (_ARROW, one.time, plain_input(one.tool).replace(" ", "_").rstrip(":"), one.input)))
    told = " ".join(filter(None, (_FAILED if one.ok is False else "", one.result)))
    text = without_fields(f"{head}{say(lang, 'punctuation.colon')}{told}" if told else head)
    named = {"tool": one.output, "decision": one.decision}
    fields = {key: without_brackets(value) for key, value in named.items() if value}
    return content(text, fields, EntryRule()).text


def episode_edits(
    document: Document, template: Template, stretches: Iterable[EpisodeStretch], lang: str
) -> tuple[Edit, ...]:
    """Return the edits that append stretches to the episode of a session."""
    lines = [f"- {line}" for one in stretches for line in stretch_lines(one, lang)]
    return append_part(document, template, SECTION, lines) if lines else ()


def read_stretches(document: Document, template: Template) -> tuple[EpisodeStretch, ...]:
    """Read the stretches of a session's episode, in the order of their lines."""
    at = turns_start(document.text, template)
    head = document if at is None else parse(document.text[:at].encode("utf-8", "surrogateescape"))
    name, found = template.name(SECTION), list[EpisodeStretch]()
    for section in head.sections:
        if section.level != 2 or name is None or template.name(section.title) != name:
            continue
        for entry in section.entries:
            parts = read_entry(entry.text)
            fields = [(field.key, field.value) for field in parts.fields]
            own, text = dict(reversed(fields)), one_line(parts.body.of(entry.text)).strip()
            action = _read_action(text, own.get("decision", ""), own.get("tool", ""))
            if action and found:
                found[-1] = found[-1]._replace(actions=(*found[-1].actions, action))
            elif span := read_rounds(own.get("rounds", "")):
                facts = tuple(value for key, value in fields if key == "facts" and value)
                lead = _LEAD.match(text)
                summary = text[lead.end() :] if lead else text
                found.append(EpisodeStretch(*span, summary, own.get("outcome", ""), own.get("by", ""), facts, (),
                                            entry.line + 1, entry.text))  # fmt: skip
    return tuple(found)


def _read_action(text: str, decision: str, output: str) -> EpisodeAction | None:
    match = _ACTION.match(text)
    if match is None:
        return None
    time, tool, given, failed, result = match.groups()
    ok = False if failed else True if result else None
    return EpisodeAction(time or "", tool, given or "", ok, result, decision, output)


def uncovered(numbers: Iterable[int], stretches: Iterable[EpisodeStretch]) -> tuple[tuple[int, int], ...]:
    """Return the rounds that no stretch covers, as ranges of neighbours."""
    taken = sorted((one.first, one.last) for one in stretches)
    found: list[list[int]] = []
    at, open_ = 0, False
    for number in sorted(set(numbers)):
        while at < len(taken) and taken[at][1] < number:
            at, open_ = at + 1, False
        if at < len(taken) and taken[at][0] <= number:
            open_ = False
        elif open_:
            found[-1][1] = number
        else:
            found.append([number, number])
            open_ = True
    return tuple((first, last) for first, last in found)


def condensed_stretches(
    session: Session, stretches: Sequence[EpisodeStretch], first: int, last: int, summary: Sequence[str],
    template: Template, splitter: Splitter,
) -> tuple[EpisodeStretch, ...]:  # fmt: skip
    """Return the stretches for rounds that were condensed, from the summary that they were condensed to."""
    words, most = EpisodeWords(template), int(template.numbers.get("summary_chars", 0))
    text = joined(summary, most, template.lang)
    free = uncovered((turn.number for turn in session.turns if first <= turn.number <= last), stretches)
    made = []
    for begin, end in free if text else ():
        turns = [turn for turn in session.turns if begin <= turn.number <= end]
        actions = find_actions(turns, words, splitter)
        made.append(
            EpisodeStretch(begin, end, text, outcome_of(turns, words, splitter), "context_compress", (), actions)
        )
    return tuple(made)


def joined(texts: Iterable[str], most: int, lang: str) -> str:
    """Return texts as one line of at most so many characters; the first one is cut if it alone is longer."""
    joint, line = say(lang, "punctuation.clause"), ""
    for text in texts:
        more = f"{line}{joint}{text}" if line else shortened(one_line(text), most)
        if len(more) > most:
            break
        line = more
    return line
