"""What of an output is looked at: its lines without colours and hidden signs, of a huge one the two ends.

Every rule works line by line on lines of bounded length, so that no output, whatever it holds, takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.messages.counted import counted
from mdmem.text.pattern import pattern

_END = 1_000_000  # characters of either end that are looked at
_LINES = 20_000  # and lines of them
_LONGEST = 1000  # characters of a line
# escape sequences of terminals, complete or cut off: colours, cursor moves, titles, hyperlinks
_ESCAPE = pattern("\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\\\)?|[@-Z\\\\^_]?)")
_UNSEEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]+"
)


class OutputLines(NamedTuple):
    """An output as the rules see it."""

    lines: tuple[str, ...]  # without line endings and trailing spaces, clipped
    text: str  # all of it; empty where it was too long to be looked at whole
    total: int  # lines of the whole output
    exit_code: int | None

    @property
    def whole(self) -> bool:
        """Tell whether every line was looked at."""
        return len(self.lines) == self.total


def plain(text: str) -> str:
    """Give a text as a person would see it: no escape sequences, no hidden characters, one kind of line ending."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def bounded_lines(output: str, exit_code: int | None) -> OutputLines:
    """Take the lines that the rules look at."""
    ends = output.count("\n") + output.count("\r") - output.count("\r\n")
    total = ends + (not output.endswith(("\n", "\r"))) if output else 0
    if len(output) <= 2 * _END and total <= 2 * _LINES:
        text = plain(output)
        return OutputLines(tuple(_lines(text)), text, total, exit_code)
    head, tail = _lines(plain(output[:_END]))[:_LINES], _lines(plain(output[-_END:]))[1:][-_LINES:]
    return OutputLines((*head, *tail), "", total, exit_code)


def _lines(text: str) -> list[str]:
    found = text.split("\n")
    if not found[-1]:
        found.pop()
    return [line[:_LONGEST].rstrip() for line in found]


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
