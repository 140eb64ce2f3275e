"""Find patterns by rule: errors that were mended, commands that worked repeatedly, what the user corrected. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from mdmem.episodes.stretches import shortened
from mdmem.extraction.model import FactCandidate
from mdmem.extraction.runs import ToolStep, is_writer
from mdmem.learning.model import FAILS, WORKS, LearnedPattern, SeenSession
from mdmem.linter.masking import MARK
from mdmem.messages.catalog import say
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.settings.phrases import PhrasePattern
from mdmem.settings.tables import LearningSettings
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, tokens

_ENTER = pattern(r"\Acd\s+[^\s;&|]+\s*(?:&&|;)\s*")  # where a command is run is no part of it
_PATH = pattern(r"/|\w\.[A-Za-z]")
_ASSIGNED = pattern(r"[A-Za-z_][A-Za-z0-9_]*=")

# Returns whether the purposes of two runs are the same
SamePurpose: TypeAlias = Callable[[Sequence[str], Sequence[str]], bool]


class SeenRun(NamedTuple):
    """A run of a command, and the session that it was in."""

    session: SeenSession
    step: ToolStep

    @property
    def purposes(self) -> tuple[str, ...]:
        """What it was for."""
        return self.session.purposes(self.step.number)

    @property
    def source(self) -> str:
        """Its round, as the source of a line."""
        return self.session.source(self.step.number)


class OpenFailure(NamedTuple):
    """A command that failed, and what has been changed since."""

    step: ToolStep
    command: str
    error: str
    changes: list[str]


class PatternRules:
    """Finds patterns by the numbers and word lists of one workspace."""

    def __init__(self, own: LearningSettings, extract: ExtractSettings, error_line: PhrasePattern, lang: str) -> None:
        """Bind to the settings; `error_line` knows the line of an output that says what went wrong."""
        self._own, self._extract, self._error_line, self._lang = own, extract, error_line, lang

    def mended(self, session: SeenSession) -> Iterator[LearnedPattern]:
        """Yield the errors of a session after which a command worked that does the same, once something was changed.

        A command that fails again begins anew: what was changed before did not help. One that works again without a
        change teaches nothing.
        """
        failed: list[OpenFailure] = []
        for step in session.steps:
            command = self.command(step)
            if step.run.ok is False and command and not self._is_plain(command):
                failed = [one for one in failed if one.command != command]
                failed.append(OpenFailure(step, command, self._error(step), []))
            elif step.run.ok:
                mended = [one for one in failed if command and self._does_same(one.command, command)]
                failed = [one for one in failed if one not in mended and not _has_same_error(one, mended)]
                for one in mended[:1]:
                    if one.changes or command != one.command:
                        yield self._mended(session, one, step, command)
                if change := self._change(step, command):
                    for one in failed:
                        one.changes.append(change)

    def worked(
        self, session: SeenSession, earlier: Sequence[SeenSession], is_same: SamePurpose
    ) -> Iterator[LearnedPattern]:
        """Yield the commands of a session that have worked often enough since they last failed, with one purpose.

        Args:
            session: the one that has ended.
            earlier: those before it, the oldest first.
            is_same: whether the purposes of two runs are the same.
        """
        own = {command for step in session.steps if step.run.ok and (command := self.command(step))}
        runs: dict[str, list[SeenRun]] = {one: [] for one in sorted(own) if not self._is_plain(one)}
        for seen in (*earlier, session):
            for step in seen.steps:
                known = runs.get(self.command(step))
                if known is not None and step.run.ok is False:
                    known.clear()
                elif known is not None and step.run.ok:
                    known.append(SeenRun(seen, step))
        for command, known in runs.items():
            if len(known) < self._own.worked:
                continue
            good = [one for one in known if is_same(one.purposes, known[-1].purposes)]
            if len(good) >= self._own.worked:
                yield self._worked(command, good)

    def corrected(
        self, session: SeenSession, rules: Sequence[FactCandidate], bans: PhrasePattern
    ) -> Iterator[LearnedPattern]:
        """Yield what the user ordered, word for word, in the round after a tool was run.

        Args:
            session: the one that has ended.
            rules: the orders that hold from now on.
            bans: the words of an order not to do something.
        """
        ran = {step.number for step in session.steps}
        for one in rules:
            if one.number - 1 in ran and not MARK.search(one.text):
                purposes = tuple(filter(None, (f"{one.text} {session.asked.get(one.number - 1, '')}", session.task)))
                section = FAILS if bans.search(one.text) else WORKS
                yield LearnedPattern("corrected", one.text, section, (session.source(one.number),), purposes)

    def command(self, step: ToolStep) -> str:
        """Return the command of a run as a line may hold it; empty if it may not, or if there is none."""
        given = _ENTER.sub("", step.given.strip(), count=1)
        is_fit = 0 < len(given) <= self._own.command_chars and not (set(given) & set("`\r\n") or MARK.search(given))
        return one_line(given) if is_fit else ""

    def _is_plain(self, command: str) -> bool:
        """Return whether a command only looks or moves about."""
        return any(f"{command} ".startswith(f"{plain} ") for plain in self._own.plain)

    def _does_same(self, one: str, other: str) -> bool:
        """Return whether a command does what another one did: with other options, or by another program."""
        words, others = one.split(), other.split()
        if self._program(words) != self._program(others):
            return words[1:] == others[1:] != []
        return all(any(own.startswith(word) for own in others) for word in _things(words))

    def _program(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the program of a command: of one that runs others, the other one too."""
        words = [word for word in words if not _ASSIGNED.match(word)]
        first = words[0].rpartition("/")[2] if words else ""
        others = [word for word in words[1:] if not word.startswith("-")]
        return (first, *others[:1]) if first in self._own.runners else (first,)

    def _error(self, step: ToolStep) -> str:
        """Return the last line of an output that names an error, else its last line."""
        lines = [line for raw in step.run.result.splitlines() if (line := one_line(raw).strip())]
        named = [line for line in lines if self._error_line.search(line)]
        found = (named or lines or [""])[-1]
        return "" if MARK.search(found) else _quotable(found, self._own.error_chars)

    def _change(self, step: ToolStep, command: str) -> str:
        """Return what a run changed: a file that it wrote, or the command itself; empty if it changed nothing."""
        if step.path and is_writer(step.run.tool, self._extract):
            return step.path
        changes = any(f"{command} ".startswith(f"{one} ") for one in self._own.changers)
        return command if command and changes else ""

    def _mended(self, session: SeenSession, failure: OpenFailure, step: ToolStep, command: str) -> LearnedPattern:
        key = "instead" if command != failure.command else "after"
        changes = list(dict.fromkeys(failure.changes))[-self._own.changes :]
        joint = say(self._lang, "punctuation.list")
        facts = {"bad": failure.command, "good": command, "changes": joint.join(f"`{one}`" for one in changes)}
        error = say(self._lang, "learning.error", error=failure.error) if failure.error else ""
        text = say(self._lang, f"learning.{key}", error=error, **facts)
        bad, good = failure.step.run.result, step.run.result
        shown = "\n".join((f"✗ `{failure.command}`", bad, joint.join(changes), f"✓ `{command}`", good))
        source = session.source(failure.step.number, step.number)
        return LearnedPattern("mended", text, FAILS, (source,), session.purposes(failure.step.number), shown)

    def _worked(self, command: str, runs: Sequence[SeenRun]) -> LearnedPattern:
        last = runs[-1]
        purpose = _quotable(last.session.task or (last.purposes or ("",))[0], self._own.error_chars)
        key = "learning.worked" if purpose else "learning.worked-silent"
        return LearnedPattern(
            "worked",
            say(self._lang, key, purpose=purpose, command=command),
            WORKS,
            tuple(dict.fromkeys(one.source for one in runs))[-self._own.evidence :],
            last.purposes,
            f"✓ `{command}`\n{last.step.run.result}",
            is_strong=len(runs) >= self._own.strong and len({one.session.id for one in runs}) > 1,
        )


def _has_same_error(one: OpenFailure, others: Sequence[OpenFailure]) -> bool:
    """Return whether a command failed with the error of one of some others."""
    return any(comparison_key(one.error) == comparison_key(other.error) != "" for other in others)


def _things(words: Sequence[str]) -> Iterator[str]:
    """Yield what a command is about: words that are no options; behind an option only a path is known to be none."""
    for before, word in pairwise(words):
        if not word.startswith("-") and (not before.startswith("-") or _PATH.search(word)):
            yield word


def has_same_words(one: Sequence[str], other: Sequence[str], least: float) -> bool:
    """Return whether two runs were for the same: a purpose of one shares so many of its words with one of the other."""
    pairs = ((tokens(first), tokens(second)) for first in one for second in other)
    return any(len(first & second) >= least * len(first | second) > 0 for first, second in pairs)


def _quotable(text: str, most: int) -> str:
    """Return a text as a line quotes it: without code, fields and links, which the line would be read by."""
    return shortened(" ".join(text.replace("`", "'").replace("[", "(").replace("]", ")").split()).rstrip(".。"), most)
