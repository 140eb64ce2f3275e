"""`mdmem hook`: the git hook that lints what is staged before each commit."""

from __future__ import annotations

from mdmem.doors import git_hook
from mdmem.doors.declare import Group
from mdmem.doors.language import spoken
from mdmem.doors.verbs.given import Lang

app = Group()


@app.command(zh="写入 .git/hooks/pre-commit，提交前检查暂存的内容；你自己的钩子不会被替换。")
def install(lang: Lang = None) -> None:
    """Write .git/hooks/pre-commit, which lints what is staged; a hook of your own is never replaced."""
    print(git_hook.install(".", lang or spoken()))


@app.command(zh="去掉这个钩子；不是 mdmem 写的就不动。")
def uninstall(lang: Lang = None) -> None:
    """Take the hook away again; one that is not ours is left alone."""
    print(git_hook.uninstall(".", lang or spoken()))
