"""A file as a model may see it: text, its secrets masked line for line, nothing hidden in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NoReturn

from mdmem.context.output import binary_kind
from mdmem.context.output.seen import plain
from mdmem.core.artifact import FOLDER, HEAD, Artifact, artifact_id, artifact_path, read_artifact
from mdmem.core.record import NamedTuple
from mdmem.errors import MdmemError, TargetError, UsageError
from mdmem.linter.secrets import Secret, find_secrets
from mdmem.linter.spoken import find_spoken
from mdmem.linter.views import lower
from mdmem.store.root import Root, read
from mdmem.workspace.access import Access
from mdmem.workspace.artifacts.words import say
from mdmem.workspace.config import Config

_SPOKEN = ("password", "PIN", "CVV")


class Text(NamedTuple):
    """A file, or the output of a tool run, as lines that may be shown."""

    path: str
    lines: tuple[str, ...]  # none where it is no text
    binary: str = ""  # what it is, where it is no text
    masked: bool = False  # whether there were secrets in it
    altered: bool = False  # whether an output is not what was kept
    artifact: Artifact | None = None
    raw: bytes = b""  # as it lies on disk; of a tool run, the output


def output_of(config: Config, reference: str, actor: str) -> Text:
    """Give the output of a tool run.

    Raises:
        UsageError: this is no reference to one.
        TargetError: there is none of that name.
        MemoryOffError: memory is switched off.
    """
    id = artifact_id(reference)  # noqa: A001 - the noun
    if not id:
        stop(config, UsageError, "no-id")
    Access(config, actor).reach(FOLDER)
    path = artifact_path(id)
    data = _bytes(config, path, config.settings.artifacts.max_bytes + HEAD)
    if data is None:
        stop(config, TargetError, "no-artifact", id=id)
    artifact = read_artifact(data, path)
    body = data[artifact.body :]
    same = artifact.digest == hashlib.sha256(body).hexdigest()
    found = _text(path, body, config.lang, clean=same and not artifact.secrets)
    return found._replace(artifact=artifact, altered=bool(artifact.digest) and not same)


def text_of(config: Config, path: str, actor: str) -> Text:
    """Give the text of a file of the workspace, or of a tool run by its reference.

    Raises:
        RefusedError: the path leaves the workspace, or belongs to mdmem or another tool (X3).
        TargetError: there is no such file.
        MemoryOffError: memory is switched off.
        UnreadableFileError: it is no regular file, or too large.
    """
    if path.startswith("tool:"):
        return output_of(config, path, actor)
    path = Access(config, actor).reach(path)
    most = config.settings.lint.max_bytes
    if path.startswith(f"{FOLDER}/"):
        most = max(most, config.settings.artifacts.max_bytes + HEAD)
    data = _bytes(config, path, most)
    if data is None:
        stop(config, TargetError, "no-file", path=path)
    return _text(path, data, config.lang, clean=False)


def stop(config: Config, error: type[MdmemError], key: str, **facts: object) -> NoReturn:
    """Raise an error in the workspace's words."""
    raise error(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))


def hide(text: str) -> tuple[str, int]:
    """Put `[name]` in the place of every secret, keeping the number of lines; gives how many there were."""
    out: list[str] = []
    done = count = 0
    for name, start, end in sorted(_secrets(text), key=lambda one: (one[1], -one[2])):
        if start >= done:
            out += (text[done:start], f"[{name}]", "\n" * text.count("\n", start, end))
            done, count = end, count + 1
    return "".join((*out, text[done:])) if count else text, count


def _secrets(text: str) -> Iterator[Secret]:
    """Give keys and tokens, and what is called a password; numbers that may be a card's are a table's as often."""
    yield from find_secrets(text)
    yield from (one for one in find_spoken(text, lower(text)) if one[0] in _SPOKEN)


def _bytes(config: Config, path: str, most: int) -> bytes | None:
    with Root(config.root) as root:
        try:
            found = read(root.place(path), most)
        except FileNotFoundError:
            return None
    return found.data if found else None


def _text(path: str, data: bytes, lang: str, *, clean: bool) -> Text:
    if binary := binary_kind(data, lang):
        return Text(path, (), binary, raw=data)
    seen = plain(data.decode("utf-8", "replace"))
    shown, count = (seen, 0) if clean else hide(seen)
    lines = shown.split("\n")
    return Text(path, tuple(lines[:-1] if not lines[-1] else lines), masked=count > 0, raw=data)
