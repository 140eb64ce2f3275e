"""How fast a pack is, in a small workspace and a large one. Not a test: run it with `python tests/bench/bench_pack.py`.

The large one has 10,000 sessions and 100,000 artifacts; a pack lists the names of sessions and opens what it shows, so
both should take about as long. The first pack of a process also reads settings and templates; it is shown apart. Then
turns a second, each durable before the next, with a pack after each and without. At the end a long piece of work: how
much of a request is the beginning of the one before, how flat requests are, and what a pack costs at the last call.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from mdmem.workspace import Workspace

_SAMPLE = Path(__file__).resolve().parents[2] / "workspace"
_RECIPES = ("chat", "tool_loop", "full", "pet", "layered")
_SESSION = """---
agent: main
task: 第 {n} 个任务
started: {day} 10:00
ended: {day} 11:00
outcome: success
extracted_through: 1
---
# Session: {n}

## 请求

做第 {n} 件事

## 回应

做完了

## 元数据

- 时长: 60 分钟

## 对话

### 1 用户 10:00

做第 {n} 件事

### 1 助手 10:30

做完了
"""
_ARTIFACT = "---\ntool_id: {id}\ntool_name: pytest\nexit_code: 0\ncreated_at: {day} 10:00:00\n---\n{n} passed\n"


def make(root: Path, sessions: int, artifacts: int) -> Workspace:
    """Copy the sample workspace, and put so many sessions and artifacts into it."""
    shutil.copytree(_SAMPLE, root)
    for n in range(sessions):
        day = f"20{10 + n // 1000:02}-{n // 84 % 12 + 1:02}-{n % 28 + 1:02}"
        name = f"{day.replace('-', '')}_{n % 24:02}{n % 60:02}{n // 1000 % 60:02}_task{n}.md"
        (root / "sessions" / name).write_text(_SESSION.format(n=n, day=day), "utf-8")
    for n in range(artifacts):
        month = f"2025-{n % 12 + 1:02}"
        name = f"{month.replace('-', '')}01-{n % 240000:06}-{n:04x}"
        folder = root / "artifacts" / month
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(_ARTIFACT.format(id=name, day=f"{month}-01", n=n), "utf-8")
    return Workspace(root, lang="zh")


def timed(workspace: Workspace, recipe: str, repeats: int) -> list[tuple[float, float]]:
    """Give the milliseconds that each of some packs took, by the clock and of the processor."""
    took = []
    for _ in range(repeats):
        start, worked = time.perf_counter(), time.process_time()
        workspace.pack(recipe, prompt="你是一个细心的助手。", tool_result="tool:t0012")
        took.append(((time.perf_counter() - start) * 1000, (time.process_time() - worked) * 1000))
    return took


def packs(workspace: Workspace, name: str, repeats: int) -> None:
    """Print p50 and p99 of each recipe, and the processor's p50, which does not depend on who else is at work."""
    print(f"{name}: the first pack {timed(workspace, 'chat', 1)[0][0]:.1f} ms")
    for recipe in _RECIPES:
        took = timed(workspace, recipe, repeats)
        clock, worked = sorted(one for one, _ in took), statistics.median(one for _, one in took)
        p50, p99 = statistics.median(clock), clock[int(len(clock) * 0.99)]
        print(f"  {recipe:10} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms   processor p50 {worked:6.1f} ms")


def turns(workspace: Workspace, count: int) -> None:
    """Print turns a second with durability."""
    session = workspace.sessions.start("bench")
    for packed in (False, True):
        start = time.perf_counter()
        for number in range(count):
            session.turn("user" if number % 2 == 0 else "assistant", f"第 {number} 句话，讲水位和缺口")
            if packed:
                workspace.pack("chat")
        seconds = time.perf_counter() - start
        print(f"durable turns a second{', with a chat pack after each' if packed else ''}: {count / seconds:.0f}")


def work(workspace: Workspace, calls: int, lines: int) -> None:
    """Print what a thousand tool calls do to a request with a prompt of about 500 tokens."""
    prompt = "\n".join(f"{n}. 先读再写，做完要验证，没做完的要说清楚，这是第 {n} 条守则。" for n in range(1, 23))
    session = workspace.sessions.start("work")
    session.turn("user", "请把所有站点都读一遍，告诉我哪些有超过三小时的缺口。")
    shares, sizes, took, before = [], [], [], b""
    for number in range(calls):
        output = "\n".join(f"gauge {number * 31 + line * 7919 % 9973:04} level {line % 97}" for line in range(lines))
        kept = workspace.artifacts.put(output.encode(), tool="read_gauge", input=f"--station {number}", exit_code=0)
        session.tool(kept)
        start = time.process_time()
        pack = workspace.pack("tool_loop", prompt=prompt, tool_result=kept.id)
        took.append((time.process_time() - start) * 1000)
        text = pack.text.encode()
        same = next((at for at, (old, new) in enumerate(zip(before, text, strict=False)) if old != new), len(before))
        shares.append(same / len(text))
        sizes.append(pack.tokens)
        before = text
    warm = sizes[min(100, calls // 2) :]
    middle = (max(warm) + min(warm)) / 2
    print(f"{calls} tool calls of {lines} lines: unchanged prefix {statistics.mean(shares[1:]):.1%} of the bytes")
    print(f"  tokens {min(warm)} to {max(warm)}, ±{(max(warm) - middle) / middle:.1%} after warm-up")
    first, last = statistics.median(took[5:15]), statistics.median(took[-10:])
    print(f"  processor: {first:.1f} ms at call 10, {last:.1f} ms at call {calls}, {last / first:.1f} times")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--artifacts", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--calls", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small = make(Path(folder, "small"), 10, 10)
        packs(small, "10 sessions, 10 artifacts", given.repeats)
        large = make(Path(folder, "large"), given.sessions, given.artifacts)
        packs(large, f"{given.sessions} sessions, {given.artifacts} artifacts", given.repeats)
        turns(small, given.turns)
        for lines in (3, 400):
            work(make(Path(folder, f"work{lines}"), 10, 10), given.calls, lines)


if __name__ == "__main__":
    main()
