"""The sentences for a call that makes no sense, in English and Chinese; loaded when one is said."""

from __future__ import annotations

from typing import NamedTuple


class Usage(NamedTuple):
    """A message and what to do about it, in one language."""

    message: str
    hint: str = ""


WORDS = {
    "no-verb": (
        Usage("there is no verb `{verb}`", "`mdmem --help` lists them"),
        Usage("没有 `{verb}` 这个命令", "`mdmem --help` 列出所有命令"),
    ),
    "no-subverb": (
        Usage("`mdmem {group}` has no verb `{verb}`", "it has: {verbs}"),
        Usage("`mdmem {group}` 没有 `{verb}` 这个命令", "有这些：{verbs}"),
    ),
    "needs-subverb": (
        Usage("`mdmem {group}` needs a verb", "one of: {verbs}"),
        Usage("`mdmem {group}` 后面要写命令", "有这些：{verbs}"),
    ),
    "no-option": (
        Usage(
            "there is no option `{option}`", "`mdmem {verb} --help` lists them; a text that begins so goes after `--`"
        ),
        Usage("没有 `{option}` 这个选项", "`mdmem {verb} --help` 列出所有选项；以它开头的文字写在 `--` 后面"),
    ),
    "no-value": (Usage("`{option}` takes no value"), Usage("`{option}` 后面不带值")),
    "needs-value": (Usage("`{option}` needs a value"), Usage("`{option}` 后面要写一个值")),
    "choices": (
        Usage("`{option}` cannot be `{value}`", "one of: {choices}"),
        Usage("`{option}` 不能是 `{value}`", "可以是：{choices}"),
    ),
    "number": (
        Usage("`{option}` needs a whole number, not `{value}`"),
        Usage("`{option}` 要写整数，不能是 `{value}`"),
    ),
    "least": (
        Usage("`{option}` must be at least {least}, not {value}"),
        Usage("`{option}` 至少是 {least}，不能是 {value}"),
    ),
    "too-many": (
        Usage("`{argument}` is one argument too many", "put a text with blanks in quotes; see `mdmem {verb} --help`"),
        Usage("多了一个参数 `{argument}`", "带空格的文字要加引号；见 `mdmem {verb} --help`"),
    ),
    "missing": (
        Usage("{parameter} is missing", "see `mdmem {verb} --help`"),
        Usage("缺少 {parameter}", "见 `mdmem {verb} --help`"),
    ),
    "empty-path": (
        Usage("the folder has no name", "`mdmem init` begins in this folder, `mdmem init NAME` in another"),
        Usage("文件夹名是空的", "`mdmem init` 用当前文件夹，`mdmem init 名字` 用另一个"),
    ),
    "no-root": (
        Usage("there is no such folder", "`mdmem init` makes one"),
        Usage("没有这个文件夹", "`mdmem init` 可以新建一个"),
    ),
    "no-field": (
        Usage("`{field}` is not a field", "write it as --field key=value"),
        Usage("`{field}` 不是字段", "写成 --field 键=值"),
    ),
    "either": (
        Usage("give either --{name} or --{name}-file"),
        Usage("--{name} 和 --{name}-file 要写一个，也只能写一个"),
    ),
    "no-rule": (
        Usage("there is no rule `{code}`", "`mdmem explain` lists them all"),
        Usage("没有 `{code}` 这条规则", "`mdmem explain` 列出所有规则"),
    ),
    "no-workspace": (
        Usage("no memory folder here or above", "`mdmem init` makes one{more}"),
        Usage("这里和上级目录里都没有记忆文件夹", "`mdmem init` 可以新建一个{more}"),
    ),
    "no-path": (
        Usage("there is nothing of that name", "check the spelling"),
        Usage("没有这个文件或文件夹", "看看有没有写错"),
    ),
    "nothing-to-lint": (
        Usage("there is no memory file in it", "`mdmem init` makes some; `[lint] include` says which names count"),
        Usage("里面没有记忆文件", "`mdmem init` 可以新建；`[lint] include` 规定哪些文件名算记忆文件"),
    ),
    "no-match": (
        Usage("nothing matches it", "check the spelling, or name the folder"),
        Usage("没有匹配的文件", "看看有没有写错，或写文件夹名"),
    ),
    "staged-alone": (
        Usage("--staged judges the index; --fix and --diff work on files", "fix, then stage again"),
        Usage("--staged 检查暂存区，--fix 和 --diff 改的是文件", "先修复，再暂存"),
    ),
    "stdin-alone": (
        Usage("`-` stands alone, without other paths and without --staged", "lint the other files by themselves"),
        Usage("`-` 要单独用，不能再写别的路径，也不能加 --staged", "别的文件另外检查"),
    ),
    "stdin-format": (
        Usage(
            "--fix writes the text to the standard output, --format and --json write findings there", "use one of them"
        ),
        Usage("--fix 把文字写到标准输出，--format 和 --json 也往那里写结果", "只用一个"),
    ),
    "filename-alone": (
        Usage("--stdin-filename goes with `-`", "`mdmem lint - --stdin-filename MEMORY.md`"),
        Usage("--stdin-filename 要和 `-` 同用", "`mdmem lint - --stdin-filename MEMORY.md`"),
    ),
    "no-words": (
        Usage("say what to look for", '`mdmem search "brief answers"`'),
        Usage("请写出要找什么", '`mdmem search "简洁 回复"`'),
    ),
    "no-json": (
        Usage("is not valid JSON: see line {line}, column {column}"),
        Usage("不是合法的 JSON：见第 {line} 行第 {column} 列"),
    ),
    "nobody": (
        Usage("this needs a yes, and nobody is here to be asked", "look at it{look}, then confirm with --yes"),
        Usage("需要确认，但这里没有人可以问", "先看一遍{look}，再加 --yes 确认"),
    ),
    "unreadable": (Usage("could not be read ({reason})"), Usage("读不了（{reason}）")),
    "no-utf8": (Usage("is not UTF-8", "save it as UTF-8"), Usage("不是 UTF-8 编码", "另存为 UTF-8")),
    "no-messages": (
        Usage("the chat is a JSON list of messages with `role` and `content`"),
        Usage("对话要写成 JSON 列表，每条消息有 `role` 和 `content`"),
    ),
    "json-explain": (
        Usage("--json goes without --explain: it holds all that is explained"),
        Usage("--json 已经包含 --explain 的全部内容，不用同时写"),
    ),
    "raw-terminal": (
        Usage("raw output could do anything to a terminal", "`mdmem artifact get ID --raw > FILE`"),
        Usage("原始输出可能扰乱终端", "`mdmem artifact get ID --raw > 文件`"),
    ),
    "no-day": (
        Usage("`{value}` is not a day", "write it as 2026-02-13"),
        Usage("`{value}` 不是日期", "写成 2026-02-13"),
    ),
    "no-duration": (
        Usage("`{value}` is not a valid duration", "write it as 90s, 10m, 2h or 1d"),
        Usage("`{value}` 不是时长", "写成 90s、10m、2h 或 1d"),
    ),
    "one-text": (
        Usage("write it as one text", "put it in quotes, or pipe it in: `mdmem session turn user -`"),
        Usage("请写成一段文字", "加上引号，或从管道读入：`mdmem session turn user -`"),
    ),
    "dismiss-at": (
        Usage("--dismiss restores nothing; --at says what to restore"),
        Usage("--dismiss 不找回任何内容，--at 是说找回哪一版，不能同用"),
    ),
    "id-or-task": (Usage("give either an ID or --task"), Usage("ID 和 --task 只能写一个")),
    "prompt-alone": (
        Usage("--prompt goes with neither --apply nor --plan"),
        Usage("--prompt 不能和 --apply、--plan 同用"),
    ),
    "text-context": (
        Usage("--text goes with `context` alone, whose messages come from the pipe"),
        Usage("--text 只能和 `context` 同用，消息从管道读入"),
    ),
}
