"""Detects the kind of an output and summarizes it in one to six lines; the last line names the artifact."""

from __future__ import annotations

from collections.abc import Callable

from mdmem.artifacts.summaries import builds, data, plain_text
from mdmem.artifacts.summaries.output_lines import OutputLines, bounded_lines, plain
from mdmem.artifacts.summaries.plain_text import binary_kind as binary_kind
from mdmem.messages.catalog import say
from mdmem.settings.tables import ArtifactSettings

# Returns the summary lines, most informative first; empty if the output is of another kind.
Kind = Callable[[OutputLines, str, ArtifactSettings], list[str]]

_KINDS: tuple[Kind, ...] = (
    data.summarize_json,
    builds.summarize_tests,
    plain_text.summarize_diff,
    builds.summarize_traceback,
    builds.summarize_compiler,
    plain_text.summarize_log,
    data.summarize_table,
    plain_text.summarize_generic,
)
_MOST = 6  # lines, the limit of G032; the kind `artifact` may set a lower number
_SHORTEST = 40  # characters of a line; a shorter one could not hold the pointer


def summarise(
    output: str,
    *,
    tool: str,  # noqa: ARG001 - the output itself shows its kind better than the tool's name
    input: str = "",  # noqa: A002, ARG001 - the same
    exit_code: int | None,
    path: str,
    numbers: ArtifactSettings,
    lines: int = _MOST,
    lang: str = "en",
    secrets: int = 0,
    binary: str = "",
) -> tuple[str, ...]:
    """Summarize a tool run in at most `lines` lines, each as long as the settings allow.

    `output` is text with secrets masked; `path` is the artifact's file; `binary` names the type of an output that is
    not
    text. The last line holds exit code, size and pointer, and is never cut.
    """
    seen = bounded_lines("" if binary else output, exit_code)
    lines_found = [binary] if binary else next(filter(None, (kind(seen, lang, numbers) for kind in _KINDS)), [])
    clipped = [_clip(line, max(numbers.line_chars, _SHORTEST)) for line in lines_found]
    kept = list(dict.fromkeys(filter(None, clipped)))[: max(0, min(lines, _MOST) - 1)]
    return (*kept, _last(seen, lang, path, secrets, binary=bool(binary)))


def _last(seen: OutputLines, lang: str, path: str, secrets: int, *, binary: bool) -> str:
    facts = [] if seen.exit_code is None else [say(lang, "output.exit", code=seen.exit_code)]
    if not binary:
        facts.append(say(lang, "output.lines", count=seen.total) if seen.total else say(lang, "output.empty"))
    if seen.total and not seen.whole:
        facts.append(say(lang, "output.ends"))
    if secrets:
        facts.append(say(lang, "output.secrets", count=secrets))
    return " · ".join([*facts, f"tool:{path.rpartition('/')[2].removesuffix('.md')}"])


def _clip(line: str, most: int) -> str:
    """Join a text into one line and cut it; the ellipsis counts."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in plain(line)).split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


__all__ = ["binary_kind", "summarise"]
