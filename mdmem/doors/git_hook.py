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


_WORDS = {
    "installed": ("installed: every commit now lints what is staged", "已安装：以后每次提交前都会检查暂存的内容"),
    "removed": ("removed: commits are no longer linted", "已去掉：提交前不再检查"),
    "none": ("there is no pre-commit hook here", "这里没有 pre-commit 钩子"),
    "another": ("there is another pre-commit hook already", "这里已经有另一个 pre-commit 钩子"),
    "another.hint": ("add the line `mdmem lint --staged` to it", "在里面加一行 `mdmem lint --staged`"),
    "not-ours": ("the pre-commit hook here is not mdmem's", "这里的 pre-commit 钩子不是 mdmem 写的"),
    "not-ours.hint": ("remove it yourself", "请自己删掉它"),
}


def install(folder: str, lang: str) -> str:
    """Write the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    text = _HOOK.format(ours=_OURS, python=shlex.quote(sys.executable)).encode()
    if os.path.exists(path):
        if not _is_ours(path):
            raise GitError(_say(lang, "another"), hint=_say(lang, "another.hint"))
        os.unlink(path)
    create(path, text, "pre-commit")
    os.chmod(path, stat.S_IRWXU)
    return _say(lang, "installed")


def uninstall(folder: str, lang: str) -> str:
    """Remove the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    if not os.path.exists(path):
        return _say(lang, "none")
    if not _is_ours(path):
        raise GitError(_say(lang, "not-ours"), hint=_say(lang, "not-ours.hint"))
    os.unlink(path)
    return _say(lang, "removed")


def _say(lang: str, key: str) -> str:
    return _WORDS[key][lang == "zh"]


def _path(folder: str) -> str:
    return os.path.join(git.hooks_folder(folder), "pre-commit")


def _is_ours(path: str) -> bool:
    return _OURS.encode() in read_bytes(path, "pre-commit")
