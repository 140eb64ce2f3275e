"""The way from an entry back to its evidence: who wrote it when and why, from what, and what it was before (G066).

The history answers who wrote it; the entry's own fields say from what; the archive, to which every change that takes
an entry's place writes its id, says what was before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from mdmem.artifacts.notebook import rolled_runs
from mdmem.artifacts.read import newest_first, read_front
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits.find import tests
from mdmem.errors import MemoryOffError, TargetError
from mdmem.linter.detect.secrets import mask
from mdmem.linter.service import find_sources
from mdmem.messages import entries as entry_messages
from mdmem.messages.pins import say
from mdmem.pins.evidence import Evidence, find_evidence, find_full_evidence
from mdmem.store.history.versions import Transaction, VersionStore
from mdmem.store.root import Root
from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import entry_key
from mdmem.text.similarity import comparison_key

_PUT_AWAY = "archive"
_LAST = ("archive", "inbox", "session", "artifact")  # kinds whose entries are looked at where no memory is meant


class EarlierVersion(NamedTuple):
    """An entry that this one came from, as the archive keeps it."""

    path: str  # the archive's file
    line: int  # 1-based
    text: str
    origin: str  # where it stood, `FILE#section`
    reason: str  # compacted, merged, expired, removed …


class Provenance(NamedTuple):
    """Why something is remembered."""

    key: str  # `^id`, or the key of its text
    path: str
    line: int  # 1-based
    text: str
    written: Transaction | None  # the change that brought it; None where the history does not say
    evidence: tuple[Evidence, ...]  # its source, then its artifact; empty where it names none
    before: tuple[EarlierVersion, ...]
    missing: tuple[str, ...]  # what is not known, in the workspace's words


class _Memory:
    """The memory files of a workspace, each parsed when an entry of it is asked for."""

    def __init__(self, config: WorkspaceConfig) -> None:
        sources = find_sources(config, (), config.settings.lint)
        self.texts = {one.path: one.seen.data for one in sources if one.seen.type != "missing"}
        templates = {path: config.schemas.match(path) for path in self.texts}
        self.kinds = {path: template.kind for path, template in templates.items() if template}
        self._documents: dict[str, Document] = {}

    def paths(self, *, last: bool) -> list[str]:
        """Give the files where a memory is looked for first, or those that are evidence, or put away."""
        return sorted(path for path, kind in self.kinds.items() if (kind in _LAST) is last)

    def document(self, path: str) -> Document:
        """Give a file."""
        return self._documents.setdefault(path, parse(self.texts[path]))


def why(config: WorkspaceConfig, name: str, actor: str) -> Provenance:
    """Explain an entry; see `Workspace.why`."""
    if not config.settings.memory.enabled:
        raise MemoryOffError(entry_messages.say(config.lang, "off"), hint=entry_messages.say(config.lang, "off.hint"))
    memory = _Memory(config)
    path, entry = _find(config, memory, name)
    parts = entry.parts
    written = _written(config, path, entry)
    evidence = tuple(_evidence(config, entry, actor))
    most = config.settings.pins.before
    unknown = [] if written else [say(config.lang, "why-by-hand")]
    unknown += [] if parts.field("source") else [say(config.lang, "why-no-source")]
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
    """Return the memory file with the entry that a name means; evidence and the archive are not looked into.

    Raises:
        TargetError: no entry is meant, or more than one.
    """
    return _find(config, _Memory(config), name, (False,))[0]


def _find(
    config: WorkspaceConfig, memory: _Memory, name: str, ranks: Sequence[bool] = (False, True)
) -> tuple[str, Entry]:
    """Find the entry that a name means among those of all memory files; what is evidence itself counts last."""
    wanted = name.strip()
    for last in ranks:
        entries = [(path, one) for path in memory.paths(last=last) for one in memory.document(path).entries]
        for test in tests(wanted) if wanted else ():
            named = [(path, one) for path, one in entries if test(one)]
            if len(named) == 1:
                return named[0]
            if named:
                known = tuple(_named(config, named))
                hint = say(config.lang, "why-many.hint", names="; ".join(known))
                message = say(config.lang, "why-many", count=len(named))
                raise TargetError(message, hint=hint, candidates=known, count=len(named))
    message = say(config.lang, "why-none", name=mask(name[:60]))
    raise TargetError(message, hint=say(config.lang, "why-none.hint"))


def _named(config: WorkspaceConfig, found: Sequence[tuple[str, Entry]]) -> Iterator[str]:
    """Name entries that may be meant."""
    settings = config.settings.pins
    for path, one in found[: settings.candidates]:
        yield f"{path}: {entry_key(one.text)} {mask(one.text)[: settings.candidate_chars]}"


def _evidence(config: WorkspaceConfig, entry: Entry, actor: str) -> Iterator[Evidence]:
    """Give what the entry names: its source, and its artifact where that is another file."""
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
    """Find the change that brought an entry: the newest before which its file had neither its id nor its words."""
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
    """Return the originals of an entry: the tool runs that it counts, else what its change put away in its place."""
    if counted := rolled_runs(entry.text):
        yield from _runs(config, *counted)
    elif change:
        found = list(_put_away(memory, path, entry, change))
        said = comparison_key(entry.text)
        yield from [one for one in found if comparison_key(one.text) in said] or found


def _runs(config: WorkspaceConfig, first: str, last: str) -> Iterator[EarlierVersion]:
    """Return the tool runs from the first to the last one, newest first."""
    with Root(config.root) as root:
        for path in newest_first(root):
            id = path.rpartition("/")[2].removesuffix(".md")  # noqa: A001 - the noun
            if first <= id <= last and (run := read_front(root, path)):
                text = mask(f"{run.tool} {' '.join(run.input.split())}".strip())
                yield EarlierVersion(path, 1, text, "", "run")


def _put_away(memory: _Memory, path: str, entry: Entry, change: str) -> Iterator[EarlierVersion]:
    """Return what the change that wrote an entry put away of its file."""
    for name in memory.paths(last=True):
        if memory.kinds[name] != _PUT_AWAY or change.encode() not in memory.texts[name]:
            continue
        for one in memory.document(name).entries:
            fields = {field.key: field.value for field in one.parts.fields}
            same = fields.get("change") == change and fields.get("from", "").partition("#")[0] == path
            if same and not one.depth and comparison_key(one.text) != comparison_key(entry.text):
                text = mask(one.parts.body.of(one.text).strip())
                yield EarlierVersion(name, one.line + 1, text, fields.get("from", ""), fields.get("why", ""))
