"""How often the hook is silent where the memory knows nothing of a prompt, and gives the answer where it does.

    python tests/bench/bench_prompts.py                 the sets in tests/bench/prompts: `held_out` and `tuning`
    python tests/bench/bench_prompts.py --wrong FOLDER  also lists the prompts of one set that went wrong

A prompt is `{"prompt", "gold"}`: the gold is a text that the given memories hold; without one the hook is to be silent.
Each prompt begins a session of its own, and what it recorded is removed before the next one. Change settings by the
tuning sets only, so that the held-out ones tell what a new memory gets.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from mdmem.agents.hooks.hook_state import HookState, write_state
from mdmem.agents.hooks.model import read_payload
from mdmem.agents.hooks.service import AgentHook
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

OWN = Path(__file__).parent / "prompts"
DAY = "2026-02-12"  # of the prompts, the day after the newest file


class Given(NamedTuple):
    """What one prompt brought."""

    prompt: str
    gold: str
    text: str

    @property
    def is_right(self) -> bool:
        """Return whether the answer was given, or nothing where there is none."""
        return self.gold in self.text if self.gold else not self.text


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[OWN])
    parser.add_argument("--wrong", action="store_true", help="also list the prompts that went wrong")
    options = parser.parse_args()
    print(f"{'':16}{'silent':>8}{'recall':>8}{'tokens':>8}{'lines':>8}    (tokens and lines of the answered)")
    for folder in sorted(found.parent for one in options.folders for found in one.rglob("prompts.jsonl")):
        given = run(folder)
        answered = [one for one in given if one.gold]
        print(
            f"{folder.parent.name + ' ' + folder.name:16}"
            f"{mean(one.is_right for one in given if not one.gold):8.3f}{mean(one.is_right for one in answered):8.3f}"
            f"{mean(count_tokens(one.text) for one in answered):8.0f}{mean(map(_lines, answered)):8.1f}"
        )
        for one in given if options.wrong else ():
            if not one.is_right:
                print(f"  {one.prompt}  [{one.gold}]\n" + "".join(f"      {row}\n" for row in one.text.splitlines()))


def run(folder: Path) -> list[Given]:
    """Send every prompt of a set through the hook."""
    prompts = [json.loads(line) for line in (folder / "prompts.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as made:
        root = Path(shutil.copytree(folder, Path(made) / "memory", ignore=shutil.ignore_patterns("prompts.jsonl")))
        return [Given(one["prompt"], one["gold"], _answered(root, one["prompt"])) for one in prompts]


def _answered(root: Path, prompt: str) -> str:
    payload = read_payload("prompt", {"session_id": "bench", "prompt": prompt}, "claude")
    assert payload
    before, given, work = set(root.rglob("*.md")), list[str](), Workspace(root)
    work.config.day = DAY
    write_state(work.root, payload.session, HookState(payload.agent))  # it was started, and given nothing
    AgentHook(work, payload).run(given.append)
    for path in set(root.rglob("*.md")) - before:
        path.unlink()
    shutil.rmtree(root / ".mdmem" / "agents", ignore_errors=True)
    return "".join(given)


def _lines(one: Given) -> int:
    return sum(row.startswith("- ") for row in one.text.splitlines())


if __name__ == "__main__":
    main()
