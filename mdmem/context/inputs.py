"""What a caller asks of a pack besides the recipe."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from mdmem.artifacts.read import StoredArtifact
from mdmem.artifacts.summaries import summarise
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pieces
from mdmem.context.pack import PartSource
from mdmem.context.read_chat import Limits, least, shorten_output, shown_tokens
from mdmem.context.read_file import blank_older, boilerplate
from mdmem.context.recipe import Recipe, RecipePart
from mdmem.entries.access import NO_MEMORY
from mdmem.entries.kind_files import file_names
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.formats.artifact import Artifact, artifact_id, artifact_path, read_artifact
from mdmem.formats.placeholders import is_placeholder
from mdmem.formats.session import Session, Turn, rounds
from mdmem.formats.template import Template
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.linter.detect.hidden_text import visible_text
from mdmem.linter.detect.secrets import mask
from mdmem.sessions.read import head, latest_sessions, newest_turns, template
from mdmem.settings.tables import KeeperSettings
from mdmem.store.root import Root, read
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern
from mdmem.text.tokens import TokenCounter

Said = Turn | Mapping[str, object] | tuple[str, str]
Recall = Callable[[str, Sequence[str], int], str | None]  # (query, recent turns, tokens) → Markdown, None: unknown


class PackRequest(NamedTuple):
    """The arguments of `Workspace.pack`."""

    counter: TokenCounter
    budget: int | None
    query: str
    tool_result: str | StoredArtifact | None
    inline: str | None
    rounds: Sequence[Said] | None
    texts: Mapping[str, str]
    agent: str | None
    recall: Recall


def turns_of(said: Sequence[Said]) -> tuple[Turn, ...]:
    """Read a chat as programs hold it: turns, `(role, text)`, or messages with `role` and `content`.

    A round begins with each word of the user's.

    Raises:
        UsageError: something is none of them.
    """
    found: list[Turn] = []
    number = 0
    for one in said:
        if isinstance(one, Turn):
            found.append(one)
            number = one.number
            continue
        role, text = _words(one)
        number += role == "user" or not number
        found.append(Turn(number, role, role, "", text, 0, 0, 0))
    return tuple(found)


def _words(one: Mapping[str, object] | tuple[str, str]) -> tuple[str, str]:
    if isinstance(one, Mapping):
        role, text = one.get("role"), one.get("content", one.get("text"))
        if isinstance(text, list):  # parts of a message, as some interfaces have them
            text = "\n".join(str(part["text"]) for part in text if isinstance(part, Mapping) and "text" in part)
        text = "" if text is None else text
    else:
        role, text = one if len(one) == 2 else (None, None)
    if not (isinstance(role, str) and role and isinstance(text, str)):
        raise UsageError("a turn is (role, text), or a message with `role` and `content`")
    return role, text


_BYTES = 10  # of a file that are read at once for each token that is shown
_SPARE = 1.25  # times the tokens that are shown, so many are read: hidden text and secrets of a turn take none


class CurrentChat(NamedTuple):
    """The turns of the chat at hand, and how many rounds of it stand in the pool already."""

    turns: tuple[Turn, ...] = ()
    path: str = ""
    condensed: int = 0
    why: str = ""
    before: Mapping[int, int] = {}  # by round, how many turns behind its first were not read


def current_chat(config: WorkspaceConfig, recipe: Recipe, ask: PackRequest) -> CurrentChat:
    """Return the chat that the caller has, else that of the newest session if it is still open."""
    if ask.rounds is not None:
        return CurrentChat(turns_of(ask.rounds))
    if not config.settings.memory.enabled:
        return CurrentChat(why="off")
    found = next(_newest(config, ask.agent), None)
    if found is None or found.ended:
        return CurrentChat(why="missing")
    keep = max([int(numbers(config)["keep_rounds"]), *(slot.rounds or 0 for slot in recipe.slots)])
    window, recent = (_Need(recipe, source, ask) for source in ("window", "recent"))

    def enough(turns: Sequence[Turn]) -> bool:
        said = rounds(turns)
        older = (turn for one in said[: len(said) - keep] for turn in one if turn.number > found.condensed_through)
        if len(said) > keep and window.has(older, window.tokens):
            return True
        return recent.has(turns, window.tokens + recent.tokens)

    turns, before = newest_turns(
        config, found.path, keep, enough=enough, first=_BYTES * (window.tokens + recent.tokens)
    )
    return CurrentChat(turns, found.path, found.condensed_through, before=before)


class _Need:
    """How many tokens of turns the parts with one source can show, and whether some turns have so many."""

    def __init__(self, recipe: Recipe, source: str, ask: PackRequest) -> None:
        slots = [slot for slot in recipe.slots if slot.source == source]
        self.tokens = sum(slot.run_tokens or slot.tokens or recipe.budget for slot in slots)
        self._limits = [least(limits(slot)) for slot in slots]
        self._count = ask.counter

    def has(self, turns: Iterable[Turn], tokens: int) -> bool:
        left = _SPARE * tokens
        for turn in turns:
            left -= min((shown_tokens(turn, one, self._count) for one in self._limits), default=0)
            if left <= 0:
                return True
        return left <= 0


def limits(slot: RecipePart) -> Limits:
    """Return how much of a turn a part shows."""
    return Limits(
        slot.code_lines or 0, slot.tool_lines, slot.tool_chars, slot.tool_turns,
        slot.run_lines or 0, slot.run_tokens or 0, slot.step,
    )  # fmt: skip


def own_sessions(config: WorkspaceConfig, agent: str | None, limit: int) -> tuple[tuple[Session, ...], str]:
    """Return an agent's own last sessions that came to an end, oldest first; or why there are none."""
    if not config.settings.memory.enabled:
        return (), "off"
    ended = (one for one in _newest(config, agent) if one.ended or one.outcome not in ("", "ongoing"))
    return tuple(reversed(tuple(islice(ended, limit)))), ""


def numbers(config: WorkspaceConfig) -> Mapping[str, float]:
    """Return the numbers of sessions."""
    return template(config).numbers


def titles(config: WorkspaceConfig) -> dict[str, str]:
    """Return the words for what was asked and what was answered."""
    schema = template(config)
    return {key: schema.name(key) or key for key in ("request", "response")}


def _newest(config: WorkspaceConfig, agent: str | None) -> Iterator[Session]:
    """Return the heads of the newest sessions; those that are too far back are for recall to find."""
    for path in latest_sessions(config, limit=config.settings.session.open_among):
        with suppress(OSError, UnreadableFileError):
            session = head(config, path)
            if agent is None or session.agent in ("", agent):
                yield session


_LINES = 4096  # lines whose reading is remembered from one pack to the next


def content_checks(config: WorkspaceConfig) -> ContentChecks:
    """Return the checks of a workspace for its day."""
    return _eyes(config.settings.keeper, dt.date.fromisoformat(config.day))


@lru_cache(maxsize=4)
def _eyes(settings: KeeperSettings, today: dt.date) -> ContentChecks:
    weigher = ImportanceScorer(settings, today)
    importance = lru_cache(maxsize=_LINES)(weigher.importance)

    def worth(text: str, day: dt.date | None) -> float:
        return importance(text) + weigher.recency(day)

    return ContentChecks(
        sanitize_for_model, lru_cache(maxsize=_LINES)(is_placeholder), lru_cache(maxsize=_LINES)(weigher.is_kept), worth
    )


@lru_cache(maxsize=_LINES)
def sanitize_for_model(text: str) -> str:
    """Return a text as a person sees it, its secrets masked."""
    return mask(visible_text(text))


_FOLDERS = ("agents", ".notes")  # where agents have their own files (D030)
_LOOK_AGAIN = 0.02  # seconds


class RecipeFile(NamedTuple):
    """A file of a kind, or why there is none."""

    path: str
    document: Document | None
    templates: tuple[Template, ...]  # of its kind, that of its own language first
    why: str = ""  # off, missing, unreadable, empty
    blank: tuple[int, ...] = ()  # lines (0-based) of older entries that were not read


class RecipeFiles:
    """The memory files of one workspace, for one agent, as they are at one moment."""

    def __init__(self, config: WorkspaceConfig, root: Root, agent: str | None, ends: Mapping[str, int] = {}) -> None:
        """Bind to a workspace; of the kinds in `ends` only so many characters at the end of a file are needed."""
        self.config, self.root, self.agent, self.ends = config, root, agent, ends
        self._read: dict[str, Document | str] = {}
        self._blank: dict[str, tuple[int, ...]] = {}
        self.digests: dict[str, str] = {}
        self._known: dict[str, frozenset[str]] = {}

    def find(self, kind: str, owner: str) -> tuple[RecipeFile, ...]:
        """Find the file of a kind; two where an agent's own lies over the workspace's."""
        templates = tuple(self.config.schemas.languages(kind).values())
        first = self.config.schemas.get(kind)
        assert first is not None, kind
        if not self.config.settings.memory.enabled and kind not in NO_MEMORY:
            return (RecipeFile(first.files[0], None, templates, "off"),)
        found: list[RecipeFile] = []
        why, place = "missing", first.files[0]
        for path in self._paths(templates, owner):
            document = self.read(path, self.ends.get(kind))
            if isinstance(document, Document):
                own = self.config.schemas.match(path, document) or first
                schemas = (own, *(one for one in templates if one is not own))
                found.append(RecipeFile(path, document, schemas, blank=self._blank.get(path, ())))
                if owner != "both":
                    break
            elif document == "unreadable":
                why, place = document, path
        return tuple(reversed(found)) or (RecipeFile(place, None, templates, why),)

    def _paths(self, templates: tuple[Template, ...], owner: str) -> Iterator[str]:
        """Return where a kind's file may lie, the agent's own places first."""
        names = tuple(dict.fromkeys(name for one in templates for name in one.files if not set(name) & set("*?")))
        if self.agent:
            yield from (f"{folder}/{self.agent}/{name}" for folder in _FOLDERS for name in names)
        if not self.agent or owner != "agent":
            first = self.config.schemas.get(templates[0].kind) or templates[0]
            yield from dict.fromkeys((*names, *file_names(self.config.root, first)))

    def known(self, found: RecipeFile) -> frozenset[str]:
        """Return the lines that a kind's templates hold themselves."""
        kind = found.templates[0].kind
        if kind not in self._known:
            self._known[kind] = boilerplate(found.templates)
        return self._known[kind]

    def read(self, path: str, end: int | None = None) -> Document | str:
        """Read a file, or so many characters at its end; or say why not: missing, unreadable."""
        if path not in self._read:
            self._read[path] = self._opened(path, end)
        return self._read[path]

    def _opened(self, path: str, end: int | None) -> Document | str:
        limits = self.config.settings
        until = time.monotonic() + limits.store.stable_ms / 1000
        while True:
            try:
                version = read(self.root.place(path), limits.lint.max_bytes)
            except FileNotFoundError:
                return "missing"
            except UnreadableFileError:
                return "unreadable"
            if version is None:
                return "missing"
            # an editor that saves shows an empty file for a moment
            fresh = time.time() - version.stat.st_mtime < limits.store.stable_ms / 1000
            if version.data or not fresh or time.monotonic() > until:
                return self._parsed(path, version.data, end)
            time.sleep(_LOOK_AGAIN)

    def _parsed(self, path: str, data: bytes, end: int | None) -> Document:
        self.digests[path] = blake2b(data, digest_size=8).hexdigest()
        most = self.config.settings.lint.max_lines
        if data.count(b"\n") > most:  # of a file with more lines no structure is read, by nobody
            data = b"\n".join(data.split(b"\n", most)[:most])
            self._blank[path] = (most,)
        if end is None or len(data) <= end:
            return parse(data)
        text = data.decode("utf-8", "surrogateescape")
        shorter, older = blank_older(text, end, content_checks(self.config).is_kept)
        self._blank[path] = (*older, *self._blank.get(path, ()))
        return parse(shorter.encode("utf-8", "surrogateescape"))

    def text(self, path: str) -> str | None:
        """Read a text that is no memory, such as a prompt; None where there is none."""
        with suppress(FileNotFoundError, UnreadableFileError):
            version = read(self.root.place(path), self.config.settings.lint.max_bytes)
            return version.data.decode("utf-8", "replace") if version else None
        return None


_TICKS = pattern(r"`{3,}")


def current_result(
    config: WorkspaceConfig, files: RecipeFiles, ask: PackRequest, slot: RecipePart, eyes: ContentChecks
) -> PartSource:
    """Return the source of the tool result that the caller names, or holds."""
    given = ask.tool_result
    if not given:
        return PartSource(why="missing")
    pointer = (
        given.path
        if isinstance(given, StoredArtifact)
        else artifact_path(artifact_id(given))
        if artifact_id(given)
        else ""
    )
    kept = _kept(config, files, pointer) if pointer else None
    if kept and not config.settings.memory.enabled:
        return PartSource(why="off")
    if kept is not None:
        head, body = kept
        summary = "\n".join(head.summary) or shorten_output(body, _limits(slot))
        if f"tool:{head.id}" not in summary and head.path not in summary:
            summary = f"{summary}\n→ `tool:{head.id}`"
    elif isinstance(given, StoredArtifact):
        body, summary = "", "\n".join(given.summary)
    else:
        numbers = config.settings.artifacts
        lines = summarise(given, tool="", exit_code=None, path="", numbers=numbers, lines=slot.tool_lines)
        body, summary = given, "\n".join(lines)
    source = _source(slot, ask.inline or slot.inline, eyes.clean(summary), eyes.clean(body), pointer)
    # what lies nowhere else can only be read here, and who asks for all of it gets it
    return source if kept is None or ask.inline else source._replace(whole_tokens=slot.whole_tokens)


def _source(slot: RecipePart, inline: str, summary: str, body: str, path: str) -> PartSource:
    short = Material((MaterialGroup(path),), _items(summary), (OmittedItem(path, 0, "", "output"),) if body else ())
    whole = Material((MaterialGroup(path),), (_fenced(body),)) if body.strip() and inline == "full-if-fits" else None
    if body and body.split() == summary.split():
        short = short._replace(left=())
    return PartSource(short, cut=slot.cut or "head-tail", whole=whole)


def _items(text: str) -> tuple[MaterialItem, ...]:
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return tuple(MaterialItem(piece, 0, 0, piece, joint) for joint, piece in pieces(clean)) if clean.strip() else ()


def _fenced(body: str) -> MaterialItem:
    """Put an output in a block of code: whatever it says, it is no heading and no part of this pack."""
    clean = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(clean)), default=0))
    return MaterialItem(f"{fence}\n{clean}\n{fence}", 0, 0, clean)


def _limits(slot: RecipePart) -> Limits:
    return Limits(0, slot.tool_lines, slot.tool_chars, slot.tool_turns)


def _kept(config: WorkspaceConfig, files: RecipeFiles, path: str) -> tuple[Artifact, str] | None:
    """Read a tool run from its file; None where there is none to read."""
    try:
        version = read(files.root.place(path), config.settings.lint.max_bytes)
    except (FileNotFoundError, UnreadableFileError):
        return None
    if version is None:
        return None
    artifact = read_artifact(version.data, path)
    return artifact, version.data[artifact.body :].decode("utf-8", "replace")
