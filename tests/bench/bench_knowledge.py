"""What a thousand pieces of knowledge cost: choosing beside a search, and a pack with one beside one without.

PYTHONPATH=$PWD:$PWD/tests python tests/bench/bench_knowledge.py [pieces]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from clocks import busy

from mdmem import Workspace

_TOPICS = ("tables", "pictures", "letters", "invoices", "maps", "sensors", "recipes", "songs", "tests", "servers")
_VERBS = ("import", "check", "repair", "publish", "compare", "archive", "translate", "measure", "sort", "restore")
_WHERE = ("Delft", "Leiden", "Utrecht", "Breda", "Arnhem", "Zwolle", "Assen", "Gouda", "Hoorn", "Venlo")


def piece(draw: Random, number: int) -> str:
    what = f"{_VERBS[number % 10]} {_TOPICS[number // 10 % 10]} in {_WHERE[number // 100 % 10]}"
    steps = "\n".join(f"{at}. {draw.choice(_VERBS)} the {draw.choice(_TOPICS)} number {draw.randrange(99)}"
                      for at in range(1, 9))  # fmt: skip
    front = f"---\nname: p{number}\ndescription: How to {what}, and when\n---\n"
    return f"{front}# How to {what}\n\n## Steps\n\n{steps}\n\n## What goes wrong\n\n- A step was left out.\n"


def cpu(*runs: Callable[[], object], times: int = 15) -> list[float]:
    """Return a low processor time (that of the first tenth) of each run in milliseconds; the runs take turns."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(times):
        for run, own in zip(runs, taken, strict=True):
            own.append(busy(run) * 1000)
    return [sorted(own)[times // 10] for own in taken]


def main(pieces: int) -> None:
    draw = Random(7)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
        (root / "knowledge").mkdir()
        for number in range(pieces):
            (root / "knowledge" / f"p{number}.md").write_text(piece(draw, number), "utf-8")
        (root / "agent_knowledge.md").write_text("# Knowledge\n\n- Look at the bytes first.\n" * 3, "utf-8")
        work = Workspace(root)
        task = "repair the maps in Arnhem"
        work.search(task)
        print(f"{pieces} pieces; chosen: {', '.join(work.knowledge.fitting(task))}")
        search, fit = cpu(lambda: work.search(task), lambda: work.knowledge.fitting(task))
        print(f"a search {search:.1f} ms, choosing {fit:.1f} ms: {fit - search:+.1f} ms")
        parts = ["prompt", "standing_rules", "knowledge", "compact", "dynamic"]  # those of `minimal`, but one
        recipe = f"[recipe.without]\nparts = {parts}\nbudget = 8000\n"
        (root / "mdmem.toml").write_text(f'lang = "en"\n{recipe}', "utf-8")
        work = Workspace(root)
        named = ["p432"]
        without, with_one, chosen = cpu(
            lambda: work.pack("without", query=task),
            lambda: work.pack("minimal", query=task, knowledge=named),
            lambda: work.pack("minimal", query=task),
            times=40,
        )
        print(f"a pack without {without:.1f} ms; with one that is named {with_one:.1f} ms: × {with_one / without:.2f}")
        print(f"with those that fit {chosen:.1f} ms: × {chosen / without:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
