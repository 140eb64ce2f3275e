"""The namespace of tool runs: store the outputs of tools and read them."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO, TypeAlias

from mdmem.artifacts.mask import MaskedStream, mask_artifact
from mdmem.artifacts.model import ArtifactView, MatchedLines, StoredArtifact
from mdmem.artifacts.prune import PruneResult, prune_artifacts
from mdmem.artifacts.read import artifacts, get, grep, kept_of, mask_secrets, snippet
from mdmem.artifacts.run_notes import note_run
from mdmem.artifacts.summaries import binary_kind, summarise
from mdmem.artifacts.summaries.output_lines import plain
from mdmem.attachments.outbound import record_outbound
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.model import Outcome
from mdmem.entries.tombstones import STRUCK
from mdmem.errors import MdmemError, UnreadableFileError, WriteError
from mdmem.formats.artifact import Artifact, artifact_path, write_head
from mdmem.linter.masking import mask_in_place
from mdmem.linter.runner import lint_subject
from mdmem.linter.sources import LintSource
from mdmem.linter.worker import LintWorker
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.durable import make_new
from mdmem.store.files import FileSnapshot
from mdmem.store.root import Root
from mdmem.text.document import parse


class Artifacts(TypedCalls):
    """The namespace `Workspace.artifacts`: the outputs of tools."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def put(
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
        captured: bool = False,
    ) -> StoredArtifact:
        """Store the output of a tool, byte for byte, in a new file under artifacts/, with a summary (G030, G050).

        Secrets are masked first where `[artifacts] secrets` asks for it, as it does for what is `captured`. What was
        forgotten is struck, if an agent stores it (law 12). `StoredArtifact.warning` says both.
        If `[notebook] runs` is on, the notebook gets a short line about it (G051); if that fails,
        `StoredArtifact.warning` says why. Files that a tool of `[attachments] tools` hands out are recorded (K070).

        Args:
            data: the output, or an open binary stream that is read to its end in blocks.
            stderr: the standard error; it is stored in an artifact of its own, which the output's artifact names.
            tool: the tool's name.
            input: the tool's input; secrets in it are masked before anything is written.
            exit_code: None if the tool has none.
            owner: the agent that ran it.
            started: the start time; default `ended`, else now.
            ended: the end time; default now.
            captured: True if nobody asked to store it, as when a hook does.

        Raises:
            UsageError: the owner is not a single word.
            MemoryOffError: memory is switched off.
            WriteError: the disk refused, and no file was made. If the output takes several files, the earlier ones
                stay.
        """
        kept = put_artifact(
            self._config,
            data,
            stderr=stderr,
            tool=tool,
            tool_input=input,
            exit_code=exit_code,
            owner=owner,
            started=started,
            ended=ended,
            captured=captured,
        )
        try:
            record_outbound(self._config, tool, input, actor=owner)
            note_run(self._config, kept, actor=owner)
        except MdmemError as error:  # the run is stored anyway
            reason = f"{in_language(error, self._config.lang).message} {error.path}".strip()
            notes = (kept.warning, say(self._config.lang, "artifact.no-note", reason=reason))
            return replace(kept, warning=say(self._config.lang, "punctuation.clause").join(filter(None, notes)))
        return kept

    def get(self, id: str, range: str | None = None, *, actor: str = "user") -> ArtifactView:  # noqa: A002 - the noun
        """Return lines of a tool run's output, as a model may see them (G034, G037).

        Returns at most `[artifacts] reply_chars` characters; the hint says how to continue. Secrets are masked, escape
        sequences and hidden characters removed; `ArtifactView.raw` holds the original bytes, for a person.

        Args:
            id: `tool:ID`, the id, or the path of the file.
            range: `10-40`, `10-`, `-20` for the last 20, `12:8001` for line 12 from its character 8001 on; None returns
                the summary and the first lines.
            actor: who asks.

        Raises:
            UsageError: `id` is not a reference to a tool run, or `range` matches no lines.
            TargetError: there is no such tool run.
            MemoryOffError: memory is switched off.
        """
        return get(self._config, id, range, actor)

    def list(
        self, tool: str | None = None, since: dt.date | None = None, limit: int | None = None
    ) -> tuple[Artifact, ...]:
        """List tool runs, newest first: of one tool, since a day, at most `limit` (default `[artifacts] listed`).

        Raises:
            MemoryOffError: memory is switched off.
        """
        return artifacts(self._config, tool=tool, since=since, limit=limit)

    def snippet(self, path: str, start: int = 1, length: int | None = None, *, actor: str = "user") -> ArtifactView:
        """Return `length` lines of a workspace file from line `start` on, limited as in `get` (G035).

        The default of `length` is `[artifacts] first_lines`.

        Raises:
            RefusedError: the path leaves the workspace, or is not for memory tools.
            TargetError: there is no such file.
            UsageError: not text, or there are no such lines.
            MemoryOffError: memory is switched off.
        """
        return snippet(self._config, path, start, length, actor)

    def grep(
        self, path: str, pattern: str, limit: int | None = None, *, regex: bool = False, actor: str = "user"
    ) -> MatchedLines:
        """Return the lines of a file or a tool run that contain a text, at most `limit` (G036).

        The default of `limit` is `[artifacts] found_lines`. With `regex` the pattern is a Python regular expression; it
        runs in a child process, which is killed after `[artifacts] search_seconds`.

        Raises:
            UsageError: the pattern is empty, invalid, or takes too long; or the file is not text; or as `snippet`.
        """
        return grep(self._config, path, pattern, limit, actor, regex=regex)

    def mask(self, id: str, *, actor: str = "user", dry_run: bool = False) -> Outcome:  # noqa: A002 - the noun
        """Mask the secrets in what is stored of a tool run: its output, its input and its standard error.

        Every line keeps its number. The history keeps the version with the secrets, so that `history.undo` brings it
        back, until `forget` strikes them.

        Args:
            id: `tool:ID`, the id, or the path of the file; or of any other file below artifacts/.
            actor: who asks.
            dry_run: count the secrets, and write nothing.

        Raises:
            UsageError: `id` is not a reference to a tool run.
            TargetError: there is no such tool run.
            MemoryOffError: memory is switched off.
            WriteError: the disk refused; nothing was changed.
        """
        return mask_artifact(self._config, id, actor, dry_run=dry_run)

    def prune(
        self, *, days: int | None = None, size: int | None = None, actor: str = "user", dry_run: bool = False
    ) -> PruneResult:
        """Remove tool runs that are older than `days`, then the oldest until all others take at most `size` bytes.

        The defaults are `[artifacts] keep_days` and `keep_bytes`. Nothing calls this automatically. Runs that a memory
        file cites stay, and the log of changes names every removed run.

        Raises:
            MemoryOffError: memory is switched off.
            WriteError: the disk refused; the runs removed until then are in the log.
        """
        return prune_artifacts(self._config, days=days, size=size, actor=actor, dry_run=dry_run)


_ALPHABET = "0123456789abcdefghijklmnopqrstuv"  # in sort order
_Stream: TypeAlias = BinaryIO | MaskedStream
_TRIES = 100  # names; two runs of the same millisecond collide with a probability of 1 in 1,000


def put_artifact(
    config: WorkspaceConfig,
    data: bytes | BinaryIO,
    *,
    stderr: bytes | BinaryIO,
    tool: str,
    tool_input: str,
    exit_code: int | None,
    owner: str,
    started: dt.datetime | None,
    ended: dt.datetime | None,
    captured: bool = False,
) -> StoredArtifact:
    """Store the output of a tool; see `Workspace.artifacts.put`."""
    access = AccessPolicy(config, owner)
    access.reach(artifact_path("t0"))  # raises if memory is switched off
    streams = [BytesIO(one) if isinstance(one, bytes) else one for one in (data, stderr)]
    stream, errors = map(MaskedStream, streams) if _is_masked(config, captured=captured) else streams
    now = dt.datetime.now().astimezone()
    begun, done = started or ended or now, ended or now
    forgotten = _Forgotten(access)
    run = Artifact(
        "",
        "",
        owner,
        forgotten.strike(mask_in_place(tool)[0]),
        forgotten.strike(mask_in_place(tool_input)[0]),
        exit_code,
        _stamp(begun),
        _stamp(done),
        0,
        0,
        "",
        (),
    )
    try:
        with Root(config.root) as root:
            kept = _Writer(config, root, forgotten).write(run, stream, errors, done)
    except (FileNotFoundError, UnreadableFileError) as error:
        raise WriteError("its folder cannot be used", path="artifacts", hint="nothing was kept") from error
    notes = [say(config.lang, "artifact.masked-before", count=kept.masked)] if kept.masked else []
    notes += [say(config.lang, "session.struck")] if forgotten.is_struck else []
    return replace(kept, warning=say(config.lang, "punctuation.clause").join(notes))


def _is_masked(config: WorkspaceConfig, *, captured: bool) -> bool:
    """Return whether secrets are masked before an output is stored."""
    wanted = config.settings.artifacts.secrets
    return wanted == "mask" or (captured and wanted == "captured")


class _Forgotten:
    """Strikes forgotten texts from what an agent stores, but not from what a person does."""

    def __init__(self, access: AccessPolicy) -> None:
        self._access, self.is_struck = access, False

    def strike(self, text: str) -> str:
        """Return a text without what was forgotten; `is_struck` tells whether there was any."""
        if self._access.is_person:
            return text
        struck = self._access.tombstones.strike(text, STRUCK)
        self.is_struck = self.is_struck or struck != text
        return struck

    def strike_bytes(self, data: bytes) -> bytes:
        """Return bytes without what was forgotten; the others stay as they are."""
        if self._access.is_person or not self._access.tombstones:
            return data
        return self.strike(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


class _Writer:
    """Writes the files of one run: its output in one or more files, and a long input in another."""

    def __init__(self, config: WorkspaceConfig, root: Root, forgotten: _Forgotten) -> None:
        self._config, self._root, self._forgotten = config, root, forgotten
        self._settings = config.settings.artifacts
        self._linter = LintWorker(config, ((), ()))
        template = config.schemas.get("artifact")
        self._lines = int(template.numbers.get("summary_lines", 0)) if template else 0

    def write(self, run: Artifact, stream: _Stream, stderr: _Stream, now: dt.datetime) -> StoredArtifact:
        """Write the input, the standard error and the output, in this order, so that every pointer has a target."""
        shown = self._shown(run)
        block, errors = (_block(one, b"", self._settings.max_bytes) for one in (stream, stderr))
        for _ in range(_TRIES):
            id = _new_id(now)  # noqa: A001 - the noun
            if shown.input != run.input:
                whole = replace(shown, tool="input", input="", exit_code=None)
                if self._one(whole, f"{id}-input", run.input.encode("utf-8", "surrogateescape"), "") is None:
                    continue
                shown = replace(shown, rest=f"{id}-input")
            beside = self._all(shown, f"{id}-stderr", stderr, errors) if errors[0] else None
            if errors[0] and beside is None:
                continue
            first = self._all(replace(shown, stderr=beside.id if beside else ""), id, stream, block, errors[0])
            if first:
                if beside:
                    first = replace(first, secrets=first.secrets + beside.secrets, masked=first.masked + beside.masked)
                return first
        raise WriteError("no free name was found", path="artifacts", hint="try again")

    def _all(
        self,
        run: Artifact,
        id: str,  # noqa: A002 - the noun
        stream: _Stream,
        begun: tuple[bytes, bytes],
        errors: bytes = b"",
    ) -> StoredArtifact | None:
        """Write one stream into as many files as it needs; return None if the name is taken."""
        block, rest = begun
        run = replace(run, masked=_masked_in(stream))
        first = self._one(run, id, block, f"{id}-2" if rest else "", errors)
        if first is None:
            return None
        return self._further(run, first, stream, rest) if rest else kept_of(first)

    def _shown(self, run: Artifact) -> Artifact:
        """Shorten a long input, withhold one that would instruct a model; its full text gets a file of its own."""
        most, bare = self._settings.input_chars, replace(run, input="")
        if len(run.input) > most:
            run = replace(run, input=run.input[: most - 1] + "…")
        if self._is_fit(run):
            return run
        withheld = say(self._config.lang, "artifact.withheld")
        return replace(run, input=withheld) if self._is_fit(bare) else replace(run, tool=withheld, input=withheld)

    def _is_fit(self, run: Artifact) -> bool:
        """Return whether no rule reports the front matter, which is stored in a file and shown to a model."""
        document = parse(write_head(run))
        source = LintSource(artifact_path("t0"), FileSnapshot("regular", 0, "none", b""))
        found = lint_subject(self._linter.subject(source, document), self._linter.rules, self._config.lang)
        return all(one.severity == "note" for one in found)

    def _further(self, run: Artifact, first: Artifact, stream: _Stream, rest: bytes) -> StoredArtifact:
        """Write what exceeds one file into the next ones; the summary's last line is that of the last file."""
        number, last, secrets, masked = 1, first, first.secrets, first.masked
        while rest:
            number += 1
            block, rest = _block(stream, rest, self._settings.max_bytes)
            run = replace(run, masked=_masked_in(stream) - masked)  # what was read ahead counts for the file before
            part = self._one(run, f"{first.id}-{number}", block, f"{first.id}-{number + 1}" if rest else "")
            if part is None:
                raise WriteError("already exists", path=artifact_path(f"{first.id}-{number}"))
            last, secrets, masked = part, secrets + part.secrets, masked + part.masked
        pointer = f"{last.summary[-1]} (tool:{first.id} … {number})"
        return replace(kept_of(first), summary=(*last.summary[:-1], pointer), secrets=secrets, masked=masked)

    def _one(
        self,
        run: Artifact,
        id: str,  # noqa: A002 - the noun
        data: bytes,
        following: str,
        errors: bytes = b"",
    ) -> Artifact | None:
        """Write one file, with a summary of `data` and of `errors`; return None if the name is taken."""
        data, errors = map(self._forgotten.strike_bytes, (data, errors))
        path, binary = self._config.whose.place(artifact_path(id)), binary_kind(data, self._config.lang)
        text, secrets = mask_secrets(_text(data))
        also = mask_secrets(_text(errors))[0]
        artifact = replace(
            run,
            id=id,
            path=path,
            bytes=len(data),
            lines=0 if binary else _count(data),
            digest=hashlib.sha256(data).hexdigest(),
            secrets=secrets,
            next=following,
            summary=summarise(
                "\n".join(filter(None, (text.rstrip("\n"), also))) if also else text,
                tool=run.tool,
                input=run.input,
                exit_code=run.exit_code,
                path=path,
                numbers=self._settings,
                lines=self._lines,
                lang=self._config.lang,
                secrets=secrets + run.masked,
                binary=binary,
            ),
        )
        if not self._is_fit(artifact):  # a line of the output that would instruct a model is withheld
            *lines, last = artifact.summary
            fit = [
                one if self._is_fit(replace(run, summary=(one,))) else say(self._config.lang, "artifact.withheld")
                for one in lines
            ]
            artifact = replace(artifact, summary=(*dict.fromkeys(fit), last))
        target = self._root.place(path, make=True)
        return artifact if make_new(target.name, write_head(artifact) + data, path) else None


def _masked_in(stream: _Stream) -> int:
    return stream.masked if isinstance(stream, MaskedStream) else 0


def _text(data: bytes) -> str:
    return plain(data.decode("utf-8", "replace"))


def _block(stream: _Stream, begun: bytes, most: int) -> tuple[bytes, bytes]:
    """Read at most `most` bytes, cut at a line end if there is one; return them and what was read beyond."""
    pieces, size = [begun], len(begun)
    while size <= most and (piece := stream.read(most + 1 - size)):
        pieces.append(piece)
        size += len(piece)
    data = b"".join(pieces)
    if size <= most:
        return data, b""
    cut = data.rfind(b"\n", 0, most) + 1 or most
    return data[:cut], data[cut:]


def _new_id(now: dt.datetime) -> str:
    """Return a name that sorts by time to the millisecond, with a random part; needs no directory listing."""
    drawn = int.from_bytes(os.urandom(2)) % 1024
    number = now.microsecond // 1000 * 1024 + drawn
    return f"{now.astimezone():%Y%m%d-%H%M%S}-" + "".join(_ALPHABET[number >> shift & 31] for shift in (15, 10, 5, 0))


def _stamp(time: dt.datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


def _count(data: bytes) -> int:
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r"))) if data else 0
