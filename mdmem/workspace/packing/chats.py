"""Find the chat at hand and an agent's own sessions by the names of files, and read no more of them than is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from mdmem.context.recipe import Recipe
from mdmem.core.record import NamedTuple
from mdmem.core.session import Session, Turn, rounds
from mdmem.errors import UnreadableFileError
from mdmem.workspace.config import Config
from mdmem.workspace.packing.ask import Ask, turns_of
from mdmem.workspace.session.find import head, latest, newest_turns, template

_CHARS = 10  # characters that a token stands for at most, but for odd texts, of which less is then shown


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
    window, recent = (
        sum(slot.tokens or recipe.budget for slot in recipe.slots if slot.source == source)
        for source in ("window", "recent")
    )
    keep = max([int(numbers(config)["keep_rounds"]), *(slot.rounds or 0 for slot in recipe.slots)])

    def enough(turns: Sequence[Turn]) -> bool:
        said = rounds(turns)
        older = (turn for one in said[: len(said) - keep] for turn in one if turn.number > found.condensed_through)
        if len(said) > keep and sum(len(turn.text) for turn in older) >= _CHARS * window:
            return True
        return sum(len(turn.text) for turn in turns) >= _CHARS * (window + recent)

    turns, before = newest_turns(config, found.path, keep, enough=enough)
    return Chat(turns, found.path, found.condensed_through, before=before)


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
