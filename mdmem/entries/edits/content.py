"""Turns a caller's text into the line of an entry, with notes about what was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from mdmem.errors import RefusedError, UsageError
from mdmem.formats.template import EntryRule
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern


class EditNote(NamedTuple):
    """A fact about the caller's text; the interfaces put it into words.

    joined         lines were joined                          text
    unmarked       a leading list marker was dropped          text, given
    escaped        a character was escaped, else the text would not be an entry, or hidden    text
    duplicate      already said: not added    text, key, line (1-based; 0: in the same call), said (if in other words)
    part           added, and an entry says a part of it      text, key, line (1-based), said
    full           the section has no room                    section, max, texts (complete, with fields)
    section-made   the section was missing                    section
    removed        entries that leave the file                texts (nested entries included)
    nested         entries removed with their parent          texts
    lines-gone     lines of an entry that its new text lacks  texts, lines (the first of them, cut)
    loose-match    the text was found with different white space                   line (1-based)
    unchanged      nothing to do
    old-elsewhere  other files still state a value that was replaced    places, count
    old-corrected  the same, and a correction of each waits    places, count, inbox
    """

    kind: str
    facts: Mapping[str, object] = {}  # the default is never changed


class EditPlan(NamedTuple):
    """The edits of an intent; none if there is nothing to do."""

    edits: tuple[Edit, ...]
    notes: tuple[EditNote, ...] = ()


# A number of three digits or more is a year or a quantity: it is kept, and its dot is escaped.
_MARKER = pattern(r"(?:[-*+•·‣▪◦●○]|\d{1,2}[.)])(?:[ \t\u3000]+|\Z)")
_CHECKBOX = pattern(r"\[[ xX]\](?:[ \t]+|\Z)")
_DEFINITION = pattern(r"\[[^\[\]]*\]:")  # the definition of a link or a footnote is not rendered
_NUMBER = pattern(r"\d+(?=[.)])")


class EntryContent(NamedTuple):
    """The line of an entry, and notes about it."""

    text: str
    notes: tuple[EditNote, ...] = ()


def content(text: str, fields: Mapping[str, str], rule: EntryRule) -> EntryContent:
    """Return the line of an entry for a caller's text.

    Raises:
        UsageError: the text is empty or not valid Unicode, or a field cannot be written.
        RefusedError: the line is longer than the section allows; it is never cut (F019).
    """
    require_unicode(text)
    line = one_line(text)
    kinds = ["joined"] if {"\r", "\n"} & set(text.strip()) else []
    bare = _unmarked(line)
    kinds += ["unmarked"] * (bare != line)
    if not _CHECKBOX.sub("", bare, count=1):
        raise UsageError("the text is empty", hint="write in one line what to remember")
    written = _escaped(bare)
    kinds += ["escaped"] * (written != bare)
    written = with_fields(written, fields) if fields else written
    if rule.max_chars is not None and len(written) > rule.max_chars:
        raise RefusedError(
            f"the entry has {len(written)} characters, its section allows {rule.max_chars}",
            hint="put the long form into an artifact, and write here one line with the gist and its path",
        )
    return EntryContent(written, tuple(EditNote(kind, {"text": written, "given": line}) for kind in kinds))


def contents(texts: Sequence[str], fields: Mapping[str, str], rule: EntryRule) -> list[EntryContent]:
    """Return the lines of several entries; one that cannot be written refuses all."""
    if not texts or isinstance(texts, str):
        raise UsageError("there is no text to write", hint="give a list of texts, one for each entry")
    return [content(text, fields, rule) for text in texts]


def require_unicode(text: str) -> None:
    """Refuse lone surrogates, which UTF-8 cannot encode.

    Raises:
        UsageError: the text holds lone surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the text contains a lone surrogate", hint="send it as valid Unicode") from error


def _unmarked(line: str) -> str:
    while match := _MARKER.match(line):
        line = line[match.end() :]
    return line


def _escaped(text: str) -> str:
    """Escape the first character of a text that Markdown would parse as another block, or not render."""
    if _is_plain(text):
        return text
    number = _NUMBER.match(text)
    at = number.end() if number else 0
    return f"{text[:at]}\\{text[at:]}"


def _is_plain(text: str) -> bool:
    if text[:1].isalnum() and not _NUMBER.match(text):
        return True  # no block begins with a letter, or with digits that are not a marker; the check saves a slow parse
    blocks = Document(f"- {text}".encode()).blocks
    single = len(blocks) == 2 and blocks[1].kind == "paragraph"
    return single and blocks[0].text.end == len(text) + 2 and not _DEFINITION.match(text)


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Append fields after the text of an entry's line, before id and comment.

    Raises:
        UsageError: a field cannot be written, or the text has another value of it.
    """
    require_unicode("".join((*fields.keys(), *fields.values())))
    parts, added = read_entry(text), {key: value.strip() for key, value in fields.items()}
    for key, value in tuple(added.items()):
        if existing := parts.field(key):
            if existing.value != value:
                _stop(f"the text has a field `{key}` already")
            del added[key]
    spans = [span for span in (parts.id_span, parts.meta) if span]
    at = min((span.start for span in spans), default=len(text))
    written = " ".join(f"[{key}:: {value}]" for key, value in added.items())
    new = f"{text[:at].rstrip()} {written} {text[at:]}".rstrip()
    found = [(field.key, field.value) for field in read_entry(new).fields] if added else []
    for key, value in added.items():
        if not value or one_line(value) != value or found.count((key, value)) != 1:
            _stop("the field `{key}` cannot be written", key=key)
    return new if added else text


def _stop(message: str, **facts: object) -> NoReturn:
    hint = "a key is a word and a value one line without `]`: [source:: chat:42]"
    raise UsageError(message, hint=hint, facts=facts)
