"""Removes what gives orders to a model, or speaks as another role, from a text for a model's context. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from mdmem.linter.detect.prompt_injection import find_prompt_injection, find_role_tags
from mdmem.linter.views.decoded_views import DecodedView, decoded_views
from mdmem.text.pattern import pattern

ORDERS = (("MM503", "instruction-override"), ("MM504", "role-tag"))  # the rules whose findings are left out
_FINDERS = (find_prompt_injection, find_role_tags)
_ITEM = pattern(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s")


def without_orders(text: str, accepted: Collection[str] = ()) -> str:
    """Return a text without the entries, or else the paragraphs, that give orders to a model or name another speaker.

    An entry goes with the lines that continue it and the entries below it, which would be read with the one before it.

    Args:
        text: Markdown.
        accepted: lines that stay whatever they say, as `bare` returns them.
    """

    def gives_orders(piece: str) -> bool:
        return _gives_orders(
            "\n".join(line for line in piece.split("\n") if not accepted or bare(line) not in accepted)
        )

    if not gives_orders(text):
        return text
    text = "\n".join(_kept(text.split("\n"), gives_orders))
    if gives_orders(text):
        text = "\n\n".join(part for part in text.split("\n\n") if not gives_orders(part))
    return "" if gives_orders(text) else text


def bare(line: str) -> str:
    """Return a line without the marker of an entry, by which a line of a file is found again in a pack."""
    return line[found.end() if (found := _ITEM.match(line)) else 0 :].strip()


def _kept(lines: Sequence[str], gives_orders: Callable[[str], bool]) -> Iterator[str]:
    """Yield the lines of the entries, and the other lines, that give no orders."""
    above = None  # the indent of the entry that went, while what is below it follows
    for indent, own in _entries(lines):
        if above is not None and indent > above:
            continue
        above = indent if gives_orders("\n".join(own)) else None
        if above is None:
            yield from own


def _entries(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield each entry with the lines that continue it, and each other line; with its indent."""
    indent, own = 0, list[str]()
    for line in lines:
        item = _ITEM.match(line)
        if own and not item and line[:1].isspace() and line.strip() and own[0].strip():
            own.append(line)
            continue
        if own:
            yield indent, own
        indent, own = len(item.group(1)) if item else 0, [line]
    if own:
        yield indent, own


def _gives_orders(text: str) -> bool:
    return any(True for view in decoded_views(DecodedView(text)) for find in _FINDERS for _ in find(view))
