"""What a turn costs. Not a test: run it with `python tests/bench/bench_sessions.py`.

A turn is durable when the call returns, so beside it stands the floor: one write and one fsync at the end of a file.
The same is measured in a session of ten turns and in one of ten thousand, and so is reading the last three rounds.
Below stands the CPU time of extraction by rules of 14 rounds, of which the slowest call is the first; and of the end of
a session of 200 turns: the journey in this process, `mdmem session end` as a process, and what that imports.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mdmem.extraction.job import read_extraction
from mdmem.sessions.open_session import OpenSession
from mdmem.workspace import Workspace

_IMPORTS = "import mdmem.cli.app, mdmem.cli.commands.evidence.sessions, mdmem.sessions.service, mdmem.review.service"
_TEXT = "先看原始字节，不猜。结论：分号分隔、小数逗号，缺测写成 999999999。"
_SAID = (
    "我的 Python 从 3.{n} 升级到 4.{n} 了，先这样吧。",
    "看一下这段代码，为什么会慢？",
    "I live in Leeds, number {n}. By the way, our database is Postgres {n}.",
    "小孟的工位是 B{n}，以后都用中文写第 {n} 份报告。",
    "帮我把 part{n}.md 翻译成英文",
    "Good, what's next?",
)


def floor(folder: Path) -> Callable[[int], object]:
    """Give the bare durable append."""
    descriptor = os.open(folder / "floor.md", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def append(_: int) -> None:
        os.write(descriptor, f"\n### 1 user 10:00\n\n{_TEXT}\n".encode())
        os.fsync(descriptor)

    return append


def filled(work: Workspace, turns: int) -> OpenSession:
    """Give an open session that holds so many turns."""
    session = work.sessions.start(f"{turns} turns")
    with (Path(work.root) / session.path).open("ab") as file:
        for number in range(1, turns // 2 + 1):
            file.write(f"\n### {number} user 10:00\n\n{_TEXT}\n\n### {number} assistant 10:00\n\n{_TEXT}\n".encode())
    return session


def measure(
    do: Callable[[int], object], times: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:  # fmt: skip
    """Give the milliseconds of each call."""
    found = []
    for number in range(times):
        start = clock()
        do(number)
        found.append((clock() - start) * 1000)
    return sorted(found)


def main() -> None:
    """Print a line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--folder", default=None, help="where to measure: fsync is what the disk makes of it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        work = Workspace(folder, lang="en")
        print(f"{'':34}{'p50 ms':>9}{'p99 ms':>9}{'a second':>10}")
        show("write and fsync, the floor", measure(floor(Path(folder)), given.times))
        for turns in (10, 10_000):
            session = filled(work, turns)
            show(f"a turn, at turn {turns}", measure(partial(say, session), given.times))
            show(f"the last 3 rounds of {turns}", measure(partial(recent, work, session.id), given.times))
            show(f"the whole of {turns}", measure(partial(whole, work, session.id), 5))
        print(f"{'CPU':34}{'p50 ms':>9}{'p99 ms':>9}{'a second':>10}")
        show("extract 14 rounds by rules", measure(extraction(work, 28), 50, time.process_time))
        ends = [talk(work, 200) for _ in range(10)]
        show("end 200 turns, warm", measure(lambda number: ends[number].end("ok"), 10, time.process_time))
        roots = [Path(folder, f"new{number}") for number in range(10)]
        for root in roots:
            root.mkdir()
        talks = [talk(Workspace(root, lang="en"), 200).id for root in roots]
        words = ["-m", "mdmem", "session", "end", "--response", "ok", "--root"]
        first = measure(lambda number: run(*words, str(roots[number]), talks[number]), 10, children)
        show("`mdmem session end`, 200 turns", first)
        show("of it python and imports", measure(lambda _: run("-c", _IMPORTS), 10, children))
        show("python -c pass", measure(lambda _: run("-c", "pass"), 10, children))


def say(session: OpenSession, _: int) -> None:
    """Say something."""
    session.turn("user", _TEXT)


def talk(work: Workspace, turns: int) -> OpenSession:
    """Give an open session in which somebody says things worth remembering, and others between."""
    session = work.sessions.start("talk")
    with (Path(work.root) / session.path).open("ab") as file:
        for number in range(1, turns // 2 + 1):
            text = _SAID[number % len(_SAID)].format(n=number)
            file.write(f"\n### {number} user 10:00\n\n{text}\n\n### {number} assistant 10:00\n\n{_TEXT}\n".encode())
    return session


def extraction(work: Workspace, turns: int) -> Callable[[int], object]:
    """Give the extraction of a session by rules, which writes nothing."""
    path = talk(work, turns).path

    def extract(_: int) -> object:
        job = read_extraction(work.config, path)
        return job.answer() if job else None

    return extract


def run(*words: str) -> None:
    """Run python with some words."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, check=True)


def children() -> float:
    """Give the CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def recent(work: Workspace, name: str, _: int) -> None:
    """Read the last three rounds."""
    assert len(work.sessions.recent_turns(name, 3)) >= 3


def whole(work: Workspace, name: str, _: int) -> None:
    """Read it all."""
    assert work.sessions.show(name).turns


def show(name: str, found: list[float]) -> None:
    """Print a measurement."""
    middle, late = statistics.median(found), found[min(len(found) - 1, len(found) * 99 // 100)]
    print(f"{name:34}{middle:9.2f}{late:9.2f}{1000 / statistics.mean(found):10.0f}")


if __name__ == "__main__":
    main()
