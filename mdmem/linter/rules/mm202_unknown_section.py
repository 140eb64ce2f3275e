"""MM202: a section that a kind with fixed sections does not have, or one that is spelt almost like a section."""

# `difflib` is imported only for an unknown section.
from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.formats.template import Template, fold
from mdmem.linter.rule import Finding, Rule, Subject, quote

_LEVEL = 2  # of the outermost sections
_LIKE = 0.5  # difflib's ratio from which only the closest name is proposed
_MISSPELT, _MISSPELT_DENSE = 0.85, 0.8  # from which a heading of an open file is a misspelt one; a Chinese sign is more
_LONGEST = 80  # characters of a title that is compared
_SHORTEST_NUMBER, _SHORTEST_SOUND = 4, 2  # of one in another number, and of one that sounds alike
_ALIKE = 6  # places in GB2312 between characters that sound alike
_ROW, _WIDE = 94, 2  # characters of a row of GB2312, and bytes of one
_SHORTEST, _SHORTEST_DENSE = 7, 5  # characters of such a heading; in a shorter one, a letter makes another word


def check(subject: Subject) -> Iterator[Finding]:
    """Find headings that are neither a name nor an alias of the template; headings inside a section are accepted."""
    if subject.memory is None:
        return
    if subject.memory.policy != "closed":
        yield from _misspelt(subject, subject.memory)
        return
    unknown: set[int] = set()
    for index, heading in enumerate(subject.outline):
        section = heading.section
        if heading.spec or heading.above or section.level < _LEVEL:
            continue
        unknown.add(index)
        if section.parent not in unknown:
            names, retired = _nearest(section.title, subject.memory), subject.memory.is_retired(section.title)
            facts = {"title": quote(section.title), "names": names}
            yield Finding(section.heading, facts, variant="retired" if retired else "unknown")


def _nearest(title: str, template: Template) -> str:
    """Return the name of the section that was probably meant; all names if none is close."""
    from difflib import get_close_matches

    names = [spec.name for spec in template.sections]
    return ", ".join(get_close_matches(title[:_LONGEST], names, n=1, cutoff=_LIKE) or names)


def _misspelt(subject: Subject, template: Template) -> Iterator[Finding]:
    """Find headings of an open file that are spelt almost like a section that the file does not have."""
    if template.policy != "open" or not template.sections:
        return
    present = {heading.spec.name for heading in subject.outline if heading.spec}
    names = {fold(spec.name): spec.name for spec in template.sections} | dict(template.aliases)
    names = {word: name for word, name in names.items() if name not in present}
    for heading in subject.outline:
        section = heading.section
        is_turn = subject.turns_start is not None and section.heading.start >= subject.turns_start
        if heading.spec or section.level < _LEVEL or is_turn:
            continue
        title = fold(section.title)
        if name := _meant(title, names) or ("" if heading.above else _number(title, names)):
            facts = {"title": quote(section.title), "section": name, "mark": "#" * section.level}
            yield Finding(section.heading, facts, severity="note", variant="misspelt")


def _meant(title: str, names: Mapping[str, str]) -> str:
    """Return the section that a folded title misspells; empty for any other word."""
    from difflib import get_close_matches

    if sounding := next((names[one] for one in names if _sounds_like(title, one)), ""):
        return sounding
    least, like = (_SHORTEST, _MISSPELT) if title.isascii() else (_SHORTEST_DENSE, _MISSPELT_DENSE)
    if not least <= len(title) <= _LONGEST or not title.isalpha():
        return ""
    begun = [name for name in names if name[:1] == title[:1] and name.rstrip("s") != title.rstrip("s")]
    return next((names[one] for one in get_close_matches(title, begun, n=1, cutoff=like)), "")


def _number(title: str, names: Mapping[str, str]) -> str:
    """Return the section whose English name a title is in the other number, as `note` for `notes`; empty if none."""
    other = title.removesuffix("s") if title.endswith("s") else f"{title}s"
    return names.get(other, "") if title.isascii() and len(title) >= _SHORTEST_NUMBER else ""


def _sounds_like(title: str, name: str) -> bool:
    """Return whether a title differs from a Chinese name by one character that sounds alike, as 笔计 from 笔记.

    GB2312 has its common characters in the order of their sounds.
    """
    if title.isascii() or len(title) != len(name) or len(title) < _SHORTEST_SOUND:
        return False
    other = [(one, two) for one, two in zip(title, name, strict=True) if one != two]
    return len(other) == 1 and abs(_order(other[0][0]) - _order(other[0][1])) <= _ALIKE


def _order(char: str) -> int:
    """Return the place of a character in GB2312; of any other a place that is near none, but its own."""
    code = char.encode("gb2312", "ignore")
    return code[0] * _ROW + code[1] if len(code) == _WIDE else -ord(char) * _ROW


RULE = Rule(
    "MM202",
    "unknown-section",
    "warning",
    check,
)
