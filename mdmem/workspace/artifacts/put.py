"""Keeping a tool run: one new file, whole from the moment it has its name, that never changes again (G030, G050).

It has no version in the history, for nothing of it is ever replaced. What the tool gave stays byte for byte, secrets
and all: it is evidence. They are counted in the front matter, and masked in the input, in the summary and wherever a
model reads it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from io import BytesIO
from typing import BinaryIO

from mdmem.context.output import binary_kind, summarise
from mdmem.context.output.seen import plain
from mdmem.core.artifact import Artifact, artifact_path, write_head
from mdmem.core.document import parse
from mdmem.errors import UnreadableFileError, WriteError
from mdmem.linter.run import lint_subject
from mdmem.store.durable import make_new
from mdmem.store.files import Seen
from mdmem.store.root import Root
from mdmem.workspace.access import Access
from mdmem.workspace.artifacts.kept import Kept, kept_of
from mdmem.workspace.artifacts.text import hide
from mdmem.workspace.artifacts.words import say
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Judge
from mdmem.workspace.source import Source

_ALPHABET = "0123456789abcdefghijklmnopqrstuv"  # in the order in which names are sorted
_TRIES = 100  # names; each is taken by another run of the same millisecond with a chance of one in a thousand


def put(
    config: Config,
    data: bytes | BinaryIO,
    *,
    stderr: bytes | BinaryIO,
    tool: str,
    given: str,
    exit_code: int | None,
    owner: str,
    started: dt.datetime | None,
    ended: dt.datetime | None,
) -> Kept:
    """Keep what a tool gave; see `Workspace.artifact_put`."""
    access = Access(config, owner)
    access.reach(artifact_path("t0"))  # the memory switch
    stream, errors = (BytesIO(one) if isinstance(one, bytes) else one for one in (data, stderr))
    now = dt.datetime.now().astimezone()
    begun, done = started or ended or now, ended or now
    run = Artifact("", "", owner, hide(tool)[0], hide(given)[0], exit_code, _stamp(begun), _stamp(done), 0, 0, "", ())
    try:
        with Root(config.root) as root:
            return _Writer(config, root).write(run, stream, errors, done)
    except (FileNotFoundError, UnreadableFileError) as error:
        raise WriteError("its folder cannot be used", path="artifacts", hint="nothing was kept") from error


class _Writer:
    """Writes the files of one run: its output in one or more, and its input where that is long."""

    def __init__(self, config: Config, root: Root) -> None:
        self._config, self._root = config, root
        self._settings = config.settings.artifacts
        self._judge = Judge(config, ((), ()))
        template = config.schemas.get("artifact")
        self._lines = int(template.numbers.get("summary_lines", 0)) if template else 0

    def write(self, run: Artifact, stream: BinaryIO, stderr: BinaryIO, now: dt.datetime) -> Kept:
        """Write the input, the standard error and the output, in this order, so that no pointer leads nowhere."""
        shown = self._shown(run)
        block, errors = (_block(one, b"", self._settings.max_bytes) for one in (stream, stderr))
        for _ in range(_TRIES):
            id = _new_id(now)  # noqa: A001 - the noun
            if shown.input != run.input:
                whole = shown._replace(tool="input", input="", exit_code=None)
                if self._one(whole, f"{id}-input", run.input.encode("utf-8", "surrogateescape"), "") is None:
                    continue
                shown = shown._replace(rest=f"{id}-input")
            beside = self._all(shown, f"{id}-stderr", stderr, errors) if errors[0] else None
            if errors[0] and beside is None:
                continue
            first = self._all(shown._replace(stderr=beside.id if beside else ""), id, stream, block, errors[0])
            if first:
                return first._replace(secrets=first.secrets + (beside.secrets if beside else 0))
        raise WriteError("no free name was found", path="artifacts", hint="try again")

    def _all(
        self,
        run: Artifact,
        id: str,  # noqa: A002 - the noun
        stream: BinaryIO,
        begun: tuple[bytes, bytes],
        errors: bytes = b"",
    ) -> Kept | None:
        """Write one stream into as many files as it needs; None where the name is taken."""
        block, rest = begun
        first = self._one(run, id, block, f"{id}-2" if rest else "", errors)
        if first is None:
            return None
        return self._further(run, first, stream, rest) if rest else kept_of(first)

    def _shown(self, run: Artifact) -> Artifact:
        """Cut an input that is long, and leave out one that would give a model orders; then it is kept beside it."""
        most, bare = self._settings.input_chars, run._replace(input="")
        if len(run.input) > most:
            run = run._replace(input=run.input[: most - 1] + "…")
        if self._is_fit(run):
            return run
        withheld = say(self._config.lang, "withheld")
        return run._replace(input=withheld) if self._is_fit(bare) else run._replace(tool=withheld, input=withheld)

    def _is_fit(self, run: Artifact) -> bool:
        """Tell whether no rule finds fault with the front matter, which stands in a file and goes to a model."""
        document = parse(write_head(run))
        source = Source(artifact_path("t0"), Seen("regular", 0, "none", b""))
        found = lint_subject(self._judge.subject(source, document), self._judge.rules, self._config.lang)
        return all(one.severity == "note" for one in found)

    def _further(self, run: Artifact, first: Artifact, stream: BinaryIO, rest: bytes) -> Kept:
        """Write what one file has no room for into the next ones; how it ended is told of the last."""
        number, last, secrets = 1, first, first.secrets
        while rest:
            number += 1
            block, rest = _block(stream, rest, self._settings.max_bytes)
            part = self._one(run, f"{first.id}-{number}", block, f"{first.id}-{number + 1}" if rest else "")
            if part is None:
                raise WriteError("is there already", path=artifact_path(f"{first.id}-{number}"))
            last, secrets = part, secrets + part.secrets
        pointer = f"{last.summary[-1]} (tool:{first.id} … {number})"
        return kept_of(first)._replace(summary=(*last.summary[:-1], pointer), secrets=secrets)

    def _one(
        self,
        run: Artifact,
        id: str,  # noqa: A002 - the noun
        data: bytes,
        following: str,
        errors: bytes = b"",
    ) -> Artifact | None:
        """Write one file; None where the name is taken. The summary tells of `errors` too, which lie beside it."""
        path, binary = artifact_path(id), binary_kind(data, self._config.lang)
        text, secrets = hide(_text(data))
        also = hide(_text(errors))[0]
        artifact = run._replace(
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
                secrets=secrets,
                binary=binary,
            ),
        )
        if not self._is_fit(artifact):  # what the output says to the model that reads it is no summary of it
            *lines, last = artifact.summary
            fit = [
                one if self._is_fit(run._replace(summary=(one,))) else say(self._config.lang, "withheld")
                for one in lines
            ]
            artifact = artifact._replace(summary=(*dict.fromkeys(fit), last))
        place = self._root.place(path, make=True)
        return artifact if make_new(place.name, write_head(artifact) + data, path) else None


def _text(data: bytes) -> str:
    return plain(data.decode("utf-8", "replace"))


def _block(stream: BinaryIO, begun: bytes, most: int) -> tuple[bytes, bytes]:
    """Read as much as one file may hold, to the end of a line where there is one; gives what was read beyond it too."""
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
    """Give a name that sorts by time to the millisecond, and that hardly anybody else draws; no listing is needed."""
    drawn = int.from_bytes(os.urandom(2)) % 1024
    number = now.microsecond // 1000 * 1024 + drawn
    return f"{now.astimezone():%Y%m%d-%H%M%S}-" + "".join(_ALPHABET[number >> shift & 31] for shift in (15, 10, 5, 0))


def _stamp(time: dt.datetime) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"


def _count(data: bytes) -> int:
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r"))) if data else 0
