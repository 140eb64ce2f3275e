"""Find the chat at hand and an agent's own sessions by the names of files, and read no more of them than is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from mdmem.context.chat import Limits, least, shown_tokens
from mdmem.context.recipe import Recipe, Slot
from mdmem.core.record import NamedTuple
from mdmem.core.session import Session, Turn, rounds
from mdmem.errors import UnreadableFileError
from mdmem.workspace.config import Config
from mdmem.workspace.packing.ask import Ask, turns_of
from mdmem.workspace.session.find import head, latest, newest_turns, template

_BYTES = 10  # of a file that are read at once for each token that is shown
_SPARE = 1.25  # times the tokens that are shown, so many are read: hidden text and secrets of a turn take none


class Chat(NamedTuple):
    """The turns of the chat at hand, and how many rounds of it stand in the pool already."""

    turns: tuple[Turn, ...] = ()
    path: str = ""
    condensed: int = 0
    why: str = ""
    before: Mapping[int, int] = {}  # by round, how many turns behind its first were not read


def chat(config: Config, recipe: Recipe, ask: Ask) -> Chat:
    """Return the chat that the caller has, else that of the newest session if it is still open."""
    if ask.rounds is not None:
        return Chat(turns_of(ask.rounds))
    if not config.settings.memory.enabled:
        return Chat(why="off")
    found = next(_newest(config, ask.agent), None)
    if found is None or found.ended:
        return Chat(why="missing")
    keep = max([int(numbers(config)["keep_rounds"]), *(slot.rounds or 0 for slot in recipe.slots)])
    window, recent = (_Need(recipe, source, ask) for source in ("window", "recent"))

    def enough(turns: Sequence[Turn]) -> bool:
        said = rounds(turns)
        older = (turn for one in said[: len(said) - keep] for turn in one if turn.number > found.condensed_through)
        if len(said) > keep and window.has(older, window.tokens):
            return True
        return recent.has(turns, window.tokens + recent.tokens)

    turns, before = newest_turns(
        config, found.path, keep, enough=enough, first=_BYTES * (window.tokens + recent.tokens)
    )
    return Chat(turns, found.path, found.condensed_through, before=before)


class _Need:
    """How many tokens of turns the parts with one source can show, and whether some turns have so many."""

    def __init__(self, recipe: Recipe, source: str, ask: Ask) -> None:
        slots = [slot for slot in recipe.slots if slot.source == source]
        self.tokens = sum(slot.run_tokens or slot.tokens or recipe.budget for slot in slots)
        self._limits = [least(limits(slot)) for slot in slots]
        self._count = ask.counter

    def has(self, turns: Iterable[Turn], tokens: int) -> bool:
        left = _SPARE * tokens
        for turn in turns:
            left -= min((shown_tokens(turn, one, self._count) for one in self._limits), default=0)
            if left <= 0:
                return True
        return left <= 0


def limits(slot: Slot) -> Limits:
    """Return how much of a turn a part shows."""
    return Limits(
        slot.code_lines or 0, slot.tool_lines, slot.tool_chars, slot.tool_turns,
        slot.run_lines or 0, slot.run_tokens or 0, slot.step,
    )  # fmt: skip


def own_sessions(config: Config, agent: str | None, limit: int) -> tuple[tuple[Session, ...], str]:
    """Give an agent's own last sessions that came to an end, oldest first; or why there are none."""
    if not config.settings.memory.enabled:
        return (), "off"
    ended = (one for one in _newest(config, agent) if one.ended or one.outcome not in ("", "ongoing"))
    return tuple(reversed(tuple(islice(ended, limit)))), ""


def numbers(config: Config) -> Mapping[str, float]:
    """Give the numbers of sessions."""
    return template(config).numbers


def titles(config: Config) -> dict[str, str]:
    """Give the words for what was asked and what was answered."""
    schema = template(config)
    return {key: schema.name(key) or key for key in ("request", "response")}


def _newest(config: Config, agent: str | None) -> Iterator[Session]:
    """Give the heads of the newest sessions; those that are too far back are for recall to find."""
    for path in latest(config, limit=config.settings.session.open_among):
        with suppress(OSError, UnreadableFileError):
            session = head(config, path)
            if agent is None or session.agent in ("", agent):
                yield session
