"""Finds the owner of the property in a clause: 我备用的手机 is the user's, 我朋友的手机 is the friend's."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.extraction.patterns import CHINESE_TIME, ClauseMatch
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern

_TIME = pattern(CHINESE_TIME)
_USER = "我"


class OwnedProperty(NamedTuple):
    """Whose property it is, its name, and the words that say which one of the user's it is."""

    owner: str  # empty for the user
    name: str
    which: str = ""


def owned_property(match: ClauseMatch, settings: ExtractSettings) -> OwnedProperty | None:
    """Return whose property a clause names, and which; None if it names no owner: 我只知道他的邮箱.

    Words that only say which one of the user's it is, 备用 or 明年, belong to the name of the property; those that say
    no more than «my» are left out.
    """
    said, name = match.slots.get("who", "").strip(), _plain(match.predicate, settings)
    if said.startswith(_USER):
        which = said.removeprefix(_USER).removeprefix("们").removeprefix("的")
        if any(word in which for word in settings.no_owners):
            return None
        if which in settings.own_words:
            return OwnedProperty("", name)
        if which.endswith(settings.own_uses):
            return OwnedProperty("", which + name, which)
    if has_chinese(said) and _TIME.fullmatch(said.removeprefix("我们").removeprefix(_USER)):
        which = said.removeprefix("我们").removeprefix(_USER)
        return OwnedProperty("", which + name, which)
    who = said.removeprefix("我们").removeprefix("我的").removesuffix("新").strip()  # 云梯新的端口 is 云梯's
    who = who[4:] if who[:4].lower() in ("our ", "the ") else who[3:] if who[:3].lower() == "my " else who
    return OwnedProperty(who, name)


def _plain(name: str, settings: ExtractSettings) -> str:
    """Return the name of a property without the words that only point at it: 那台电脑 is the computer."""
    word = next((word for word in settings.name_openers if name.startswith(word)), "")
    return name.removeprefix(word) if len(name) > len(word) + 1 else name
