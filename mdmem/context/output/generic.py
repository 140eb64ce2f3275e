"""Any output: its first line, the lines that speak of something wrong, its last lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdmem.context.output.seen import Seen
from mdmem.core.pattern import pattern
from mdmem.core.settings.files import ArtifactSettings

_WORDS = (  # in small letters; a word of more letters than these counts too
    "error", "fail", "exception", "fatal", "panic", "denied", "refused", "cannot", "can't", "could not", "unable",
    "not found", "no such", "timed out", "timeout", "time out", "invalid", "undefined", "missing", "warning", "killed",
    "segmentation",
    "错误", "失败", "异常", "警告", "拒绝", "找不到", "无法", "不存在", "未找到", "超时", "崩溃", "出错", "报错",
)  # fmt: skip
_INSIDE = ("error", "exception")  # also at the end of a name: `ValueError`
_WRONG = pattern(
    "|".join(word if word in _INSIDE or not word.isascii() else rf"\b{word}" for word in _WORDS), re.IGNORECASE
)
_NOTHING_WRONG = pattern(
    r"\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed|warnings?)\b|(?:没有|无|0 ?个)(?:错误|警告|失败)",
    re.IGNORECASE,
)
_FRAME = pattern(r"[\s=*_.#|+~-]*\Z")  # a rule, a frame, a spinner


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:  # noqa: ARG001 - every kind is asked so
    """Give the head, at most two lines of what went wrong, and the end, in the order of the output."""
    telling = [at for at, line in enumerate(seen.lines) if not _FRAME.match(line)]
    if not telling:
        return []
    wrong = _wrong(seen.lines, telling)
    chosen = {telling[0], *wrong[:1], *wrong[-1:], *telling[-2:]}
    return [seen.lines[at] for at in sorted(chosen)]


def _wrong(lines: Sequence[str], telling: Sequence[int]) -> list[int]:
    """Find the lines that speak of something that went wrong; most outputs hold none of the words at all."""
    whole = "\n".join(lines).lower()
    words = [word for word in _WORDS if word in whole]
    if not words:
        return []
    likely = (at for at in telling if any(word in lines[at].lower() for word in words))
    return [at for at in likely if _WRONG.search(lines[at]) and not _NOTHING_WRONG.search(lines[at])]
