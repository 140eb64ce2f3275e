"""Every row of the table of costs, each beside its floor, in one run: `python tests/bench/bench_table.py [WORD …]`.

A benchmark of this folder takes part by a function `rows()`, which yields `Row`s; nothing else registers it. With words
only the benchmarks run whose name holds one of them. Times are of the processor, and ratios of one run.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from table_row import Row

HERE = Path(__file__).parent


def rows(words: list[str]) -> Iterator[Row]:
    """Run the benchmarks that have rows, one after the other."""
    for path in sorted(HERE.glob("bench_*.py")):
        if path.stem == "bench_table" or (words and not any(word in path.stem for word in words)):
            continue
        module = importlib.import_module(path.stem)
        if make := getattr(module, "rows", None):
            yield from make()


def main() -> None:
    """Print the table as its rows come."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("words", nargs="*", help="only benchmarks whose name holds one of these")
    print(f"| {'what':44} | {'measured':>22} | {'floor':>28} | {'times':>6} | {'goal':>10} |")
    print(f"|{'-' * 46}|{'-' * 24}|{'-' * 30}|{'-' * 8}|{'-' * 12}|")
    for row in rows(options.parse_args().words):
        print(row.line(), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
