"""Find the entries of mdmem in a settings file: unchanged, changed by hand, or missing.

An agent that writes its settings anew keeps the values and not their form, and a person may change a value. So an entry
is known by what it calls: the same command is ours, whatever else was changed beside it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from mdmem.agents.connect.agent_files import NAME
from mdmem.agents.connect.edits import UnfitSettingsError, cut, inner_nodes, line_of, node_at, read_json, value_of
from mdmem.agents.connect.model import Insertion, JsonEntry

ROOT = "--root"  # what an entry of one workspace differs in from that of another
HOOK = ("hook", "run")


class StandingEntry(NamedTuple):
    """An entry of ours in a settings file."""

    is_ours: bool  # it calls what was entered; else it was changed by hand
    place: str  # the keys that lead to it
    line: int


class Removal(NamedTuple):
    """A text without what was entered, and what the record of the file must keep."""

    text: str
    record: dict[str, Any]
    left: tuple[StandingEntry, ...] = ()  # changed by hand, so they were left
    missing: int = 0  # entries that stood there no more


def standing(text: str, entry: JsonEntry, *, is_known: bool = False) -> StandingEntry | None:
    """Return where an entry is in a JSON text; None if it is missing.

    Args:
        text: of the settings file.
        entry: what was entered, or shall be.
        is_known: it was entered by mdmem, so that a member of its name is ours, whatever it says.

    Raises:
        ValueError: the text is not valid JSON.
    """
    node = node_at(text, entry.keys)
    if node is None:
        return None
    wanted, edited = command_words(entry.value), None
    for one in filter(None, [(node.members or {}).get(entry.name)] if entry.name else node.items or []):
        words = command_words(value_of(text, one))
        place = ".".join((*entry.keys, entry.name) if entry.name else entry.keys)
        found = StandingEntry(words == wanted, place, line_of(text, one.start))
        if found.is_ours:
            return found
        if (is_known and entry.name) or _is_edited(words, wanted):
            edited = edited or found
    return edited


def commands(value: object) -> Iterator[list[str]]:
    """Yield the words of each command that a value of an agent's settings calls."""
    if isinstance(value, dict) and isinstance(command := value.get("command"), str):
        words = value.get("args")
        yield [command, *map(str, words)] if isinstance(words, list) else _split(command)
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from commands(one)


def command_words(value: object) -> list[str]:
    """Return the words of all commands that a value of an agent's settings calls."""
    return list(chain.from_iterable(commands(value)))


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation mark is not closed
        return command.split()


def _is_edited(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return True if words are those of an entry for the same workspace that a person changed.

    A hook that names no workspace counts too, if it runs mdmem.
    """
    pairs = list(pairwise(words))
    is_hook = HOOK in pairs
    roots = [after for word, after in pairs if word == ROOT]
    if is_hook is not (HOOK in pairwise(wanted)):
        return False
    return wanted[-1] in roots or (is_hook and not roots and NAME in map(os.path.basename, words))


def is_switched_off(text: str, switch: str) -> bool:
    """Return True if a settings text sets the member that keeps the agent from running hooks."""
    try:
        found = value_of(text) if switch else None
    except ValueError:
        return False
    return isinstance(found, dict) and found.get(switch) is True


def without_entered(text: str, entered: Mapping[str, Any], keep: Collection[int] = ()) -> Removal:
    """Return a text without what the record of its file says was entered; what was changed by hand is left.

    Args:
        text: of the settings file.
        entered: the record.
        keep: the numbers of the entries that shall stay.

    Raises:
        ValueError: the text is not valid JSON.
    """
    insertions = [Insertion(*one) for one in entered["insertions"]]
    rows = entered.get("entries", ())
    kept: list[int] = []
    left: list[StandingEntry] = []
    missing = 0
    for number in reversed(range(len(insertions))):
        if number in keep:
            kept.append(number)
            continue
        text, found = _without(text, insertions[number], rows[number] if rows else None)
        if isinstance(found, StandingEntry):
            kept.append(number)
            left.append(found)
        missing += found is None
    if rows:  # what was taken out before them moved their lines
        entries = [_entry(row) for number, row in enumerate(rows) if number in kept and number not in keep]
        left = [one for one in (standing(text, entry, is_known=True) for entry in entries) if one]
    parallel = ("insertions", "entries") if rows else ("insertions",)
    record = {key: [entered[key][one] for one in reversed(kept)] for key in parallel}
    if rows:
        made = {keys[0] for keys, _, _, had in rows if not had}  # objects that were made for the entries
        record["entries"] = [[*row[:3], 0 if row[0][0] in made else row[3]] for row in record["entries"]]
    return Removal(text, {**entered, **record}, tuple(left), missing)


def _without(text: str, insertion: Insertion, row: Sequence[Any] | None) -> tuple[str, StandingEntry | bool | None]:
    """Return a text without one entry, and True; with it and its place if it was changed; None if it is gone."""
    taken = take_out(text, [insertion])
    if row is None:
        return (text, _changed_text(text, insertion.text)) if taken is None else (taken, True)
    entry, had = _entry(row), row[3]
    if is_taken := taken is not None and _is_json(taken):
        text = taken or ""
    while (found := standing(text, entry, is_known=True)) and found.is_ours:
        text, is_taken = _without_value(text, entry), True
    text = _without_empty(text, entry.keys, had)
    return text, found or is_taken or None


def left_whole(text: str, entered: Mapping[str, Any]) -> Removal:
    """Return the removal that leaves an appended text where it is."""
    places = (_changed_text(text, inserted) for _, inserted in entered["insertions"])
    return Removal(text, dict(entered), tuple(filter(None, places)))


def _entry(row: Sequence[Any]) -> JsonEntry:
    """Return the entry of a row of the record."""
    keys, value, name, _ = row
    return JsonEntry(tuple(keys), value, name)


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except ValueError:
        return False
    return True


def _changed_text(text: str, inserted: str) -> StandingEntry | None:
    """Return where an appended text stands that was changed by hand: known by its first line."""
    first = inserted.strip().partition("\n")[0]
    lines = text.split("\n")
    return StandingEntry(is_ours=False, place=first, line=lines.index(first) + 1) if first in lines else None


def _without_value(text: str, entry: JsonEntry) -> str:
    node = node_at(text, entry.keys)
    if node is None:
        raise UnfitSettingsError("connect.unreadable")
    inner, wanted = inner_nodes(node), command_words(entry.value)
    ours = [(node.members or {}).get(entry.name)] if entry.name else inner
    found = next(one for one in ours if one and command_words(value_of(text, one)) == wanted)
    return cut(text, node, inner.index(found))


def _without_empty(text: str, keys: Sequence[str], had: int) -> str:
    """Return a text without the objects that were made for an entry and are empty now."""
    for depth in range(len(keys), had, -1):
        parent, made = node_at(text, keys[: depth - 1]), node_at(text, keys[:depth])
        if parent and made and (made.members is not None or made.items is not None) and not inner_nodes(made):
            text = cut(text, parent, inner_nodes(parent).index(made))
    return text


def take_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """Return the text without what was inserted, the last insertion first; None if a part of it is missing.

    A text that was moved by changes before it is found as long as it stands there once.
    """
    for offset, inserted in reversed(insertions):
        at = offset if text.startswith(inserted, offset) else text.find(inserted)
        if at < 0 or (at != offset and text.count(inserted) != 1):
            return None
        text = text[:at] + text[at + len(inserted) :]
    return text
