"""`mdmem hook`: a plain pre-commit hook for those who do not use the pre-commit framework."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from typing import Annotated, Literal

from mdmem.cli.language import spoken
from mdmem.cli.parser.declare import Argument, Command, Group, Option, load
from mdmem.cli.parser.parameters import Json, Lang
from mdmem.errors import GitError
from mdmem.messages.catalog import say
from mdmem.store import git
from mdmem.store.files import create, read_bytes
from mdmem.workspace import Workspace

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


def install_hook(folder: str, lang: str) -> str:
    """Write the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    text = _HOOK.format(ours=_OURS, python=shlex.quote(sys.executable)).encode()
    if os.path.exists(path):
        if not _is_ours(path):
            raise GitError(say(lang, "cli.hook.another"), hint=say(lang, "cli.hook.another.hint"))
        os.unlink(path)
    create(path, text, "pre-commit")
    os.chmod(path, stat.S_IRWXU)
    return say(lang, "cli.hook.installed")


def uninstall_hook(folder: str, lang: str) -> str:
    """Remove the hook; gives a sentence for the user.

    Raises:
        GitError: another hook stands there, or this is no repository.
    """
    path = _path(folder)
    if not os.path.exists(path):
        return say(lang, "cli.hook.none")
    if not _is_ours(path):
        raise GitError(say(lang, "cli.hook.not-ours"), hint=say(lang, "cli.hook.not-ours.hint"))
    os.unlink(path)
    return say(lang, "cli.hook.removed")


def _path(folder: str) -> str:
    return os.path.join(git.hooks_folder(folder), "pre-commit")


def _is_ours(path: str) -> bool:
    return _OURS.encode() in read_bytes(path, "pre-commit")


def init(
    path: Annotated[str, Argument()] = ".",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Write the files that a new workspace begins with; what is there is left alone."""
    from mdmem.cli.commands.status import made

    workspace = Workspace(path, lang=lang)
    made(workspace.init(), path, workspace.lang, as_json=json)


_BASH = """\
_mdmem() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    mdmem completion bash --words "${COMP_WORDS[*]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _mdmem mdmem
"""
_ZSH = """\
#compdef mdmem
_mdmem() {
  local -a found
  found=("${(@f)$(mdmem completion zsh --words "${(j: :)words[2,CURRENT]}" 2>/dev/null)}")
  if (( ${#found} )) && [[ -n $found[1] ]]; then compadd -a found; else _files; fi
}
compdef _mdmem mdmem
"""
_FISH = """\
function __mdmem
  set -l words (commandline -opc)[2..] (commandline -ct)
  mdmem completion fish --words "$words" 2>/dev/null
end
complete -c mdmem -a '(__mdmem)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Argument()],
    words: Annotated[str | None, Option("--words")] = None,
    lang: Lang = None,  # noqa: ARG001 - heard by `spoken`
) -> None:
    """Print a script for the shell: `eval "$(mdmem completion bash)"`."""
    if words is None:
        print(_SCRIPTS[shell], end="")
        return
    *before, last = words.split(" ")
    print("\n".join(word for word in _follow([word for word in before if word]) if word.startswith(last)))


def _follow(before: list[str]) -> list[str]:
    """Return the words that may come next: verbs, then options, or the choices of the option before."""
    from mdmem.cli.parser.catalog import VERBS
    from mdmem.cli.parser.options import COMMON, GLOBAL

    path = [word for word in before if not word.startswith("-")]
    if not path:
        return [*VERBS, *(flag for one in (*GLOBAL, *COMMON) for flag in one.flags)]
    if path[0] not in VERBS:
        return []
    found: Command | Group | None = load(VERBS[path[0]])
    if isinstance(found, Group):
        if len(path) == 1:
            return list(found.names)
        found = found.get(path[1]) if path[1] in found.names else found.default
    known = (*(found.parameters if found else ()), *COMMON)
    chosen = next((one for one in known if before[-1] in one.flags and one.choices), None)
    return list(chosen.choices) if chosen else [flag for one in known for flag in one.flags if flag.startswith("--")]


hook = Group()


@hook.command()
def install(lang: Lang = None) -> None:
    """Write .git/hooks/pre-commit, which lints what is staged; a hook of your own is never replaced."""
    print(install_hook(".", lang or spoken()))


@hook.command()
def uninstall(lang: Lang = None) -> None:
    """Take the hook away again; one that is not ours is left alone."""
    print(uninstall_hook(".", lang or spoken()))
