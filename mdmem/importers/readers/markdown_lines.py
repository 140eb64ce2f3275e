"""Reads a Markdown file by its headings: its lines, and what stands between them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mdmem.importers.model import ImportedFile
from mdmem.text.blocks import Block
from mdmem.text.document import Document, parse

_BLOCKS = ("table", "fence", "code", "html")
_COMMENT = "<!--"


class HeadedLine(NamedTuple):
    """An entry or a paragraph of a Markdown file, and the heading above it."""

    section: str
    text: str
    line: int  # 1-based
    inner: tuple[str, ...] = ()  # what stands below it: nested entries, further paragraphs, code

    @property
    def whole(self) -> str:
        """The text with what stands below it, on one line."""
        if not self.inner:
            return self.text
        return f"{self.text}: {' / '.join(' '.join(one.split()) for one in self.inner)}"


class HeadedBlock(NamedTuple):
    """A table, code or the like, and the heading above it."""

    section: str
    text: str
    line: int  # 1-based


def headed_lines(text: str) -> Iterator[HeadedLine]:
    """Yield the outer entries and the paragraphs of a Markdown file; headings and comments are left out."""
    document = parse(text.encode())
    outer = sorted((one for one in document.entries if not one.depth), key=lambda one: one.span.start)
    starts = [one.span.start for one in outer]
    below: list[list[tuple[int, str]]] = [[] for _ in outer]
    found: list[tuple[int, str, int, int]] = []  # offset, text, line, and the number of the entry or -1
    for start, said, line in _others(document):
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < outer[at].span.end:
            below[at].append((start, said))
        elif said:
            found.append((start, " ".join(said.split()), line, -1))
    found += [(one.span.start, one.text.strip(), one.line + 1, at) for at, one in enumerate(outer)]
    headings = _Headings(document)
    for start, said, line, at in sorted(found):
        if said:
            own = tuple(text for _, text in sorted(below[at]) if text) if at >= 0 else ()
            yield HeadedLine(headings.above(start), said, line, own)


def _others(document: Document) -> Iterator[tuple[int, str, int]]:
    """Yield what is no outer entry: nested entries, paragraphs, and of lists also code; offset, text, line."""
    nested = [one for one in document.entries if one.depth]
    yield from ((one.span.start, one.text, one.line + 1) for one in nested)
    lines = {one.line for one in document.entries}
    for block in document.blocks:
        is_own = block.kind in ("item", "heading", "rule") or (block.depth and block.line in lines)
        if not is_own and (block.depth or block.kind == "paragraph") and not _is_comment(document, block):
            yield block.span.start, block.span.of(document.text).strip(), block.line + 1


class _Headings:
    """The headings of a file, below its title."""

    def __init__(self, document: Document) -> None:
        found = [(one.heading.start, one.title) for one in document.sections if one.level > 1]
        self._starts, self._titles = [at for at, _ in found], [title for _, title in found]

    def above(self, at: int) -> str:
        """Return the heading above an offset; empty if there is none."""
        number = bisect_right(self._starts, at)
        return self._titles[number - 1] if number else ""


def headed_blocks(text: str) -> Iterator[HeadedBlock]:
    """Yield the tables, the code and the HTML of a Markdown file that stand in no list; comments are left out."""
    document = parse(text.encode())
    headings = _Headings(document)
    for block in document.blocks:
        if block.kind in _BLOCKS and not block.depth and not _is_comment(document, block):
            title = headings.above(block.span.start)
            yield HeadedBlock(title, block.span.of(document.text), block.line + 1)


def _is_comment(document: Document, block: Block) -> bool:
    return block.kind == "html" and block.span.of(document.text).lstrip().startswith(_COMMENT)


def blocks_file(origin: str, place: str, path: str, blocks: Iterable[HeadedBlock]) -> Iterator[ImportedFile]:
    """Yield a file with blocks below their headings, for what has no place among lines; none without blocks."""
    parts, section = [f"# {path.rpartition('/')[2].removesuffix('.md')}"], ""
    for one in blocks:
        parts += [f"## {one.section}"] if one.section != section else []
        parts.append(one.text)
        section = one.section
    if len(parts) > 1:
        text = "\n\n".join(parts)
        yield ImportedFile(f"{origin}.blocks", place, path, f"{text}\n")
