"""A memory folder and its namespaces: one property for each feature, imported on first use."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.walk import need_root

if TYPE_CHECKING:
    from mdmem.artifacts.service import Artifacts
    from mdmem.attachments.service import Attachments
    from mdmem.bundles.service import Bundles
    from mdmem.entries.model import Outcome
    from mdmem.facts.service import Facts
    from mdmem.git.service import Git
    from mdmem.history.service import History
    from mdmem.identity.service import Identity
    from mdmem.instructions.service import InstructionFiles
    from mdmem.keeper.service import Keeper
    from mdmem.knowledge.service import Knowledge
    from mdmem.pins.service import Pins
    from mdmem.plan.service import Plan
    from mdmem.portrait.service import Portrait
    from mdmem.scratchpad.service import Scratchpads
    from mdmem.search.indexes import Index
    from mdmem.sessions.service import Sessions


class Namespaces(TypedCalls):
    """A memory folder, bound to one root and one user, with a namespace for each feature."""

    def __init__(
        self, root: str | os.PathLike[str] = ".", *, lang: str | None = None, user: str = "", cache: bool = True
    ) -> None:  # fmt: skip
        """Bind to a folder.

        Args:
            root: the folder; it may be created by `init`.
            lang: zh or en; None for the language of `mdmem.toml` or the locale.
            user: whose memory it is, where several users share the folder: those files in users/NAME and the shared
                ones. Without a name it is the user whose files stand at the root.
            cache: use the user's cache for unchanged files, and write to it.
        """
        self.root = os.path.abspath(root)
        self._lang, self._user, self._cache = lang, user, cache

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.root!r})"

    @classmethod
    def find(
        cls, start: str | os.PathLike[str] = ".", *, lang: str | None = None, user: str = "", cache: bool = True
    ) -> Self:  # fmt: skip
        """Return the workspace that contains a path, for a user as in `Workspace`.

        Raises:
            WorkspaceNotFoundError: neither that folder nor one above it is a workspace.
        """
        return cls(need_root(os.fspath(start)), lang=lang, user=user, cache=cache)

    def of(self, user: str) -> Self:
        """Return the same folder for a user; an empty name means the user of this object.

        Raises:
            UsageError: this object is already bound to another user.

        >>> Workspace("workspace").of("ann").scratchpad().path
        'users/ann/SCRATCHPAD.md'
        """
        config = self.config.of(user)
        if config is self.config:
            return self
        made = type(self)(self.root, lang=self._lang, user=user, cache=self._cache)
        made.config = config
        return made

    @cached_property
    def config(self) -> WorkspaceConfig:
        """The settings and templates of the workspace."""
        return WorkspaceConfig(self.root, self._lang, user=self._user, remember=self._cache)

    @property
    def lang(self) -> str:
        """The language of messages: zh or en."""
        return self.config.lang

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions: conversations, turn by turn."""
        from mdmem.sessions.service import Sessions

        def after(config: WorkspaceConfig, path: str) -> tuple[str, ...]:
            from mdmem.review.service import after_end

            return after_end(config, path)

        return Sessions(self.config, after)

    @cached_property
    def scratchpad(self) -> Scratchpads:
        """The scratchpad: current projects, recent progress, open questions and next steps."""
        from mdmem.scratchpad.service import Scratchpads

        return Scratchpads(self.config)

    def _renewed(self, outcome: Outcome) -> Outcome:
        """Return an outcome; what is generated from a file of facts that it changed is written anew.

        The change is made by now: what hinders the renewal is told as a hint.
        """
        if outcome.transaction and self.config.schemas.kind(outcome.path) == FACTS:
            from mdmem.portrait.service import renew

            try:
                renew(self.config, outcome.path)
            except MdmemError as error:
                lang = self.config.lang
                waits = say(lang, "portrait.waits", reason=in_language(error, lang).message)
                return replace(outcome, hint=say(lang, "punctuation.clause").join(filter(None, (outcome.hint, waits))))
        return outcome

    @cached_property
    def facts(self) -> Facts:
        """What is known of each subject, and what it was before."""
        from mdmem.facts.service import Facts

        return Facts(self.config, self._renewed)

    @cached_property
    def portrait(self) -> Portrait:
        """The portrait: what MEMORY.md, USER.md and the persona file say out of the facts."""
        from mdmem.portrait.service import Portrait

        return Portrait(self.config)

    @cached_property
    def instructions(self) -> InstructionFiles:
        """The blocks with the memory in files that agents read, as AGENTS.md and CLAUDE.md."""
        from mdmem.instructions.service import InstructionFiles

        return InstructionFiles(self.config)

    @cached_property
    def identity(self) -> Identity:
        """The identity: SOUL.md, AGENT.md, USER.md and the persona as short texts for a pack."""
        from mdmem.identity.service import Identity

        return Identity(self.config)

    @cached_property
    def attachments(self) -> Attachments:
        """Attachments: files and links that somebody gave."""
        from mdmem.attachments.service import Attachments

        return Attachments(self.config)

    @cached_property
    def artifacts(self) -> Artifacts:
        """Artifacts: the outputs of tools."""
        from mdmem.artifacts.service import Artifacts

        return Artifacts(self.config)

    @cached_property
    def pins(self) -> Pins:
        """Pins: short facts that must not be forgotten now."""
        from mdmem.pins.service import Pins

        return Pins(self.config)

    @cached_property
    def plan(self) -> Plan:
        """The task plan: steps, pointer and phase."""
        from mdmem.plan.service import Plan

        return Plan(self.config)

    @cached_property
    def knowledge(self) -> Knowledge:
        """Knowledge: how something is done, under a name; its versions, comparisons and runs."""
        from mdmem.knowledge.service import Knowledge

        return Knowledge(self.config, self.index)

    @cached_property
    def bundles(self) -> Bundles:
        """Bundles: skills of other people in `knowledge/BUNDLE/`, and own knowledge made into a bundle."""
        from mdmem.bundles.service import Bundles

        return Bundles(self.config)

    @cached_property
    def history(self) -> History:
        """The history: changes made by mdmem, undo, provenance."""
        from mdmem.history.service import History

        return History(self.config, self._renewed)

    @cached_property
    def keeper(self) -> Keeper:
        """The keeper: prompts, the compact memory of a context, and busy leases."""
        from mdmem.keeper.service import Keeper

        return Keeper(self.config)

    @cached_property
    def git(self) -> Git:
        """The memory in git: the merge driver, the hook, what stays out of the repository."""
        from mdmem.git.service import Git

        return Git(self.config)

    @cached_property
    def index(self) -> Index:
        """The search index; it can be deleted at any time."""
        from mdmem.search.indexes import Index

        return Index(self.config)
