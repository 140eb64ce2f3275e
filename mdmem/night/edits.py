"""From the lines that merge, fade or were recalled to the edits of their file. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mdmem.entries.edits import remove
from mdmem.facts.edits import with_fields
from mdmem.facts.update import raised
from mdmem.formats.fact_words import FactWords
from mdmem.night.duplicates import Merge
from mdmem.night.lines import FactLine
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry

_STRENGTH = ("transient", "short_term", "long_term", "permanent")  # priorities, the weakest first


References: TypeAlias = "Mapping[str, Sequence[Entry]]"  # the lines that name an id as what replaced them


class Recalled(NamedTuple):
    """How often a line was recalled, and the last day of it (ISO); counted outside of the file until now."""

    times: int
    day: str


class Leaving(NamedTuple):
    """An entry that goes to the archive."""

    entry: Entry
    text: str  # what the archive keeps of it
    why: str


class FileChanges(NamedTuple):
    """The changes of one file."""

    edits: tuple[Edit, ...]
    leaving: tuple[Leaving, ...]
    counted: frozenset[str]  # recall keys of the lines whose recalls the file holds from now on
    updated: int = 0  # lines that stay, and from now on say how often they were recalled


def merge_facts(
    document: Document, path: str, merges: Sequence[Merge], lines: Mapping[str, FactLine],
    counts: Mapping[str, Recalled], words: FactWords,
) -> FileChanges:  # fmt: skip
    """Return the changes of a facts file that merge lines: what one of them has counts for the line that stays.

    The text of the line that stays is its own, word for word; its confidence rises as by a confirmation. References to
    a line that leaves then name the one that stays.
    """
    rewritten: dict[int, str] = {}
    leaving: list[Leaving] = []
    counted: set[str] = set()
    named = references(document)
    for merge in merges:
        gone = [lines[one.key] for one in merge.gone]
        kept = lines[merge.kept.key]
        ident = kept.line.ident
        if kept.line.may_leave:
            text = with_fields(kept.line.entry.text, _merged_fields(kept, gone, counts, words))
            counted |= {one.recall_key for one in (kept, *gone)}
            if not ident and (ident := next((one.line.ident for one in gone if one.line.ident), "")):
                text = f"{text.rstrip()} ^{ident}"
            if text != kept.line.entry.text:
                rewritten[kept.line.entry.line] = text
        _repoint(named, {one.line.ident for one in gone} - {"", ident}, ident, rewritten)
        into = f"{path}#{ident or kept.line.key}"
        leaving += [Leaving(one.line.entry, with_fields(one.line.entry.text, {"into": into}), "merged") for one in gone]
    return FileChanges(_edits(document, leaving, rewritten), tuple(leaving), frozenset(counted))


def can_merge(named: References, merge: Merge) -> bool:
    """Return True if no reference would be left without its line: one that stays as it is can take no id."""
    if merge.kept.may_leave or merge.kept.ident:
        return True
    return not any(one.ident in named for one in merge.gone if one.ident)


def references(document: Document) -> References:
    """Return the lines of a file that name what replaced them, by its id."""
    found: dict[str, list[Entry]] = {}
    for entry in document.entries:
        if ident := _named(entry):
            found.setdefault(ident, []).append(entry)
    return found


def merge_entries(document: Document, path: str, merges: Sequence[Merge]) -> FileChanges:
    """Return the changes of another file: the lines that stay are not changed."""
    pairs = [(one.entry, f"{path}#{merge.kept.ident or merge.kept.key}") for merge in merges for one in merge.gone]
    leaving = [Leaving(entry, with_fields(entry.text, {"into": into}), "merged") for entry, into in pairs]
    return FileChanges(_edits(document, leaving, {}), tuple(leaving), frozenset())


def fade(
    document: Document, lines: Sequence[FactLine], leaving: Sequence[Leaving], counts: Mapping[str, Recalled]
) -> FileChanges:
    """Return the changes of a facts file that archive lines, and write into the others how often they were recalled."""
    gone = {one.entry.line for one in leaving}
    rewritten: dict[int, str] = {}
    counted: set[str] = set()
    for one in lines:
        if not takes_count(one, counts):
            continue
        counted.add(one.recall_key)
        if one.line.entry.line not in gone:
            rewritten[one.line.entry.line] = with_fields(one.line.entry.text, recalled_fields((one,), counts))
    edits = _edits(document, leaving, rewritten)
    return FileChanges(edits, tuple(leaving), frozenset(counted), len(rewritten))


def takes_count(one: FactLine, counts: Mapping[str, Recalled]) -> bool:
    """Return True if a line was recalled and may say so; a line as a person writes it stays as it is."""
    return bool(counts) and not one.line.by_hand and one.recall_key in counts


def recalled_fields(lines: Sequence[FactLine], counts: Mapping[str, Recalled]) -> dict[str, str]:
    """Return the fields that say how often lines were recalled in all, and when last."""
    new = [counts[one.recall_key] for one in lines if one.recall_key in counts] if counts else []
    times = sum(number(one.fields.get("accesses", "")) for one in lines) + sum(one.times for one in new)
    day = max((*(one.fields.get("accessed", "") for one in lines), *(one.day for one in new)), default="")
    return ({"accesses": str(times)} if times else {}) | ({"accessed": day} if day else {})


def number(text: str) -> int:
    """Return a count as a field says it; 0 for anything else."""
    try:
        return max(0, int(float(text)))
    except (ValueError, OverflowError):
        return 0


def chain(named: References, ident: str) -> tuple[Entry, ...]:
    """Return the older lines that a line replaced, and those that they replaced."""
    found: dict[int, Entry] = {}
    wanted = [ident] if ident else []
    while wanted:
        for entry in named.get(wanted.pop(), ()):
            if entry.line not in found:
                found[entry.line] = entry
                wanted += filter(None, [entry.parts.id])
    return tuple(found[line] for line in sorted(found))


def _merged_fields(
    kept: FactLine, gone: Sequence[FactLine], counts: Mapping[str, Recalled], words: FactWords
) -> dict[str, str]:
    confidence = kept.fact.confidence
    for one in gone:
        if not one.fact.source or one.fact.source != kept.fact.source:  # told twice, not read twice
            confidence = raised(confidence, words.numbers.get("confirmed", 0.0))
    fields = {"confidence": f"{confidence:g}"} if confidence > kept.fact.confidence else {}
    newest = max((day for one in gone for day in (one.fact.date, one.fields.get("updated", ""))), default="")
    if newest > max(kept.fact.date, kept.fields.get("updated", "")):
        fields["updated"] = newest
    strongest = max((kept.priority, *(one.priority for one in gone)), key=_strength)
    if strongest != kept.priority and kept.priority:
        fields["priority"] = strongest or _STRENGTH[2]
    importance = max(one.fact.importance for one in gone)
    if importance > kept.fact.importance:
        fields["importance"] = f"{importance:g}"
    return fields | recalled_fields((kept, *gone), counts)


def _strength(priority: str) -> int:
    """Return the rank of a priority; a line without one never fades, so it outranks those that may."""
    return _STRENGTH.index(priority) if priority in _STRENGTH else len(_STRENGTH)


def _repoint(named: References, old: set[str], new: str, rewritten: dict[int, str]) -> None:
    """Let the lines that name an id that leaves name another one."""
    for entry in (entry for ident in sorted(old) for entry in named.get(ident, ())):
        rewritten[entry.line] = with_fields(rewritten.get(entry.line, entry.text), {"superseded_by": new})


def _named(entry: Entry) -> str:
    """Return the id of this file that a line names as what replaced it."""
    if "superseded_by" not in entry.text:
        return ""
    field = read_entry(entry.text).field("superseded_by")
    return field.value.removeprefix("^") if field else ""


def _edits(document: Document, leaving: Sequence[Leaving], rewritten: Mapping[int, str]) -> tuple[Edit, ...]:
    gone = [one.entry for one in leaving]
    lines = {one.line for one in gone}
    new = [
        Edit(entry.text_span, rewritten[entry.line])
        for entry in document.entries
        if entry.line in rewritten and entry.line not in lines
    ]
    return (*(remove(document, gone).edits if gone else ()), *new)
