"""The entries that are memories of their own: what duplicates and dates are looked for in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from mdmem.formats.limits import SectionFill, section_fills
from mdmem.formats.loss import Loss
from mdmem.formats.placeholders import is_label, is_placeholder
from mdmem.formats.template import EntryRule, Schemas, SectionSpec, Template
from mdmem.linter.detect.decoded_views import DecodedView, decoded_views
from mdmem.linter.detect.fastmemo_text import OldLine, old_lines
from mdmem.settings.tables import LintSettings
from mdmem.text.document import Document, Entry, Section
from mdmem.text.edit import Edit, Severity
from mdmem.text.entry import EntryParts
from mdmem.text.front_matter import FrontMatter
from mdmem.text.similarity import comparison_prefilter
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from datetime import date


class ComparableEntry(NamedTuple):
    """An entry that must be like no other, and what it says without date, tags, fields and id."""

    item: RuleEntry
    text: str
    rough: str  # equal in two that say the same


def memories(items: tuple[RuleEntry, ...]) -> Iterator[ComparableEntry]:
    """Give the outermost entries whose section wants each memory once; details below an entry belong to it."""
    for item in items:
        if item.rule.unique and not item.entry.depth:
            text = item.parts.body.of(item.entry.text).strip()
            if text and not is_label(text) and not is_placeholder(text):
                yield ComparableEntry(item, text, comparison_prefilter(text))


class Heading(NamedTuple):
    """A section of the file, the template's section that it is, and the one that it stands below."""

    section: Section
    spec: SectionSpec | None  # None where the template does not know the title
    above: SectionSpec | None  # the nearest known section that encloses it


def outline(document: Document, template: Template) -> tuple[Heading, ...]:
    """Name every section of a file."""
    found: list[Heading] = []
    for section in document.sections:
        enclosing = found[section.parent] if section.parent is not None else None
        above = (enclosing.spec or enclosing.above) if enclosing else None
        found.append(Heading(section, template.spec(template.named(section) or ""), above))
    return tuple(found)


# file: name, type and size, without opening it; raw: the text as such; structure: the parsed document;
# runner: decided when all others have spoken
Scope = Literal["file", "raw", "structure", "runner"]


class FoundKind(str):
    """The kind of what a detector found, a fact with a label of its own in `[kind]` of the rules' sentences."""

    __slots__ = ()


class Finding(NamedTuple):
    """One place where a rule does not hold."""

    span: Span
    facts: Mapping[str, object] = {}
    fix: tuple[Edit, ...] = ()
    severity: Severity | None = None  # where it differs from the rule's own
    variant: str = ""  # which of the rule's messages; empty for a rule that has one


class FileFacts(NamedTuple):
    """What the file system says of a file before it is read."""

    type: str = (
        "regular"  # regular, fifo, socket, device, folder, missing, unreadable; orphan: an attachment without a record
    )
    size: int = 0  # bytes
    link: str = "none"  # none, inside, outside, dangling: where a symbolic link leads
    lost: Loss = ""  # how it lost what the history knows of it


class RuleEntry(NamedTuple):
    """An entry as rules want it: taken apart, with its section and what the template asks of it."""

    entry: Entry
    parts: EntryParts
    section: Section | None
    rule: EntryRule

    def at(self, span: Span) -> Span:
        """Give the place in the file of a span of the entry's parts."""
        return Span(self.entry.text_span.start + span.start, self.entry.text_span.start + span.end)


class Subject:
    """What a rule may look at: one file, what it should be, and the settings; nothing of the world outside."""

    def __init__(
        self,
        path: str,
        document: Document,
        template: Template | None,
        settings: LintSettings,
        today: date,
        *,
        facts: FileFacts = FileFacts(),  # noqa: B008 - a NamedTuple, never changed
        exists: Callable[[str], bool] = lambda _: True,
        size_of: Callable[[str], int] | None = None,
        schemas: Schemas = Schemas((), "en"),  # noqa: B008 - never changed
    ) -> None:
        self.path = path  # POSIX, from the workspace
        # what stands below the front matter of a raw kind is a tool's output: no rule of ours holds for it
        begin = (document.front_matter.span.end if document.front_matter else 0) if _is_raw(template) else None
        self.document = (
            document if begin is None else Document(document.text[:begin].encode("utf-8", "surrogateescape"))
        )
        self.output = "" if begin is None else document.text[begin:]
        self.template = template  # None for a Markdown file that is no memory of a known kind
        self.settings = settings
        self.today = today
        self.facts = facts
        self.exists = exists  # is there a file at this path of the workspace?
        self.size_of = size_of  # the bytes of a file of the workspace, -1 for none; None where no file may be looked at
        self.schemas = schemas  # every kind there is, in every language
        self.known: dict[str, tuple[Finding, ...]] = {}  # all that a rule finds here, by its code, where it ran before

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.rpartition("/")[2]

    @cached_property
    def front(self) -> FrontMatter | None:
        """The front matter, if it can be read; MM109 and MM110 report one that cannot."""
        found = self.document.front_matter
        if found is None or found.yaml.end - found.yaml.start > self.settings.max_front_matter_chars:
            return None
        return found if found.values else None

    @cached_property
    def memory(self) -> Template | None:
        """The template, unless the body is raw output that no rule of structure applies to."""
        return None if _is_raw(self.template) else self.template

    @cached_property
    def is_text(self) -> bool:
        """Tell whether the bytes are UTF-8 text.

        No fix touches a file that is none: what looks like a character there may be half of another.
        """
        try:
            self.document.text.encode()
        except UnicodeEncodeError:
            return False
        return "\0" not in self.document.text

    @cached_property
    def is_plain(self) -> bool:
        """Tell whether the text holds common characters only, so that no rule need look for others."""
        return self.view.is_plain

    @cached_property
    def said(self) -> int | None:
        """Where the turns of a session begin, which stand there as they were said; None in other files."""
        if self.memory is None or self.memory.kind != "session":
            return None
        from mdmem.formats.session import turns_start  # only a session needs it

        return turns_start(self.document.text, self.memory)

    @cached_property
    def view(self) -> DecodedView:
        """The text as it stands."""
        return DecodedView(self.document.text)

    @cached_property
    def views(self) -> tuple[DecodedView, ...]:
        """The text as it stands, as a person would read it, and what encoded runs in it hide."""
        return decoded_views(self.view)

    @cached_property
    def outline(self) -> tuple[Heading, ...]:
        """The sections of a memory file beside those of its template; none for other files."""
        return outline(self.document, self.memory) if self.memory else ()

    @cached_property
    def fills(self) -> tuple[SectionFill, ...]:
        """The entries of each section of a memory file against its cap; none for other files."""
        return section_fills(self.document, self.memory) if self.memory else ()

    @cached_property
    def old_lines(self) -> tuple[OldLine, ...]:
        """The lines of a memory file that are still in the old `[section]` format."""
        return old_lines(self.document, self.memory) if self.memory else ()

    @cached_property
    def items(self) -> tuple[RuleEntry, ...]:
        """Every entry of a memory file with its parts and what its template asks of it; none for other files."""
        if self.memory is None:
            return ()
        sections = self.document.sections
        begin = sections[0].heading.start if sections else len(self.document.text)
        loose = [entry for entry in self.document.entries if entry.span.start < begin]
        found = [RuleEntry(entry, entry.parts, None, self.memory.entries) for entry in loose]
        for section, rule in zip(sections, self.section_rules, strict=True):
            found += [RuleEntry(entry, entry.parts, section, rule) for entry in section.entries]
        return tuple(found)

    @cached_property
    def memories(self) -> tuple[ComparableEntry, ...]:
        """The entries that must be like no other, with what each says."""
        return tuple(memories(self.items))

    @cached_property
    def section_rules(self) -> tuple[EntryRule, ...]:
        """What the template asks of the entries of each section; one that it does not name follows its parent."""
        if self.memory is None:
            return ()
        rules: list[EntryRule] = []
        for section in self.document.sections:
            named = self.memory.named(section)
            above = rules[section.parent] if section.parent is not None else self.memory.entries
            rules.append(self.memory.rules(section) if named else above)
        return tuple(rules)


def _is_raw(template: Template | None) -> bool:
    return template is not None and template.body == "raw"


Check = Callable[[Subject], Iterator[Finding]]


class Rule(NamedTuple):
    """One rule of the linter; its page stands beside its module, its sentences in `templates/<lang>/rules.toml`."""

    code: str
    name: str
    severity: Severity
    check: Check
    scope: Scope = "structure"
    secret: bool = False  # what its findings point at must not be shown


def quote(text: str, most: int = 40) -> str:
    """Make a piece of a user's text fit to be quoted: one line, short, nothing invisible."""
    line = " ".join(text.split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)
