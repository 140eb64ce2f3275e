"""`mdmem hook`: a plain pre-commit hook for those who do not use the pre-commit framework."""

from __future__ import annotations

import os
import shlex
import stat
import sys

from mdmem.errors import GitError
from mdmem.store import git
from mdmem.store.files import create, read_bytes

_OURS = "# written by `mdmem hook install`"
_HOOK = """\
#!/bin/sh
{ours}; `mdmem hook uninstall` takes it away
# Judges what is staged, not the files on disk. To commit all the same: git commit --no-verify
if [ -x {python} ]; then
  exec {python} -m mdmem lint --staged --fail-on error
fi
exec mdmem lint --staged --fail-on error
"""


def install(folder: str) -> str:
    """Write the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    text = _HOOK.format(ours=_OURS, python=shlex.quote(sys.executable)).encode()
    if os.path.exists(path):
        if not _is_ours(path):
            raise GitError(
                "a pre-commit hook of your own stands there", hint="add the line `mdmem lint --staged` to it"
            )
        os.unlink(path)
    create(path, text, "pre-commit")
    os.chmod(path, stat.S_IRWXU)
    return "installed: every commit now lints what is staged"


def uninstall(folder: str) -> str:
    """Remove the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    if not os.path.exists(path):
        return "there is no pre-commit hook here"
    if not _is_ours(path):
        raise GitError("the pre-commit hook here is not mdmem's", hint="remove it yourself")
    os.unlink(path)
    return "removed: commits are no longer linted"


def _path(folder: str) -> str:
    return os.path.join(git.hooks_folder(folder), "pre-commit")


def _is_ours(path: str) -> bool:
    return _OURS.encode() in read_bytes(path, "pre-commit")
