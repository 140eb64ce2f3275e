"""The namespace of the portrait: write its generated lines anew from the facts. No model is asked.

A line that a person edited stays theirs, below the generated ones, and its fact gets a proposal in the inbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.generated_lines import RENEWED, GeneratedChange, GeneratedFile, generated_change
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.kind_files import in_identity, kind_file
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import UsageError
from mdmem.facts.model import Fact, NewFact
from mdmem.facts.read import fact_words, facts_in, person_names, stored_facts
from mdmem.facts.service import write_facts
from mdmem.formats.paths import user_of
from mdmem.messages.catalog import say
from mdmem.portrait.choice import PortraitRules
from mdmem.portrait.model import FIELD, SPECS, TARGETS, PortraitTarget
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer

_REASON = "portrait: "  # how the reason of each refresh begins in the log


class Portrait(TypedCalls):
    """The namespace `Workspace.portrait`: what MEMORY.md, USER.md and the persona file say out of the facts."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def refresh(self, *targets: PortraitTarget, plan: bool = False) -> tuple[Outcome, ...]:
        """Write the generated lines of files anew; what a person wrote stays, byte for byte.

        A generated line that was edited moves below the others as the person's own, and its fact gets a proposal in the
        inbox. One that was deleted does not come back. A file that is missing is made with its first line.

        Args:
            targets: which files; none means all of them.
            plan: show what would change, and write nothing.

        Raises:
            UsageError: there is no such target.
            RefusedError: a mark of a generated block stands without its other half.
            MemoryOffError: memory is switched off.

        >>> [one.message for one in Workspace("workspace").portrait.refresh("user", plan=True)]
        """
        for name in targets:
            if name not in TARGETS:
                message = say(self._config.lang, "portrait.target", name=str(name)[:40])
                raise UsageError(message, hint=say(self._config.lang, "portrait.target.hint", names=", ".join(TARGETS)))
        return tuple(_refresh(self._config, one, dry_run=plan) for one in TARGETS if one in (targets or TARGETS))


def renew(config: WorkspaceConfig, changed: str) -> None:
    """Refresh the files whose generated lines show a fact otherwise than the file of facts that was changed."""
    facts = facts_in(config, changed, fact_words(config))
    now = {f"{one.path}#{one.id}": one.text for one in facts if one.id and one.live}
    for target in TARGETS:
        shown = ((name, text) for name, text in _shown(config, target) if name.startswith(f"{changed}#"))
        if any(now.get(name, "\n") not in text for name, text in shown):
            _refresh(config, target, reason=RENEWED)


def _shown(config: WorkspaceConfig, target: PortraitTarget) -> Iterator[tuple[str, str]]:
    """Yield the facts that the generated lines of a file name, each with its line."""
    path = _place(ChangeRequest(config, "refresh", KEEPER, RENEWED), target)
    document = parse(live_bytes(config, path, config.settings.lint.max_bytes) or b"")
    blocks = [block.span for block in document.auto_blocks]
    for entry in document.entries:
        field = entry.parts.field(FIELD)
        if field and any(span.holds(entry.span) for span in blocks):
            yield field.value, entry.text


def _place(commit: ChangeRequest, target: PortraitTarget) -> str:
    """Return the path of a file of the portrait."""
    root, (kind, _, path) = commit.config.root, SPECS[target]
    return commit.target(in_identity(root, path) or kind_file(root, commit.config.schemas.required(kind)))


def _refresh(config: WorkspaceConfig, target: PortraitTarget, *, reason: str = "", dry_run: bool = False) -> Outcome:
    """Refresh one file; `reason` begins that of the change."""
    kind, spec, _ = SPECS[target]
    shipped = config.schemas.required(kind)
    commit = ChangeRequest(config, "refresh", KEEPER, f"{reason}{_REASON}{target}", confirm=True, dry_run=dry_run)
    path = _place(commit, target)

    def own(path: str) -> bool:
        return user_of(path) == config.user  # the shared facts are shown by the user without a name

    def change(files: DraftFiles) -> Edits:
        template = commit.template(path, files[path]) or shipped  # locked: facts and log are read as they are then
        facts = tuple(one for one in stored_facts(config, before=True) if not one.masked and own(one.path))
        rules = _rules(config, template.lang or config.lang)
        changes, stated = config.settings.portrait.changes, rules.stated(facts)
        file = GeneratedFile(path, spec, shipped, (_REASON, f"{RENEWED}{_REASON}"), changes, stated=stated)
        made = generated_change(commit, files, file, rules.lines(target, facts, _names(config)))
        if made is None:
            return {}
        statements = tuple(_proposals(commit, path, made, _by_name(rules, facts)))
        waiting = write_facts(commit, files, statements).edits if statements else {}
        return {path: made.edits, **waiting}

    commit.run(change, propose=propose)
    outcome = commit.outcome(say(config.lang, "portrait.refreshed", path=path), path)
    if outcome.status != "unchanged":
        return outcome
    key = "portrait.same" if commit.exists(path) else "portrait.nothing"
    return Outcome("unchanged", say(config.lang, key, path=path), "", path)


def _rules(config: WorkspaceConfig, lang: str) -> PortraitRules:
    scorer = ImportanceScorer(config.settings.keeper, config.today)
    return PortraitRules(config.settings.portrait, fact_words(config), scorer.recency, lang)


def _names(config: WorkspaceConfig) -> frozenset[str]:
    """Return the subjects that are the person whose memory this is."""
    words = fact_words(config)
    return frozenset(words.subject(one) for one in (*person_names(config, words), words.user))


def _by_name(rules: PortraitRules, facts: Sequence[Fact]) -> dict[str, tuple[Fact, frozenset[str]]]:
    """Return the live facts by what a line names them by, each with the keys of a line that says the same."""
    live = (one for one in facts if one.id and one.live)
    return {f"{one.path}#{one.id}": (one, frozenset(map(comparison_key, (one.text, rules.shown(one))))) for one in live}


def _proposals(
    commit: ChangeRequest, path: str, made: GeneratedChange, facts: Mapping[str, tuple[Fact, frozenset[str]]]
) -> Iterator[NewFact]:
    """Yield a statement for each generated line that the person edited: only they may change the fact (K186)."""
    for text in made.moved:
        parts = read_entry(text)
        field = parts.field(FIELD)
        fact, keys = facts.get(field.value, (None, frozenset())) if field else (None, frozenset())
        said = parts.body.of(text).strip()
        if fact and said and text not in made.known.written and comparison_key(said) not in keys:
            doubt = say(commit.lang, "portrait.edited", path=path)
            yield NewFact(
                fact.subject, fact.predicate, said, fact.type or "fact", source=f"file:{path}", replaces=fact.key,
                doubt=doubt,
            )  # fmt: skip
