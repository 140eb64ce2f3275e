"""What a rule is: a code, a name, a severity, its words in English and Chinese, and a function over one file.

A rule yields `Finding`s: where, which facts its sentence needs, and the edits that mend it. It never builds a message
itself, so that both languages stay complete and a secret cannot slip into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from mdmem.core.diagnostic import Severity
from mdmem.core.document import Document, Entry, Section
from mdmem.core.edit import Edit
from mdmem.core.entry import Parts
from mdmem.core.frontmatter import FrontMatter
from mdmem.core.loss import Loss
from mdmem.core.meters import Fill, fills
from mdmem.core.record import NamedTuple
from mdmem.core.schemas import Schemas
from mdmem.core.settings.lint import LintSettings
from mdmem.core.template import EntryRule, Template
from mdmem.core.text import Span
from mdmem.linter.memories import Memory, memories
from mdmem.linter.oldformat import OldLine, old_lines
from mdmem.linter.outline import Heading, outline
from mdmem.linter.views import View, views

if TYPE_CHECKING:
    from datetime import date

# file: name, type and size, without opening it; raw: the text as such; structure: the parsed document;
# runner: decided when all others have spoken
Scope = Literal["file", "raw", "structure", "runner"]


class Words(NamedTuple):
    """A rule's sentence and its advice, in one language; `{facts}` are filled in."""

    message: str
    hint: str = ""


class Both(NamedTuple):
    """A fact that is a piece of a sentence: `{what.en}` in the English words, `{what.zh}` in the Chinese."""

    en: str
    zh: str


class Finding(NamedTuple):
    """One place where a rule does not hold."""

    span: Span
    facts: Mapping[str, object] = {}
    fix: tuple[Edit, ...] = ()
    severity: Severity | None = None  # where it differs from the rule's own


class FileFacts(NamedTuple):
    """What the file system says of a file before it is read."""

    type: str = "regular"  # regular, fifo, socket, device, folder, missing, unreadable
    size: int = 0  # bytes
    link: str = "none"  # none, inside, outside, dangling: where a symbolic link leads
    lost: Loss = ""  # how it lost what the history knows of it


class Item(NamedTuple):
    """An entry as rules want it: taken apart, with its section and what the template asks of it."""

    entry: Entry
    parts: Parts
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
        from mdmem.core.session.marks import turns_start  # only a session needs it

        return turns_start(self.document.text, self.memory)

    @cached_property
    def view(self) -> View:
        """The text as it stands."""
        return View(self.document.text)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The text as it stands, as a person would read it, and what encoded runs in it hide."""
        return views(self.view)

    @cached_property
    def outline(self) -> tuple[Heading, ...]:
        """The sections of a memory file beside those of its template; none for other files."""
        return outline(self.document, self.memory) if self.memory else ()

    @cached_property
    def fills(self) -> tuple[Fill, ...]:
        """The entries of each section of a memory file against its cap; none for other files."""
        return fills(self.document, self.memory) if self.memory else ()

    @cached_property
    def old_lines(self) -> tuple[OldLine, ...]:
        """The lines of a memory file that are still in the old `[section]` format."""
        return old_lines(self.document, self.memory) if self.memory else ()

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Every entry of a memory file with its parts and what its template asks of it; none for other files."""
        if self.memory is None:
            return ()
        sections = self.document.sections
        begin = sections[0].heading.start if sections else len(self.document.text)
        loose = [entry for entry in self.document.entries if entry.span.start < begin]
        found = [Item(entry, entry.parts, None, self.memory.entries) for entry in loose]
        for section, rule in zip(sections, self.section_rules, strict=True):
            found += [Item(entry, entry.parts, section, rule) for entry in section.entries]
        return tuple(found)

    @cached_property
    def memories(self) -> tuple[Memory, ...]:
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
    """One rule of the linter; its page stands beside its module."""

    code: str
    name: str
    severity: Severity
    check: Check
    en: Words
    zh: Words
    scope: Scope = "structure"
    secret: bool = False  # what its findings point at must not be shown

    def words(self, lang: str) -> Words:
        """Give the rule's words in a language; English where it is not Chinese."""
        return self.zh if lang == "zh" else self.en


def quote(text: str, most: int = 40) -> str:
    """Make a piece of a user's text fit to be quoted: one line, short, nothing invisible."""
    line = " ".join(text.split())
    short = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)
