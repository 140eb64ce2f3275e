"""Masks the secrets of an output that is stored; the history keeps the version with them until it is forgotten."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mdmem.artifacts.read import refuse
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import TargetError, UsageError
from mdmem.formats.artifact import FOLDER, HEAD, POINTER, Artifact, artifact_id, artifact_path, read_artifact
from mdmem.formats.paths import within_user
from mdmem.formats.session_edits import set_values
from mdmem.linter.masking import mask_in_place, output_secrets, printed_secrets
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document
from mdmem.text.edit import Edit, smallest


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
