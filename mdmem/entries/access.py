"""Access policy: the paths that memory tools may touch, the memory switch, and whose approval a change needs."""

from __future__ import annotations

import os
import posixpath
from contextlib import suppress
from functools import cached_property
from typing import NoReturn

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.tombstones import Tombstones, tombstones
from mdmem.errors import MdmemError, MemoryOffError, RefusedError, TargetError, UnreadableFileError, UsageError
from mdmem.formats.paths import escapes_root, fold_name, is_foreign, is_unportable, normal, user_of
from mdmem.formats.session import is_text
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.store.files import names_in
from mdmem.text.document import Document

PERSONS = frozenset(("user", "cli"))  # actors under these names are the person who owns the memory
KEEPER = "keeper"  # condenses and proposes; every other actor is an agent
_LONGEST_ACTOR = 64  # characters; a name, not a text
NO_MEMORY = ("soul",)  # the agent's identity is not memory (X4)


class AccessPolicy:
    """The permissions of one actor in one workspace."""

    def __init__(self, config: WorkspaceConfig, actor: str) -> None:
        """Bind to an actor.

        Raises:
            UsageError: the actor's name is empty, too long, or not a single word.
        """
        self.config, self.actor, self.lang = config, actor, config.lang
        self.granted = ""  # the file from which this change may take expired entries without confirmation
        if not actor or len(actor) > _LONGEST_ACTOR or not actor.isprintable() or set(actor) & set(" []"):
            self.stop(UsageError, "pen.actor")

    @property
    def is_person(self) -> bool:
        """Return whether the actor is the person who owns the memory."""
        return self.actor in PERSONS

    @cached_property
    def tombstones(self) -> Tombstones:
        """Return the tombstones that bind the user, read on first use; raises UnreadableFileError."""
        return tombstones(self.config)

    def stop(self, error: type[MdmemError], key: str, path: str = "", /, **facts: object) -> NoReturn:
        """Raise an error with a message and a hint in the workspace's language."""
        raise error(say(self.lang, key, path=path, **facts), hint=say(self.lang, f"{key}.hint", path=path, **facts))

    def missing(self, path: str) -> NoReturn:
        """Raise TargetError for a file that does not exist, with the names beside it that are most similar."""
        from difflib import get_close_matches

        folder, names = posixpath.dirname(path), list[str]()
        with suppress(UnreadableFileError):
            names = [one for one in names_in(self.config.root, folder) if one.endswith(".md")]
        near = tuple(posixpath.join(folder, one) for one in get_close_matches(posixpath.basename(path), names))
        message, hint = (say(self.lang, key, path=path) for key in ("pen.missing", "pen.missing.hint"))
        raise TargetError(message, hint=hint, candidates=near)

    def reach(self, path: str) -> str:
        """Return the normalized path of what the user means, if memory tools may touch it.

        Raises:
            RefusedError: it leaves the workspace, or belongs to mdmem, to another tool or to another user (X3).
            MemoryOffError: memory is switched off, and the file is memory (P038).
            TargetError: the file exists under another spelling of the name.
        """
        path = self.inside(path)
        if not self.config.whose.sees(path):
            facts = {"user": user_of(path)}
            self.stop(RefusedError, "users.another" if self.config.user else "users.named", path, **facts)
        if not self.is_open(path):
            self.stop(MemoryOffError, "pen.off")
        return path

    def inside(self, path: str) -> str:
        """Return the normalized path, whatever the memory switch says; raises RefusedError, TargetError."""
        if escapes_root(path):
            self.stop(RefusedError, "pen.outside" if normal(path) else "pen.no-name")
        path = self.config.whose.meant(normal(path))
        if not is_text(path):
            self.stop(RefusedError, "pen.name-character")
        if is_foreign(path, self.config.settings.lint.skip_folders):
            self.stop(RefusedError, "pen.closed", path)
        if other := _spelled(self.config.root, path):
            self.stop(TargetError, "pen.spelling", path, other=other)
        return path

    def is_open(self, path: str) -> bool:
        """Return whether the memory switch allows reading and writing a file (P038)."""
        if self.config.settings.memory.enabled:
            return True
        return self.kind(path) in NO_MEMORY

    def creatable(self, path: str) -> None:
        """Raise RefusedError for a name that a new memory file may not have."""
        why = is_unportable(path, self.config.settings.pen.create)
        if why and not (why in ("hidden", "name") and self.template(path)):
            self.stop(RefusedError, f"pen.name-{why}", path)
        top, _, rest = path.partition("/")
        is_own = top == os.path.basename(os.path.realpath(self.config.root))
        if is_own and rest and self.kind(rest) and not os.path.lexists(os.path.join(self.config.root, top)):
            self.stop(TargetError, "pen.own-folder", path, name=rest)  # a second memory folder in the first

    def template(self, path: str, document: Document | None = None) -> Template | None:
        """Return the template of a file; None for an unknown kind."""
        return self.config.template(path, document)

    def kind(self, path: str) -> str:
        """Return a file's kind; empty if it is unknown."""
        template = self.template(path)
        return template.kind if template else ""

    def waits(self, path: str) -> bool:
        """Return whether this actor's change of a file needs somebody else's approval (X4, G058)."""
        template = self.template(path)
        if template is None or self.is_person:
            return False
        waits_for_agent = template.confirm == "agent" and self.actor == KEEPER and path != self.granted
        return template.confirm == "user" or waits_for_agent

    def may_accept(self, path: str) -> bool:
        """Return whether this actor may approve a waiting change of a file."""
        template = self.template(path)
        return not self.waits(path) and (self.is_person or template is None or template.confirm != "user")


def _spelled(root: str, path: str) -> str:
    """Return the other spelling under which a part of a path exists; empty if there is none.

    On macOS and Windows `soul.md` opens SOUL.md; elsewhere it would be a second file that is easily confused with it.
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


def path_exists(config: WorkspaceConfig, inside: str) -> bool:
    """Return whether a path exists, for the wording of a reply; the pen checks again under its lock."""
    return os.path.lexists(os.path.join(config.root, inside))
