"""The facade's part for evidence: what tools gave, kept and looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from mdmem.errors import MdmemError
from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    import datetime as dt

    from mdmem.core.artifact import Artifact
    from mdmem.workspace.artifacts.kept import Kept
    from mdmem.workspace.artifacts.look import Found, Look
    from mdmem.workspace.artifacts.prune import Pruned


class Evidence(Facade):
    """What `Workspace` can do with tool runs."""

    def artifact_put(
        self,
        data: bytes | BinaryIO,
        *,
        stderr: bytes | BinaryIO = b"",
        tool: str,
        input: str = "",  # noqa: A002 - the noun
        exit_code: int | None = None,
        owner: str = "main",
        started: dt.datetime | None = None,
        ended: dt.datetime | None = None,
    ) -> Kept:
        """Keep what a tool gave, byte for byte, in a new file under artifacts/, and make its summary (G030, G050).

        Where `[notebook] runs` is on, the notebook gets a short line about it (G051); `Kept.warning` says why not,
        where that failed.

        Args:
            data: the output, or an open binary stream that is read to its end in blocks.
            stderr: what it wrote to its standard error; it is kept in an artifact of its own beside the output,
                which names it.
            tool: the tool's name.
            input: what it was given; secrets in it are masked before anything is written.
            exit_code: None where a tool has none.
            owner: the agent that ran it.
            started: when it began; `ended`, else now.
            ended: when it was done; now.

        Raises:
            UsageError: the owner is no single word.
            MemoryOffError: memory is switched off.
            WriteError: the disk refused; no file was made. Of an output in several files those before it stay.
        """
        from mdmem.workspace.artifacts.put import put
        from mdmem.workspace.artifacts.words import say
        from mdmem.workspace.notebook import note_run

        kept = put(
            self.config,
            data,
            stderr=stderr,
            tool=tool,
            given=input,
            exit_code=exit_code,
            owner=owner,
            started=started,
            ended=ended,
        )
        try:
            note_run(self.config, kept, actor=owner)
        except MdmemError as error:  # the run is kept all the same
            return kept._replace(
                warning=say(self.config.lang, "no-note", reason=f"{error.message} {error.path}".strip())
            )
        return kept

    def artifact_get(self, id: str, range: str | None = None, *, actor: str = "user") -> Look:  # noqa: A002 - the noun
        """Give lines of a tool run's output, as a model may see them (G034, G037).

        Args:
            id: `tool:ID`, the id, or the path of the file.
            range: `10-40`, `10-`, `-20` for the last 20, `12:8001` for line 12 from its character 8001 on; None gives
                the summary and the first lines.
            actor: who asks.

        Never more than `[artifacts] reply_chars` characters: the hint says how to go on. Secrets are masked, escape
        sequences and hidden characters left out; `Look.raw` holds the bytes as the tool gave them, for a person.

        Raises:
            UsageError: `id` names no tool run, or `range` no lines of it.
            TargetError: there is no such tool run.
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.artifacts.look import get

        return get(self.config, id, range, actor)

    def artifacts(
        self, tool: str | None = None, since: dt.date | None = None, limit: int | None = None
    ) -> tuple[Artifact, ...]:
        """List tool runs, newest first: of one tool, since a day, at most so many (`[artifacts] listed`).

        Raises:
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.artifacts.listing import artifacts

        return artifacts(self.config, tool=tool, since=since, limit=limit)

    def snippet(self, path: str, start: int = 1, length: int | None = None, *, actor: str = "user") -> Look:
        """Give lines of a file of the workspace from line `start` on, bounded as `artifact_get` is (G035).

        They are `length`, or as many as `[artifacts] first_lines` says.

        Raises:
            RefusedError: the path leaves the workspace, or is not for memory tools.
            TargetError: there is no such file.
            UsageError: it is no text, or has no such lines.
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.artifacts.look import snippet

        return snippet(self.config, path, start, length, actor)

    def grep(
        self, path: str, pattern: str, limit: int | None = None, *, regex: bool = False, actor: str = "user"
    ) -> Found:
        """Give the lines of a file or a tool run that hold a text, at most so many (`[artifacts] found_lines`) (G036).

        With `regex` the pattern is a Python regular expression; it runs in a process of its own, which is ended after
        `[artifacts] search_seconds`.

        Raises:
            UsageError: the pattern is empty, none, or takes too long; or the file is no text.
            Else as `snippet`.
        """
        from mdmem.workspace.artifacts.look import grep

        return grep(self.config, path, pattern, limit, actor, regex=regex)

    def artifact_prune(
        self, *, days: int | None = None, size: int | None = None, actor: str = "user", dry_run: bool = False
    ) -> Pruned:
        """Take away tool runs that are older than `days`, then the oldest until all take at most `size` bytes.

        Without them the settings hold (`[artifacts] keep_days`, `keep_bytes`). Nothing calls this by itself. What a
        memory file points at stays, and the log of changes names everything that went.

        Raises:
            MemoryOffError: memory is switched off.
            WriteError: the disk refused; what was taken away until then is in the log.
        """
        from mdmem.workspace.artifacts.prune import prune

        return prune(self.config, days=days, size=size, actor=actor, dry_run=dry_run)
