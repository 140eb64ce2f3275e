"""How long `mdmem sync` takes: with nothing to do, and with one change among many files.

    python tests/bench/bench_sync.py [FILES]

Nothing to do: at most 20 times the processor time of `python -c pass`, git's processes counted. One change among 10,000
files: at most 2 seconds on each side.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from clocks import spent, wall
from git.machines import Machines, git

FILES = 10_000
SYNC = [sys.executable, "-m", "mdmem", "sync"]


def processor_time(command: Sequence[str], folder: Path) -> float:
    """Return the least processor seconds of five runs, with those of the processes that it starts."""
    return min(spent(lambda: subprocess.run(command, cwd=folder, check=True, capture_output=True)) for _ in range(5))


def main(count: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder  # the user of the machines trusts their remotes
        small = Machines(Path(folder) / "small")
        small.work("a").sync()
        least, nothing = (
            processor_time([sys.executable, "-c", "pass"], small.root("a")),
            processor_time(SYNC, small.root("a")),
        )
        print(f"nothing to do: {nothing * 1000:.0f} ms of processor time, {nothing / least:.1f} × `python -c pass`")
        large = Machines(Path(folder) / "large", "a")
        for number in range(count):
            place = large.root("a") / "facts" / f"{number % 100:02}" / f"subject-{number}.md"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"# subject {number}\n\n## Now\n\n- 2026-02-13: it is number {number}\n", "utf-8")
        git(large.root("a"), "add", "-A")
        git(large.root("a"), "commit", "-qm", "Many")
        git(large.root("a"), "push", "-q")
        large.clone("b")
        for name in "ab":
            print(f"{count} files, the first sync of a clone: {wall(large.work(name).sync):.2f} s")
        large.work("a").add("MEMORY.md", "2026-02-14: one change", section="Notes")
        print(f"{count} files, one change, committed and pushed: {wall(large.work('a').sync):.2f} s")
        print(f"{count} files, one change, taken in: {wall(large.work('b').sync):.2f} s")
        print(f"{count} files, nothing to do: {wall(large.work('b').sync):.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
