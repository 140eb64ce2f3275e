"""MM119: something that is no file which can be read."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject
from mdmem.text.spans import Span

_REPLACE = LocalizedFact("remove it, or put a Markdown file in its place", "请移除，或换成 Markdown 文件")
_KINDS = {
    "fifo": (
        LocalizedFact(
            "a named pipe, not a file: reading it could wait for ever", "这是命名管道，不是文件：读取可能永远等待"
        ),
        _REPLACE,
    ),
    "socket": (LocalizedFact("a socket, not a file", "这是套接字，不是文件"), _REPLACE),
    "device": (LocalizedFact("a device, not a file", "这是设备，不是文件"), _REPLACE),
    "folder": (
        LocalizedFact("a folder stands where a file should be", "这里应当是文件，却是文件夹"),
        LocalizedFact("rename the folder, or name the files inside it", "请给文件夹改名，或指明其中的文件"),
    ),
    "missing": (LocalizedFact("there is no such file", "没有这个文件"), LocalizedFact("check the path", "请检查路径")),
    "unreadable": (
        LocalizedFact("cannot be read", "无法读取"),
        LocalizedFact("check its permissions, and that its disk is there", "请检查权限，以及磁盘是否可用"),
    ),
}
_DANGLING = (
    LocalizedFact("a symbolic link that leads nowhere", "这个符号链接指向不存在的文件"),
    LocalizedFact("bring the target back, or remove the link", "请恢复目标文件，或删除链接"),
)


def check(subject: Subject) -> Iterator[Finding]:
    """Say what stands there instead of a file."""
    facts = subject.facts
    found = _DANGLING if facts.link == "dangling" else _KINDS.get(facts.type)
    if found:
        yield Finding(Span(0, 0), {"what": found[0], "next": found[1]})


RULE = Rule(
    "MM119",
    "not-a-file",
    "error",
    check,
    en=RuleText("{what.en}", "{next.en}"),
    zh=RuleText("{what.zh}", "{next.zh}"),
    scope="file",
)
