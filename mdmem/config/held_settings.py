"""The last whole text of a settings file, which holds for hooks and servers while the file is broken.

It is kept in the user's state folder, bound to the folder and, where the folder has one, to its random name. So a
folder from elsewhere brings no settings along, and a file that somebody breaks does not switch memory on.
"""

# The reader of settings is imported for a file that has changed: a hook compares the text each time.
from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeAlias

from mdmem.config.trust import USER_SETTINGS, folder_identity, shipped_settings, state_folder
from mdmem.errors import ConfigError, MdmemError
from mdmem.messages.catalog import say
from mdmem.settings.toml_file import MOST_BYTES
from mdmem.store.files import digest, read_private, write_private

# What holds in place of a broken file: its last whole text, what is right in it, or the shipped settings.
Stand: TypeAlias = Literal["last", "part", "shipped"]
_FOLDER = "settings"  # in the user's state folder
_HEAD = 10_000  # bytes of folder and random name before the text


class HeldFile(NamedTuple):
    """A broken settings file: its path and line for messages, and what holds in place of it."""

    path: str
    line: int
    stand: Stand

    def told(self, lang: str) -> str:
        """Return the sentence that says so; it names no text of the file, for a model reads it."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return say(lang, f"settings.held-{self.stand}", place=place)


class LayerText(NamedTuple):
    """The text of a settings file that holds, the mistake in the file, and what it may have made stricter."""

    data: bytes | None
    mistake: ConfigError | None = None
    held: HeldFile | None = None
    stricter: tuple[tuple[str, Any], ...] = ()  # of the table `memory`


class LastWhole:
    """The last whole text of the settings file of one folder."""

    def __init__(self, root: str) -> None:
        """Bind to a folder."""
        real, self._top = os.path.realpath(root), state_folder() or ""
        self._path = os.path.join(self._top, _FOLDER, digest(real))
        self._bound = os.fsencode(real)
        self._name = folder_identity(root).encode()

    def get(self) -> bytes | None:
        """Return the text; None if none is known for this folder."""
        found = read_private(self._path, MOST_BYTES + _HEAD) if self._top else None
        root, _, rest = (found or b"").partition(b"\0")
        name, end, data = rest.partition(b"\0")
        return data if end and root == self._bound and name in (b"", self._name) else None

    def put(self, data: bytes) -> None:
        """Keep a text; one that cannot be kept stops nothing."""
        if self._top:
            with suppress(MdmemError):
                write_private(self._path, b"\0".join((self._bound, self._name, data)), self._top, _FOLDER)


def read_layer(
    root: str, path: str, read: Callable[[], bytes | None], user: bytes | None, recipes: Callable[[], bytes], *,
    is_whole: Callable[[bytes], bool] = lambda _: False,
) -> LayerText:  # fmt: skip
    """Return the text of a settings file; if it is broken, that which holds in place of it.

    Args:
        root: the folder of the file.
        path: the file, for messages.
        read: reads it.
        user: the text of the user's own settings under it, if there are some.
        recipes: reads the shipped recipes.
        is_whole: returns whether a text is known to have no mistake, so that it need not be read.
    """
    try:
        data = read()
    except ConfigError as error:
        return _held(LastWhole(root).get(), None, path, error)
    if data is None:
        return LayerText(None)
    record = LastWhole(root)
    known = record.get()
    if data == known:
        return LayerText(data)
    if mistake := None if is_whole(data) else _mistake(data, path, user, recipes):
        return _held(known, data, path, mistake)
    record.put(data)
    return LayerText(data)


def note_whole(root: str, data: bytes) -> None:
    """Keep a whole text of a settings file where an earlier one is known, as a hook or server has run there."""
    record = LastWhole(root)
    if record.get() not in (None, data):
        record.put(data)


def _mistake(data: bytes, path: str, user: bytes | None, recipes: Callable[[], bytes]) -> ConfigError | None:
    from mdmem.settings.reader import Layer, read_settings

    mistakes: list[ConfigError] = []
    files = ((user, USER_SETTINGS), (data, path))
    layers = [Layer(text, name, trusted=True) for text, name in files if text is not None]
    read_settings(shipped_settings(), layers, mistakes, whole=True, recipes=recipes)
    return next((one for one in mistakes if one.path == path), None)


def _held(known: bytes | None, data: bytes | None, path: str, mistake: ConfigError) -> LayerText:
    """Return what holds in place of a broken file; `data` is its text, if it could be read."""
    from mdmem.settings.reader import is_toml, stricter_memory

    stricter: tuple[tuple[str, Any], ...] = ()
    if data is not None:
        stricter = tuple(stricter_memory(shipped_settings(), data).items())
    if known is not None:
        return LayerText(known, mistake, HeldFile(path, mistake.line, "last"), stricter)
    if data is not None and is_toml(data):  # the reader takes what is right in it, and tells the mistake
        return LayerText(data, None, HeldFile(path, mistake.line, "part"))
    if data is None:  # nobody knows whether it switches memory off
        stricter = (("enabled", False),)
    return LayerText(None, mistake, HeldFile(path, mistake.line, "shipped"), stricter)
