"""Looks at evidence point to point: some lines of a tool run or a file, or those that match, always bounded (G037)."""

from __future__ import annotations

from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.errors import UsageError
from mdmem.workspace.artifacts.text import Text, output_of, stop, text_of
from mdmem.workspace.artifacts.words import say
from mdmem.workspace.config import Config

_RANGE = pattern(r"\s*(?:(\d{1,9})(?:(-)(\d{1,9})?|:(\d{1,9}))?|-(\d{1,9}))\s*\Z")


class Look(NamedTuple):
    """What was asked for, as text that may be shown to a model."""

    path: str
    text: str
    message: str
    hint: str = ""
    first: int = 0  # 1-based; 0 where there are no lines
    last: int = 0
    total: int = 0  # lines in all
    raw: bytes = b""  # the output of a tool run as it is, all of it; for a person, never for a model


class Hit(NamedTuple):
    """One line that matches."""

    path: str
    line: int  # 1-based
    text: str


class Found(NamedTuple):
    """The lines that match."""

    path: str
    hits: tuple[Hit, ...]
    message: str
    hint: str = ""


def get(config: Config, reference: str, range_: str | None, actor: str) -> Look:
    """Give lines of a tool run's output; see `Workspace.artifact_get`."""
    text = output_of(config, reference, actor)
    if text.artifact is None or text.binary:
        return Look(text.path, text.binary, _binary(config, text), raw=text.raw)
    settings, lang, total = config.settings.artifacts, config.lang, len(text.lines)
    first, last, begin = _range(config, range_, total)
    room = settings.reply_chars
    above = ""
    if range_ is None:
        above = "\n".join(text.artifact.summary)[: room // 2] + "\n\n"
        last = min(last, settings.first_lines)
    shown, until, cut = _lines(text.lines, first, last, begin, room - len(above))
    following = f"{until}:{cut}" if cut else f"{until + 1}-" if until < total else ""
    hints = [say(lang, "more", next=following)] if following else []
    hints += [say(lang, "continued", next=text.artifact.next)] if text.artifact.next and not following else []
    errors = text.artifact.stderr
    hints += [say(lang, "stderr", id=errors)] if errors and range_ is None else []
    hints += [say(lang, "whole-input", rest=text.artifact.rest)] if text.artifact.rest and range_ is None else []
    return _look(config, text, above + shown, first, until, hints)


def snippet(config: Config, path: str, start: int, length: int | None, actor: str) -> Look:
    """Give lines of a file; see `Workspace.snippet`."""
    settings = config.settings.artifacts
    length = settings.first_lines if length is None else length
    text = text_of(config, path, actor)
    total = len(text.lines)
    if text.binary:
        stop(config, UsageError, "no-text", path=text.path)
    if length < 1 or not 1 <= start <= max(total, 1):
        stop(config, UsageError, "no-start", total=total)
    shown, until, _ = _lines(text.lines, start, min(total, start + length - 1), 0, settings.reply_chars)
    hints = [say(config.lang, "more-lines", next=until + 1)] if until < total else []
    return _look(config, text, shown, start, until, hints)


def grep(config: Config, path: str, words: str, limit: int | None, actor: str, *, regex: bool) -> Found:
    """Give the lines of a file that match; see `Workspace.grep`."""
    settings, lang = config.settings.artifacts, config.lang
    if not words:
        stop(config, UsageError, "no-pattern")
    text = text_of(config, path, actor)
    if text.binary:
        stop(config, UsageError, "no-text", path=text.path)
    most = max(1, min(limit or settings.found_lines, settings.reply_chars))
    numbers = _matching(text, words, most + 1, config, regex=regex)
    hits: list[Hit] = []
    room = settings.reply_chars
    for number in numbers[:most]:
        line = _around(text.lines[number - 1], words, settings.found_chars)
        room -= len(line) + 1
        if room < 0 and hits:
            break
        hits.append(Hit(text.path, number, line))
    key = "found-none" if not hits else "found-more" if len(hits) < len(numbers) else "found"
    message = say(lang, key, path=text.path, count=len(hits))
    return Found(text.path, tuple(hits), message, say(lang, f"{key}.hint") or _note(config, text))


def _matching(text: Text, words: str, most: int, config: Config, *, regex: bool) -> list[int]:
    """Look in what is shown, never in what is masked: else a search could tell a secret letter by letter."""
    if regex:
        from mdmem.store.match import matching_lines

        settings = config.settings.artifacts
        whole = "\n".join(text.lines)
        return matching_lines(whole, words, limit=most, chars=settings.search_chars, seconds=settings.search_seconds)
    found = []
    for number, line in enumerate(text.lines, 1):
        if words in line:
            found.append(number)
            if len(found) == most:
                break
    return found


def _lines(lines: tuple[str, ...], first: int, last: int, begin: int, room: int) -> tuple[str, int, int]:
    """Give the lines that fit, the number of the last one, and the character (from 1) at which it was cut; else 0."""
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


def _range(config: Config, given: str | None, total: int) -> tuple[int, int, int]:
    """Read a range of lines: the first, the last, and the character (from 0) of the first at which to begin."""
    if given is None:
        return 1, total, 0
    match = _RANGE.match(given)
    if match and total:
        one, dash, until, at, end = match.groups()
        if end:
            return max(1, total - int(end) + 1), total, 0
        first = int(one)
        last = int(until) if until else total if dash else first
        if 1 <= first <= min(last, total):
            return first, min(last, total), max(0, int(at) - 1) if at else 0
    if total:
        stop(config, UsageError, "no-range", range=given[:40], total=total)
    return 1, 0, 0


def _around(line: str, words: str, most: int) -> str:
    """Cut a long line so that what was found stands in it."""
    if len(line) <= most:
        return line
    begin = max(0, min(line.find(words) - most // 4, len(line) - most + 1))
    cut = line[begin : begin + most - 2]
    return ("…" if begin else "") + cut + ("…" if begin + len(cut) < len(line) else "")


def _look(config: Config, text: Text, shown: str, first: int, last: int, hints: list[str]) -> Look:
    total = len(text.lines)
    key = "shown" if total else "nothing"
    message = say(config.lang, key, path=text.path, first=first, last=last, total=total)
    joined = ("；" if config.lang == "zh" else "; ").join(filter(None, (*hints, _note(config, text))))
    return Look(text.path, shown, message, joined, first if total else 0, last, total, text.raw)


def _note(config: Config, text: Text) -> str:
    notes = [say(config.lang, key) for key, true in (("masked", text.masked), ("altered", text.altered)) if true]
    return ("；" if config.lang == "zh" else "; ").join(notes)


def _binary(config: Config, text: Text) -> str:
    return say(config.lang, "binary", path=text.path, id=text.artifact.id if text.artifact else text.path)
