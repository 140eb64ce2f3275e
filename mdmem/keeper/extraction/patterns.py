"""Read the patterns of `templates/words.toml`, and match clauses against them.

A pattern matches a whole clause, so that its first words decide most cases; each slot has a longest length and a
clause too, so that the time grows with the number of clauses only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from mdmem.text.pattern import Pattern, pattern

TYPES = ("fact", "update", "preference", "retract", "past")
_COLUMNS = 5
_CHINESE = pattern(r"[\u3400-\u9fff]")
_TOKEN = pattern(r"\{([a-z_]+)(?::([^{}]*))?\}|[\[\]()|]| +|[^\[\](){}| ]+")
_SLOTS = {  # what stands in a slot that is no list; the others hold any words
    "version": r"v?\d[\w.+-]{0,23}",
    "number": r"\d{1,4}(?:\.\d{1,2})?|[零一二两三四五六七八九十百]{1,4}",
    "name": r"[^\W\d_](?:[^\W\d_]|[ ·'’.-]){0,29}?(?<! )",
    "thing": r"\S.{0,23}?",
    "who": r"\S.{0,15}?",
    "old": r"\S.{0,39}?",
}
_ANY = r"\S.{0,79}?"
_BEFORE = {True: r"(?:\S.{0,15}?)?", False: r"(?:\S.{0,23}?[ -])?"}  # what may stand before a word marked with +
_PARTICLES = "(?:了|啦|呢|哦|呀|啊|哈|嘛|吧|的|~|～|…|\\s)*"
_EXACT = pattern(r"[0-9/@]|\b(?!(?:OK|Ok|I|I'm|I've)\b)[A-Z]")
_LATIN = pattern("[A-Za-z]")

Lists: TypeAlias = "dict[str, tuple[str, ...]]"


class Row(NamedTuple):
    """One pattern."""

    type: str  # one of TYPES
    also: bool
    predicate: str  # with slots
    importance: float
    regex: Pattern
    text: str  # with slots
    slots: frozenset[str]
    signs: tuple[str, ...]  # one of these stands in every clause that it matches; empty if none must


class Match(NamedTuple):
    """A clause that a pattern knows, and what its slots hold."""

    row: Row
    slots: dict[str, str]

    @property
    def text(self) -> str:
        """What is written."""
        return _filled(self.row.text, self.slots)

    @property
    def predicate(self) -> str:
        """The predicate as one word."""
        return "_".join(_filled(self.row.predicate, self.slots).split())

    @property
    def value(self) -> str:
        """What is said of the predicate."""
        names = ("value", "exact", "version", "name", "habit", "job", "company", "diet", "trait")
        return next((self.slots[name] for name in names if self.slots.get(name)), "")


def _filled(text: str, slots: dict[str, str]) -> str:
    return re.sub(r"\{([a-z_]+)\}", lambda match: slots.get(match.group(1), ""), text).strip()


class Patterns:
    """The patterns of one workspace."""

    def __init__(self, rows: Sequence[str], lists: Sequence[str]) -> None:
        """Compile the rows; one that cannot be read is passed over."""
        words = _lists(lists)
        found = [(row, made) for row in rows if (made := _row(row, words))]
        self._chinese = tuple(made for row, made in found if _CHINESE.search(row))
        self._latin = tuple(made for row, made in found if not _CHINESE.search(row))

    def match(self, clause: str, types: Iterable[str] = TYPES) -> Match | None:
        """Return the first pattern that knows a clause, and its slots."""
        wanted, folded = frozenset(types), clause.casefold()
        is_chinese = _CHINESE.search(clause) is not None
        seen: dict[tuple[str, ...], bool] = {}  # many rows share their signs
        for row in self._chinese if is_chinese else self._latin:
            if row.type not in wanted:
                continue
            if row.signs not in seen:
                seen[row.signs] = not row.signs or any(sign in folded for sign in row.signs)
            if seen[row.signs] and (found := row.regex.fullmatch(clause)):
                slots = {name: text.strip(" 　\"'“”「」") for name, text in found.groupdict(default="").items()}
                exact = slots.get("exact")
                if exact is None or is_exact(exact, is_chinese=is_chinese):
                    return Match(row, slots)
        return None


def is_exact(text: str, *, is_chinese: bool) -> bool:
    """Return whether a value holds a number, a path, an address or a name."""
    return _EXACT.search(text) is not None or (is_chinese and _LATIN.search(text) is not None)


@lru_cache(maxsize=4)
def patterns(rows: tuple[str, ...], lists: tuple[str, ...]) -> Patterns:
    """Return the compiled patterns of some rows."""
    return Patterns(rows, lists)


def _lists(rows: Sequence[str]) -> Lists:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        name, _, words = row.partition(":")
        found[name.strip()] += [word.strip() for word in words.split(",") if word.strip()]
    return {name: tuple(words) for name, words in found.items()}


def _row(text: str, lists: Lists) -> Row | None:
    parts = [part.strip() for part in text.split(" | ")]
    if len(parts) != _COLUMNS or parts[0].rstrip("+") not in TYPES or not _is_balanced(parts[3]):
        return None
    kind, predicate, importance, said, written = parts
    slots = [token.group(1) for token in _TOKEN.finditer(said) if token.group(1)]
    try:
        worth = float(importance)
    except ValueError:
        return None
    if len(set(slots)) < len(slots):
        return None
    regex = Pattern(_compiled(said, lists), re.IGNORECASE)
    signs = _signs(said, lists)
    return Row(kind.rstrip("+"), kind.endswith("+"), predicate, worth, regex, written, frozenset(slots), signs)


def _is_balanced(said: str) -> bool:
    stack: list[str] = []
    for char in said:
        if char in "[(":
            stack.append(char)
        elif char in "])" and (not stack or stack.pop() + char not in ("[]", "()")):
            return False
    return not stack


def _signs(said: str, lists: Lists) -> tuple[str, ...]:
    """Return the words of which one must stand in a clause: those of the part that tells most."""
    depth, group = 0, list[str]()
    found: list[tuple[str, ...]] = []
    for token in _TOKEN.finditer(said):
        mark = token.group()
        if mark in "[(":
            depth, group = depth + 1, ["("] if mark == "(" and not depth else group + [mark]
        elif mark in "])":
            depth -= 1
            if mark == ")" and not depth and group[:1] == ["("] and not {"[", "{", "("} & {*group[1:]}:
                found.append(tuple("".join(group[1:]).split("|")))
        elif depth:
            group.append("{" if token.group(1) else mark)
        elif token.group(2) is not None:
            found.append(tuple(token.group(2).split("|")))
        elif token.group(1) in lists and token.group(1) not in _SLOTS:
            found.append(tuple(word.lstrip("+") for word in lists[token.group(1)]))
        elif not token.group(1) and not mark.isspace():
            found.append((mark,))
    best = max(found, key=lambda words: min(map(len, words)), default=())
    is_chinese = _CHINESE.search(said) is not None
    return tuple(word.split(" ")[0].casefold() for word in best if is_chinese or _CHINESE.search(word) is None)


def _compiled(said: str, lists: Lists) -> str:
    """Write a pattern as a regular expression."""
    is_chinese = _CHINESE.search(said) is not None
    out: list[str] = []
    stack: list[str] = []
    gap = r"\s*" if is_chinese else ""
    tokens = list(_TOKEN.finditer(said))
    passed = -1
    for index, token in enumerate(tokens):
        if index == passed:
            continue
        mark, behind = token.group(), tokens[index + 1].group() if index + 1 < len(tokens) else ""
        if token.group(1):
            out.append(f"{gap}{_slot(token.group(1), token.group(2), lists, is_chinese=is_chinese)}{gap}")
        elif mark in "[(":
            stack.append(mark)
            out.append("(?:(?:" if mark == "[" else "(?:")
        elif mark in "])" and stack:
            opened = stack.pop()
            spaced = opened == "[" and behind.isspace()  # the white space belongs to what may be left out
            passed = index + 1 if spaced else passed
            out.append((r")\s+)?" if spaced and not is_chinese else r")\s*)?") if opened == "[" else ")")
        elif mark.isspace():
            opens = behind == "[" and _ends(tokens, index + 1)
            out.append(r"\s*" if is_chinese or opens else r"\s+")
        else:
            out.append("|" if mark == "|" else f"{re.escape(mark)}{gap}")
    return "".join(out) + (_PARTICLES if is_chinese else "")


def _ends(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Return whether an optional part is the last of its pattern."""
    return all(one.group() != "]" or place == len(tokens) - 1 for place, one in enumerate(tokens) if place > index)


def _slot(name: str, words: str | None, lists: Lists, *, is_chinese: bool) -> str:
    if words is not None:
        inner = "|".join(re.escape(word) for word in sorted(words.split("|"), key=len, reverse=True))
    elif name in lists:
        inner = _of_list(lists[name], is_chinese=is_chinese)
        if name in _SLOTS:
            inner = f"{_SLOTS[name]}|{inner}" if inner else _SLOTS[name]
    else:
        inner = _SLOTS.get(name, _ANY)
    return f"(?P<{name}>{inner})"


def _of_list(words: Sequence[str], *, is_chinese: bool) -> str:
    """Match a word of a list, the longest first; the words of the other script need not be tried."""
    own = [word for word in words if (_CHINESE.search(word) is not None or word.lstrip("+").isupper()) == is_chinese]
    plain = [re.escape(word) for word in sorted(own, key=len, reverse=True) if not word.startswith("+")]
    free = [re.escape(word[1:]) for word in sorted(own, key=len, reverse=True) if word.startswith("+")]
    return "|".join([*plain, *([f"{_BEFORE[is_chinese]}(?:{'|'.join(free)})"] if free else [])])
