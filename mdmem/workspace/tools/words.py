"""What the tools say, in Chinese and English; the memory tool's own verbs answer in its published wording."""

from __future__ import annotations

_WORDS = {
    # the arguments
    "no-tool": ("没有名为 `{name}` 的工具", "there is no tool `{name}`"),
    "tools": ("可用的工具：{names}", "the tools are: {names}"),
    "no-object": ("参数必须是一个 JSON 对象", "the arguments must be one JSON object"),
    "keys": ("可用的参数：{keys}（? 表示可省略）", "the keys are: {keys} (? may be left out)"),
    "unknown-key": ("没有 `{key}` 这个参数", "there is no key `{key}`"),
    "missing-key": ("缺少参数 `{key}`", "the key `{key}` is missing"),
    "string": ("`{key}` 必须是字符串", "`{key}` must be a string"),
    "integer": ("`{key}` 必须是整数", "`{key}` must be a whole number"),
    "array": ("`{key}` 必须是数组", "`{key}` must be an array"),
    "object": ("`{key}` 必须是对象", "`{key}` must be an object"),
    "length": ("`{key}` 的元素个数不对", "`{key}` has the wrong number of items"),
    "too-long": ("`{key}` 太长，记忆文件放不下", "`{key}` is longer than a memory file may be"),
    "half-character": (
        "`{key}` 里有不成对的代理字符，不是合法的文字",
        "`{key}` holds half a character (a lone surrogate)",
    ),
    # the paths
    "outside": ("不允许访问工作区外的文件", "files outside the workspace may not be reached"),
    "outside-hint": ("路径从工作区算起，例如 MEMORY.md", "paths count from the workspace, as in MEMORY.md"),
    "bad-path": ("这个路径不能用", "this is no path"),
    "missing-file": ("文件不存在: {path}", "there is no file {path}"),
    "missing-hint": ("先用 view 看看有哪些文件", "view /memories lists the files"),
    # read, write, edit
    "wrote": ("成功写入 {bytes} 字节到 {path}", "wrote {bytes} bytes to {path}"),
    "replaced": ("成功替换了 {path} 中的文本", "replaced the text in {path}"),
    "unchanged": ("替换后内容没有变化。", "the text is the same after the replacement."),
    "many": (
        "找到 {number} 处匹配。请提供更多上下文使其唯一。",
        "found {number} matches. Give more context to make it unique.",
    ),
    "none": (
        "无法在 {path} 中找到指定文本。请先 read，再照原文填写 oldText。",
        "the text was not found in {path}. Read the file, then give oldText as it stands there.",
    ),
    "read": ("{path}：{lines} 行", "{path}: {lines} line(s)"),
    "section": ("{path} › {section}：{entries} 条", "{path} › {section}: {entries} entries"),
    "no-section": ("{path} 没有这个区域；可用的有：{names}", "{path} has no such section; it has: {names}"),
    # memory_check, view
    "clean": ("没有问题", "all clean"),
    "found": ("{errors} 个错误，{warnings} 个警告", "{errors} error(s), {warnings} warning(s)"),
    "range": (
        "`view_range` 无效：{range}。这个文件有 {lines} 行",
        "invalid `view_range` {range}: the file has {lines} line(s)",
    ),
    "folder": ("{path} 是文件夹；请逐个处理其中的文件", "{path} is a folder; name the files in it one by one"),
}


def say(kind: str, lang: str, **facts: object) -> str:
    """Word a fact in a language, zh or en."""
    zh, en = _WORDS[kind]
    return (zh if lang == "zh" else en).format(**facts)
