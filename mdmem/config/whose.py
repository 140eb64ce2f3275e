"""Whose memory it is: which files are one user's own, and which all users of a folder share.

A user with a name has a folder, `users/NAME/`. The user without a name has the same files at the root. `owner` in the
template of a kind says which files these are; every other file is shared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from mdmem.errors import TargetError, UsageError
from mdmem.formats.paths import OWNED, USERS, fold_name, is_owner_name, is_unportable, user_of, user_place, within_user
from mdmem.messages.catalog import say
from mdmem.store.files import read_head
from mdmem.text.pattern import pattern

if TYPE_CHECKING:
    from mdmem.formats.fact_words import FactWords
    from mdmem.formats.template import Schemas
    from mdmem.settings.tables import Settings

_TRANSCRIPTS = "transcripts"  # JSON lines of conversations, which have no template
_HEAD = 4096  # bytes at the beginning of a file that name its user or its subject
_USER = pattern(r"(?m)^user:[ \t]*(['\"]?)([^\r\n]*?)\1[ \t]*(?:#.*)?\r?$")
_TITLE = pattern(r"(?m)^# +(\S.*?)[ \t]*\r?$")
_PART = pattern(r"-\d{1,5}\Z")  # of the further files of a subject
_SESSION, _FACTS, _COMPILED = "session", "facts", "compiled"


class KnownFolder(Protocol):
    """What has to be known of a workspace."""

    root: str

    @property
    def lang(self) -> str: ...
    @property
    def schemas(self) -> Schemas: ...
    @property
    def settings(self) -> Settings: ...


class Whose:
    """What belongs to one user of a workspace, and what that user sees."""

    def __init__(self, config: KnownFolder, user: str) -> None:
        self._config, self.user = config, user
        self._users: dict[str, str] = {}  # of sessions at the root
        self._subjects: dict[tuple[str, int], bool] = {}  # whether a file of facts is about the user without a name

    def check(self) -> None:
        """Refuse a name that cannot be the name of a folder, or that a file system may take for another user's.

        Raises:
            UsageError: it cannot be one.
            TargetError: there is a user whose name differs only in case or width.
        """
        if not self.user:
            return
        lang, name = self._config.lang, self.user
        if not is_owner_name(name) or is_unportable(f"{name}.md", ("*",)) or len(name.encode()) > 200:
            raise UsageError(say(lang, "scratchpad.owner"), hint=say(lang, "scratchpad.owner.hint"))
        for other in self.users():
            if other != name and fold_name(other) == fold_name(name):
                facts = {"name": name, "other": other}
                raise TargetError(say(lang, "users.spelling", **facts), hint=say(lang, "users.spelling.hint", **facts))

    def users(self) -> tuple[str, ...]:
        """Return the names of the users that have a folder."""
        names: list[str] = []
        with suppress(OSError), os.scandir(os.path.join(self._config.root, USERS)) as found:
            names = [one.name for one in found if is_owner_name(one.name) and one.is_dir(follow_symlinks=False)]
        return tuple(sorted(names))

    def place(self, path: str) -> str:
        """Return where this user's own file of a name stands."""
        return user_place(self.user, path)

    def meant(self, path: str) -> str:
        """Return the file that this user means by a path: `inbox.md` is the user's own."""
        if not self.user or user_of(path) or not self._is_own(path, OWNED):
            return path
        own = self.place(path)
        if self._owner(path) == "both" and not os.path.lexists(os.path.join(self._config.root, own)):
            return path
        return path if self._is_session(path) and self.sees(path) else own

    def home(self, path: str) -> str:
        """Return where a new file of a name is made for this user."""
        return self.place(path) if self.user and not user_of(path) and self._is_own(path, OWNED) else path

    def written(self, path: str) -> str:
        """Return the file that this user writes under a path: the own one, where a kind has own and shared ones."""
        return self.place(path) if self.user and not user_of(path) and self._is_own(path, ("both",)) else path

    def sees(self, path: str) -> bool:
        """Return whether this user may read a file: an own or a shared one."""
        if other := user_of(path):
            return other == self.user
        if self._is_session(path):
            return self.session_user(path) == self.user
        return not self.user or not self._is_own(path, ("user",))

    def covers(self, path: str) -> bool:
        """Return whether what looks after a folder looks at a file: at all of them, unless it is for one user."""
        return not self.user or self.sees(path)

    def _owner(self, path: str) -> str:
        """Return the owner of the kind of a file at the root; a compiled text is its source's."""
        schemas = self._config.schemas
        kind = schemas.kind(path)
        source = path.rpartition("/")[2].partition(".")[0] if kind == _COMPILED else kind
        found = schemas.get(source) if source in schemas.kinds else None
        owner = found.owner if found else ""
        return "user" if kind == _COMPILED and owner == "subject" else owner

    def _is_own(self, path: str, owners: Sequence[str]) -> bool:
        """Return whether a path at the root names a file or folder of the user without a name."""
        owner = self._owner(path)
        if owner == "subject":
            return "user" in owners and self._is_of_person(path)
        if owner:
            return owner in owners
        return "user" in owners and path.partition("/")[0] in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The folders at the root that hold nothing but one user's files."""
        kinds = (self._config.schemas.languages(kind) for kind in self._config.schemas.kinds)
        files = (name for kind in kinds for one in kind.values() if one.owner == "user" for name in one.files)
        return frozenset(within_user(name).partition("/")[0] for name in files if "/" in within_user(name)) | {
            _TRANSCRIPTS
        }

    def _is_session(self, path: str) -> bool:
        return path.endswith(".md") and "sessions/" in path and self._config.schemas.kind(path) == _SESSION

    def session_user(self, path: str) -> str:
        """Return the user that a session at the root names: before users had folders, their sessions stood there.

        It is empty for a session of the user without a name.
        """
        if path not in self._users:
            text = self._head(path)
            front = text[: text.find("\n---", 3)] if text.startswith("---") else ""
            found = _USER.search(front)
            if not front:
                return ""
            self._users[path] = found[2] if found and is_owner_name(found[2]) else ""
        return self._users[path]

    def _is_of_person(self, path: str) -> bool:
        """Return whether a file of facts or a persona at the root is about the user without a name."""
        try:
            changed = os.stat(os.path.join(self._config.root, path)).st_mtime_ns
        except OSError:
            changed = 0
        key = path, changed
        if self._config.schemas.kind(path) != _FACTS:  # a persona that is made of what a user asks for
            return path.rpartition("/")[2].startswith("user_")
        if key not in self._subjects:
            words, names = self._persons
            title = _TITLE.search(self._head(path))
            stem = _PART.sub("", path.rpartition("/")[2].removesuffix(".md"))
            self._subjects[key] = any(words.subject(one) in names for one in (stem, title[1] if title else ""))
        return self._subjects[key]

    @cached_property
    def _persons(self) -> tuple[FactWords, frozenset[str]]:
        """The names of the user without a name: those of every user, and those in USER.md at the root."""
        from mdmem.formats.fact_words import words_of

        words = words_of(self._config.schemas.required(_FACTS), self._config.settings)
        return words, frozenset(words.subject(one) for one in (words.user, *self._names_at_root(words))) - {""}

    def _names_at_root(self, words: FactWords) -> Iterator[str]:
        for template in self._config.schemas.languages("user").values():
            for name in template.files:
                for line in self._head(within_user(name)).splitlines():
                    yield from words.names(line.lstrip("-*+ "))

    def _head(self, path: str) -> str:
        return read_head(self._config.root, path, _HEAD).decode("utf-8", "replace")
