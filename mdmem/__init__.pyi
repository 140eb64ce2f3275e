# Made by `python -m tests.public_names` from the table in `__init__.py`.

from mdmem.artifacts.model import ArtifactView as ArtifactView
from mdmem.artifacts.model import MatchedLine as MatchedLine
from mdmem.artifacts.model import MatchedLines as MatchedLines
from mdmem.artifacts.model import StoredArtifact as StoredArtifact
from mdmem.artifacts.prune import PruneResult as PruneResult
from mdmem.artifacts.service import Artifacts as Artifacts
from mdmem.attachments.model import Attachment as Attachment
from mdmem.attachments.service import Attachments as Attachments
from mdmem.bundles.model import Bundle as Bundle
from mdmem.bundles.service import Bundles as Bundles
from mdmem.config.settings_shown import Setting as Setting
from mdmem.config.trust_requests import TrustRequest as TrustRequest
from mdmem.context.model import OmittedItem as OmittedItem
from mdmem.context.model import Pack as Pack
from mdmem.context.model import PackPart as PackPart
from mdmem.context.recipe import Recipe as Recipe
from mdmem.context.recipe import RecipePart as RecipePart
from mdmem.context.recipe import Recipes as Recipes
from mdmem.entries.forget.model import ForgetResult as ForgetResult
from mdmem.entries.forget.model import ForgetTarget as ForgetTarget
from mdmem.entries.forget.model import Unread as Unread
from mdmem.entries.inbox.items import InboxItem as InboxItem
from mdmem.entries.inbox.service import Inbox as Inbox
from mdmem.entries.model import Outcome as Outcome
from mdmem.entries.read import FileText as FileText
from mdmem.entries.service import InitResult as InitResult
from mdmem.entries.show import ShownEntry as ShownEntry
from mdmem.entries.show import ShownFile as ShownFile
from mdmem.entries.show import ShownSection as ShownSection
from mdmem.episodes.model import Episode as Episode
from mdmem.episodes.service import Episodes as Episodes
from mdmem.episodes.stretches import EpisodeAction as EpisodeAction
from mdmem.errors import ConfigError as ConfigError
from mdmem.errors import ConfirmError as ConfirmError
from mdmem.errors import ConflictError as ConflictError
from mdmem.errors import EditError as EditError
from mdmem.errors import GitError as GitError
from mdmem.errors import LockedError as LockedError
from mdmem.errors import MdmemError as MdmemError
from mdmem.errors import MemoryOffError as MemoryOffError
from mdmem.errors import ModelError as ModelError
from mdmem.errors import PushRejectedError as PushRejectedError
from mdmem.errors import RefusedError as RefusedError
from mdmem.errors import RemoteError as RemoteError
from mdmem.errors import TargetError as TargetError
from mdmem.errors import UnreadableFileError as UnreadableFileError
from mdmem.errors import UsageError as UsageError
from mdmem.errors import VerificationError as VerificationError
from mdmem.errors import WorkspaceNotFoundError as WorkspaceNotFoundError
from mdmem.errors import WriteError as WriteError
from mdmem.facts.model import Fact as Fact
from mdmem.facts.model import FactChange as FactChange
from mdmem.facts.model import FactSubject as FactSubject
from mdmem.facts.model import NewFact as NewFact
from mdmem.facts.service import Facts as Facts
from mdmem.formats.artifact import Artifact as Artifact
from mdmem.formats.session import ROLES as ROLES
from mdmem.formats.session import Session as Session
from mdmem.formats.session import Turn as Turn
from mdmem.git.model import SetupStep as SetupStep
from mdmem.git.service import Git as Git
from mdmem.git.sync_state import SyncResult as SyncResult
from mdmem.git.sync_state import SyncState as SyncState
from mdmem.history.evidence import Evidence as Evidence
from mdmem.history.provenance import EarlierVersion as EarlierVersion
from mdmem.history.provenance import Provenance as Provenance
from mdmem.history.service import DoctorCheck as DoctorCheck
from mdmem.history.service import History as History
from mdmem.identity.model import CompileTarget as CompileTarget
from mdmem.identity.service import Identity as Identity
from mdmem.importers.model import ExportReport as ExportReport
from mdmem.importers.model import ImportItem as ImportItem
from mdmem.importers.model import ImportReport as ImportReport
from mdmem.instructions.model import ConnectedFile as ConnectedFile
from mdmem.instructions.model import RefreshedFile as RefreshedFile
from mdmem.instructions.service import InstructionFiles as InstructionFiles
from mdmem.keeper.backlog.status import FileStatus as FileStatus
from mdmem.keeper.backlog.status import SectionStatus as SectionStatus
from mdmem.keeper.busy import BusyLease as BusyLease
from mdmem.keeper.context_compaction import CompactResult as CompactResult
from mdmem.keeper.conversation.messages import Message as Message
from mdmem.keeper.model_trial import ModelTrial as ModelTrial
from mdmem.keeper.service import Keeper as Keeper
from mdmem.keeper.session_extraction import SaidNow as SaidNow
from mdmem.knowledge.model import Contradiction as Contradiction
from mdmem.knowledge.model import KnowledgePiece as KnowledgePiece
from mdmem.knowledge.model import KnowledgeVersion as KnowledgeVersion
from mdmem.knowledge.model import VersionComparison as VersionComparison
from mdmem.knowledge.model import VersionTally as VersionTally
from mdmem.knowledge.service import Knowledge as Knowledge
from mdmem.linter.pages import rule_page as rule_page
from mdmem.linter.registry import RULES as RULES
from mdmem.linter.rule import Rule as Rule
from mdmem.linter.sources import FileFix as FileFix
from mdmem.linter.sources import LintReport as LintReport
from mdmem.linter.worker import lint_text as lint
from mdmem.night.model import NightReport as NightReport
from mdmem.night.model import NightStepReport as NightStepReport
from mdmem.pins.model import Pin as Pin
from mdmem.pins.service import Pins as Pins
from mdmem.plan.other_agents import OtherAgent as OtherAgent
from mdmem.plan.service import Plan as Plan
from mdmem.plan.service import PlanStep as PlanStep
from mdmem.plan.service import TaskPlan as TaskPlan
from mdmem.portrait.model import PortraitTarget as PortraitTarget
from mdmem.portrait.service import Portrait as Portrait
from mdmem.scratchpad.model import Scratchpad as Scratchpad
from mdmem.scratchpad.service import Scratchpads as Scratchpads
from mdmem.search.index.model import IndexStatus as IndexStatus
from mdmem.search.indexes import Index as Index
from mdmem.search.recall import RecallResult as RecallResult
from mdmem.search.service import SearchHit as SearchHit
from mdmem.search.vectors.service import VectorSearch as VectorSearch
from mdmem.search.vectors.service import VectorStatus as VectorStatus
from mdmem.sessions.export import SessionLine as SessionLine
from mdmem.sessions.open_session import OpenSession as OpenSession
from mdmem.sessions.open_session import RecordedTurn as RecordedTurn
from mdmem.sessions.prune import PrunedSessions as PrunedSessions
from mdmem.sessions.service import Sessions as Sessions
from mdmem.sessions.unextracted import UnextractedRounds as UnextractedRounds
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

__version__: str

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
    "CompileTarget",
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
    "PortraitTarget",
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
