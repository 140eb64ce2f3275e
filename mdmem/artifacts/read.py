"""Reads stored tool runs: lists them, and returns or searches their lines as text that a model may see."""

# `regex_process` is imported when a regular expression is searched: it loads `subprocess`.
from __future__ import annotations

import datetime as dt
import hashlib
import os
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from mdmem.artifacts.model import ArtifactView, MatchedLine, MatchedLines, StoredArtifact
from mdmem.artifacts.summaries import binary_kind
from mdmem.artifacts.summaries.output_lines import plain
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.read import current_path, live_bytes
from mdmem.errors import MdmemError, TargetError, UnreadableFileError, UsageError
from mdmem.formats.artifact import FOLDER, HEAD, Artifact, artifact_id, artifact_path, is_id, read_artifact
from mdmem.formats.paths import within_user
from mdmem.linter.masking import output_secrets
from mdmem.messages.catalog import say
from mdmem.store.root import Root, open_file
from mdmem.text.pattern import pattern


def kept_of(run: Artifact) -> StoredArtifact:
    """Return the handle of an artifact."""
    line = " ".join(plain(run.input).split())
    return StoredArtifact(run.id, run.path, run.summary, run.exit_code, run.tool, line, run.secrets, run.masked)


_MONTH = pattern(r"\d{4}-\d\d\Z")
_DAY = pattern(r"(\d{4})(\d\d)(\d\d)-")


def artifacts(
    config: WorkspaceConfig, *, tool: str | None, since: dt.date | None, limit: int | None
) -> tuple[Artifact, ...]:
    """List tool runs; see `Workspace.artifacts.list`."""
    AccessPolicy(config, "user").reach(FOLDER)
    most = limit or config.settings.artifacts.listed
    found: list[Artifact] = []
    with Root(config.root) as root:
        for path in newest_first(config, root, since):
            artifact = read_front(root, path)
            if (
                artifact is None
                or (tool and artifact.tool != tool)
                or (since and artifact.started[:10] < since.isoformat())
            ):
                continue
            found.append(artifact)
            if len(found) == most:
                break
    return tuple(found)


def newest_first(config: WorkspaceConfig, root: Root, since: dt.date | None = None) -> Iterator[str]:
    """Return the paths of tool runs: those in folders by month, newest first, then the older ones outside them."""
    place = config.whose.place
    names = root.names(place(FOLDER))
    day = f"{since:%Y%m%d}" if since else ""
    for month in sorted(filter(_MONTH.match, names), reverse=True):
        if since and month < f"{since:%Y-%m}":
            break
        for name in reversed(root.names(place(f"{FOLDER}/{month}"))):
            path = f"{FOLDER}/{month}/{name}"
            if name[:8] >= day and is_id(name[:-3]) and artifact_path(name[:-3]) == path:
                yield place(path)
    for name in sorted(names, key=lambda name: (len(name), name), reverse=True):
        if name.endswith(".md") and is_id(name[:-3]) and artifact_path(name[:-3]) == f"{FOLDER}/{name}":
            yield place(f"{FOLDER}/{name}")


def read_front(root: Root, path: str) -> Artifact | None:
    """Read the front matter of an output, and no more of the file; None if it is missing or unreadable."""
    try:
        descriptor = open_file(root.place(path))
    except (OSError, UnreadableFileError):
        return None
    try:
        return read_artifact(os.pread(descriptor, HEAD, 0), path)
    except OSError:
        return None
    finally:
        os.close(descriptor)


class SanitizedFile(NamedTuple):
    """A file, or the output of a tool run, as lines that may be shown."""

    path: str
    lines: tuple[str, ...]  # empty if it is not text
    binary: str = ""  # the type of data, if it is not text
    masked: bool = False  # whether it held secrets
    altered: bool = False  # whether an output differs from what was stored
    artifact: Artifact | None = None
    raw: bytes = b""  # the bytes on disk; for a tool run, of the output


def output_of(config: WorkspaceConfig, reference: str, actor: str) -> SanitizedFile:
    """Return the output of a tool run.

    Raises:
        UsageError: not a reference to a tool run.
        TargetError: there is no such tool run.
        MemoryOffError: memory is switched off.
    """
    id = artifact_id(reference)  # noqa: A001 - the noun
    if not id:
        refuse(config, UsageError, "artifact.no-id")
    AccessPolicy(config, actor).reach(FOLDER)
    path = current_path(config, config.whose.place(artifact_path(id)))
    data = live_bytes(config, path, config.settings.artifacts.max_bytes + HEAD)
    if data is None:
        refuse(config, TargetError, "artifact.no-artifact", id=id)
    artifact = read_artifact(data, path)
    body = data[artifact.body :]
    same = artifact.digest == hashlib.sha256(body).hexdigest()
    found = _text(path, body, config.lang, clean=same and not artifact.secrets)
    return found._replace(artifact=artifact, altered=bool(artifact.digest) and not same)


def text_of(config: WorkspaceConfig, path: str, actor: str) -> SanitizedFile:
    """Return the text of a file of the workspace, or of a tool run by its reference.

    Raises:
        RefusedError: the path leaves the workspace, or belongs to mdmem or another tool (X3).
        TargetError: there is no such file.
        MemoryOffError: memory is switched off.
        UnreadableFileError: not a regular file, or too large.
    """
    if path.startswith("tool:"):
        return output_of(config, path, actor)
    path = current_path(config, AccessPolicy(config, actor).reach(path))
    most = config.settings.lint.max_bytes
    if within_user(path).startswith(f"{FOLDER}/"):
        most = max(most, config.settings.artifacts.max_bytes + HEAD)
    data = live_bytes(config, path, most)
    if data is None:
        refuse(config, TargetError, "artifact.no-file", path=path)
    return _text(path, data, config.lang, clean=False)


def refuse(config: WorkspaceConfig, error: type[MdmemError], key: str, **facts: object) -> NoReturn:
    """Raise an error with a message and a hint in the workspace's language."""
    raise error(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))


def mask_secrets(text: str) -> tuple[str, int]:
    """Replace every secret by `[name]`, keeping the number of lines; return the text and the number of secrets."""
    out: list[str] = []
    done = count = 0
    for name, start, end in sorted(output_secrets(text), key=lambda one: (one[1], -one[2])):
        if start >= done:
            out += (text[done:start], f"[{name}]", "\n" * text.count("\n", start, end))
            done, count = end, count + 1
    return "".join((*out, text[done:])) if count else text, count


def _text(path: str, data: bytes, lang: str, *, clean: bool) -> SanitizedFile:
    if binary := binary_kind(data, lang):
        return SanitizedFile(path, (), binary, raw=data)
    seen = plain(data.decode("utf-8", "replace"))
    shown, count = (seen, 0) if clean else mask_secrets(seen)
    lines = shown.split("\n")
    return SanitizedFile(path, tuple(lines[:-1] if not lines[-1] else lines), masked=count > 0, raw=data)


_RANGE = pattern(r"\s*(?:(\d{1,9})(?:(-)(\d{1,9})?|:(\d{1,9}))?|-(\d{1,9}))\s*\Z")


def get(config: WorkspaceConfig, reference: str, range_: str | None, actor: str) -> ArtifactView:
    """Return lines of a tool run's output; see `Workspace.artifacts.get`."""
    text = output_of(config, reference, actor)
    if text.artifact is None or text.binary:
        name = text.artifact.id if text.artifact else text.path
        message = say(config.lang, "artifact.binary", path=text.path, id=name)
        return ArtifactView(text.path, text.binary, message, raw=text.raw)
    settings, lang, total = config.settings.artifacts, config.lang, len(text.lines)
    first, last, begin = _range(config, range_, total)
    room = settings.reply_chars
    above = ""
    if range_ is None:
        above = "\n".join(text.artifact.summary)[: room // 2] + "\n\n"
        last = min(last, settings.first_lines)
    shown, until, cut = _lines(text.lines, first, last, begin, room - len(above))
    following = f"{until}:{cut}" if cut else f"{until + 1}-" if until < total else ""
    hints = [say(lang, "artifact.more", next=following)] if following else []
    hints += [say(lang, "artifact.continued", next=text.artifact.next)] if text.artifact.next and not following else []
    errors = text.artifact.stderr
    hints += [say(lang, "artifact.stderr", id=errors)] if errors and range_ is None else []
    hints += (
        [say(lang, "artifact.whole-input", rest=text.artifact.rest)] if text.artifact.rest and range_ is None else []
    )
    return _look(config, text, above + shown, first, until, hints)


def snippet(config: WorkspaceConfig, path: str, start: int, length: int | None, actor: str) -> ArtifactView:
    """Return lines of a file; see `Workspace.artifacts.snippet`."""
    settings = config.settings.artifacts
    length = settings.first_lines if length is None else length
    text = text_of(config, path, actor)
    total = len(text.lines)
    if text.binary:
        refuse(config, UsageError, "artifact.no-text", path=text.path)
    if length < 1 or not 1 <= start <= max(total, 1):
        refuse(config, UsageError, "artifact.no-start", total=total)
    shown, until, _ = _lines(text.lines, start, min(total, start + length - 1), 0, settings.reply_chars)
    hints = [say(config.lang, "artifact.more-lines", next=until + 1)] if until < total else []
    return _look(config, text, shown, start, until, hints)


def grep(config: WorkspaceConfig, path: str, words: str, limit: int | None, actor: str, *, regex: bool) -> MatchedLines:
    """Return the matching lines of a file; see `Workspace.artifacts.grep`."""
    settings, lang = config.settings.artifacts, config.lang
    if not words:
        refuse(config, UsageError, "artifact.no-pattern")
    text = text_of(config, path, actor)
    if text.binary:
        refuse(config, UsageError, "artifact.no-text", path=text.path)
    most = max(1, min(limit or settings.found_lines, settings.reply_chars))
    numbers = _matching(text, words, most + 1, config, regex=regex)
    hits: list[MatchedLine] = []
    room = settings.reply_chars
    for number in numbers[:most]:
        line = _around(text.lines[number - 1], words, settings.found_chars)
        room -= len(line) + 1
        if room < 0 and hits:
            break
        hits.append(MatchedLine(text.path, number, line))
    key = "artifact.found-none" if not hits else "artifact.found-more" if len(hits) < len(numbers) else "artifact.found"
    message = say(lang, key, path=text.path, count=len(hits))
    return MatchedLines(text.path, tuple(hits), message, say(lang, f"{key}.hint") or _note(config, text))


def _matching(text: SanitizedFile, words: str, most: int, config: WorkspaceConfig, *, regex: bool) -> list[int]:
    """Return the numbers of the matching lines; only the masked text is searched, so no search reveals a secret."""
    if regex:
        from mdmem.artifacts.regex_process import regex_lines

        settings = config.settings.artifacts
        whole = "\n".join(text.lines)
        return regex_lines(whole, words, limit=most, chars=settings.search_chars, seconds=settings.search_seconds)
    found = []
    for number, line in enumerate(text.lines, 1):
        if words in line:
            found.append(number)
            if len(found) == most:
                break
    return found


def _lines(lines: tuple[str, ...], first: int, last: int, begin: int, room: int) -> tuple[str, int, int]:
    """Return the lines that fit, the number of the last one, and the 1-based character at which it was cut, else 0."""
    out: list[str] = []
    for number in range(first, last + 1):
        line = lines[number - 1][begin:] if number == first else lines[number - 1]
        if len(line) + 1 > room:
            if out or room < 1:
                return "\n".join(out), number - 1, 0
            offset = begin if number == first else 0
            return line[:room], number, offset + room + 1
        room -= len(line) + 1
        out.append(line)
    return "\n".join(out), last, 0


def _range(config: WorkspaceConfig, text: str | None, total: int) -> tuple[int, int, int]:
    """Parse a range of lines: the first, the last, and the character (0-based) of the first at which to begin."""
    if text is None:
        return 1, total, 0
    match = _RANGE.match(text)
    if match and total:
        begin, dash, until, at, end = match.groups()
        if end:
            return max(1, total - int(end) + 1), total, 0
        first = int(begin)
        last = int(until) if until else total if dash else first
        if 1 <= first <= min(last, total):
            return first, min(last, total), max(0, int(at) - 1) if at else 0
    if total:
        refuse(config, UsageError, "artifact.no-range", range=text[:40], total=total)
    return 1, 0, 0


def _around(line: str, words: str, most: int) -> str:
    """Cut a long line around the match."""
    if len(line) <= most:
        return line
    begin = max(0, min(line.find(words) - most // 4, len(line) - most + 1))
    cut = line[begin : begin + most - 2]
    return ("…" if begin else "") + cut + ("…" if begin + len(cut) < len(line) else "")


def _look(
    config: WorkspaceConfig, text: SanitizedFile, shown: str, first: int, last: int, hints: list[str]
) -> ArtifactView:
    total = len(text.lines)
    key = "artifact.shown" if total else "artifact.nothing"
    message = say(config.lang, key, path=text.path, first=first, last=last, total=total)
    joined = say(config.lang, "punctuation.clause").join(filter(None, (*hints, _note(config, text))))
    return ArtifactView(text.path, shown, message, joined, first if total else 0, last, total, text.raw)


def _note(config: WorkspaceConfig, text: SanitizedFile) -> str:
    notes = [
        say(config.lang, key)
        for key, true in (("artifact.masked", text.masked), ("artifact.altered", text.altered))
        if true
    ]
    return say(config.lang, "punctuation.clause").join(notes)
