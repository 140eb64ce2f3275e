"""What an intent comes to: edits, and what the caller must be told about his text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from mdmem.errors import RefusedError, UsageError
from mdmem.formats.template import EntryRule
from mdmem.text.document import parse
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern


class EditNote(NamedTuple):
    """A fact about what became of the caller's text; doors put it into words.

    joined         lines were made one                        text
    unmarked       a list marker in front was dropped         text
    escaped        a character was escaped, else the text would be no entry, or hidden     text
    duplicate      the section says this already: not added   text, key, line (1-based; 0: earlier in the same call)
    full           the section has no room                    section, max, texts (complete, with fields)
    section-made   the section was missing                    section
    removed        what leaves the file                       texts (nested entries included)
    nested         entries that go with the one above them    texts
    loose-match    the text was found by its words, its white space differs      line (1-based)
    unchanged      nothing to do
    """

    kind: str
    facts: Mapping[str, object] = {}  # never changed


class EditPlan(NamedTuple):
    """The edits that do what was meant; none where there is nothing to do."""

    edits: tuple[Edit, ...]
    notes: tuple[EditNote, ...] = ()


# A number of three digits or more is a year or a number of things; it stays, and its dot is escaped.
_MARKER = pattern(r"(?:[-*+•·‣▪◦●○]|\d{1,2}[.)])(?:[ \t\u3000]+|\Z)")
_CHECKBOX = pattern(r"\[[ xX]\](?:[ \t]+|\Z)")
_DEFINITION = pattern(r"\[[^\[\]]*\]:")  # a link's or footnote's definition is not shown
_NUMBER = pattern(r"\d+(?=[.)])")


class EntryContent(NamedTuple):
    """The line that an entry will say, and what the caller must be told about it."""

    text: str
    notes: tuple[EditNote, ...] = ()


def content(text: str, fields: Mapping[str, str], rule: EntryRule) -> EntryContent:
    """Make an entry's line of a caller's text.

    Raises:
        UsageError: nothing is left of the text, it is no Unicode text, or a field cannot be written.
        RefusedError: the line is longer than the section allows; nothing is cut (F019).
    """
    require_unicode(text)
    line = one_line(text)
    kinds = ["joined"] if {"\r", "\n"} & set(text.strip()) else []
    bare = _unmarked(line)
    kinds += ["unmarked"] * (bare != line)
    if not _CHECKBOX.sub("", bare, count=1):
        raise UsageError("the text is empty", hint="say in one line what is to be remembered")
    said = _escaped(bare)
    kinds += ["escaped"] * (said != bare)
    said = _with_fields(said, fields) if fields else said
    if rule.max_chars is not None and len(said) > rule.max_chars:
        raise RefusedError(
            f"the entry has {len(said)} characters, its section allows {rule.max_chars}",
            hint="put the long form into an artifact, and here one line that says the gist and names its path",
        )
    return EntryContent(said, tuple(EditNote(kind, {"text": said}) for kind in kinds))


def contents(texts: Sequence[str], fields: Mapping[str, str], rule: EntryRule) -> list[EntryContent]:
    """Make the lines of several entries; one that cannot be written refuses all."""
    if not texts or isinstance(texts, str):
        raise UsageError("there is no text to write", hint="give a list of texts, one for each entry")
    return [content(text, fields, rule) for text in texts]


def require_unicode(text: str) -> None:
    """Refuse half characters, which no file can hold.

    Raises:
        UsageError: the text holds lone surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("the text holds half a character", hint="send it as valid Unicode") from error


def _unmarked(line: str) -> str:
    while match := _MARKER.match(line):
        line = line[match.end() :]
    return line


def _escaped(text: str) -> str:
    """Escape the first character of what Markdown would take for a block of its own, or not show at all."""
    if _is_plain(text):
        return text
    number = _NUMBER.match(text)
    at = number.end() if number else 0
    return f"{text[:at]}\\{text[at:]}"


def _is_plain(text: str) -> bool:
    if text[:1].isalnum() and not _NUMBER.match(text):
        return (
            True  # no block begins with a letter, nor with digits that are no marker; the parser takes long to say so
        )
    blocks = parse(f"- {text}".encode()).blocks
    one = len(blocks) == 2 and blocks[1].kind == "paragraph"
    return one and blocks[0].text.end == len(text) + 2 and not _DEFINITION.match(text)


def _with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Append fields where the grammar wants them: behind the text, before id and comment."""
    require_unicode("".join((*fields.keys(), *fields.values())))
    parts, added = read_entry(text), {key: value.strip() for key, value in fields.items()}
    for key, said in tuple(added.items()):
        if known := parts.field(key):
            if known.value != said:
                _stop(f"the text has a field `{key}` already")
            del added[key]
    spans = [span for span in (parts.id_span, parts.meta) if span]
    at = min((span.start for span in spans), default=len(text))
    written = " ".join(f"[{key}:: {said}]" for key, said in added.items())
    new = f"{text[:at].rstrip()} {written} {text[at:]}".rstrip()
    found = [(field.key, field.value) for field in read_entry(new).fields] if added else []
    for key, said in added.items():
        if not said or one_line(said) != said or found.count((key, said)) != 1:
            _stop("the field `{key}` cannot be written", key=key)
    return new if added else text


def _stop(message: str, **facts: object) -> NoReturn:
    hint = "a key is a word and a value one line without `]`: [source:: chat:42]"
    raise UsageError(message, hint=hint, facts=facts)
