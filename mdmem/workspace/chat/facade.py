"""The facade's journeys over a context that has grown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.core.tokens import TokenCounter
    from mdmem.models import Backend
    from mdmem.workspace.chat.context import Compacted
    from mdmem.workspace.chat.messages import Message


class Contexts(Facade):
    """What `Workspace` can do with a program's messages."""

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
    ) -> Compacted:
        """Make the compact memory of a context: its state and its key events, within `compact_to_tokens`.

        Below `compact_at_tokens` of the kind `compact_memory` nothing is done. What the memory held is carried on; what
        leaves it goes to the archive. The rules and corrections of the user stay word for word. An answer that fails
        its proof is not written.

        Args:
            messages: the context, oldest first: `{"role", "text"}` (or `content`), with `time` and `name` where known.
            write: keep it in the file of its kind, `.compact_memory.md`: the minimal mode, where it is the only
                memory (D018), and the raw messages in transcripts/, unless `[session] transcript` is off. False gives
                the text and writes nothing: the full mode, where sessions keep all (D019).
            plan: show what would change, and write nothing.
            now: also below the limit, and without waiting after a refusal.
            backend: as for `compact`.
            apply: an agent's answer to `context_prompt`, instead of asking a backend.
            counter: counts the tokens of a text; None takes the one that `[tokens]` in mdmem.toml names.

        Raises:
            UsageError: one of them is no message, or no backend is called so.
            ConfigError: the backend, or a prompt of the workspace's own, is not set up right.
            MemoryOffError: memory is switched off.

        >>> made = Workspace("workspace").compact_context(
        ...     [{"role": "user", "text": "Fix the import."}], write=False, now=True
        ... )
        """
        from mdmem.workspace.chat.context import compact_context, context
        from mdmem.workspace.compact import Way

        return compact_context(context(self.config, messages, counter, write=write), Way(plan, now, backend, apply))

    def context_prompt(self, messages: Iterable[Message], *, write: bool = True) -> str:
        """Give what a model is asked about a context; its answer goes to `compact_context(apply=…)`."""
        from mdmem.workspace.chat.context import context, context_prompt

        return context_prompt(context(self.config, messages, None, write=write))
