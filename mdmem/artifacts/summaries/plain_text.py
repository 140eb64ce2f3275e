"""Summarizes output by its text: binary data by its first bytes, diffs, logs, and anything else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mdmem.artifacts.summaries.output_lines import OutputLines, some
from mdmem.messages.catalog import say
from mdmem.settings.tables import ArtifactSettings
from mdmem.text.pattern import pattern

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP (docx, xlsx, jar, wheel)"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\x7fELF", "ELF"),
    (b"MZ", "Windows PE"), (b"\xca\xfe\xba\xbe", "Mach-O / Java class"), (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"SQLite format 3\x00", "SQLite"), (b"RIFF", "RIFF (WAV, WebP, AVI)"), (b"OggS", "Ogg"), (b"fLaC", "FLAC"),
    (b"ID3", "MP3"), (b"\x00asm", "WebAssembly"), (b"PAR1", "Parquet"), (b"\x80\x04\x95", "pickle"),
    (b"\x93NUMPY", "NumPy"), (b"\x89HDF\r\n\x1a\n", "HDF5"), (b"BM", "BMP"), (b"II*\x00", "TIFF"), (b"MM\x00*", "TIFF"),
    (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"),
)  # fmt: skip
_LOOKED_AT = 64_000  # bytes that are checked for binary data
_ODD = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32)) + b"\x7f"  # control bytes that are not in text
_MUCH = 0.1  # share of control bytes that makes data binary


def binary_kind(data: bytes, lang: str = "en") -> str:
    """Return the type and size of binary data; empty for text, also in an older encoding."""
    head = data[:_LOOKED_AT]
    if not head or not _is_binary(head):
        return ""
    kind = next((name for magic, name in _MAGIC if head.startswith(magic)), "") or say(lang, "output.data")
    return say(lang, "output.binary", kind=kind, size=_size(len(data)))


def _is_binary(head: bytes) -> bool:
    if b"\x00" in head:
        return True
    if any(head.startswith(magic) for magic, _ in _MAGIC if not magic.isascii() or magic == b"%PDF-"):
        return len(head.translate(None, _ODD)) < len(head) or not _is_utf8(head)
    return len(head) - len(head.translate(None, _ODD)) > len(head) * _MUCH


def _is_utf8(head: bytes) -> bool:
    try:
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return True


def _size(count: int) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1000  # type: ignore[assignment]
    return f"{count:.3g} GB"


_HUNK = pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_GIT = pattern(r"diff --git \"?a/(.+?)\"? \"?b/(.+)\Z")
_STAT = pattern(r" ?\d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?\Z")


def summarize_diff(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Count the lines of a unified diff, or return the last line of a `--stat`."""
    counts = _counts(seen.lines)
    if not counts:
        stat = next((line for line in reversed(seen.lines) if _STAT.match(line)), "")
        files = [" ".join(line.split()) for line in seen.lines if " | " in line]
        return [stat.strip(), some(lang, files, numbers.files, "; ")] if stat else []
    added, removed = (sum(count[side] for count in counts.values()) for side in (0, 1))
    largest = sorted(counts.items(), key=lambda one: -sum(one[1]))
    files = [f"{name} +{plus} −{minus}" for name, (plus, minus) in largest]
    return [
        say(lang, "output.changed", files=len(counts), added=added, removed=removed),
        some(lang, files, numbers.files),
    ]


def _counts(lines: Sequence[str]) -> dict[str, list[int]]:
    """Return the added and removed lines per file. Hunk headers give lengths, so text cannot pass for a header."""
    counts: dict[str, list[int]] = {}
    name, old, new = "", 0, 0
    for line in lines:
        if old > 0 or new > 0:
            sign = line[:1]
            old -= sign in ("-", " ", "")
            new -= sign in ("+", " ", "")
            if sign in ("+", "-") and name:
                counts[name][sign == "-"] += 1
        elif hunk := _HUNK.match(line):
            old, new = (int((group or "1")[:9]) for group in hunk.groups())
            if name:
                counts.setdefault(name, [0, 0])
        elif git := _GIT.match(line):
            name = git.group(2).rstrip('"')
            counts.setdefault(name, [0, 0])
        elif line.startswith(("+++ ", "--- ")):
            path = line[4:].partition("\t")[0].strip().removeprefix("a/").removeprefix("b/")
            name = path if path and path != "/dev/null" else name
    return counts


_WORDS = (  # lower case; a longer word that begins with one matches too
    "error", "fail", "exception", "fatal", "panic", "denied", "refused", "cannot", "can't", "could not", "unable",
    "not found", "no such", "timed out", "timeout", "time out", "invalid", "undefined", "missing", "warning", "killed",
    "segmentation",
    "错误", "失败", "异常", "警告", "拒绝", "找不到", "无法", "不存在", "未找到", "超时", "崩溃", "出错", "报错",
)  # fmt: skip
_INSIDE = ("error", "exception")  # these match also at the end of a name: `ValueError`
_WRONG = pattern(
    "|".join(word if word in _INSIDE or not word.isascii() else rf"\b{word}" for word in _WORDS), re.IGNORECASE
)
_NOTHING_WRONG = pattern(
    r"\b(?:0|no|without|zero) (?:\w+ )?(?:errors?|failures?|failed|warnings?)\b|(?:没有|无|0 ?个)(?:错误|警告|失败)",
    re.IGNORECASE,
)
_FRAME = pattern(r"[\s=*_.#|+~-]*\Z")  # a horizontal rule, a frame, a spinner


def summarize_generic(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:  # noqa: ARG001 - every kind is asked so
    """Return the head, at most two lines that report a failure, and the end, in the order of the output."""
    telling = [at for at, line in enumerate(seen.lines) if not _FRAME.match(line)]
    if not telling:
        return []
    wrong = _wrong(seen.lines, telling)
    chosen = {telling[0], *wrong[:1], *wrong[-1:], *telling[-2:]}
    return [seen.lines[at] for at in sorted(chosen)]


def _wrong(lines: Sequence[str], telling: Sequence[int]) -> list[int]:
    """Return the indexes of lines that report a failure."""
    whole = "\n".join(lines).lower()
    words = [word for word in _WORDS if word in whole]
    if not words:
        return []
    likely = (at for at in telling if any(word in lines[at].lower() for word in words))
    return [at for at in likely if _WRONG.search(lines[at]) and not _NOTHING_WRONG.search(lines[at])]


_TIME = pattern(
    r"[\[(<]?(\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d(?::\d\d)?|\d{4}年\d{1,2}月\d{1,2}日 ?\d\d:\d\d(?::\d\d)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d)"
)
_LEVEL = pattern(
    r"(?:^|[\s\[(|=:\"])(FATAL|CRITICAL|PANIC|ERROR|ERR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE|致命|错误|警告|信息|调试)(?=[\s\]):|\",：]|$)",
    re.IGNORECASE,
)
_SHORT = {"ERR": "ERROR", "WARN": "WARNING"}
_WORST = ("FATAL", "CRITICAL", "PANIC", "致命", "ERROR", "错误")
_RANK = (*_WORST, "WARNING", "警告", "NOTICE", "INFO", "信息", "DEBUG", "调试", "TRACE")
_FAR = 80  # characters of a line in which the level must appear
_LEAST = 3  # lines


def summarize_log(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Summarize a log: recognized by most of its lines beginning with a time or a level."""
    lines = [line for line in seen.lines if line]
    sample = lines[:200]
    marked = sum(bool(_TIME.match(line) or _LEVEL.match(line[:_FAR])) for line in sample)
    if len(lines) < _LEAST or marked * 2 < len(sample):
        return []
    levels = [_level(line) for line in lines]
    counts = Counter(filter(None, levels))
    totals = ", ".join(f"{counts[level]} {level}" for level in _RANK if counts[level]) or say(lang, "output.no-levels")
    times = [match.group(1) for line in (*lines[:50], *lines[-50:]) if (match := _TIME.match(line))]
    span = f"; {times[0]} – {times[-1]}" if times else ""
    bad = [line for line, level in zip(lines, levels, strict=True) if level in _WORST]
    if not bad:
        bad = [line for line, level in zip(lines, levels, strict=True) if level in ("WARNING", "警告")]
    return [
        say(lang, "output.log", count=seen.total, levels=totals) + span,
        *bad[: numbers.errors - 1],
        *bad[-1:],
        lines[-1],
    ]


def _level(line: str) -> str:
    match = _LEVEL.search(line[:_FAR])
    word = match.group(1).upper() if match else ""
    return _SHORT.get(word, word)
