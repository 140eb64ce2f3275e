"""Three-way merge of one entry by its parts: list marker, checkbox, date, words, tags, fields, id.

Two changes of different parts do not collide: one side ticks an entry, the other corrects a word of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias

from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern

_MARKER = pattern(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])(?:[ \t\u3000]+|\Z)")
_ID, _REST = "^", ""  # keys of the parts that are no field
Fields: TypeAlias = Mapping[str, str]
# From the fields that both sides changed differently, and what each has in all, to the values that hold; a key that is
# missing in the answer is a collision.
FieldChoice: TypeAlias = Callable[[Fields, Fields], Fields]


def no_choice(ours: Fields, theirs: Fields) -> Fields:  # noqa: ARG001 - a choice like others
    """Choose no value: fields that both sides changed differently collide."""
    return {}


def entry_identity(words: str) -> str:
    """Return what stays the same when an entry is moved, ticked or gets another field: its date and its words."""
    parts = read_entry(words)
    start = max((span.end for span in (parts.checkbox, parts.tick) if span), default=0)
    return words[start : max(start, parts.body.end)].strip()


def merged_entry(base: str, ours: str, theirs: str, choose: FieldChoice = no_choice) -> str | None:
    """Return the lines of an entry with the changes of both sides; None if both changed one part differently.

    A text is that of a merge unit: the list marker and the entry's own lines.
    """
    whole = _three(base, ours, theirs)
    if whole is not None:
        return whole
    (old, was), (mine, my_tail), (yours, your_tail) = map(_parts, (base, ours, theirs))
    heads = [_three(*three) for three in zip(old, mine, yours, strict=True)]
    tail = _tail(was, my_tail, your_tail, choose)
    if tail is None or any(one is None for one in heads):
        return None
    return _whole([one or "" for one in heads], tail)


def common_entry(one: str, other: str) -> str:
    """Return what two versions of an entry have in common, as the version with which both began.

    One that says more at its end is a later version. Where both say something else, the words differ from both, so that
    a merge finds a collision.
    """
    ((marker, box, date, words), tail), ((_, box2, date2, words2), tail2) = map(_parts, (one, other))
    open_box = next((one for one in (box, box2) if one.startswith("[ ]")), box if box == box2 else "")
    both = {key: text for key, text in tail.items() if text == tail2.get(key)}
    tags = " ".join(tag for tag in tail[_REST].split() if tag in tail2[_REST].split())
    ends = [tags, *(text for key, text in both.items() if key not in (_REST, _ID)), both.get(_ID, "")]
    return _whole([marker, open_box, date if date == date2 else "", _common_words(words, words2)], ends)


def _common_words(one: str, other: str) -> str:
    """Return the words with which two texts of an entry began."""
    if one == other or says_more(one, other):
        return one
    if says_more(other, one):
        return other
    shared = (_common_start(one, other), _common_start(one[::-1], other[::-1])[::-1])
    longest = max(shared, key=len).strip()
    return longest.rpartition(" ")[0] if longest in (one, other) else longest


def _common_start(one: str, other: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in same)


def says_more(words: str, longer: str) -> bool:
    """Return whether a text says what another one says, and more at its end."""
    if not words or not longer.startswith(words) or words == longer:
        return False
    last, following = words[-1], longer[len(words)]
    return not (last.isascii() and last.isalnum() and following.isascii() and following.isalnum())


def _whole(heads: Sequence[str], tail: Iterable[str]) -> str:
    """Return an entry from its parts."""
    return " ".join(filter(None, ("".join(heads).rstrip(" \t"), *tail)))


def _three(base: str, ours: str, theirs: str) -> str | None:
    """Return the text of the side that changed it; None if both did, differently."""
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _parts(text: str) -> tuple[tuple[str, str, str, str], dict[str, str]]:
    """Return marker, checkbox, date and words of an entry, and what follows them by its key."""
    match = _MARKER.match(text)
    marker, rest = (match.group(), text[match.end() :]) if match else ("", text)
    parts = read_entry(rest)
    done = max((span.end for span in (parts.checkbox, parts.tick) if span), default=0)
    done += len(rest[done:]) - len(rest[done:].lstrip(" \t"))
    start, end = max(done, parts.body.start), max(done, parts.body.end)
    tail: dict[str, str] = {}
    for one in parts.fields:
        if one.span.start >= end:
            key = f"{one.key}::"
            tail[key if key not in tail else f"{key}{len(tail)}"] = one.span.of(rest)
    left = rest[end:]
    for piece in tail.values():
        left = left.replace(piece, " ", 1)
    if parts.id_span:
        left = left.replace(parts.id_span.of(rest), " ", 1)
    tail[_REST] = " ".join(left.split())  # tags and comments
    tail[_ID] = parts.id_span.of(rest) if parts.id_span else ""
    return (marker, rest[:done], rest[done:start], rest[start:end].rstrip()), tail


def _tail(base: dict[str, str], ours: dict[str, str], theirs: dict[str, str], choose: FieldChoice) -> list[str] | None:
    """Return the fields with the changes of both sides, tags before and the id behind them; None if two collide."""
    keys = dict.fromkeys((*theirs, *ours, *base))
    found = {key: _three(*(side.get(key, "") for side in (base, ours, theirs))) for key in keys}
    missing = [key for key, text in found.items() if text is None]
    chosen = choose(ours, theirs) if missing else {}
    if not all(key in chosen for key in missing):
        return None
    found |= {key: chosen[key] for key in missing}
    ends = (found.pop(_REST), found.pop(_ID))
    return [one for one in (ends[0], *found.values(), ends[1]) if one]
