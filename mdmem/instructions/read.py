"""Read files outside of the workspace, and the block that stands in one of them."""

from __future__ import annotations

import errno
import os
import stat

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.instructions.model import INSTRUCTION_FILES, RECORD
from mdmem.instructions.records import AgentRecord
from mdmem.store.files import short_path
from mdmem.store.root import read_open

_ANY_SIZE = 1 << 40
_OPEN, _CLOSE = "<!-- mdmem:auto context -->", "<!-- /mdmem:auto"


def target_of(path: str) -> str:
    """Return the file to which links below the home folder lead, as in a repository of dotfiles; empty without one."""
    home = os.path.expanduser("~")
    real, top = os.path.realpath(path), os.path.realpath(home)
    below = path.startswith(os.path.join(home, ""))
    plain = os.path.join(top, os.path.relpath(path, home)) if below else os.path.abspath(path)
    return short_path(real) if below and real != plain else ""


def read_outside(path: str, max_bytes: int = _ANY_SIZE) -> bytes | None:
    """Return the bytes of a file, behind a link if it is one; None if there is none.

    Raises:
        UnreadableFileError: it is no regular file, is too large, or the system refused.
    """
    shown = short_path(path)
    descriptor = -1
    try:  # O_NONBLOCK: opening a FIFO does not block; it is then refused
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise UnreadableFileError(
            "could not be read: {reason}", path=shown, facts={"reason": error.strerror}
        ) from error
    try:
        if is_folder:
            hint = "move the folder away, or name another file; nothing was changed"
            raise UnreadableFileError("is a folder, not a file", path=shown, hint=hint)
        return read_open(descriptor, shown, max_bytes).data
    finally:
        os.close(descriptor)


def block_in(config: WorkspaceConfig, agent: str, folder: str) -> str:
    """Return the block of this workspace that an agent reads in a folder; empty if there is none."""
    name = INSTRUCTION_FILES.get(agent)
    if not (name and folder):
        return ""
    path = os.path.realpath(os.path.join(folder, name))
    if path not in AgentRecord(config, RECORD).own:
        return ""
    try:
        data = read_outside(path, config.settings.lint.max_bytes) or b""
    except MdmemError:
        return ""
    _, _, after = data.decode("utf-8", "replace").partition(_OPEN)
    block, closed, _ = after.partition(_CLOSE)
    return block if closed else ""
