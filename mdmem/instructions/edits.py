"""Put one generated block into a text, write it anew, and take it out; every other byte stays. Pure.

The closing mark has a digest of the block, so that a block that was generated on another machine is known as such. In a
block whose digest is another one, the lines that mdmem did not write are a person's: they move below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from mdmem.entries.edits.generated import has_open_block
from mdmem.instructions.model import BlockRecord
from mdmem.text.document import COPY, AutoBlock, Document, parse
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END

_OPEN = f"<!-- mdmem:auto {COPY} -->"
_CLOSE = "<!-- /mdmem:auto {digest} -->"
_HEADING = pattern(r"#{1,6}[ \t]")
_ITEM = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_COMMENT = pattern(r"<!--|-->")
# what hides the closing mark if it is not closed itself: a code block, or HTML
_OPENING = pattern(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(?:`{3}|~{3}|<)")


class BlockError(ValueError):
    """The text has no room for a block: a mark stands without its other half, or something before it is not closed."""


class BlockChange(NamedTuple):
    """A text with its block, and what is known of the block from now on."""

    text: str
    record: BlockRecord
    moved: tuple[str, ...] = ()  # the lines of the old block that a person wrote


def line_digest(line: str) -> str:
    """Return the digest by which a line is recognized, whatever its indentation."""
    return blake2b(line.strip().encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def with_block(document: Document, content: str, record: BlockRecord) -> BlockChange:
    """Return the text with its block, which is put at the end if there is none.

    Args:
        document: the file.
        content: what the block says.
        record: what is known of the block.

    Raises:
        BlockError: there is no room for a block.
    """
    if has_open_block(document):
        raise BlockError
    old = _blocks(document)
    if not old:
        record = BlockRecord(record.agent, record.created)
    ours = frozenset((*record.written, *map(line_digest, _rows(content))))
    moved = tuple(line for one in old for line in _foreign(document, one, ours))
    removed = dict.fromkeys((*record.removed, *_removed(document, old, record)))
    outside = frozenset(_said((*_rows(_outside(document, old)), *moved)))
    rows = [row for row in _rows(content) if not _COMMENT.search(row)]
    kept = [row for row in rows if line_digest(row) not in removed and not (set(_said((row,))) & outside)]
    record = record._replace(removed=tuple(removed))
    for lines in (kept, [row for row in kept if not _OPENING.match(row)]):
        made = _placed(document, old, _tidy(lines), record, moved)
        if _stands(made.text):
            return made
    raise BlockError


def without_block(document: Document, record: BlockRecord) -> BlockChange:
    """Return the text without its block, as it was before the block came; lines of a person in the block stay.

    Raises:
        BlockError: a mark stands without its other half.
    """
    if has_open_block(document):
        raise BlockError
    old = _blocks(document)
    moved = tuple(line for one in old for line in _foreign(document, one, frozenset(record.written)))
    text = document.text
    for number, one in reversed(list(enumerate(old))):
        text = _cut(text, one, record.lead, moved if not number else (), document.lines.ending)
    return BlockChange(text, record, moved)


def has_block(document: Document) -> bool:
    """Return whether a text has a block of this name."""
    return bool(_blocks(document))


def _blocks(document: Document) -> tuple[AutoBlock, ...]:
    return tuple(one for one in document.auto_blocks if one.name == COPY)


def _rows(text: str) -> list[str]:
    return LINE_END.split(text)


def _outside(document: Document, old: Sequence[AutoBlock]) -> str:
    """Return the text around the blocks."""
    pieces, at = [], 0
    for one in old:
        pieces.append(document.text[at : one.span.start])
        at = one.span.end
    return "".join((*pieces, document.text[at:]))


def _said(rows: Sequence[str]) -> Iterator[str]:
    """Yield what the items of lists say."""
    for row in rows:
        if (found := _ITEM.match(row)) and (said := row[found.end() :].strip()):
            yield said


def _is_intact(document: Document, block: AutoBlock) -> bool:
    """Return whether a block is as it was generated, here or elsewhere."""
    named = next((name for closing, name, span in document.auto_marks if closing and span.end == block.span.end), "")
    return named == _body_digest(block.body.of(document.text))


def _body_digest(body: str) -> str:
    return line_digest("\n".join(_rows(body)))


def _foreign(document: Document, block: AutoBlock, ours: frozenset[str]) -> Iterator[str]:
    """Yield the lines of a block that mdmem did not write, with the blank lines between them."""
    if _is_intact(document, block):
        return
    waiting: list[str] = []
    is_begun = False
    for row in _rows(block.body.of(document.text)):
        if not row.strip():
            waiting += [row] if is_begun else []
        elif line_digest(row) in ours:
            waiting, is_begun = [], False
        else:
            yield from waiting
            yield row
            waiting, is_begun = [], True


def _removed(document: Document, old: Sequence[AutoBlock], record: BlockRecord) -> Iterator[str]:
    """Yield the digests of the lines that a person took out of a block."""
    if not old or any(_is_intact(document, one) for one in old):
        return
    present = {line_digest(row) for one in old for row in _rows(one.body.of(document.text))}
    yield from (one for one in record.written if one not in present)


def _tidy(rows: Sequence[str]) -> list[str]:
    """Return the lines without headings that have nothing below them, and without double blank lines."""
    kept: list[str] = []
    for row in reversed(rows):
        following = next((one for one in reversed(kept) if one.strip()), "")
        if _HEADING.match(row) and (not following or _level(following) in range(1, _level(row) + 1)):
            continue
        if row.strip() or (kept and kept[-1].strip()):
            kept.append(row)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept[::-1]


def _level(row: str) -> int:
    """Return the level of a heading; 0 for another line."""
    return len(row) - len(row.lstrip("#")) if _HEADING.match(row) else 0


def _placed(
    document: Document, old: Sequence[AutoBlock], rows: Sequence[str], record: BlockRecord, moved: Sequence[str]
) -> BlockChange:
    """Return the text with a block of these lines."""
    text, ending = document.text, document.lines.ending
    body = ending.join(("", *rows, ""))
    block = f"{_OPEN}{body}{_CLOSE.format(digest=_body_digest(body))}"
    record = record._replace(written=tuple(dict.fromkeys(line_digest(row) for row in rows if row.strip())))
    below = f"{ending * 2}{ending.join(moved)}" if moved else ""
    if not old:
        lead = "" if not text.strip("\ufeff") else _last_ending(text, ending) or ending * 2
        return BlockChange(f"{text}{lead}{block}{ending}", record._replace(lead=lead))
    for one in reversed(old[1:]):
        text = _cut(text, one, "", (), ending)
    first = old[0].span
    return BlockChange(f"{text[: first.start]}{block}{below}{text[first.end :]}", record, tuple(moved))


def _cut(text: str, block: AutoBlock, lead: str, moved: Sequence[str], ending: str) -> str:
    """Return a text without one block: with what was put before it if it stands last, else with one blank line."""
    before, after = text[: block.span.start], text[block.span.end :]
    if moved:
        return f"{before}{ending.join(moved)}{after}"
    rest = _after_newline(after)
    if not rest and lead and (bare := _without_lead(before, lead)) is not None:
        return bare
    is_apart = not rest or _after_newline(rest) != rest
    return _before_blank_line(before) + rest if is_apart else before + rest


def _without_lead(text: str, lead: str) -> str | None:
    """Return a text without the line ends before a block, whichever ends they have now; None if they are gone."""
    for _ in lead.replace("\r\n", "\n"):
        shorter = _without_newline(text)
        if shorter == text:
            return None
        text = shorter
    return text


def _after_newline(text: str) -> str:
    found = LINE_END.match(text)
    return text[found.end() :] if found else text


def _before_blank_line(text: str) -> str:
    """Return a text without the blank line at its end, if it has one."""
    shorter = _without_newline(text)
    return shorter if shorter != text and _without_newline(shorter) != shorter else text


def _last_ending(text: str, ending: str) -> str:
    """Return the line end to put behind that of the last line; empty if the last line has none."""
    if text.endswith("\r"):
        return "\r"  # "\n" would make one line end of the two
    return ending if text.endswith("\n") else ""


def _without_newline(text: str) -> str:
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text


def _stands(text: str) -> bool:
    """Return whether a text has one block, whole and as it was generated."""
    document = parse(text.encode("utf-8", "surrogateescape"))
    found = _blocks(document)
    return len(found) == 1 and not has_open_block(document) and _is_intact(document, found[0])
