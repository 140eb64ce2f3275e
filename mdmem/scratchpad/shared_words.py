"""Counts the things that two texts share, and finds which of two things an answer chooses. Pure."""

from __future__ import annotations

import re

from mdmem.text.pattern import pattern
from mdmem.text.similarity import ATOM

_CAPITAL = pattern(r"(?<=[^\s.!?] )[A-Z][a-z][\w-]*")  # of a name inside a sentence
_CHOICE = pattern(  # what stands beside «or»: two characters of Chinese, or a word
    r"(?P<one>[\u3400-\u9fff]{1,2})(?:还是|或者?)(?P<other>[\u3400-\u9fff]{1,2})"
    r"|\b(?P<left>[\w'-]+) or (?P<right>[\w'-]+)",
    re.IGNORECASE,
)


def shared_things(text: str, other: str, shared: frozenset[str]) -> int:
    """Return how many things the shared words name; words that stand side by side in both texts name one: «tablet app».

    Args:
        text: a text.
        other: the one that it is compared with.
        shared: the words that both have, as `tokens` makes them.
    """
    folded, other = text.casefold(), other.casefold()
    found = list(ATOM.finditer(folded))
    atoms = ["", *(one.group() for one in found), ""]
    count, was_shared = 0, False
    for one, before, atom, behind in zip(found, atoms, atoms[1:], atoms[2:], strict=False):
        is_shared = not shared.isdisjoint((atom, before + atom, atom + behind))
        together = folded[one.start() - len(before) - 1 : one.end()] if atom.isascii() else before + atom
        goes_on = was_shared and atom.isascii() == before.isascii() and together in other
        count += is_shared and not goes_on
        was_shared = is_shared
    return count


def shares_only_names(asked: str, answer: str, shared: frozenset[str]) -> bool:
    """Return whether the shared words are names, and an answer adds none: «We go to Porto» names no hotel in Porto."""
    known, found = (frozenset(map(str.casefold, _CAPITAL.findall(text))) for text in (asked, answer))
    return shared <= known and found <= known


def chooses(asked: str, answer: str) -> bool:
    """Return whether an answer names one of two things between which a text leaves the choice, and not the other."""
    answer = f" {' '.join(ATOM.findall(answer.casefold()))} "
    return any(_names(answer, one) != _names(answer, other) for one, other in map(_sides, _CHOICE.finditer(asked)))


def _sides(found: re.Match[str]) -> tuple[str, str]:
    return (found["one"] or found["left"]).casefold(), (found["other"] or found["right"]).casefold()


def _names(answer: str, thing: str) -> bool:
    """Return whether the words of an answer, each between spaces, hold those of a thing."""
    return f" {' '.join(ATOM.findall(thing))} " in answer
