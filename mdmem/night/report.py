"""The report of a night: reads it, and writes the lines of its steps; what a person added stays. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mdmem.entries.edits import add, remove, rename_section
from mdmem.entries.edits.placement import edited_document
from mdmem.formats.session_edits import set_values
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.night.edits import number
from mdmem.night.model import NightStepReport
from mdmem.text.document import Document, parse
from mdmem.text.entry import EntryParts, without_brackets
from mdmem.text.inline import one_line

KIND = "night"
STEPS, REFUSED = "steps", "refused"  # aliases of the sections in the templates of all languages
_COUNTS = ("kept", "merged", "moved", "refused", "updated", "left", "calls", "tokens", "seconds")
# What is said of the items of steps that move nothing to the archive; some of them write files, and count these.
_OTHER_WORDS = {
    ("extract", "moved"): "extracted",
    ("learn", "moved"): "taught",
    ("corrections", "moved"): "proposed",
    **{(step, "kept"): "unchanged" for step in ("portrait", "compile", "instructions")},
    **{(step, "moved"): "refreshed" for step in ("portrait", "compile", "instructions")},
}


class ReportHead(NamedTuple):
    """What stands in the front matter."""

    day: str
    started: str
    ended: str
    status: str  # running, done, stopped


class StepLine(NamedTuple):
    """The line of a step in a report, and the run that wrote it."""

    report: NightStepReport
    run: str


def read_report(document: Document | None) -> dict[str, StepLine]:
    """Return the lines of the steps by name, with the reasons of what was refused."""
    found: dict[str, StepLine] = {}
    if document is None:
        return found
    for section in document.sections:
        told = [entry for entry in section.entries if entry.parts.field("step")]
        for entry in told:
            step = _value(entry.parts, "step")
            if entry.parts.field("in"):
                found[step] = _read_line(entry.parts)
            elif old := found.get(step):
                text = entry.parts.body.of(entry.text).strip()
                found[step] = old._replace(report=replace(old.report, reasons=(*old.report.reasons, text)))
    return found


def _read_line(parts: EntryParts) -> StepLine:
    kept, merged, moved, refused, updated, left, calls, tokens, seconds = (
        number(_value(parts, name)) for name in _COUNTS
    )  # fmt: skip
    step = _value(parts, "step")
    report = NightStepReport(step, kept, merged, moved, refused, updated, left, calls, tokens, seconds)
    return StepLine(report, _value(parts, "run"))


def is_ended(document: Document | None) -> bool:
    """Return True if a report is that of a night that came to its end."""
    front = document.front_matter if document else None
    return bool(front and front.values.get("status") == "done")


def write_report(
    document: Document | None, template: Template, head: ReportHead, lines: Sequence[StepLine], lang: str
) -> Document:
    """Return a report with these steps; lines that it did not write stay where they are."""
    values = {"day": head.day, "started": head.started, "ended": head.ended, "status": head.status}
    if document is None or not document.text.strip():
        document = _begun(template, say(lang, "night.title", day=head.day))
        document = edited_document(document, set_values(document, values))
    else:
        known = (document.front_matter.values if document.front_matter else {}).get("started")
        changed = {key: value for key, value in values.items() if key != "started" or not known}
        document = edited_document(document, set_values(document, changed))
    old = [entry for entry in document.entries if entry.parts.field("step")]
    if old:
        document = edited_document(document, remove(document, old).edits)
    told = [_line(line, lang) for line in lines]
    reasons = [
        f"{without_brackets(one_line(reason))} [step:: {line.report.step}]"
        for line in lines
        for reason in line.report.reasons
    ]
    for name, texts in ((STEPS, told), (REFUSED, reasons)):
        if texts:
            document = edited_document(document, add(document, template, texts, section=name).edits)
    return document


def _begun(template: Template, title: str) -> Document:
    """Return the document that a report begins with: the template, under the name of its day."""
    document = parse(template.text.encode())
    first = next((section for section in document.sections if section.level == 1), None)
    return edited_document(document, rename_section(document, first, title).edits) if first else document


def _line(line: StepLine, lang: str) -> str:
    one = line.report
    counts = {"in": one.entries, **{name: getattr(one, name) for name in _COUNTS}, "seconds": round(one.seconds)}
    fields = " ".join(f"[{name}:: {value}]" for name, value in counts.items())
    return f"{step_sentence(one, lang)} [step:: {one.step}] {fields} [run:: {line.run}]"


def step_sentence(one: NightStepReport, lang: str) -> str:
    """Return one sentence about a step."""
    parts = [
        say(lang, f"night.{_OTHER_WORDS.get((one.step, name), name)}", count=getattr(one, name))
        for name in ("kept", "merged", "moved", "refused")
        if getattr(one, name) or (name == "kept" and not one.entries)
    ]
    told = say(lang, "punctuation.comma").join(parts)
    updated = say(lang, "night.updated", count=one.updated) if one.updated else ""
    left = say(lang, "night.left", count=one.left) if one.left else ""
    step = say(lang, "night.step", step=say(lang, f"night.step-{one.step}"), count=one.entries, told=told)
    return f"{step}{updated}{left}"


def _value(parts: EntryParts, key: str) -> str:
    field = parts.field(key)
    return field.value.strip() if field else ""
