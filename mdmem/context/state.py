"""The state that a context is made of, in the shape of G046: derived from the files, to be read, diffed and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem.context.material import Eyes
from mdmem.core.document import Document, Entry
from mdmem.core.entry import read_entry
from mdmem.core.key import entry_key
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template

VERSION = 1
_HIDDEN = ("type", "source", "artifact", "created", "ttl")  # fields that are keys of their own


class Kind(NamedTuple):
    """A file of the state: what it holds now, None where there is none."""

    path: str
    document: Document | None
    template: Template


def read_state(
    kinds: Mapping[str, Kind], refs: Mapping[str, str], limits: Mapping[str, Any], eyes: Eyes
) -> dict[str, Any]:
    """Give the state; `kinds` are fastmemo, pins, task_process and notebook, `refs` the prompts."""
    fastmemo = kinds["fastmemo"]
    pool = fastmemo.template.name("动态context池") or ""
    return {
        "version": VERSION,
        "base_prompt_ref": refs.get("prompt", ""),
        "tool_contract_ref": refs.get("contract", ""),
        "fastmemo_ref": fastmemo.path,
        "fastmemo_dynamic_pool_ref": f"{fastmemo.path}[{pool}]",
        "pins": [_pin(entry, eyes) for entry in _entries(kinds["pins"])],
        "plan": [_step(entry, eyes) for entry in _plan(kinds["task_process"])],
        "notebook": [_note(entry, eyes) for entry in _entries(kinds["notebook"])],
        "recent_window_policy": {"keep_rounds": limits["keep_rounds"]},
        "limits": {
            "pins_max": kinds["pins"].template.file.max_entries,
            "fastmemo_section_max": fastmemo.template.entries.max,
        },
    }


def _entries(kind: Kind) -> list[Entry]:
    return [one for one in kind.document.entries if not one.depth] if kind.document else []


def _plan(kind: Kind) -> list[Entry]:
    """Give the lines of the to-do list, nested ones too; the pointer and the instructions are none."""
    document, template = kind.document, kind.template
    wanted = template.name("TODO列表")
    sections = [one for one in document.sections if template.name(one.title) == wanted] if document and wanted else []
    return [entry for section in sections for entry in section.entries]


def _id(entry: Entry) -> str:
    return entry.parts.id or entry_key(entry.text)


def _pin(entry: Entry, eyes: Eyes) -> dict[str, Any]:
    value = _values(entry)
    return {
        "id": _id(entry), "type": value.get("type", ""), "summary": _said(entry, eyes),
        "source": value.get("source", ""), "artifact_ref": value.get("artifact", ""),
        "created": value.get("created", ""), "ttl": value.get("ttl", ""),
    }  # fmt: skip


def _step(entry: Entry, eyes: Eyes) -> dict[str, Any]:
    return {"id": _id(entry), "text": _said(entry, eyes), "done": bool(entry.parts.done)}


def _note(entry: Entry, eyes: Eyes) -> dict[str, Any]:
    day = entry.parts.date
    return {
        "ts": day.value.isoformat() if day and day.value else "",
        "summary": _said(entry, eyes),
        "source": _values(entry).get("source", ""),
    }


def _values(entry: Entry) -> dict[str, str]:
    return {field.key: field.value for field in reversed(entry.parts.fields)}


def _said(entry: Entry, eyes: Eyes) -> str:
    """Give what an entry says, in one line, without checkbox, leading date, own fields and id."""
    parts = read_entry(entry.text)
    return eyes.clean(" ".join(parts.body.of(entry.text).split()))
