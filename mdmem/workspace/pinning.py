"""The facade's part about pins and proof: what must not be forgotten now, and why anything is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.core.pin import Pin
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.pins.why import Why


class Pinning(Facade):
    """What `Workspace` can do to its pins; each is a change like any other: in the log, and undone by `undo`."""

    def pin_add(
        self,
        type: str,  # noqa: A002 - published (G024)
        title: str,
        summary: str,
        source: str,
        *,
        artifact: str | None = None,
        ttl: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Pin something that must not be forgotten now (G024).

        Args:
            type: constraint, path, command, code or conclusion (G019).
            title: a few words.
            summary: what it says; a summary, where the whole of it is long.
            source: `chat:SESSION[#round]`, `tool:ARTIFACT` or `file:PATH#Lx`, of something that exists (G020).
            artifact: the id or path of the tool run that holds the whole of it.
            ttl: how long it holds, in days or sessions (`7d`, `30 sessions`); None leaves it to the template (G023).
            actor, reason: as for `add`.

        Raises:
            UsageError: title or summary is empty, or there is no such type or time.
            RefusedError: the evidence is not there; the pin is too long (G021), there already, or one too many (G022),
                none of them past its time: then `candidates` are those that might go, the oldest first.

        >>> Workspace("workspace").pin_add("path", "原始数据", "`data/raw/` 只读", "file:facts/riverlog.md#L8").message
        """
        from mdmem.workspace.pins.change import add_pin

        fields = {"type": type, "source": source, "artifact": artifact or "", "ttl": ttl or ""}
        return add_pin(self._begin("pin-add", actor, reason), title, summary, fields)

    def pin_update(
        self,
        id: str,  # noqa: A002 - published (G026)
        *,
        type: str | None = None,  # noqa: A002
        title: str | None = None,
        summary: str | None = None,
        source: str | None = None,
        artifact: str | None = None,
        ttl: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Change what is given of a pin; `id` is its `^id`, its key, or a piece of its text. Errors as for `pin_add`.

        TargetError where no pin is meant, or more than one.

        >>> Workspace("workspace").pin_update("导入读 CSV", ttl="30 sessions").message
        """
        from mdmem.workspace.pins.change import update_pin

        given = {"type": type, "source": source, "artifact": artifact, "ttl": ttl}
        fields = {key: value for key, value in given.items() if value is not None}
        return update_pin(self._begin("pin-update", actor, reason), id, title or "", summary or "", fields)

    def pin_remove(
        self, ids: Sequence[str], *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Take pins down and into the month's archive (G025). Errors as for `remove`.

        >>> Workspace("workspace").pin_remove(["导入读 CSV"], dry_run=True).diff
        """
        from mdmem.workspace.pins.change import remove_pins

        return remove_pins(self._begin("pin-remove", actor, reason, confirm=True, dry_run=dry_run), ids)

    def pin_renew(
        self, ids: Sequence[str], ttl: str | None = None, *, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Let pins hold from today on, for another time where one is given (G023). Errors as for `pin_update`.

        >>> Workspace("workspace").pin_renew(["导入读 CSV"], "14d").message
        """
        from mdmem.workspace.pins.change import renew_pins

        return renew_pins(self._begin("pin-renew", actor, reason), ids, ttl or "")

    def pin_list(self) -> tuple[Pin, ...]:
        """Give the pins in the order of the file, each with its key, its evidence and its last day (G027).

        Raises:
            MemoryOffError: memory is switched off.

        >>> [pin.title or pin.summary for pin in Workspace("workspace").pin_list() if pin.expired]
        """
        from mdmem.workspace.pins.change import list_pins

        return list_pins(self.config)

    def why(self, name: str, *, actor: str = "user") -> Why:
        """Walk from an entry of any memory file to its evidence: who wrote it when and why, from what (G066).

        Args:
            name: its `^id`, its key, or a piece of its text.
            actor: who asks.

        Raises:
            TargetError: no entry is meant, or more than one; `candidates` are those.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").why("原始文件一个字节也不动").evidence[0].said
        """
        from mdmem.workspace.pins.why import why

        return why(self.config, name, actor)
