"""What is said about evidence, in Chinese and English."""

from __future__ import annotations

from mdmem.messages.entries import Both, worded


def say(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence, in zh or en; an advice that nobody wrote is empty."""
    return worded(_WORDS, lang, key, facts)


_WORDS = {
    "kept": Both("已存为 {path}", "kept as {path}"),
    "no-note": Both(
        "已存下，但 NOTEBOOK 里没有记上这一条：{reason}", "it is kept, but the notebook has no line about it: {reason}"
    ),
    "withheld": Both("（略去：这里的字不该写进记忆）", "(left out: words that are not fit for a memory)"),
    "shown": Both("{path}：第 {first}–{last} 行，共 {total} 行", "{path}: lines {first} to {last} of {total}"),
    "nothing": Both("{path}：没有内容", "{path}: nothing in it"),
    "more": Both('还有；接着看 range="{next}"', 'there is more; go on with range="{next}"'),
    "more-lines": Both("还有；接着看 start={next}", "there is more; go on with start={next}"),
    "binary": Both(
        "{path} 不是文本；`mdmem artifact get {id} --raw` 原样输出",
        "{path} is no text; `mdmem artifact get {id} --raw` gives the bytes",
    ),
    "continued": Both("输出在 tool:{next} 里继续", "the output goes on in tool:{next}"),
    "stderr": Both("标准错误输出在 tool:{id}", "its standard error is tool:{id}"),
    "whole-input": Both("完整的输入在 tool:{rest}", "the whole input is tool:{rest}"),
    "masked": Both("密钥已遮住", "secrets are masked"),
    "altered": Both(
        "输出和保存时不一样了：有人改过这个文件",
        "the output is not what was kept: somebody has changed the file",
    ),
    "no-artifact": Both("没有编号为 {id} 的工具输出", "there is no tool run `{id}`"),
    "no-artifact.hint": Both("`mdmem artifact list` 列出已有的", "`mdmem artifact list` shows those there are"),
    "no-id": Both("这不是工具输出的编号", "this names no tool run"),
    "no-id.hint": Both("写成 tool:20261122-041402-k7f3，或 t0007", "write it as tool:20261122-041402-k7f3, or t0007"),
    "no-range": Both("看不懂的行范围：{range}。一共 {total} 行", "no range of lines: {range}; there are {total}"),
    "no-range.hint": Both(
        "写成 10-40、10-、-20（最后 20 行），或 12:8001（第 12 行从第 8001 个字符起）",
        "write 10-40, 10-, -20 (the last 20), or 12:8001 (line 12 from its character 8001 on)",
    ),
    "no-start": Both(
        "`start` 从 1 算起，`len` 至少是 1；一共 {total} 行",
        "`start` counts from 1 and `len` is at least 1; there are {total:line|lines}",
    ),
    "no-file": Both("{path} 不存在", "there is no file {path}"),
    "no-file.hint": Both(
        "路径从工作区算起；工具输出写成 tool:编号",
        "paths count from the workspace; a tool run is tool:ID",
    ),
    "no-text": Both("{path} 不是文本文件", "{path} is no text"),
    "found": Both("{path}：{count} 行匹配", "{path}: {count:matching line|matching lines}"),
    "found-more": Both(
        "{path}：前 {count} 行匹配，后面还有",
        "{path}: the first {count} matching lines; there are more",
    ),
    "found-more.hint": Both("换一个更具体的词，或把 limit 调大", "ask for something more particular, or raise limit"),
    "found-none": Both("{path}：没有匹配的行", "{path}: no line matches"),
    "no-pattern": Both("没有给出要找的文字", "there is nothing to look for"),
    "pruned": Both(
        "清理了 {count} 个工具输出，共 {bytes} 字节", "took away {count:tool run|tool runs}, {bytes:byte|bytes}"
    ),
    "would-prune": Both(
        "将清理 {count} 个工具输出，共 {bytes} 字节",
        "would take away {count:tool run|tool runs}, {bytes:byte|bytes}",
    ),
    "none-pruned": Both("没有需要清理的工具输出", "no tool run is old enough, and there is room"),
    "held": Both("另有 {count} 个到期但还被引用，留下了", "{count} more are due but pointed at, and stay"),
}
