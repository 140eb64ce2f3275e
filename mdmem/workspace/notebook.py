"""The notebook's own line after every tool run, by rule: what was run, what came of it, and the evidence (G051)."""

from __future__ import annotations

from mdmem.core.document import Document, Entry, Section
from mdmem.core.entry import read_entry
from mdmem.core.intent import add, find_section, remove, replace
from mdmem.core.intent.content import content
from mdmem.core.pattern import pattern
from mdmem.core.similarity import essence
from mdmem.core.template import EntryRule, Template
from mdmem.errors import TargetError
from mdmem.linter.dates import is_dated
from mdmem.linter.secrets import mask
from mdmem.store.draft import Edits, Files
from mdmem.workspace.artifacts.kept import Kept
from mdmem.workspace.commit import Commit
from mdmem.workspace.config import Config
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.words import Both, say, worded

VERB = "note-run"
_TIMES = pattern(r"[（(]×(\d{1,6})[）)]\s*\Z")


def note_run(config: Config, kept: Kept, *, actor: str = "main", reason: str = "") -> Outcome | None:
    """Write one short dated line about a tool run at the end of the notebook's recent section; None where that is off.

    It says the tool, what for, and what came of it in a few words of the summary; the run is its source. What ended the
    same way that day already is not said twice: the note goes to the end, counted, with the newest run as its source.
    A long notebook refuses nothing: it waits for the keeper, who rolls it up.

    Raises:
        MdmemError: as `Workspace.add` does; the run itself is kept whatever becomes of its note.
    """
    settings, template = config.settings.notebook, config.schemas.get("notebook")
    if not settings.runs or template is None:
        return None
    commit = Commit(config, VERB, actor, reason)
    path = commit.path(template.files[0])
    text = _sentence(commit, kept, settings.note_chars)

    def change(files: Files) -> Edits:
        document = files[path]
        own = commit.template(path, document) or template
        if document is None:
            commit.new(path)
        section = next((own.name(word) for word in own.parts.get("runs", ()) if own.name(word)), None)
        entries = _entries(document, own, section or "")
        same = next((one for one in reversed(entries) if _says(one, commit.config.day) == essence(text)), None)
        counted = f"{text}{_count(commit, _times(same.text) + 1)}" if same else text
        line = content(_dated(commit, counted), {"source": f"tool:{kept.id}"}, EntryRule()).text
        if document is not None and same is not None and same is entries[-1]:
            return {path: replace(document, same, line).edits}
        earlier = remove(document, [same]).edits if document is not None and same is not None else ()
        return {path: [*earlier, *add(document, own, [line], section=section).edits]}

    done = commit.run(change)
    # nobody who runs a tool asks what else is wrong with the notebook, so no one looks for it
    return Outcome("done", say(commit.lang, "added", path=path, section=""), path=path, transaction=done)


def _sentence(commit: Commit, kept: Kept, most: int) -> str:
    """Say in one short line what was run, what for, and what came of it."""
    told = [line for line in kept.summary if f"tool:{kept.id}" not in line and kept.path not in line]
    result = next((line.strip() for line in told if line.strip()), "")
    named = kept.input if kept.input.startswith(kept.tool) else f"{kept.tool} {kept.input}".strip()
    what = f"`{named}`" if kept.input and "`" not in kept.input else named
    failed = _say(commit, "exit", code=kept.exit_code) if kept.exit_code else ""
    room = max(most - len(failed), 24)
    what = _cut(content(mask(what), {}, EntryRule()).text, room // 2)
    if what.count("`") % 2:
        what = what.replace("`", "")
    result = _cut(" ".join(mask(result).replace("`", "").split()), max(room - len(what), 12))
    for text in (f"{what}{failed}{_say(commit, 'came', result=result) if result else ''}", f"{what}{failed}"):
        if commit.gate.may_stand("", f"- {text}\n"):
            return text
    return f"{kept.tool.split()[0][:24] if kept.tool.split() else 'tool'}{failed}"


def _entries(document: Document | None, template: Template, section: str) -> list[Entry]:
    try:
        found = find_section(document, template, section) if document else None
    except TargetError:
        return []
    return [one for one in found.entries if not one.depth] if isinstance(found, Section) else []


def _says(entry: Entry, day: str) -> str:
    """Give what a note of that day says, without how often it was so; empty for any other entry."""
    parts = entry.parts
    if parts.date is None or parts.date.value is None or parts.date.value.isoformat() != day:
        return ""
    return essence(_TIMES.sub("", parts.body.of(entry.text).strip()))


def _times(last: str) -> int:
    found = _TIMES.search(read_entry(last).body.of(last).strip())
    return int(found.group(1)) if found else 1


def _count(commit: Commit, times: int) -> str:
    return f"（×{times}）" if commit.lang == "zh" else f" (×{times})"


def _dated(commit: Commit, text: str) -> str:
    colon = "：" if commit.lang == "zh" else ": "
    return text if is_dated(text[:12]) else f"{commit.config.day}{colon}{text}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _say(commit: Commit, key: str, **facts: object) -> str:
    return worded(_WORDS, commit.lang, key, facts)


_WORDS = {
    "exit": Both("，退出码 {code}", ", exit code {code}"),
    "came": Both("：{result}", ": {result}"),
}
