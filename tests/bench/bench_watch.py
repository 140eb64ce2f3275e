"""What `mdmem watch` costs, and how soon it tells. Not a test: run it with `python tests/bench/bench_watch.py`.

It watches 10,000 memory files and prints: how long after a save the watcher knows (beyond the debounce), for each way
of saving; how long until `mdmem watch` has printed what the linter says, while it builds the first index and keeps the
first versions, and when it has rested; the CPU time of 20 idle seconds after that; and the memory it holds, at first
and after a hundred saves.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from bench_lint import make

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.watch.board import watched_files
from mdmem.watch.watcher import Watcher

_EARLY = 20  # saves while the first index is built
_QUIET, _LITTLE = 15, 0.02  # a process rests that uses less than this, in seconds, for so many seconds in a row


def main() -> None:
    """Make the files, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--poll", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as top:
        os.environ |= {"XDG_CACHE_HOME": f"{top}/cache", "XDG_CONFIG_HOME": f"{top}/config"}
        root = Path(top, "memory")
        root.mkdir()
        make(root, given.files, 800)
        notice(root, poll=given.poll)
        journey(root, given.seconds, poll=given.poll)


def notice(root: Path, *, poll: bool) -> None:
    """Measure the watcher alone, in this process."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from watch.saves import SAVES

    config = WorkspaceConfig(str(root))
    settings = config.settings.watch
    begin = time.perf_counter()
    with Watcher(str(root), watched_files(config), settings, poll=poll) as watcher:
        print(f"watching after {time.perf_counter() - begin:.2f} s")
        file = root / "000" / "00042" / "MEMORY.md"
        for save in SAVES:
            late = []
            for _ in range(5):
                try:
                    save(file, file.read_bytes() + b"- one more\n")
                except pytest.skip.Exception:
                    break
                begin = time.perf_counter()
                batch = watcher.wait(30)
                assert batch, save
                assert batch.changed == ("000/00042/MEMORY.md",), batch
                late.append(time.perf_counter() - begin - settings.debounce_ms / 1000)
            if late:
                print(f"{save.__name__:24} known {median(late)} ms after the debounce")


def journey(root: Path, seconds: float, *, poll: bool) -> None:
    """Measure `mdmem watch` itself, in a process of its own."""
    command = [sys.executable, "-m", "mdmem", "watch", "--json", *(["--poll"] if poll else [])]
    begin = time.perf_counter()
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as process:
        assert process.stdout
        line = json.loads(process.stdout.readline())
        while line["kind"] != "started":
            line = json.loads(process.stdout.readline())
        print(f"first look at all files {time.perf_counter() - begin:.1f} s; then {memory(process.pid)}")
        file = root / "001" / "00123" / "MEMORY.md"
        late: list[float] = []
        while len(late) < _EARLY:  # the first ones come while the index is built
            late.append(told(process, file, len(late)))
        print(f"saves in the first {time.perf_counter() - begin:.0f} s are told {median(late)} ms after the save")
        settled = rest(process.pid)
        print(f"index and versions done {time.perf_counter() - begin:.0f} s after the start, {settled:.1f} s of CPU")
        before = spent(process.pid)
        time.sleep(seconds)
        print(f"CPU in {seconds:g} idle seconds: {(spent(process.pid) - before) * 1000:.2f} ms; {memory(process.pid)}")
        late = [told(process, file, number) for number in range(100)]
        print(f"printed what the linter says {median(late)} ms after the save, the debounce included")
        print(f"after these saves: {memory(process.pid)}")
        process.terminate()
        print(f"exit code on SIGTERM: {process.wait(20)}")


def told(process: subprocess.Popen[bytes], file: Path, number: int) -> float:
    """Save a file and give how long it took until it was told."""
    assert process.stdout
    begin = time.perf_counter()
    file.write_text(f"# 🧠 记忆\n\n## 笔记\n\n- 2026-02-20：第 {number} 次\n", "utf-8")
    while json.loads(process.stdout.readline())["kind"] != "changed":
        pass
    return time.perf_counter() - begin


def rest(pid: int) -> float:
    """Wait until a process has used no CPU to speak of for a while; gives what it has used since its start."""
    quiet, last = 0, spent(pid)
    while quiet < _QUIET:
        time.sleep(1)
        now = spent(pid)
        quiet = quiet + 1 if now - last < _LITTLE else 0
        last = now
    return last


def median(seconds: list[float]) -> str:
    """Write the median and the worst of some times, in milliseconds."""
    return f"{statistics.median(seconds) * 1000:.1f} (at worst {max(seconds) * 1000:.1f})"


def spent(pid: int) -> float:
    """Give the CPU time of a process in seconds, to the nanosecond, over all its threads."""
    return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


def memory(pid: int) -> str:
    """Write how much memory a process holds and held at most."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return (
        f"{int(lines['VmRSS'].split()[0]) / 1024:.0f} MB held, {int(lines['VmHWM'].split()[0]) / 1024:.0f} MB at most"
    )


if __name__ == "__main__":
    main()
