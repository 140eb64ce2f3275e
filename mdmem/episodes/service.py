"""Write the episode of a session, by rules or with a model, and find episodes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_file
from mdmem.episodes.model import Episode, EpisodeSource, EpisodeTask
from mdmem.episodes.stretches import EpisodeStretch, read_stretches, uncovered
from mdmem.episodes.writer import EpisodeWriter
from mdmem.errors import ConflictError, TargetError, UnreadableFileError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn, read_session, turns_start
from mdmem.formats.template import Template
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.linter.detect.small_talk import is_small_talk
from mdmem.messages.catalog import say
from mdmem.models import Backend
from mdmem.search.access_counts import accesses
from mdmem.sessions.confidences import confidences, public_head
from mdmem.sessions.read import allow, find, is_over, paths, template
from mdmem.sessions.sanitize import remembered_turns
from mdmem.text.document import Document, parse
from mdmem.text.entry import statement_key
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.transcript import SPEAKERS, sentences

if TYPE_CHECKING:
    from mdmem.search.service import SearchHit

_COMMENT = pattern("<!--|-->")  # quoted in a line, it would open or close a comment or a generated block
_MARK = "[rounds::"  # a session without it has no episode
_FOUND = 50  # hits of a search among which episodes are looked for

Search: TypeAlias = "Callable[[str, int], Sequence[SearchHit]]"


class Episodes(TypedCalls):
    """The namespace `Workspace.episodes`: what happened in the sessions."""

    def __init__(self, config: WorkspaceConfig, search: Search) -> None:
        """Bind to a workspace; `search` finds lines of episodes by words."""
        self._config, self._search = config, search

    def __call__(
        self,
        query: str = "",
        *,
        entity: str = "",
        days: int | None = None,
        session: str = "",
        limit: int | None = None,
    ) -> tuple[Episode, ...]:
        """Return episodes, those of the newest sessions first; with a query, the best first. Archived ones count too.

        Args:
            query: words that they hold.
            entity: a path, an address or a name that their session is about.
            days: only sessions that began within so many days.
            session: only those of this session: its id, a prefix of it, or its path.
            limit: at most so many; None uses `[session] list` of mdmem.toml.

        Raises:
            TargetError: no session is called so, or more than one.
            MemoryOffError: memory is switched off.

        >>> [episode.summary for episode in Workspace("workspace").episodes(days=3650)]
        """
        allow(self._config)
        most = self._config.settings.session.list if limit is None else limit
        named = (find(self._config, session),) if session else None
        found: list[Episode] = []
        for episode in self._matching(query, named):
            if (not entity or _is_about(episode, entity)) and _is_recent(self._config, episode, days):
                found.append(episode)
                if len(found) >= most:
                    break
        return tuple(found)

    def write(
        self,
        session: str,
        *,
        source: EpisodeSource = "session_end",
        backend: str | Backend | None = None,
        any_format: bool = False,
        dry_run: bool = False,
    ) -> Outcome:
        """Write what happened in the rounds of a session that no episode covers yet.

        Args:
            session: its id, a prefix of it, or its path.
            source: when it is written: session_end, context_compress or night.
            backend: as for `Workspace.compact`; an answer of a model that fails its proof is replaced by the rules.
            any_format: also into a file of an older format, which is left as it is otherwise.
            dry_run: only tell what would change.

        Raises:
            TargetError: no session is called so, or more than one.
            UsageError: no backend is called so.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").episodes.write("20260213", dry_run=True).status
        """
        path = find(self._config, session)
        chosen = ChosenBackend(self._config, backend)
        return write_episode(self._config, path, source, backend=chosen, any_format=any_format, dry_run=dry_run)

    def _matching(self, query: str, named: Sequence[str] | None) -> Iterator[Episode]:
        if not query.strip():
            for path in paths(self._config, below=True) if named is None else named:
                yield from read_episodes(self._config, path)
            return
        seen: set[tuple[str, int]] = set()
        for hit in self._search(query, _FOUND):
            own = read_episodes(self._config, hit.path) if named is None or hit.path in named else ()
            told = [one for one in own if one.line <= hit.line]
            if told and (hit.path, told[-1].line) not in seen:
                seen.add((hit.path, told[-1].line))
                yield told[-1]


def _is_about(episode: Episode, entity: str) -> bool:
    wanted = comparison_key(entity)
    return any(wanted in comparison_key(one) for one in episode.entities)


def _is_recent(config: WorkspaceConfig, episode: Episode, days: int | None) -> bool:
    if days is None:
        return True
    first = config.today - dt.timedelta(days=max(0, days - 1))
    return first.isoformat() <= episode.started[:10] <= config.day


def read_episodes(config: WorkspaceConfig, path: str) -> tuple[Episode, ...]:
    """Return the episodes of a session in the order of its rounds; none if it has none or cannot be read."""
    with suppress(TargetError, UnreadableFileError):
        text = read_file(config, path, "user").text
        if _MARK in text:
            head = _head(text, template(config))
            return tuple(_episodes(config, path, head, _schema(config, path, head)))
    return ()


def _head(text: str, schema: Template) -> Document:
    """Return what precedes the turns of a session."""
    return parse(text[: turns_start(text, schema)].encode("utf-8", "surrogateescape"))


def _schema(config: WorkspaceConfig, path: str, document: Document) -> Template:
    return AccessPolicy(config, KEEPER).template(path, document) or template(config)


def _episodes(config: WorkspaceConfig, path: str, head: Document, schema: Template) -> Iterator[Episode]:
    session, counts = read_session(head, path, schema), accesses(config)
    values = head.front_matter.values if head.front_matter else {}
    goal, importance = values.get("goal"), values.get("importance")
    share = importance if isinstance(importance, int | float) else schema.numbers.get("base_importance", 0.0)
    for one in sorted(read_stretches(head, schema), key=lambda one: one.first):
        count = counts.get(statement_key(one.text))
        yield Episode(
            session.id, path, one.first, one.last, one.summary, str(goal or session.task), one.outcome, one.by,
            session.started, session.ended, min(1.0, max(0.0, float(share))), _texts(values.get("entities")),
            _texts(values.get("tags")), tuple(dict.fromkeys(action.tool for action in one.actions)), one.facts,
            one.actions, one.line, count.times if count else 0,
        )  # fmt: skip


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value] if value else []
    return tuple(str(one) for one in values)


def pending_episodes(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the sessions that have ended or are idle, with rounds that no episode covers, the newest first."""
    return tuple(path for path in paths(config) if _waits(config, path))


def _waits(config: WorkspaceConfig, path: str) -> bool:
    with suppress(TargetError, UnreadableFileError):
        document = parse(read_file(config, path, KEEPER).text.encode())
        session = read_session(document, path, template(config))
        if document.front_matter is not None and is_over(config, session):
            spans = _uncovered(session.turns, read_stretches(document, template(config)))
            return bool(_telling(config, session.turns, spans))
    return False


def _uncovered(turns: Sequence[Turn], stretches: Sequence[EpisodeStretch]) -> tuple[tuple[int, int], ...]:
    return uncovered((turn.number for turn in turns), stretches)


def _telling(
    config: WorkspaceConfig, turns: Sequence[Turn], spans: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Return the ranges of rounds that hold more than small talk."""
    words, splitter = config.settings.lint, Splitter(config.settings.sentences)

    def is_idle(first: int, last: int) -> bool:
        own = [turn for turn in turns if first <= turn.number <= last]
        said = sentences(own, splitter)
        return (
            bool(said)
            and all(turn.role in SPEAKERS for turn in own)
            and all(
                is_small_talk(one.text, words.small_talk, words.fillers) or (one.asks and one.role == "assistant")
                for one in said
            )
        )

    return tuple(span for span in spans if not is_idle(*span))


def write_episode(
    config: WorkspaceConfig,
    session_path: str,
    source: EpisodeSource = "session_end",
    *,
    backend: ChosenBackend | None = None,
    any_format: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Write what happened in the rounds of a session that no episode covers; see `Episodes.write`.

    A second call changes nothing. A session without turns, or with nothing but small talk, gets no episode.
    """
    lang = config.lang
    for _ in range(config.settings.keeper.tries):
        found = read_file(config, session_path, KEEPER)
        if found.warning:
            raise UnreadableFileError(found.warning, path=session_path)
        document = parse(found.text.encode())
        schema = _schema(config, session_path, document)
        session = read_session(document, session_path, schema)
        if document.front_matter is None and not any_format:
            hint = say(lang, "episode.old-format.hint")
            return Outcome("unchanged", say(lang, "episode.old-format", path=session_path), hint, session_path)
        turns = session.turns or (_as_turns(session) if any_format else ())
        if not turns:
            return Outcome("unchanged", say(lang, "episode.no-turns", path=session_path), "", session_path)
        spans = _uncovered(turns, read_stretches(document, schema))
        if not spans:
            return Outcome("unchanged", say(lang, "episode.known", path=session_path), "", session_path)
        spans = _telling(config, turns, spans)
        if not spans:
            return Outcome("unchanged", say(lang, "episode.small-talk", path=session_path), "", session_path)
        task = _task(config, session, turns, schema)
        writer = EpisodeWriter(config, task, spans, source, backend or ChosenBackend(config))
        with suppress(ConflictError):
            return writer.write(dry_run=dry_run)
    raise ConflictError(say(lang, "keeper.moved-on"), path=session_path)


def _task(config: WorkspaceConfig, session: Session, turns: Sequence[Turn], schema: Template) -> EpisodeTask:
    gate, settings = Gate(AccessPolicy(config, KEEPER)), config.settings
    scorer, splitter = (
        ImportanceScorer(settings.keeper, config.today),
        Splitter(settings.sentences),
    )
    return EpisodeTask(
        public_head(session, splitter, confidences(settings.keeper)), remembered_turns(config, turns), schema, scorer,
        splitter,
        lambda text: bool(_COMMENT.search(text)) or not gate.is_allowed(session.path, f"- {text}\n"),
        schema.lang or config.lang,
    )  # fmt: skip


def _as_turns(session: Session) -> tuple[Turn, ...]:
    """Return the request and the response of an older session as its only round."""
    said = (("user", session.request), ("assistant", session.response))
    return tuple(Turn(1, role, role, "", text, -1, -1, -1) for role, text in said if text.strip())
