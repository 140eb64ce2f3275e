"""What a person sees: colours, widths, folded sentences, tables and progress. rich draws them.

rich is imported where something is drawn: a pipe without a table, as most calls of programs are, needs none of it.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text

_STYLES = {
    "error": "red", "warning": "yellow", "note": "cyan", "bold": "bold", "dim": "dim", "good": "green", "path": "bold",
    "fix": "green",
}  # fmt: skip
_PIPE = 1 << 16  # columns of a pipe, in which nothing is folded or cut
_LEAST = 20  # columns of the narrowest text
_REFRESH = 0.1  # seconds between two drawings of a progress bar
_FEW = 6  # characters of a key that are shown if they are unique
_PIECE = (
    r"(?:[!-~]+|\S)[，。、；：！？）」』】》]*|\s+"  # stays on one line: a word, or a wide character, with its stops
)
_LEAST_TEXT = 24  # columns that a name in a table leaves for the text behind it

_when = "auto"
_is_wide = False


def choose(when: str) -> None:
    """Set when this process prints colour: always, never, or auto (by stream and environment)."""
    global _when  # noqa: PLW0603 - a setting of the process
    _when = when


def widen(is_wide: bool) -> None:  # noqa: FBT001 - a switch of the command line
    """Set whether tables on a terminal are as wide as their texts."""
    global _is_wide  # noqa: PLW0603 - a setting of the process
    _is_wide = is_wide


def console(stream: TextIO) -> Console:
    """Return a console of rich for a stream, as wide as its terminal; a pipe is wider than any text."""
    from rich.console import Console

    width, is_coloured = None if stream.isatty() and not _is_wide else _PIPE, coloured(stream)
    return Console(
        file=stream, width=width, highlight=False, markup=False, emoji=False, force_terminal=is_coloured or None,
        color_system="auto" if is_coloured else None,
    )  # fmt: skip


def coloured(stream: TextIO) -> bool:
    """Return whether to colour a stream; rich decides by NO_COLOR, FORCE_COLOR, TERM, and whether it is a terminal."""
    if _when != "auto":
        return _when == "always"
    if not (stream.isatty() or os.environ.get("FORCE_COLOR")):
        return False  # rich says the same, and need not be imported
    from rich.console import Console

    found = Console(file=stream)
    return found.is_terminal and not found.no_color and found.color_system is not None


class Paint:
    """Colours text if the stream wants colour."""

    def __init__(self, stream: TextIO) -> None:
        self.on = coloured(stream)

    def __call__(self, style: str, text: str) -> str:
        """Return a text in the colour of a style."""
        if not (self.on and text and style):
            return text
        from rich.style import Style

        return Style.parse(_STYLES[style]).render(text)


def safe(text: str) -> str:
    """Return a text with invisible and control characters escaped, so that it cannot control the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "    " if char == "\t" else f"<{ord(char):04X}>" for char in text)


def width(text: str) -> int:
    """Return the columns of a text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def columns(stream: TextIO | None = None) -> int:
    """Return the width of the terminal of a stream (default: standard output); a large number for a pipe."""
    stream = stream or sys.stdout
    return console(stream).width if stream.isatty() else _PIPE


def folded(text: str, indent: int = 0, stream: TextIO | None = None) -> str:
    """Return a text folded to the terminal; what follows its first line is indented. In a pipe nothing is folded."""
    stream = stream or sys.stdout
    return "\n".join(fold(text, columns(stream), indent)) if stream.isatty() else text


def labelled(label: str, text: str) -> str:
    """Return a text behind its label; a full-width colon needs no blank."""
    return label + ("" if label.endswith("：") else " ") + text


def fold(text: str, wide: int, indent: int) -> list[str]:
    """Return the lines of a text folded to a width; the lines after the first are indented."""
    if width(text) <= wide - indent and "\n" not in text:
        return [text]
    most = max(_LEAST, wide - indent)
    if text.isascii():
        from rich.text import Text

        lines = [line.plain for line in Text(text).wrap(console(sys.stdout), most, overflow="fold")]
    else:
        lines = [line for part in text.split("\n") for line in _lines_of(part, most)]
    first, *rest = map(str.rstrip, lines)
    return [first, *(" " * indent + line for line in rest)]


def _lines_of(text: str, most: int) -> list[str]:
    """Return the lines of a text of wide characters: rich would break the Latin words in it, for it has no blanks."""
    from rich.cells import chop_cells

    lines, line = list[str](), ""
    for piece in re.findall(_PIECE, text):
        if line and width(line) + width(piece.rstrip()) > most:
            lines.append(line)
            line = ""
        *whole, last = chop_cells(piece, most) if width(piece) > most else [piece]
        lines += whole
        line += last if line or lines == [] else last.lstrip()
    return [*lines, line]


def table(
    header: Sequence[str], rows: Sequence[Sequence[str | Text]], styles: Sequence[str], *, whole: bool = False
) -> list[str]:
    """Return the lines of a table for the standard output.

    On a terminal, a last cell that is too wide is cut, or folded if it shall stay `whole`, and a long name is shortened
    in its middle. In a pipe, or with `--wide`, nothing is cut or folded.
    """
    from rich.table import Table
    from rich.text import Text

    screen, last = console(sys.stdout), len(header) - 1
    screen.width = columns()
    texts = [[safe(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    wide = [max(width(str(row[at])) for row in [header, *texts]) for at in range(len(header))]
    others = sum(wide[:last]) + min(wide[last], _LEAST_TEXT) + 2 * last
    # where there is no name before the last column, the widest text there gives way
    widest = max(range(last), key=wide.__getitem__, default=last)
    yielding = ({at for at in range(last) if styles[at] == "path"} or {widest}) - {last}
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for at, (title, style) in enumerate(zip(header, styles, strict=True)):
        # only the last column gives way; its texts are folded or cut
        head = Text(title, no_wrap=True, overflow="ellipsis")
        drawn.add_column(head, style=_STYLES.get(style, ""), no_wrap=at < last, overflow="fold")
    for row in texts:
        cells = [
            (middle if styles[at] == "path" else _beginning)(cell, max(_LEAST, screen.width - others + wide[at]))
            if at in yielding
            else cell
            for at, cell in enumerate(row)
        ]
        if not whole and styles[last] != "path" and isinstance(cells[last], str):
            cells[last] = Text(str(cells[last]), no_wrap=True, overflow="ellipsis")
        drawn.add_row(*cells)
    with screen.capture() as captured:
        screen.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _beginning(text: str | Text, most: int) -> str | Text:
    """Return a text cut at its end."""
    if not isinstance(text, str) or width(text) <= most:
        return text
    from rich.cells import set_cell_size

    return f"{set_cell_size(text, most - 1).rstrip()}…"


def middle(name: str | Text, most: int) -> str | Text:
    """Return a name shortened in its middle, so that its beginning and its ending can be read."""
    if not isinstance(name, str) or width(name) <= most:
        return name
    from rich.cells import set_cell_size

    tail = (most - 1) // 2
    return f"{set_cell_size(name, most - 1 - tail).rstrip()}…{set_cell_size(name[::-1], tail).rstrip()[::-1]}"


def short_keys(keys: Sequence[str]) -> Mapping[str, str]:
    """Return what is shown of each key: the first characters, if these differ, or else all."""
    few = {key: key[:_FEW] for key in keys}
    return few if len(set(few.values())) == len(keys) else {key: key for key in keys}


class ProgressBar:
    """Shows done, total and rate on the last line of a terminal; prints nothing elsewhere."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._bar: Progress | None = None
        self._drawn = 0.0

    def __call__(self, done: int, total: int, words: str = "") -> None:
        """Show how far the work is; a total of 0 is not known yet."""
        if not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = _progress()
            self._task = self._bar.add_task(self._words, total=None)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total or None, description=words or self._words)
        if (now := time.monotonic()) - self._drawn > _REFRESH or done == total:
            self._drawn = now
            self._bar.refresh()

    def close(self) -> None:
        """Erase the line."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _progress() -> Progress:
    """Return the bar of rich; it draws when told to, for a thread of its own would disturb the processes of a lint."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TaskProgressColumn(show_speed=True), console=console(sys.stderr), auto_refresh=False, transient=True,
    )  # fmt: skip
