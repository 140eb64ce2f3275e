"""How fast `mdmem merge` is, as a multiple of `python -c pass`; a script: `python tests/bench/bench_merge.py`.

A file of 200 entries, to which one side appended and in which the other ticked and changed entries; a facts file; and a
file of two megabytes. Processor time, the median of several runs in turns.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from bench_lint import ran

_GOAL = 7  # times `python -c pass`, for 200 entries


def versions(entries: int, line: str) -> tuple[str, str, str]:
    """Make three versions of a file."""
    lines = [line.format(day=n % 28 + 1, number=n) for n in range(entries)]
    base = ["# Memory", "", "## Now", "", *lines, "", "## Before", ""]
    ours = [*base[:5], *(f"- 2026-03-{n + 1:02}: new from ours {n}" for n in range(5)), *base[5:]]
    theirs = [row.replace("- ", "- ✅ ", 1) if at % 20 == 9 else row for at, row in enumerate(base)]
    return "\n".join(base), "\n".join(ours), "\n".join(theirs)


def timed(folder: Path, name: str, three: tuple[str, str, str], rounds: int) -> None:
    """Print what one merge costs."""
    merge = [sys.executable, "-P", "-m", "mdmem", "merge", "--"]
    paths = [folder / f"{name}.{side}" for side in "OAB"]
    costs: list[list[float]] = [[], []]
    for turn in range(-1, rounds):  # the first one fills the caches
        for path, text in zip(paths, three, strict=True):
            path.write_text(text, "utf-8")
        pair = ran([sys.executable, "-c", "pass"]), ran([*merge, *map(str, paths), "7", f"{name}.md"])
        for cost, (cpu, _) in zip(costs, pair, strict=True):
            cost += [cpu] if turn >= 0 else []
    bare, whole = map(statistics.median, costs)
    print(f"  {name:24} CPU {whole * 1000:6.0f} ms {whole / bare:6.1f} ×  (`python -c pass`: {bare * 1000:.0f} ms)")


def main() -> None:
    """Run it all."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        print(f"mdmem merge; the goal for 200 entries is {_GOAL} ×")
        plain = "- 2026-02-{day:02}: an entry about the import, number {number}"
        fact = plain + " [predicate:: property {number}] [type:: fact] [confidence:: 0.7] ^f{number:04}"
        timed(folder, "memory-of-200", versions(200, plain), 15)
        timed(folder, "facts-of-200", versions(200, fact), 15)
        timed(folder, "two-megabytes", versions(35_000, plain), 1)


if __name__ == "__main__":
    main()
