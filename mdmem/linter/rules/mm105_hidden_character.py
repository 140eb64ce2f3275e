"""MM105: characters that nobody sees, except where a script or an emoji needs them."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.diagnostic import Severity
from mdmem.core.edit import Edit
from mdmem.core.pattern import pattern
from mdmem.core.text import Span
from mdmem.linter.characters import by_line, cover, names
from mdmem.linter.rule import Both, Finding, Rule, Subject, Words

_HIDDEN = pattern(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
# scripts whose letters join: Arabic and its kin, the scripts of India and South-East Asia, Mongolian
_JOINING = (
    "\u0600-\u06ff\u0700-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc\U00010a00-\U00010d3f\U00010f30-\U00011fff\U0001e900-\U0001e95f"
)
# scripts without spaces between words, where U+200B says where a line may break
_UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_SYMBOL = f"#*0-9{_EMOJI}\u2000-\u200a\u2010-\u2027\u2030-\u205e\u2070-\u2bff\u3000-\u303f\u3200-\u33ff"
_IDEOGRAPH = "\u2e80-\u2fdf\u3001-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_NEEDED = pattern(
    "|".join(
        (
            rf"(?<=[{_SYMBOL}])[\ufe00-\ufe02\ufe0e\ufe0f](?:\u200d(?=[{_EMOJI}]))?",  # one look, one join
            rf"(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])",  # an emoji made of several
            r"(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",  # the flag of a region
            rf"(?<=[{_JOINING}])[\u200c\u200d]{{1,3}}|[\u200c\u200d]{{1,3}}(?=[{_JOINING}])",
            rf"(?<=[{_UNSPACED}])\u200b|\u200b(?=[{_UNSPACED}])",
            r"(?<=[\u1800-\u18af])[\u180b-\u180f]{1,2}",  # shapes of Mongolian letters
            r"(?<=[\u1780-\u17b3\u17b6-\u17ff])[\u17b4\u17b5]",  # old Khmer vowels
            r"(?<=[\u1100-\u115e\ua960-\ua97c])\u1160|\u115f(?=[\u1161-\u11a7\ud7b0-\ud7c6])",  # half syllables
            rf"(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e011f]",  # forms of one ideograph
            r"(?<=[\u1000-\u109f\ua840-\ua877])\ufe00",
            r"\u034f(?=[\u0300-\u036f\u0591-\u05c7])",  # keeps two marks of a letter apart
        )
    )
)
_PRIVATE = pattern("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")
_STACKED = pattern("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}")
_WHAT, _DELETE = (
    Both("hidden characters", "看不见的字符"),
    Both("delete them; nobody sees them, but a model reads them", "请删除：人看不见，模型却会读到"),
)
_PRIVATE_USE = Both("characters of private use", "私有区字符")
_STACK = Both("combining marks stacked on a letter", "叠在一个字母上的组合符号")
_WRITE = Both("write what is meant; each program shows them differently", "请改写成本意：各个程序显示得不一样")
_ZERO_WIDTH_SPACE = "\u200b"
_NEAR = 60  # characters of a word that are looked at
_LATIN = "A-Za-z\u00c0-\u024f"
# a stretch without blanks that reads as prose, up to the character and behind it
_PROSE_BEFORE = pattern(rf"(?<!\S)[(\"'\u2018\u201c]*(?:[{_LATIN}'\u2019-]*[.,;:!?)\"'\u2019\u201d]*)\Z")
_PROSE_AFTER = pattern(rf"[(\"'\u2018\u201c]*[{_LATIN}'\u2019-]*[.,;:!?)\"'\u2019\u201d]*(?!\S)")
_WORD_BEFORE = pattern(rf"(?<![^\s(\"'])[{_LATIN}]{{2,}}[.,;:!?)]?\Z")
_WORD_AFTER = pattern(rf"[{_LATIN}]{{2,}}")
_SOFT_HYPHEN = "\u00ad"  # comes with text from web pages and books, and hides nothing else


def check(subject: Subject) -> Iterator[Finding]:
    """Find them, gathered by line."""
    text = subject.document.text
    if subject.is_plain:
        return
    yield from _odd(subject)
    for _, spans in by_line(subject.document.lines, unneeded(text)):
        hidden = "".join(span.of(text) for span in spans)
        facts = {"what": _WHAT, "next": _DELETE, "count": len(hidden), "chars": names(hidden)}
        severity: Severity | None = "warning" if set(hidden) == {_SOFT_HYPHEN} else None
        if set(hidden) == {_ZERO_WIDTH_SPACE} and _is_clipping(text, spans):
            severity = "note"
        yield Finding(cover(spans), facts, tuple(_mend(text, span) for span in spans), severity)


def _odd(subject: Subject) -> Iterator[Finding]:
    """Find what every program shows differently: characters of private use, and marks stacked on one letter."""
    text, lines = subject.document.text, subject.document.lines
    for what, shape in ((_PRIVATE_USE, _PRIVATE), (_STACK, _STACKED)):
        for _, spans in by_line(lines, (Span(*match.span()) for match in shape.finditer(text))):
            odd = "".join(span.of(text) for span in spans)
            facts = {"what": what, "next": _WRITE, "count": len(odd), "chars": names(odd)}
            yield Finding(cover(spans), facts, severity="warning")


def _is_clipping(text: str, spans: list[Span]) -> bool:
    """Return True if zero-width spaces stand where web pages leave them: in Latin prose, at most one in a word."""
    starts = {_PROSE_BEFORE.search(text, max(0, span.start - _NEAR), span.start) for span in spans}
    begins = [match.start() for match in starts if match]
    return (
        len(begins) == len(spans)
        and len(set(begins)) == len(spans)
        and all(_PROSE_AFTER.match(text, span.end, span.end + _NEAR) for span in spans)
    )


def _mend(text: str, span: Span) -> Edit:
    """Delete hidden characters; put a blank where a zero-width space is all that parts two words."""
    parts = span.of(text) == _ZERO_WIDTH_SPACE
    if (
        parts
        and _WORD_BEFORE.search(text, max(0, span.start - _NEAR), span.start)
        and _WORD_AFTER.match(text, span.end)
    ):
        return Edit(span, " ")
    return Edit.delete(span)


def unneeded(text: str) -> Iterator[Span]:
    """Give each run of hidden characters without the part that the letter before or behind it needs."""
    for run in _HIDDEN.finditer(text, 1 if text.startswith("\ufeff") else 0):
        needed = _NEEDED.match(text, run.start())
        start = needed.end() if needed else run.start()
        if start < run.end():
            yield Span(start, run.end())


RULE = Rule(
    "MM105",
    "hidden-character",
    "error",
    check,
    en=Words("{count} {what.en}: {chars}", "{next.en}"),
    zh=Words("{count} 个{what.zh}：{chars}", "{next.zh}"),
    scope="raw",
)
