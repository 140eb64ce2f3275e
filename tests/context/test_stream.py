"""A thousand tool calls: what a prompt cache can keep, how flat the requests are, and what a pack costs."""

from __future__ import annotations

import datetime as dt
import random
import statistics
from functools import partial

import pytest
from conftest import Make
from forms import many
from growth import steps

from mdmem.cli.commands.context import print_pack
from mdmem.context.model import Pack
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

CALLS = many(140, 1000)
QUESTION = "Please read every station and tell me which of them have gaps longer than three hours."
RULE = "Work carefully: read before you write, verify what you did, and say what is still open in rule number {}."
WORDS = "gauge pump river level gap report index sensor flood valve tide lock basin".split()  # noqa: SIM905
FILES = {
    "FASTMEMO.md": "## Self\n\n- 2026-02-01: result first\n\n## User\n\n- 2026-02-02: Noor reads on the train\n",
    "PINS.md": "- the raw data is read-only [type:: constraint] [source:: chat:1] [created:: 2026-02-19]\n",
    "NOTEBOOK.md": "## Milestones\n\n- 2026-02-10: the importer stands\n\n## Recent\n\n- 2026-02-19: began\n",
}


def prompt() -> str:
    lines: list[str] = []
    while count_tokens("\n".join(lines)) < 500:
        lines.append(RULE.format(len(lines) + 1))
    return "\n".join(lines)


class Stream:
    """A session in which one tool runs after another, each with its line in the notebook."""

    def __init__(self, workspace: Workspace, lines: int) -> None:
        self.workspace, self.lines, self.dice = workspace, lines, random.Random(7)
        self.session = workspace.sessions.start("read the stations")
        self.session.turn("user", QUESTION)

    def call(self, number: int) -> str:
        """Run a tool; return its output."""
        tool, name = (
            self.dice.choice(["shell", "read_gauge", "grep"]),
            f"20260220-{number:06}-{number * 7919 % 65536:04x}",
        )
        output = [
            f"{self.dice.choice(WORDS)} {self.dice.randrange(9999)} {self.dice.choice(WORDS)} {self.dice.random():.4f}"
            for _ in range(self.lines)
        ]
        told = [f"{tool} `--station {number}` (exit 0)", *output[:5], f"exit 0 · {self.lines} line(s) · tool:{name}"]
        self.session.turn("tool", "\n".join([*told, f"artifacts/2026-02/{name}.md"]))
        with open(f"{self.workspace.root}/NOTEBOOK.md", "a", encoding="utf-8") as stream:
            stream.write(f"- 2026-02-20: `{tool} --station {number}`: {output[0]} [source:: tool:{name}]\n")
        return "\n".join(output)


def unchanged(before: bytes, after: bytes) -> float:
    same = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), len(before))
    return same / len(after)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("files", [{}, FILES], ids=["empty", "filled"])
def test_a_thousand_calls_change_the_end_of_a_request_only(make: Make, files: dict[str, str]) -> None:
    """Unchanged prefix at least 75 % of the bytes on average, tokens flat to ±4 % after warm-up, at a bounded cost."""
    workspace, base = make("en", {"NOTEBOOK.md": "## Recent\n", **files}), prompt()
    stream = Stream(workspace, 400)
    shares, sizes, costs, before = [], [], [], b""
    pack: Pack | None = None
    for number in range(CALLS):
        output = stream.call(number)
        make_pack = partial(workspace.pack, "tool_loop", prompt=base, tool_result=output)
        pack = make_pack()
        if number in (10, 100, CALLS - 1):
            costs.append(steps(make_pack))
        text = pack.text.encode()
        shares.append(unchanged(before, text))
        sizes.append(pack.tokens)
        before = text
        assert QUESTION in pack.text
    assert statistics.mean(shares[1:]) >= 0.75
    warm = sizes[100:]
    middle = (max(warm) + min(warm)) / 2
    assert (max(warm) - middle) / middle <= 0.04, (min(warm), max(warm))
    first, warmed, last = costs
    assert last <= 1.5 * warmed, "a pack costs what it shows"
    assert last <= 3 * first
    assert pack
    assert {left.why for left in pack.left} <= {"view", "told", "rounds", "output"}


@pytest.mark.slow
def test_a_run_is_told_once(make: Make) -> None:
    """By the last rounds while they show it, by the notebook afterwards; its pointer is never lost in between."""
    workspace = make("en", {"NOTEBOOK.md": "## Recent\n"})
    stream = Stream(workspace, 3)
    for number in range(40):
        stream.call(number)
        pack = workspace.pack("tool_loop", prompt="Be brief.")
        newest = [f"tool:20260220-{one:06}" for one in range(max(0, number - 20), number + 1)]
        assert [pack.text.count(name) for name in newest] == [1] * len(newest)


@pytest.mark.slow
def test_a_long_round_shows_what_opened_it_and_the_two_before(make: Make) -> None:
    workspace = make("en", {"NOTEBOOK.md": "## Recent\n"})
    stream = Stream(workspace, 3)
    stream.session.turn("assistant", "Shall I begin with the north?")
    stream.session.turn("user", "Yes, begin with the north bank, and skip buoy 17.")
    for number in range(400):
        stream.call(number)
    pack = workspace.pack("tool_loop", prompt="Be brief.")
    assert QUESTION in pack.text
    assert "skip buoy 17" in pack.text
    assert "tool:20260220-000399" in pack.text
    assert "tool:20260220-000100" not in pack.text


@pytest.mark.slow
def test_a_rule_in_the_notebook_stays_however_long_it_grows(make: Make) -> None:
    rule = "2026-01-02: never start the pump while the lock is open"
    older = "".join(f"- 2026-01-03: looked at valve {n}, nothing to report there today\n" for n in range(900))
    workspace = make("en", {"NOTEBOOK.md": f"## Recent\n\n- {rule}\n{older}"})
    pack = workspace.pack("chat")
    assert rule in pack.text
    assert "valve 899" in pack.text
    assert {left.line for left in pack.left if left.path == "NOTEBOOK.md"} >= set(range(4, 800))


RECIPES = ("agent", "layered", "default", "agent_file", "agent_compact", "chat", "minimal")
FIRST = dt.date(2026, 1, 1)
THINGS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll", "ledge")


def days(work: Workspace, first: int, last: int) -> Workspace:
    """Add a fact and a rule for each day, then renew the portrait."""
    for number in range(first, last):
        day = (FIRST + dt.timedelta(days=number)).isoformat()
        one, other = THINGS[number % len(THINGS)], THINGS[number // len(THINGS) + 3]
        work.facts.set("user", f"{one} {other} crate", f"it holds {number + 10} brass hooks of the {one} yard", at=day)
        work.facts.set(
            "user",
            "rule",
            f"Always log crate {one} {other} in the blue book before noon, and sign it.",
            type="rule",
            at=day,
        )
    work.portrait.refresh("user", "memory")
    return Workspace(work.root)


def besides_rules(pack: Pack) -> int:
    """Return the tokens of a pack but those of the rules, which have a room of their own."""
    rules = pack.part("standing_rules")
    return pack.tokens - (rules.tokens if rules else 0)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_pack_is_no_larger_after_two_months_than_after_one(make: Make) -> None:
    work = make("en", {"USER.md": "# About\n\n## Basics\n\n- Ann, a lock keeper\n"})
    work = days(work, 0, 30)
    month = {name: besides_rules(work.pack(name)) for name in RECIPES}
    work = days(work, 30, 60)
    for name in RECIPES:
        pack = work.pack(name)
        assert besides_rules(pack) <= 1.1 * month[name], name
        assert pack.tokens <= 1100, name
        growing = {part.name: part.grown for part in pack.parts if part.grown}
        assert growing["standing_rules"] <= 400
        assert sum(growing.values()) <= 900
        for part in pack.parts:
            if part.name in ("about_user", "profile"):
                assert "Ann, a lock keeper" in part.text, "what a person wrote does not fade"
                assert [left for left in part.left if left.why == "faded"]


def test_the_explanation_lists_what_grows(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    work = days(make("en"), 0, 3)
    print_pack(work.pack("agent"), "en", as_json=False, explain=True)
    last = capsys.readouterr().out.strip().split("\n")[-1]
    assert last.startswith("tokens of lines that grow with the memory: Rules the user has set ")
    assert "User " in last


def test_the_last_lines_of_each_section_fade_first(make: Make) -> None:
    work = make("en", settings="[part.about_user]\ngenerated = 40\n")
    for number, (predicate, text) in enumerate(
        (("name", "Ann of the lock"), ("address", "4 Mill Lane"), ("job", "keeps a lock"))
    ):
        work.facts.set("user", predicate, text, at=f"2026-02-0{number + 1}")
        work.facts.set("user", "likes", f"green tea of kind {number}", type="preference", at=f"2026-02-0{number + 1}")
    work.portrait.refresh("user")
    part = Workspace(work.root).pack("agent").part("about_user")
    assert part
    faded = [left.text for left in part.left if left.why == "faded"]
    assert faded
    for title in ("Basics", "Preferences"):
        assert title in part.text, "every section keeps its best line"
