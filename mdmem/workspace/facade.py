"""What every part of the facade stands on: what holds in the workspace, and the beginning of a change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from mdmem.workspace.config import Config

if TYPE_CHECKING:
    from mdmem.workspace.commit import Commit


class Facade(ABC):
    """A part of `Workspace`; what each method needs is imported when it is called."""

    @property
    @abstractmethod
    def config(self) -> Config:
        """The settings and templates that hold here."""

    def _begin(
        self,
        verb: str,
        actor: str,
        reason: str,
        *,
        confirm: bool = False,
        whole: bool = False,
        dry_run: bool = False,
    ) -> Commit:
        from mdmem.workspace.commit import Commit

        return Commit(self.config, verb, actor, reason, confirm=confirm, whole=whole, dry_run=dry_run)
