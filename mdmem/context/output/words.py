"""The few words that summaries add to what an output says, in zh and en."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.counted import counted

_WORDS = {
    "empty": ("没有输出", "no output"),
    "exit": ("退出码 {code}", "exit {code}"),
    "lines": ("{count} 行", "{count:line|lines}"),
    "secrets": ("含 {count} 处密钥，已遮住", "{count:secret|secrets} masked"),
    "ends": ("太长，只看了头尾", "too long: its two ends were looked at"),
    "more": ("……还有 {count} 个", "… and {count} more"),
    "failed": ("未通过：{names}", "failed: {names}"),
    "found": (
        "{errors} 个错误，{warnings} 个警告，{files} 个文件",
        "{errors:error|errors}, {warnings:warning|warnings} in {files:file|files}",
    ),
    "changed": ("改动 {files} 个文件，+{added} −{removed}", "{files:file|files} changed, +{added} −{removed}"),
    "object": ("JSON 对象，{count} 个键：{keys}", "JSON object, {count:key|keys}: {keys}"),
    "array": ("JSON 数组，{count} 项", "JSON array of {count}"),
    "objects": ("JSON 数组，{count} 个对象，键：{keys}", "JSON array of {count:object|objects}, keys: {keys}"),
    "rows-json": ("JSON Lines，{count} 个对象，键：{keys}", "JSON Lines, {count:object|objects}, keys: {keys}"),
    "first": ("首项：{item}", "first: {item}"),
    "last": ("末项：{item}", "last: {item}"),
    "table": ("表格，{rows} 行 × {columns} 列：{names}", "table, {rows:row|rows} × {columns:column|columns}: {names}"),
    "log": ("日志 {count} 行：{levels}", "log, {count:line|lines}: {levels}"),
    "no-levels": ("没有级别", "no levels"),
    "in": ("位于 {place}", "in {place}"),
    "binary": ("二进制：{kind}，{size}", "binary: {kind}, {size}"),
    "data": ("未知格式", "unknown format"),
    "from-to": ("{name} {low} … {high}", "{name} {low} … {high}"),
}  # fmt: skip


def say(lang: str, key: str, **facts: object) -> str:
    """Put facts into words, in zh or en."""
    return _WORDS[key][lang != "zh"].format_map(counted(facts))


def some(lang: str, names: Sequence[str], most: int, join: str = ", ") -> str:
    """List the first few, and say how many more there are."""
    shown = join.join(names[:most])
    return f"{shown} {say(lang, 'more', count=len(names) - most)}" if len(names) > most else shown
