"""Do what an event asks for: give memory to the agent's context, and keep what was said and what tools put out."""

# An agent starts a hook after every call of a tool, so the detectors and `subprocess` are imported by the events that
# need them.
from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mdmem import MdmemError, Workspace
from mdmem.agents.hooks.hook_state import (
    LATE,
    HookState,
    alone,
    claim,
    close_idle,
    is_heading,
    is_left,
    read_state,
    record_failure,
    remove_old,
    write_state,
)
from mdmem.agents.hooks.model import ASKED, GIVEN_WITH_PROMPT, GIVEN_WITH_START, HookPayload, is_question
from mdmem.config.agent_folders import agents_with_folders
from mdmem.context.model import UNSAFE, OmittedItem
from mdmem.formats.paths import user_of
from mdmem.messages.catalog import say
from mdmem.sessions.confidences import says_now
from mdmem.sessions.running import bare_line, outputs_of, running_sessions
from mdmem.settings.tables import AgentsSettings
from mdmem.store.files import file_size
from mdmem.store.walk import holds_memory
from mdmem.text.similarity import restates, spoken

if TYPE_CHECKING:
    from mdmem import OpenSession
    from mdmem.context.safe_text import SafeText

Give = Callable[[str], None]
_LOOK_SECONDS = 0.1  # between two looks for a prompt that another process records
_PLACES = 8  # of lines that were left out
_NEW = "startup"  # the source of the start of a new session
_SUMMARIZED = "compact"  # the source of a start after the agent has summarized its context
_CONTINUED = ("resume", "fork")
BEGUN = "mdmem_begun"  # the key of a payload with the file that a hook was adding to when it was cut off


class AgentHook:
    """One event of one agent, answered in one short process."""

    def __init__(self, work: Workspace, payload: HookPayload, *, patient: bool = False) -> None:
        """Bind to a workspace; unless `patient`, no lock is waited for longer than `[agents] lock_seconds`."""
        work.config.lenient = "held"  # a broken file of settings must not lose what is said
        settings = work.config.settings
        self.settings: AgentsSettings = settings.agents
        self._work, self._payload = work, payload
        self._is_recorded, self._adding_to = not _said(payload)[1], list[object]()
        self.is_early = False  # it tells of a reply before the prompt is recorded, if that ever is
        if not patient:
            most = self.settings.lock_seconds
            work.config.settings = settings.replace(
                store=settings.store._replace(lock_seconds=min(most, settings.store.lock_seconds)),
                search=settings.search._replace(lock_seconds=min(most, settings.search.lock_seconds)),
            )
        self._is_late = payload.agent in GIVEN_WITH_PROMPT
        self._state = read_state(work.root, payload.agent, payload.session) or self._with_due(_NEW)

    def _with_due(self, source: str) -> HookState:
        """Return the state in which the next prompt brings a pack, unless the agent takes none with a prompt."""
        payload = self._payload
        state = HookState(payload.agent) if source == _NEW else self._state
        return state if payload.agent in GIVEN_WITH_START else state._replace(due=source)

    def run(self, give: Give) -> None:
        """Answer the event; `give` takes the text for the agent's context as soon as it is known."""
        if not self._work.config.settings.memory.enabled:
            return
        if note := self._note():
            give = self._with_note(give, note)
        steps: dict[str, Callable[[Give], None]] = {
            "start": self._start, "prompt": self._prompt, "tool": self._tool, "compact": self._compact,
            "stop": self._stop, "end": self._end,
        }  # fmt: skip
        if step := steps.get(self._payload.event):
            step(give)

    def _note(self) -> str:
        """Return what the session was not told yet of settings that are broken."""
        config = self._work.config
        return self._state.without_given("\n".join(f"mdmem: {one.told(config.lang)}" for one in config.held))

    def _with_note(self, give: Give, note: str) -> Give:
        """Add a note to what is given; a prompt gets it also alone."""

        def noted(text: str) -> None:
            self._state = self._state.with_given(note)
            give("\n\n".join(filter(None, (text, note))))

        if self._payload.event == "prompt":
            noted("")
        return noted

    def _start(self, give: Give) -> None:
        source = self._payload.source
        if source == _NEW and self._state.path:
            source = _CONTINUED[0]  # the first prompt was faster, and brought the pack
        if source not in _CONTINUED or not self._state.due:  # what an earlier start owes comes first
            self._state = self._state._replace(due=source)
        if not self._is_late:
            if self._state.given and self._payload.agent not in GIVEN_WITH_START:
                self._keep()  # a start that is cut off here is made up for by the next one, or by the prompt
            give(self._pack(self._state.due))
            self._state = self._state._replace(due="")
        self._keep()
        for path in close_idle(self._work.root, 60 * self.settings.idle_minutes, self.settings.idle_sessions):
            self._end_detached(path)  # some agents do not tell that a session ends
        remove_old(self._work.root, self.settings.keep_days)

    def _pack(self, source: str) -> str:
        """Return the memory that a session is given at a start."""
        recipe = self.settings.compact_recipe if source == _SUMMARIZED else self.settings.recipe
        own = self._payload.agent if self._payload.agent in agents_with_folders(self._work.config) else None
        pack = self._work.pack(recipe, budget=self.settings.budget, folder=self._payload.folder, agent=own)
        safe = self._safe(pack.text)
        text = safe.text
        left = [*(one for one in pack.left if one.why == UNSAFE), *safe.left]
        if source in _CONTINUED and (self._state.given or self._state.path):
            text = self._state.without_given(self._without_own(text))
        else:
            self._state = self._state._replace(given=())  # a new context holds nothing of the old one
            if block := self._block():
                self._state = self._state.with_given(block)
                text = self._state.without_given(text)
        self._state = self._state.with_given(text)
        return "\n\n".join(filter(None, (text, left_note(self._work.lang, left))))

    def _prompt(self, give: Give) -> None:
        payload, prompt, is_kept = self._payload, self._payload.prompt, False
        if self._is_late and not self._state.due and is_left(self._work.root, payload.agent, payload.session):
            self._state = self._with_due(_CONTINUED[0])  # it may have been taken up again, which nobody tells
        if prompt:  # recorded first, for a recall that takes too long must not lose it
            with suppress(MdmemError):  # nor may what keeps it from being recorded cost the recall
                self._record("user", prompt)
                is_kept = True
        try:
            self._give_with(prompt, give)
        finally:
            if prompt and not is_kept:
                self._record("user", prompt)
            self._keep()

    def _give_with(self, prompt: str, give: Give) -> None:
        """Give the pack of a start, where an agent takes it with a prompt, and what is recalled for the prompt."""
        pack = ""
        if due := self._state.due:
            if pack := self._pack(due):
                give(pack)
            self._state = self._state._replace(due="")
            self._keep()
        if is_question(prompt, self.settings.least_words):
            with suppress(MdmemError):
                give("\n\n".join(filter(None, (pack, self._recalled(prompt)))))

    def _recalled(self, prompt: str) -> str:
        """Return the memories that fit a prompt and were not given yet."""
        most = self.settings.recall_tokens
        # what is said in a session that still runs is no memory of another one
        without = tuple(dict.fromkeys((*self._state.files, *running_sessions(self._work.config))))
        found = self._work.recall(prompt, budget=most, without=without, sparing=True)
        if any(hit.kind == "artifact" for hit in found.hits) and (stored := outputs_of(self._work.config, without)):
            found = self._work.recall(prompt, budget=most, without=(*without, *stored), sparing=True)
        text = self._safe(found.text).text
        text = self._state.without_given(self._without_own(text) if self._state.is_continued else text)
        self._state = self._state.with_given(text)
        return text

    def _without_own(self, text: str) -> str:
        """Return a text without the lines that were made of what this session has said."""
        if not text:
            return text
        said = ""
        for path in self._state.files:
            with suppress(MdmemError, OSError):
                said += spoken(self._work.read(path).text)
        return "\n".join(line for line in text.split("\n") if is_heading(line) or not restates(bare_line(line), said))

    def _compact(self, _: Give) -> None:
        """Give rules and pins again with the next prompt, where no start tells that the context was summarized."""
        if not self._is_late or self._payload.source == ASKED:
            self._state = self._with_due(_SUMMARIZED)
            self._keep()

    def _tool(self, _: Give) -> None:
        payload, settings = self._payload, self.settings
        if payload.tool not in settings.artifacts or not payload.tool_output:
            return
        if not payload.failed and len(payload.tool_output) <= settings.artifact_chars:
            return
        session = self._session("") if self._state.path else None
        output, given = ((session.masked(one) if session else one) for one in (payload.tool_output, payload.tool_input))
        stored = self._work.artifacts.put(
            output.encode(), tool=payload.tool, input=given, exit_code=payload.exit_code, owner=payload.agent,
            captured=True,
        )  # fmt: skip
        if session:
            session.tool(stored)

    def _stop(self, _: Give) -> None:
        if self._payload.reply:
            self._record(*_said(self._payload))

    def _end(self, _: Give) -> None:
        """End the session; what was given is still known, for an agent may resume it with all that it was told."""
        if self._state.path and self._state.is_open:
            self._end_detached(self._state.path)
            self._state = self._with_due(_CONTINUED[0])._replace(is_open=False)
            self._keep()

    def record(self, begun: object) -> None:
        """Only record what was said, in a process that nobody waits for.

        A reply waits as long as for a lock until another process has recorded its prompt.

        Args:
            begun: the file that a hook which was cut off was adding to, with its size before, if there is one.
        """
        path, size = begun if isinstance(begun, list) and len(begun) == 2 else ("", 0)
        role, text = _said(self._payload)
        if not text or not self._work.config.settings.memory.enabled or self._was_added(str(path), size, role):
            return
        if path and not self._state.path:
            self._state = self._state._replace(path=str(path))
        until = time.monotonic() + self._work.config.settings.store.lock_seconds
        while role != "user" and not self._state.path and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
            self._state = read_state(self._work.root, self._payload.agent, self._payload.session) or self._state
        self._record(role, text)

    def _was_added(self, path: str, size: int, role: str) -> bool:
        """Return whether a turn of a role was added to a file that had so many bytes before."""
        if not path:
            return False
        with suppress(MdmemError):
            added = self._work.read(path).text.encode("utf-8", "surrogateescape")[size:]
            return f" {role} ".encode() in added.lstrip().partition(b"\n")[0]
        return False

    def late(self, given: dict[str, Any]) -> None:
        """Start processes for what this one had no time for: a text to record, an index to bring up to date.

        Args:
            given: the payload.
        """
        self.hand_over(given)
        record_failure(self._work.root, self._payload.event, LATE)
        if self._payload.event == "prompt" and claim(self._work.root, self.settings.index_seconds):
            self._detached("index", "status")

    def hand_over(self, given: dict[str, Any]) -> None:
        """Hand what was said to another process that records it, unless it is recorded already.

        Args:
            given: the payload.
        """
        if not self._is_recorded:
            from mdmem.agents.hooks.detached import start_recorder

            data = json.dumps({**given, BEGUN: self._adding_to}).encode()
            start_recorder(data, self._payload.event, self._payload.agent, self._work.root, self._work.config.user)

    def _end_detached(self, path: str) -> None:
        """End a session in another process, for agents give a hook a second or two."""
        self._detached("session", "end", path, user=user_of(path))

    def _detached(self, *words: str, user: str | None = None) -> None:
        """Start a verb in a process of its own, which outlives this one.

        It is for the user of this hook, unless `user` names the user whose file it is about.
        """
        from mdmem.agents.hooks.detached import limit_time, start_detached

        root, whose = self._work.root, self._work.config.user if user is None else user
        child = start_detached(*words, root=root, folder=root, user=whose)
        limit_time(child, self.settings.detached_seconds)

    def _record(self, role: str, text: str) -> None:
        """Add a turn to the session's file. What two hooks tell of is added once, a reply to nothing never."""
        with alone(self._work.root, self._work.config.settings.store.lock_seconds):
            if other := read_state(self._work.root, self._payload.agent, self._payload.session):
                self._state = self._state.joined(other)
            self.is_early = role != "user" and not self._state.path
            if self.is_early:
                return
            self._is_recorded = self._state.repeats(role, text, self.settings.repeat_seconds)
            if self._is_recorded:
                return
            self._add(self._session(text), role, text)
            self._state = self._state.with_turn(role, text)
            self._keep()
            self._is_recorded = True
        if role == "user" and says_now(self._work.config.settings, text):
            self._detached("extract", self._state.path, "--meanwhile")

    def _add(self, session: OpenSession, role: str, text: str) -> None:
        full = session.path
        self._adding_to = [full, file_size(self._work.root, full)]
        session.turn(role, text)
        if session.path != full:  # it was full, and the session goes on in another file
            self._state = self._state._replace(path=session.path, before=(*self._state.before, full))
            self._detached("session", "review", full)

    def _session(self, task: str) -> OpenSession:
        """Return the session's file; a new one if there is none, or if somebody has ended it."""
        if self._state.path:
            with suppress(MdmemError):
                resumed = self._work.sessions.resume(self._state.path, agent=self._payload.agent)
                self._state = self._state._replace(is_open=True)
                return resumed
        return self._next_file(task)

    def _next_file(self, task: str) -> OpenSession:
        """Return a new file of the session, which follows its last one."""
        agent, last = self._payload.agent, self._state.path
        task = task if self._payload.prompt else ""  # a reply is no task
        started = self._work.sessions.start(task or agent, agent=agent, follows=last)
        before = (*self._state.before, last) if last else ()
        self._state = self._state._replace(path=started.path, before=before, is_open=True)
        return started

    def _keep(self) -> None:
        with suppress(OSError, MdmemError):  # what is lost is only that a line may be given twice
            write_state(self._work.root, self._payload.session, self._state)

    def _block(self) -> str:
        """Return the memory's block that the agent reads in its folder by itself, such as the one in CLAUDE.md."""
        from mdmem.instructions.read import block_in

        return block_in(self._work.config, self._payload.agent, self._payload.folder)

    def _safe(self, text: str) -> SafeText:
        """Return a text without what gives orders to a model."""
        from mdmem.context.safe_text import safe_text

        return safe_text(self._work.config, text)


def _said(payload: HookPayload) -> tuple[str, str]:
    """Return the role of the turn that an event tells of, and its text, which is empty if there is none."""
    if payload.event == "stop":
        return "assistant", payload.reply
    return "user", payload.prompt if payload.event == "prompt" else ""


def left_note(lang: str, left: Sequence[OmittedItem]) -> str:
    """Return a line about what was left out for safety, with the places; empty for nothing."""
    if not left:
        return ""
    places = dict.fromkeys(f"{one.path}:{one.line}" for one in left if one.path)
    key = "cli.context.left-unsafe" if places else "cli.context.left-unsafe-said"
    return say(lang, key, count=len(left), places=", ".join(list(places)[:_PLACES]))


def find_workspace(root: str, folder: str, user: str = "") -> Workspace | None:
    """Return the workspace of `--root`, or the one at or above the agent's folder, for a user; None if there is none.

    A folder that holds no memory, such as the empty folder of a lost mount, is none: nothing is made there.
    """
    if root:
        return Workspace(root, user=user) if holds_memory(root) else None
    try:
        return Workspace.find(folder or ".", user=user)
    except MdmemError:
        return None
