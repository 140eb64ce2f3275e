"""Read what a scratchpad is made of: its sessions, the task plan, and what the history tells of its lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from mdmem.config.agent_folders import AGENT_FOLDERS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.kind_files import kind_file
from mdmem.entries.read import live_bytes
from mdmem.episodes.stretches import read_stretches
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.formats.paths import is_owner_name, within_user
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn, rounds
from mdmem.formats.task_plan import read_todo
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.scratchpad.line_texts import joined_sentences
from mdmem.scratchpad.model import KIND, PlanDigest, SessionDigest
from mdmem.sessions.confidences import confidences, without_private
from mdmem.sessions.read import head, head_document, is_over, latest_sessions, recent_turns, template
from mdmem.sessions.running import running_sessions
from mdmem.sessions.sanitize import remembered_turns
from mdmem.text.document import parse
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.wording.transcript import Sentence, sentences

_STAMP, _COPY = len("20260220_100000"), pattern(r"-(\d{1,6})\Z")


def scratchpad_template(config: WorkspaceConfig) -> Template:
    """Return the template of scratchpads; raises ConfigError."""
    return config.schemas.required(KIND)


def scratchpad_path(config: WorkspaceConfig, agent: str) -> str:
    """Return the file of an agent; one without a file of its own shares that of the user.

    Raises:
        UsageError: the name of the agent cannot be the name of a folder.
    """
    if agent and not is_owner_name(agent):
        raise UsageError(say(config.lang, "scratchpad.owner"), hint=say(config.lang, "scratchpad.owner.hint"))
    return agent_path(config, agent) or kind_file(config.root, scratchpad_template(config))


def agent_path(config: WorkspaceConfig, agent: str) -> str:
    """Return the scratchpad of an agent's own; empty if it has none."""
    if not agent:
        return ""
    name = within_user(scratchpad_template(config).files[0])
    names = (config.whose.place(f"{folder}/{agent}/{name}") for folder in AGENT_FOLDERS)
    return next((path for path in names if os.path.isfile(os.path.join(config.root, path))), "")


def digests(config: WorkspaceConfig, agent: str, ended: str = "") -> tuple[SessionDigest, ...]:
    """Return the newest sessions of an agent, newest first; the turns of the newest of them are read too.

    So are those of the session `ended` (an id), which may have ended long after newer ones began.
    """
    settings = config.settings.scratchpad
    newest = islice(_sessions(config, agent, ended), settings.sessions)
    found = sorted(newest, key=lambda one: _begun(config, one), reverse=True)
    return tuple(
        _digest(config, one, read=index < settings.read_sessions or one.id == ended, shown=index < settings.progress)
        for index, one in enumerate(found)
    )


def _begun(config: WorkspaceConfig, session: Session) -> tuple[str, int, int]:
    """Return a key that orders sessions by their beginning; those of one second by their number, then by their file."""
    copy = _COPY.search(session.id)
    try:
        written = os.stat(os.path.join(config.root, session.path)).st_mtime_ns
    except OSError:
        written = 0
    return session.id[:_STAMP], int(copy[1]) if copy else 1, written


def _sessions(config: WorkspaceConfig, agent: str, ended: str) -> Iterator[Session]:
    """Yield the sessions of an agent but for those of agents that still run, which are no memory of others."""
    own, running = agent_path(config, agent), running_sessions(config)
    for path in latest_sessions(config, limit=config.settings.session.open_among):
        try:
            session = head(config, path)
        except (OSError, UnreadableFileError):
            continue
        if path in running and session.id != ended:
            continue
        if agent_path(config, session.agent) == own:
            yield session


def newest_turns(config: WorkspaceConfig, path: str) -> tuple[Turn, ...]:
    """Return the newest rounds of a session."""
    most = config.settings.scratchpad.read_rounds
    return recent_turns(config, path, enough=lambda turns: len(rounds(turns)) >= most)


def conclusion(session: Session, splitter: Splitter) -> tuple[Sentence, ...]:
    """Return the sentences of a session's response, without Markdown and code."""
    return sentences((Turn(0, "assistant", "", "", session.response, -1, -1, -1),), splitter)


def _digest(config: WorkspaceConfig, session: Session, *, read: bool, shown: bool) -> SessionDigest:
    splitter = Splitter(config.settings.sentences)
    is_told = bool(session.ended) and not session.response.strip()
    turns = remembered_turns(config, newest_turns(config, session.path)) if read or (is_told and shown) else ()
    spoken = sentences(turns, splitter)
    stretches = read_stretches(head_document(config, session.path), template(config))
    outcome = session.outcome
    if not session.ended and stretches and is_over(config, session):
        outcome = stretches[-1].outcome  # nobody has ended it, and its episode tells how it ended
    return SessionDigest(
        session.id,
        (session.ended or session.started)[:10],
        one_line(without_private(session.task, splitter, confidences(config.settings.keeper))),
        outcome,
        bool(session.ended),
        joined_sentences(one.text for one in conclusion(session, splitter)),
        stretches if read or is_told else (),
        spoken if read else (),
        spoken if is_told else (),
    )


def plan_digest(config: WorkspaceConfig, agent: str, lang: str) -> PlanDigest:
    """Return the open steps of the task plan of an agent, or of the workspace; none if it does not run."""
    schema = config.schemas.get("task_process")
    if schema is None:
        return PlanDigest("", (), "")
    own = [f"{folder}/{agent}/{schema.files[0]}" for folder in AGENT_FOLDERS] if agent else []
    for path in (*own, schema.files[0]):
        data = live_bytes(config, path, config.settings.lint.max_bytes)
        if data is None:
            continue
        document = parse(data)
        todo = read_todo(document, config.schemas.match(path, document) or schema)
        phase = todo.phase.value.casefold() if todo.phase else ""
        open_steps = tuple(one.text for one in todo.steps[todo.at or 0 :] if not one.done and one.text)
        if not open_steps or phase in schema.parts.get("over", ()):
            return PlanDigest("", (), "")
        task = say(lang, "scratchpad.plan", step=open_steps[0], count=len(open_steps))
        return PlanDigest(task, open_steps, f"file:{path}")
    return PlanDigest("", (), "")
