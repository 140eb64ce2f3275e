"""The words of the facts kind, as its template lists them: subjects, predicates, and the words that report a change.

Names are compared after folding (case, width, spaces, underscores, the boundary between scripts) and by the aliases of
the template: `版本 = version` makes «Python version» and «Python 版本» one predicate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from mdmem.formats.template import Schema
from mdmem.settings.generated_tables import FactSettings
from mdmem.settings.tables import Settings
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, is_near_duplicate_of_any, near_duplicate_marks, tokens
from mdmem.text.tokens import count_tokens

KIND = "facts"
_VALUES = ("", "fact", "preference")  # types whose text may be a bare value; that of the others is a sentence
RULE = "rule"  # a type, and the predicate of what it holds
BEFORE = "before"  # an alias of the section of superseded lines, in the templates of all languages
_PIECE = pattern(r"[a-z0-9][a-z0-9.+#]*|[^\W_a-z0-9]+")  # a run in Latin script, or in another script
_OF = pattern(r" (?:of|for) ")
_ARTICLE = pattern(r"(?:the|my|our) ")
_OWNER = pattern(r"(?<=[^\W\d_])['’](?:s(?!\w)|(?!\w))")  # the ending of a possessive: «Ann's», «the pots'»
_JOINER = pattern(r"(?<=\S)\s*的(?=\s*\S)")
_CLAUSE = pattern(r"[,;!?、。；]|\.(?!\d)")  # folding turns full-width marks into ASCII
_LATIN = pattern(r"[ -~]+")
# Signs that make another value: «-5», «<5», «€5», «a.example», «--quiet», «~/notes»
_SIGN = pattern(r"(?<![\w-])-(?=\d)|[<>=≤≥≠±+$€£¥₩₹%‰]|(?<=[a-z0-9])\.(?=[a-z])|(?<!\S)--?(?=[a-z])|~(?=/)")
_ATOM = pattern(r"[a-z0-9+#]+|[^\W_]")
_CODE = pattern(
    r"(?=.*[\d/\\.:@])[!-~]+[^\s.,;!?]"
)  # a URL, a path or a version: the value of a property, whatever its length
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_NUMERAL = r"\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_DATES = (
    pattern(rf"(?<!\d)(?P<year>{_YEAR})[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}))?(?!\d)"),
    pattern(rf"(?:(?<!\d)(?P<year>{_YEAR}) ?年 ?)?(?P<month>{_NUMERAL}) ?月(?:份)?(?: ?(?P<day>{_NUMERAL}) ?[日号])?"),
    pattern(
        rf"(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?\b(?P<month>{_MONTH})\b\.?"
        rf"(?: (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,? (?:of |in )?(?P<year>{_YEAR})\b)?"
    ),
)
_BARE_YEAR = pattern(rf"(?<![\d/.-])(?P<year>{_YEAR})(?![\d/-])")


class PartialDate(NamedTuple):
    """A date of which parts may be unknown: a month, a year, a day of a month."""

    year: int | None
    month: int | None
    day: int | None

    def agrees(self, other: PartialDate) -> bool:
        """Return True if no part that both know differs."""
        return all(one is None or two is None or one == two for one, two in zip(self, other, strict=True))

    def contains(self, other: PartialDate) -> bool:
        """Return True if it knows every part that the other one knows, and the same."""
        return all(two is None or one == two for one, two in zip(self, other, strict=True))


@lru_cache(maxsize=4096)  # a fact is compared with each new one of its subject
def _partial_date(text: str) -> PartialDate | None:
    """Read the one date of a text; None if it has none or several."""
    folded = _folded(text)
    found = next((found for finder in _DATES if (found := list(finder.finditer(folded)))), [])
    if len(found) > 1:
        return None
    parts = found[0].groupdict() if found else {}
    rest = folded[: found[0].start()] + folded[found[0].end() :] if found else folded
    years = [parts["year"]] if parts.get("year") else _BARE_YEAR.findall(rest)
    if len(years) > 1 or not (found or years):
        return None
    date = (*years, parts.get("month"), parts.get("day") or parts.get("before"))
    return PartialDate(*map(_date_part, date if years else (None, *date)))


def _date_part(text: str | None) -> int | None:
    """Read a number in digits, in Chinese up to 39, or a month in English; None for none."""
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    if text[:3] in _MONTHS:
        return _MONTHS.index(text[:3]) + 1
    tens, ten, ones = text.rpartition("十")
    return 10 * ("一二三".find(tens or "一") + 1) * bool(ten) + "一二三四五六七八九".find(ones or "零") + 1


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def restates(one: str, other: str) -> bool:
    """Return True if two texts have the same words and the same signs."""
    return comparison_key(one) == comparison_key(other) and _signs(one) == _signs(other)


@lru_cache(maxsize=4096)  # a fact is compared with each new one of its subject
def _signs(text: str) -> tuple[str, ...]:
    return tuple(_SIGN.findall(_folded(text)))


def _pieces(name: str) -> list[str]:
    return _PIECE.findall(_folded(name))


def _plain(name: str) -> str:
    """Return a name without the words that only join its parts: «version of Python» as «Python version».

    The owner comes first, however it is said: «budget for pots» and «the pots' budget» are «pots budget».
    """
    parts = _OF.split(" ".join(_folded(name).replace("_", " ").split()))
    bare = [part[found.end() :] if (found := _ARTICLE.match(part)) else part for part in reversed(parts)]
    return _JOINER.sub("", _OWNER.sub("", " ".join(bare)))


def _groups(rows: Iterable[str]) -> dict[str, str]:
    """Return the folded names of rows like `版本 = version`, each with the first name of its row.

    A row that holds a name of an earlier row adds its names to that row.
    """
    found: dict[str, str] = {}
    for row in rows:
        names = [name for part in row.split("=") if (name := "".join(_pieces(part)))]
        group = next((found[name] for name in names if name in found), names[0] if names else "")
        found.update((name, group) for name in names if name not in found)
    return found


class FactWords:
    """The words and numbers of one facts template."""

    def __init__(self, template: Schema, near_duplicate: float = 1.0, own: FactSettings | None = None) -> None:
        """Bind to a template.

        Args:
            template: the template of the facts kind.
            near_duplicate: the share of common words from which texts are duplicates.
            own: the aliases of the workspace, which are added to those of the template.
        """
        self._parts, self.numbers, self._near = template.parts, template.numbers, near_duplicate
        self._keys: dict[str, str] = {}  # cache: each statement is compared with every line of its file
        self._values: dict[tuple[str, str], str] = {}  # cache
        self._own = {"subjects": own.subjects, "predicates": own.predicates} if own else {}

    def _rows(self, name: str) -> tuple[str, ...]:
        return (*self._parts.get(name, ()), *self._own.get(name, ()))

    @cached_property
    def _marks(self) -> dict[tuple[str, str], frozenset[object]]:
        return {}  # cache

    @cached_property
    def _predicates(self) -> dict[str, str]:
        return _groups(self._rows("predicates"))

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """The words of all predicates that the template knows: a text with one of them says what it is about."""
        return any_word(tuple(name.strip() for row in self._rows("predicates") for name in row.split("=")))

    @cached_property
    def _stated(self) -> re.Pattern[str]:
        """The words that make more of a text than a value: «don't eat fish», 戒烟."""
        return any_word(self._rows("stated"))

    @cached_property
    def _subjects(self) -> dict[str, str]:
        return _groups(self._rows("subjects"))

    @cached_property
    def _many(self) -> frozenset[str]:
        return frozenset(map(self.predicate, self._rows("many")))

    @cached_property
    def _lasting(self) -> frozenset[str]:
        return frozenset(map(self.predicate, self._rows("lasting")))

    @cached_property
    def _ends(self) -> frozenset[tuple[str, str]]:
        rows = (row.partition(":") for row in self._rows("ends_with"))
        return frozenset((self.predicate(name), self.predicate(changed)) for name, _, changed in rows)

    @cached_property
    def _old(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        rows = (row.partition(":") for row in self._rows("old_values"))
        return tuple((self.predicate(name), tuple(one.strip() for one in names.split(","))) for name, _, names in rows)

    def predicate(self, name: str) -> str:
        """Return the key by which predicates are equal; empty for a name without a letter or digit."""
        if name not in self._keys:
            self._keys[name] = self._predicate_key(name)
        return self._keys[name]

    def _predicate_key(self, name: str) -> str:
        if known := self._predicates.get("".join(_pieces(name))):
            return known
        pieces = _pieces(_plain(name))
        whole = "".join(pieces)
        return self._predicates.get(whole) or "".join(self._predicates.get(piece, piece) for piece in pieces)

    def knows(self, name: str) -> bool:
        """Return whether a name is that of a property in the table: «fact» and «note» are none."""
        return self.predicate(name) in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._predicates.values())

    def predicate_names(self, name: str) -> tuple[str, ...]:
        """Return the names of a predicate, itself among them."""
        key = self.predicate(name)
        rows = ([one.strip() for one in row.split("=")] for row in self._rows("predicates"))
        return (name, *(one for row in rows if self.predicate(row[0]) == key for one in row))

    @property
    def shared(self) -> tuple[str, ...]:
        """The subjects that are everybody's, such as the project at hand."""
        return self._rows("shared")

    def is_many(self, name: str) -> bool:
        """Return True if a predicate may have several values at once."""
        return self.predicate(name) in self._many

    def is_rule(self, kind: str, name: str) -> bool:
        """Return True for a rule, by its type or its predicate: its words tell what to do, and end nothing."""
        return kind == RULE or self.predicate(name) in self._rules

    @cached_property
    def _rules(self) -> frozenset[str]:
        return frozenset(map(self.predicate, (RULE, *self._rows(RULE))))

    @cached_property
    def _dated(self) -> tuple[str, ...]:
        return tuple(key for name in self._rows("partial_dates") if (key := self.predicate(name)))

    def partial_date(self, text: str, name: str) -> PartialDate | None:
        """Return the date that a text states, if the predicate is one of those whose date may be said in parts."""
        return _partial_date(text) if self._dated and self.predicate(name).endswith(self._dated) else None

    def names_person(self, name: str) -> bool:
        """Return whether a predicate holds the name of a person: «sister name», 上司."""
        key = self.predicate(name)
        return key in self._people or any(key.endswith(self.predicate(one)) for one in self._people)

    @cached_property
    def _people(self) -> frozenset[str]:
        return frozenset(map(self.predicate, self._rows("people")))

    def endings(self, changed: str) -> frozenset[str]:
        """Return the keys of the predicates that end when another one changes, as an address when somebody moves."""
        key = self.predicate(changed)
        return frozenset(name for name, other in self._ends if other == key)

    def outlasts(self, name: str, changed: str) -> bool:
        """Return True if what a predicate says stays when another one changes: who moves still comes from there."""
        key = self.predicate(name)
        return key in self._lasting and key != self.predicate(changed)

    def may_hold_old(self, name: str, changed: str) -> bool:
        """Return whether a change of one predicate may end a line of another that names the old value.

        The template lists them: who leaves a company has no job there. A predicate that it does not list ends any.
        """
        folded, key = "".join(_pieces(name)), self.predicate(name)
        wanted = [names for first, names in self._old if first == self.predicate(changed)]
        return not wanted or key == self.predicate(changed) or any(
            folded.startswith("".join(_pieces(one))) if one.endswith("*") else key == self.predicate(one)
            for names in wanted for one in names
        )  # fmt: skip

    def belongs(self, name: str, groups: Sequence[str]) -> bool:
        """Return whether a predicate is one of some, or is listed as one that may hold a value of theirs."""
        key, listed = self.predicate(name), {first for first, _ in self._old}
        wanted = {self.predicate(one) for one in groups}
        return key in wanted or any(self.may_hold_old(name, one) for one in wanted & listed)

    def names_value(self, line: str, predicate: str, value: str) -> bool:
        """Return whether a line holds a value in its words, or is of a predicate of this name: «the car»."""
        said = " ".join(_ARTICLE.sub("", _folded(value)).split())
        return bool(said) and (_pieces(said) == _pieces(predicate) or bool(any_word((said,)).search(_folded(line))))

    def subject(self, name: str) -> str:
        """Return the key by which subjects are equal."""
        whole = "".join(_pieces(name))
        return self._subjects.get(whole, whole)

    @property
    def user(self) -> str:
        """The person whose memory this is: the first name of the first row of the aliases of subjects."""
        return next(iter(self._rows("subjects")), "").partition("=")[0].strip()

    def names(self, line: str) -> tuple[str, ...]:
        """Return the names in a line of the person's profile: `称呼：念念，工作场合叫 Nian`."""
        label, found, value = line.replace("：", ":").partition(":")
        labels = {"".join(_pieces(one)) for one in self._rows("names")}
        if not found or "".join(_pieces(label)) not in labels:
            return ()
        parts = re.split(r"[，,；;、/（(]", value)
        return tuple(name for one in parts if (name := one.strip(" *_。.）)")) and len(name.split()) <= 4)

    def reports_change(self, text: str) -> bool:
        """Return True if a text says that something changed."""
        return bool(any_word(self._rows("change")).search(_folded(text)))

    def retracts(self, text: str) -> bool:
        """Return True if a text retracts something without a new value."""
        return bool(any_word(self._rows("retract")).search(_folded(text))) and not self.reports_change(text)

    def same(self, one: str, other: str, predicate: str) -> bool:
        """Return True if two texts state the same value of a predicate, possibly in other words."""
        if _signs(one) != _signs(other):
            return False
        if comparison_key(one) == comparison_key(other):
            return True
        if (value := self._value(one, predicate)) and value == self._value(other, predicate):
            return True
        return is_near_duplicate_of_any(one, (other,), self._near)

    def takes_place_of(self, new: str, old: str, predicate: str) -> bool:
        """Return True if what is said to hold now takes the place of a line of a predicate with several values.

        They differ in numbers and times only, «walks the dog at seven» and «at eight», or in few words before the
        same last one: «tea with two sugars» and «tea without sugar».
        """
        ours, theirs = (self._atoms(text, predicate) for text in (new, old))
        if not (ours and theirs) or restates(new, old):
            return False
        if ours == theirs:
            return True
        ours, theirs = ([word for word in words if not self._often.fullmatch(word)] for words in (ours, theirs))
        if not (ours and theirs):
            return False
        size = 1 if ours[-1].isascii() else 2
        common = len(set(ours) & set(theirs))
        is_choice = self._choices.search(_folded(new)) is not None
        least = self.numbers.get("same_choice" if is_choice else "same_thing", 1.0)
        return ours[-size:] == theirs[-size:] and common >= least * min(len(set(ours)), len(set(theirs)))

    def _atoms(self, text: str, predicate: str) -> list[str]:
        """Return the words of a text, or its characters, without those of numbers, times and its predicate."""
        rest = self._amounts.sub(" ", self._without(_folded(text), predicate))
        return [word.removesuffix("s") for word in _ATOM.findall(rest)]

    @cached_property
    def _often(self) -> re.Pattern[str]:
        return any_word(self._rows("often"))

    @cached_property
    def _choices(self) -> re.Pattern[str]:
        return any_word(self._rows("choices"))

    @cached_property
    def _amounts(self) -> re.Pattern[str]:
        return re.compile(rf"\d+(?:[.:,]\d+)*|{any_word((*self._rows('amounts'), *self._rows('fillers'))).pattern}")

    def says(self, line: str, text: str) -> bool:
        """Return True if one clause of a line is the text."""
        return any(restates(clause, text) for clause in _CLAUSE.split(_folded(line)))

    def stands_alone(self, text: str, predicate: str) -> bool:
        """Return True if a text says itself what it is about: «lives in Oslo», and not «Oslo»."""
        return self._value(text, predicate) != comparison_key(text)

    def shown(self, text: str, predicate: str, kind: str, colon: str) -> str:
        """Return the text of a fact as it can be understood alone: «morning drink: black tea», and not «black tea».

        Args:
            text: its text, without date and fields.
            predicate: its predicate; empty if it has none.
            kind: its type; only a fact or a preference can be a bare value.
            colon: what stands between predicate and text, in the language of the reader.
        """
        may_be_value = predicate and kind.casefold() in _VALUES
        is_code = may_be_value and _CODE.fullmatch(text) is not None
        if not is_code and (
            not may_be_value
            or count_tokens(text) > self.numbers.get("bare", 0.0)
            or self._stated.search(_folded(text))
            or self._named.search(_folded(text))
            or self.stands_alone(text, predicate)
        ):
            return text
        return f"{predicate.replace('_', ' ')}{colon}{text}"

    def may_be_same(self, one: str, other: str, predicate: str) -> bool:
        """Return False if neither text can be `same` as the other one, nor a clause of it; quick for many lines."""
        return not self.marks(one, predicate).isdisjoint(self.marks(other, predicate))

    def marks(self, text: str, predicate: str) -> frozenset[object]:
        """Return keys of which texts that say the same have one in common."""
        asked = text, predicate
        if asked not in self._marks:
            clauses = {comparison_key(one) for one in (text, *_CLAUSE.split(_folded(text)))}
            value = self._value(text, predicate)
            marks = frozenset(clauses) | near_duplicate_marks(text, self._near)
            self._marks[asked] = marks | {("value", value)} if value else marks
        return self._marks[asked]

    def concerns(self, text: str, line: str, predicate: str) -> bool:
        """Return True if a retraction is about the subject of a line.

        One that names nothing, «I quit», is about the line of a predicate with one value, and about none of many.
        """
        ends = any_word(self._rows("retract"))
        rest = " ".join(ends.sub(" ", clause) for clause in _CLAUSE.split(_folded(text)) if ends.search(clause))
        words = frozenset(_ATOM.findall(self._without(rest, predicate)))
        if not words:
            return not self.is_many(predicate)
        common = words & frozenset(_ATOM.findall(_folded(line)))
        return len(common) >= self.numbers.get("same_thing", 1.0) * len(words)

    def near(self, one: tuple[str, str], other: tuple[str, str]) -> bool:
        """Return True if two predicates, each with its text, may be synonyms.

        They share a word, and the words of only one of them occur in the other's text: the `版本` of
        «Python 升级到 3.12» is near `Python 版本`, and not near `Node 版本`.
        """
        ours, theirs = tokens(one[0]), tokens(other[0])
        if not ours & theirs:
            return False
        return theirs - ours <= tokens(one[1]) and ours - theirs <= tokens(other[1])

    def _value(self, text: str, predicate: str) -> str:
        """Return a text without its predicate, the words of a change, and words without content."""
        asked = text, predicate
        if asked not in self._values:
            self._values[asked] = comparison_key(self.bare(text, predicate))
        return self._values[asked]

    def bare(self, text: str, predicate: str) -> str:
        """Return the words of a text without those of its predicate, of a change, and those without content."""
        return self._without(any_word(self._rows("change")).sub(" ", _folded(text)), predicate)

    def _without(self, folded: str, predicate: str) -> str:
        return any_word((*self.spellings(predicate), *self._rows("fillers"))).sub(" ", folded)

    def spellings(self, predicate: str) -> tuple[str, ...]:
        """Return the words of a predicate, with all their aliases."""
        keys = {self.predicate(predicate), *map(self.predicate, _pieces(predicate))}
        rows = (row.split("=") for row in self._rows("predicates"))
        return (*_pieces(predicate), *(name.strip() for row in rows if self.predicate(row[0]) in keys for name in row))


def words_of(template: Schema, settings: Settings) -> FactWords:
    """Return the words of a facts template, with the aliases of the settings."""
    return FactWords(template, settings.lint.near_duplicate, settings.facts)


@lru_cache(maxsize=256)
def any_word(words: Sequence[str]) -> re.Pattern[str]:
    """Compile an alternation of words, the longest first; Latin ones match whole words only."""
    ordered = sorted({_folded(word) for word in words if word.strip()}, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in ordered if _LATIN.fullmatch(word))
    found = [re.escape(word) for word in ordered if not _LATIN.fullmatch(word)]  # no Latin word begins with one of them
    if latin:
        found.append(rf"(?<![a-z0-9])(?:{latin})(?![a-z0-9])")
    return re.compile("|".join(found) or r"(?!)")
