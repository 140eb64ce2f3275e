"""All verbs of the command line, each with its line of help, in the groups that `mdmem --help` shows.

A verb is one function in a module of `cli/commands` and one line here; only the module of the verb that is called is
imported. For verbs below a noun it is a `Group` instead, by the name of the noun.
"""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb: the module of `cli/commands` that holds it, and what it does; a list shows that up to the semicolon."""

    name: str
    module: str
    en: str
    zh: str


class Chapter(NamedTuple):
    """Verbs that serve one purpose."""

    en: str
    zh: str
    verbs: tuple[Verb, ...]


CHAPTERS = (
    Chapter(
        "Write",
        "写",
        (
            Verb(
                "add",
                "entries",
                "Add entries at the end of a section; where it is full they wait in inbox.md",
                "在小节末尾添加条目；写满了就先放在 inbox.md",
            ),
            Verb(
                "remember",
                "entries",
                "Add a memory without naming a file; says where it went",
                "不写文件名就记下一条；会说放在了哪里",
            ),
            Verb("today", "entries", "Add entries to the daily file of today", "在今天的日记里添加条目"),
            Verb("edit", "entries", "Replace a text that is in a file exactly once", "替换文件里只出现一次的一段文字"),
            Verb("tick", "entries", "Mark an entry as done", "把条目标为完成"),
            Verb(
                "rm",
                "entries",
                "Take entries out of a file; `mdmem undo` brings them back",
                "从文件里移走条目；`mdmem undo` 可以找回",
            ),
            Verb(
                "write",
                "entries",
                "Write a whole file from the standard input; if more than half would go, it needs --yes",
                "用标准输入写整个文件；会去掉一半以上时要加 --yes",
            ),
            Verb(
                "mv", "entries", "Rename or move a file; never over another one", "给文件改名或换地方；不会盖掉别的文件"
            ),
            Verb(
                "inbox",
                "inbox",
                "See, accept or reject what waits for room or for your word",
                "查看、接受或拒绝等空位、等你决定的内容",
            ),
        ),
    ),
    Chapter(
        "Find",
        "查",
        (
            Verb(
                "search",
                "",
                "Find entries, turns and other text; exit 1 where there is nothing",
                "查找条目、对话和其他文字；没有找到时退出码为 1",
            ),
            Verb(
                "show",
                "history",
                "Show a file with the key of each entry; without one, every memory file",
                "显示文件和每条的名字；不写文件就显示全部",
            ),
            Verb(
                "why",
                "history",
                "Say why something is remembered; who wrote it, from what, and what it was before",
                "说明为什么记住这件事；谁写的，出处在哪里，以前是什么",
            ),
            Verb(
                "status",
                "status",
                "Show how full each file is, what waits, what is broken",
                "显示各文件写了多少、什么在等、哪里有问题",
            ),
        ),
    ),
    Chapter(
        "Keep in order",
        "理",
        (
            Verb(
                "lint",
                "",
                "Say what is wrong with memory files, line by line; exit 1 where something is",
                "逐行检查记忆文件的问题；有问题时退出码为 1",
            ),
            Verb(
                "explain",
                "explain",
                "Explain a rule of the linter, or list them all; what it finds, why, examples, the fix",
                "解释一条检查规则，或列出全部规则；查什么、为什么、例子、怎么改",
            ),
            Verb(
                "compact",
                "keeper",
                "Condense what has grown; the originals go to archive/",
                "精简写满的内容；原文进 archive/",
            ),
            Verb(
                "forget",
                "history",
                "Forget for good, in all files and the history; it cannot be undone",
                "彻底忘掉，所有文件和历史里都删去；不能撤销",
            ),
        ),
    ),
    Chapter(
        "Look after",
        "护",
        (
            Verb(
                "log",
                "history",
                "List the last changes: when, who, why, which files",
                "列出最近的改动：何时、谁、为何、哪些文件",
            ),
            Verb(
                "diff", "history", "Show what a change did, or what changed since", "显示一次改动的内容，或之后的变化"
            ),
            Verb(
                "undo",
                "history",
                "Take a change back; what came after it stays, and the undoing is a change too",
                "撤销一次改动；之后的内容不受影响，撤销本身也是一次改动",
            ),
            Verb(
                "restore",
                "history",
                "Bring a file back that was deleted or clobbered by hand",
                "找回在 mdmem 之外被删掉或写坏的文件",
            ),
            Verb(
                "recover",
                "history",
                "Finish or take back what a crash left half done; every verb does so before it writes",
                "补完或收回中断时做到一半的改动；每个命令写入前都会这样做",
            ),
            Verb(
                "doctor",
                "history",
                "Check the history, and what this file system promises",
                "检查历史是否完好，以及文件系统能保证什么",
            ),
        ),
    ),
    Chapter(
        "Work with proof",
        "做事留证",
        (
            Verb("session", "sessions", "Conversations, turn by turn, in a file each", "会话：逐轮记下，每次一个文件"),
            Verb("plan", "plan", "The plan of a task, stepped through", "任务计划，一步一步推进"),
            Verb("pin", "pins", "What must not be forgotten now, with its source", "眼下不能忘的事，各有出处"),
            Verb("artifact", "artifacts", "What tools gave, kept whole", "工具输出，原样保存"),
        ),
    ),
    Chapter(
        "Agents and programs",
        "智能体和程序",
        (
            Verb(
                "context",
                "context",
                "Print what a model gets, within a budget of tokens",
                "输出给模型的内容，不超过词元预算",
            ),
            Verb("tool", "tools", "The tools that an agent is offered", "给智能体用的工具"),
            Verb(
                "watch",
                "keeper",
                "Lint what changes; let the keeper work when idle",
                "盯着改动做检查，空闲时让整理者工作",
            ),
            Verb(
                "busy",
                "keeper",
                "Keep the keeper off for a while; without an option, tell who is busy",
                "让整理者先等一等；不写选项就显示谁在忙",
            ),
            Verb(
                "index",
                "index",
                "The search index; it looks after itself and may be deleted",
                "搜索索引；不用人管，可以随时删掉",
            ),
        ),
    ),
    Chapter(
        "Set up",
        "设置",
        (
            Verb(
                "init", "setup", "Begin a memory folder; what is there is left alone", "新建记忆文件夹；已有的文件不动"
            ),
            Verb(
                "config", "config", "Show the settings that hold here, and where they are set", "显示生效的设置和出处"
            ),
            Verb(
                "trust",
                "keeper",
                "Let this mdmem.toml name a program or an endpoint; as long as it stays as it is",
                "允许这里的 mdmem.toml 指定程序或接口；内容一改就要重新允许",
            ),
            Verb("hook", "setup", "The git hook that lints what is staged", "提交前检查暂存内容的 git 钩子"),
            Verb(
                "completion",
                "setup",
                "Print what makes a shell complete mdmem's words",
                "输出让 shell 补全命令的脚本",
            ),
            Verb(
                "help",
                "explain",
                "Show this, or the help of a verb; `mdmem help pin add`",
                "显示这份帮助，或一个命令的帮助；`mdmem help pin add`",
            ),
        ),
    ),
)

VERBS = {verb.name: verb for chapter in CHAPTERS for verb in chapter.verbs}

# What people type who come from other programs, and the verb that does it here.
HABITS = {
    "new": "init", "create": "init", "find": "search", "grep": "search", "query": "search",
    "check": "lint", "fix": "lint --fix", "format": "lint --fix", "fmt": "lint --fix", "validate": "lint",
    "list": "status", "ls": "status", "info": "status", "cat": "show", "view": "show", "get": "show", "read": "show",
    "open": "show", "append": "add", "insert": "add", "note": "add", "save": "add", "remove": "rm", "delete": "rm",
    "del": "rm", "update": "edit", "replace": "edit", "set": "edit", "daily": "today", "diary": "today",
    "recall": "search", "done": "tick", "complete": "tick",
    "rename": "mv", "move": "mv", "history": "log", "revert": "undo", "rollback": "undo", "rules": "explain",
    "rule": "explain", "pack": "context", "prompt": "context", "settings": "config", "install": "hook install",
    "purge": "forget", "condense": "compact", "accept": "inbox accept", "reject": "inbox reject",
}  # fmt: skip
