"""Build a pack: share the token budget between the parts of a recipe, by their floors, caps and priorities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem.context.build import Builder, Built, Source
from mdmem.context.recipe import Recipe
from mdmem.context.result import SEPARATOR, Pack
from mdmem.context.tokens import Counter

_ROUNDS = 8  # attempts with a smaller budget, for counters that find the whole longer than its parts


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
    made = _fitted(builders, budget, counter)
    if recipe.pooled:
        larger = _spread(builders, made, budget - counter(_text(made)))
        made = larger if counter(_text(larger)) <= budget else made
    parts = tuple(builder.part(one) for builder, one in zip(builders, made, strict=True))
    text = _text(made)
    return Pack(recipe.name, budget, counter(text), text, parts, state)


def _fitted(builders: list[Builder], budget: int, counter: Counter) -> list[Built]:
    """Build every part within its own cap, and all of them within the budget."""
    natural = made = [builder.build(None) for builder in builders]
    room = budget
    for _ in range(_ROUNDS):
        if counter(_text(made)) <= budget:
            break
        made = _share(builders, natural, max(0, room), budget)
        room -= max(1, counter(_text(made)) - budget)
    while counter(_text(made)) > budget and any(one.text for one in made):
        made = _without_least(builders, made)
    return made


def _text(made: list[Built]) -> str:
    return SEPARATOR.join(one.text for one in made if one.text)


def _ranked(builders: list[Builder]) -> list[int]:
    """Return the indexes of the parts, the most important first."""
    return sorted(range(len(builders)), key=lambda index: (-builders[index].slot.keep, index))


def _share(builders: list[Builder], natural: list[Built], room: int, budget: int) -> list[Built]:
    """Share a budget: first the floors, then the rules of each part, then the rest, in order of importance."""
    ranked = _ranked(builders)
    granted = dict.fromkeys(ranked, 0)
    for index in ranked:
        floor = min(natural[index].cost, builders[index].slot.floor * budget // 100)
        granted[index] = min(floor, room)
        room -= granted[index]
    for index in ranked:
        more = min(max(0, builders[index].rules - granted[index]), room)
        granted[index] += more
        room -= more
    made: dict[int, Built] = {}
    for index in ranked:
        made[index] = builders[index].build(granted[index] + room)
        room = max(0, granted[index] + room - made[index].cost)
    return [made[index] for index in range(len(builders))]


def _spread(builders: list[Builder], made: list[Built], spare: int) -> list[Built]:
    """Return the pack with unused tokens spent on parts that their own cap has cut, the most important first."""
    found = list(made)
    for index in _ranked(builders):
        larger = builders[index].build(found[index].cost + spare, capped=False)
        if spare > 0 and len(larger.shown) > len(found[index].shown):
            spare -= larger.cost - found[index].cost
            found[index] = larger
    return found


def _without_least(builders: list[Builder], made: list[Built]) -> list[Built]:
    shown = [index for index, one in enumerate(made) if one.text]
    least = min(shown, key=lambda index: (builders[index].slot.keep, -index))
    return [builders[least].build(0) if index == least else one for index, one in enumerate(made)]
