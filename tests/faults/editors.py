"""Editors that know nothing of mdmem, as the file system sees them: each way to save a file, step by step."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Save = Callable[[Path, bytes], Iterator[None]]


def rename_over(path: Path, text: bytes) -> Iterator[None]:
    """Gedit, Kate, and every careful program: write aside, sync, rename."""
    aside = path.with_name(f".{path.name}.edit")
    with aside.open("wb") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    yield
    aside.rename(path)


def rename_away(path: Path, text: bytes) -> Iterator[None]:
    """Vim and Emacs: the old file becomes the backup, a new one is made. For a moment there is none, or half of one."""
    path.rename(path.with_name(path.name + "~"))
    yield
    with path.open("wb", buffering=0) as stream:
        yield
        stream.write(text[: len(text) // 2])
        yield
        stream.write(text[len(text) // 2 :])
        os.fsync(stream.fileno())


def in_place(path: Path, text: bytes) -> Iterator[None]:
    """Nano, VS Code and `>`: the file is emptied and written again. For a moment it is empty, or half."""
    with path.open("wb", buffering=0) as stream:
        yield
        stream.write(text[: len(text) // 2])
        yield
        stream.write(text[len(text) // 2 :])


def unlink_create(path: Path, text: bytes) -> Iterator[None]:
    """Programs that delete and write anew."""
    path.unlink()
    yield
    with path.open("wb", buffering=0) as stream:
        yield
        stream.write(text)


def overwrite(path: Path, text: bytes) -> Iterator[None]:
    """Programs that write over the old text and cut the rest off."""
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0) as stream:
        yield
        stream.write(text)
        yield
        stream.truncate()


STYLES: dict[str, Save] = {
    one.__name__: one for one in (rename_over, rename_away, in_place, unlink_create, overwrite)
}  # fmt: skip
_SOON = 0.02  # seconds
SHOWS_A_GAP = set(STYLES) - {"rename_over"}  # the file is missing, empty or half for a moment


BLANK = b"- editor save _\n"  # a line that waits to be filled in: a save that leaves the file as long as it was


def line(number: int) -> bytes:
    """Give the line that a save adds."""
    return f"- editor save {number}\n".encode()


class Typist:
    """A person with an editor: every save adds a numbered line to what the editor shows, or fills a blank."""

    def __init__(self, path: Path, style: str, *, fresh: bool) -> None:
        self.path, self.fresh, self.saves = path, fresh, 0
        self._style, self._text = STYLES[style], path.read_bytes() if path.exists() else b""

    def save(self) -> Iterator[None]:
        """Save once, step by step."""
        if self.fresh:
            self._text = self._look()
        if BLANK in self._text:
            self._text = self._text.replace(BLANK, line(self.saves + 1), 1)
        else:
            self._text += line(self.saves + 1)
        yield from self._style(self.path, self._text)
        self.saves += 1

    def _look(self) -> bytes:
        """Load the file as it is; while it is missing, or lacks the save just made, an editor keeps what it shows.

        It lacks that save for the moment between two exchanges of the pen, when the pen has displaced it and not yet
        put it back; no editor that is at work loads a file so as to lose what its user typed a moment ago.
        """
        try:
            found = self.path.read_bytes()
        except FileNotFoundError:
            return self._text
        return found if found and (self.saves == 0 or line(self.saves) in found) else self._text


class Running(NamedTuple):
    """A typist in a process of its own, who acts when asked by the fault injector."""

    process: int
    ask: int
    answer: int

    def finish(self) -> int:
        """Let the save that was begun come to its end; gives the number of saves."""
        os.close(self.ask)
        said = b""
        while piece := os.read(self.answer, 1000):
            said += piece
        os.waitpid(self.process, 0)
        return said.count(b"s")


def start(library: Any, root: str, order: list[Any]) -> Running:
    """Fork a typist and let the injector know whom to ask."""
    style, path, times, fresh, steps, stalls = order
    asked, ask = os.pipe()
    answer, answering = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(ask)
        os.close(answer)
        _act(Typist(Path(root, path), style, fresh=fresh), asked, answering, steps=steps, stalls=stalls)
        os._exit(0)
    os.close(asked)
    os.close(answering)
    library.faults_ask(ask, answer, times)
    return Running(process, ask, answer)


def _act(typist: Typist, asked: int, answering: int, *, steps: bool, stalls: bool) -> None:
    """Answer `x` for every wish; `s` at the end for every save that was made."""
    save: Iterator[None] | None = None
    while True:
        if save and not stalls and not select.select([asked], [], [], _SOON)[0]:
            _finish(save)  # nobody asks any more, and no editor takes long
            save = None
        if not os.read(asked, 1):
            break
        save = save or typist.save()
        more = next(save, "end") != "end"
        if more and not steps:
            _finish(save)
        save = save if more and steps else None
        os.write(answering, b"x")
    if save:
        _finish(save)
    os.write(answering, b"s" * typist.saves)


def _finish(save: Iterator[None]) -> None:
    for _ in save:
        pass
