"""Makes a pack: every part as large as its own limits allow, and where all do not fit, the least important smaller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem.context.build import Builder, Built, Source
from mdmem.context.recipe import Recipe
from mdmem.context.result import SEPARATOR, Pack
from mdmem.context.tokens import Counter

_ROUNDS = 8  # times that a pack is made smaller, where a counter finds the whole longer than its parts


def pack(
    recipe: Recipe,
    sources: Mapping[str, Source],
    *,
    budget: int,
    counter: Counter,
    lang: str,
    state: Mapping[str, Any],
) -> Pack:
    """Pack the sources, one for each part of the recipe, into a budget of tokens."""
    builders = [Builder(slot, sources[slot.name], counter, lang) for slot in recipe.slots]
    made = [builder.build(None) for builder in builders]
    room = budget
    for _ in range(_ROUNDS):
        over = counter(_text(made)) - budget
        if over <= 0:
            break
        made = _share(builders, max(0, room))
        room -= max(1, counter(_text(made)) - budget)
    while counter(_text(made)) > budget and any(one.text for one in made):
        made = _without_least(builders, made)
    parts = tuple(builder.part(one) for builder, one in zip(builders, made, strict=True))
    text = _text(made)
    return Pack(recipe.name, budget, counter(text), text, parts, state)


def _text(made: list[Built]) -> str:
    return SEPARATOR.join(one.text for one in made if one.text)


def _share(builders: list[Builder], room: int) -> list[Built]:
    """Share a budget: first what must stay, from the most important part on, then the rest in the same order."""
    ranked = sorted(range(len(builders)), key=lambda index: (-builders[index].slot.keep, index))
    granted = dict.fromkeys(ranked, 0)
    for index in ranked:
        granted[index] = min(builders[index].floor, room)
        room -= granted[index]
    made: dict[int, Built] = {}
    for index in ranked:
        made[index] = builders[index].build(granted[index] + room)
        room = max(0, granted[index] + room - made[index].cost)
    return [made[index] for index in range(len(builders))]


def _without_least(builders: list[Builder], made: list[Built]) -> list[Built]:
    shown = [index for index, one in enumerate(made) if one.text]
    least = min(shown, key=lambda index: (builders[index].slot.keep, -index))
    return [builders[least].build(0) if index == least else one for index, one in enumerate(made)]
