"""Read an edited state (G046) back: its differences from the files become a proposal in the inbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.inputs import content_checks
from mdmem.context.service import state_kinds
from mdmem.context.state import LISTS, Kind, Row, read_rows
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import add, remove, replace
from mdmem.entries.inbox.proposals import propose_all
from mdmem.entries.model import Outcome
from mdmem.errors import UsageError
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.pins.model import with_body, with_fields, write_body
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line

_FIELDS = {"type": "type", "source": "source", "artifact_ref": "artifact", "created": "created", "ttl": "ttl"}
_KEYS: dict[str, dict[str, type]] = {
    "pins": {"id": str, "title": str, "summary": str, **dict.fromkeys(_FIELDS, str)},
    "plan": {"id": str, "text": str, "done": bool},
    "notebook": {"ts": str, "summary": str, "source": str},
}
_TEXT = {"pins": "summary", "plan": "text", "notebook": "summary"}
_SECTION = {"plan": "todo", "notebook": "runs"}  # key of the template's parts with the section of new rows


def take(config: WorkspaceConfig, state: object, *, actor: str = "user", agent: str | None = None) -> Outcome:
    """Propose the differences between an edited state and its files.

    Raises:
        UsageError: the state is malformed, or a file has changed since the state was printed.
    """
    edited = _checked(config, state)
    commit = ChangeRequest(config, "state", actor, "")
    kinds = state_kinds(config, str(edited.get("recipe", "")), agent)
    digests = edited.get("files", {})

    touched: set[str] = set()

    def change(files: DraftFiles) -> Edits:
        edits: dict[str, Sequence[Edit]] = {}
        touched.clear()
        for key, kind in LISTS.items():
            found = kinds[kind]
            if key not in edited:
                continue
            if found.path in digests and digests[found.path] != found.digest:
                raise UsageError(
                    say(config.lang, "state.moved", path=found.path), hint=say(config.lang, "state.moved.hint")
                )
            if own := _edits(commit, files, key, found, edited[key], whole=found.path in digests):
                edits[found.path] = own
                touched.add(found.path)
        return edits

    commit.run(change, propose=propose_all)
    if commit.waiting is not None:
        facts = {**commit.waiting.facts, "paths": ", ".join(sorted(touched))}
        commit.waiting = commit.waiting._replace(key="pen.proposed-state", facts=facts)
    return commit.outcome("", kinds["pins"].path)


def _checked(config: WorkspaceConfig, state: object) -> Mapping[str, Any]:
    lists = [state[key] for key in LISTS if key in state] if isinstance(state, Mapping) else []
    if not isinstance(state, Mapping) or not lists or not all(isinstance(rows, list) for rows in lists):
        raise UsageError(say(config.lang, "state.none"), hint=say(config.lang, "state.none.hint"))
    for key, names in _KEYS.items():
        for number, row in enumerate(state.get(key, ()), 1):
            if not _is_row(row, names) or not row.get(_TEXT[key], "").strip():
                raise UsageError(say(config.lang, "state.row", name=key, number=number, keys=", ".join(names)))
    if not isinstance(state.get("files", {}), Mapping):
        raise UsageError(say(config.lang, "state.none"), hint=say(config.lang, "state.none.hint"))
    return state


def _is_row(row: object, names: Mapping[str, type]) -> bool:
    return isinstance(row, Mapping) and all(isinstance(row.get(name, kind()), kind) for name, kind in names.items())


def _edits(
    commit: ChangeRequest, files: DraftFiles, key: str, kind: Kind, rows: Sequence[Mapping[str, Any]], *, whole: bool
) -> tuple[Edit, ...]:  # fmt: skip
    """Return the edits of one file; if the state was `whole`, missing rows are removed."""
    before = files[kind.path]
    current = read_rows(key, kind._replace(document=before), content_checks(commit.config)) if before else []
    current = [row for row in current if row.entry.text in _texts(kind)]
    pairs = list(_by_position(current, rows) if key == "notebook" else _by_id(current, rows))
    document = before
    for row, new in sorted(((row, new) for row, new in pairs if row), key=lambda pair: -pair[0].entry.marker.start):
        assert document is not None
        entry = next(one for one in document.entries if one.marker == row.entry.marker)
        if new is not None:
            edit_plan = replace(document, entry, _changed_text(commit, key, row, new))
        elif whole:
            edit_plan = remove(document, [entry])
        else:
            continue
        document = _applied(document, edit_plan.edits)
    added = [_new_text(commit, key, new) for row, new in pairs if row is None and new is not None]
    if added:
        if before is None:
            commit.new(kind.path)
        section = _section(kind.template, key)
        document = _applied(document, add(document, kind.template, added, section=section).edits)
    return smallest(before.text if before else "", document.text) if document else ()


def _texts(kind: Kind) -> frozenset[str]:
    return frozenset(entry.text for entry in kind.document.entries) if kind.document else frozenset()


def _section(template: Template, key: str) -> str | None:
    words = template.parts.get(_SECTION.get(key, ""), ())
    return next((name for word in words if (name := template.name(word))), None)


def _applied(document: Document | None, edits: Sequence[Edit]) -> Document:
    text = apply_edits(document.text if document else "", tuple(edits))
    return parse(text.encode("utf-8", "surrogateescape"))


def _by_id(
    old: Sequence[Row], new: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Row | None, Mapping[str, Any] | None]]:
    """Yield pairs of old and new rows with the same id; None for a missing row."""
    left: dict[str, list[Row]] = {}
    for row in old:
        left.setdefault(row.values["id"], []).append(row)
    for values in new:
        same = left.get(values.get("id", ""), [])
        yield (same.pop(0) if same else None), values
    yield from ((row, None) for rows in left.values() for row in rows)


def _by_position(
    old: Sequence[Row], new: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Row | None, Mapping[str, Any] | None]]:
    """Yield pairs of old and new rows by position: equal rows, and rows that replace others; None for a missing row."""
    names = tuple(_KEYS["notebook"])
    left, right = (
        [tuple(values.get(name, "") for name in names) for values in rows]
        for rows in ([one.values for one in old], new)
    )
    for _, begin, end, new_begin, new_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for at in range(max(end - begin, new_end - new_begin)):
            yield (
                old[begin + at] if begin + at < end else None,
                new[new_begin + at] if new_begin + at < new_end else None,
            )


def _changed_text(commit: ChangeRequest, key: str, row: Row, new: Mapping[str, Any]) -> str:
    """Return the text of an entry with the changed values of its row."""
    old, text = row.values, row.entry.text
    changed = {name for name in _KEYS[key] if name != "id" and new.get(name, old[name]) != old[name]}
    values = {**old, **new}
    if key == "pins" and changed & {"title", "summary"}:
        text = with_body(text, write_body(one_line(values["title"]), one_line(values["summary"]), commit.lang))
    elif _TEXT[key] in changed:
        body = read_entry(text).body
        old_text, wanted = old[_TEXT[key]], one_line(values[_TEXT[key]])
        inner = body.of(text)
        inner = inner.replace(old_text, wanted, 1) if old_text in inner else wanted
        text = f"{text[: body.start]}{inner}{text[body.end :]}"
    if "done" in changed:
        box = read_entry(text).checkbox
        text = f"[{'x' if values['done'] else ' '}] {text[box.end :].lstrip() if box else text}"
    if "ts" in changed:
        day = read_entry(text).date
        text = f"{text[: day.span.start]}{values['ts']}{text[day.span.end :]}" if day else f"{values['ts']} {text}"
    return with_fields(text, {_FIELDS[name]: values[name] for name in _FIELDS if name in changed})


def _new_text(commit: ChangeRequest, key: str, new: Mapping[str, Any]) -> str:
    """Return the entry text of a new row."""
    text = one_line(str(new[_TEXT[key]]))
    if key == "plan":
        return f"[{'x' if new.get('done') else ' '}] {text}"
    fields = {field: str(new[name]) for name, field in _FIELDS.items() if new.get(name)}
    if key == "notebook":
        colon = say(commit.lang, "punctuation.colon")
        return with_fields(f"{new.get('ts') or commit.config.day}{colon}{text}", fields)
    fields.setdefault("created", commit.config.day)
    return with_fields(write_body(one_line(str(new.get("title", ""))), text, commit.lang), fields)
