"""The journey of a pack, from the recipe's name to what a model gets."""

from __future__ import annotations

import os
from functools import lru_cache

from mdmem.context.pack import pack as pack_sources
from mdmem.context.recipe import Recipe, Recipes, read_recipes
from mdmem.context.result import Pack
from mdmem.context.state import Kind
from mdmem.context.tokens import Counter
from mdmem.core.paths import odd
from mdmem.core.settings.layers import Layer
from mdmem.errors import UsageError
from mdmem.store.bundled import templates_folder
from mdmem.store.files import read_bytes
from mdmem.store.root import Root
from mdmem.store.trust import USER_SETTINGS
from mdmem.store.walk import SETTINGS_FILE
from mdmem.workspace.config import Config
from mdmem.workspace.packing.ask import Ask
from mdmem.workspace.packing.files import MemoryFiles
from mdmem.workspace.packing.gather import Gatherer, read_kinds

_SHIPPED = "recipes.toml"
_ENDS = 3  # views of a file that are read at its end, where what the last rounds tell is left out


def recipes(config: Config) -> Recipes:
    """Give the recipes that hold here: the shipped ones, the user's over them, the workspace's on top."""
    shipped = read_bytes(os.path.join(templates_folder(), _SHIPPED), _SHIPPED)
    return _read(shipped, config.user_settings, config.own_settings, config.schemas.kinds)


@lru_cache(maxsize=8)
def _read(shipped: bytes, users: bytes | None, own: bytes | None, kinds: tuple[str, ...]) -> Recipes:
    """Read recipes, the same ones once: TOML costs more than a pack."""
    files = ((shipped, f"templates/{_SHIPPED}"), (users, USER_SETTINGS), (own, SETTINGS_FILE))
    return read_recipes([Layer(data, path, trusted=True) for data, path in files if data is not None], kinds)


def _ends(config: Config, recipe: Recipe) -> dict[str, int]:
    """Return the kinds of which only the newest entries are shown, and how many characters of a file that may need."""
    found: dict[str, int] = {}
    for kind in config.schemas.kinds:
        slots = [slot for slot in recipe.slots if slot.source == kind]
        schema = config.schemas.get(kind)
        views = ((slot.max_chars or 0) * (_ENDS if slot.once else 1) for slot in slots)
        most = max([schema.file.max_chars or 0 if schema else 0, *views])
        rolls = slots or (schema and "milestones" in schema.parts)  # the state shows what rolls, whatever the recipe
        if rolls and most and all(slot.cut == "newest" and slot.max_chars for slot in slots):
            found[kind] = most
    return found


def pack(config: Config, name: str, ask: Ask) -> Pack:
    """Pack a recipe; see `Workspace.pack`."""
    if ask.budget is not None and ask.budget < 0:
        raise UsageError("a budget is a number of tokens, 0 or more")
    if ask.agent is not None and ("/" in ask.agent or odd(f"{ask.agent}.md", ("*",))):
        raise UsageError(f"no agent can be called `{ask.agent}`")
    known = recipes(config)
    recipe = known.get(name)
    with Root(config.root) as root:
        files = MemoryFiles(config, root, ask.agent, _ends(config, recipe))
        gatherer = Gatherer(config, files, known, recipe, ask)
        sources, state = gatherer.sources(), gatherer.state()
    budget = recipe.budget if ask.budget is None else ask.budget
    found = pack_sources(recipe, sources, budget=budget, counter=Counter(ask.counter), lang=config.lang, state=state)
    config.cache.save(complete=False)  # the settings and templates that were read
    return found


def state_kinds(config: Config, name: str, agent: str | None) -> dict[str, Kind]:
    """Return the files of the state as a pack of that recipe reads them; of an unknown recipe they are read whole."""
    recipe = recipes(config).recipes.get(name)
    with Root(config.root) as root:
        return read_kinds(config, MemoryFiles(config, root, agent, _ends(config, recipe) if recipe else {}))
