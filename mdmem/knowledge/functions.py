"""Run functions of a piece of knowledge: bind inputs, expand calls, and renumber jumps. Pure.

The steps are those of a task plan (D050–D053): a step in words, `IF … THEN GOTO n ELSE GOTO m`, and `CALL name(a=b)`.
A call becomes the steps of the called function below it. A call of a function that is already running stays a step:
it is run below it when it is reached.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from mdmem.errors import TargetError, UsageError
from mdmem.formats.knowledge.piece_functions import FunctionStep, KnowledgeFunction, fill
from mdmem.formats.template import Template, fold
from mdmem.knowledge.model import RunName
from mdmem.text.inline import one_line
from mdmem.text.pattern import Pattern, pattern

_COMMA = pattern(r"[,，]")


class StepLimits(NamedTuple):
    """How large a run may become."""

    steps: int
    depth: int


class StepPlace(NamedTuple):
    """Where in a plan the steps of a function stand: below a step, after those that are below it already."""

    above: str = ""
    before: int = 0

    def number(self, own: str) -> str:
        """Return a number of the plan."""
        return f"{self.above}.{own}" if self.above else own


def bind(function: KnowledgeFunction, given: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each input.

    Raises:
        UsageError: an input is missing, or one is given that the function does not have; `hint` names those it has.
    """
    names = [one.name for one in function.inputs]
    shown = ", ".join(one.name if one.default is None else f"{one.name} = {one.default}" for one in function.inputs)
    if unknown := [name for name in given if name not in names]:
        raise _wrong_inputs("unknown inputs: {names}", unknown, shown, function.undeclared())
    values = {one.name: given.get(one.name, one.default) for one in function.inputs}
    if missing := [name for name, value in values.items() if value is None]:
        raise _wrong_inputs("missing inputs: {names}", missing, shown)
    return {name: one_line(value) for name, value in values.items() if value is not None}


def _wrong_inputs(message: str, names: Sequence[str], shown: str, used: Sequence[str] = ()) -> UsageError:
    """Return an error; `used` are the inputs that the function uses and does not declare."""
    hint = "its inputs: {inputs}" if shown else "it has no inputs"
    if open_ := [name for name in names if name in used]:
        hint = "it uses {open}, which no `- inputs:` line declares; write one above the steps"
    facts = {"names": ", ".join(names), "inputs": shown, "open": ", ".join(open_)}
    return UsageError(message, hint=hint, facts=facts)


Lookup = Callable[[str, str], tuple[str, KnowledgeFunction, Template]]  # (piece, called) → its piece, the function


class Expansion:
    """The steps of a run: inputs filled in, calls expanded, jumps renumbered."""

    def __init__(self, lookup: Lookup, limits: StepLimits) -> None:
        """Bind to the function that finds what is called."""
        self._lookup, self._limits = lookup, limits
        self._count = 0
        self.undeclared: dict[tuple[RunName, str], None] = {}  # inputs that stay as they are, each with its function

    def steps(
        self, piece: str, function: KnowledgeFunction, template: Template, given: Mapping[str, str],
        place: StepPlace,
    ) -> tuple[FunctionStep, ...]:  # fmt: skip
        """Return the steps of a function.

        Args:
            piece: the name of its piece.
            function: what is run.
            template: of its piece, with the words for calls and jumps.
            given: the inputs.
            place: where in the plan it is run.

        Raises:
            UsageError: inputs of the function or of a called one are missing or unknown, or there are too many steps.
            TargetError: a called function does not exist.
        """
        self._count = 0
        self.undeclared.clear()
        return tuple(self._expand(piece, function, template, given, place, 0, ()))

    def _expand(
        self, piece: str, function: KnowledgeFunction, template: Template, given: Mapping[str, str], place: StepPlace,
        depth: int, running: tuple[tuple[str, str], ...],
    ) -> Iterator[FunctionStep]:  # fmt: skip
        values = bind(function, given)
        self.undeclared |= dict.fromkeys((RunName(piece, function.name), name) for name in function.undeclared())
        running = (*running, (piece, function.name))
        numbers = _Numbers(place)
        for step in function.steps:
            self._count += 1
            if self._count > self._limits.steps:
                raise UsageError("the run would have more than {count} steps", facts={"count": self._limits.steps})
            number = numbers.next(step.depth)
            text = _renumbered(fill(step.text, values), template, place)
            call = _calls(template.parts.get("call", ())).search(text)
            if call is None:
                yield FunctionStep(depth + step.depth, text)
                continue
            owner, called, own = self._lookup(piece, call[1])
            recursive = (owner, called.name) in running or len(running) >= self._limits.depth
            yield FunctionStep(depth + step.depth, text, calls=recursive)
            if not recursive:
                inner = _arguments(call[2] or "", called)
                yield from self._expand(owner, called, own, inner, StepPlace(number), depth + step.depth + 1, running)


class _Numbers:
    """Counts steps as a plan does: `2`, `2.1`."""

    def __init__(self, place: StepPlace) -> None:
        self._place, self._counts = place, [place.before]

    def next(self, depth: int) -> str:
        depth = min(depth, len(self._counts))
        self._counts = [*self._counts, 0] if depth == len(self._counts) else self._counts[: depth + 1]
        self._counts[depth] += 1
        return self._place.number(".".join(map(str, self._counts)))


def _renumbered(text: str, template: Template, place: StepPlace) -> str:
    """Return a step with its jumps as numbers of the plan."""
    if place == StepPlace():
        return text

    def moved(match: re.Match[str]) -> str:
        first, dot, rest = match[2].partition(".")
        return f"{match[1]}{place.number(f'{int(first) + place.before}{dot}{rest}')}"

    return _jumps(template.parts.get("goto", ())).sub(moved, text)


def _arguments(text: str, function: KnowledgeFunction) -> dict[str, str]:
    """Return the inputs of a call: `name=value`, or values in the order of the function's inputs."""
    found: dict[str, str] = {}
    for at, part in enumerate(_COMMA.split(text) if text.strip() else ()):
        name, sign, value = part.partition("=")
        if not sign:
            name, value = function.inputs[at].name if at < len(function.inputs) else part, part
        found[name.strip()] = value.strip("` \t\"'")
    return found


@cache
def _calls(words: tuple[str, ...]) -> Pattern:
    """Return the pattern of a call: the function's name, and its arguments."""
    return pattern(rf"(?<![A-Za-z])(?:{_any(words)})[ \t]*([^\s(（）)]+)[ \t]*(?:[(（]([^()（）\r\n]*)[)）])?")


@cache
def _jumps(words: tuple[str, ...]) -> Pattern:
    """Return the pattern of a jump: the word, and the number of a step."""
    return pattern(rf"(?<![A-Za-z])((?:{_any(words)})[ \t]*)(\d{{1,6}}(?:\.\d{{1,6}})*)", re.IGNORECASE)


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"


def find_function(functions: Sequence[KnowledgeFunction], name: str) -> KnowledgeFunction:
    """Return the function with a name; without a name the steps of the piece, or else its only function.

    Raises:
        TargetError: there is none; `candidates` are the names.
    """
    wanted = fold(name)
    found = [one for one in functions if fold(one.name) == wanted]
    if not found and not name and len(functions) == 1:
        return functions[0]
    if not found:
        raise TargetError("no such function", candidates=tuple(one.name for one in functions))
    return found[0]
