"""The journeys of a pin: pinned with its proof, changed, renewed, listed; taking one down is an ordinary removal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from mdmem.core.document import Document, parse
from mdmem.core.duration import read_duration
from mdmem.core.edit import Edit
from mdmem.core.intent import add, find_entry, replace
from mdmem.core.intent.content import content
from mdmem.core.meters import size
from mdmem.core.pin import FIELDS, Pin, pin_id, read_body, read_pin, twin, with_body, with_fields, write_body
from mdmem.core.template import EntryRule, Template
from mdmem.errors import ConfigError, MdmemError, RefusedError, TargetError, UsageError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.change import remove_entries
from mdmem.workspace.commit import Commit
from mdmem.workspace.config import Config
from mdmem.workspace.entry import retold
from mdmem.workspace.home import move_expired
from mdmem.workspace.inbox import propose
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.pins.evidence import find_evidence, find_whole
from mdmem.workspace.pins.words import say
from mdmem.workspace.read import read_file
from mdmem.workspace.sessions_held import session_days


def pins_template(config: Config) -> Template:
    """Give the template of the pins; raises ConfigError where somebody has taken it away."""
    template = config.schemas.get("pins")
    if template is None:
        raise ConfigError("there is no template of the kind `pins`")
    return template


def list_pins(config: Config, document: Document | None = None) -> tuple[Pin, ...]:
    """Give the pins; see `Workspace.pin_list`."""
    template = pins_template(config)
    if document is None:
        try:
            text = read_file(config, template.files[0], "user").text
        except TargetError:
            return ()
        document = parse(text.encode())
    default, today = " or ".join(template.parts.get("ttl", ())), dt.date.fromisoformat(config.day)
    sessions = session_days(config)
    return tuple(read_pin(one, default, today, sessions) for one in document.entries if not one.depth)


def add_pin(commit: Commit, title: str, summary: str, fields: Mapping[str, str]) -> Outcome:
    """Pin something; see `Workspace.pin_add`. Where all are taken, those past their time make room (G022, G023)."""
    config, path = commit.config, commit.path(pins_template(commit.config).files[0])
    said = (_line(commit, path, title), _line(commit, path, summary))
    if not all(said):
        _stop(commit, UsageError, "text")
    named = _checked(commit, path, {**fields, "created": config.day})
    key, cap, there = "", pins_template(config).file.max_entries, list_pins(config)
    if cap is not None and len(there) >= cap and any(pin.expired for pin in there):
        move_expired(config, path)

    def change(files: Files) -> Edits:
        nonlocal key
        document = files[path]
        template = commit.template(path, document) or pins_template(config)
        if document is None:
            commit.new(path)
        elif same := twin(document, said[0], said[1]):
            pin = list_pins(config, document)[[one for one in document.entries if not one.depth].index(same)]
            shown = _short(pin, config)
            _stop(commit, RefusedError, "twin", candidates=(shown,), text=shown)
        body = write_body(said[0], said[1], template.lang or commit.lang)
        known = frozenset(one.parts.id or "" for one in document.entries) if document else frozenset[str]()
        key = pin_id(body, known)
        text = f"{with_fields(content(body, {}, EntryRule()).text, named)} ^{key}"
        _fits(commit, document, template, text)
        intent = add(document, template, [text])
        commit.note(path, *intent.notes)
        return {path: intent.edits}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "pinned", key=f"^{key}", title=said[0]), path)


def update_pin(commit: Commit, name: str, title: str, summary: str, fields: Mapping[str, str]) -> Outcome:
    """Change a pin; see `Workspace.pin_update`."""
    path = commit.path(pins_template(commit.config).files[0])
    said = (_line(commit, path, title), _line(commit, path, summary))
    if not (any(said) or fields):
        _stop(commit, UsageError, "no-change")
    named = _checked(commit, path, fields)

    def new(text: str, template: Template) -> str:
        old = read_body(text)
        if any(said):
            text = with_body(text, write_body(said[0] or old[0], said[1] or old[1], template.lang or commit.lang))
        return with_fields(text, named)

    return _rewritten(commit, path, [name], new, "updated")


def renew_pins(commit: Commit, names: Sequence[str], ttl: str) -> Outcome:
    """Let pins hold from today on; see `Workspace.pin_renew`."""
    path = commit.path(pins_template(commit.config).files[0])
    named = _checked(commit, path, {"created": commit.config.day, **({"ttl": ttl} if ttl else {})})
    return _rewritten(commit, path, names, lambda text, _: with_fields(text, named), "renewed")


def remove_pins(commit: Commit, names: Sequence[str]) -> Outcome:
    """Take pins down; see `Workspace.pin_remove`."""
    return remove_entries(commit, pins_template(commit.config).files[0], names)


def _rewritten(
    commit: Commit, path: str, names: Sequence[str], new: Callable[[str, Template], str], done: str
) -> Outcome:
    if not names or isinstance(names, str):
        commit.access.stop(UsageError, "empty-text")

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        template = commit.template(path, document) or pins_template(commit.config)
        edits: list[Edit] = []
        with retold(commit, path, "entry"):
            for entry in dict.fromkeys(find_entry(document, name) for name in names):
                text = new(entry.text, template)
                most = template.entries.max_chars
                if most is not None and len(text) > max(most, len(entry.text)):
                    _stop(commit, RefusedError, "long", chars=len(text), max=most)
                edits += replace(document, entry, text).edits
        return {path: edits}

    commit.run(change, propose=propose)
    keys = ", ".join(names)
    return commit.outcome(say(commit.lang, done, key=keys, keys=keys, day=commit.config.day), path)


def _checked(commit: Commit, path: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Give the fields as they are written; each is what it must be, and its evidence is there (G020, G060)."""
    config, found = commit.config, {key: value.strip() for key, value in fields.items()}
    rule = pins_template(config).entries.fields.get("type")
    if "type" in found and rule and rule.choices and found["type"] not in rule.choices:
        _stop(commit, UsageError, "type", name=found["type"][:40], names=", ".join(rule.choices))
    if found.get("ttl") and read_duration(found["ttl"]) is None:
        _stop(commit, UsageError, "ttl", name=found["ttl"][:40])
    for value in found.values():
        commit.gate.raw(path, value)
    if "source" in found:
        evidence = find_evidence(config, found["source"], commit.access.actor)
        if evidence.missing:
            _stop(commit, RefusedError, "no-evidence", why=evidence.missing)
    if found.get("artifact"):
        whole = find_whole(config, found["artifact"], commit.access.actor)
        if whole.missing:
            _stop(commit, RefusedError, "no-evidence", why=whole.missing)
        found["artifact"] = whole.path
    return {key: found[key] for key in FIELDS if key in found}


def _fits(commit: Commit, document: Document | None, template: Template, text: str) -> None:
    """Refuse a pin that is too long, or one more than there may be, and name the oldest (G021, G022)."""
    most, cap = template.entries.max_chars, template.file.max_entries
    if most is not None and len(text) > most:
        _stop(commit, RefusedError, "long", chars=len(text), max=most)
    number = size(document).entries if document else 0
    if cap is not None and number >= cap and document:
        pins = sorted(list_pins(commit.config, document), key=lambda pin: (pin.created, pin.line))
        told = tuple(_short(pin, commit.config) for pin in pins[: commit.config.settings.pins.candidates])
        _stop(commit, RefusedError, "full", candidates=told, count=number, max=cap)


def _line(commit: Commit, path: str, text: str) -> str:
    """Make one line of a text; raises RefusedError for a wall of output."""
    if not text.strip():
        return ""
    commit.gate.raw(path, text)
    return content(text, {}, EntryRule()).text


def _short(pin: Pin, config: Config) -> str:
    most = config.settings.pins.candidate_chars
    said = f"{pin.title}: {pin.summary}" if pin.title else pin.summary
    return f"{pin.key} {said if len(said) <= most else f'{said[: most - 1]}…'}"


def _stop(
    commit: Commit, error: type[MdmemError], key: str, /, *, candidates: tuple[str, ...] = (), **facts: object
) -> NoReturn:
    listed = "; ".join(candidates)
    message = say(commit.lang, key, **facts)
    hint = say(commit.lang, f"{key}.hint", candidates=listed, **facts)
    raise (
        RefusedError(message, hint=hint, candidates=candidates) if error is RefusedError else error(message, hint=hint)
    )
