"""What is written above the turns when a session ends, and when something was taken from it: as edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit
from mdmem.core.session.escape import escape
from mdmem.core.session.marks import turns_start
from mdmem.core.session.read import part_span
from mdmem.core.template import Template
from mdmem.core.yaml import scalar


def set_values(document: Document, values: Mapping[str, str | int]) -> tuple[Edit, ...]:
    """Set keys of the front matter, each its whole line; one that is not there comes last.

    A file without front matter is left as it is: nothing is added to what another program wrote.
    """
    return tuple(_lines(document, values)) if document.front_matter else ()


def _lines(document: Document, values: Mapping[str, str | int]) -> Iterator[Edit]:
    front, ending = document.front_matter, document.lines.ending
    assert front is not None
    for key, value in values.items():
        node = front.node(key)
        line = f"{key}: {scalar(value)}".rstrip()
        if node is None or node.key is None:
            yield Edit.insert(front.yaml.end, line + ending)
        else:
            first, last = document.lines.at(node.key.start), document.lines.at(max(node.key.start, node.span.end - 1))
            yield Edit.replace(document.lines.start(first), document.lines.end(last), line)


def set_part(document: Document, template: Template, name: str, text: str) -> tuple[Edit, ...]:
    """Put a text below one of the headings above the turns; the heading is made where a person has removed it."""
    at = turns_start(document.text, template)
    head = parse(document.text[:at].encode("utf-8", "surrogateescape"))
    written = f"\n{escape(text, template)}\n\n" if text else "\n"
    span = part_span(head, template, name)
    if span is None:
        end = len(document.text) if at is None else document.lines.start(document.lines.at(at))
        joint = "" if end == 0 or document.text[end - 1] in "\r\n" else "\n"
        return (Edit.insert(end, f"{joint}## {template.name(name)}\n{written}"),)
    return (Edit(span, written),)
