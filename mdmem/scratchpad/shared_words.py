"""Count the things that a text shares with another one. Pure."""

from __future__ import annotations

from mdmem.text.pattern import pattern

_ATOM = pattern(r"[a-zß-ԯ]+(?:'[a-zß-ԯ]+)*[+#]*|\d+|[^\W\d_]")  # as in `tokens`


def shared_things(text: str, other: str, shared: frozenset[str]) -> int:
    """Return how many things the shared words name; words that stand side by side in both texts name one: «tablet app».

    Args:
        text: a text.
        other: the one that it is compared with.
        shared: the words that both have, as `tokens` makes them.
    """
    folded, other = text.casefold(), other.casefold()
    found = list(_ATOM.finditer(folded))
    atoms = ["", *(one.group() for one in found), ""]
    count, was_shared = 0, False
    for one, before, atom, behind in zip(found, atoms, atoms[1:], atoms[2:], strict=False):
        is_shared = not shared.isdisjoint((atom, before + atom, atom + behind))
        together = folded[one.start() - len(before) - 1 : one.end()] if atom.isascii() else before + atom
        goes_on = was_shared and atom.isascii() == before.isascii() and together in other
        count += is_shared and not goes_on
        was_shared = is_shared
    return count
