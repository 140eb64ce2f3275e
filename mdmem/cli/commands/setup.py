"""`mdmem hook`: a plain pre-commit hook for those who do not use the pre-commit framework."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem import Workspace
from mdmem.cli.language import spoken
from mdmem.cli.parser.declare import Argument, Command, Group, Option, load
from mdmem.cli.parser.parameters import Json, Lang, Root, folder
from mdmem.cli.parser.usage import wrong
from mdmem.errors import GitError

_WORDS = {
    "installed": ("installed: every commit now lints what is staged", "已安装：以后每次提交前都会检查暂存的内容"),
    "removed": ("removed: commits are no longer linted", "已去掉：提交前不再检查"),
    "none": ("there is no pre-commit hook here", "这里没有 pre-commit 钩子"),
    "another": ("there is another pre-commit hook already", "这里已经有另一个 pre-commit 钩子"),
    "another.hint": ("add the line `mdmem lint --staged` to it", "在里面加一行 `mdmem lint --staged`"),
    "not-ours": ("the pre-commit hook here is not mdmem's", "这里的 pre-commit 钩子不是 mdmem 写的"),
    "not-ours.hint": ("remove it yourself", "请自己删掉它"),
}


def _say(lang: str, key: str) -> str:
    return _WORDS[key][lang == "zh"]


def init(
    path: Annotated[str, Argument(help="The folder to begin in.", zh="放在哪个文件夹。")] = ".",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Write the files that a new workspace begins with; what is there is left alone."""
    from mdmem.cli.commands.status import made

    if not path.strip():
        raise wrong("empty-path")
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
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        Argument(help="The shell: bash, zsh or fish.", zh="哪种 shell：bash、zsh 或 fish。"),
    ],
    words: Annotated[
        str | None,
        Option("--words", help="The words typed so far; print what may follow.", zh="已输入的词；列出后面可以写什么。"),
    ] = None,
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


@hook.command(zh="写入 .git/hooks/pre-commit，提交前检查暂存的内容；你自己的钩子不会被替换。")
def install(root: Root = "", lang: Lang = None) -> None:
    """Write .git/hooks/pre-commit, which lints what is staged; a hook of your own is never replaced."""
    speaks = lang or spoken()
    if not Workspace(folder(root), lang=speaks).install_hook():
        raise GitError(_say(speaks, "another"), hint=_say(speaks, "another.hint"))
    print(_say(speaks, "installed"))


@hook.command(zh="去掉这个钩子；不是 mdmem 写的就不动。")
def uninstall(root: Root = "", lang: Lang = None) -> None:
    """Take the hook away again; one that is not ours is left alone."""
    speaks = lang or spoken()
    done = Workspace(folder(root), lang=speaks).uninstall_hook()
    if done == "another":
        raise GitError(_say(speaks, "not-ours"), hint=_say(speaks, "not-ours.hint"))
    print(_say(speaks, done))
