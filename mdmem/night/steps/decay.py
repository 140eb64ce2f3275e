"""Step 5: write how often facts were recalled, and archive what has faded or was never meant to last."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.errors import MdmemError
from mdmem.facts.model import Fact
from mdmem.formats.template import Template
from mdmem.night.batches import change_file, fact_files, is_archivable, night_rules, readable, recalled
from mdmem.night.edits import (
    FileChanges,
    Leaving,
    Recalled,
    chain,
    fade,
    number,
    recalled_fields,
    references,
    takes_count,
)
from mdmem.night.fading import age, is_faded
from mdmem.night.lines import FactLine, fact_lines, is_by_hand
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep
from mdmem.sessions.read import find, read_whole
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root
from mdmem.text.document import Document
from mdmem.text.entry import read_dates

NAME = "decay"
SHORT, TRANSIENT = "short_term", "transient"
_STAMP = "%Y%m%d_%H%M%S"  # how the id of a session begins


def _plan(run: NightRun) -> StepPlan:
    """Plan the files of which lines leave, or which take up counts of recalls."""
    rules, counts = night_rules(run.config), recalled(run.config)
    items: list[NightItem] = []
    total = StepCounts()

    def failed(path: str, error: MdmemError) -> None:
        nonlocal total
        total = total.plus(run.refused(path, error))

    for path, document, template in readable(run.config, fact_files(run.config), failed):
        lines = fact_lines(path, document, template, rules)
        leaving = _leaving(run, document, template, lines, counts)
        looked = sum(_may_fade(one) or takes_count(one, counts) for one in lines)
        if fade(document, lines, leaving, counts).edits:
            older = sum(one.why == _OLDER for one in leaving)
            items.append(NightItem(path, path, looked + older, moved=len(leaving)))
        else:
            total = total.plus(StepCounts(kept=looked))
    return StepPlan(tuple(items), total)


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    rules = night_rules(run.config)

    def make(commit: ChangeRequest, document: Document, template: Template) -> FileChanges:
        counts = recalled(run.config)
        lines = fact_lines(item.path, document, template, rules)
        leaving = _leaving(run, document, template, lines, counts)
        fits = is_archivable(commit, item.path, [one.text for one in leaving])
        return fade(document, lines, [one for one in leaving if fits[one.text]], counts)

    made = change_file(run.config, item.path, NAME, make)
    moved = len(made.leaving)
    return StepCounts(kept=max(0, item.entries - moved), moved=moved, updated=made.updated)


_DECAYED, _EXPIRED, _OLDER = "decayed", "expired", "superseded"


def _may_fade(one: FactLine) -> bool:
    return one.priority in (SHORT, TRANSIENT) and not one.line.fixed


def _leaving(
    run: NightRun, document: Document, template: Template, lines: Sequence[FactLine], counts: dict[str, Recalled]
) -> list[Leaving]:  # fmt: skip
    """Return the lines that leave, each with the older values that it replaced."""
    if not run.config.settings.decay.enabled:
        return []
    found: list[Leaving] = []
    named = references(document)
    for one in lines:
        if not _may_fade(one):
            continue
        why = _why(run, template, one, counts)
        older = chain(named, one.line.ident) if why else ()
        if not why or any(is_by_hand(entry.parts) for entry in older):
            continue
        found.append(Leaving(one.line.entry, one.line.entry.text, why))
        found += [Leaving(entry, entry.text, _OLDER) for entry in older]
    return found


def _why(run: NightRun, template: Template, one: FactLine, counts: dict[str, Recalled]) -> str:
    """Return why a line leaves; empty if it stays."""
    if one.priority == TRANSIENT:
        return _EXPIRED if _is_over(run, template, one) else ""
    fields = recalled_fields((one,), counts)
    last = max(
        (day for text in (one.fact.date, one.fields.get("updated", ""), fields.get("accessed", ""))
         if (day := _day(text))), default=None,
    )  # fmt: skip
    if last is None:
        return ""
    days = (run.now.date() - last).days
    rate = _share(one.fields.get("decay_rate"), template.numbers.get("decay_rate", 0.0))
    accesses = number(fields.get("accesses", ""))
    return _DECAYED if is_faded(one.fact.importance, rate, days, accesses, template.numbers) else ""


def _is_over(run: NightRun, template: Template, one: FactLine) -> bool:
    """Return True if a transient line is older than it may get; where its day leaves it open, its moment tells."""
    hours = template.numbers.get("transient_hours", 0.0)
    last = max((day for text in (one.fact.date, one.fields.get("updated", "")) if (day := _day(text))), default=None)
    if last is None:
        return False
    found = age(last, run.now, hours)
    if found != "unsure":
        return found == "over"
    moment = _said(run.config, one.fact) or _written(run.config, one.fact)
    if moment is None or moment.date() < last:
        return False  # the day alone is known: its end counts
    return run.now - moment > dt.timedelta(hours=hours)


def _said(config: WorkspaceConfig, fact: Fact) -> dt.datetime | None:
    """Return when the round was said that a fact comes from."""
    name, _, numbers = fact.source.removeprefix("chat:").partition("#")
    if not fact.source.startswith("chat:"):
        return None
    with suppress(MdmemError, ValueError):
        session = read_whole(config, find(config, name))
        first = int(numbers.partition("-")[0] or 0)
        time = next((turn.time for turn in session.turns if turn.number == first), "")
        started = dt.datetime.strptime(session.id[:15], _STAMP).astimezone()
        if "-" in time:
            return dt.datetime.fromisoformat(time.replace(" ", "T")).astimezone()
        said = dt.datetime.combine(started.date(), dt.time.fromisoformat(time), started.tzinfo) if time else started
        late = said.replace(second=59) < started  # the session went on after midnight
        return said + dt.timedelta(days=1) if late else said
    return None


def _written(config: WorkspaceConfig, fact: Fact) -> dt.datetime | None:
    """Return when the change was made that brought a line in, as the history knows."""
    said = fact.text.encode("utf-8", "surrogateescape")
    with suppress(MdmemError, OSError, ValueError), Root(config.root) as root:
        history, place = VersionStore(root, 0), root.resolve(fact.path)
        for change in history.log():
            file = next((one for one in change.files if one.path == place), None)
            if file is None:
                continue
            after, before = (history.read(digest) if digest else b"" for digest in (file.after, file.before))
            if after is None or before is None or said not in after:
                return None
            if said not in before:
                return dt.datetime.fromisoformat(change.time)
    return None


def _day(text: str) -> dt.date | None:
    found = read_dates(text[:10]) if text else ()
    return found[0].value if found else None


def _share(text: str | None, default: float) -> float:
    try:
        return min(1.0, max(0.0, float(text))) if text else default
    except ValueError:
        return default


STEP = NightStep(NAME, _plan, _apply)
