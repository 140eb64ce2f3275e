"""mdmem: plain Markdown memory for agents, with a linter, a safe pen, a keeper and a packer around it.

This module has the public names. Each is imported on first use, to keep `import mdmem` fast. A type checker reads the
imports below; the table repeats them for the interpreter. `tests/typing` compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mdmem.artifacts.model import ArtifactView, MatchedLine, MatchedLines, StoredArtifact
    from mdmem.artifacts.prune import PruneResult
    from mdmem.artifacts.service import Artifacts
    from mdmem.attachments.model import Attachment
    from mdmem.attachments.service import Attachments
    from mdmem.bundles.model import Bundle
    from mdmem.bundles.service import Bundles
    from mdmem.config.settings_shown import Setting
    from mdmem.config.trust_requests import TrustRequest
    from mdmem.context.model import OmittedItem, Pack, PackPart
    from mdmem.context.recipe import Recipe, RecipePart, Recipes
    from mdmem.entries.forget.service import ForgetResult, ForgetTarget, Unread
    from mdmem.entries.inbox.items import InboxItem
    from mdmem.entries.inbox.service import Inbox
    from mdmem.entries.model import Outcome
    from mdmem.entries.read import FileText
    from mdmem.entries.service import InitResult
    from mdmem.entries.show import ShownEntry, ShownFile, ShownSection
    from mdmem.episodes.model import Episode
    from mdmem.episodes.service import Episodes
    from mdmem.episodes.stretches import EpisodeAction
    from mdmem.errors import (
        ConfigError,
        ConfirmError,
        ConflictError,
        EditError,
        GitError,
        LockedError,
        MdmemError,
        MemoryOffError,
        ModelError,
        PushRejectedError,
        RefusedError,
        RemoteError,
        TargetError,
        UnreadableFileError,
        UsageError,
        VerificationError,
        WorkspaceNotFoundError,
        WriteError,
    )
    from mdmem.facts.model import Fact, FactChange, FactSubject, NewFact
    from mdmem.facts.service import Facts
    from mdmem.formats.artifact import Artifact
    from mdmem.formats.session import ROLES, Session, Turn
    from mdmem.git.model import SetupStep
    from mdmem.git.service import Git
    from mdmem.git.sync_state import SyncResult, SyncState
    from mdmem.history.evidence import Evidence
    from mdmem.history.provenance import EarlierVersion, Provenance
    from mdmem.history.service import DoctorCheck, History
    from mdmem.identity.service import Identity
    from mdmem.importers.model import ExportReport, ImportItem, ImportReport
    from mdmem.instructions.model import ConnectedFile, RefreshedFile
    from mdmem.instructions.service import InstructionFiles
    from mdmem.keeper.backlog.status import FileStatus, SectionStatus
    from mdmem.keeper.busy import BusyLease
    from mdmem.keeper.context_compaction import CompactResult
    from mdmem.keeper.conversation.messages import Message
    from mdmem.keeper.model_trial import ModelTrial
    from mdmem.keeper.service import Keeper
    from mdmem.keeper.session_extraction import SaidNow
    from mdmem.knowledge.model import (
        Contradiction,
        KnowledgePiece,
        KnowledgeVersion,
        VersionComparison,
        VersionTally,
    )
    from mdmem.knowledge.service import Knowledge
    from mdmem.linter.pages import rule_page
    from mdmem.linter.registry import RULES
    from mdmem.linter.rule import Rule
    from mdmem.linter.sources import FileFix, LintReport
    from mdmem.linter.worker import lint_text as lint
    from mdmem.night.model import NightReport, NightStepReport
    from mdmem.pins.model import Pin
    from mdmem.pins.service import Pins
    from mdmem.plan.other_agents import OtherAgent
    from mdmem.plan.service import Plan, PlanStep, TaskPlan
    from mdmem.portrait.service import Portrait
    from mdmem.scratchpad.model import Scratchpad
    from mdmem.scratchpad.service import Scratchpads
    from mdmem.search.index.model import IndexStatus
    from mdmem.search.indexes import Index
    from mdmem.search.recall import RecallResult
    from mdmem.search.service import SearchHit
    from mdmem.search.vectors.service import VectorSearch, VectorStatus
    from mdmem.sessions.export import SessionLine
    from mdmem.sessions.open_session import OpenSession, RecordedTurn
    from mdmem.sessions.prune import PrunedSessions
    from mdmem.sessions.service import Sessions
    from mdmem.sessions.unextracted import UnextractedRounds
    from mdmem.store.history.versions import Transaction, WrittenFile
    from mdmem.text.document import Document, parse
    from mdmem.text.edit import SEVERITIES, Diagnostic, Edit, apply_edits
    from mdmem.text.spans import Span
    from mdmem.text.verify import verify
    from mdmem.watch.model import Notice
    from mdmem.workspace import Workspace

__version__ = "0.1.0"

__all__ = [
    "ROLES",
    "RULES",
    "SEVERITIES",
    "Artifact",
    "ArtifactView",
    "Artifacts",
    "Attachment",
    "Attachments",
    "Bundle",
    "Bundles",
    "BusyLease",
    "CompactResult",
    "ConfigError",
    "ConfirmError",
    "ConflictError",
    "ConnectedFile",
    "Contradiction",
    "Diagnostic",
    "DoctorCheck",
    "Document",
    "EarlierVersion",
    "Edit",
    "EditError",
    "Episode",
    "EpisodeAction",
    "Episodes",
    "Evidence",
    "ExportReport",
    "Fact",
    "FactChange",
    "FactSubject",
    "Facts",
    "FileFix",
    "FileStatus",
    "FileText",
    "ForgetResult",
    "ForgetTarget",
    "Git",
    "GitError",
    "History",
    "Identity",
    "ImportItem",
    "ImportReport",
    "Inbox",
    "InboxItem",
    "Index",
    "IndexStatus",
    "InitResult",
    "InstructionFiles",
    "Keeper",
    "Knowledge",
    "KnowledgePiece",
    "KnowledgeVersion",
    "LintReport",
    "LockedError",
    "MatchedLine",
    "MatchedLines",
    "MdmemError",
    "MemoryOffError",
    "Message",
    "ModelError",
    "ModelTrial",
    "NewFact",
    "NightReport",
    "NightStepReport",
    "Notice",
    "OmittedItem",
    "OpenSession",
    "OtherAgent",
    "Outcome",
    "Pack",
    "PackPart",
    "Pin",
    "Pins",
    "Plan",
    "PlanStep",
    "Portrait",
    "Provenance",
    "PruneResult",
    "PrunedSessions",
    "PushRejectedError",
    "RecallResult",
    "Recipe",
    "RecipePart",
    "Recipes",
    "RecordedTurn",
    "RefreshedFile",
    "RefusedError",
    "RemoteError",
    "Rule",
    "SaidNow",
    "Scratchpad",
    "Scratchpads",
    "SearchHit",
    "SectionStatus",
    "Session",
    "SessionLine",
    "Sessions",
    "Setting",
    "SetupStep",
    "ShownEntry",
    "ShownFile",
    "ShownSection",
    "Span",
    "StoredArtifact",
    "SyncResult",
    "SyncState",
    "TargetError",
    "TaskPlan",
    "Transaction",
    "TrustRequest",
    "Turn",
    "UnextractedRounds",
    "Unread",
    "UnreadableFileError",
    "UsageError",
    "VectorSearch",
    "VectorStatus",
    "VerificationError",
    "VersionComparison",
    "VersionTally",
    "Workspace",
    "WorkspaceNotFoundError",
    "WriteError",
    "WrittenFile",
    "__version__",
    "apply_edits",
    "lint",
    "parse",
    "rule_page",
    "verify",
]

_MODULES = {  # the module of each name, and after a colon its name there if that is different
    "PushRejectedError": "errors",
    "RemoteError": "errors",
    "SetupStep": "git.model",
    "SyncResult": "git.sync_state",
    "SyncState": "git.sync_state",
    "apply_edits": "text.edit",
    "Artifact": "formats.artifact",
    "Artifacts": "artifacts.service",
    "Attachment": "attachments.model",
    "Attachments": "attachments.service",
    "ArtifactView": "artifacts.model",
    "Bundle": "bundles.model",
    "Bundles": "bundles.service",
    "BusyLease": "keeper.busy",
    "CompactResult": "keeper.context_compaction",
    "SaidNow": "keeper.session_extraction",
    "ConfigError": "errors",
    "ConfirmError": "errors",
    "ConnectedFile": "instructions.model",
    "ConflictError": "errors",
    "Diagnostic": "text.edit",
    "DoctorCheck": "history.service",
    "Document": "text.document",
    "EarlierVersion": "history.provenance",
    "Edit": "text.edit",
    "EditError": "errors",
    "Episode": "episodes.model",
    "EpisodeAction": "episodes.stretches",
    "Episodes": "episodes.service",
    "Evidence": "history.evidence",
    "ExportReport": "importers.model",
    "Fact": "facts.model",
    "FactChange": "facts.model",
    "Facts": "facts.service",
    "FactSubject": "facts.model",
    "FileFix": "linter.sources",
    "FileStatus": "keeper.backlog.status",
    "FileText": "entries.read",
    "ForgetResult": "entries.forget.service",
    "ForgetTarget": "entries.forget.service",
    "Git": "git.service",
    "GitError": "errors",
    "History": "history.service",
    "ImportItem": "importers.model",
    "ImportReport": "importers.model",
    "Inbox": "entries.inbox.service",
    "InboxItem": "entries.inbox.items",
    "Index": "search.indexes",
    "IndexStatus": "search.index.model",
    "InitResult": "entries.service",
    "InstructionFiles": "instructions.service",
    "Keeper": "keeper.service",
    "Knowledge": "knowledge.service",
    "VersionTally": "knowledge.model",
    "VersionComparison": "knowledge.model",
    "KnowledgeVersion": "knowledge.model",
    "KnowledgePiece": "knowledge.model",
    "Contradiction": "knowledge.model",
    "lint": "linter.worker:lint_text",
    "LintReport": "linter.sources",
    "LockedError": "errors",
    "MatchedLine": "artifacts.model",
    "MatchedLines": "artifacts.model",
    "MdmemError": "errors",
    "MemoryOffError": "errors",
    "Message": "keeper.conversation.messages",
    "ModelTrial": "keeper.model_trial",
    "ModelError": "errors",
    "NewFact": "facts.model",
    "NightReport": "night.model",
    "NightStepReport": "night.model",
    "Notice": "watch.model",
    "OmittedItem": "context.model",
    "OpenSession": "sessions.open_session",
    "OtherAgent": "plan.other_agents",
    "Outcome": "entries.model",
    "Pack": "context.model",
    "PackPart": "context.model",
    "parse": "text.document",
    "Pin": "pins.model",
    "Pins": "pins.service",
    "Plan": "plan.service",
    "PlanStep": "plan.service",
    "Provenance": "history.provenance",
    "PrunedSessions": "sessions.prune",
    "PruneResult": "artifacts.prune",
    "RecallResult": "search.recall",
    "Recipe": "context.recipe",
    "RecipePart": "context.recipe",
    "Recipes": "context.recipe",
    "Identity": "identity.service",
    "Portrait": "portrait.service",
    "RecordedTurn": "sessions.open_session",
    "RefreshedFile": "instructions.model",
    "RefusedError": "errors",
    "ROLES": "formats.session",
    "Rule": "linter.rule",
    "rule_page": "linter.pages",
    "RULES": "linter.registry",
    "Scratchpad": "scratchpad.model",
    "Scratchpads": "scratchpad.service",
    "SearchHit": "search.service",
    "SectionStatus": "keeper.backlog.status",
    "Session": "formats.session",
    "SessionLine": "sessions.export",
    "Sessions": "sessions.service",
    "Setting": "config.settings_shown",
    "SEVERITIES": "text.edit",
    "ShownEntry": "entries.show",
    "ShownFile": "entries.show",
    "ShownSection": "entries.show",
    "Span": "text.spans",
    "StoredArtifact": "artifacts.model",
    "TargetError": "errors",
    "TaskPlan": "plan.service",
    "Transaction": "store.history.versions",
    "TrustRequest": "config.trust_requests",
    "Turn": "formats.session",
    "Unread": "entries.forget.service",
    "UnextractedRounds": "sessions.unextracted",
    "UnreadableFileError": "errors",
    "UsageError": "errors",
    "VectorSearch": "search.vectors.service",
    "VectorStatus": "search.vectors.service",
    "VerificationError": "errors",
    "verify": "text.verify",
    "Workspace": "workspace",
    "WorkspaceNotFoundError": "errors",
    "WriteError": "errors",
    "WrittenFile": "store.history.versions",
}

if not TYPE_CHECKING:  # for a type checker, this function would give every unknown name the type `Any`

    def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
        """Import a public name from its module and return it."""
        from importlib import import_module

        home = _MODULES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, _, other = home.partition(":")
        return getattr(import_module(f"{__name__}.{module}"), other or name)

    def __dir__() -> list[str]:
        """Return the public names."""
        return list(__all__)
