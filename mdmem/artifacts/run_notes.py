"""Writes one notebook line after every tool run, without a model: what was run, its result, and the evidence (G051).

When the notebook nears its limit, the oldest of these lines are replaced by one counted line (G055, G061). Nothing is
lost: a line is rolled up only if it is exactly what would be derived from its artifact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from mdmem.artifacts.model import StoredArtifact
from mdmem.artifacts.read import kept_of, read_front
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import add, find_section, remove, replace
from mdmem.entries.edits.content import content
from mdmem.entries.model import Outcome
from mdmem.errors import TargetError
from mdmem.formats.artifact import POINTER, artifact_id, artifact_path, is_id
from mdmem.formats.limits import BULLET, size
from mdmem.formats.template import EntryRule, Template
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say, sentence
from mdmem.messages.folders import languages
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, Section
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

VERB = "note-run"
_TIMES = pattern(r"[（(]×(\d{1,6})[）)]\s*\Z")


def note_run(config: WorkspaceConfig, kept: StoredArtifact, *, actor: str = "main", reason: str = "") -> Outcome | None:
    """Write one short dated line about a tool run at the end of the notebook's recent section; None if that is off.

    The line holds the tool, its input, and a few words of the summary; the run is its source. A result that repeats on
    the same day is written once: the note moves to the end with a count, and its source is the newest run.

    Raises:
        MdmemError: as `Workspace.add` raises; the run itself is stored anyway.
    """
    settings, template = config.settings.notebook, config.schemas.get("notebook")
    if not settings.runs or template is None:
        return None
    commit = ChangeRequest(config, VERB, actor, reason, confirm=True)
    path = commit.path(template.files[0])
    text = _sentence(commit, kept, settings.note_chars)

    def change(files: DraftFiles) -> Edits:
        document = files[path]
        own = commit.template(path, document) or template
        if document is None:
            commit.new(path)
        section = next((own.name(word) for word in own.parts.get("runs", ()) if own.name(word)), None)
        entries = _entries(document, own, section or "")
        same = next(
            (one for one in reversed(entries) if _text_of(one, commit.config.day) == comparison_key(text)), None
        )
        counted = text + say(commit.lang, "notebook.times", count=_times(same.text) + 1) if same else text
        line = content(_dated(commit, counted), {"source": f"tool:{kept.id}"}, EntryRule()).text
        rolled = _rolled(commit, document, own, [one for one in entries if one is not same], len(line))
        if document is not None and same is not None and same is entries[-1]:
            return {path: [*rolled, *replace(document, same, line).edits]}
        earlier = remove(document, [same]).edits if document is not None and same is not None else ()
        return {path: [*rolled, *earlier, *add(document, own, [line], section=section).edits]}

    done = commit.run(change)
    # the notebook is not linted here: running a tool should not report its other defects
    return Outcome("done", say(commit.lang, "pen.added", path=path, section=""), path=path, transaction=done)


def rolled_runs(text: str) -> tuple[str, str] | None:
    """Return the ids of the first and the last tool run that a counted line covers; None for any other text."""
    counted, source = _read_rolled(text), read_entry(text).field("source")
    return (counted["first"], artifact_id(source.value)) if counted and source else None


def _read_rolled(text: str) -> re.Match[str] | None:
    return next(filter(None, (shape.search(text) for shape in _ROLLED)), None)


def _rolled(
    commit: ChangeRequest, document: Document | None, template: Template, entries: Sequence[Entry], more: int
) -> Sequence[Edit]:
    """Return the edits that roll up the oldest notes of tool runs, several at once, if the file nears its limit."""
    limits = template.file
    most = (limits.max_chars or 0) * (limits.warn_ratio or 1)
    chars = size(document).chars + more if document else 0
    if document is None or not most or chars < most:
        return ()
    goal, counted = commit.config.settings.keeper.roll_to * most, next(filter(_is_rolled, entries), None)
    rolled: list[Entry] = []
    with Root(commit.config.root) as root:
        for entry in entries:
            if chars <= goal:
                break
            if not _is_rolled(entry) and _is_derived(commit, root, entry):
                rolled.append(entry)
                chars -= len(entry.text) + BULLET
    if len(rolled) < 2:
        return ()
    target, line = counted or rolled[0], _counted(commit, [*([counted] if counted else []), *rolled])
    rest = [entry for entry in rolled if entry is not target]
    return (*replace(document, target, line).edits, *remove(document, rest).edits)


def _counted(commit: ChangeRequest, entries: Sequence[Entry]) -> str:
    """Return the counted line for these notes: the number of runs, the first one, and the last one as its source."""
    found = [_read_rolled(one.text) for one in entries]
    count = sum(int(match["count"]) if match else _times(one.text) for match, one in zip(found, entries, strict=True))
    first = found[0]["first"] if found[0] else _run_of(entries[0])
    last = entries[-1]
    day = last.parts.date.span.of(last.text) if last.parts.date else commit.config.day
    colon = say(commit.lang, "punctuation.colon")
    text = f"{day}{colon}{say(commit.lang, 'notebook.rolled', count=count, first=first)}"
    return content(text, {"source": f"tool:{_run_of(last)}"}, EntryRule()).text


def _is_rolled(entry: Entry) -> bool:
    return rolled_runs(entry.text) is not None


def _is_derived(commit: ChangeRequest, root: Root, entry: Entry) -> bool:
    """Return whether a note is exactly what would be derived from its tool run."""
    run = _run_of(entry)
    artifact = read_front(root, commit.config.whose.place(artifact_path(run))) if is_id(run) else None
    if artifact is None:
        return False
    text = _sentence(commit, kept_of(artifact), commit.config.settings.notebook.note_chars)
    return comparison_key(_TIMES.sub("", entry.parts.body.of(entry.text).strip())) == comparison_key(text)


def _run_of(entry: Entry) -> str:
    source = entry.parts.field("source")
    return artifact_id(source.value) if source and source.value.startswith(POINTER) else ""


def _sentence(commit: ChangeRequest, kept: StoredArtifact, most: int) -> str:
    """Return one short line: what was run, with which input, and its result."""
    summary = [line for line in kept.summary if f"tool:{kept.id}" not in line and kept.path not in line]
    result = next((line.strip() for line in summary if line.strip()), "")
    named = kept.input if kept.input.startswith(kept.tool) else f"{kept.tool} {kept.input}".strip()
    what = f"`{named}`" if kept.input and "`" not in kept.input else named
    failed = say(commit.lang, "notebook.exit", code=kept.exit_code) if kept.exit_code else ""
    room = max(most - len(failed), 24)
    what = _cut(content(mask(what), {}, EntryRule()).text, room // 2)
    if what.count("`") % 2:
        what = what.replace("`", "")
    result = _cut(" ".join(mask(result).replace("`", "").split()), max(room - len(what), 12))
    for text in (
        f"{what}{failed}{say(commit.lang, 'notebook.came', result=result) if result else ''}",
        f"{what}{failed}",
    ):
        if commit.gate.is_allowed("", f"- {text}\n"):
            return text
    return f"{kept.tool.split()[0][:24] if kept.tool.split() else 'tool'}{failed}"


def _entries(document: Document | None, template: Template, section: str) -> list[Entry]:
    try:
        found = find_section(document, template, section) if document else None
    except TargetError:
        return []
    return [one for one in found.entries if not one.depth] if isinstance(found, Section) else []


def _text_of(entry: Entry, day: str) -> str:
    """Return the text of a note of that day without its count; empty for any other entry."""
    parts = entry.parts
    if parts.date is None or parts.date.value is None or parts.date.value.isoformat() != day:
        return ""
    return comparison_key(_TIMES.sub("", parts.body.of(entry.text).strip()))


def _times(last: str) -> int:
    found = _TIMES.search(read_entry(last).body.of(last).strip())
    return int(found.group(1)) if found else 1


def _dated(commit: ChangeRequest, text: str) -> str:
    colon = say(commit.lang, "punctuation.colon")
    return text if is_dated(text[:12]) else f"{commit.config.day}{colon}{text}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# The pattern that reads the counted line is built from the message that writes it.
_SLOTS = {r"\{count\}": r"(?P<count>\d+)", r"\{first\}": r"(?P<first>[A-Za-z0-9][A-Za-z0-9._-]*)"}
_ROLLED = tuple(
    pattern(reduce(lambda text, slot: text.replace(*slot), _SLOTS.items(), re.escape(words)))
    for words in dict.fromkeys(sentence(lang, "notebook.rolled") for lang in languages())
)
