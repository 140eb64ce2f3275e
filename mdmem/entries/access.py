"""Who may touch what: the workspace's borders, the memory switch, and whose word a change needs."""

from __future__ import annotations

import os
from functools import cached_property
from typing import NoReturn

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.tombstones import Tombstones, tombstones
from mdmem.errors import MdmemError, MemoryOffError, RefusedError, TargetError, UsageError
from mdmem.formats.paths import escapes_root, fold_name, is_foreign, is_unportable, normal
from mdmem.formats.template import Template
from mdmem.linter.worker import LintWorker
from mdmem.messages.catalog import say
from mdmem.text.document import Document, parse

PERSONS = frozenset(("user", "cli"))  # whoever acts under these names is the person whose memory it is
KEEPER = "keeper"  # condenses and proposes; everybody else is an agent
_LONGEST_ACTOR = 64  # characters; a name, not a text
NO_MEMORY = ("soul",)  # who the agent is, is no memory of anybody (X4)
_NOTHING = parse(b"")


class AccessPolicy:
    """What one actor may do in one workspace."""

    def __init__(self, config: WorkspaceConfig, actor: str) -> None:
        """Bind to an actor.

        Raises:
            UsageError: the actor's name is empty, too long, or no single word.
        """
        self.config, self.actor, self.lang = config, actor, config.lang
        self.judge = LintWorker(config, ((), ()))
        self.granted = ""  # the file that its kind lets this change take expired entries out of, without a word
        if not actor or len(actor) > _LONGEST_ACTOR or not actor.isprintable() or set(actor) & set(" []"):
            self.stop(UsageError, "pen.actor")

    @property
    def is_person(self) -> bool:
        """Return whether this is the person whose memory it is."""
        return self.actor in PERSONS

    @cached_property
    def tombstones(self) -> Tombstones:
        """What was forgotten in this workspace, when this was first asked for; raises UnreadableFileError."""
        return tombstones(self.config.root)

    def stop(self, error: type[MdmemError], key: str, path: str = "", /, **facts: object) -> NoReturn:
        """Raise an error in the workspace's words."""
        raise error(say(self.lang, key, path=path, **facts), hint=say(self.lang, f"{key}.hint", path=path, **facts))

    def reach(self, path: str) -> str:
        """Return a path in its one spelling, if memory tools may touch it.

        Raises:
            RefusedError: it leaves the workspace, or belongs to mdmem or to another tool (X3).
            MemoryOffError: memory is switched off, and this is memory (P038).
            TargetError: the file is there under another spelling of the name.
        """
        path = self.inside(path)
        if not self.is_open(path):
            self.stop(MemoryOffError, "pen.off")
        return path

    def inside(self, path: str) -> str:
        """Return a path in its one spelling, if it is a memory tool's at all; raises RefusedError, TargetError."""
        if escapes_root(path):
            self.stop(RefusedError, "pen.outside")
        path = normal(path)
        if any("\ud800" <= char <= "\udfff" for char in path):
            self.stop(RefusedError, "pen.name-character")
        if is_foreign(path, self.config.settings.lint.skip_folders):
            self.stop(RefusedError, "pen.closed", path)
        if other := _spelled(self.config.root, path):
            self.stop(TargetError, "pen.spelling", path, other=other)
        return path

    def is_open(self, path: str) -> bool:
        """Return whether the memory switch lets a file be read and written (P038)."""
        if self.config.settings.memory.enabled:
            return True
        return self.kind(path) in NO_MEMORY

    def creatable(self, path: str) -> None:
        """Refuse a name that no new memory file may have; raises RefusedError."""
        why = is_unportable(path, self.config.settings.pen.create)
        if why and not (why in ("hidden", "name") and self.template(path)):
            self.stop(RefusedError, f"pen.name-{why}", path)

    def template(self, path: str, document: Document | None = None) -> Template | None:
        """Find what a file is held to; None for no known kind."""
        return self.judge.template(path, document or _NOTHING)

    def kind(self, path: str) -> str:
        """Name a file's kind; empty for none that is known."""
        template = self.template(path)
        return template.kind if template else ""

    def waits(self, path: str) -> bool:
        """Return whether this actor's change of a file waits for somebody's word (X4, G058)."""
        template = self.template(path)
        if template is None or self.is_person:
            return False
        waits_for_agent = template.confirm == "agent" and self.actor == KEEPER and path != self.granted
        return template.confirm == "user" or waits_for_agent

    def may_accept(self, path: str) -> bool:
        """Return whether this actor's word is the one that a change of a file waits for."""
        template = self.template(path)
        return not self.waits(path) and (self.is_person or template is None or template.confirm != "user")


def _spelled(root: str, path: str) -> str:
    """Return the other spelling under which a part of a path is there; empty where it is not, or just so.

    On macOS and Windows `soul.md` opens SOUL.md; everywhere it would be a twin that nobody can tell apart.
    """
    folder = root
    for part in path.split("/"):
        try:
            names = [] if folder != root and os.path.islink(folder) else os.listdir(folder)
        except OSError:
            return ""
        if part not in names:
            return next((name for name in sorted(names) if fold_name(name) == fold_name(part)), "")
        folder = os.path.join(folder, part)
    return ""


def is_there(config: WorkspaceConfig, inside: str) -> bool:
    """Return whether something stands at a path, to choose the words of a reply; the pen looks for itself."""
    return os.path.lexists(os.path.join(config.root, inside))
