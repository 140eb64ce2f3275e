"""Which entry or section a caller means: by id, by key, by its words; never a guess between two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import TypeVar

from mdmem.core.document import Document, Entry, Section
from mdmem.core.key import entry_key
from mdmem.core.pattern import pattern
from mdmem.core.similarity import essence, tokens
from mdmem.core.template import SectionSpec, Template, fold
from mdmem.errors import TargetError

_KEY = pattern(r"[0-9a-f]{6,12}")
_ID = pattern(r"\^?[A-Za-z0-9-]+")
_SHOWN = 8  # candidates in a refusal
_QUOTED = 60  # characters of each
_NEAR = 0.6  # similarity from which a misspelt name is recognised

T = TypeVar("T")


def find_entry(document: Document, name: str) -> Entry:
    """Find the entry that a name means: `^id` or `id`, six or more characters of its key, or a piece of its text.

    Raises:
        TargetError: there is none, or more than one; `candidates` are `key text` of those that may be meant.
    """
    wanted = name.strip()
    entries = document.entries
    for test in tests(wanted) if wanted else ():
        found = [entry for entry in entries if test(entry)]
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{len(found)} entries match `{_short(wanted)}`"
            hint = "name one of them by its key, or by a piece of text that only it has"
            candidates = tuple(map(_candidate, found[:_SHOWN]))
            raise TargetError(message, hint=hint, candidates=candidates, count=len(found))
    near = nearest(wanted, entries, lambda entry: entry.text)
    message = f"no entry matches `{_short(wanted)}`"
    hint = "name an entry by its key, its ^id, or a piece of its text"
    raise TargetError(message, hint=hint, candidates=tuple(map(_candidate, near)))


def tests(wanted: str) -> Iterable[Callable[[Entry], bool]]:
    """Give what to ask of each entry, the surest question first; the first that any entry answers decides."""
    if _ID.fullmatch(wanted):
        yield lambda entry: "^" in entry.text and entry.parts.id == wanted.removeprefix("^")
    if _KEY.fullmatch(wanted.lower()):
        yield lambda entry: entry_key(entry.text).startswith(wanted.lower())
    yield lambda entry: entry.text == wanted
    yield lambda entry: wanted in entry.text
    if said := essence(wanted):
        yield lambda entry: said in essence(entry.text)


def nearest(wanted: str, among: Iterable[T], text: Callable[[T], str]) -> list[T]:
    """Give what shares the most words with a text, best first."""
    words = tokens(wanted)
    ranked = ((len(words & tokens(text(one))), -place, one) for place, one in enumerate(among))
    return [one for shared, _, one in nlargest(_SHOWN, ranked, key=lambda rank: rank[:2]) if shared]


def find_section(document: Document | None, template: Template | None, name: str) -> Section | SectionSpec:
    """Return the section that a name or alias means: the first of the file, else what the template says of it.

    Raises:
        TargetError: neither the file nor the template knows it; `candidates` are the valid names.
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
    """Return the section whose name or alias is spelt nearly like a name; empty where none is."""
    from difflib import get_close_matches  # only a refusal pays for it

    meant = {fold(title): title for title in known} | (dict(template.aliases) if template else {})
    close = get_close_matches(fold(name)[:_QUOTED], list(meant), n=1, cutoff=_NEAR)
    return meant[close[0]] if close else ""


def _candidate(entry: Entry) -> str:
    return f"{entry_key(entry.text)} {_short(entry.text)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"
