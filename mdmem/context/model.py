"""The result: a pack of parts, each with its tokens, its text, and what it left out and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, NamedTuple

from mdmem.text.pattern import pattern


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """Something that its source holds and the pack does not."""

    path: str  # where it stands; empty for what was given
    line: int  # 1-based; of a turn its round; 0: the whole of it
    text: str
    # budget, view, rounds, told, expired, hidden, placeholder, retired, output, code; of all of it: off, missing,
    # unreadable, empty
    why: str


@dataclass(frozen=True, slots=True)
class PackPart:
    """One part of a pack; without text where it is not shown."""

    name: str
    title: str
    role: str
    text: str  # with its title
    tokens: int
    budget: int | None  # tokens that its recipe allows it; None: as many as there are
    shown: int  # items
    left: tuple[OmittedItem, ...]
    why: str = ""  # why there is no text: missing, empty, off, unreadable, unknown, budget
    filled_by: str = ""  # the file, or the option, that would fill it


@dataclass(frozen=True, slots=True)
class Pack:
    """What a model is given."""

    recipe: str
    budget: int
    tokens: int  # of `text`, by the counter that was used
    text: str
    parts: tuple[PackPart, ...]
    state: Mapping[str, Any]  # what it was made of, in the shape of G046

    @property
    def messages(self) -> list[dict[str, str]]:
        """The parts as messages for a model; neighbours of one role are one message."""
        found: list[dict[str, str]] = []
        for part in self.parts:
            if part.text and found and found[-1]["role"] == part.role:
                found[-1]["content"] += SEPARATOR + part.text
            elif part.text:
                found.append({"role": part.role, "content": part.text})
        return found

    @property
    def left(self) -> tuple[OmittedItem, ...]:
        """All that was left out."""
        return tuple(left for part in self.parts for left in part.left)

    def part(self, name: str) -> PackPart | None:
        """Return the part of that name."""
        return next((part for part in self.parts if part.name == name), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the pack as JSON's types: the state with its keys of G046, and the parts."""
        parts = [asdict(part) for part in self.parts]
        return {**self.state, "recipe": self.recipe, "budget": self.budget, "tokens": self.tokens, "parts": parts}


SEPARATOR = "\n\n"  # between two parts


LONG = 600  # characters of prose that may be cut within; the cap of an entry (B1 row 23)
_STOP = pattern(r"(?:[。！？!?；;]+[”」』)）]?|\.(?=\s))\s*")


class MaterialGroup(NamedTuple):
    """Items that stand together, under a heading where there is one."""

    path: str = ""  # the file that it stands in
    title: str = ""
    level: int = 0  # of its heading; 0: it has none
    name: str = ""  # of the section of its template that it is, or lies in
    parent: int | None = None  # index of the group that it lies in


class MaterialItem(NamedTuple):
    """What is shown whole or not at all."""

    text: str
    group: int  # index of its group
    line: int  # 1-based in the file; of a turn its round
    said: str  # as the source has it, for the report
    joint: str = "\n"  # what stands before it, unless it comes first: a line's end, a blank line, nothing
    kept: bool = False  # a rule or a correction: it stays longest
    day: date | None = None
    worth: float = 0.0
    focus: bool = False  # the current step of a plan
    place: int = 0  # its number in the source: a line of a file, a round of a window, a turn of a round
    part: int = 0  # the round in which turns are numbered


class Material(NamedTuple):
    """All that a source has to say."""

    groups: tuple[MaterialGroup, ...] = ()
    items: tuple[MaterialItem, ...] = ()
    left: tuple[OmittedItem, ...] = ()  # never shown: hidden text, placeholders
    notes: tuple[str, ...] = ()  # said at the end, whole

    def lost(self, shown: frozenset[int], why: str) -> Iterator[OmittedItem]:
        """Return the items that are not among those shown."""
        for index, item in enumerate(self.items):
            if index not in shown:
                yield OmittedItem(self.groups[item.group].path, item.line, item.said, why)


class ContentChecks(NamedTuple):
    """What a pure room cannot know by itself: what of a text may be shown, and what it is worth."""

    clean: Callable[[str], str]  # without hidden characters, with secrets masked
    is_placeholder: Callable[[str], bool]
    is_kept: Callable[[str], bool]
    worth: Callable[[str, date | None], float]


def pieces(text: str, most: int = LONG) -> list[tuple[str, str]]:
    """Split long prose, or long output, where it may be cut; return each piece with what joins it to the one before."""
    if len(text) <= most:
        return [("\n", text)]
    found: list[tuple[str, str]] = []
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            blank = True
            continue
        joint = "\n\n" if blank and found else "\n"
        blank = False
        found += _line(joint, line, most)
    return found


def _line(joint: str, line: str, most: int) -> Iterator[tuple[str, str]]:
    if len(line) <= most:
        yield joint, line
        return
    start = 0
    while start < len(line):
        stops = [match.end() for match in _STOP.finditer(line, start + 1, start + most)]
        end = stops[-1] if stops and len(line) - start > most else start + most
        yield (joint if not start else ""), line[start:end]
        start = end


def pick(material: Material, groups: frozenset[int]) -> tuple[Material, tuple[int, ...]]:
    """Return only these groups with their items, and which item each of them was."""
    new = {old: number for number, old in enumerate(sorted(groups))}
    chosen = tuple(index for index, item in enumerate(material.items) if item.group in new)
    own = tuple(
        material.groups[old]._replace(parent=new.get(-1 if (above := material.groups[old].parent) is None else above))
        for old in new
    )
    items = tuple(material.items[index]._replace(group=new[material.items[index].group]) for index in chosen)
    return material._replace(groups=own, items=items), chosen
