"""Filters search results by session, role and tool; only turns of sessions have these (K025)."""

from __future__ import annotations

from functools import cached_property

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UsageError
from mdmem.formats.session import ROLES, known_roles, read_session
from mdmem.formats.template import fold
from mdmem.formats.tool_turn import read_tool_run
from mdmem.messages.catalog import say
from mdmem.search.index import IndexRow
from mdmem.store.root import Root, read
from mdmem.text.document import Document
from mdmem.text.pattern import pattern

_SESSION, _TOOL = "session", "tool"
_FIRST_WORD = pattern(r"[^\s:`]+")


class TurnFilter:
    """Accepts the rows of one session, of one role, or of one tool."""

    def __init__(self, config: WorkspaceConfig, session: str | None, role: str | None, tool: str | None) -> None:
        """Bind to a workspace; raises UsageError if there is no such role."""
        if role and role not in ROLES:
            raise UsageError(say(config.lang, "session.role", role=role), hint=say(config.lang, "session.role.hint"))
        self._config, self._session, self._tool = config, session, tool
        self._role = role or (_TOOL if tool else "")
        self._roles_by_offset: dict[str, dict[int, str]] = {}  # path → the role of the turn at each offset

    def keep(self, row: IndexRow) -> bool:
        """Return whether a row passes; a row whose text is not read yet passes if its text may decide."""
        if self._session and not (row.file_kind == _SESSION and _id(row.path).startswith(self._session)):
            return False
        if not self._role:
            return True
        if row.kind != "turn":
            return False
        role = self._roles.get(fold(row.speaker), "")
        if not row.text:
            return role in ("", self._role)
        return (role or self._role_at(row)) == self._role and (not self._tool or _tool(row.text) == self._tool)

    @cached_property
    def _roles(self) -> dict[str, str]:
        template = self._config.schemas.get(_SESSION)
        return known_roles(template) if template else {}

    def _role_at(self, row: IndexRow) -> str:
        """Return the role of a turn whose speaker has a name, by its offset in the session."""
        if row.path not in self._roles_by_offset:
            self._roles_by_offset[row.path] = self._read(row.path)
        return self._roles_by_offset[row.path].get(row.start, "")

    def _read(self, path: str) -> dict[int, str]:
        template = self._config.schemas.get(_SESSION)
        with Root(self._config.root) as root:
            found = read(root.place(path), self._config.most_bytes(path))
        if found is None or template is None:
            return {}
        return {turn.start: turn.role for turn in read_session(Document(found.data), path, template).turns}


def _id(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _tool(text: str) -> str:
    """Return the name that a tool turn begins with."""
    run = read_tool_run(text)
    first = None if run else _FIRST_WORD.match(text)
    return run.tool if run else first[0] if first else ""
