"""The state of a context in the format of G046, computed from the memory files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mdmem.context.model import ContentChecks
from mdmem.formats.task_plan import mark_pattern
from mdmem.formats.template import Template
from mdmem.pins.model import read_body
from mdmem.text.document import Document, Entry
from mdmem.text.entry import entry_key, read_entry

VERSION = 1
LISTS = {"pins": "pins", "plan": "task_process", "notebook": "notebook"}  # keys of the state, and their kinds of file


class Kind(NamedTuple):
    """A file of the state."""

    path: str
    document: Document | None  # None if there is no file
    template: Template
    digest: str = ""
    expired: frozenset[int] = frozenset()  # lines (0-based) of expired entries


class Row(NamedTuple):
    """One row of a list, and its entry."""

    values: dict[str, Any]
    entry: Entry


def read_state(
    kinds: Mapping[str, Kind], refs: Mapping[str, str], limits: Mapping[str, Any], checks: ContentChecks
) -> dict[str, Any]:
    """Return the state; `kinds` are fastmemo, pins, task_process and notebook, `refs` the prompts."""
    fastmemo = kinds["fastmemo"]
    pool = fastmemo.template.name("动态context池") or ""
    return {
        "version": VERSION,
        "base_prompt_ref": refs.get("prompt", ""),
        "tool_contract_ref": refs.get("contract", ""),
        "fastmemo_ref": fastmemo.path,
        "fastmemo_dynamic_pool_ref": f"{fastmemo.path}[{pool}]",
        **{key: [row.values for row in read_rows(key, kinds[kind], checks)] for key, kind in LISTS.items()},
        "recent_window_policy": {"keep_rounds": limits["keep_rounds"]},
        "limits": {
            "pins_max": kinds["pins"].template.file.max_entries,
            "fastmemo_section_max": fastmemo.template.entries.max,
        },
        "files": {kinds[kind].path: kinds[kind].digest for kind in LISTS.values() if kinds[kind].document},
    }


def read_rows(key: str, kind: Kind, checks: ContentChecks) -> list[Row]:
    """Return the rows of a list of the state: `pins`, `plan` or `notebook`."""
    if key == "plan":
        return [Row(_step(entry, kind.template, checks), entry) for entry in _plan(kind)]
    make = _pin if key == "pins" else _note
    return [Row(make(entry, checks), entry) for entry in _entries(kind)]


def _entries(kind: Kind) -> list[Entry]:
    outer = (one for one in kind.document.entries if not one.depth) if kind.document else ()
    return [one for one in outer if one.text.strip() and one.line not in kind.expired]


def _plan(kind: Kind) -> list[Entry]:
    """Return the entries of the to-do list, nested ones included."""
    document, template = kind.document, kind.template
    wanted = template.name("TODO列表")
    sections = [one for one in document.sections if template.name(one.title) == wanted] if document and wanted else []
    return [entry for section in sections for entry in section.entries if entry.text.strip()]


def _id(entry: Entry) -> str:
    return entry.parts.id or entry_key(entry.text)


def _pin(entry: Entry, checks: ContentChecks) -> dict[str, Any]:
    value = _values(entry)
    title, summary = read_body(checks.clean(entry.text))
    return {
        "id": _id(entry), "type": value.get("type", ""), "title": checks.clean(title),
        "summary": checks.clean(" ".join(summary.split())), "source": value.get("source", ""),
        "artifact_ref": value.get("artifact", ""), "created": value.get("created", ""), "ttl": value.get("ttl", ""),
    }  # fmt: skip


def _step(entry: Entry, template: Template, checks: ContentChecks) -> dict[str, Any]:
    marks = mark_pattern(template.parts.get("current", ()))
    text = _plain_text(entry, checks)
    return {"id": _id(entry), "text": marks.sub("", text) if marks else text, "done": bool(entry.parts.done)}


def _note(entry: Entry, checks: ContentChecks) -> dict[str, Any]:
    day = entry.parts.date
    return {
        "ts": day.value.isoformat() if day and day.value else "",
        "summary": _plain_text(entry, checks),
        "source": _values(entry).get("source", ""),
    }


def _values(entry: Entry) -> dict[str, str]:
    return {field.key: field.value for field in reversed(entry.parts.fields)}


def _plain_text(entry: Entry, checks: ContentChecks) -> str:
    """Return the text of an entry on one line, without checkbox, leading date, fields and id."""
    text = checks.clean(entry.text)
    return " ".join(read_entry(text).body.of(text).split())
