"""Stores copies of attached files: under their own name, whole or not at all, and never over another file."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from mdmem.attachments.edits import record_path
from mdmem.attachments.model import FOLDER, Attachment
from mdmem.attachments.source import OpenedFile
from mdmem.entries.commit import ChangeRequest
from mdmem.errors import RefusedError, UnreadableFileError, WriteError
from mdmem.formats.paths import fold_name, is_unportable
from mdmem.store.durable import discard, make_new
from mdmem.store.root import ResolvedPath, Root, open_file
from mdmem.text.pattern import pattern

_NAME_BYTES = 120  # of a stored name, so that the record's ending and a number have room
_TRIES = 1000  # names
_SIGNS = pattern(r'[<>:"|?*\\/]')


def stored(
    commit: ChangeRequest, root: Root, file: OpenedFile | None, found: Attachment
) -> tuple[Attachment, ResolvedPath | None]:
    """Return the attachment with its names, and its copy if one was made.

    A file that lies in the folder of attachments, one that is too large (`file` is None), and an address are not
    copied. A copy without a record, as a crash leaves it, is taken over.
    """
    stem, ending = os.path.splitext(_portable(commit, found.original_filename))
    folder = commit.config.whose.place(FOLDER)
    stays = file is None or found.local_path == f"{folder}/{found.original_filename}"
    for number in range(1, _TRIES):
        name = stem if number == 1 else f"{stem}-{number}"
        taken = {fold_name(one) for one in root.names(folder)}
        if fold_name(f"{name}.md") in taken:
            continue
        named = replace(
            found, id=name, path=commit.config.whose.place(record_path(name)), filename=found.original_filename
        )
        if stays or file is None:
            return named, None
        named = replace(named, filename=f"{name}{ending}", local_path=f"{folder}/{name}{ending}")
        place = root.place(named.local_path, make=True)
        if fold_name(named.filename) in taken:
            if _digest(place) == found.digest:
                return named, None
        elif copied := _copy(place, file, named):
            return copied, place
    raise WriteError("no free name was found", path=FOLDER, hint="try again")


def _copy(place: ResolvedPath, file: OpenedFile, named: Attachment) -> Attachment | None:
    """Copy a file; return the attachment with the digest and the size of the copy, or None if the name is taken."""
    digest, size = hashlib.sha256(), 0

    def pieces() -> Iterator[bytes]:
        nonlocal size
        for piece in file.pieces():
            digest.update(piece)
            size += len(piece)
            yield piece

    if not make_new(place.name, pieces(), named.local_path):
        return None
    return replace(named, digest=digest.hexdigest(), file_size=size)


def remove_copy(place: ResolvedPath) -> None:
    """Remove a copy that got no record."""
    discard(place.name)


def _digest(place: ResolvedPath) -> str:
    """Return the digest of a file; empty if it cannot be read."""
    try:
        descriptor = open_file(place)
    except OSError:
        return ""
    try:
        return OpenedFile(descriptor, "", place.path, 0).digest()
    except UnreadableFileError:
        return ""
    finally:
        os.close(descriptor)


def _portable(commit: ChangeRequest, name: str) -> str:
    """Return the name of a stored file: the given one, without signs that other systems do not allow.

    The name of a memory file gets another ending, so that the copy is not read as memory.
    """
    config = commit.config
    name = _SIGNS.sub("_", unicodedata.normalize("NFC", name)).lstrip(".").strip()
    while len(name.encode()) > _NAME_BYTES:
        stem, ending = os.path.splitext(name)
        name = f"{stem[:-1]}{ending}" if stem[1:] else name[:-1]
    if config.is_memory(name):
        name += ".txt"
    why = is_unportable(f"{FOLDER}/{name}", ["*"]) if name else "character"
    if why:
        commit.access.stop(RefusedError, f"pen.name-{why}", name)
    return name
