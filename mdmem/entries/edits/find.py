"""Finds the entry or section that a name refers to: by id, key or text; refuses ambiguous names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from heapq import nlargest
from itertools import islice
from typing import TypeVar

from mdmem.errors import TargetError
from mdmem.formats.template import SectionSpec, Template, fold
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import entry_key
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, tokens

_KEY = pattern(r"[0-9a-f]{6,12}")
_ID = pattern(r"\^?[A-Za-z0-9-]+")
_EQUAL = pattern(r"(?P<key>[0-9a-f]{6,12})\.(?P<number>[1-9]\d{0,5})")
_NUMBER = pattern(r"\W*\d+(?:\W+\d+)*\W*")
_PIECE, _DENSE_PIECE = 3, 2  # characters of the shortest text that names an entry; a Chinese word has two
_SHOWN = 8  # candidates in an error
_QUOTED = 60  # characters of each candidate
_NEAR = 0.6  # similarity from which a misspelt name is recognised

T = TypeVar("T")


def find_entry(document: Document, name: str) -> Entry:
    """Return the entry that a name refers to: `^id` or `id`, six or more characters of its key, or a part of its text.

    Equal entries have one key; `key.2` is the second of them. A part of the text must not be vague, see `is_vague`.

    Raises:
        TargetError: no entry matches, or more than one, or the name is vague. `candidates` are `key text` of possible
            entries.
    """
    wanted = name.strip()
    entries = document.entries
    if numbered := _numbered(entries, wanted):
        return numbered
    for test in predicates(wanted) if wanted else ():
        found = [entry for entry in entries if test(entry)]
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{len(found)} entries match `{_short(wanted)}`"
            hint = "name one of them by its key, or by a piece of text that only it has"
            candidates = tuple(_candidates(document, found[:_SHOWN]))
            raise TargetError(message, hint=hint, candidates=candidates, count=len(found))
    hint = "name an entry by its key, its ^id, or a piece of its text"
    if vague := vague_matches(entries, wanted, lambda entry: entry.text):
        message = f"`{_short(wanted)}` is too short to name an entry"
        raise TargetError(message, hint=hint, candidates=tuple(_candidates(document, vague)), count=1)
    near = nearest_texts(wanted, entries, lambda entry: entry.text)
    message = f"no entry matches `{_short(wanted)}`"
    raise TargetError(message, hint=hint, candidates=tuple(_candidates(document, near)))


def predicates(wanted: str) -> Iterator[Callable[[Entry], bool]]:
    """Yield predicates for entries, the most specific first; the first that matches any entry decides.

    A vague name matches only ids, keys and whole texts.
    """
    is_piece = not is_vague(wanted)
    if _ID.fullmatch(wanted):
        yield lambda entry: "^" in entry.text and entry.parts.id == wanted.removeprefix("^")
    if _KEY.fullmatch(wanted.lower()):
        yield lambda entry: entry_key(entry.text).startswith(wanted.lower())
    yield lambda entry: entry.text == wanted
    if is_piece:
        yield lambda entry: wanted in entry.text
    if key := comparison_key(wanted):
        yield lambda entry: comparison_key(entry.text) == key
        if is_piece:
            yield lambda entry: key in comparison_key(entry.text)


def vague_matches(among: Iterable[T], wanted: str, text: Callable[[T], str]) -> list[T]:
    """Return the first few items whose text contains a vague name."""
    key = comparison_key(wanted)
    found = (one for one in among if key in comparison_key(text(one))) if key and is_vague(wanted) else iter(())
    return list(islice(found, _SHOWN))


def is_name(entry: Entry, wanted: str) -> bool:
    """Return True if a name is the entry's id, its key or its whole text, and not only a part of it."""
    key = wanted.lower().partition(".")[0]
    by_key = _KEY.fullmatch(key) is not None and entry_key(entry.text).startswith(key)
    by_id = entry.parts.id is not None and entry.parts.id == wanted.removeprefix("^")
    return by_key or by_id or comparison_key(entry.text) == comparison_key(wanted)


def is_vague(wanted: str) -> bool:
    """Return True for a number, for one or two letters, and for a single Chinese character."""
    key = comparison_key(wanted)
    least = _DENSE_PIECE if any(map(is_dense, key)) else _PIECE
    return len(key) < least or _NUMBER.fullmatch(key) is not None


def _numbered(entries: Sequence[Entry], wanted: str) -> Entry | None:
    """Return the entry named by `key.2`: the second of several equal ones."""
    if not (match := _EQUAL.fullmatch(wanted.lower())):
        return None
    found = [entry for entry in entries if entry_key(entry.text).startswith(match["key"])]
    same = {entry_key(entry.text) for entry in found}
    number = int(match["number"])
    return found[number - 1] if len(same) == 1 and 1 <= number <= len(found) else None


def nearest_texts(wanted: str, among: Iterable[T], text: Callable[[T], str]) -> list[T]:
    """Return the items that share the most words with a text, best first."""
    words = tokens(wanted)
    ranked = ((len(words & tokens(text(one))), -place, one) for place, one in enumerate(among))
    return [one for shared, _, one in nlargest(_SHOWN, ranked, key=lambda rank: rank[:2]) if shared]


def find_section(document: Document | None, template: Template | None, name: str) -> Section | SectionSpec:
    """Return the section of a name or alias: the first in the file, else the template's.

    Raises:
        TargetError: neither the file nor the template has it; `candidates` are the valid names.
    """
    sections = document.sections if document else ()
    canonical = template.name(name) if template else None
    spec = template.spec(canonical) if template and canonical else None
    if template and spec:
        return next((section for section in sections if template.named(section) == canonical), spec)
    wanted = fold(name)
    for section in sections:
        if section.title == name.strip() or (wanted and fold(section.title) == wanted):
            return section
    names = [one.name for one in template.sections] if template else []
    names += [section.title for section in sections if section.level > 1]
    known = tuple(dict.fromkeys(filter(None, names)))
    near = _misspelt(name, known, template)
    known = tuple(dict.fromkeys((near, *known))) if near else known
    message = f"there is no section `{_short(name)}`"
    raise TargetError(message, hint=f"sections: {', '.join(known)}", candidates=known, near=near)


def _misspelt(name: str, known: Sequence[str], template: Template | None) -> str:
    """Return the section whose name or alias is spelt most like a name; empty if none is close."""
    meant = {fold(title): title for title in known} | (dict(template.aliases) if template else {})
    close = get_close_matches(fold(name)[:_QUOTED], list(meant), n=1, cutoff=_NEAR)
    return meant[close[0]] if close else ""


def entry_names(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the key of each entry, with a number if several share it."""
    keys = [entry_key(entry.text) for entry in entries]
    count, seen = Counter(keys), Counter[str]()
    for key in keys:
        seen[key] += 1
        yield f"{key}.{seen[key]}" if count[key] > 1 else key


def _candidates(document: Document, entries: Iterable[Entry]) -> Iterator[str]:
    names = dict(zip((entry.line for entry in document.entries), entry_names(document.entries), strict=True))
    return (f"{names[entry.line]} {_short(entry.text)}" for entry in entries)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"
