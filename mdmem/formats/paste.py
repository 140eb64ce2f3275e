"""Finds pasted text in a message (long code, logs, tables) as spans of whole lines.

A fenced block is one. Elsewhere a paste is a run of lines that have the shape of output or code; lines of another
shape may be between them, but only a few in a row. Lists and poems have no such shape.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span

_FENCE = pattern(r"[ ]{0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_ITEM = pattern(r"[ \t]*(?:[-*+•]|\d{1,3}[.)、]|\[[ xX\d]{1,3}\])[ \t]+\S")  # of a list, as people write them
_LEVELS = "DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE"
_SHAPES = pattern(
    r"""
      \W{0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d         # a time, as in logs
    | \W{0,3}\d\d:\d\d:\d\d\b
    | .{0,60}?\b(?:"""
    + _LEVELS
    + r""")\b[\]: ]
    | [ \t]+at[ ]\S+[(:] | [ \t]+File[ ]"          # a frame of a traceback
    | Traceback[ ]\(most
    | diff[ ]--git[ ] | @@[ ]-\d | (?:\+\+\+|---)[ ][ab]/ | [+-](?![ ])\S
    | [ \t]*\|.{0,4000}\|[ \t]*\Z                 # a row of a table
    | (?:[^\t]{0,400}\t){2} | (?:[^,;\s][^,;]{0,80}[,;](?=\S)){3}
    | [ \t]*["'{}\[\]()<](?:.{0,4000}[,:{}\[\]()>"';])?[ \t]*\Z   # JSON, XML, a closing bracket
    | .{1,4000}[{};][ \t]*\Z | (?:\t|[ ]{2}).{0,4000}[=(){}\[\];:]
    | [ \t]*(?:import|from|def|class|func|function|const|let|var|return|public|private|static|async|export
       |\#include|package|use|fn|type|struct|interface|SELECT|INSERT|UPDATE|\$|>>>|npm|pip)[ ].{0,4000}[\w)"':;(]\Z
    | [!-~]{80,}
    """,
    0x40,  # re.VERBOSE
)
_BETWEEN = 3  # lines of another shape in a row that a run may contain
_SHARE = 0.6  # of the lines of a run that have the shape


def pastes(text: str, least_lines: int, least_chars: int) -> tuple[Span, ...]:
    """Return the spans of pastes that have so many lines or so many characters, in order."""
    if len(text) < least_chars and text.count("\n") + text.count("\r") + 1 < least_lines:
        return ()
    lines = Lines(text)
    found = (Span(lines.start(first), lines.end(last)) for first, last in _runs(lines))
    return tuple(
        span
        for span in found
        if span.end - span.start >= least_chars or lines.at(span.end) - lines.at(span.start) + 1 >= least_lines
    )


def _runs(lines: Lines) -> Iterator[tuple[int, int]]:
    """Return the first and last lines of fenced blocks, and of runs of shaped lines outside of them."""
    shaped: list[int] = []
    line = 0
    while line < len(lines):
        fence = _FENCE.match(lines.text(line))
        last = _fence_end(lines, line, fence[1]) if fence else -1
        if last > line:
            yield from _run(shaped)
            shaped = []
            yield line, last
            line = last
        elif not _ITEM.match(lines.text(line)) and _SHAPES.match(lines.text(line)):
            if shaped and line - shaped[-1] > _BETWEEN + 1:
                yield from _run(shaped)
                shaped = []
            shaped.append(line)
        line += 1
    yield from _run(shaped)


def _run(shaped: list[int]) -> Iterator[tuple[int, int]]:
    if shaped and len(shaped) >= _SHARE * (shaped[-1] - shaped[0] + 1):
        yield shaped[0], shaped[-1]


def _fence_end(lines: Lines, first: int, mark: str) -> int:
    """Return the line that closes a fence; the last line of the text where none does."""
    for line in range(first + 1, len(lines)):
        text = lines.text(line).strip()
        if text.startswith(mark) and not text.strip(mark[0]):
            return line
    return len(lines) - 1
