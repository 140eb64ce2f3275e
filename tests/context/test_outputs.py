"""Streams of small, large and mixed outputs: what stays of a request from one call to the next, and how flat it is."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest
from conftest import Make
from forms import many

from context.test_stream import prompt, unchanged
from mdmem.context.model import Pack

pytestmark = pytest.mark.slow

CALLS = many(100, 400)
WARM = many(45, 60)
WORDS = "gauge river valve pump north south basin level alarm reset spill flow pipe tank meter daily".split()  # noqa: SIM905


def text(dice: random.Random, lines: int) -> str:
    row = (" ".join(dice.choices(WORDS, k=dice.randint(3, 9))) for _ in range(lines))
    return "\n".join(f"{words} {dice.randrange(9999)}" for words in row)


OUTPUTS: dict[str, Callable[[random.Random], str]] = {
    "small": lambda dice: text(dice, dice.randint(1, 5)),
    "large": lambda dice: text(dice, dice.randint(150, 230)),
    "mixed": lambda dice: text(dice, int(2 ** dice.uniform(0, 11))),
}


def stream(make: Make, output: Callable[[], str], calls: int) -> list[Pack]:
    workspace, packs, base = make("en", {}), [], prompt()
    with workspace.sessions.start("read the stations") as session:
        session.turn("user", "Read every station and tell me which of them have gaps.")
        for number in range(calls):
            kept = workspace.artifacts.put(output().encode(), tool="grep", input=f"station {number}", exit_code=0)
            session.tool(kept)
            packs.append(workspace.pack("tool_loop", prompt=base, tool_result=kept.id))
    return packs


@pytest.mark.thorough
@pytest.mark.usefixtures("counted_ids")
@pytest.mark.parametrize("kind", OUTPUTS)
def test_most_of_a_request_is_unchanged_whatever_the_tools_give(make: Make, kind: str) -> None:
    dice = random.Random(kind)
    packs = stream(make, lambda: OUTPUTS[kind](dice), CALLS)
    texts = [pack.text.encode() for pack in packs]
    shares = [unchanged(old, new) for old, new in zip(texts[WARM:], texts[WARM + 1 :], strict=False)]
    assert statistics.mean(shares) >= 0.75
    sizes = [pack.tokens for pack in packs[WARM:]]
    most = 0.055 if kind == "mixed" else 0.045  # the result at hand alone takes 12 to 120 tokens there
    assert max(sizes) - min(sizes) <= most * (max(sizes) + min(sizes)), f"tokens flat to ±{most:.1%}"


def test_a_result_that_lies_nowhere_else_and_one_asked_for_are_whole(make: Make) -> None:
    workspace = make("en", {})
    output = text(random.Random(3), 60)
    kept = workspace.artifacts.put(output.encode(), tool="grep", input="gaps", exit_code=0)

    def result(given: str, inline: str | None = None) -> str:
        part = workspace.pack("tool_loop", tool_result=given, inline=inline).part("result")
        assert part
        return part.text

    assert output not in result(kept.id), "the artifact holds it"
    assert kept.id in result(kept.id)
    assert output in result(kept.id, "full-if-fits")
    assert output in result(output)
