"""What two versions of a facts file say of one property: the newer value holds, the older one moves below it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from mdmem.facts.edits import FactFile
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords
from mdmem.formats.template import Template
from mdmem.text.document import Document
from mdmem.text.edit import Edit

_ENDING = ("superseded::", "superseded_by::", "why::")  # they belong together: the end that came first counts
_LATER = ("confidence::", "importance::", "updated::", "accessed::", "accesses::")  # the larger value counts
_EITHER = ("source::", "episode::")  # both are right, and a line has one
_RULE = "rule"


def chosen_fields(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a line that both sides changed: where it ended twice, the first end; see `FieldChoice`."""
    first = min((ours, theirs), key=lambda side: [side.get(key, "~") for key in _ENDING])
    found = {key: first.get(key, "") for key in _ENDING}
    for key in _LATER:
        found[key] = max(ours.get(key, ""), theirs.get(key, ""), key=_value)
    return found | {key: min(filter(None, (ours.get(key), theirs.get(key))), default="") for key in _EITHER}


def _value(field: str) -> tuple[float, str]:
    """Return what orders the values of a field: numbers by size, days by date."""
    value = field.rpartition("::")[2].strip(" ]")
    try:
        return float(value), ""
    except ValueError:
        return 0.0, value


def newer_values(
    path: str, merged: Document, sides: Sequence[Document], template: Template, words: FactWords, lang: str
) -> tuple[Edit, ...]:
    """Return the edits of a merged file that end the older of two values where each side had another one.

    A property of which a side had several live lines keeps them all.

    Raises:
        VerificationError: there is no place where a line would stand as an entry.
    """
    file = FactFile(path, "", merged, template, words, lang)
    held = [_live(FactFile(path, "", side, template, words, lang).facts, words) for side in sides]
    for name, facts in _live(file.facts, words).items():
        if len(facts) > 1 and all(len(side.get(name, ())) == 1 for side in held):
            *older, newest = sorted(facts, key=lambda one: (one.date, one.id, one.text))
            for one, by in _pairs(older, newest, words):
                file.succeed(one, by)
    return file.edits()


def _live(facts: Sequence[Fact], words: FactWords) -> dict[str, list[Fact]]:
    """Return the live lines of the properties that have one value, by the key of the property."""
    found: defaultdict[str, list[Fact]] = defaultdict(list)
    for one in facts:
        if one.live and one.predicate and one.type != _RULE and not words.is_many(one.predicate):
            found[words.predicate(one.predicate)].append(one)
    return found


def _pairs(older: Sequence[Fact], newest: Fact, words: FactWords) -> Iterator[tuple[Fact, Fact]]:
    """Yield each line that ends with the one in its place; parts of one date hold together."""
    whole = words.partial_date(newest.text, newest.predicate)
    for one in older:
        held = words.partial_date(one.text, one.predicate)
        if not (held and whole and held.agrees(whole)):
            yield one, newest
