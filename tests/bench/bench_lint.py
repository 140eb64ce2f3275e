"""How fast `mdmem lint` is, as ratios measured in one run. Not a test: run it with `python tests/bench/bench_lint.py`.

It prints throughput on one and two cores beside the bare markdown-it-py parse of the same files, the start-up of a lint
of one file as a multiple of `python -c pass`, and a first and second run over 10,000 files. Other linters are timed on
the same files when they are installed: mdformat and rumdl (pip), markdownlint-cli2 (npm).
`--files FOLDER` takes real files instead of made ones.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from clocks import spent
from table_row import Row

_ZH = "用户 偏好 简洁 直接 回复 风格 周五 面试 准备 项目 部署 服务器 日志 缓存 索引 记忆 压缩 摘要 里程碑 约定"
_EN = "the user prefers short answers deploy server cache index note meeting friday python rust build test release"
WORDS = f"{_ZH} {_EN}".split()


def memory_file(random_: random.Random, chars: int) -> str:
    """Make a believable MEMORY.md of about so many characters."""
    lines = ["# 🧠 记忆", ""]
    size = 0
    for section in ("重要事件", "偏好与习惯", "待办与承诺", "笔记"):
        lines += [f"## {section}", "", "<!-- 值得记住的事情 -->", ""]
        while size < chars * (len([x for x in lines if x.startswith("## ")]) / 4):
            text = " ".join(random_.choices(WORDS, k=random_.randint(6, 18)))
            line = f"- 2026-{random_.randint(1, 12):02d}-{random_.randint(1, 28):02d}：{text} {random_.random():.6f}"
            lines.append(line)
            size += len(line)
        lines.append("")
    return "\n".join(lines)


def make(folder: Path, count: int, chars: int) -> None:
    """Fill a folder with made memory files, the same at every run."""
    random_ = random.Random(42)
    (folder / "mdmem.toml").write_text('lang = "en"\n')
    for number in range(count):
        place = folder / f"{number // 100:03d}" / f"{number:05d}"
        place.mkdir(parents=True)
        (place / "MEMORY.md").write_text(memory_file(random_, chars), "utf-8")


def timed(command: Sequence[str], runs: int = 5, prepare: Callable[[], None] | None = None) -> float:
    """Give the median wall time of a command in seconds."""
    times = []
    for _ in range(runs):
        if prepare:
            prepare()
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def bare_parse(files: Sequence[Path]) -> float:
    """Give the seconds that markdown-it-py alone takes for the files, in this process."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    texts = [file.read_text("utf-8", "replace") for file in files]
    begin = time.perf_counter()
    for text in texts:
        parser.parse(text)
    return time.perf_counter() - begin


def rules_alone(files: Sequence[Path]) -> tuple[float, float]:
    """Give the seconds that our parse and that all rules take for the files, in this process."""
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.linter.sources import LintSource
    from mdmem.linter.worker import LintWorker
    from mdmem.store.files import FileSnapshot

    judge = LintWorker(WorkspaceConfig(os.fspath(files[0].parent)), ((), ()))
    parsing = rules = 0.0
    for file in files:
        data = file.read_bytes()
        begin = time.perf_counter()
        from mdmem.text.document import parse

        document = parse(data)
        _ = document.sections, document.entries
        middle = time.perf_counter()
        judge.lint(LintSource(str(file), FileSnapshot("regular", len(data), "none", data)))
        end = time.perf_counter()
        parsing += middle - begin
        rules += (end - middle) - (middle - begin)
    return parsing, rules


def throughput(folder: Path) -> None:
    """Print files and megabytes per second of whole processes, and of the parts in this one."""
    files = sorted(path for path in folder.rglob("*.md") if path.is_file())
    size = sum(path.stat().st_size for path in files)
    print(f"\n{len(files)} files, {size / 1e6:.2f} MB")
    bare = bare_parse(files)
    parsing, rules = rules_alone(files)
    print(f"  bare markdown-it-py parse      {size / 1e6 / bare:8.2f} MB/s")
    for name, seconds in {"our parse": parsing, "all rules": rules}.items():
        print(f"  {name:30} {size / 1e6 / seconds:8.2f} MB/s   {seconds / bare:5.2f} × the bare parse's time")
    mdmem = [sys.executable, "-m", "mdmem", "lint", str(folder)]
    rows = {
        "mdmem lint, 1 core, cold": ([*mdmem, "--no-cache", "-j", "1"], None),
        "mdmem lint, 2 cores, cold": ([*mdmem, "--no-cache", "-j", "2"], None),
        "mdmem lint, unchanged": (mdmem, None),
    }
    for name in ("mdformat", "rumdl", "markdownlint-cli2"):
        if program := shutil.which(name):
            how = {"mdformat": ["--check"], "rumdl": ["check", "--no-cache"], "markdownlint-cli2": []}[name]
            rows[f"{name}, cold"] = ([program, *how, *map(str, files)], None)
    subprocess.run(mdmem, stdout=subprocess.DEVNULL, check=False)  # fill the cache for the third row
    for label, (command, prepare) in rows.items():
        seconds = timed(command, 3, prepare)
        print(f"  {label:30} {size / 1e6 / seconds:8.2f} MB/s {len(files) / seconds:9.0f} files/s  {seconds:6.2f} s")


def ran(command: Sequence[str]) -> tuple[float, float]:
    """Run a command once; give its CPU time and its wall time in seconds."""
    begin = time.perf_counter()
    cpu = spent(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False))
    return cpu, time.perf_counter() - begin


def start_up(folder: Path, rounds: int = 31) -> None:
    """Print what one small file costs as a whole process, against a bare interpreter.

    The commands take turns, so that what else the machine does falls on all of them, and CPU time is printed beside
    wall time, for it suffers least from the neighbours.
    """
    file = folder / "one" / "MEMORY.md"
    file.parent.mkdir()
    text = memory_file(random.Random(1), 1500)
    file.write_text(text, "utf-8")

    def change() -> None:
        file.write_text(f"{text}- 2026-02-13：{time.time()}\n", "utf-8")

    python = [sys.executable, "-c"]
    lint = [sys.executable, "-m", "mdmem", "lint", str(file)]
    rows: dict[str, tuple[list[str], Callable[[], None] | None]] = {
        "python -c pass": ([*python, "pass"], None),
        "import markdown_it": ([*python, "import markdown_it"], None),
        "mdmem lint, no cache": ([*lint, "--no-cache"], None),
        "mdmem lint, changed": (lint, change),
        "mdmem lint, unchanged": (lint, None),
    }
    found: dict[str, list[tuple[float, float]]] = {label: [] for label in rows}
    for turn in range(-1, rounds):  # the first one fills the caches
        for label, (command, prepare) in rows.items():
            if prepare:
                prepare()
            if turn >= 0:
                found[label].append(ran(command))
            else:
                ran(command)
    middle = {label: [statistics.median(column) for column in zip(*runs, strict=True)] for label, runs in found.items()}
    bare_cpu, bare_wall = middle["python -c pass"]
    print("\nstart-up, one file of 1.5 kB, and how many times `python -c pass` that is")
    for label, (cpu, wall) in middle.items():
        print(
            f"  {label:24} CPU {cpu * 1000:5.0f} ms {cpu / bare_cpu:5.1f} ×   "
            f"wall {wall * 1000:5.0f} ms {wall / bare_wall:5.1f} ×"
        )


def rows(count: int = 600) -> Iterator[Row]:
    """Give parse and rules over made files beside the bare parse of the same files."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), count, 1500)
        files = sorted(Path(folder).rglob("*.md"))
        rules_alone(files)
        found = [(bare_parse(files), sum(rules_alone(files))) for _ in range(3)]
        bare, whole = (min(column) for column in zip(*found, strict=True))
        yield Row(f"cold lint of {count} files", whole, bare, "bare parse", "≤ 1.15 ×")


def main() -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, help="a folder of real files")
    parser.add_argument("--count", type=int, default=10_000, help="made files of the second run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # it would have every start compile the code anew
        start_up(folder)
        if arguments.files:
            throughput(arguments.files.resolve())
        made = folder / "made"
        made.mkdir()
        make(made, arguments.count, 1500)
        throughput(made)


if __name__ == "__main__":
    main()
