"""Any output: its first line, the lines that speak of something wrong, its last lines."""

from __future__ import annotations

import re

from mdmem.context.output.seen import Seen
from mdmem.core.pattern import pattern

WRONG = pattern(
    r"\b(?:errors?|failed|failures?|fails|exception|fatal|panic|denied|refused|cannot|can't|could not|unable|not found|"
    r"no such|timed? ?out|invalid|undefined|missing|warnings?|killed|segmentation)\b"
    r"|[a-z](?:Error|Exception)\b|错误|失败|异常|警告|拒绝|找不到|无法|不存在|未找到|超时|崩溃|出错|报错",
    re.IGNORECASE,
)
_NOTHING_WRONG = pattern(
    r"\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed|warnings?)\b|(?:没有|无|0 ?个)(?:错误|警告|失败)",
    re.IGNORECASE,
)
_FRAME = pattern(r"[\s=*_.#|+~-]*\Z")  # a rule, a frame, a spinner


def read(seen: Seen, lang: str) -> list[str]:  # noqa: ARG001 - every kind is asked so
    """Give the head, at most two lines of what went wrong, and the end, in the order of the output."""
    telling = [at for at, line in enumerate(seen.lines) if not _FRAME.match(line)]
    if not telling:
        return []
    wrong = [at for at in telling if is_wrong(seen.lines[at])]
    chosen = {telling[0], *wrong[:1], *wrong[-1:], *telling[-2:]}
    return [seen.lines[at] for at in sorted(chosen)]


def is_wrong(line: str) -> bool:
    """Tell whether a line speaks of something that went wrong."""
    return WRONG.search(line) is not None and not _NOTHING_WRONG.search(line)
