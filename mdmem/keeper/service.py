"""The class behind `Workspace.keeper`: prompts, the compact memory of a context, and busy leases."""

# What condenses, extracts or asks a model is imported when it is called: doctor and a busy lease need little of it.
from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.keeper.busy import BusyLease, active_leases, busy_lease, release, write_lease

if TYPE_CHECKING:
    from mdmem.entries.model import Outcome
    from mdmem.history.service import DoctorCheck
    from mdmem.keeper.context_compaction import CompactResult
    from mdmem.keeper.conversation.messages import Message
    from mdmem.keeper.model_trial import ModelTrial
    from mdmem.keeper.session_extraction import SaidNow
    from mdmem.models import Backend
    from mdmem.text.tokens import TokenCounter


class Keeper(TypedCalls):
    """The namespace `Workspace.keeper`; `Workspace.compact` condenses files."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def prompts(self, what: str | None = None) -> tuple[str, ...]:
        """Return the prompt for each file that waits to be condensed, or for the one named.

        Answers go to `Workspace.compact(apply=…)`.
        """
        from mdmem.keeper.compaction import compaction_prompts

        return compaction_prompts(self._config, what)

    def extract(
        self,
        session: str | None = None,
        *,
        plan: bool = False,
        now: bool = False,
        backend: str | Backend | None = None,
        apply: str | None = None,
        meanwhile: bool = False,
    ) -> tuple[Outcome, ...]:
        """Take from sessions what is worth remembering; an outcome for each change.

        Facts, preferences, rules and what failed runs taught go to `facts/`, in one change with the mark
        `extracted_through` of the session. What was not kept is counted in the message. A statement that the rounds do
        not bear out waits in the inbox.

        Args:
            session: its id, a prefix of it, or its path; None means all sessions. Of an open one the newest round waits
                until it is answered, unless the session is named.
            plan: show what would change, and write nothing.
            now: also the newest round of open sessions, and without waiting after a refusal.
            backend: as for `Workspace.compact`; rules take some milliseconds.
            apply: an agent's answer to `extraction_prompts`, instead of asking a backend.
            meanwhile: by the rules, while a session goes on; its rounds still wait for the extraction at its end, which
                writes nothing twice.

        Raises:
            UsageError: no backend is called so.
            ConfigError: the backend, or a prompt of the workspace's own, is not set up right.
            TargetError: there is no such session.
            MemoryOffError: memory is switched off.

        >>> [outcome.message for outcome in Workspace("workspace").keeper.extract(plan=True)]
        """
        from mdmem.keeper.job_runner import BackendChoice
        from mdmem.keeper.session_extraction import extract_sessions

        return extract_sessions(self._config, session, BackendChoice(plan, now, backend, apply), meanwhile=meanwhile)

    def said_now(self) -> SaidNow:
        """Return what extracts, while a program records turns, what is written when it is said.

        >>> said = Workspace("workspace").keeper.said_now()
        """
        from mdmem.keeper.session_extraction import SaidNow

        return SaidNow(self._config)

    def extraction_prompts(self, session: str | None = None) -> tuple[str, ...]:
        """Return the prompt for each session that waits to be extracted, or for the one named.

        An answer goes to `extract(session, apply=…)`.
        """
        from mdmem.keeper.session_extraction import extraction_prompts

        return extraction_prompts(self._config, session)

    def compact_context(
        self,
        messages: Iterable[Message],
        *,
        write: bool = True,
        plan: bool = False,
        now: bool = False,
        backend: str | Backend | None = None,
        apply: str | None = None,
        counter: TokenCounter | None = None,
    ) -> CompactResult:
        """Condense a context into its compact memory: state and key events, within `compact_to_tokens`.

        Do nothing below `compact_at_tokens` of the kind `compact_memory`. Earlier content of the memory is carried
        over; what leaves it goes to the archive. The rules and corrections of the user stay word for word. An answer
        that fails its proof is not written.

        Args:
            messages: the context, oldest first: `{"role", "text"}` (or `content`), with `time` and `name` where known.
            write: True for minimal mode, where the compact memory is the only memory (D018): write it to the file
                of its kind, `.compact_memory.md`, and the raw messages to transcripts/ unless `[session] transcript`
                is off. False for full mode, where sessions keep everything (D019): return the text, write nothing.
            plan: show what would change, and write nothing.
            now: also below the limit, and without waiting after a refusal.
            backend: as for `Workspace.compact`.
            apply: an agent's answer to `context_prompt`, instead of asking a backend.
            counter: counts the tokens of a text; None for the counter that `[tokens]` in mdmem.toml names.

        Raises:
            UsageError: a message is malformed, or the backend is unknown.
            ConfigError: the backend, or the workspace's own prompt, is not set up correctly.
            MemoryOffError: memory is switched off.

        >>> made = Workspace("workspace").keeper.compact_context(
        ...     [{"role": "user", "text": "Fix the import."}], write=False, now=True
        ... )
        """
        from mdmem.keeper.context_compaction import compact_context, context
        from mdmem.keeper.job_runner import BackendChoice

        target = context(self._config, messages, counter, write=write)
        return compact_context(target, BackendChoice(plan, now, backend, apply))

    def context_prompt(self, messages: Iterable[Message], *, write: bool = True) -> str:
        """Return the prompt for a context; its answer goes to `compact_context(apply=…)`."""
        from mdmem.keeper.context_compaction import context, context_prompt

        return context_prompt(context(self._config, messages, None, write=write))

    def read_messages(self, text: str) -> tuple[Message, ...]:
        """Read the messages of a context from JSON: one object per line, or one list of objects.

        Raises:
            UsageError: a line is not a JSON object; the message names it.
        """
        from mdmem.keeper.conversation.messages import read_messages

        return read_messages(text, self._config.lang)

    def try_model(self) -> ModelTrial | None:
        """Ask the model of `[keeper] backend` one small question; None if no model is set.

        Raises:
            ConfigError: the model is not set up right.
            ModelError: it gave no answer.

        >>> Workspace("workspace").keeper.try_model()
        """
        from mdmem.keeper.model_trial import try_model

        return try_model(self._config)

    def model_checks(self) -> tuple[DoctorCheck, ...]:
        """Return what `mdmem doctor` says of the model: why it gave no answer, and how much of its day is used."""
        from mdmem.keeper.model_checks import model_checks

        return tuple(model_checks(self._config))

    def busy(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Make the keeper wait while a block runs.

        The lease ends with the process, and after `seconds` at the latest (default: `[watch] busy_seconds`).

        >>> with Workspace("workspace").keeper.busy():
        ...     ...
        """
        return busy_lease(self._config, self._config.settings.watch.busy_seconds if seconds is None else seconds)

    def acquire(self, name: str, seconds: float) -> BusyLease:
        """Make the keeper wait for so many seconds, also after this process has ended.

        A lease of the same name is replaced.

        Raises:
            UsageError: the name is not one word.
            WriteError: the system refused.
        """
        return write_lease(self._config, name, seconds)

    def release(self, name: str) -> None:
        """End a lease; do nothing if there is none.

        Raises:
            UsageError: the name is not one word.
        """
        release(self._config, name)

    def leases(self) -> tuple[BusyLease, ...]:
        """Return the leases that make the keeper wait now; those that have ended are deleted."""
        return active_leases(self._config)
