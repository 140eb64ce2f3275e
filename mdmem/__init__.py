"""mdmem: plain Markdown memory for agents, with a linter, a safe pen, a keeper and a packer around it.

This module has the public names. Each is imported on first use, to keep `import mdmem` fast. Type checkers and editors
read them in `__init__.pyi`, which `python -m tests.public_names` makes of the table below.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

_NAMES = {  # the public names of each module; `other=name` if its name there is another one
    "artifacts.model": "ArtifactView MatchedLine MatchedLines StoredArtifact",
    "artifacts.prune": "PruneResult",
    "artifacts.service": "Artifacts",
    "attachments.model": "Attachment",
    "attachments.service": "Attachments",
    "bundles.model": "Bundle",
    "bundles.service": "Bundles",
    "config.settings_shown": "Setting",
    "config.trust_requests": "TrustRequest",
    "context.model": "OmittedItem Pack PackPart",
    "context.recipe": "Recipe RecipePart Recipes",
    "entries.forget.model": "ForgetResult ForgetTarget Unread",
    "entries.inbox.items": "InboxItem",
    "entries.inbox.service": "Inbox",
    "entries.model": "Outcome",
    "entries.read": "FileText",
    "entries.service": "InitResult",
    "entries.show": "ShownEntry ShownFile ShownSection",
    "episodes.model": "Episode",
    "episodes.service": "Episodes",
    "episodes.stretches": "EpisodeAction",
    "errors": (
        "ConfigError ConfirmError ConflictError EditError GitError LockedError MdmemError MemoryOffError "
        "ModelError PushRejectedError RefusedError RemoteError TargetError UnreadableFileError UsageError "
        "VerificationError WorkspaceNotFoundError WriteError"
    ),
    "facts.model": "Fact FactChange FactSubject NewFact",
    "facts.service": "Facts",
    "formats.artifact": "Artifact",
    "formats.session": "ROLES Session Turn",
    "git.model": "SetupStep",
    "git.service": "Git",
    "git.sync_state": "SyncResult SyncState",
    "history.evidence": "Evidence",
    "history.provenance": "EarlierVersion Provenance",
    "history.service": "DoctorCheck History",
    "identity.model": "CompileTarget",
    "identity.service": "Identity",
    "importers.model": "ExportReport ImportItem ImportReport",
    "instructions.model": "ConnectedFile RefreshedFile",
    "instructions.service": "InstructionFiles",
    "keeper.backlog.status": "FileStatus SectionStatus",
    "keeper.busy": "BusyLease",
    "keeper.context_compaction": "CompactResult",
    "keeper.conversation.messages": "Message",
    "keeper.model_trial": "ModelTrial",
    "keeper.service": "Keeper",
    "keeper.session_extraction": "SaidNow",
    "knowledge.model": "Contradiction KnowledgePiece KnowledgeVersion VersionComparison VersionTally",
    "knowledge.service": "Knowledge",
    "linter.pages": "rule_page",
    "linter.registry": "RULES",
    "linter.rule": "Rule",
    "linter.sources": "FileFix LintReport",
    "linter.worker": "lint_text=lint",
    "night.model": "NightReport NightStepReport",
    "pins.model": "Pin",
    "pins.service": "Pins",
    "plan.other_agents": "OtherAgent",
    "plan.service": "Plan PlanStep TaskPlan",
    "portrait.model": "PortraitTarget",
    "portrait.service": "Portrait",
    "scratchpad.model": "Scratchpad",
    "scratchpad.service": "Scratchpads",
    "search.index.model": "IndexStatus",
    "search.indexes": "Index",
    "search.recall": "RecallResult",
    "search.service": "SearchHit",
    "search.vectors.service": "VectorSearch VectorStatus",
    "sessions.export": "SessionLine",
    "sessions.open_session": "OpenSession RecordedTurn",
    "sessions.prune": "PrunedSessions",
    "sessions.service": "Sessions",
    "sessions.unextracted": "UnextractedRounds",
    "store.history.versions": "Transaction WrittenFile",
    "text.document": "Document parse",
    "text.edit": "SEVERITIES Diagnostic Edit apply_edits",
    "text.spans": "Span",
    "text.verify": "verify",
    "watch.model": "Notice",
    "workspace": "Workspace",
}
_HOMES = {
    name.rpartition("=")[2]: (module, name.partition("=")[0]) for module in _NAMES for name in _NAMES[module].split()
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are texts


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Import a public name from its module and return it."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own = _HOMES[name]
    return getattr(import_module(f"{__name__}.{module}"), own)


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)
