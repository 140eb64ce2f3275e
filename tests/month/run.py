"""Play a month of made days through sessions and extraction, and report what the memory holds at its end.

python -m tests.month.run --seed 7 --days 30 [--model well|bad|slow|dead|prose|…]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from mdmem.workspace import Workspace

from .clock import MonthClock, month_clock
from .days import Day, Month, Planted, Said, make_month
from .laws import Judgement, judge
from .stub_model import WRONG

RULES, MODELS = "rules", ("well", "bad", "slow", "dead", *WRONG)
_STUB = Path(__file__).with_name("stub_model.py")
_PREDICATES = {"zh": {"home": "住址", "work": "公司"}, "en": {"home": "lives_in", "work": "company"}}
_SECONDS = 1  # so long a slow model is waited for


class DayResult(NamedTuple):
    """What one day cost, and how large the context of the next one is."""

    tokens: int  # of `context layered`
    recalled: int  # of its memories about the question; the rest are the rules, and the scratchpad up to its limit
    end_ms: float  # CPU of ending the session and extracting it
    statuses: tuple[str, ...]  # of the outcomes of extraction
    messages: tuple[str, ...]


class MonthResult(NamedTuple):
    """A month that was played."""

    month: Month
    days: tuple[DayResult, ...]
    judged: Judgement
    waiting: int  # rounds that no extraction has seen, at the end


def play(root: Path, seed: int, days: int, model: str = RULES) -> MonthResult:
    """Play the days of a seed in an empty folder; with a model that failed, the rules end the month.

    Args:
        root: the folder; the settings of the user and the cache lie beside it.
        seed: of the days.
        days: how many.
        model: rules, or how the stub model answers.
    """
    month = make_month(seed, days)
    with ExitStack() as stack:
        folders = {f"XDG_{name.upper()}_HOME": str(root / name) for name in ("config", "cache", "state")}
        stack.enter_context(mock.patch.dict(os.environ, folders))
        clock = stack.enter_context(month_clock())
        _prepare(root, month, model)
        work = root / "workspace"
        results = [play_day(work, day, clock) for day in month.days]
        workspace = _open(work, month.days[-1])
        if model != RULES:
            workspace.keeper.extract(backend="rules", now=True)
        waiting = sum(len(one.rounds) for one in workspace.sessions.unextracted())
        return MonthResult(month, tuple(results), judge(workspace, month, days), waiting)


def play_day(root: Path, day: Day, clock: MonthClock) -> DayResult:
    """Play the session of a day, end it, extract it, and pack the context with which the next one begins."""
    clock.set(day.date)
    workspace = _open(root, day)
    session = workspace.sessions.start(f"{day.date:%m-%d}")
    for one in day.rounds:
        session.turn("user", one.text)
        session.turn("assistant", one.reply, tool_calls=one.calls, tool_results=one.results)
    started = time.process_time()
    outcomes = workspace.keeper.extract(session.id)
    session.end("ok")
    used = (time.process_time() - started) * 1000
    pack = _open(root, day).pack("layered", query=day.rounds[0].text)
    recalled = sum(part.tokens for part in pack.parts if part.name == "dynamic")
    told = tuple(one.status for one in outcomes), tuple(one.message for one in outcomes)
    return DayResult(pack.tokens, recalled, used, *told)


def _open(root: Path, day: Day) -> Workspace:
    workspace = Workspace(root)
    workspace.config.day = day.date.isoformat()
    return workspace


def _prepare(root: Path, month: Month, model: str) -> None:
    """Make the workspace, and the settings of a user who has a model."""
    (root / "workspace").mkdir()
    (root / "workspace" / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    Workspace(root / "workspace").init()
    if model == RULES:
        return
    oracle = root / "oracle.json"
    oracle.write_text(json.dumps(_oracle(month), ensure_ascii=False), "utf-8")
    run = json.dumps([sys.executable, "-I", str(_STUB), model, str(oracle)])
    (root / "config" / "mdmem").mkdir(parents=True)
    (root / "config" / "mdmem" / "mdmem.toml").write_text(
        f'[keeper]\nbackend = "command"\n[command]\nrun = {run}\nseconds = {_SECONDS if model == "slow" else 20}\n',
        "utf-8",
    )


def _oracle(month: Month) -> dict[str, dict[str, object]]:
    """Return what a good model would state of each planted sentence: in its own words, under its own predicate."""
    found: dict[str, dict[str, object]] = {}
    for day in month.days:
        for one in day.said:
            if one.fact is not None:
                about, predicate = _about(one.fact)
                content = _content(one)
                found[one.text] = {
                    "type": "PREFERENCE" if one.fact.family == "taste" else "FACT",
                    "subject": about, "predicate": predicate, "content": content, "importance": 0.8,
                    "is_update": one.value != one.fact.values[0],
                }  # fmt: skip
    return found


def _content(said: Said) -> str:
    """Return what a good model writes down of a sentence."""
    fact = said.fact
    assert fact is not None
    if fact.family in ("taste", "home", "work"):
        return said.text
    if fact.lang == "zh":
        return f"{fact.owner}的{fact.thing}是 {said.value}" if fact.owner else f"{fact.thing} 是 {said.value}"
    return f"{fact.owner}'s {fact.thing} is {said.value}" if fact.owner else f"{fact.thing} is {said.value}"


def _about(fact: Planted) -> tuple[str, str]:
    """Return the subject and the predicate under which a fact is written down."""
    owner = fact.owner.removeprefix("the ") if fact.family == "owned" else ""
    if fact.family == "taste":
        return "", f"{'喜好' if fact.lang == 'zh' else 'taste'} {fact.values[0]}"
    if fact.family in ("home", "work"):
        return "", _PREDICATES[fact.lang][fact.family]
    version = {"zh": "版本", "en": " version"}[fact.lang] if fact.family == "version" else ""
    return owner, f"{fact.owner + ' ' if fact.family == 'relative' else ''}{fact.thing}{version}"


def main() -> None:
    """Play the month that the command line names, and print its report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--model", choices=(RULES, *MODELS), default=RULES)
    parser.add_argument("--list", action="store_true", help="every finding, and the messages of each day")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = play(Path(folder), given.seed, given.days, given.model)
    print("\n".join(report(result, f"seed {given.seed}, {given.days} days, {given.model}", whole=given.list)))


def report(result: MonthResult, title: str, *, whole: bool) -> list[str]:
    """Return the lines of a report."""
    one, days = result.judged, result.days
    kinds = Counter(said.kind for day in result.month.days for said in day.said)
    slowest = max(day.end_ms for day in days)
    out = [
        title,
        f"  said             {dict(kinds)}",
        f"  newest value     {one.known} of {one.covered} covered ({one.known / max(1, one.covered):.1%})",
        f"                   {one.others_known} of {one.others} others",
        f"  older beside     {len(one.stale)} of the covered, {one.others_stale} of the others",
        f"  rules missing    {len(one.rules)}",
        f"  forbidden kept   {len(one.forbidden)}",
        f"  requests kept    {len(one.requests)}",
        f"  invented         {len(one.invented)}",
        f"  rounds waiting   {result.waiting}",
        f"  context tokens   {[day.tokens for day in days]}",
        f"  end + extract    at most {slowest:.0f} ms CPU",
        f"  outcomes         {dict(Counter(status for day in days for status in day.statuses))}",
    ]
    for name in ("missed", "stale", "rules", "forbidden", "requests", "invented") if whole else ():
        out += [f"  {name}: {finding}" for finding in getattr(one, name)]
    return out + [f"  {place}: {text}" for place, day in enumerate(days, 1) for text in day.messages if whole]


if __name__ == "__main__":
    main()
