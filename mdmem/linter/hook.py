"""Installs and removes git's pre-commit hook, which lints the staged files."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable
from typing import Literal

from mdmem.store import git
from mdmem.store.files import create, read_bytes

_NAME = "pre-commit"
_OURS = "# written by `mdmem hook install`"
_HOOK = """\
#!/bin/sh
{ours}; `mdmem hook uninstall` takes it away
# Judges what the commit changes, not the files on disk. To commit all the same: git commit --no-verify
# -P: takes no module out of the repository.
if [ -x {python} ]; then
  exec {python} -P -m mdmem lint --staged --fail-on error
fi
exec mdmem lint --staged --fail-on error
"""


def install_hook(folder: str, require_inside: Callable[[str, str], None]) -> bool:
    """Write the hook of the repository that contains a folder; see `Workspace.install_hook`.

    `require_inside` refuses a path that a link leads out of a folder: here out of the repository or, where git is told
    to take its hooks from elsewhere, out of the folder around them.
    """
    path = _path(folder)
    top = os.path.abspath(git.top(folder))
    require_inside(path, top if path.startswith(os.path.join(top, "")) else os.path.dirname(os.path.dirname(path)))
    if os.path.exists(path):
        if not _is_ours(path):
            return False
        os.unlink(path)
    create(path, _HOOK.format(ours=_OURS, python=shlex.quote(sys.executable)).encode(), _NAME)
    os.chmod(path, stat.S_IRWXU)
    return True


def uninstall_hook(folder: str) -> Literal["removed", "none", "another"]:
    """Remove the hook; see `Workspace.uninstall_hook`."""
    path = _path(folder)
    if not os.path.exists(path):
        return "none"
    if not _is_ours(path):
        return "another"
    os.unlink(path)
    return "removed"


def _path(folder: str) -> str:
    return os.path.join(git.hooks_folder(folder), _NAME)


def _is_ours(path: str) -> bool:
    return _OURS.encode() in read_bytes(path, _NAME)
