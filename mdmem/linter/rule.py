"""What a rule is and what it reads: `Subject`, `Finding`, `Rule`, and the entries and headings of a file."""

# `formats.session` is imported only for a session.
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from mdmem.formats.limits import SectionFill, section_fills
from mdmem.formats.loss import Loss
from mdmem.formats.placeholders import is_label, is_placeholder
from mdmem.formats.template import EntryRule, Schemas, SectionSpec, Template
from mdmem.linter.fastmemo_text import OldLine, old_lines
from mdmem.linter.views.decoded_views import DecodedView, decoded_views
from mdmem.settings.tables import LintSettings
from mdmem.text.document import Document, Entry, Section
from mdmem.text.edit import Edit, Severity
from mdmem.text.entry import EntryParts
from mdmem.text.similarity import comparison_prefilter
from mdmem.text.spans import Span
from mdmem.text.yaml.front_matter import FrontMatter

if TYPE_CHECKING:
    from datetime import date


class ComparableEntry(NamedTuple):
    """An entry that must have no duplicate, and its text without date, tags, fields and id."""

    item: RuleEntry
    text: str
    prefilter: str  # equal for two entries with the same text


def memories(items: tuple[RuleEntry, ...]) -> Iterator[ComparableEntry]:
    """Yield the outermost entries of sections that want each memory once; nested entries are details of them."""
    for item in items:
        if item.rule.unique and not item.entry.depth:
            text = item.parts.body.of(item.entry.text).strip()
            if text and not is_label(text) and not is_placeholder(text):
                yield ComparableEntry(item, text, comparison_prefilter(text))


class Heading(NamedTuple):
    """A section of a file with its section in the template, and the known section that encloses it."""

    section: Section
    spec: SectionSpec | None  # None if the template does not know the title
    above: SectionSpec | None  # the nearest known section that encloses it


def outline(document: Document, template: Template) -> tuple[Heading, ...]:
    """Return the sections of a file with their sections in the template."""
    headings: list[Heading] = []
    for section in document.sections:
        enclosing = headings[section.parent] if section.parent is not None else None
        above = (enclosing.spec or enclosing.above) if enclosing else None
        headings.append(Heading(section, template.spec(template.named(section) or ""), above))
    return tuple(headings)


# file: name, type and size, without opening the file; raw: the text as such; structure: the parsed document;
# runner: decided after all other rules
Scope = Literal["file", "raw", "structure", "runner"]


class FoundKind(str):
    """The kind that a detector reports; its label is in `[kind]` of the rules' messages."""

    __slots__ = ()


class Finding(NamedTuple):
    """One place that breaks a rule."""

    span: Span
    facts: Mapping[str, object] = {}
    fix: tuple[Edit, ...] = ()
    severity: Severity | None = None  # if it differs from the rule's
    variant: str = ""  # which of the rule's messages; empty if the rule has one message


class FileFacts(NamedTuple):
    """What the file system knows about a file before it is read."""

    type: str = "regular"  # regular, fifo, socket, device, folder, missing, unreadable, orphan (attached, no record)
    size: int = 0  # bytes
    link: str = "none"  # none, inside, outside, dangling: target of a symbolic link
    lost: Loss = ""  # how the file lost its known text
    outdated: tuple[tuple[int, str], ...] = ()  # lines that state what was replaced by hand, each with the newer fact
    opposed: tuple[tuple[int, str, int, str], ...] = ()  # orders that contradict those of other pieces of knowledge


class RuleEntry(NamedTuple):
    """An entry with its parts, its section, and the template's rules for it."""

    entry: Entry
    parts: EntryParts
    section: Section | None
    rule: EntryRule

    def at(self, span: Span) -> Span:
        """Return the span in the file of a span in the entry's text."""
        return Span(self.entry.text_span.start + span.start, self.entry.text_span.start + span.end)


class Subject:
    """What a rule may read: one file, its template and the settings. Rules read nothing else."""

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
        # below the front matter, a raw kind holds the output of a tool, which has no structure to check
        body_start = (document.front_matter.span.end if document.front_matter else 0) if _is_raw(template) else None
        self.document = (
            document if body_start is None else Document(document.text[:body_start].encode("utf-8", "surrogateescape"))
        )
        self.whole = document  # with the output
        self.output = "" if body_start is None else document.text[body_start:]
        self.template = template  # None for a Markdown file that is not a memory of a known kind
        self.settings = settings
        self.today = today
        self.facts = facts
        self.exists = exists  # whether a path of the workspace exists
        self.size_of = size_of  # the bytes of a file, -1 for none; None where no file may be looked at
        self.schemas = schemas  # all kinds, in all languages
        self.cached_findings: dict[str, tuple[Finding, ...]] = {}  # findings of rules that have run already, by code

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.rpartition("/")[2]

    @cached_property
    def front(self) -> FrontMatter | None:
        """The front matter, if it can be read; else MM109 or MM110 reports it."""
        front_matter = self.document.front_matter
        if (
            front_matter is None
            or front_matter.yaml.end - front_matter.yaml.start > self.settings.max_front_matter_chars
        ):
            return None
        return front_matter if front_matter.values else None

    @cached_property
    def memory(self) -> Template | None:
        """The template, unless the body is raw output, to which no rule of structure applies."""
        return None if _is_raw(self.template) else self.template

    @cached_property
    def is_text(self) -> bool:
        """Return whether the bytes are UTF-8 text.

        No fix touches a file that is not: what looks like a character there may be half of another.
        """
        try:
            self.document.text.encode()
        except UnicodeEncodeError:
            return False
        return "\0" not in self.document.text

    @property
    def uncommon(self) -> str:
        """The different characters of the text beyond the common ones; a rule about others searches these first."""
        return self.view.uncommon

    @cached_property
    def turns_start(self) -> int | None:
        """The offset where the turns of a session begin, which are kept as they were written; None in other files."""
        if self.memory is None or self.memory.kind != "session":
            return None
        from mdmem.formats.session import turns_start as find_turns_start

        return find_turns_start(self.document.text, self.memory)

    @cached_property
    def view(self) -> DecodedView:
        """The text as it is."""
        return DecodedView(self.document.text)

    @cached_property
    def views(self) -> tuple[DecodedView, ...]:
        """The text as it is, as a person would read it, and as decoded from the encoded runs in it."""
        return decoded_views(self.view)

    @cached_property
    def outline(self) -> tuple[Heading, ...]:
        """The sections of a memory file with those of its template; empty for other files."""
        return outline(self.document, self.memory) if self.memory else ()

    @cached_property
    def fills(self) -> tuple[SectionFill, ...]:
        """The number of entries of each section of a memory file and its cap; empty for other files."""
        return section_fills(self.document, self.memory) if self.memory else ()

    @cached_property
    def old_lines(self) -> tuple[OldLine, ...]:
        """The lines of a memory file that are still in the old `[section]` format."""
        return old_lines(self.document, self.memory) if self.memory else ()

    @cached_property
    def items(self) -> tuple[RuleEntry, ...]:
        """The entries of a memory file with their parts and the template's rules for them; empty for other files."""
        if self.memory is None:
            return ()
        sections = self.document.sections
        first_heading = sections[0].heading.start if sections else len(self.document.text)
        unsectioned = [entry for entry in self.document.entries if entry.span.start < first_heading]
        items = [RuleEntry(entry, entry.parts, None, self.memory.entries) for entry in unsectioned]
        for section, rule in zip(sections, self.section_rules, strict=True):
            items += [RuleEntry(entry, entry.parts, section, rule) for entry in section.entries]
        return tuple(items)

    @cached_property
    def memories(self) -> tuple[ComparableEntry, ...]:
        """The entries that must have no duplicate, with their text."""
        return tuple(memories(self.items))

    @cached_property
    def section_rules(self) -> tuple[EntryRule, ...]:
        """The template's rules for the entries of each section; a section that it does not name has its parent's."""
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
    """A rule of the linter; its page is beside its module, its messages are in `templates/<lang>/rules.toml`."""

    code: str
    name: str
    severity: Severity
    check: Check
    scope: Scope = "structure"
    secret: bool = False  # the text of its findings must not be shown
    measure: str = ""  # the fact of its findings that is compared with a limit
    of_file: bool = False  # its findings are about the file, wherever they point


def quote(text: str, most: int = 40) -> str:
    """Return a text fit for quoting in a message: one line, at most `most` characters, nothing invisible."""
    line = " ".join(text.split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)
