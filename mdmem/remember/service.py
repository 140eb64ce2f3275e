"""Remember a sentence without a file name: classify it, add it to the file of its kind, and explain why."""

from __future__ import annotations

from dataclasses import replace

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.kind_files import file_of
from mdmem.entries.model import Outcome
from mdmem.entries.service import add_entries
from mdmem.errors import RefusedError, UsageError
from mdmem.linter.detect.small_talk import is_small_talk
from mdmem.messages.catalog import say
from mdmem.remember.classify import KINDS, Classified, Classifier


def classify(config: WorkspaceConfig, text: str) -> Classified:
    """Return the kind of a sentence, by the word lists of `[remember]` and `[keeper]`."""
    return _classifier(config).classify(text)


def _classifier(config: WorkspaceConfig) -> Classifier:
    return Classifier(config.settings.remember, config.settings.keeper)


def remember(commit: ChangeRequest, text: str, kind: str | None) -> Outcome:
    """Add a sentence to the file of its kind; see `Workspace.remember`."""
    config = commit.config
    if kind is not None and kind not in KINDS:
        commit.access.stop(UsageError, "pen.no-memory-kind", name=kind, names=", ".join(KINDS))
    if not kind and _classifier(config).is_question(text):
        commit.access.stop(RefusedError, "pen.question" if commit.access.is_person else "pen.question-agent")
    words = config.settings.lint
    if not kind and commit.access.is_person and is_small_talk(text, words.small_talk, words.fillers):
        commit.access.stop(RefusedError, "pen.small-talk")  # of an agent's, `add_entries` takes care
    found = Classified(kind) if kind else classify(config, text)
    target, _, section = str(getattr(config.settings.remember, found.kind)).partition("#")
    if kind == "rule" and classify(config, text).kind != kind:
        text = f"{text.rstrip()} [type:: rule]"  # its words do not say so, and packs show rules first
    outcome = add_entries(commit, file_of(config, target), [text], section or None, None, None)
    if kind:
        return outcome
    named = say(config.lang, f"pen.kind-{found.kind}")
    key = "pen.remembered-words" if found.words else "pen.remembered"
    hints = [say(config.lang, key, kind=named, words=found.words)]
    if outcome.transaction and commit.access.is_person:
        # only a person uses commands
        others = "|".join(one for one in KINDS if one != found.kind)
        hints.append(say(config.lang, "pen.remembered-move", others=others))
    separator = say(config.lang, "punctuation.clause")
    return replace(outcome, hint=separator.join(filter(None, (*hints, outcome.hint))))
