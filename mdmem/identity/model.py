"""The types of compiled identity files: the targets, and a text as sections with lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

CompileTarget: TypeAlias = Literal["soul", "agent.core", "agent.tooling", "user", "persona"]
KIND = "compiled"  # of the files


class CompileSpec(NamedTuple):
    """One target: its source, its file, and what it takes of the source."""

    kind: str  # of the source
    name: str  # of the compiled file, in the folder `compiled/`
    path: str = ""  # of the source; empty for the one file of the kind
    only: tuple[str, ...] = ()  # sections that it takes, by aliases that the templates of all languages have
    without: tuple[str, ...] = ()  # sections that another target takes
    has_prose: bool = False  # sentences that state no rule stay too


_TOOLS = ("tools",)
SPECS: dict[CompileTarget, CompileSpec] = {
    "soul": CompileSpec("soul", "soul.summary.md"),
    "agent.core": CompileSpec("agent", "agent.core.md", without=_TOOLS),
    "agent.tooling": CompileSpec("agent", "agent.tooling.md", only=_TOOLS),
    "user": CompileSpec("user", "user.summary.md", has_prose=True),
    "persona": CompileSpec("persona", "persona.custom.md", "personas/user_custom.md", has_prose=True),
}
TARGETS: tuple[CompileTarget, ...] = tuple(SPECS)
CompileBy: TypeAlias = Literal["rules", "model"]


class IdentityLine(NamedTuple):
    """A list item with what is nested in it, or a sentence: it stays whole, or leaves whole."""

    text: str  # without the marker of its list
    line: int = 0  # 1-based, in the source
    kept: bool = False  # a rule, a value, a do or a don't
    marker: str = "-"
    why: str = ""  # why it left: compiled (neither a rule nor an item), view (no room); empty if it stays
    is_value: bool = False  # prose that only its heading makes a rule

    @property
    def rank(self) -> tuple[int, int]:
        """The order in which lines find room: rules first, of them the long ones, then values, then the rest."""
        return (int(self.is_value), -len(self.text)) if self.kept else (2, 0)

    @property
    def item(self) -> str:
        """The line as an item of a list."""
        return f"{self.marker} {self.text}"


class IdentitySection(NamedTuple):
    """A heading and its lines; the first one is what stands above all headings."""

    title: str = ""
    level: int = 0
    parent: int | None = None  # index of the enclosing section
    lines: tuple[IdentityLine, ...] = ()

    @property
    def shown(self) -> tuple[IdentityLine, ...]:
        """The lines that stay."""
        return tuple(one for one in self.lines if not one.why)

    @property
    def has_heading(self) -> bool:
        """Whether its heading says something: the title of a file does only if lines stand directly below it."""
        return bool(self.title) and (self.level > 1 or bool(self.shown))


class IdentityText(NamedTuple):
    """The text of a source, in its order."""

    sections: tuple[IdentitySection, ...] = ()

    @property
    def lines(self) -> Iterator[IdentityLine]:
        """All lines, with those that left."""
        return (line for section in self.sections for line in section.lines)

    def visible(self) -> frozenset[int]:
        """Return the indices of the sections with lines that stay, and of those around them."""
        found: set[int] = set()
        for index, section in enumerate(self.sections):
            at: int | None = index if section.shown else None
            while at is not None and at not in found:
                found.add(at)
                at = self.sections[at].parent
        return frozenset(found)

    def markdown(self) -> str:
        """Return the lines that stay, below their headings; empty if there are none."""
        blocks: list[str] = []
        visible = self.visible()
        for index, section in enumerate(self.sections):
            if index in visible and section.has_heading:
                blocks.append(f"{'#' * section.level} {section.title}")
            if section.shown:
                blocks.append("\n".join(line.item for line in section.shown))
        return "\n\n".join(blocks) + "\n" if blocks else ""
