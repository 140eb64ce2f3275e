"""Former names of methods of the facade: each gives the method under its name of today, and warns; for one release."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar, overload

from mdmem.errors import warn_renamed

if TYPE_CHECKING:
    from mdmem.artifacts.service import Artifacts
    from mdmem.entries.inbox_service import Inbox
    from mdmem.history.service import History
    from mdmem.keeper.namespace import Keeper
    from mdmem.pins.service import Pins
    from mdmem.plan.service import Plan
    from mdmem.search.index.service import Index
    from mdmem.sessions.service import Sessions


class Namespaces(Protocol):
    """The namespaces of `Workspace` to which methods have moved."""

    @property
    def sessions(self) -> Sessions: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def pins(self) -> Pins: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def history(self) -> History: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def keeper(self) -> Keeper: ...
    @property
    def index(self) -> Index: ...


T = TypeVar("T")


class Renamed(Generic[T]):
    """A former name of a method: it gives the method under its name of today, with its type, and warns."""

    def __init__(self, new: str, read: Callable[[Namespaces], T]) -> None:
        self._old, self._new, self._read = "", new, read
        self.__doc__ = f"Deprecated: `{new}`."

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = name

    @overload
    def __get__(self, workspace: None, owner: type) -> Self: ...
    @overload
    def __get__(self, workspace: Namespaces, owner: type) -> T: ...
    def __get__(self, workspace: Namespaces | None, owner: type) -> Self | T:
        if workspace is None:
            return self
        warn_renamed(f"Workspace.{self._old}", f"Workspace.{self._new}")
        return self._read(workspace)


class FormerNames:
    """The former names of the methods of `Workspace`."""

    session = Renamed("sessions.start", lambda workspace: workspace.sessions.start)
    resume = Renamed("sessions.resume", lambda workspace: workspace.sessions.resume)
    read_session = Renamed("sessions.show", lambda workspace: workspace.sessions.show)
    recent_turns = Renamed("sessions.recent_turns", lambda workspace: workspace.sessions.recent_turns)
    artifact_put = Renamed("artifacts.put", lambda workspace: workspace.artifacts.put)
    artifact_get = Renamed("artifacts.get", lambda workspace: workspace.artifacts.get)
    artifact_prune = Renamed("artifacts.prune", lambda workspace: workspace.artifacts.prune)
    snippet = Renamed("artifacts.snippet", lambda workspace: workspace.artifacts.snippet)
    grep = Renamed("artifacts.grep", lambda workspace: workspace.artifacts.grep)
    pin_add = Renamed("pins.add", lambda workspace: workspace.pins.add)
    pin_update = Renamed("pins.update", lambda workspace: workspace.pins.update)
    pin_remove = Renamed("pins.remove", lambda workspace: workspace.pins.remove)
    pin_renew = Renamed("pins.renew", lambda workspace: workspace.pins.renew)
    pin_list = Renamed("pins.list", lambda workspace: workspace.pins.list)
    plan_add = Renamed("plan.add", lambda workspace: workspace.plan.add)
    plan_done = Renamed("plan.done", lambda workspace: workspace.plan.done)
    plan_next = Renamed("plan.next", lambda workspace: workspace.plan.next)
    plan_goto = Renamed("plan.goto", lambda workspace: workspace.plan.goto)
    plan_move = Renamed("plan.move", lambda workspace: workspace.plan.move)
    plan_remove = Renamed("plan.remove", lambda workspace: workspace.plan.remove)
    plan_phase = Renamed("plan.phase", lambda workspace: workspace.plan.phase)
    log = Renamed("history.log", lambda workspace: workspace.history.log)
    diff = Renamed("history.diff", lambda workspace: workspace.history.diff)
    undo = Renamed("history.undo", lambda workspace: workspace.history.undo)
    recover = Renamed("history.recover", lambda workspace: workspace.history.recover)
    doctor = Renamed("history.doctor", lambda workspace: workspace.history.doctor)
    why = Renamed("history.why", lambda workspace: workspace.history.why)
    accept = Renamed("inbox.accept", lambda workspace: workspace.inbox.accept)
    reject = Renamed("inbox.reject", lambda workspace: workspace.inbox.reject)
    compact_prompts = Renamed("keeper.prompts", lambda workspace: workspace.keeper.prompts)
    compact_context = Renamed("keeper.compact_context", lambda workspace: workspace.keeper.compact_context)
    context_prompt = Renamed("keeper.context_prompt", lambda workspace: workspace.keeper.context_prompt)
    busy = Renamed("keeper.busy", lambda workspace: workspace.keeper.busy)
    meaning = Renamed("index.meaning", lambda workspace: workspace.index.meaning)
    forget_traces = Renamed("index.forget", lambda workspace: workspace.index.forget)
    search_warning = Renamed("index.warning", lambda workspace: workspace.index.warning)
