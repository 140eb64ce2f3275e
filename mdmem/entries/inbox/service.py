"""The namespace of the inbox: list, accept and reject; each acceptance is one commit."""

# `decisions` is imported when something is accepted, rejected or asked for: a list needs nothing that writes.
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.inbox.items import FORGET, InboxItem, inbox_path, named_items, unread_files, waiting_items
from mdmem.entries.model import AfterChange, Outcome, as_it_is
from mdmem.entries.tombstones import PATH as TOMBSTONES
from mdmem.errors import RefusedError
from mdmem.text.entry import read_entry

if TYPE_CHECKING:
    from mdmem.entries.commit import ChangeRequest
    from mdmem.entries.forget.model import ForgetResult
    from mdmem.entries.inbox.decisions import AcceptItem
    from mdmem.store.transaction import DraftFiles


def _plain_item(_commit: ChangeRequest, _files: DraftFiles, _path: str, _item: InboxItem) -> None:
    """Leave every item to the inbox."""


class Inbox(TypedCalls):
    """The namespace `Workspace.inbox`: entries without room, and changes that need the user's approval."""

    def __init__(
        self,
        config: WorkspaceConfig,
        special: AcceptItem = _plain_item,
        forget: Callable[[str], ForgetResult] | None = None,
        after: AfterChange = as_it_is,
    ) -> None:
        """Bind to a workspace.

        Args:
            config: the workspace.
            special: makes the items that are no plain entries.
            forget: erases a text, for requests of agents that the user accepts.
            after: gets the outcome of each accepted item.
        """
        self._config, self._special, self._forget, self._after = config, special, forget, after

    def list(self) -> tuple[InboxItem, ...]:
        """Return the items of inbox.md, in order: key, text or diff, target, proposer.

        Raises:
            MemoryOffError: memory is switched off, and all items are memory.

        >>> [item.key for item in Workspace("workspace").inbox.list()]
        """
        return tuple(item for _, item in waiting_items(self._config))

    def unread(self) -> tuple[str, ...]:
        """Return the files of the inbox that are too large to be read; what waits in them is not listed.

        >>> Workspace("workspace").inbox.unread()
        """
        return unread_files(self._config)

    def accept(self, keys: Sequence[str] = (), *, actor: str = "user", reason: str = "") -> tuple[Outcome, ...]:
        """Move items to their targets, each as one commit; without keys, the ticked ones.

        An item that still finds no room, or no longer applies, keeps waiting: its outcome has the status `waiting` and
        the reason.

        Raises:
            TargetError: no item has this key; nothing was done.

        >>> Workspace("workspace").inbox.accept(["3fa91c"])
        """
        from mdmem.entries.inbox.decisions import accept_item

        wanted = keys or [item.key for _, item in waiting_items(self._config) if item.ticked]
        return tuple(
            self._accept_forget(item, actor)
            if item.to == TOMBSTONES
            else self._after(accept_item(self._config, item, actor, reason, self._special))
            for item in named_items(self._config, wanted, actor)
        )

    def ask_forget(self, words: str, *, actor: str) -> Outcome:
        """Put an agent's request to forget a text into the inbox; the user erases it by accepting (P043).

        Raises:
            RefusedError: the text is a secret or the like, which the inbox may not hold either.
        """
        from mdmem.entries.inbox.decisions import ask_forget

        return ask_forget(self._config, words, actor)

    def _accept_forget(self, item: InboxItem, actor: str) -> Outcome:
        """Erase the text that a request names; the request goes with it."""
        access, inbox = AccessPolicy(self._config, actor), inbox_path(self._config)
        words = read_entry(item.text).field(FORGET)
        if not access.is_person or self._forget is None or words is None:
            access.stop(RefusedError, "pen.inbox-user", inbox)
        done = self._forget(words.value)
        return Outcome("done", done.message, done.hint, inbox, done.transaction)

    def reject(self, keys: Sequence[str], *, actor: str = "user", reason: str = "") -> Outcome:
        """Remove items from the inbox; only the history keeps them.

        Raises:
            TargetError: no item has this key.
            RefusedError: the actor is not the user.

        >>> Workspace("workspace").inbox.reject(["3fa91c"]).message
        """
        from mdmem.entries.inbox.decisions import reject_items

        return reject_items(self._config, keys, actor, reason)
