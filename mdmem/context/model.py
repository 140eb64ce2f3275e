"""The types of packs: pack, parts, omitted items, the material of a source, and the checks of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, NamedTuple

from mdmem.text.pattern import pattern

FADED = "faded"  # why a line is left out that was made from facts, if these have too many tokens
UNSAFE = "unsafe"  # why a line is left out that gives orders to a model


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """Something in a source that the pack does not show."""

    path: str  # its file; empty for an argument of the caller
    line: int  # 1-based; of a turn its round; 0 for the whole source
    text: str
    # budget, view, rounds, told and repeated (another part shows it), expired, hidden, placeholder, retired, output,
    # code, unsafe, elsewhere (a rule of another folder or project), faded (made from facts that matter less);
    # of a whole source: off, missing, unreadable, empty, repeated
    why: str


@dataclass(frozen=True, slots=True)
class PackPart:
    """One part of a pack; without a text if it is not shown."""

    name: str
    title: str
    role: str
    text: str  # with its title
    tokens: int
    budget: int | None  # its cap in tokens; None for no cap
    shown: int  # number of items
    left: tuple[OmittedItem, ...]
    why: str = ""  # why there is no text: missing, empty, off, unreadable, unknown, budget, repeated
    filled_by: str = ""  # the file or option that would fill it
    grown: int = 0  # tokens of its lines that were made from facts, rules and sessions, which grow with the memory


@dataclass(frozen=True, slots=True)
class Pack:
    """The context for a model, made by a recipe."""

    recipe: str
    budget: int
    tokens: int  # of `text`, by the counter of the request
    text: str
    parts: tuple[PackPart, ...]
    state: Mapping[str, Any]  # the state that it was made from, in the format of G046

    @property
    def messages(self) -> list[dict[str, str]]:
        """The parts as messages for a model; consecutive parts of one role are one message."""
        found: list[dict[str, str]] = []
        for part in self.parts:
            if part.text and found and found[-1]["role"] == part.role:
                found[-1]["content"] += SEPARATOR + part.text
            elif part.text:
                found.append({"role": part.role, "content": part.text})
        return found

    @property
    def left(self) -> tuple[OmittedItem, ...]:
        """All omitted items."""
        return tuple(left for part in self.parts for left in part.left)

    def part(self, name: str) -> PackPart | None:
        """Return the part with a name; None if the recipe has none."""
        return next((part for part in self.parts if part.name == name), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the pack as JSON types: the keys of the state (G046), and the parts."""
        parts = [asdict(part) for part in self.parts]
        return {**self.state, "recipe": self.recipe, "budget": self.budget, "tokens": self.tokens, "parts": parts}


SEPARATOR = "\n\n"  # between two parts


LONG = 600  # longer prose is split into pieces; the cap of an entry
_STOP = pattern(r"(?:[。！？!?；;]+[”」』)）]?|\.(?=\s))\s*")


class MaterialGroup(NamedTuple):
    """Items that belong together, usually those below one heading."""

    path: str = ""  # their file
    title: str = ""
    level: int = 0  # of the heading; 0 for none
    name: str = ""  # of the template's section that it is or is in
    parent: int | None = None  # index of the enclosing group


class MaterialItem(NamedTuple):
    """A text that is shown whole or not at all."""

    text: str
    group: int  # index of its group
    line: int  # 1-based in the file; of a turn its round
    source_text: str  # the text in the source, for `OmittedItem`
    separator: str = "\n"  # between it and the item before: a line break, a blank line, nothing
    kept: bool = False  # a rule or a correction, which is cut last
    day: date | None = None
    importance: float = 0.0
    focus: bool = False  # the current step of a plan
    position: int = 0  # its number in the source: the line of a file, the round of a window, the turn of a round
    part: int = 0  # the round whose turns are numbered
    repeats: bool = False  # made from a fact, or recalled: left out if another part shows it
    heads: bool = False  # a line that only heads the next ones
    path: str = ""  # its file, where a group has items of several


class Material(NamedTuple):
    """The content of a source."""

    groups: tuple[MaterialGroup, ...] = ()
    items: tuple[MaterialItem, ...] = ()
    left: tuple[OmittedItem, ...] = ()  # never shown, such as hidden text and placeholders
    notes: tuple[str, ...] = ()  # added at the end, whole

    def path_of(self, item: MaterialItem) -> str:
        """Return the file of an item."""
        return item.path or self.groups[item.group].path

    def lost(self, shown: frozenset[int], why: str) -> Iterator[OmittedItem]:
        """Yield the items that are not shown."""
        for index, item in enumerate(self.items):
            if index not in shown:
                yield OmittedItem(self.path_of(item), item.line, item.source_text, why)


class ContentChecks(NamedTuple):
    """The checks of a text that depend on the workspace, passed in as callbacks."""

    clean: Callable[[str], str]  # removes hidden characters and masks secrets
    is_placeholder: Callable[[str], bool]
    is_kept: Callable[[str], bool]
    importance: Callable[[str, date | None], float]
    is_rule: Callable[[str], bool]  # what states a rule, as opposed to a task or an event


def pieces(text: str, most: int = LONG) -> list[tuple[str, str]]:
    """Return the pieces of a text, split at lines and sentences if it is long, each with its separator before."""
    if len(text) <= most:
        return [("\n", text)]
    found: list[tuple[str, str]] = []
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            blank = True
            continue
        separator = "\n\n" if blank and found else "\n"
        blank = False
        found += _line(separator, line, most)
    return found


def _line(separator: str, line: str, most: int) -> Iterator[tuple[str, str]]:
    if len(line) <= most:
        yield separator, line
        return
    start = 0
    while start < len(line):
        stops = [match.end() for match in _STOP.finditer(line, start + 1, start + most)]
        end = stops[-1] if stops and len(line) - start > most else start + most
        yield (separator if not start else ""), line[start:end]
        start = end


def pick(material: Material, groups: frozenset[int]) -> tuple[Material, tuple[int, ...]]:
    """Return the material of these groups only, and the former indices of its items."""
    new = {old: number for number, old in enumerate(sorted(groups))}
    chosen = tuple(index for index, item in enumerate(material.items) if item.group in new)
    own = tuple(
        material.groups[old]._replace(parent=new.get(-1 if (above := material.groups[old].parent) is None else above))
        for old in new
    )
    items = tuple(material.items[index]._replace(group=new[material.items[index].group]) for index in chosen)
    return material._replace(groups=own, items=items), chosen
