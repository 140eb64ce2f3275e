"""How fast the index is built, asked and brought up to date, how large it is, and how all that grows.

    python tests/bench/bench_index.py                       # 1,000 to 100,000 entries
    python tests/bench/bench_index.py --sizes 1000000

Entries are half English and half Chinese, of words as frequent as in real texts (Zipf), a hundred to a file, below two
headings of such words. A query is three words of the vocabulary. All but the change and the start-ups is processor
time, in milliseconds: what else runs on the machine does not count. `index` is the index alone, asked for the first
time and `again`, when the lists of the words are in memory; `search` is a whole search, with ranking.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from statistics import median

from clocks import busy
from table_row import Row

from mdmem.search.question import parse_query
from mdmem.workspace import Workspace

PER_FILE = 100


class Texts:
    """Makes entries of words as frequent as in real texts."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.english = self._vocabulary(20_000, lambda: "".join(self.random.choices(letters[:18], k=self._length())))
        self.chinese = self._vocabulary(
            12_000, lambda: "".join(chr(0x4E00 + int(abs(self.random.gauss(0, 900)))) for _ in "ab")
        )
        self.weights = list(accumulate(1 / (rank + 8) for rank in range(20_000)))

    def entry(self, number: int) -> str:
        chinese = number % 2
        words = self.words(self.random.randint(6, 16), chinese=bool(chinese))
        day = f"20{18 + number % 9}-{1 + number % 12:02}-{1 + number % 28:02}"
        return f"- {day}：{''.join(words)}" if chinese else f"- {day}: {' '.join(words)}."

    def words(self, count: int, *, chinese: bool) -> list[str]:
        some = self.chinese if chinese else self.english
        return self.random.choices(some, cum_weights=self.weights[: len(some)], k=count)

    def _character(self) -> str:
        return chr(0x4E00 + int(abs(self.random.gauss(0, 900))))

    def _length(self) -> int:
        return self.random.randint(3, 9)

    def _vocabulary(self, count: int, make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(count)]


def write(root: Path, count: int, texts: Texts) -> int:
    """Write a workspace of so many entries; give its bytes."""
    size = 0
    for file in range((count + PER_FILE - 1) // PER_FILE):
        folder = root / "knowledge" / f"pack{file // 200:03}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [texts.entry(file * PER_FILE + number) for number in range(min(PER_FILE, count - file * PER_FILE))]
        title, part = (" ".join(texts.words(2, chinese=False)) for _ in "ab")
        text = f"# {title} {file}\n\n## {part}\n\n" + "\n".join(lines) + "\n"
        size += (folder / f"notes{file:05}.md").write_bytes(text.encode())
    (root / "mdmem.toml").write_text("", "utf-8")
    return size


def queries(texts: Texts, count: int) -> Iterator[str]:
    for number in range(count):
        words = texts.words(3, chinese=bool(number % 2))
        yield "".join(words) if number % 2 else " ".join(words)


def cold(root: Path, *arguments: str) -> float:
    """Time a process from start to end, the best of some."""
    done = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "mdmem", *arguments], cwd=root, capture_output=True, check=False)
        done.append(time.perf_counter() - start)
    return min(done)


def tails(times: list[float]) -> str:
    """Say the middle and the 99th of a hundred of some times, which rise."""
    return f"p50 {median(times) * 1e3:.1f} p99 {times[-1 - len(times) // 100] * 1e3:.1f}"


def measure(count: int) -> None:
    """Measure everything for one size, and print a line."""
    texts = Texts()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = write(root, count, texts)
        time.sleep(0.2)
        work = Workspace(root)
        cpu = busy(work.index.refresh)
        stored = os.path.getsize(root / ".mdmem" / "index.db")
        still = min(busy(work.index.refresh) for _ in range(5))
        questions = list(queries(texts, 220))
        for one in questions[:20]:
            work.search(one)
        asked, again = (
            sorted(busy(partial(work.index.words.match, parse_query(one), 10)) for one in questions[20:])
            for _ in range(2)
        )
        whole = sorted(busy(partial(work.search, one)) for one in questions[20:])
        common = busy(partial(work.search, " ".join(texts.english[:6])))
        start = cold(root, "search", texts.english[3000])
        lint = cold(root, "lint", "knowledge/pack000/notes00001.md")
        cells = (
            f"{count:>9,} entries, {size / 1e6:.1f} MB", f"build {count / cpu:,.0f}/s", f"db {stored / size:.2f}x",
            f"unchanged {still * 1e3:.1f}", f"index {tails(asked)}", f"again {tails(again)}", f"search {tails(whole)}",
            f"commonest words {common * 1e3:.1f}",
            f"changed file {changed(root, work) * 1e3:.1f}", f"cold search {start * 1e3:.0f} lint {lint * 1e3:.0f} ms",
        )  # fmt: skip
        print(" | ".join(cells), flush=True)


def rows(count: int = 100_000) -> Iterator[Row]:
    """Give a whole search of so many entries beside what looking at every file costs."""
    texts = Texts()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, count, texts)
        time.sleep(0.2)
        work = Workspace(root)
        work.index.refresh()
        asked = list(queries(texts, 220))[20:]
        for one in asked:
            work.search(one)
        files = [os.path.join(path, name) for path, _, names in os.walk(root / "knowledge") for name in names]
        floor = min(busy(lambda: [os.lstat(file) for file in files]) for _ in range(5))
        found = sorted(busy(partial(work.search, one)) for one in asked)
        yield Row(f"search, {count:,} entries, p50", median(found), floor, f"lstat of {len(files):,} files", "≤ 6 ms")
        yield Row(f"search, {count:,} entries, p99", found[-1 - len(found) // 100], floor, "the same")
        day = busy(partial(work.search, "2026-02-13 " * 10_000)), busy(partial(work.search, "2026-02-13 " * 2_500))
        yield Row("a date 10,000 times as a query", day[0], day[1], "2,500 times", "linear")


def changed(root: Path, work: Workspace) -> float:
    """Time from a change of one file to the search that sees it."""
    seen = []
    for number in range(5):
        with (root / "knowledge" / "pack000" / "notes00000.md").open("a", encoding="utf-8") as stream:
            stream.write(f"- 2026-02-20: needle{number} found\n")
        start = time.perf_counter()
        work.index.refresh()
        assert work.index.words.match(parse_query(f"needle{number}"), 1)
        seen.append(time.perf_counter() - start)
    return median(seen)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    for size in options.parse_args().sizes:
        measure(size)


if __name__ == "__main__":
    main()
