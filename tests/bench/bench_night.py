"""Time the night over facts of which some stand twice: CPU seconds of the first run and of the second, without a model.

python tests/bench/bench_night.py [10000]
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path

from mdmem.workspace import Workspace

_SYLLABLES = [first + second for first in "bcdfghklmnprstvz" for second in "aeiou"]
_LINE = "- 2026-02-{day}：{text} [predicate:: place] [confidence:: 0.5] [source:: chat:20260213_100000#{number}]\n"


def make(root: Path, count: int, doubles: int, subjects: int) -> None:
    """Write facts about some subjects; the doubles differ in a word that tells nothing."""
    rng = random.Random(count)
    words = ["".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4))) for _ in range(3000)]

    def text() -> str:
        return "{} {} keeps {} near the {} {} with {} {}".format(
            *rng.sample(words, 5), rng.randint(1, 999), rng.choice(words)
        )

    lines = [(rng.randrange(subjects), text()) for _ in range(count - doubles)]
    lines += [(subject, f"now {said}") for subject, said in rng.sample(lines, doubles)]
    rng.shuffle(lines)
    (root / "facts").mkdir()
    for subject in range(subjects):
        own = [said for one, said in lines if one == subject]
        told = (_LINE.format(day=rng.randint(10, 28), text=said, number=number) for number, said in enumerate(own, 1))
        (root / "facts" / f"s{subject}.md").write_text(f"# s{subject}\n\n## Now\n\n{''.join(told)}", "utf-8")


def main() -> None:
    """Print a row for each size."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{'facts':>7}{'files':>7}{'merged':>8}{'first':>9}{'second':>9}")
    for count, subjects in ((most // 10, most // 1000), (most // 2, most // 200), (most, most // 100), (most, 2)):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = os.environ["XDG_CONFIG_HOME"] = f"{folder}/home"
            root = Path(folder, "memory")
            root.mkdir()
            (root / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
            make(root, count, count // 10, subjects)
            seconds, merged = [], 0
            for _ in range(2):
                work = Workspace(root)
                work.config.day = "2026-03-01"
                started = time.process_time()
                merged += work.night(now=True).steps[1].merged
                seconds.append(time.process_time() - started)
            print(f"{count:>7}{subjects:>7}{merged:>8}{seconds[0]:>8.2f}s{seconds[1]:>8.2f}s")


if __name__ == "__main__":
    main()
