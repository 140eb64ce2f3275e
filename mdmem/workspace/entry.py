"""What every journey over entries shares: a text made ready, and a refusal in the workspace's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mdmem.core.document import Document, Entry, Section
from mdmem.core.entry import read_entry
from mdmem.core.intent import Note
from mdmem.core.intent.content import content
from mdmem.core.record import NamedTuple
from mdmem.core.template import EntryRule, SectionSpec, Template
from mdmem.errors import RefusedError, TargetError, UsageError, VerificationError
from mdmem.linter.dates import is_dated
from mdmem.workspace.commit import Commit
from mdmem.workspace.words import say


class Ready(NamedTuple):
    """A caller's texts as lines, and what was done to them."""

    texts: tuple[str, ...]
    notes: tuple[Note, ...]


def ready(commit: Commit, path: str, texts: Sequence[str], rule: EntryRule, *, dated: bool) -> Ready:
    """Make lines of texts, each with today's date where the kind wants one and it has none (P023).

    Raises:
        UsageError: a text is empty, or no Unicode.
        RefusedError: one is longer than its section allows.
    """
    lines: list[str] = []
    notes: list[Note] = []
    for text in texts:
        _sound(commit, text)
        commit.gate.raw(path, text)
        made = content(text, {}, EntryRule())
        line = made.text
        notes += made.notes
        if rule.dated and not dated and not is_dated(line):
            box = read_entry(line).checkbox
            begin = len(line) - len(line[box.end :].lstrip()) if box else 0
            day = f"{commit.config.day}：" if commit.lang == "zh" else f"{commit.config.day}: "
            line = f"{line[:begin]}{day}{line[begin:]}"
            notes.append(Note("dated", {"day": commit.config.day}))
        if rule.max_chars is not None and len(line) > rule.max_chars:
            commit.access.stop(RefusedError, "too-long", path, chars=len(line), max=rule.max_chars)
        lines.append(line)
    if not lines:
        commit.access.stop(UsageError, "empty-text")
    return Ready(tuple(lines), tuple(notes))


def _sound(commit: Commit, text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        commit.access.stop(UsageError, "not-text")
    if not text.strip():
        commit.access.stop(UsageError, "empty-text")


def owner(document: Document, entry: Entry) -> Section | None:
    """Give the section that an entry stands in."""
    return next((section for section in document.sections if entry in section.entries), None)


def rule_of(template: Template | None, section: Section | SectionSpec | None) -> EntryRule:
    """Give what a section asks of its entries."""
    if template is None:
        return EntryRule()
    return section.entries if isinstance(section, SectionSpec) else template.rules(section)


_KEYS = {  # what was looked for, and how many there are: none, one, several → the sentence, and what to do
    ("section", 0): ("which-section", "sections.hint"),
    ("entry", 0): ("no-entry-found", "entries.hint"),
    ("entry", 1): ("vague-entry", "entries.hint"),
    ("entry", 2): ("many-entries", "entries.hint"),
    ("text", 0): ("no-match", "no-match.hint"),
    ("text", 2): ("many-matches", "many-matches.hint"),
}


@contextmanager
def retold(commit: Commit, path: str, what: str) -> Iterator[None]:
    """Tell in the workspace's words what an intent did not find: a `section`, an `entry` or a `text`."""
    lang = commit.lang
    try:
        yield
    except TargetError as error:
        key, hint = _KEYS[what, min(error.count, 2)]
        line = error.candidates[0].partition(":")[0] if error.candidates else ""
        near = say(lang, "nearest", line=line) if what == "text" and line else ""
        message = say(lang, key, path=path, count=error.count, near=near)
        meant = say(lang, "did-you-mean", name=error.near) if error.near else ""
        advice = meant + say(lang, hint, names=", ".join(error.candidates))
        raise TargetError(
            message, hint=advice, candidates=error.candidates, count=error.count, near=error.near
        ) from error
    except VerificationError as error:
        raise VerificationError(say(lang, "swallowed", path=path), hint=say(lang, "swallowed.hint")) from error
