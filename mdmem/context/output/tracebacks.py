"""Tracebacks: what was raised, what it says, and the innermost frame that is the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.record import NamedTuple
from mdmem.core.settings.files import ArtifactSettings


class Language(NamedTuple):
    """How one language prints what went wrong."""

    opening: Pattern  # the line that begins it
    raised: Pattern  # the line that names type and message; group 1 is what to show
    frame: Pattern  # a line that names a place; group 1
    foreign: tuple[str, ...]  # pieces of a place that is a library's
    innermost_last: bool = False  # whether the innermost frame stands last


_LANGUAGES = (
    Language(
        pattern(r"\s{0,16}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):"),
        pattern(
            r"(?:\s{0,16}\| )?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|Failure)"
            r"(?::.*)?|[a-z_][\w.]*\.[A-Z]\w*(?::.*)?)\Z"
        ),
        pattern(r"\s{0,16}(?:\| +)?File (\"[^\"]{1,300}\", line \d+(?:, in \S+)?)"),
        ("site-packages", "dist-packages", "/lib/python", "\\lib\\", "<frozen", "<string>"),
        innermost_last=True,
    ),
    Language(
        pattern(r"(?:Uncaught )?(?:[A-Za-z.]*(?:Error|Exception))\b.*|\s{0,8}throw "),
        pattern(r"(?:Uncaught )?([A-Za-z.]*(?:Error|Exception)\b(?: \[\w+\])?:.*)"),
        pattern(r"\s{1,12}at (?:async )?(?:[^(]{1,200}\()?([^()\s]{1,300}:\d+:\d+)\)?\Z"),
        ("node:", "node_modules", "internal/"),
    ),
    Language(
        pattern(r"(?:Exception in thread |Caused by: |[\w.$]+(?:Exception|Error)\b)"),
        pattern(r"(?:Exception in thread \"[^\"]{0,100}\" |Caused by: )?([\w.$]+(?:Exception|Error)\b(?::.*)?)\Z"),
        pattern(r"\s{1,12}at ([\w.$/<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\))"),
        ("java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "org.springframework.", "org.junit.", "org.apache."),
    ),
    Language(
        pattern(r"thread '.{0,200}?' (?:\(\d+\) )?panicked at "),
        pattern(r"(thread '.{0,200}?' (?:\(\d+\) )?panicked at .*)"),
        pattern(r"\s{1,24}at (\S{1,300}\.rs:\d+(?::\d+)?)"),
        ("/rustc/", ".cargo", "/std/", "/core/"),
    ),
    Language(
        pattern(r"(?:panic|fatal error): "),
        pattern(r"((?:panic|fatal error): .*)"),
        pattern(r"\s{1,8}(\S{1,300}\.go:\d+)"),
        ("/usr/local/go/", "/usr/lib/go", "/go/pkg/", "/src/runtime/"),
    ),
)  # fmt: skip


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:  # noqa: ARG001 - every kind is asked so
    """Give the last error raised and the place of its innermost own frame, then the errors before it."""
    for language in _LANGUAGES:
        if any(map(language.opening.match, seen.lines)):
            told = _read(language, seen.lines, lang)
            if told:
                return told
    return []


def _read(language: Language, lines: Sequence[str], lang: str) -> list[str]:
    frames = [(at, match.group(1)) for at, line in enumerate(lines) if (match := language.frame.match(line))]
    raised = [(at, match.group(1)) for at, line in enumerate(lines) if (match := language.raised.match(line))]
    if not raised or not (frames or "panic" in raised[-1][1]):
        return []
    at, words = raised[-1]
    if words.endswith(":") and at + 1 < len(lines):  # Rust says why on the line below
        words = f"{words} {lines[at + 1].strip()}"
    if language.innermost_last:
        begin = max((line for line, _ in raised if line < at), default=-1)
        own = _own(reversed([place for line, place in frames if begin < line < at]), language)
    else:
        own = _own((place for line, place in frames if line > at), language)
    earlier = [one for _, one in raised[:-1] if one != words]
    return [words, *([say(lang, "in", place=own)] if own else []), *earlier[-1:]]


def _own(places: Iterable[str], language: Language) -> str:
    """Give the first place that is no library's, else the first."""
    found = list(places)
    return next((one for one in found if not any(part in one for part in language.foreign)), found[0] if found else "")
