"""Turns the header of a note that is not valid YAML into YAML. Pure."""

from __future__ import annotations

import json

from mdmem.text.document import parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span
from mdmem.text.yaml.front_matter import FrontMatter

_DANGEROUS = {"alias", "anchor", "tag"}  # nothing that a writer of notes means; the gate refuses them
_VALUE = pattern(r"(?P<key>[^\s:#'\"\[\]{}&*!|>%@`-][^:\r\n]{0,59}):[ \t]*(?P<value>\S[^\r\n]*?)[ \t]*\Z")
_FENCE = "```"


def with_readable_header(text: str) -> str:
    """Return a note whose header YAML can read.

    Values that are no YAML by themselves are quoted, such as one with a colon in it. A header that cannot be read even
    then stands as a block of code at the top of the text, so that nothing of it is lost. A header with aliases or tags
    is left as it is.
    """
    front = parse(text.encode("utf-8", "surrogateescape")).front_matter
    if front is None or not front.problems or any(one.kind in _DANGEROUS for one in front.problems):
        return text
    header = front.yaml.of(text)
    quoted = apply_edits(text, [Edit(front.yaml, "".join(map(_quoted, header.splitlines(keepends=True))))])
    if not _problems(quoted):
        return quoted
    fence = _FENCE
    while fence in header:
        fence += "`"
    return apply_edits(text, [Edit(front.span, f"{fence}yaml\n{header.rstrip()}\n{fence}\n")])


def _problems(text: str) -> bool:
    front = parse(text.encode("utf-8", "surrogateescape")).front_matter
    return front is None or bool(front.problems)


def _quoted(line: str) -> str:
    """Return a line `key: value` with its value quoted, unless the line is YAML as it is."""
    ending = line[len(line.rstrip("\r\n")) :]
    found = _VALUE.match(line.rstrip("\r\n"))
    if not found or not FrontMatter(line, Span(0, len(line)), len(line), 0).problems:
        return line
    value = json.dumps(found["value"].strip("\"'"), ensure_ascii=False)
    return f"{found['key'].rstrip()}: {value}{ending}"
