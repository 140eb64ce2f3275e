"""How fast the pen is, as ratios measured in one run. Not a test: run it with `python tests/bench/bench_pen.py`.

The floor is what any durable replacement of a file costs: write, fsync, rename, fsync of the folder. Beside it stand
the pen alone (lock, history, journal, exchange, log), `Workspace.add` (the pen, the gate and the linter's rules), eight
writers of one file at once, and many entries in one transaction.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from clocks import wall

from mdmem.store.pen import Pen
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit
from mdmem.workspace import Workspace

_TEXT = "- 2026-02-13：主人说周五有重要面试，要提前一天提醒\n"
_WRITERS = 8


def floor(folder: Path) -> Callable[[int], object]:
    """Give the bare durable replacement."""
    path, temporary = folder / "floor.md", folder / "floor.tmp"
    data = b""

    def replace(_: int) -> None:
        nonlocal data
        data += _TEXT.encode()
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, data)
        os.fsync(descriptor)
        os.close(descriptor)
        temporary.rename(path)
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    return replace


def pen(folder: Path) -> Callable[[int], object]:
    """Give an append by the pen alone, judged by nobody."""
    settings = Workspace(folder).config.settings
    made = Pen(str(folder), settings, lambda *_: None, lambda: dt.datetime.now().astimezone())

    def change(files: DraftFiles) -> Edits:
        document = files["NOTES.md"]
        return {"NOTES.md": [Edit.insert(len(document.text) if document else 0, _TEXT)]}

    return lambda _: made.commit(change, actor="user", reason="bench")


def add(folder: Path) -> Callable[[int], object]:
    """Give an append by the workspace, with everything that a user gets."""
    workspace = Workspace(folder, lang="zh")
    return lambda at: workspace.add("MEMORY.md", [f"2026-02-13：第 {at} 件事，写者 {os.getpid()}"], section="笔记")


def timed(work: Callable[[int], object], count: int) -> list[float]:
    """Give the seconds that each call took."""
    work(-1)  # what is loaded or made once
    return [wall(partial(work, at)) for at in range(count)]


def row(name: str, seconds: list[float], base: float) -> None:
    """Print a line: how many a second, the middle and the slowest hundredth, beside the floor's."""
    ordered = sorted(seconds)
    middle, slow = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    print(f"{name:42} {1 / statistics.mean(ordered):8.0f} /s   p50 {middle * 1e3:7.2f} ms   p99 {slow * 1e3:7.2f} ms"
          f"   {middle / base:5.1f} x the floor")  # fmt: skip


def writers(folder: Path, count: int) -> list[float]:
    """Let eight processes append to one file at once; gives the seconds of every append."""
    command = [sys.executable, __file__, "--writer", str(folder), "--count", str(count)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(_WRITERS)]
    return [float(word) for one in running for word in one.communicate()[0].split()]


def main() -> None:
    """Measure, or be one of the writers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="appends of each kind")
    parser.add_argument("--writer", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.writer:
        print(*timed(add(Path(given.writer)), given.count))
        return
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        folders = [top / one for one in ("floor", "pen", "add", "many", "batch")]
        for folder in folders:
            folder.mkdir()
        base = timed(floor(folders[0]), given.count)
        middle = statistics.median(base)
        row("write, fsync, rename, fsync: the floor", base, middle)
        row("the pen: lock, history, exchange, log", timed(pen(folders[1]), given.count), middle)
        row("Workspace.add: the pen, the gate, the rules", timed(add(folders[2]), given.count), middle)
        begin = time.perf_counter()
        seconds = writers(folders[3], given.count // 4)
        took = time.perf_counter() - begin
        row(f"Workspace.add, {_WRITERS} writers of one file", seconds, middle)
        print(f"{'':42} {len(seconds) / took:8.0f} /s together, with their start-up")
        batch = [f"2026-02-13：批量的第 {at} 条" for at in range(1000)]
        begin = time.perf_counter()
        Workspace(folders[4], lang="zh").add("MEMORY.md", batch, section="笔记")
        print(f"{'one transaction of 1,000 entries':42} {1000 / (time.perf_counter() - begin):8.0f} entries/s")


if __name__ == "__main__":
    main()
