"""Traces an entry back to its evidence: who wrote it when and why, from what, and what it replaced (G066).

The history says who wrote it. The entry's own fields name its sources. The archive says what it replaced: each change
that replaces an entry writes its id there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mdmem.artifacts.read import newest_first, read_front
from mdmem.artifacts.run_notes import rolled_runs
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits.find import predicates, vague_matches
from mdmem.errors import MemoryOffError, TargetError
from mdmem.history.evidence import Evidence, find_evidence, find_full_evidence
from mdmem.linter.masking import mask
from mdmem.linter.rule import quote
from mdmem.linter.sources import find_sources
from mdmem.messages.catalog import say
from mdmem.store.history.versions import Transaction, VersionStore
from mdmem.store.root import Root
from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import entry_key
from mdmem.text.similarity import comparison_key

_PUT_AWAY = "archive"
# Kinds that are searched only if no entry of another kind matches: the last two hold copies.
_LAST = ("archive", "inbox", "session", "artifact", "handoff", "knowledge_version")


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """An earlier form of an entry, as the archive keeps it."""

    path: str  # the archive's file
    line: int  # 1-based
    text: str
    origin: str  # its former location, `FILE#section`
    reason: str  # compacted, merged, expired, removed …


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an entry comes from."""

    key: str  # `^id`, or the key of its text
    path: str
    line: int  # 1-based
    text: str
    written: Transaction | None  # the change that wrote it; None if the history does not say
    evidence: tuple[Evidence, ...]  # its source, then its artifact; empty if it names neither
    before: tuple[EarlierVersion, ...]
    missing: tuple[str, ...]  # what is not known, in the workspace's language


class _Memory:
    """The memory files of a workspace; each is parsed on first use."""

    def __init__(self, config: WorkspaceConfig) -> None:
        sources = find_sources(config, (), config.settings.lint)
        sees = config.whose.sees
        self.texts = {one.path: one.seen.data for one in sources if one.seen.type != "missing" and sees(one.path)}
        templates = {path: config.schemas.match(path) for path in self.texts}
        self.kinds = {path: template.kind for path, template in templates.items() if template}
        self._documents: dict[str, Document] = {}

    def paths(self, *, last: bool) -> list[str]:
        """Return the files that are searched first, or with `last` the archive and the evidence."""
        return sorted(path for path, kind in self.kinds.items() if (kind in _LAST) is last)

    def document(self, path: str) -> Document:
        """Return a parsed file."""
        return self._documents.setdefault(path, parse(self.texts[path]))


def why(config: WorkspaceConfig, name: str, actor: str) -> Provenance:
    """Explain an entry; see `Workspace.history.why`."""
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    memory = _Memory(config)
    path, entry = _find(config, memory, name)
    parts = entry.parts
    written = _written(config, path, entry)
    evidence = tuple(_evidence(config, entry, actor))
    most = config.settings.pins.before
    unknown = [] if written else [say(config.lang, "pin.why-by-hand")]
    unknown += [] if parts.field("source") else [say(config.lang, "pin.why-no-source")]
    return Provenance(
        f"^{parts.id}" if parts.id else entry_key(entry.text),
        path,
        entry.line + 1,
        mask(entry.text),
        written,
        evidence,
        tuple(islice(_before(config, memory, path, entry, written.id if written else ""), most)),
        (*unknown, *(one.missing for one in evidence if one.missing)),
    )


def memory_path(config: WorkspaceConfig, name: str) -> str:
    """Return the memory file of the entry that a name refers to; the archive and evidence are not searched.

    Raises:
        TargetError: no entry matches, or more than one.
    """
    return _find(config, _Memory(config), name, (False,))[0]


def _find(
    config: WorkspaceConfig, memory: _Memory, name: str, ranks: Sequence[bool] = (False, True)
) -> tuple[str, Entry]:
    """Return the entry that a name refers to, among those of all memory files; evidence comes last."""
    wanted = name.strip()
    for last in ranks:
        entries = [(path, one) for path in memory.paths(last=last) for one in memory.document(path).entries]
        for test in predicates(wanted) if wanted else ():
            named = _without_copies(memory, [(path, one) for path, one in entries if test(one)])
            if len(named) == 1:
                return named[0]
            if named:
                candidates = tuple(_named(config, named))
                hint = say(config.lang, "pin.why-many.hint", names="; ".join(candidates))
                message = say(config.lang, "pin.why-many", count=len(named))
                raise TargetError(message, hint=hint, candidates=candidates, count=len(named))
        if vague := vague_matches(entries, wanted, lambda named: named[1].text):
            candidates = tuple(_named(config, vague))
            hint = say(config.lang, "pin.why-many.hint", names="; ".join(candidates))
            raise TargetError(say(config.lang, "pen.vague-entry"), hint=hint, candidates=candidates, count=1)
    message = say(config.lang, "pin.why-none", name=mask(name[:60]))
    raise TargetError(message, hint=say(config.lang, "pin.why-none.hint"))


def _without_copies(memory: _Memory, named: list[tuple[str, Entry]]) -> list[tuple[str, Entry]]:
    """Leave out the entries of generated blocks if another entry matches: they repeat what is said elsewhere."""
    if len(named) < 2:
        return named
    autos = {path: memory.document(path).auto_blocks for path, _ in named}
    own = [(path, one) for path, one in named if not any(auto.span.holds(one.marker) for auto in autos[path])]
    return own or named


def _named(config: WorkspaceConfig, found: Sequence[tuple[str, Entry]]) -> Iterator[str]:
    """Yield the path, the key and the text without fields of candidate entries."""
    settings = config.settings.pins
    for path, entry in found[: settings.candidates]:
        said = mask(entry.text[: entry.parts.body.end])
        yield f"{path}: {entry_key(entry.text)} {quote(said, settings.candidate_chars)}"


def _evidence(config: WorkspaceConfig, entry: Entry, actor: str) -> Iterator[Evidence]:
    """Yield the entry's source, and its artifact if that is another file."""
    source, artifact = entry.parts.field("source"), entry.parts.field("artifact")
    seen = ""
    if source:
        found = find_evidence(config, source.value, actor)
        seen = found.path
        yield found
    whole = find_full_evidence(config, artifact.value, actor) if artifact else None
    if whole and (whole.missing or whole.path != seen):
        yield whole


def _written(config: WorkspaceConfig, path: str, entry: Entry) -> Transaction | None:
    """Return the change that wrote an entry: the newest before which its file had neither its id nor its text."""
    parts = entry.parts
    words = comparison_key(parts.body.of(entry.text))
    name = re.compile(rf"(?<=\s)\^{re.escape(parts.id)}(?![A-Za-z0-9-])") if parts.id else None

    def says(data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        return bool(name.search(text)) if name else words in comparison_key(text)

    with Root(config.root) as root:
        history = VersionStore(root, 0)
        for change in history.log():
            file = next((one for one in change.files if one.path == path), None)
            if file is None or file.after is None:
                continue
            after = history.read(file.after)
            if after is None or not says(after):
                continue
            before = history.read(file.before) if file.before else b""
            if before is None or says(before):
                continue
            return change
    return None


def _before(config: WorkspaceConfig, memory: _Memory, path: str, entry: Entry, change: str) -> Iterator[EarlierVersion]:
    """Yield the originals of an entry: the tool runs that it counts, else what its change moved to the archive."""
    if counted := rolled_runs(entry.text):
        yield from _runs(config, *counted)
    elif change:
        found = list(_put_away(memory, path, entry, change))
        key = comparison_key(entry.text)
        yield from [one for one in found if comparison_key(one.text) in key] or found


def _runs(config: WorkspaceConfig, first: str, last: str) -> Iterator[EarlierVersion]:
    """Yield the tool runs from the first to the last one, newest first."""
    with Root(config.root) as root:
        for path in newest_first(config, root):
            id = path.rpartition("/")[2].removesuffix(".md")  # noqa: A001 - the noun
            if first <= id <= last and (run := read_front(root, path)):
                text = mask(f"{run.tool} {' '.join(run.input.split())}".strip())
                yield EarlierVersion(path, 1, text, "", "run")


def _put_away(memory: _Memory, path: str, entry: Entry, change: str) -> Iterator[EarlierVersion]:
    """Yield the entries of a file that the change which wrote an entry moved to the archive."""
    for name in memory.paths(last=True):
        if memory.kinds[name] != _PUT_AWAY or change.encode() not in memory.texts[name]:
            continue
        for archived in memory.document(name).entries:
            fields = {field.key: field.value for field in archived.parts.fields}
            same = fields.get("change") == change and fields.get("from", "").partition("#")[0] == path
            if same and not archived.depth and comparison_key(archived.text) != comparison_key(entry.text):
                text = mask(archived.parts.body.of(archived.text).strip())
                yield EarlierVersion(name, archived.line + 1, text, fields.get("from", ""), fields.get("why", ""))
