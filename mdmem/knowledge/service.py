"""The class behind `Workspace.knowledge`: pieces, versions, comparisons and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdmem.config.typed_calls import TypedCalls, several
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome
from mdmem.knowledge import knowledge_versions, read, task_runs, trials
from mdmem.knowledge.fitting import find_contradictions, fitting_pieces, open_pieces
from mdmem.knowledge.model import Contradiction, KnowledgePiece, KnowledgeVersion, VersionComparison
from mdmem.search.indexes import Index


class Knowledge(TypedCalls):
    """The namespace `Workspace.knowledge`: how something is done, under a name, in `knowledge/NAME.md`."""

    def __init__(self, config: WorkspaceConfig, index: Index) -> None:
        """Bind to a workspace and its search index, by which pieces are chosen."""
        self._config, self._index = config, index

    def list(self) -> tuple[KnowledgePiece, ...]:
        """Return all pieces, by name; those without a description, which are hardly ever chosen, are among them.

        >>> [piece.name for piece in Workspace("workspace").knowledge.list()]
        """
        return read.list_pieces(self._config)

    def show(self, name: str, version: str = "") -> str:
        """Return the text of a piece, or of a saved version of it.

        Raises:
            TargetError: there is no such piece or version; `candidates` are similar names.
        """
        return read.open_piece(self._config, name, version).document.text

    def fitting(self, task: str, limit: int | None = None) -> tuple[str, ...]:
        """Return the names of the pieces that fit a task, the best first; none if none surely does.

        >>> Workspace("workspace").knowledge.fitting("import the CSV of riverlog")
        """
        return fitting_pieces(self._config, self._index.words, task, self._index.near, limit)

    def contradictions(self, names: Sequence[str]) -> tuple[Contradiction, ...]:
        """Return where one of some pieces forbids what another demands; that of higher precedence comes first."""
        return find_contradictions(self._config, open_pieces(self._config, names))

    def add(
        self,
        name: str,
        description: str,
        steps: str | Sequence[str] = (),
        *,
        inputs: str | Sequence[str] = (),
        outputs: str = "",
        preconditions: str = "",
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Make a new piece.

        Args:
            name: one word; the file is `knowledge/NAME.md`.
            description: what it is for and when to use it; a piece is chosen by these words.
            steps: the steps, in their order; `{input}` is filled in by `run`.
            inputs: what the steps need, each `name` or `name = value` with the value that holds when none is given.
            outputs: what comes of it.
            preconditions: what must hold before it.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            UsageError: the name or an input is no word, or there is no description.
            RefusedError: there is such a piece already.
        """
        commit = ChangeRequest(self._config, "knowledge-add", actor, reason)
        new = knowledge_versions.NewPiece(
            name, description, several(steps), several(inputs), outputs, preconditions
        )  # fmt: skip
        return knowledge_versions.add_piece(commit, new)

    def save(
        self,
        name: str,
        version: str = "",
        *,
        note: str = "",
        source: str = "",
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Save the text of a piece as a version, in `knowledge/NAME/versions/VERSION.md`.

        Args:
            name: the piece.
            version: its name, one word; empty for the next number.
            note: what is different.
            source: the evidence, as `chat:SESSION` or `tool:ARTIFACT`, which must exist.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            RefusedError: there is a version of this name with another text, or the evidence does not exist.
        """
        commit = ChangeRequest(self._config, "knowledge-save", actor, reason)
        return knowledge_versions.save_version(commit, name, version, note, source)

    def versions(self, name: str) -> tuple[KnowledgeVersion, ...]:
        """Return the saved versions of a piece, the oldest first."""
        return read.list_versions(self._config, name)

    def diff(self, name: str, first: str = "", second: str = "") -> str:
        """Return what is different between two versions; the first is the current one, the second the text as it is."""
        return knowledge_versions.version_diff(self._config, name, first, second)

    def back(
        self, name: str, version: str = "", *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Take a piece back to a version; what was added since stays, where it does not collide.

        Where it collides, the version holds, and the whole text from before is saved as a version of its own. So it is
        if the text began with the wanted version: all that was added to it goes.

        Args:
            name: the piece.
            version: its name; empty for the one before the current one.
            dry_run: only tell what would change.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            TargetError: there is no such version; `candidates` are the saved ones.
        """
        commit = ChangeRequest(self._config, "knowledge-back", actor, reason, confirm=True, dry_run=dry_run)
        return knowledge_versions.go_back(commit, name, version)

    def alternate(self, name: str, first: str, second: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Let two versions take turns: each run of the piece takes the one with fewer runs."""
        return trials.try_versions(
            ChangeRequest(self._config, "knowledge-alternate", actor, reason), name, first, second
        )

    def compare(self, name: str, first: str = "", second: str = "") -> VersionComparison:
        """Compare two versions by what came of their tasks; without names those that take turns.

        Neither is called better before each has half of `[knowledge] tasks`, and only at `[knowledge] confidence`.
        """
        return trials.compare_versions(self._config, name, first, second)

    def pick(self, name: str, version: str = "", *, actor: str = "user", reason: str = "") -> Outcome:
        """Make a version the one that holds, and write down why; without a name the one that is better.

        Raises:
            RefusedError: no version is named, and neither is better at the stated confidence.
        """
        commit = ChangeRequest(self._config, "knowledge-pick", actor, reason, confirm=True)
        return trials.pick_version(commit, name, version)

    def run(
        self,
        name: str,
        inputs: Mapping[str, str] | None = None,
        *,
        under: str = "",
        replace: bool = False,
        agent: str | None = None,
        dry_run: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Make the task plan a run of a piece: its steps, with the inputs filled in.

        Args:
            name: `PIECE`, `PIECE:FUNCTION`, or one of these with `@VERSION`.
            inputs: the inputs by name.
            under: a step of the running plan below which the steps are added.
            replace: a plan with open steps goes to the archive.
            agent: whose plan.
            dry_run: only tell what would change.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            TargetError: there is no such piece, version or function; `candidates` are similar names.
            UsageError: inputs are missing or unknown.
            RefusedError: the plan has open steps.
        """
        commit = ChangeRequest(self._config, "run", actor, reason, confirm=True, whole=True, dry_run=dry_run)
        return task_runs.run_function(commit, name, inputs or {}, under, replace=replace, agent=agent)
