"""Opens the file that a caller attaches, without following a link, and says what it is."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from mimetypes import MimeTypes
from typing import NamedTuple

from mdmem.entries.access import AccessPolicy
from mdmem.errors import RefusedError, TargetError, UnreadableFileError
from mdmem.formats.paths import normal
from mdmem.store.root import Root, as_unreadable

_BLOCK = 1 << 20  # bytes that are read at once
_OPEN = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)  # O_NONBLOCK: a FIFO is opened without waiting, and then refused


class OpenedFile(NamedTuple):
    """A regular file that is open for reading."""

    descriptor: int
    name: str
    path: str  # POSIX from the root if it lies below it, else absolute
    size: int

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes from the start. Raises UnreadableFileError."""
        at = 0
        with as_unreadable(self.name):
            while piece := os.pread(self.descriptor, _BLOCK, at):
                at += len(piece)
                yield piece

    def digest(self) -> str:
        """Return its SHA-256. Raises UnreadableFileError."""
        found = hashlib.sha256()
        for piece in self.pieces():
            found.update(piece)
        return found.hexdigest()


@contextmanager
def opened(access: AccessPolicy, source: str, allowed: Sequence[str]) -> Iterator[OpenedFile]:
    """Open the file that a caller names.

    A person may attach any readable regular file, named from the current folder. An agent names it from the workspace,
    and may attach what lies below it or below one of the `allowed` folders.

    Raises:
        RefusedError: a link, no regular file, a name with control characters, or outside of what an agent may read.
        TargetError: there is no such file.
        UnreadableFileError: it may not be read.
    """
    if not all(char.isprintable() or char == "\u3000" for char in source):
        access.stop(RefusedError, "attachment.name")
    if not os.path.basename(os.path.normpath(source)).strip("."):
        access.stop(RefusedError, "attachment.no-file")
    whole = os.path.abspath(source if access.is_person else os.path.join(access.config.root, source))
    name = os.path.basename(whole)
    try:
        if os.path.islink(whole):
            access.stop(RefusedError, "attachment.link", name)
        shown = _shown(access.config.root, whole)
        if not (os.path.isabs(shown) or access.config.whose.sees(shown)):
            access.stop(RefusedError, "attachment.outside")
        descriptor = os.open(whole, _OPEN) if access.is_person else _below(access, whole, allowed)
    except FileNotFoundError:
        access.stop(TargetError, "attachment.missing" if access.is_person else "attachment.missing-below", name)
    except OSError as error:
        raise UnreadableFileError(
            "could not be opened: {reason}", path=name, facts={"reason": error.strerror or ""}
        ) from error
    try:
        with as_unreadable(name):
            found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            access.stop(RefusedError, "attachment.no-file", name)
        yield OpenedFile(descriptor, name, shown, found.st_size)
    finally:
        os.close(descriptor)


def _below(access: AccessPolicy, whole: str, allowed: Sequence[str]) -> int:
    """Open a file below the workspace or an allowed folder, component by component.

    Raises:
        RefusedError: it lies below none of them, or belongs to mdmem or to another tool.
    """
    root = access.config.root
    folders = (root, *(os.path.abspath(os.path.join(root, os.path.expanduser(one))) for one in allowed))
    pairs = ((one, os.path.relpath(whole, one).replace(os.sep, "/")) for one in folders)
    folder, inside = next(((one, path) for one, path in pairs if path.split("/")[0] not in ("..", ".")), ("", ""))
    if not folder:
        access.stop(RefusedError, "attachment.outside")
    if folder == root:
        access.inside(inside)
    try:
        with Root(folder) as held:
            place = held.place(normal(inside)).name
            return os.open(place.name, _OPEN, dir_fd=place.folder)
    except UnreadableFileError:
        access.stop(RefusedError, "attachment.outside")


def _shown(root: str, whole: str) -> str:
    real = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
    inside = os.path.relpath(real, os.path.realpath(root)).replace(os.sep, "/")
    return real if inside.startswith("../") else inside


# The first bytes of common formats.
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"), (b"\x1aE\xdf\xa3", "video/webm"),
    (b"ID3", "audio/mpeg"), (b"OggS", "audio/ogg"), (b"fLaC", "audio/flac"), (b"\x1f\x8b", "application/gzip"),
    (b"BM", "image/bmp"), (b"II*\0", "image/tiff"), (b"MM\0*", "image/tiff"), (b"#!AMR", "audio/amr"),
)  # fmt: skip
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_FTYP = {
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"avif": "image/avif",
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_HEAD = 512  # bytes by which a format is recognized


def mime_type(head: bytes, name: str) -> str:
    """Return the type of a file by its first bytes; by its name where those do not tell."""
    if head[:4] == b"RIFF" and head[8:12] in _RIFF:
        return _RIFF[head[8:12]]
    if head[4:8] == b"ftyp":
        return _FTYP.get(head[8:12], "video/mp4")
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    named = MimeTypes(filenames=()).guess_type(name, strict=False)[0] or ""
    if is_text(head):
        is_media = named.startswith(("image/", "audio/", "video/")) and named != "image/svg+xml"
        return named if named and not is_media else "text/plain"
    if head[:4] == b"PK\x03\x04":
        return named if named.startswith("application/") else "application/zip"
    return named if named and not named.startswith("text/") else "application/octet-stream"


def type_of_address(url: str) -> str:
    """Return the type that the path of a URL suggests; empty if it suggests none."""
    return MimeTypes(filenames=()).guess_type(url.partition("?")[0].partition("#")[0], strict=False)[0] or ""


def head_of(file: OpenedFile) -> bytes:
    """Return the first bytes of a file. Raises UnreadableFileError."""
    with as_unreadable(file.name):
        return os.pread(file.descriptor, _HEAD, 0)


def is_text(head: bytes) -> bool:
    """Return True for bytes without NUL that are UTF-8, but for a character that is cut at the end."""
    if b"\0" in head:
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3 and bool(head[: error.start])
    return True
