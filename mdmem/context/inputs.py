"""Read the inputs of a pack: the request, the current chat, own sessions, memory files, and the last tool result."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mdmem.artifacts.model import StoredArtifact
from mdmem.config.agent_folders import AGENT_FOLDERS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pieces
from mdmem.context.pack import PartSource
from mdmem.context.read_chat import Limits, least_limits, shorten_output, shown_tokens
from mdmem.context.read_file import blank_older
from mdmem.context.recipe import Recipe, RecipePart
from mdmem.entries.access import NO_MEMORY
from mdmem.entries.kind_files import file_names
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.formats.artifact import Artifact, artifact_id, artifact_path, read_artifact
from mdmem.formats.paths import user_of, user_place, within_user
from mdmem.formats.placeholders import is_placeholder
from mdmem.formats.session import Session, Turn, rounds
from mdmem.formats.template import Template
from mdmem.linter.detect.hidden_text import visible_text
from mdmem.linter.masking import mask
from mdmem.remember.classify import Classifier
from mdmem.sessions.read import head, latest_sessions, newest_turns, template
from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.tables import RememberSettings
from mdmem.store.root import Root, read
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern
from mdmem.text.tokens import TokenCounter
from mdmem.wording.importance import ImportanceScorer

if TYPE_CHECKING:
    from mdmem.search.indexes import Index
    from mdmem.search.recall import RecallResult

TurnLike = Turn | Mapping[str, object] | tuple[str, str]
# (query, recent turns, tokens, sparing) → Markdown; None if unknown
Recall = Callable[[str, Sequence[str], int, bool], str | None]


def recall_with(find: Callable[..., RecallResult], **given: object) -> Recall:
    """Return what a pack asks for the memories that fit a question; None if they are withheld."""

    def recall(query: str, recent: Sequence[str], budget: int, sparing: bool) -> str | None:  # noqa: FBT001 - of `Recall`
        found = find(query, recent=recent, budget=budget, sparing=sparing, **given)
        return None if found.unknown and found.left_out else found.text

    return recall


class PackRequest(NamedTuple):
    """The arguments of `Workspace.pack`."""

    counter: TokenCounter
    budget: int | None
    query: str
    tool_result: str | StoredArtifact | None
    inline: str | None
    rounds: Sequence[TurnLike] | None
    texts: Mapping[str, str]
    agent: str | None
    recall: Recall
    persona: str = ""
    folder: str = ""  # where the agent works
    knowledge: tuple[str, ...] = ()  # the pieces of knowledge that the task needs
    search_index: Index | None = None  # by which others are chosen; None chooses none


def turns_of(messages: Sequence[TurnLike]) -> tuple[Turn, ...]:
    """Return the turns of a chat given as turns, `(role, text)`, or messages with `role` and `content`.

    A round begins with each turn of the user.

    Raises:
        UsageError: an element has another form.
    """
    found: list[Turn] = []
    number = 0
    for message in messages:
        if isinstance(message, Turn):
            found.append(message)
            number = message.number
            continue
        role, text = _role_and_text(message)
        number += role == "user" or not number
        found.append(Turn(number, role, role, "", text, 0, 0, 0))
    return tuple(found)


def _role_and_text(message: Mapping[str, object] | tuple[str, str]) -> tuple[str, str]:
    if isinstance(message, Mapping):
        role, text = message.get("role"), message.get("content", message.get("text"))
        if isinstance(text, list):  # some interfaces send a list of parts
            text = "\n".join(str(part["text"]) for part in text if isinstance(part, Mapping) and "text" in part)
        text = "" if text is None else text
    else:
        role, text = message if len(message) == 2 else (None, None)
    if not (isinstance(role, str) and role and isinstance(text, str)):
        raise UsageError("a turn is (role, text), or a message with `role` and `content`")
    return role, text


_BYTES = 10  # bytes of a session that are read first, per token that is shown
_SPARE = 1.25  # factor of tokens to read: hidden text and secrets of a turn are not shown


class CurrentChat(NamedTuple):
    """The turns of the current chat."""

    turns: tuple[Turn, ...] = ()
    path: str = ""
    condensed: int = 0  # the last round that is condensed into the context pool
    why: str = ""  # why there are no turns: off, missing
    before: Mapping[int, int] = {}  # by round, how many turns after its first one were not read


def current_chat(config: WorkspaceConfig, recipe: Recipe, request: PackRequest) -> CurrentChat:
    """Return the chat of the request, or else that of the newest session if it is still open."""
    if request.rounds is not None:
        return CurrentChat(turns_of(request.rounds))
    if not config.settings.memory.enabled:
        return CurrentChat(why="off")
    found = next(_newest(config, request.agent), None)
    if found is None or found.ended:
        return CurrentChat(why="missing")
    keep = max([int(numbers(config)["keep_rounds"]), *(slot.rounds or 0 for slot in recipe.slots)])
    window, recent = (_Need(recipe, source, request) for source in ("window", "recent"))

    def enough(turns: Sequence[Turn]) -> bool:
        all_rounds = rounds(turns)
        older = (
            turn
            for one in all_rounds[: len(all_rounds) - keep]
            for turn in one
            if turn.number > found.condensed_through
        )
        if len(all_rounds) > keep and window.has(older, window.tokens):
            return True
        return recent.has(turns, window.tokens + recent.tokens)

    turns, before = newest_turns(
        config, found.path, keep, enough=enough, first=_BYTES * (window.tokens + recent.tokens)
    )
    return CurrentChat(turns, found.path, found.condensed_through, before=before)


class _Need:
    """The number of tokens of turns that the parts of one source can show."""

    def __init__(self, recipe: Recipe, source: str, request: PackRequest) -> None:
        slots = [slot for slot in recipe.slots if slot.source == source]
        self.tokens = sum(slot.run_tokens or slot.tokens or recipe.budget for slot in slots)
        self._limits = [least_limits(limits(slot)) for slot in slots]
        self._count = request.counter

    def has(self, turns: Iterable[Turn], tokens: int) -> bool:
        left = _SPARE * tokens
        for turn in turns:
            left -= min((shown_tokens(turn, one, self._count) for one in self._limits), default=0)
            if left <= 0:
                return True
        return left <= 0


def limits(slot: RecipePart) -> Limits:
    """Return the limits of turns in a part."""
    return Limits(
        slot.code_lines or 0, slot.tool_lines, slot.tool_chars, slot.tool_turns,
        slot.run_lines or 0, slot.run_tokens or 0, slot.step,
    )  # fmt: skip


def own_sessions(config: WorkspaceConfig, agent: str | None, limit: int) -> tuple[tuple[Session, ...], str]:
    """Return an agent's last sessions that have ended, oldest first, or why there are none."""
    if not config.settings.memory.enabled:
        return (), "off"
    ended = (one for one in _newest(config, agent) if one.ended or one.outcome not in ("", "ongoing"))
    return tuple(reversed(tuple(islice(ended, limit)))), ""


def numbers(config: WorkspaceConfig) -> Mapping[str, float]:
    """Return the numbers in the template of sessions."""
    return template(config).numbers


def titles(config: WorkspaceConfig) -> dict[str, str]:
    """Return the section titles of request and response, by key."""
    schema = template(config)
    return {key: schema.name(key) or key for key in ("request", "response")}


def _newest(config: WorkspaceConfig, agent: str | None) -> Iterator[Session]:
    """Yield the heads of the newest sessions; older ones are left to recall."""
    for path in latest_sessions(config, limit=config.settings.session.open_among):
        with suppress(OSError, UnreadableFileError):
            session = head(config, path)
            if agent is None or session.agent in ("", agent):
                yield session


_LINES = 4096  # lines that are cached between packs


def content_checks(config: WorkspaceConfig) -> ContentChecks:
    """Return the content checks of a workspace for its day."""
    settings = config.settings
    return _content_checks(settings.keeper, settings.remember, config.today)


@lru_cache(maxsize=4)
def _content_checks(settings: KeeperSettings, words: RememberSettings, today: dt.date) -> ContentChecks:
    scorer, classifier = ImportanceScorer(settings, today), Classifier(words, settings)
    cached_importance = lru_cache(maxsize=_LINES)(scorer.importance)

    def importance(text: str, day: dt.date | None) -> float:
        return cached_importance(text) + scorer.recency(day)

    return ContentChecks(
        sanitize_for_model,
        lru_cache(maxsize=_LINES)(is_placeholder),
        lru_cache(maxsize=_LINES)(scorer.is_kept),
        importance,
        lru_cache(maxsize=_LINES)(lambda text: classifier.classify(text).kind == "rule"),
    )


@lru_cache(maxsize=_LINES)
def sanitize_for_model(text: str) -> str:
    """Return a text with secrets masked and hidden characters removed."""
    return mask(visible_text(text))


_RETRY_SECONDS = 0.02


class RecipeFile(NamedTuple):
    """A file of a kind, or the reason why there is none."""

    path: str
    document: Document | None
    templates: tuple[Template, ...]  # of its kind in all languages, its own language first
    why: str = ""  # off, missing, unreadable, empty
    blank: tuple[int, ...] = ()  # lines (0-based) of older entries that were not read


class RecipeFiles:
    """The memory files of a workspace for one agent; each is read once."""

    def __init__(
        self, config: WorkspaceConfig, root: Root, agent: str | None, ends: Mapping[str, int] = {}
    ) -> None:  # fmt: skip
        """Bind to a workspace; `ends` has the characters that are needed at the end of a file, by kind."""
        self.config, self.root, self.agent, self.ends = config, root, agent, ends
        self._read: dict[str, Document | str] = {}
        self._blank: dict[str, tuple[int, ...]] = {}
        self.digests: dict[str, str] = {}
        self._template_lines: dict[str, frozenset[str]] = {}

    def find(self, kind: str, owner: str) -> tuple[RecipeFile, ...]:
        """Return the file of a kind; for the owner `both`, the workspace's file and then the agent's own.

        Of a kind of which a user has files beside the shared ones, both are returned.
        """
        templates = tuple(self.config.schemas.languages(kind).values())
        first = self.config.schemas.get(kind)
        assert first is not None, kind
        if not self.config.settings.memory.enabled and kind not in NO_MEMORY:
            return (RecipeFile(first.files[0], None, templates, "off"),)
        found: list[RecipeFile] = []
        why, missing_path = "missing", first.files[0]
        for path in self._paths(templates, owner):
            one = self.at(path, kind)
            if one.document:
                found.append(one)
                if owner != "both" and (first.owner != "both" or user_of(path) == ""):
                    break
            elif one.why == "unreadable":
                why, missing_path = one.why, path
        return tuple(reversed(found)) or (RecipeFile(missing_path, None, templates, why),)

    def at(self, path: str, kind: str) -> RecipeFile:
        """Return the file of a kind at a path."""
        templates = tuple(self.config.schemas.languages(kind).values())
        document = self.read(path, self.ends.get(kind))
        if not isinstance(document, Document):
            return RecipeFile(path, None, templates, document)
        own = self.config.schemas.match(path, document) or self.config.schemas.required(kind)
        schemas = (own, *(one for one in templates if one is not own))
        return RecipeFile(path, document, schemas, blank=self._blank.get(path, ()))

    def _paths(self, templates: tuple[Template, ...], owner: str) -> Iterator[str]:
        """Yield the paths where a file of a kind may be: the user's own, the agent's own, the workspace's."""
        names = tuple(dict.fromkeys(name for one in templates for name in one.files if not set(name) & set("*?")))
        first = self.config.schemas.get(templates[0].kind) or templates[0]
        if self.agent:
            for folder in AGENT_FOLDERS:
                yield from (user_place(user_of(name), f"{folder}/{self.agent}/{within_user(name)}") for name in names)
        if not self.agent or owner != "agent":
            yield from dict.fromkeys((*names, *file_names(self.config.root, first)))
            if first.owner == "both":
                yield from dict.fromkeys(within_user(name) for name in names if user_of(name))

    def template_lines(self, found: RecipeFile) -> frozenset[str]:
        """Return the lines that are part of a kind's templates."""
        kind = found.templates[0].kind
        if kind not in self._template_lines:
            self._template_lines[kind] = self.config.boilerplate(kind)
        return self._template_lines[kind]

    def read(self, path: str, end: int | None = None) -> Document | str:
        """Return a file, with `end` only so many characters at its end; or `missing` or `unreadable`."""
        if path not in self._read:
            self._read[path] = self._read_stable(path, end)
        return self._read[path]

    def _read_stable(self, path: str, end: int | None) -> Document | str:
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
            # a file can be empty for a moment while an editor saves it
            fresh = time.time() - version.stat.st_mtime < limits.store.stable_ms / 1000
            if version.data or not fresh or time.monotonic() > until:
                return self._parse(path, version.data, end)
            time.sleep(_RETRY_SECONDS)

    def _parse(self, path: str, data: bytes, end: int | None) -> Document:
        self.digests[path] = blake2b(data, digest_size=8).hexdigest()
        most = self.config.settings.lint.max_lines
        if data.count(b"\n") + data.count(b"\r") > most and len(lines := data.splitlines(keepends=True)) > most:
            data = b"".join(lines[:most])  # lines after the limit have no structure
            self._blank[path] = (most,)
        if end is None or len(data) <= end:
            return parse(data)
        text = data.decode("utf-8", "surrogateescape")
        shorter, older = blank_older(text, end, content_checks(self.config).is_kept)
        self._blank[path] = (*older, *self._blank.get(path, ()))
        return parse(shorter.encode("utf-8", "surrogateescape"))

    def text(self, path: str) -> str | None:
        """Return a text that is not a memory file, such as a prompt; None if there is none."""
        with suppress(FileNotFoundError, UnreadableFileError):
            version = read(self.root.place(path), self.config.settings.lint.max_bytes)
            return version.data.decode("utf-8", "replace") if version else None
        return None


_TICKS = pattern(r"`{3,}")


def current_result(
    config: WorkspaceConfig, files: RecipeFiles, request: PackRequest, slot: RecipePart, checks: ContentChecks
) -> PartSource:
    """Return the source of the tool result in the request: a text, an artifact, or the id of an artifact."""
    result = request.tool_result
    if not result:
        return PartSource(why="missing")
    pointer = (
        result.path
        if isinstance(result, StoredArtifact)
        else config.whose.place(artifact_path(artifact_id(result)))
        if artifact_id(result)
        else ""
    )
    stored = _stored_run(config, files, pointer) if pointer else None
    if stored and not config.settings.memory.enabled:
        return PartSource(why="off")
    if stored is not None:
        head, body = stored
        summary = "\n".join(head.summary) or shorten_output(body, _limits(slot))
        if f"tool:{head.id}" not in summary and head.path not in summary:
            summary = f"{summary}\n→ `tool:{head.id}`"
    elif isinstance(result, StoredArtifact):
        body, summary = "", "\n".join(result.summary)
    else:
        from mdmem.artifacts.summaries import summarise  # few packs have the result of a tool

        numbers = config.settings.artifacts
        lines = summarise(result, tool="", exit_code=None, path="", numbers=numbers, lines=slot.tool_lines)
        body, summary = result, "\n".join(lines)
    source = _source(slot, request.inline or slot.inline, checks.clean(summary), checks.clean(body), pointer)
    # a stored output is limited by `whole_tokens`, unless the request asks for all of it
    return source if stored is None or request.inline else source._replace(whole_tokens=slot.whole_tokens)


def _source(slot: RecipePart, inline: str, summary: str, body: str, path: str) -> PartSource:
    short = Material((MaterialGroup(path),), _items(summary), (OmittedItem(path, 0, "", "output"),) if body else ())
    whole = Material((MaterialGroup(path),), (_fenced(body),)) if body.strip() and inline == "full-if-fits" else None
    if body and body.split() == summary.split():
        short = short._replace(left=())
    return PartSource(short, cut=slot.cut or "head-tail", whole=whole)


def _items(text: str) -> tuple[MaterialItem, ...]:
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return (
        tuple(MaterialItem(piece, 0, 0, piece, separator) for separator, piece in pieces(clean))
        if clean.strip()
        else ()
    )


def _fenced(body: str) -> MaterialItem:
    """Return an output in a code block, so that it cannot contain headings of the pack."""
    clean = body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(clean)), default=0))
    return MaterialItem(f"{fence}\n{clean}\n{fence}", 0, 0, clean)


def _limits(slot: RecipePart) -> Limits:
    return Limits(0, slot.tool_lines, slot.tool_chars, slot.tool_turns)


def _stored_run(config: WorkspaceConfig, files: RecipeFiles, path: str) -> tuple[Artifact, str] | None:
    """Read an artifact from its file; None if it cannot be read."""
    try:
        version = read(files.root.place(path), config.settings.lint.max_bytes)
    except (FileNotFoundError, UnreadableFileError):
        return None
    if version is None:
        return None
    artifact = read_artifact(version.data, path)
    return artifact, version.data[artifact.body :].decode("utf-8", "replace")
