"""The class behind `Workspace.pins`: add, change, renew, remove and list pins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from mdmem.config.agent_folders import agent_file
from mdmem.config.typed_calls import TypedCalls, several
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest, translated_errors
from mdmem.entries.edits import add, find_entry, replace
from mdmem.entries.edits.content import content
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_optional
from mdmem.entries.service import remove_entries
from mdmem.errors import MdmemError, RefusedError, UsageError
from mdmem.formats.limits import size
from mdmem.formats.template import EntryRule, Template
from mdmem.history.evidence import find_evidence, find_full_evidence
from mdmem.keeper.backlog.maintenance import archive_expired
from mdmem.messages.catalog import say
from mdmem.pins.model import FIELDS, Pin, pin_id, read_body, read_pin, same_pin, with_body, with_fields, write_body
from mdmem.sessions.read import session_days
from mdmem.settings.durations import read_duration
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit


class Pins(TypedCalls):
    """The namespace `Workspace.pins`; each change is in the log, and `history.undo` reverts it.

    `agent` is the owner of the pins, in agents/NAME/ or .notes/NAME/; None for the workspace's, which every agent is
    given.
    """

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def add(
        self,
        type: str,  # noqa: A002 - a published name (G024)
        title: str,
        summary: str,
        source: str,
        *,
        artifact: str | None = None,
        ttl: str | None = None,
        agent: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add a pin (G024).

        Args:
            type: constraint, path, command, code or conclusion (G019).
            title: a few words.
            summary: the fact, in short.
            source: the evidence, `chat:SESSION[#round]`, `tool:ARTIFACT` or `file:PATH#Lx`, which must exist (G020).
            artifact: the id or path of the tool run with the full text.
            ttl: the time to live in days or sessions (`7d`, `30 sessions`); None for that of the template (G023).
            agent: as for the namespace.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            UsageError: title or summary is empty, or the type or time is invalid.
            RefusedError: the evidence does not exist, or the pin is too long (G021), already present, or one too many
                (G022) while none has expired; `candidates` are then pins that could go, the oldest first.

        >>> Workspace("workspace").pins.add("path", "原始数据", "`data/raw/` 只读", "file:facts/riverlog.md#L8").message
        """
        fields = {"type": type, "source": source, "artifact": artifact or "", "ttl": ttl or ""}
        return add_pin(ChangeRequest(self._config, "pin-add", actor, reason), title, summary, fields, agent)

    def update(
        self,
        id: str,  # noqa: A002 - a published name (G026)
        *,
        type: str | None = None,  # noqa: A002
        title: str | None = None,
        summary: str | None = None,
        source: str | None = None,
        artifact: str | None = None,
        ttl: str | None = None,
        agent: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Change the given values of a pin; `id` is its `^id`, its key, or a part of its text. Errors as for `add`.

        Raises:
            TargetError: no pin matches, or more than one.

        >>> Workspace("workspace").pins.update("导入读 CSV", ttl="30 sessions").message
        """
        values = {"type": type, "source": source, "artifact": artifact, "ttl": ttl}
        fields = {key: value for key, value in values.items() if value is not None}
        return update_pin(
            ChangeRequest(self._config, "pin-update", actor, reason), id, title or "", summary or "", fields, agent
        )

    def remove(
        self, ids: str | Sequence[str], *, agent: str | None = None, dry_run: bool = False, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Move pins to the month's archive (G025). Errors as for `Workspace.remove`.

        >>> Workspace("workspace").pins.remove(["导入读 CSV"], dry_run=True).diff
        """
        return remove_pins(
            ChangeRequest(self._config, "pin-remove", actor, reason, confirm=True, dry_run=dry_run), several(ids), agent
        )

    def renew(
        self, ids: str | Sequence[str], ttl: str | None = None, *, agent: str | None = None, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Restart the time to live of pins today, optionally with another one (G023). Errors as for `update`.

        >>> Workspace("workspace").pins.renew(["导入读 CSV"], "14d").message
        """
        return renew_pins(ChangeRequest(self._config, "pin-renew", actor, reason), several(ids), ttl or "", agent)

    def list(self, *, agent: str | None = None) -> tuple[Pin, ...]:
        """Return the pins in the order of the file (G027).

        Raises:
            MemoryOffError: memory is switched off.

        >>> [pin.title or pin.summary for pin in Workspace("workspace").pins.list() if pin.expired]
        """
        return list_pins(self._config, agent=agent)


def pins_template(config: WorkspaceConfig) -> Template:
    """Return the template of the pins.

    Raises:
        ConfigError: there is none.
    """
    return config.schemas.required("pins")


def pins_path(config: WorkspaceConfig, agent: str | None) -> str:
    """Return the path of the pins: the workspace's, or an agent's own; raises UsageError."""
    return agent_file(config, agent, pins_template(config).files[0])


def list_pins(
    config: WorkspaceConfig, document: Document | None = None, *, agent: str | None = None
) -> tuple[Pin, ...]:
    """Return the pins of a document, or else of their file; see `Workspace.pins.list`."""
    template = pins_template(config)
    if document is None:
        found = read_optional(config, pins_path(config, agent), "user")
        if found is None:
            return ()
        document = parse(found.text.encode())
    default, today = " or ".join(template.parts.get("ttl", ())), config.today
    sessions = session_days(config)
    return tuple(read_pin(one, default, today, sessions) for one in document.entries if not one.depth)


def add_pin(
    commit: ChangeRequest, title: str, summary: str, fields: Mapping[str, str], agent: str | None = None
) -> Outcome:
    """Add a pin; see `Workspace.pins.add`. If the file is full, expired pins are archived first (G022, G023)."""
    config, path = commit.config, commit.path(pins_path(commit.config, agent))
    texts = (_line(commit, path, title), _line(commit, path, summary))
    if not all(texts):
        _stop(commit, UsageError, "pin.text")
    checked = _checked(commit, path, {**fields, "created": config.day})
    key, cap, pins = "", pins_template(config).file.max_entries, list_pins(config, agent=agent)
    if cap is not None and len(pins) >= cap and any(pin.expired for pin in pins):
        archive_expired(config, path)

    def change(files: DraftFiles) -> Edits:
        nonlocal key
        document = files[path]
        template = commit.template(path, document) or pins_template(config)
        if document is None:
            commit.new(path)
        elif same := same_pin(document, texts[0], texts[1]):
            pin = list_pins(config, document)[[one for one in document.entries if not one.depth].index(same)]
            shown = _label(pin, config)
            _stop(commit, RefusedError, "pin.twin", candidates=(shown,), text=shown)
        body = write_body(texts[0], texts[1], template.lang or commit.lang)
        used = frozenset(one.parts.id or "" for one in document.entries) if document else frozenset[str]()
        key = pin_id(body, used)
        text = f"{with_fields(content(body, {}, EntryRule()).text, checked)} ^{key}"
        _check_limits(commit, document, template, text)
        edit_plan = add(document, template, [text])
        commit.note(path, *edit_plan.notes)
        return {path: edit_plan.edits}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "pin.pinned", key=f"^{key}", title=texts[0]), path)


def update_pin(
    commit: ChangeRequest, name: str, title: str, summary: str, fields: Mapping[str, str], agent: str | None = None
) -> Outcome:
    """Change a pin; see `Workspace.pins.update`."""
    path = commit.path(pins_path(commit.config, agent))
    texts = (_line(commit, path, title), _line(commit, path, summary))
    if not (any(texts) or fields):
        _stop(commit, UsageError, "pin.no-change")
    checked = _checked(commit, path, fields)

    def new(text: str, template: Template) -> str:
        old = read_body(text)
        if any(texts):
            text = with_body(text, write_body(texts[0] or old[0], texts[1] or old[1], template.lang or commit.lang))
        return with_fields(text, checked)

    return _rewrite(commit, path, [name], new, "pin.updated")


def renew_pins(commit: ChangeRequest, names: Sequence[str], ttl: str, agent: str | None = None) -> Outcome:
    """Restart the time to live of pins; see `Workspace.pins.renew`."""
    path = commit.path(pins_path(commit.config, agent))
    checked = _checked(commit, path, {"created": commit.config.day, **({"ttl": ttl} if ttl else {})})
    return _rewrite(commit, path, names, lambda text, _: with_fields(text, checked), "pin.renewed")


def remove_pins(commit: ChangeRequest, names: Sequence[str], agent: str | None = None) -> Outcome:
    """Move pins to the archive; see `Workspace.pins.remove`."""
    return remove_entries(commit, pins_path(commit.config, agent), names, None)


def _rewrite(
    commit: ChangeRequest, path: str, names: Sequence[str], new: Callable[[str, Template], str], done: str
) -> Outcome:
    if not names or isinstance(names, str):
        commit.access.stop(UsageError, "pen.empty-text")

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        template = commit.template(path, document) or pins_template(commit.config)
        edits: list[Edit] = []
        with translated_errors(commit, path, "entry"):
            for entry in dict.fromkeys(find_entry(document, name) for name in names):
                text = new(entry.text, template)
                most = template.entries.max_chars
                if most is not None and len(text) > max(most, len(entry.text)):
                    _stop(commit, RefusedError, "pin.long", chars=len(text), max=most)
                edits += replace(document, entry, text).edits
        return {path: edits}

    commit.run(change, propose=propose)
    keys = ", ".join(names)
    return commit.outcome(say(commit.lang, done, key=keys, keys=keys, day=commit.config.day), path)


def _checked(commit: ChangeRequest, path: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields to write, after checking type, time to live and evidence (G020, G060)."""
    config, found = commit.config, {key: value.strip() for key, value in fields.items()}
    rule = pins_template(config).entries.fields.get("type")
    if "type" in found and rule and rule.choices and found["type"] not in rule.choices:
        _stop(commit, UsageError, "pin.type", name=found["type"][:40], names=", ".join(rule.choices))
    if found.get("ttl") and read_duration(found["ttl"]) is None:
        _stop(commit, UsageError, "pin.ttl", name=found["ttl"][:40])
    for value in found.values():
        commit.gate.raw(path, value)
    if "source" in found:
        evidence = find_evidence(config, found["source"], commit.access.actor)
        if evidence.missing:
            _stop(commit, RefusedError, "pin.no-evidence", why=evidence.missing)
    if found.get("artifact"):
        whole = find_full_evidence(config, found["artifact"], commit.access.actor)
        if whole.missing:
            _stop(commit, RefusedError, "pin.no-evidence", why=whole.missing)
        found["artifact"] = whole.path
    return {key: found[key] for key in FIELDS if key in found}


def _check_limits(commit: ChangeRequest, document: Document | None, template: Template, text: str) -> None:
    """Refuse a pin that is too long or one too many; the error names the oldest pins (G021, G022)."""
    most, cap = template.entries.max_chars, template.file.max_entries
    if most is not None and len(text) > most:
        _stop(commit, RefusedError, "pin.long", chars=len(text), max=most)
    number = size(document).entries if document else 0
    if cap is not None and number >= cap and document:
        pins = sorted(list_pins(commit.config, document), key=lambda pin: (pin.created, pin.line))
        oldest = tuple(_label(pin, commit.config) for pin in pins[: commit.config.settings.pins.candidates])
        _stop(commit, RefusedError, "pin.full", candidates=oldest, count=number, max=cap)


def _line(commit: ChangeRequest, path: str, text: str) -> str:
    """Return a text as one line.

    Raises:
        RefusedError: the text is raw tool output.
    """
    if not text.strip():
        return ""
    commit.gate.raw(path, text)
    return content(text, {}, EntryRule()).text


def _label(pin: Pin, config: WorkspaceConfig) -> str:
    most = config.settings.pins.candidate_chars
    text = f"{pin.title}: {pin.summary}" if pin.title else pin.summary
    return f"{pin.key} {text if len(text) <= most else f'{text[: most - 1]}…'}"


def _stop(
    commit: ChangeRequest, error: type[MdmemError], key: str, /, *, candidates: tuple[str, ...] = (), **facts: object
) -> NoReturn:
    listed = "; ".join(candidates)
    message = say(commit.lang, key, **facts)
    hint = say(commit.lang, f"{key}.hint", candidates=listed, **facts)
    raise (
        RefusedError(message, hint=hint, candidates=candidates) if error is RefusedError else error(message, hint=hint)
    )
