"""Read the rules that the user has set as the source of a part: the lasting ones first, each stated once.

A rule is a fact of the type `rule`, a line of the person's own files that states one, or a sentence of a session that
is no fact yet.
"""

# The extraction is imported for a text that may state a rule: a hook asks at each prompt, and most state none.
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.inputs import RecipeFile, RecipeFiles
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem
from mdmem.context.read_file import names
from mdmem.context.repeats import key_of
from mdmem.context.standing.rule_scope import EVERYWHERE, KnownProjects, RuleScope, ScopeWords, WorkPlace
from mdmem.errors import MdmemError
from mdmem.facts.model import Fact
from mdmem.facts.read import fact_words, standing_rules, stored_facts
from mdmem.formats.fact_words import FactWords
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, extracted_through
from mdmem.messages.catalog import say
from mdmem.sessions.read import head, head_document, last_round, latest_sessions, newest_turns
from mdmem.settings.phrases import any_of
from mdmem.text.entry import bare, read_entry, statement
from mdmem.text.inline import comments, mask, without_residue
from mdmem.text.similarity import comparison_key, tokens

_LASTING = "permanent"  # the priority of rules that come first
_UNDATED = "9999"  # the day of a line without one: it counts as the newest
_PROJECT = "project"
_PATHS = 3  # files that are named; of more, their folder
_COMPARED = 20  # texts with one sentence in common that a text is compared with
_BYTES = 16_384  # that are parsed at the end of a file; of the rounds above only what the user said is read


class StandingRule(NamedTuple):
    """A rule, and where it stands."""

    text: str
    path: str
    line: int
    day: str = ""
    lasts: bool = False
    about: str = ""  # what is shown before it
    scope: RuleScope = EVERYWHERE


class SaidRule(NamedTuple):
    """A rule, or the user's word that one no longer holds."""

    text: str
    path: str  # of the session
    number: int  # the round that states it
    day: str
    permanent: bool = False
    lifted: str = ""  # what it allows again


class StandingRules:
    """Reads the rules of one pack."""

    def __init__(
        self, config: WorkspaceConfig, files: RecipeFiles, material: Callable[[RecipeFile], Material],
        checks: ContentChecks, folder: str,
    ) -> None:  # fmt: skip
        """Bind to a workspace.

        Args:
            config: the workspace.
            files: its files.
            material: returns what a pack may show of a file.
            checks: those of the content.
            folder: where the agent works; empty if that is not known.
        """
        self._config, self._files, self._material, self._checks = config, files, material, checks
        self._settings, self._place = config.settings.rules, WorkPlace(folder)
        self._scopes = ScopeWords(self._settings)
        self._split = Splitter(config.settings.sentences).split

    def read(self, where: str) -> Material:
        """Return the rules that apply: the permanent ones, then the newest; those of ended projects come last.

        `where` names the place of rules that stand in many files.
        """
        said = tuple(_said_rules(self._config, self._checks))
        lifted = [tokens(one.lifted) for one in said if one.lifted]
        every = (*self._facts(), *self._lines(), *self._said(said))
        found = [one for one in every if not any(some <= tokens(one.text) for some in lifted)]
        found.sort(key=self._rank, reverse=True)
        again = repeated([one.text for one in found], self._split)
        items: list[MaterialItem] = []
        left: list[OmittedItem] = []
        for index, one in enumerate(found):
            line = f"- {one.text}"
            why = "repeated" if index in again else "" if self._place.holds(one.scope) else "elsewhere"
            if why := why if one.text else "hidden":
                left.append(OmittedItem(one.path, one.line, line, why))
            else:
                shown = f"- {one.about}{one.text}"
                items.append(MaterialItem(shown, 0, one.line, line, kept=True, position=len(items), path=one.path))
        paths = list(dict.fromkeys(one.path for one in items))
        group = MaterialGroup(", ".join(paths) if len(paths) <= _PATHS else where)
        return Material((group,), tuple(items), tuple(left))

    def _rank(self, one: StandingRule) -> tuple[bool, bool, str]:
        ended = one.scope.is_project and self._projects.has_ended(one.scope.name)
        return not ended, one.lasts, one.day or _UNDATED

    def _facts(self) -> Iterator[StandingRule]:
        for fact in standing_rules(self._config):
            text, scope = _clean(fact.text, self._checks), EVERYWHERE
            if not self._is_person(fact) and self._projects.has(fact.subject):
                scope = RuleScope(fact.subject, is_project=True)
            yield StandingRule(
                text, fact.path, fact.line, fact.date, fact.priority == _LASTING, self._about(fact),
                scope if scope.name else self._scope(text),
            )  # fmt: skip

    def _said(self, said: Sequence[SaidRule]) -> Iterator[StandingRule]:
        for one in said:
            if not one.lifted:
                text = _clean(one.text, self._checks)
                yield StandingRule(text, one.path, one.number, one.day, one.permanent, scope=self._scope(text))

    def _lines(self) -> Iterator[StandingRule]:
        """Yield the lines of the person's own files that are rules."""
        for target in _targets(self._config):
            for found, item in self._items(target, self._settings.without):
                for text in self._stated(item.source_text):
                    day = item.day.isoformat() if item.day else ""
                    yield StandingRule(text, found.path, item.line, day, scope=self._scope(text))

    def _items(self, target: str, without: Sequence[str] = ()) -> Iterator[tuple[RecipeFile, MaterialItem]]:
        """Yield the items of FILE#section, but those made from facts; without a section those of all others."""
        kind, section = _kind(self._config, target), target.partition("#")[2]
        for found in self._files.find(kind, "both") if kind else ():
            if found.document is None:
                continue
            material, only = self._material(found), names((section,) if section else (), found.templates)
            others = names(without, found.templates)
            for item in material.items:
                name = material.groups[item.group].name
                if not item.repeats and (name in only if only else name not in others):
                    yield found, item

    def _stated(self, line: str) -> Iterator[str]:
        """Yield what of a line is a rule: all of it, or the sentences of a long one; nothing of a task."""
        body = bare(line.strip())
        parts = read_entry(body)
        if parts.done is not None:
            return
        text = statement(body, parts)
        marked = self._checks.is_rule(body)  # by a field too
        for one in (text,) if len(text) <= self._settings.max_chars else self._split(text):
            if (marked and one == text) or self._checks.is_rule(one):
                yield one

    def _is_person(self, fact: Fact) -> bool:
        return self._words.subject(fact.subject) == self._words.subject(self._words.user)

    def _about(self, rule: Fact) -> str:
        """Return the subject of a rule that is not the person and that its text does not name."""
        if self._is_person(rule) or comparison_key(rule.subject) in comparison_key(rule.text):
            return ""
        return f"{rule.subject}{say(self._config.lang, 'punctuation.colon')}"

    def _scope(self, text: str) -> RuleScope:
        """Return where a rule holds by its words; a project must be known, for «in Python 项目» may mean any."""
        project = self._scopes.project(text)
        if project and self._projects.has(project):
            return RuleScope(project, is_project=True)
        return RuleScope(self._scopes.folder(text))

    @cached_property
    def _projects(self) -> KnownProjects:
        """The projects of the user, by the facts and by the section of USER.md."""
        facts = stored_facts(self._config, self._words.user, predicate=_PROJECT, before=True)
        lines = (item.source_text for _, item in self._items(self._settings.projects_in))
        live = (*(one.text for one in facts if one.live), *lines)
        return KnownProjects(live, tuple(one.text for one in facts if not one.live))

    @cached_property
    def _words(self) -> FactWords:
        return fact_words(self._config)


def _targets(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return where rules stand, as FILE or FILE#section."""
    files, own = config.settings.rules.files, config.settings.remember.rule
    return files if own.partition("#")[0] in files else (*files, own)


def _kind(config: WorkspaceConfig, target: str) -> str:
    name = target.partition("#")[0]
    return name if name in config.schemas.kinds else config.schemas.kind(name)


def rule_kinds(config: WorkspaceConfig) -> frozenset[str]:
    """Return the kinds of files whose lines may be rules."""
    return frozenset(_kind(config, one) for one in _targets(config))


def repeated(texts: Sequence[str], split: Callable[[str], Sequence[str]]) -> frozenset[int]:
    """Return the indexes of the texts of which another one has every sentence; of equal ones the first stays.

    Each text is compared with a bounded number of others, so that the time grows with the number of sentences.
    """
    found: set[int] = set()
    sentences = [frozenset(key for one in split(text) if (key := comparison_key(one).rstrip("."))) for text in texts]
    holders: dict[str, list[int]] = {}
    for index, own in enumerate(sentences):
        for key in own:
            holders.setdefault(key, []).append(index)
    for index, own in enumerate(sentences):
        rarest = min((holders[key] for key in own), key=len, default=())
        others = (other for other in rarest[:_COMPARED] if other != index and own <= sentences[other])
        if any(own != sentences[other] or other < index for other in others):
            found.add(index)
    return frozenset(found)


def marked(material: Material, rules: Material) -> Material:
    """Return material in which the lines that rules state are marked, so that a pack shows them once."""
    keys = {key_of(item) for item in rules.items}
    items = tuple(item._replace(repeats=item.repeats or key_of(item) in keys) for item in material.items)
    return material._replace(items=items) if items != material.items else material


def _clean(text: str, checks: ContentChecks) -> str:
    return without_residue(checks.clean(mask(text, comments(text), ""))).strip()


def _said_rules(config: WorkspaceConfig, checks: ContentChecks) -> Iterator[SaidRule]:
    """Yield the rules in the rounds of the newest sessions that wait for extraction; nothing is written."""
    for path in latest_sessions(config, limit=config.settings.rules.sessions):
        with suppress(MdmemError, OSError):  # lint tells of a session that cannot be read
            # most wait for nothing, and no YAML is parsed
            if extracted_through(head_document(config, path).text) < last_round(config, path):
                yield from _rules_of(config, head(config, path), checks)


def _rules_of(config: WorkspaceConfig, session: Session, checks: ContentChecks) -> Iterator[SaidRule]:
    turns, _ = newest_turns(config, session.path, config.settings.rules.rounds, enough=bool, first=_BYTES)
    own = [turn for turn in turns if turn.role == "user" and turn.number > session.extracted_through]
    lifts = any_of(config.settings.rules.lifts)
    may = [checks.is_kept(turn.text) or lifts.search(turn.text) is not None for turn in own]
    read = [turn for turn, before, here in zip(own, [False, *may], may, strict=False) if here or before]
    if not read:
        return
    from mdmem.extraction.job import ExtractionJob

    job = ExtractionJob(config, session, read)  # with what was said next, which may take it back
    for one in job.answer()[0].items:
        if one.type == "rule":
            lifted = one.old if one.effect else ""
            yield SaidRule(one.text, session.path, one.number, job.day(one.number), one.permanent, lifted)
