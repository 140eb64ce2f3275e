"""Diffs: how many files, lines added and removed, and the files that changed most."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say, some
from mdmem.core.pattern import pattern
from mdmem.core.settings.files import ArtifactSettings

_HUNK = pattern(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_GIT = pattern(r"diff --git \"?a/(.+?)\"? \"?b/(.+)\Z")
_STAT = pattern(r" ?\d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?\Z")


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Count a unified diff, or take the last line of a `--stat`."""
    counts = _counts(seen.lines)
    if not counts:
        stat = next((line for line in reversed(seen.lines) if _STAT.match(line)), "")
        files = [" ".join(line.split()) for line in seen.lines if " | " in line]
        return [stat.strip(), some(lang, files, numbers.files, "; ")] if stat else []
    added, removed = (sum(count[side] for count in counts.values()) for side in (0, 1))
    largest = sorted(counts.items(), key=lambda one: -sum(one[1]))
    files = [f"{name} +{plus} −{minus}" for name, (plus, minus) in largest]
    return [say(lang, "changed", files=len(counts), added=added, removed=removed), some(lang, files, numbers.files)]


def _counts(lines: Sequence[str]) -> dict[str, list[int]]:
    """Give each file's added and removed lines; a hunk says itself how long it is, so that no text passes for one."""
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
