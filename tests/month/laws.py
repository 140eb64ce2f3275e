"""Judge what a memory holds of what was said: it reads the files, and knows what was planted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mdmem import Fact
from mdmem.workspace import Workspace

from .days import Month, Planted, Said

_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_NAME = re.compile(r"[\w.-]*(?:/[\w./-]+|@[\w.-]+)|(?<=\s)[A-Z][a-z]+\d*", re.ASCII)


class Finding(NamedTuple):
    """One planted fact or one line, and what is wrong with it."""

    sentence: str
    lines: tuple[str, ...]


class Judgement(NamedTuple):
    """What the memory holds of what was said."""

    covered: int  # planted facts whose newest sentence has a form that the patterns know
    known: int  # of them, those whose newest value is live
    missed: tuple[Finding, ...]
    others: int  # planted facts whose newest sentence has another form
    others_known: int
    stale: tuple[Finding, ...]  # of the covered ones: an older value is live
    others_stale: int
    rules: tuple[str, ...]  # rules that do not stand word for word
    forbidden: tuple[str, ...]  # what must not be kept, and is
    requests: tuple[str, ...]  # one-off requests of which something is kept
    invented: tuple[Finding, ...]  # lines with a number, a path or a name that their source does not hold


def judge(workspace: Workspace, month: Month, days: int) -> Judgement:
    """Judge a memory after so many days."""
    live = workspace.facts()
    said = [one for day in month.days[:days] for one in day.said]
    newest = {one.fact: one for one in said if one.fact is not None}
    met = [(fact, one, _lines(live, fact)) for fact, one in newest.items()]
    known = {one.text for fact, one, lines in met if any(holds(line, one.value) for line in lines)}
    stale = [(one, _older(fact, one, lines)) for fact, one, lines in met]
    kept = _kept(Path(workspace.root))
    own = [one for one in newest.values() if one.covered]
    others = [one for one in newest.values() if not one.covered]
    return Judgement(
        len(own), sum(one.text in known for one in own),
        tuple(_missed(fact, one, lines) for fact, one, lines in met if one.covered and one.text not in known),
        len(others), sum(one.text in known for one in others),
        tuple(Finding(one.text, older) for one, older in stale if older and one.covered),
        sum(bool(older) for one, older in stale if not one.covered),
        tuple(one.text for one in said if one.kind == "rule" and not _is_rule(live, one)),
        tuple(one.text for one in said if one.kind == "forbidden" and holds(kept, one.value)),
        tuple(one.text for one in said if one.kind == "request" and any(holds(line.text, one.value) for line in live)),
        tuple(_invented(workspace)),
    )  # fmt: skip


def _missed(fact: Planted, one: Said, lines: Sequence[str]) -> Finding:
    """Return a finding with the lines that speak of the same thing."""
    return Finding(one.text, tuple(line for line in lines if fact.thing and fact.thing in line))


def holds(text: str, value: str) -> bool:
    """Return whether a text holds a value whole, not as a part of a longer number or name."""
    return re.search(rf"(?<![A-Za-z0-9@/.-]){re.escape(value)}(?![A-Za-z0-9@]|[.-]\d)", text, re.IGNORECASE) is not None


def _lines(live: Sequence[Fact], fact: Planted) -> list[str]:
    """Return the live lines that are about a planted fact, by their subject; an order of the user is kept as it is."""
    owner = fact.owner.removeprefix("the ") if fact.family == "owned" else ""
    told = (one for one in live if one.type != "rule")
    return [one.text for one in told if owner.casefold() in f"{one.subject} {one.text}".casefold()]


def _older(fact: Planted, newest: Said, lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that hold an older value and not the newest one."""
    before = fact.values[: fact.values.index(newest.value)]
    return tuple(
        line for line in lines if any(holds(line, old) for old in before) and not holds(line, newest.value)
    )  # fmt: skip


def _is_rule(live: Sequence[Fact], rule: Said) -> bool:
    """Return whether a rule is kept word for word; «remember» before it asks to keep it."""
    said = rule.text.rstrip("。.").removeprefix("记住，")
    return any(one.type == "rule" and one.text.rstrip("。.") == said for one in live)


def _kept(root: Path) -> str:
    """Return all that stands in the facts, in MEMORY.md and in the inbox."""
    files = [*sorted(root.glob("facts/**/*.md")), root / "MEMORY.md", root / "inbox.md"]
    return "\n".join(path.read_text("utf-8") for path in files if path.is_file())


def _invented(workspace: Workspace) -> Iterator[Finding]:
    """Find lines, live or not, with a number, a path or a name that their source does not hold."""
    sources: dict[str, dict[int, str]] = {}
    for fact in workspace.facts(before=True):
        name, _, numbers = fact.source.removeprefix("chat:").partition("#")
        if name not in sources:
            turns = workspace.sessions.show(name).turns
            sources[name] = {one.number: "" for one in turns}
            for one in turns:
                sources[name][one.number] += f"{one.text}\n"
        first, _, last = numbers.partition("-")
        source = "".join(sources[name].get(number, "") for number in range(int(first), int(last or first) + 1))
        missing = [part for part in _parts(fact.text) if part.casefold() not in source.casefold()]
        if missing or not source:
            yield Finding(source.strip(), (fact.text, *missing))


def _parts(text: str) -> list[str]:
    return [*_NUMBER.findall(text), *_NAME.findall(text)]
