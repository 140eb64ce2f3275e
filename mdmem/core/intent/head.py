"""One value of a file's front matter, set without touching another."""

from __future__ import annotations

from mdmem.core.document import Document
from mdmem.core.edit import Edit
from mdmem.core.yaml import scalar
from mdmem.errors import TargetError


def set_value(document: Document, key: str, value: str | int) -> Edit:
    """Make the edit that gives a key of the front matter a value; a key that is not there comes last.

    Raises:
        TargetError: the file has no front matter, or none that can be read.
    """
    front = document.front_matter
    if front is None or front.problems:
        raise TargetError("there is no front matter to write into", hint="`mdmem lint` tells what is wrong with it")
    said = str(value) if isinstance(value, int) else scalar(value)
    node = front.node(key)
    if node is None or node.key is None:
        return Edit.insert(front.yaml.end, f"{key}: {said}{document.lines.ending}")
    start, end = node.span if node.span.start > node.key.end else (node.key.end + 1,) * 2
    gap = "" if document.text[start - 1 : start] in " \t" else " "
    return Edit.replace(start, end, gap + said)
