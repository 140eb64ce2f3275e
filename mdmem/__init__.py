"""mdmem: plain Markdown memory for agents, with a linter, a safe pen, a keeper and a packer around it.

Public names only; each is loaded when it is first used, so that `import mdmem` costs nothing. A type checker reads the
imports below; the tables repeat them for the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mdmem.artifacts.prune import PruneResult as PruneResult
    from mdmem.artifacts.read import ArtifactView as ArtifactView
    from mdmem.artifacts.read import MatchedLine as MatchedLine
    from mdmem.artifacts.read import MatchedLines as MatchedLines
    from mdmem.artifacts.read import StoredArtifact as StoredArtifact
    from mdmem.artifacts.service import Artifacts as Artifacts
    from mdmem.config.settings_shown import Setting as Setting
    from mdmem.config.workspace_config import LANGUAGES as LANGUAGES
    from mdmem.config.workspace_config import TrustRequest as TrustRequest
    from mdmem.context.model import OmittedItem as OmittedItem
    from mdmem.context.model import Pack as Pack
    from mdmem.context.model import PackPart as PackPart
    from mdmem.context.recipe import Recipe as Recipe
    from mdmem.context.recipe import RecipePart as RecipePart
    from mdmem.context.recipe import Recipes as Recipes
    from mdmem.entries.forget import ForgetResult as ForgetResult
    from mdmem.entries.forget import ForgetTarget as ForgetTarget
    from mdmem.entries.forget import Unread as Unread
    from mdmem.entries.inbox import InboxItem as InboxItem
    from mdmem.entries.inbox_service import Inbox as Inbox
    from mdmem.entries.model import Outcome as Outcome
    from mdmem.entries.service import InitResult as InitResult
    from mdmem.entries.show import FileText as FileText
    from mdmem.entries.show import ShownEntry as ShownEntry
    from mdmem.entries.show import ShownFile as ShownFile
    from mdmem.entries.show import ShownSection as ShownSection
    from mdmem.errors import ConfigError as ConfigError
    from mdmem.errors import ConfirmError as ConfirmError
    from mdmem.errors import ConflictError as ConflictError
    from mdmem.errors import EditError as EditError
    from mdmem.errors import GitError as GitError
    from mdmem.errors import LockedError as LockedError
    from mdmem.errors import MdmemError as MdmemError
    from mdmem.errors import MemoryOffError as MemoryOffError
    from mdmem.errors import ModelError as ModelError
    from mdmem.errors import RefusedError as RefusedError
    from mdmem.errors import TargetError as TargetError
    from mdmem.errors import UnreadableFileError as UnreadableFileError
    from mdmem.errors import UsageError as UsageError
    from mdmem.errors import VerificationError as VerificationError
    from mdmem.errors import WorkspaceNotFoundError as WorkspaceNotFoundError
    from mdmem.errors import WriteError as WriteError
    from mdmem.formats.artifact import Artifact as Artifact
    from mdmem.formats.session import ROLES as ROLES
    from mdmem.formats.session import Session as Session
    from mdmem.formats.session import Turn as Turn
    from mdmem.history.evidence import Evidence as Evidence
    from mdmem.history.provenance import EarlierVersion as EarlierVersion
    from mdmem.history.provenance import Provenance as Provenance
    from mdmem.history.service import DoctorCheck as DoctorCheck
    from mdmem.history.service import History as History
    from mdmem.keeper.busy import BusyLease as BusyLease
    from mdmem.keeper.conversation.messages import Message as Message
    from mdmem.keeper.conversation.service import CompactResult as CompactResult
    from mdmem.keeper.keeper import Keeper as Keeper
    from mdmem.keeper.status import FileStatus as FileStatus
    from mdmem.keeper.status import SectionStatus as SectionStatus
    from mdmem.linter.pages import rule_page as rule_page
    from mdmem.linter.pages import rule_pages_zh as rule_pages_zh
    from mdmem.linter.registry import RULES as RULES
    from mdmem.linter.rule import Rule as Rule
    from mdmem.linter.service import FileFix as FileFix
    from mdmem.linter.service import LintReport as LintReport
    from mdmem.linter.worker import lint_text
    from mdmem.pins.model import Pin as Pin
    from mdmem.pins.service import Pins as Pins
    from mdmem.plan.service import Plan as Plan
    from mdmem.plan.service import PlanStep as PlanStep
    from mdmem.plan.service import TaskPlan as TaskPlan
    from mdmem.search.index.model import IndexStatus as IndexStatus
    from mdmem.search.index_service import Index as Index
    from mdmem.search.recall import RecallResult as RecallResult
    from mdmem.search.service import SearchHit as SearchHit
    from mdmem.search.vectors.service import VectorSearch as VectorSearch
    from mdmem.search.vectors.service import VectorStatus as VectorStatus
    from mdmem.sessions.open_session import OpenSession as OpenSession
    from mdmem.sessions.open_session import RecordedTurn as RecordedTurn
    from mdmem.sessions.service import Sessions as Sessions
    from mdmem.store.history.versions import Transaction as Transaction
    from mdmem.store.history.versions import WrittenFile as WrittenFile
    from mdmem.text.document import Document as Document
    from mdmem.text.document import parse as parse
    from mdmem.text.edit import SEVERITIES as SEVERITIES
    from mdmem.text.edit import Diagnostic as Diagnostic
    from mdmem.text.edit import Edit as Edit
    from mdmem.text.edit import apply_edits as apply_edits
    from mdmem.text.spans import Span as Span
    from mdmem.text.verify import verify as verify
    from mdmem.watch.model import Notice as Notice
    from mdmem.workspace import Workspace as Workspace

    lint = lint_text
    del lint_text

__version__ = "0.1.0"

_MODULES = {
    "Artifact": "formats.artifact",
    "ArtifactView": "artifacts.read",
    "Artifacts": "artifacts.service",
    "BusyLease": "keeper.busy",
    "CompactResult": "keeper.conversation.service",
    "Diagnostic": "text.edit",
    "DoctorCheck": "history.service",
    "Document": "text.document",
    "EarlierVersion": "history.provenance",
    "Edit": "text.edit",
    "Evidence": "history.evidence",
    "FileFix": "linter.service",
    "FileStatus": "keeper.status",
    "FileText": "entries.show",
    "ForgetResult": "entries.forget",
    "ForgetTarget": "entries.forget",
    "History": "history.service",
    "Inbox": "entries.inbox_service",
    "InboxItem": "entries.inbox",
    "Index": "search.index_service",
    "IndexStatus": "search.index.model",
    "InitResult": "entries.service",
    "Keeper": "keeper.keeper",
    "LANGUAGES": "config.workspace_config",
    "LintReport": "linter.service",
    "MatchedLine": "artifacts.read",
    "MatchedLines": "artifacts.read",
    "Message": "keeper.conversation.messages",
    "Notice": "watch.model",
    "OmittedItem": "context.model",
    "OpenSession": "sessions.open_session",
    "Outcome": "entries.model",
    "Pack": "context.model",
    "PackPart": "context.model",
    "Pin": "pins.model",
    "Pins": "pins.service",
    "Plan": "plan.service",
    "PlanStep": "plan.service",
    "Provenance": "history.provenance",
    "PruneResult": "artifacts.prune",
    "ROLES": "formats.session",
    "RULES": "linter.registry",
    "RecallResult": "search.recall",
    "Recipe": "context.recipe",
    "RecipePart": "context.recipe",
    "Recipes": "context.recipe",
    "RecordedTurn": "sessions.open_session",
    "Rule": "linter.rule",
    "SEVERITIES": "text.edit",
    "SearchHit": "search.service",
    "SectionStatus": "keeper.status",
    "Session": "formats.session",
    "Sessions": "sessions.service",
    "Setting": "config.settings_shown",
    "ShownEntry": "entries.show",
    "ShownFile": "entries.show",
    "ShownSection": "entries.show",
    "Span": "text.spans",
    "StoredArtifact": "artifacts.read",
    "TaskPlan": "plan.service",
    "Transaction": "store.history.versions",
    "TrustRequest": "config.workspace_config",
    "Turn": "formats.session",
    "Unread": "entries.forget",
    "VectorSearch": "search.vectors.service",
    "VectorStatus": "search.vectors.service",
    "Workspace": "workspace",
    "WrittenFile": "store.history.versions",
    "apply_edits": "text.edit",
    "lint": "linter.worker",
    "parse": "text.document",
    "rule_page": "linter.pages",
    "rule_pages_zh": "linter.pages",
    "verify": "text.verify",
}
_ERRORS = (
    "ConfigError",
    "ConfirmError",
    "ConflictError",
    "EditError",
    "GitError",
    "LockedError",
    "MdmemError",
    "MemoryOffError",
    "ModelError",
    "RefusedError",
    "TargetError",
    "UnreadableFileError",
    "UsageError",
    "VerificationError",
    "WorkspaceNotFoundError",
    "WriteError",
)
__all__ = [*_MODULES, *_ERRORS, "__version__"]  # noqa: PLE0604 - the tables hold texts

if not TYPE_CHECKING:  # a type checker would take every name that this function might answer for one of type `Any`

    def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
        """Load a public name from its module."""
        from importlib import import_module

        home = "errors" if name in _ERRORS else _MODULES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{home}"), "lint_text" if name == "lint" else name)
