"""Finds the texts that a workspace keeps for its recipes: `prompts/NAME.md`, without what is written for its author."""

from __future__ import annotations

from mdmem.core.document import parse
from mdmem.core.inline import mask
from mdmem.workspace.packing.files import MemoryFiles
from mdmem.workspace.prompts import ENDS, FOLDER


def find(files: MemoryFiles, name: str, lang: str) -> tuple[str, str]:
    """Give the path and the text of a prompt; both empty where there is none."""
    for path in (f"{FOLDER}/{folder}{name}{end}" for folder in (f"{lang}/", "") for end in ENDS):
        text = files.text(path)
        if text is not None:
            document = parse(text.encode("utf-8", "surrogateescape"))
            return path, mask(text, (comment.span for comment in document.comments), "")[document.start :]
    return "", ""
