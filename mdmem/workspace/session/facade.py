"""The facade's journeys over sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.core.session import Session, Turn
    from mdmem.core.session.tail import Enough
    from mdmem.workspace.session.open import OpenSession


class Sessions(Facade):
    """What `Workspace` can do with sessions."""

    def session(
        self,
        task: str,
        *,
        agent: str = "main",
        request: str = "",
        lang: str | None = None,
        write: bool | None = None,
        lazy: bool = False,
    ) -> OpenSession:
        """Begin a session: a file of its own, to which each turn is added durably. Leaving the block ends it.

        Args:
            task: in one sentence.
            agent: who does it.
            request: what was asked for, in full; the task where it is left out.
            lang: zh or en, the language of the file; that of the workspace where it is left out.
            write: False writes nothing and takes every turn all the same (the minimal mode of D020); None leaves it to
                `[session] write` in mdmem.toml.
            lazy: create the file with the first turn that is accepted, so that refused turns leave no empty session.

        Raises:
            UsageError: the task is empty, or the agent's name is none.
            MemoryOffError: memory is switched off (P038).
            WriteError: the system refused.

        >>> with Workspace("workspace").session("Find the gaps") as session:
        ...     session.turn("user", "Where are they?")
        ...     session.turn("assistant", "In January.")
        ...     session.end("Four gaps in January.")
        """
        from mdmem.workspace.session.start import start

        return start(self.config, task, agent=agent, request=request, lang=lang, write=write, lazy=lazy)

    def resume(self, name: str | None = None, *, agent: str = "main") -> OpenSession:
        """Take up a session that has not ended: by its id, the beginning of it, or its path; None: the agent's newest.

        Raises:
            TargetError: there is none, or more than one.
            UsageError: it has ended.
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.session.start import resume

        return resume(self.config, name, agent=agent)

    def sessions(self, *, agent: str | None = None, since: str = "", limit: int | None = None) -> tuple[Session, ...]:
        """Give the newest sessions, newest first, without their turns.

        Args:
            agent: only this agent's.
            since: only those that began on this day or later, such as 2026-02-13.
            limit: at most so many; None leaves it to `[session] list` in mdmem.toml.

        Raises:
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.session.listing import listing

        return listing(self.config, agent=agent, since=since, limit=limit)

    def read_session(self, name: str) -> Session:
        """Give a session with all its turns, by its id, the beginning of it, or its path.

        Raises:
            TargetError: there is none, or more than one.
            MemoryOffError: memory is switched off.
        """
        from mdmem.workspace.session.find import find, whole

        return whole(self.config, find(self.config, name))

    def recent_turns(self, name: str, enough: Enough | int) -> tuple[Turn, ...]:
        """Give the newest rounds of a session, reading its file from the end; the cost does not grow with it.

        Args:
            name: the session's id, the beginning of it, or its path.
            enough: how many rounds; or a function from turns to whether they are enough.

        Raises:
            TargetError: there is no such session.
            MemoryOffError: memory is switched off.
        """
        from mdmem.core.session import rounds
        from mdmem.workspace.session.find import find, recent_turns

        wanted: Enough = enough if callable(enough) else (lambda turns: len(rounds(turns)) >= enough)
        return recent_turns(self.config, find(self.config, name), enough=wanted)
