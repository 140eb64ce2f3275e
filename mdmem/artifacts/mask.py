"""Masks the secrets of tool outputs: of a stored one, and of one that is read to be stored.

The history keeps the version with the secrets until it is forgotten. A new output is read in windows that overlap, so
the time is linear and no secret is cut between two windows: what may still go on in the next window is handed out with
it.
"""

from __future__ import annotations

import hashlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from mdmem.artifacts.read import refuse
from mdmem.artifacts.summaries import binary_kind
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import TargetError, UsageError
from mdmem.formats.artifact import FOLDER, HEAD, POINTER, Artifact, artifact_id, artifact_path, read_artifact
from mdmem.formats.paths import within_user
from mdmem.formats.session_edits import set_values
from mdmem.linter.detect.secrets import Secret
from mdmem.linter.masking import every_secret, mask_in_place, output_secrets, printed_secrets
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document
from mdmem.text.edit import Edit, smallest

_WINDOW = 1 << 22  # bytes that are read at once
_OVERLAP = 1 << 15  # characters; more than the longest secret, a private key


def mask_artifact(config: WorkspaceConfig, reference: str, actor: str, *, dry_run: bool) -> Outcome:
    """Mask the secrets in all files of a tool run; see `Workspace.artifacts.mask`."""
    AccessPolicy(config, actor).reach(FOLDER)
    paths, lang = _files(config, reference), config.lang
    counts = dict.fromkeys(paths, 0)

    def change(files: DraftFiles) -> Edits:
        edits: dict[str, Sequence[Edit] | None] = {}
        for path in paths:
            if (document := files[path]) is not None:
                made, counts[path] = _masked(document, path)
                edits |= {path: made} if made else {}
        return edits

    if dry_run:
        counts |= {path: _masked(Document(_data(config, path) or b""), path)[1] for path in paths}
        done = None
    else:
        done = config.pen().commit(change, actor=actor, reason=f"artifact mask {reference}", paths=paths, any_size=True)
    count = sum(counts.values())
    if not count:
        return Outcome("unchanged", say(lang, "artifact.none-masked", path=paths[0]), "", paths[0])
    message = say(lang, "artifact.would-mask" if dry_run else "artifact.masked-now", count=count, path=paths[0])
    hint = say(lang, "artifact.masked-now.hint")
    return Outcome("planned" if dry_run else "done", message, hint, paths[0], done)


def _files(config: WorkspaceConfig, reference: str) -> tuple[str, ...]:
    """Return the files of a tool run: its output, what continues it, its input and its standard error.

    Any other file below artifacts/ is one by itself.

    Raises:
        UsageError: not a reference to a tool run.
        TargetError: there is no such file.
    """
    whose = config.whose
    first = whose.place(artifact_path(name)) if (name := artifact_id(reference)) else whose.meant(reference)
    if not within_user(first).startswith(f"{FOLDER}/") or ".." in first.split("/") or not whose.sees(first):
        refuse(config, UsageError, "artifact.no-id")
    found: list[str] = []
    waiting = [first]
    while waiting:
        path = waiting.pop(0)
        data = _data(config, path)
        if data is None or path in found:
            continue
        found.append(path)
        run = read_artifact(data, path)
        waiting += [whose.place(artifact_path(one)) for one in (run.next, run.stderr, run.rest) if one and run.digest]
    if not found:
        refuse(config, TargetError, "artifact.no-artifact", id=reference.removeprefix(POINTER))
    return tuple(found)


def _data(config: WorkspaceConfig, path: str) -> bytes | None:
    return live_bytes(config, path, config.settings.artifacts.max_bytes + HEAD)


def _masked(document: Document, path: str) -> tuple[tuple[Edit, ...], int]:
    """Return the edits that mask the secrets of an output and correct its counts, and the number of secrets."""
    data = document.text.encode("utf-8", "surrogateescape")
    run = read_artifact(data, path)
    head, output = (one.decode("utf-8", "surrogateescape") for one in (data[: run.body], data[run.body :]))
    text, count = mask_in_place(output, printed_secrets(output, output_secrets))
    if not count:
        return (), 0
    edits = smallest(document.text, head + text)
    return (*_counts(document, run, text, count), *edits), count


def _counts(document: Document, run: Artifact, text: str, count: int) -> tuple[Edit, ...]:
    """Return the edits of the front matter, which counts bytes and secrets; a file that was changed keeps its own."""
    if not run.digest:
        return ()
    data = text.encode("utf-8", "surrogateescape")
    return set_values(document, {
        "bytes": len(data), "digest": hashlib.sha256(data).hexdigest(), "secrets": 0, "masked": run.masked + count,
    })  # fmt: skip


class MaskedStream:
    """A binary stream with the secrets of another one masked; one that is not text is handed out as it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, getincrementaldecoder("utf-8")("surrogateescape")
        self._is_text: bool | None = None  # None before anything was read
        self._before, self._text = "", ""  # what was masked last, and what was read and is not masked yet
        self._out, self._at, self._ended = b"", 0, False  # what was masked and is not handed out yet
        self.masked = 0  # secrets in what was masked so far

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; empty at the end."""
        while self._at == len(self._out) and not self._ended:
            self._out, self._at = self._next(), 0
        data = self._out[self._at : self._at + size]
        self._at += len(data)
        return data

    def _next(self) -> bytes:
        data = b""
        while len(data) < _WINDOW and not self._ended:  # a pipe gives less than it is asked for
            piece = self._stream.read(_WINDOW - len(data))
            data, self._ended = data + piece, not piece
        if self._is_text is None:
            self._is_text = not binary_kind(data)
        if not self._is_text:
            return data
        self._text += self._decoder.decode(data, self._ended)
        secrets = list(printed_secrets(self._before + self._text, every_secret))
        begin = len(self._before)
        cut = begin + (len(self._text) if self._ended else self._cut(secrets, begin))
        whole = self._before + self._text
        found = [(name, max(start, begin) - begin, end - begin) for name, start, end in secrets if begin < end <= cut]
        text, count = mask_in_place(whole[begin:cut], found)
        self.masked += count
        self._before, self._text = whole[max(0, cut - _OVERLAP) : cut], whole[cut:]
        return text.encode("utf-8", "surrogateescape")

    def _cut(self, secrets: Iterable[Secret], begin: int) -> int:
        """Return how many characters no later window can change: to the end of a line, if there is one."""
        most = max(0, len(self._text) - _OVERLAP)
        cut = self._text.rfind("\n", 0, most) + 1 or most
        across = (start for _, start, end in secrets if start < begin + cut < end)
        return max(0, min(across, default=begin + cut) - begin)
