"""How fast the index is built, asked and brought up to date, how large it is, and how all that grows.

    python tests/bench/bench_index.py                       # 1,000 to 100,000 entries
    python tests/bench/bench_index.py --sizes 1000000

Entries are half English and half Chinese, of words as frequent as in real texts (Zipf), a hundred to a file. A query
is three words of some entry; `common` asks for the most frequent words there are.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

from mdmem.workspace import Workspace
from mdmem.workspace.index_source import index_of

PER_FILE = 100


class Texts:
    """Makes entries of words as frequent as in real texts."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.english = self._vocabulary(20_000, lambda: "".join(self.random.choices(letters[:18], k=self._length())))
        self.chinese = self._vocabulary(12_000, lambda: "".join(chr(0x4E00 + int(abs(self.random.gauss(0, 900)))) for _ in "ab"))
        self.weights = list(accumulate(1 / (rank + 8) for rank in range(20_000)))

    def entry(self, number: int) -> str:
        chinese = number % 2
        words = self.words(self.random.randint(6, 16), chinese=bool(chinese))
        day = f"20{18 + number % 9}-{1 + number % 12:02}-{1 + number % 28:02}"
        return f"- {day}：{''.join(words)}" if chinese else f"- {day}: {' '.join(words)}."

    def words(self, count: int, *, chinese: bool) -> list[str]:
        some = self.chinese if chinese else self.english
        return self.random.choices(some, cum_weights=self.weights[: len(some)], k=count)

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
        text = f"# Notes {file}\n\n## Found\n\n" + "\n".join(lines) + "\n"
        size += (folder / f"notes{file:05}.md").write_bytes(text.encode())
    (root / "mdmem.toml").write_text("", "utf-8")
    return size


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def queries(texts: Texts, count: int) -> Iterator[str]:
    for number in range(count):
        words = texts.words(3, chinese=bool(number % 2))
        yield "".join(words) if number % 2 else " ".join(words)


def cold(root: Path, *arguments: str) -> float:
    """Time a process from start to end, the best of some."""
    command = [sys.executable, "-m", "mdmem", *arguments]
    done = [timed(lambda: subprocess.run(command, cwd=root, capture_output=True, check=False)) for _ in range(7)]
    return min(done)


def measure(count: int) -> None:
    texts = Texts()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        size = write(root, count, texts)
        time.sleep(0.2)
        work = Workspace(root)
        build = timed(work.index.refresh)
        stored = os.path.getsize(root / ".mdmem" / "index.db")
        still = min(timed(work.index.refresh) for _ in range(5))
        for query in queries(texts, 20):
            work.search(query)
        inner = sorted(timed(lambda q=query: work.index.match(_parsed(q), 10)) for query in queries(texts, 300))  # type: ignore[misc]
        whole = sorted(timed(lambda q=query: work.search(q)) for query in queries(texts, 100))  # type: ignore[misc]
        common = min(timed(lambda: work.search(" ".join(texts.english[:6]))) for _ in range(3))
        changed = root / "knowledge" / "pack000" / "notes00000.md"
        seen = []
        for number in range(5):
            with changed.open("a", encoding="utf-8") as stream:
                stream.write(f"- 2026-02-20: needle{number} found\n")
            seen.append(timed(lambda n=number: _found(work, f"needle{n}")))  # type: ignore[misc]
        start = cold(root, "search", texts.english[3000])
        lint = cold(root, "lint", "knowledge/pack000/notes00001.md")
        print(
            f"{count:>9,} entries {size / 1e6:7.1f} MB  build {count / build:8,.0f}/s {build:6.2f} s"
            f"  db {stored / size:.2f}x  unchanged {still * 1e3:6.1f} ms"
            f"  query p50 {statistics.median(inner) * 1e3:5.1f} p99 {inner[int(len(inner) * 0.99)] * 1e3:5.1f} ms"
            f"  search p50 {statistics.median(whole) * 1e3:5.1f} p99 {whole[-2] * 1e3:5.1f} common {common * 1e3:5.1f} ms"
            f"  changed file {statistics.median(seen) * 1e3:5.1f} ms  cold search {start * 1e3:4.0f} lint {lint * 1e3:4.0f} ms",
            flush=True,
        )


def _parsed(question: str) -> object:
    from mdmem.core.words import parse_query

    return parse_query(question)


def _found(work: Workspace, word: str) -> None:
    assert work.search(word), word


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    for size in options.parse_args().sizes:
        measure(size)


if __name__ == "__main__":
    main()
