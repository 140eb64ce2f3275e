"""Finds and removes forgotten text in the other files of the state folder: what a program may lose.

These are JSON, such as what an agent was given, failed attempts and leases: their texts lose the forgotten text. A file
of another form, or whose name holds the text, is removed. Left out are the records of what was entered into files of
other programs, which hold paths and digests only, and databases, which those empty that made them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from mdmem.store import journal, locks
from mdmem.store.durable import FolderEntry, write_new
from mdmem.store.history.versions import LOG, OBJECTS
from mdmem.store.root import Root, read
from mdmem.store.walk import AGENTS_FOLDER, STATE_FOLDER

_OTHERS = (f"{OBJECTS}/", LOG, f"{locks.FOLDER}/", f"{journal.FOLDER}/")
_DATABASES = (f"{STATE_FOLDER}/index.", f"{STATE_FOLDER}/vectors.")


class ForgottenText(NamedTuple):
    """What the state folder may not hold any more."""

    regex: re.Pattern[str]  # of the text
    name: Callable[[str], str]  # gives a path without it
    sign: str = ""  # stands for the text


def is_derived(path: str) -> bool:
    """Return whether a file of the state folder may be changed or removed without a loss of memories."""
    return not path.startswith((*_OTHERS, *_DATABASES)) and os.path.dirname(path) != AGENTS_FOLDER


def has_text(path: str, data: bytes, regex: re.Pattern[str], named: Callable[[str], bool]) -> bool:
    """Return whether a file or its name holds the text, or names a file whose name does."""
    text = data.decode("utf-8", "surrogateescape")
    if regex.search(text) or regex.search(os.path.basename(path)):
        return True
    texts = list(_texts(_read(text)))
    if any("/" in one and named(one) for one in texts):
        return True
    return "\\" in text and regex.search("\n".join(texts)) is not None  # JSON may write its characters as `\u00e9`


def remove_text(root: Root, path: str, forgotten: ForgottenText, lock_seconds: float) -> None:
    """Remove the text from a JSON file; delete a file of another form. Raises OSError, LockedError, WriteError."""
    with locks.locked(root, [path], lock_seconds):
        place = root.place(path)
        version = read(place)
        data = _struck_data(version.data, forgotten) if version else None
        if data is None or forgotten.regex.search(os.path.basename(path)):
            unlink(place.name)
        else:
            write_new(place.name, data, path)


def unlink(name: FolderEntry) -> None:
    """Remove a file, unless somebody else has just done so. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(name.name, dir_fd=name.folder)


def _read(text: str) -> Any:  # noqa: ANN401 - as read from JSON
    """Return the value of a JSON text; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _struck_data(data: bytes, forgotten: ForgottenText) -> bytes | None:
    """Return a JSON file without the text; None if it is none, or too deep to be one of ours."""
    value = _read(data.decode("utf-8", "surrogateescape"))
    try:
        return None if value is None else json.dumps(_struck(value, forgotten)).encode()
    except RecursionError:
        return None


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - as read from JSON
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one


def _struck(value: Any, forgotten: ForgottenText) -> Any:  # noqa: ANN401 - as read from JSON
    struck = partial(_struck, forgotten=forgotten)
    if isinstance(value, str):
        return forgotten.regex.sub(forgotten.sign, forgotten.name(value) if "/" in value else value)
    if isinstance(value, dict):
        return {struck(key): struck(one) for key, one in value.items()}
    return [struck(one) for one in value] if isinstance(value, list) else value
