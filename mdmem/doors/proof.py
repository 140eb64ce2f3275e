"""Shows why something is remembered: a tree from the entry to its proof, or the same as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mdmem.doors import emit
from mdmem.doors.history import local
from mdmem.doors.outcome import transaction
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words
from mdmem.workspace.pins.words import fact, gone

if TYPE_CHECKING:
    from mdmem.workspace.pins.evidence import Evidence
    from mdmem.workspace.pins.why import Why

Node = tuple[str, list[str]]  # a line, and those below it


def show(found: Why, lang: str, *, as_json: bool) -> None:
    """Print the tree."""
    if as_json:
        emit.json(as_dict(found))
        return
    paint = Paint(sys.stdout)
    print(f"{paint('path', safe(f'{found.path}:{found.line}'))}  {paint('dim', safe(found.key))}")
    print(f"{paint('bold', safe(found.text))}")
    nodes = list(_nodes(found, lang, paint))
    for place, (head, below) in enumerate(nodes):
        last = place + 1 == len(nodes)
        print(f"{paint('dim', '└─ ' if last else '├─ ')}{head}")
        for line in below:
            print(f"{paint('dim', '   ' if last else '│  ')}   {line}")


def as_dict(found: Why) -> dict[str, Any]:
    """Give the walk as JSON's types, nested."""
    evidence = [one._asdict() | {"said": list(one.said), "facts": dict(one.facts)} for one in found.evidence]
    before = [one._asdict() for one in found.before]
    values = {"evidence": evidence, "before": before, "missing": list(found.missing)}
    return found._asdict() | values | {"written": transaction(found.written)}


def _nodes(found: Why, lang: str, paint: Paint) -> Iterator[Node]:
    say, change = words(lang), found.written
    if change:
        told = say["written"].format(time=local(change.time), actor=change.actor, reason=change.reason)
        yield safe(told), [paint("dim", safe(f"mdmem diff {change.id.rpartition('-')[2]}"))]
    yield from (_evidence(one, lang, paint) for one in found.evidence)
    for old in found.before:
        place, reason = f"{old.path}:{old.line}", gone(lang, old.reason)
        yield f"{safe(say['before'])} {paint('path', safe(place))} {paint('dim', safe(reason))}", [safe(old.text)]
    shown = {one.missing for one in found.evidence}
    yield from ((f"{paint('warning', '?')} {safe(one)}", []) for one in found.missing if one not in shown)


def _evidence(one: Evidence, lang: str, paint: Paint) -> Node:
    source = words(lang)["source"]
    if one.missing:
        return f"{safe(source)} {safe(one.source)}", [f"{paint('error', '✗')} {safe(one.missing)}"]
    place = f"{one.path}:{one.line}" if one.line else one.path
    facts = "  ".join(f"{fact(lang, key)} {value}" for key, value in one.facts if value)
    below = [paint("dim", safe(facts))] if facts else []
    return f"{safe(source)} {paint('path', safe(place))}", [*below, *map(safe, one.said)]
