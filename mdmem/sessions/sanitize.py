"""Sanitizes turns before they are written, and before something is made of them.

Takes out control characters, secrets and forgotten texts; of what is made of turns, pastes and confidences too.
Hidden characters that are no control characters stay, and are reported.
"""

# A hook records a turn in a process of its own; the linter's rules are imported only for a text with odd characters.
from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import PERSONS
from mdmem.entries.tombstones import STRUCK, tombstones
from mdmem.errors import RefusedError, UsageError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn, is_text
from mdmem.linter.detect.hidden_text import visible_text
from mdmem.linter.detect.secrets import Secret, without_overlaps
from mdmem.linter.masking import every_secret, mask
from mdmem.linter.views.hidden_characters import is_plain, without_controls
from mdmem.messages.catalog import label, say
from mdmem.sessions.confidences import confidences, public_turns
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.sessions.pasted_text import spoken_turns
from mdmem.text.pattern import pattern

_CHARACTERS = ("MM104", "MM105", "MM106")  # control, hidden, bidirectional characters: reported
_CLOCK = pattern(r"\d{2}:\d{2}(?::\d{2})?\Z")


class SanitizedText(NamedTuple):
    """The text to write, and notes for the caller."""

    text: str
    notes: tuple[str, ...]
    secrets: int = 0  # that were masked


def sanitize_turn(config: WorkspaceConfig, text: str, actor: str, known: KnownSecrets | None = None) -> SanitizedText:
    """Take out control characters and forgotten texts, mask the secrets, and report hidden characters.

    `known` are the secrets of the session so far: they are masked again, and those of this text are added to them.
    A person who records a session may repeat a forgotten text and gets a note instead (law 12).

    Raises:
        RefusedError: the text holds lone surrogates, which UTF-8 cannot encode.
        UnreadableFileError: the tombstones cannot be read.
    """
    if not is_text(text):
        raise RefusedError(say(config.lang, "session.surrogate"), hint=say(config.lang, "session.surrogate.hint"))
    notes, given = list[str](), text
    text = without_controls(text)
    if secrets := _secrets(text, known):
        shown = ", ".join(dict.fromkeys(label(config.lang, f"rules.kind.{kind}", kind) for kind, _, _ in secrets))
        notes.append(say(config.lang, "session.masked", count=len(secrets), names=shown))
        text = mask(text, secrets)
    if not is_plain(given):
        notes += _odd_characters(config, given)
        notes += [say(config.lang, "session.cleaned")] if without_controls(given) != given else []
    stones = tombstones(config)
    if actor in PERSONS:
        notes += [say(config.lang, "session.said-again")] if stones.holds(text) else []
    elif (struck := stones.strike(text, STRUCK)) != text:
        text, notes = struck, [*notes, say(config.lang, "session.struck")]
    return SanitizedText(text, tuple(notes), len(secrets))


def _secrets(text: str, known: KnownSecrets | None) -> tuple[Secret, ...]:
    """Return the secrets of a text: those found by themselves, and those that were found in the session before."""
    found = tuple(every_secret(text))
    if known is None:
        return found
    known.add(text, found)
    return tuple(without_overlaps((*found, *known.find(text))))


def _odd_characters(config: WorkspaceConfig, text: str) -> tuple[str, ...]:
    from mdmem.linter.rule import Subject
    from mdmem.linter.runner import choose, lint_subject
    from mdmem.text.document import Document

    subject = Subject("", Document(text.encode()), None, config.settings.lint, config.today)
    return tuple(dict.fromkeys(one.message for one in lint_subject(subject, choose(_CHARACTERS, ()), config.lang)))


def time_of(config: WorkspaceConfig, at: str | dt.datetime | None, day: dt.date | None) -> str:
    """Return the time of a turn as text: the clock on the session's own day, else with its date.

    Raises:
        UsageError: not a valid time.
    """
    try:
        if isinstance(at, str) and _CLOCK.match(at):
            dt.time.fromisoformat(at)
            return at
        moment = dt.datetime.fromisoformat(at) if isinstance(at, str) else at or dt.datetime.now().astimezone()
    except ValueError as error:
        hint = say(config.lang, "session.time.hint")
        raise UsageError(say(config.lang, "session.time", time=at), hint=hint) from error
    clock = f"{moment:%H:%M:%S}" if at and moment.second else f"{moment:%H:%M}"
    return clock if moment.date() == day else f"{moment:%Y-%m-%d} {clock}"


def sanitized_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns with secrets masked and hidden characters removed."""
    return tuple(replace(turn, text=mask(visible_text(turn.text))) for turn in turns)


def remembered_turns(config: WorkspaceConfig, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return what something may be made of: turns without pastes, secrets, and what was said in confidence."""
    spoken = sanitized_turns(spoken_turns(config, turns))
    return public_turns(spoken, Splitter(config.settings.sentences), confidences(config.settings.keeper))
