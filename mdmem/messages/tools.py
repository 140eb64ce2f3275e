"""What the tools say about their arguments and about what was read; all else is the pen's (`mdmem.workspace.words`)."""

from __future__ import annotations

from mdmem.messages.counted import counted
from mdmem.messages.entries import Both


def say(lang: str, key: str, **facts: object) -> str:
    """Put facts into a sentence, in zh or en."""
    both = _WORDS[key]
    return (both.zh if lang == "zh" else both.en).format_map(counted(facts))


_WORDS = {
    # the arguments
    "no-tool": Both("没有名为 `{name}` 的工具", "there is no tool `{name}`"),
    "tools": Both("可用的工具：{names}", "the tools are: {names}"),
    "no-object": Both("参数必须是一个 JSON 对象", "the arguments must be one JSON object"),
    "keys": Both("可用的参数：{keys}（? 表示可省略）", "the keys are: {keys} (? may be left out)"),
    "unknown-key": Both("没有 `{name}` 这个参数", "there is no key `{name}`"),
    "missing-key": Both("缺少参数 `{name}`", "the key `{name}` is missing"),
    "string": Both("`{name}` 必须是字符串", "`{name}` must be a string"),
    "integer": Both("`{name}` 必须是整数", "`{name}` must be a whole number"),
    "array": Both("`{name}` 必须是数组", "`{name}` must be an array"),
    "boolean": Both("`{name}` 必须是 true 或 false", "`{name}` must be true or false"),
    "object": Both("`{name}` 必须是对象", "`{name}` must be an object"),
    "length": Both("`{name}` 的元素个数不对", "`{name}` has the wrong number of items"),
    "too-long": Both("`{name}` 太长，记忆文件放不下", "`{name}` is longer than a memory file may be"),
    "half-character": Both("`{name}` 里有半个字符，不是有效的 Unicode", "`{name}` holds half a character"),
    "enum": Both("`{name}` 是其中之一：{names}", "`{name}` is one of: {names}"),
    # what a person would type and no tool does
    "users-command": Both("用户的 `{name}` 命令", "the user's command `{name}`"),
    # what is forgotten
    "forget-confirm": Both(
        "这些位置会彻底抹掉，不能撤销；用户确实要求的话，带上 `confirm`: {number} 再调用一次",
        "these places would be wiped out for good; if the user asked for it, call again with `confirm`: {number}",
    ),
    "forget-user": Both(
        "没有抹掉：会抹掉 {path} 里 {count} 条中的 {gone} 条",
        "not wiped out: {gone} of the {count} entries of {path} hold it",
    ),
    "forget-user.hint": Both(
        "给出更长的一段文字；真要全部抹掉，请用户在命令行用 forget",
        "give a longer piece of the text; to wipe out all of them is for the user (`forget` on the command line)",
    ),
    # where a memory stands
    "several-paths": Both("这些记忆在不同的文件里：{paths}", "the memories stand in several files: {paths}"),
    "several-paths.hint": Both("每个文件调用一次，带上 path", "call once for each file, with `path`"),
    # what was read
    "pins": Both("钉住了 {count} 条", "{count:pin|pins}"),
    "over": Both("（已过期）", " (over)"),
    "plan": Both("{path}：{steps} 步", "{path}: {steps:step|steps}"),
    "read": Both("{path}：{lines} 行", "{path}: {lines:line|lines}"),
    "read-all": Both("「{kind}」共 {count} 个文件", "{kind}: {count:file|files}"),
    "section": Both("{path}「{section}」：{entries} 条", "{path}, section «{section}»: {entries:entry|entries}"),
    "hits": Both("找到 {count} 条", "{count} found"),
    "no-hits": Both("没有找到「{query}」", "nothing found for «{query}»"),
    "no-hits.hint": Both("换几个词再试", "try other words"),
    "clean": Both("没有问题", "all clean"),
    "found": Both("{errors} 个错误，{warnings} 个警告", "{errors:error|errors}, {warnings:warning|warnings}"),
    "folder": Both(
        "{path} 是文件夹，请逐个处理里面的文件", "{path} is a folder; delete or rename the files in it one by one"
    ),
    "range": Both(
        "`view_range` 无效：{range}。这个文件有 {lines} 行",
        "invalid `view_range` {range}: the file has {lines:line|lines}",
    ),
}
