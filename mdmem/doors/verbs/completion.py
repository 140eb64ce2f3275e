"""`mdmem completion`: the script that makes a shell complete verbs, options and their values."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem.doors.declare import Argument, Command, Group, Option, load
from mdmem.doors.verbs.given import Lang

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
    from mdmem.doors.catalog import VERBS
    from mdmem.doors.options import COMMON, GLOBAL

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
