"""Reads a session: ours, and the three older dialects of `.sessions/` (D031, D035, B1 row 12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from mdmem.core.document import Document, parse
from mdmem.core.pattern import pattern
from mdmem.core.session.escape import unescape
from mdmem.core.session.marks import turn_marks, turns_start
from mdmem.core.session.turn import ROLES, Session, Turn
from mdmem.core.template import Template, fold
from mdmem.core.text import Span, count_lines

_FIELD = pattern(r"[ \t]*[-*+][ \t]+\**([^*:：\r\n]{1,40}?)\**[:：]\**[ \t]*([^\r\n]*)")
_STAMP = pattern(r"(\d{4})-?(\d{2})-?(\d{2})(?:_(\d{2})(\d{2})(\d{2}))?(?:_|\Z)")
_BLOCK = pattern(r"(`{3,}|~{3,})[^\n]*\n(.*)\n\1[ \t]*\Z", re.DOTALL)
_OUTCOMES = ("success", "partial", "failed", "ongoing")


def read_session(document: Document, path: str, template: Template) -> Session:
    """Read a session file.

    Args:
        document: the file.
        path: where it stands, POSIX from the root; its name is the session's id, and says when an older one began.
        template: that of the kind `session`, in any language: each knows the words of the others.
    """
    at = turns_start(document.text, template)
    turns = () if at is None else tuple(turns_in(document.text, template, at))
    at = at if turns else None  # an older dialect calls other things so
    head = document if at is None else parse(document.text[:at].encode("utf-8", "surrogateescape"))
    values = head.front_matter.values if head.front_matter else {}
    fields = _fields(head, template)
    stem = path.rpartition("/")[2].removesuffix(".md")

    def word(key: str) -> str:
        value = values.get(key)
        return fields.get(key, "") if value is None else str(value)

    return Session(
        id=stem,
        path=path,
        agent=word("agent"),
        task=word("task") or _first_line(_part(head, template, "request")),
        started=word("started") or _stamp(stem),
        ended=word("ended"),
        outcome=_outcome(word("outcome"), template),
        extracted_through=_number(values.get("extracted_through")),
        condensed_through=_number(values.get("condensed_through")),
        request=_part(head, template, "request"),
        response=_part(head, template, "response"),
        turns=turns,
    )


def turns_in(text: str, template: Template, start: int = 0) -> Iterator[Turn]:
    """Give the turns of a text, from an offset in it on; lines are counted from the text's own first.

    Who speaks is known by the template's words; of free names the first to speak in a round is the user.
    """
    marks, known, line = list(turn_marks(text, start)), known_roles(template), 0
    roles = {speaker: known.get(fold(speaker), "") for speaker in {mark[2] for mark in marks}}
    number = first = None
    counted = 0  # characters whose lines are counted; every mark begins a line
    for index, mark in enumerate(marks):
        last = index + 1 == len(marks)
        end = len(text) if last else marks[index + 1].start()
        if int(mark[1]) != number:
            number, first = int(mark[1]), mark[2]
        said = unescape(_body(text[mark.end() : end], mark[4] or "\n", last=last))
        role = roles[mark[2]] or ("user" if mark[2] == first else "assistant")
        line += count_lines(text, counted, mark.start())
        counted = mark.start()
        yield Turn(number, role, mark[2], mark[3], said, mark.start(), end, line)


def known_roles(template: Template) -> dict[str, str]:
    """Give the folded words for the roles, and what each means."""
    return {fold(word): role for role in ROLES for word in (role, *template.parts.get(role, ()))}


def _body(raw: str, ending: str, *, last: bool) -> str:
    """Take a turn's text out of its frame: a blank line before, a line ending and a blank line behind."""
    raw = raw.removeprefix(ending).removesuffix(ending)
    return raw if last else raw.removesuffix(ending)


def _part(document: Document, template: Template, name: str) -> str:
    """Give what stands below a heading, sub-headings and all, as it was said.

    The older dialects, which have no front matter, put a fence around it and indent it.
    """
    span = part_span(document, template, name)
    if span is None:
        return ""
    inner = span.of(document.text).strip("\r\n")
    if document.front_matter:
        return unescape(inner)
    fenced = _BLOCK.match(inner)
    return dedent(fenced[2]).strip() if fenced else inner


def part_span(document: Document, template: Template, name: str) -> Span | None:
    """Find what stands below one of a session's headings, sub-headings and all; None where there is no such heading."""
    wanted = template.name(name)
    for index, section in enumerate(document.sections):
        if section.level == 2 and template.name(section.title) == wanted:
            below = (one.heading.start for one in document.sections[index + 1 :] if one.level <= section.level)
            return Span(section.body.start, next(below, len(document.text)))
    return None


def _fields(document: Document, template: Template) -> Mapping[str, str]:
    """Read the metadata's lines «key: value» by the template's words."""
    found: dict[str, str] = {}
    keys = {fold(word): key for key in ("agent", "started", "ended", "outcome") for word in template.parts.get(key, ())}
    for line in _part(document, template, "metadata").splitlines():
        match = _FIELD.match(line)
        key = keys.get(fold(match[1])) if match else None
        if match and key:
            found.setdefault(key, match[2].strip())
    return found


def _outcome(word: str, template: Template) -> str:
    name = fold(word)
    return next((one for one in _OUTCOMES if name in (one, *map(fold, template.parts.get(one, ())))), word)


def _stamp(stem: str) -> str:
    """Read when a session began from its file's name."""
    match = _STAMP.match(stem)
    if not match:
        return ""
    year, month, day, hour, minute, _ = match.groups()
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}" if hour else "")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
