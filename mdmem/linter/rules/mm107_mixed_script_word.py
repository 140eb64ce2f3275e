"""MM107: a word with a letter of another script that looks like one of its own."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.linter.views.hidden_characters import by_line, in_code_block, names
from mdmem.text.inline import mask_code
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_LATIN, _GREEK, _CYRILLIC = "A-Za-z\u00c0-\u024f", "\u0370-\u03ff", "\u0400-\u052f"
_OTHER = pattern(f"[{_GREEK}{_CYRILLIC}]")
_BORDER = pattern(f"[{_GREEK}{_CYRILLIC}](?:(?<=[{_LATIN}].)|(?=[{_LATIN}]))")
_WORD = pattern(f"[{_LATIN}{_GREEK}{_CYRILLIC}]+")
_SCRIPTS = [pattern(f"[{script}]") for script in (_LATIN, _CYRILLIC, _GREEK)]
_ENDED = pattern(f"[A-Z]{{2,}}[{_CYRILLIC}]{{1,3}}")  # an acronym with a Cyrillic ending: «PRами»
# Letters that look like one of another script in most fonts, without the small Greek letters of formulas (α, ν, ρ).
_CYRILLIC_ALIKE = frozenset("асеорхуіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅӀ")
_LATIN_ALIKE = frozenset("aceopxyijshABCEHKMOPTXYIJS")
_GREEK_ALIKE = frozenset("οΟΑΒΕΖΗΙΚΜΝΡΤΥΧ")


def check(subject: Subject) -> Iterator[Finding]:
    """Find such words outside code."""
    document = subject.document
    if not _OTHER.search(subject.uncommon):
        return
    borders = (Span(*match.span()) for match in _BORDER.finditer(document.text))
    for line, spans in by_line(document.lines, borders):
        if in_code_block(document, spans[0].start):
            continue
        start = document.lines.span(line).start
        for word in _WORD.finditer(mask_code(document.lines.text(line))):
            if look_alikes := _look_alikes(word.group()):
                facts = {"word": quote(word.group()), "letters": names(look_alikes)}
                yield Finding(Span(start + word.start(), start + word.end()), facts)


def _look_alikes(word: str) -> str:
    """Return the letters that look like others; empty if a word openly mixes scripts, as `μs` or `Δx` do."""
    latin, cyrillic, greek = ("".join(script.findall(word)) for script in _SCRIPTS)
    if latin and cyrillic and not _ENDED.fullmatch(word):
        cyrillic_letters = cyrillic if _CYRILLIC_ALIKE.issuperset(cyrillic) else ""
        latin_letters = latin if _LATIN_ALIKE.issuperset(latin) else ""
        return min(filter(None, (cyrillic_letters, latin_letters)), key=len, default="")
    return greek if latin and greek and _GREEK_ALIKE.issuperset(greek) else ""


RULE = Rule(
    "MM107",
    "mixed-script-word",
    "warning",
    check,
)
