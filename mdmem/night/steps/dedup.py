"""Step 3: merge the lines of a file that say the same thing; of the others a model may choose, if there is one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.kind_files import files_of
from mdmem.errors import EditError, MdmemError, RefusedError, VerificationError
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.formats.template import Template
from mdmem.generation.answer_parser import json_values
from mdmem.generation.model import PlanProblem
from mdmem.generation.prompt import prompt
from mdmem.night.batches import change_file, fact_files, is_archivable, night_rules, readable, recalled
from mdmem.night.duplicates import Cluster, Merge, NightLine, same_things, unsure_clusters
from mdmem.night.edits import FileChanges, can_merge, merge_entries, merge_facts, references
from mdmem.night.lines import FactLine, NightRules, entry_lines, fact_lines
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep
from mdmem.text.document import Document

NAME = PROMPT = "dedup"
_BY_ONE = (RefusedError, VerificationError, EditError)  # errors of one line, not of its file
_CLUSTER = "?"  # between a path and the name of a cluster


class _FileLines:
    """The lines of one file as they are now."""

    def __init__(self, path: str, document: Document, template: Template, rules: NightRules) -> None:
        self.path, self.document, self.template, self._words = path, document, template, rules.words
        self.facts: Mapping[str, FactLine] = {}
        if template.kind == FACTS:
            found = fact_lines(path, document, template, rules)
            self.facts = {one.line.key: one for one in reversed(found)}
            self.lines: Sequence[NightLine] = [one.line for one in found]
        else:
            self.lines = entry_lines(document)

    def merges(self, config: WorkspaceConfig) -> list[Merge]:
        """Return what can be merged by rule."""
        found = same_things(self.lines, config.settings.night, _decisive(config))
        named = references(self.document)
        return [one for one in found if can_merge(named, one)]

    def clusters(self, config: WorkspaceConfig, merges: Sequence[Merge]) -> list[Cluster]:
        """Return what only a model can tell, of the lines that no merge takes away."""
        gone = {id(one) for merge in merges for one in merge.gone}
        left = [one for one in self.lines if id(one) not in gone]
        return list(unsure_clusters(left, config.settings.night, _decisive(config)))

    def changes(self, config: WorkspaceConfig, merges: Sequence[Merge]) -> FileChanges:
        """Return the changes that merge lines."""
        if not merges:
            return FileChanges((), (), frozenset())
        if self.template.kind != FACTS:
            return merge_entries(self.document, self.path, merges)
        return merge_facts(self.document, self.path, merges, self.facts, recalled(config), self._words)


def _decisive(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the words of doubt and denial."""
    return (*config.settings.keeper.hedges, *config.settings.keeper.negations)


def _paths(config: WorkspaceConfig) -> list[str]:
    kinds = [kind for kind in config.settings.night.dedup if kind != FACTS and config.schemas.get(kind)]
    facts = fact_files(config) if FACTS in config.settings.night.dedup else ()
    there = {found[0] for kind in kinds if (found := files_of(config, kind))}
    return [*facts, *sorted(path for path in there if ChangeRequest(config, NAME, "keeper", "").exists(path))]


def _plan(run: NightRun) -> StepPlan:
    """Plan the merges of each file in batches, and the questions to a model."""
    config, rules = run.config, night_rules(run.config)
    items: list[NightItem] = []
    counts = StepCounts()

    def failed(path: str, error: MdmemError) -> None:
        nonlocal counts
        counts = counts.plus(run.refused(path, error))

    for path, document, template in readable(config, _paths(config), failed):
        file = _FileLines(path, document, template, rules)
        merges = file.merges(config)
        own = [
            NightItem(f"{path}#{number}", path, size, merged=size)
            for number, size in enumerate(_batches(merges, config.settings.night.batch), 1)
        ]
        asked = [] if not run.budget.has_model else [
            one for one in file.clusters(config, merges) if f"{path}{_CLUSTER}{one.digest}" not in run.judged
        ]  # fmt: skip
        own += [NightItem(f"{path}{_CLUSTER}{one.digest}", path, len(one.lines), asks=True) for one in asked]
        items += own
        counts = counts.plus(StepCounts(kept=len(file.lines) - sum(one.entries for one in own)))
    return StepPlan(tuple(items), counts)


def _batches(merges: Sequence[Merge], most: int) -> Iterator[int]:
    """Yield how many lines leave in each batch."""
    size = 0
    for merge in merges:
        if size and size + len(merge.gone) > most:
            yield size
            size = 0
        size += len(merge.gone)
    if size:
        yield size


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Merge a batch; if the pen refuses it, merge by merge. A cluster is shown to the model first."""
    if item.asks:
        return _ask(run, item)
    rules = night_rules(run.config)
    try:
        merged = _merge(run, item.path, rules, item.entries)
        return StepCounts(kept=item.entries - merged, merged=merged)
    except _BY_ONE:
        counts, refused = StepCounts(), set[str]()
        while counts.merged + counts.refused < item.entries:
            try:
                merged = _merge(run, item.path, rules, 1, refused)
            except _BY_ONE as error:
                counts = counts.plus(run.refused(item.path, error))
                continue
            if not merged:
                break
            counts = counts.plus(StepCounts(merged=merged))
        return counts._replace(kept=max(0, item.entries - counts.merged - counts.refused))


def _merge(run: NightRun, path: str, rules: NightRules, most: int, refused: set[str] | None = None) -> int:
    """Merge the next lines of a file; each key that is tried goes into `refused`, until its change is made."""
    tried: list[str] = []

    def make(commit: ChangeRequest, document: Document, template: Template) -> FileChanges:
        file = _FileLines(path, document, template, rules)
        merges = [one for one in file.merges(run.config) if one.kept.key not in (refused or ())]
        chosen = _fit(commit, path, merges, most)
        tried[:] = [one.kept.key for one in chosen]
        return file.changes(run.config, chosen)

    try:
        return len(change_file(run.config, path, NAME, make).leaving)
    except _BY_ONE:
        if refused is not None:
            refused.update(tried)
        raise


def _fit(commit: ChangeRequest, path: str, merges: Sequence[Merge], most: int) -> list[Merge]:
    """Return the first merges with so many lines that leave, and with lines only that the archive takes."""
    chosen: list[Merge] = []
    for merge in merges:
        if chosen and sum(len(one.gone) for one in chosen) + len(merge.gone) > most:
            break
        chosen.append(merge)
    fits = is_archivable(commit, path, [line.entry.text for one in chosen for line in one.gone])
    kept = [Merge(one.kept, tuple(line for line in one.gone if fits[line.entry.text])) for one in chosen]
    return [one for one in kept if one.gone]


def _ask(run: NightRun, item: NightItem) -> StepCounts:
    """Show the model the lines of a cluster; it chooses the one that stays and those that leave, and writes nothing."""
    config, digest, rules = run.config, item.key.rpartition(_CLUSTER)[2], night_rules(run.config)
    found: list[tuple[_FileLines, Cluster]] = []
    for path, document, template in readable(config, [item.path], _raise):
        file = _FileLines(path, document, template, rules)
        found = [(file, one) for one in file.clusters(config, file.merges(config)) if one.digest == digest]
    if not found:
        return StepCounts(kept=item.entries)
    cluster = found[0][1]
    chosen = run.budget.ask(partial(_prompt, config, item.path, cluster), partial(_read_choice, config, cluster))
    if isinstance(chosen, PlanProblem):
        return StepCounts(refused=item.entries, reasons=(f"{item.path}: {chosen.told(run.lang)}",))
    if chosen is None or not chosen.gone:
        run.judged[item.key] = None
        return StepCounts(kept=item.entries)
    texts = _texts(chosen)

    def make(commit: ChangeRequest, document: Document, template: Template) -> FileChanges:
        file = _FileLines(item.path, document, template, rules)
        now = next((one for one in file.clusters(config, file.merges(config)) if one.digest == digest), None)
        again = _same_choice(now, texts) if now else None
        fit = (
            _fit(commit, item.path, [again], len(again.gone))
            if again and can_merge(references(document), again)
            else []
        )
        return file.changes(config, fit)

    merged = len(change_file(config, item.path, NAME, make).leaving)
    rest = Cluster(tuple(one for one in cluster.lines if one not in chosen.gone))
    run.judged[f"{item.path}{_CLUSTER}{rest.digest}"] = None
    return StepCounts(kept=item.entries - merged, merged=merged)


def _raise(path: str, error: MdmemError) -> None:  # noqa: ARG001 - the error names it
    raise error


def _prompt(config: WorkspaceConfig, path: str, cluster: Cluster) -> str:
    shown = "\n".join(f"- {number} · {one.date} · {one.text}" for number, one in enumerate(cluster.lines, 1))
    return prompt(config, PROMPT, config.lang, {"file": shown, "path": path, "today": config.day})


def _read_choice(config: WorkspaceConfig, cluster: Cluster, answer: str) -> Merge | PlanProblem:
    """Read `{"keep": 1, "remove": [2]}`; nothing is gone if all are to stay."""
    every = Merge(cluster.lines[0], ())
    values = json_values(answer, config.settings.keeper.max_answer_chars)
    if isinstance(values, PlanProblem):
        return every if answer.strip().strip("`").strip().upper() == "NONE" else values
    value = values[0] if len(values) == 1 else None
    if not isinstance(value, dict) or "remove" not in value:
        return PlanProblem("answer-no-choice")
    gone = value["remove"] if isinstance(value["remove"], list) else [value["remove"]]
    numbers = [_number(one) for one in gone]
    if not numbers:
        return every
    kept = _number(value.get("keep"))
    if kept is None or None in numbers or kept in numbers or len(set(numbers)) < len(numbers):
        return PlanProblem("answer-no-choice")
    lines = dict(enumerate(cluster.lines, 1))
    if kept not in lines or any(one not in lines or not lines[one].may_leave for one in numbers if one is not None):
        return PlanProblem("answer-no-choice")
    return Merge(lines[kept], tuple(lines[one] for one in numbers if one is not None))


def _number(value: Any) -> int | None:  # noqa: ANN401 - it is checked here
    """Return a number as a model writes it."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else None


def _texts(merge: Merge) -> tuple[str, Collection[str]]:
    return merge.kept.text, frozenset(one.text for one in merge.gone)


def _same_choice(cluster: Cluster, texts: tuple[str, Collection[str]]) -> Merge | None:
    """Return the choice for the lines as they are now."""
    kept = next((one for one in cluster.lines if one.text == texts[0]), None)
    gone = tuple(one for one in cluster.lines if one.text in texts[1] and one.may_leave and one is not kept)
    return Merge(kept, gone) if kept and gone else None


STEP = NightStep(NAME, _plan, _apply)
