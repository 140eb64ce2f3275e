"""Read a statement by its constituents, in any order: «as for my gym, it's Ironbark», Kavi 是我的网名.

A statement of a property is an owner, the name of the property and one value; of what has changed, also the value
before. All other words of its sentence are function words. A sentence with any other word is none: «my tests fail on
3.12» says more than that. Which words are function words, and which sign an owner, a former value or a change, stands
in the lists of `templates/patterns.toml`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.pattern import pattern

_CLASSES = ("dwelling", "working", "fond")  # lists of words that tell what is said of a name, without its property
# The lists of function words.
_MARKS = ("glue", "mine", "turning", "former", "denied", "of", "has", "owning", *_CLASSES)
_EXACT = pattern(r"[\d/@]|[A-ZÀ-Þ]|\w\.\w")
_RELEASE = pattern(r"v?\d{1,4}(?:\.\d{1,4}){1,3}")
_WORD = pattern(r"(?:[^\s,:;()]|[,:;](?=[^\s,:;]))+|[,:;()]")
_POSSESSIVE = pattern(r"(?:['’]s|(?<=s)['’])\Z")
_CHINESE_WORD = (
    r"(?P<name>\d{{1,2}} ?月(?: ?\d{{1,2}} ?[日号])?|\d{{1,2}} ?楼(?: ?[A-Z]?\d+)?"
    r"|[\x21-\x7e]*[A-Za-z0-9/@][\x21-\x7e]*(?: [A-Z][\w.-]*)*)"
    r"|(?P<noun>{noun})|(?P<function>[，、,：:（）。！？.!?“”‘’「」\"']|{function})|(?P<relative>{relative})|(?P<word>\S)"
)
_PROPER = pattern(r"[A-ZÀ-Þ][^\d/@.]*")
_VERB = pattern(r" \w*(?:[^s\W]s|ed|ing)\Z")  # «my build fails»
_ANOTHER = pattern(r"[,:].*\b(?:i|we)\b")  # «had my birthday, I'm 16 now»: a statement begins behind it
_WHO = pattern(r"\b(?:who|lives?|works?)\b|住|上班|工作")  # between a relative and a name: the name is no property
_OPENING = pattern(r"[A-Z][a-z]+")
_GERUND = pattern(r"[A-Z][a-z]+ing")
_BOUNDARY = pattern(r"[,:，：]")
_FUNCTION, _NAMES = "function", ("name", "release")  # kinds of words; others are «word»
_BOUNDARIES = ",:()"
_TRIM = "\"'“”‘’«».!?。！？*_` "
_MOST = 5  # constituents of a statement
_PAIR = 2
_LONGEST = {True: 8, False: 4}  # characters in Chinese, otherwise words, of the name of a property or of a thing


class ListedWords(Protocol):
    """The words of lists, by the name of the list."""

    def words(self, name: str, *, is_chinese: bool) -> tuple[str, ...]:
        """Return the words of one script."""


class Constituent(NamedTuple):
    """Words between function words."""

    text: str
    kind: str
    before: str  # the function words in front of it
    after: str  # and behind it

    @property
    def is_name(self) -> bool:
        """Whether it holds a number, a path, an address or a name."""
        return self.kind in _NAMES


class Constituents(NamedTuple):
    """What a sentence states, by the names of slots."""

    slots: dict[str, str]
    is_change: bool  # it says that something changed, or what held before


class ConstituentReader:
    """Reads the sentences of one script."""

    def __init__(self, words: ListedWords, *, is_chinese: bool) -> None:
        """Bind to the words of lists."""
        self._words, self._is_chinese = words, is_chinese
        self._gap = "" if is_chinese else " "
        self._listed = cache(self._list)

    def read(self, sentence: str) -> Constituents | None:
        """Return what a sentence states; None where it says anything else."""
        if not self._may_state(sentence):
            return None
        parts = list(self._cut(sentence))
        if not 0 < len(parts) <= _MOST:
            return None
        function = " ".join((parts[0].before, *(one.after for one in parts)))
        former = self._former(parts)
        olds = [one for one, held in zip(parts, former, strict=True) if held]
        slots = self._release(parts, olds, function)
        if slots is None:
            rest = [one for one in parts if one not in olds]
            slots = self._slots(rest, function) if rest else None
            if slots is None or not self._fits(olds, slots):
                return None
            slots = slots | {"old": olds[0].text} if olds else slots
        is_change = self._has("turning", function)
        return Constituents(slots, bool(olds) or is_change) if is_change or slots.keys() != {"old", "value"} else None

    def _fits(self, olds: Sequence[Constituent], slots: dict[str, str]) -> bool:
        """Return whether the value before is one, and a name where the new one is."""
        return not olds or (len(olds) == 1 and olds[0].is_name == (_EXACT.search(slots["value"]) is not None))

    def _may_state(self, sentence: str) -> bool:
        """Return whether a sentence may hold a name, or tell what the user likes: most sentences are ruled out here."""
        if _EXACT.search(sentence, 1) is not None or any(map(sentence.__contains__, self._hints)):
            return True
        return sentence[:1].isupper() and sentence.partition(" ")[0].casefold() not in self._function

    def _release(
        self, parts: Sequence[Constituent], olds: Sequence[Constituent], function: str
    ) -> dict[str, str] | None:  # fmt: skip
        """Return a product and its release: «we went from Kotlin 1.9 to 2.1», «the office has Zig 0.11»."""
        releases = [one for one in parts if one.kind == "release"]
        new = [one for one in releases if one not in olds]
        names = [one for one in parts if one.is_name and one not in releases]
        places = [one for one in parts if not one.is_name]
        is_placed = all(self._has("of", one.before) or self._has("has", one.after) for one in places)
        is_told = bool(places) or self._has("mine", function) or self._has("told", function)
        is_one = (len(new), len(names)) == (1, 1) and len(releases) <= _PAIR and len(places) <= 1
        if not (is_one and is_placed and is_told) or parts.index(new[0]) < parts.index(names[0]):
            return None
        slots = {"product": names[0].text, "release": new[0].text}
        held = [one.text for one in releases if one in olds]
        return slots | {"old": held[0]} if held else slots

    def _slots(self, parts: Sequence[Constituent], function: str) -> dict[str, str] | None:
        """Return a property and its value, or what a word of a class tells of a name."""
        is_mine = self._has("mine", function) or parts[0].before in self._listed("renewed")
        if len(parts) == 1:
            return self._told(parts[0], function) if is_mine else None
        owner = self._owner(parts)
        is_relative = owner is not None and self._is_relative(owner)
        rest = [one for one in parts if one is not owner]
        found = self._thing_and_value(rest, is_owned=not is_relative and owner is not None)
        if found and found[0].casefold() in self._relatives and _WHO.search(function):
            return None  # «my sister is the one who lives in Turin»
        if found is None or not (is_mine or owner) or (owner and not is_relative and self._is_no_owner(owner)):
            return None
        slots = dict(zip(("thing", "value"), found, strict=True))
        return slots | {"relative" if is_relative else "who": owner.text} if owner else slots

    def _told(self, one: Constituent, function: str) -> dict[str, str] | None:
        """Return what the function words tell of a name, or of a thing that is liked."""
        told = [name for name in _CLASSES if self._has(name, function)]
        is_proper = self._is_chinese or (_PROPER.fullmatch(one.text) is not None and not one.before.endswith(" on"))
        is_proper = is_proper and not (self._is_chinese and len(one.text) == 1)  # 我嫁给工作了
        is_fit = is_proper if told != ["fond"] else _BOUNDARY.search(function) is None
        if len(told) > 1 or not (is_fit and self._is_short(one)) or self._is_relative(one) or _is_gerund(one):
            return None
        return {told[0]: "", "value": one.text} if told else {"value": one.text} if one.is_name else None

    def _owner(self, parts: Sequence[Constituent]) -> Constituent | None:
        """Return the part that owns the property: a relative, or a part with a sign of an owner, the surest first."""
        if len(parts) <= _PAIR:
            return None
        found = [one for one in parts if self._is_relative(one)] or [one for one in parts if self._is_owning(one)]
        if not found:
            named = [one for one in parts if not (one.text[0].isdigit() or self._is_property(one))]
            found = [one for one in named[:1] if not one.before and self._has("has", one.after)]
            found = found or [one for one in named if self._has("of", one.before)]
            found = found or [one for one in named if self._has("has", one.after)]
        return found[0] if found else None

    def _is_no_owner(self, one: Constituent) -> bool:
        """Return whether a part is of the task at hand, or only tells which one of the user's it is: 我备用的手机."""
        return self._has("task", one.text) or one.before.endswith(self._listed("mine"))

    def _is_owning(self, one: Constituent) -> bool:
        return one.after.startswith(self._listed("owning")) and not self._is_property(one)

    def _is_relative(self, one: Constituent) -> bool:
        return one.text.casefold() in self._relatives and self._has("mine", one.before)

    def _thing_and_value(
        self, parts: Sequence[Constituent], *, is_owned: bool
    ) -> tuple[str, str] | None:  # fmt: skip
        """Return the name of a property and its value, which holds a number or a name, or is no property."""
        if len(parts) != _PAIR or not (parts[0].after or parts[1].before) or _ANOTHER.search(parts[0].after):
            return None
        named = [one for one in parts if self._is_property(one)]
        if parts[0].is_name != parts[1].is_name:
            named = [one for one in parts if not one.is_name]
        if len(named) != 1 or not self._is_noun(named[0], is_owned=is_owned):
            return None
        value = parts[parts[0] is named[0]]
        if _is_opening_word(value) and not self._is_property(named[0]):
            return None  # «Glad to have you in my corner»
        return (named[0].text, value.text) if self._is_value(value, is_first=value is parts[0]) else None

    def _is_value(self, value: Constituent, *, is_first: bool) -> bool:
        """Return whether a part is the value of a property: a name, or words behind a copula or before one."""
        if value.is_name:
            return not _is_gerund(value)
        if self._is_relative(value):
            return False
        links = self._listed("linking")
        return not value.before and value.after.startswith(links) if is_first else value.before.endswith(links)

    def _is_noun(self, thing: Constituent, *, is_owned: bool) -> bool:
        """Return whether a part names a property: it is known as one, or follows «my» or the like."""
        if not self._is_short(thing) or self._is_property(thing):
            return self._is_short(thing)
        is_named = not is_owned and thing.before.endswith(self._listed("naming"))
        return is_named and not self._has("task", thing.text) and _VERB.search(thing.text) is None

    def _is_property(self, one: Constituent) -> bool:
        return f"{self._gap}{one.text.casefold()}".endswith(self._property_ends)

    def _is_short(self, one: Constituent) -> bool:
        size = len(one.text) if self._is_chinese else len(one.text.split())
        return size <= _LONGEST[self._is_chinese]

    def _former(self, parts: Sequence[Constituent]) -> list[bool]:
        """Return of each part whether it held before: a sign stands before it, or before the name that it follows."""
        found = [
            any(sign.search(one.before) for sign in self._was) and not self._is_property(one) for one in parts
        ]  # fmt: skip
        for at, (one, two) in enumerate(pairwise(parts), 1):
            if found[at - 1] and not (one.after or two.before):
                found[at], found[at - 1] = True, False  # «from Kotlin 1.9»: the release held before
        return found

    def _cut(self, sentence: str) -> Iterator[Constituent]:
        """Yield the constituents of a sentence."""
        before = ""
        cut = list(self._pieces(sentence))
        for (text, kind), (behind, next_kind) in pairwise((*cut, ("", ""))):
            if kind == _FUNCTION:
                before = text.casefold()
            elif words := text.strip(_TRIM):
                after = behind.casefold() if next_kind == _FUNCTION else ""
                yield Constituent(words, kind, before, after)
                before = ""

    def _pieces(self, sentence: str) -> Iterator[tuple[str, str]]:
        """Yield the runs of function words, and those of other words of one kind, with the kind."""
        begin = end = 0
        kind = ""
        for start, stop, which in self._chinese(sentence) if self._is_chinese else self._english(sentence):
            if kind and which != kind:
                yield sentence[begin:end].strip(), kind
                kind = ""
            begin, end, kind = (begin if kind else start), stop, which
        if kind:
            yield sentence[begin:end].strip(), kind

    def _english(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """Yield where each word of a sentence stands, and its kind."""
        for found in _WORD.finditer(sentence):
            word = found.group().strip(_TRIM)
            if not word or word in _BOUNDARIES or word.casefold() in self._function:
                yield found.start(), found.end(), _FUNCTION
                continue
            base, start = _POSSESSIVE.sub("", word), found.start() + found.group().find(word)
            opens = not found.start() and base.casefold() in self._nouns  # only its place gives it a capital
            is_name = _EXACT.search(base, opens) is not None
            kind = "release" if _RELEASE.fullmatch(base) else "name" if is_name else "word"
            yield start, start + len(base), kind
            if base != word:
                yield start + len(base), start + len(word), _FUNCTION

    def _chinese(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """Yield the same of a sentence in Chinese."""
        for found in self._token.finditer(sentence):
            kind = "release" if _RELEASE.fullmatch(found.group()) else found.lastgroup or ""
            yield found.start(), found.end(), "word" if kind == "noun" else kind

    @cached_property
    def _hints(self) -> tuple[str, ...]:
        """The words of which a sentence without any name has one."""
        classes = _CLASSES if self._is_chinese else ("fond",)
        return tuple(
            word for name in (*classes, *(["linking"] if self._is_chinese else ())) for word in self._listed(name)
        )

    @cached_property
    def _function(self) -> frozenset[str]:
        return frozenset(word for name in _MARKS for word in self._listed(name))

    @cached_property
    def _relatives(self) -> frozenset[str]:
        return frozenset(self._listed("relative"))

    @cached_property
    def _properties(self) -> tuple[str, ...]:
        return self._listed("attribute")

    @cached_property
    def _property_ends(self) -> tuple[str, ...]:
        return tuple(f"{self._gap}{one}" for one in self._properties)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """Words of properties and relatives: at the beginning of a sentence they are no names."""
        return frozenset(word for one in (*self._properties, *self._relatives) for word in one.split())

    @cached_property
    def _token(self) -> re.Pattern[str]:
        nouns = (one for one in self._properties if one not in self._function and one not in self._relatives)
        words = (sorted(some, key=len, reverse=True) for some in (nouns, self._function, self._relatives))
        noun, function, relative = ("|".join(map(re.escape, some)) for some in words)
        return re.compile(_CHINESE_WORD.format(noun=noun, function=function, relative=relative))

    @cached_property
    def _was(self) -> tuple[PhrasePattern, PhrasePattern]:
        """Match a sign of what held before, or a negation, among the words before it, with nothing that ends it."""
        was = r"(?:{0})(?!\S{{0,4}}起)(?:(?!\b(?:to|by|with|for|into|but|now)\b|[,:，：]).)*\Z"
        not_so = r"(?:{0})(?:(?!\b(?:but|now)\b|[,:，：]).)*\Z"
        former, denied = map(self._listed, ("former", "denied"))
        return PhrasePattern(former, was.format), PhrasePattern(denied, not_so.format)

    def _has(self, name: str, text: str) -> bool:
        return self._signs[name].search(text) is not None

    @cached_property
    def _signs(self) -> dict[str, PhrasePattern]:
        names = ("mine", "turning", "told", "of", "has", "task", *_CLASSES)
        return {name: any_of(self._listed(name)) for name in names}

    def _list(self, name: str) -> tuple[str, ...]:
        words = self._words.words(name, is_chinese=self._is_chinese)
        return tuple(word.lstrip("+").casefold() for word in words)


def _is_opening_word(one: Constituent) -> bool:
    """Return whether a part may have its capital only because it opens its sentence."""
    return not one.before and _OPENING.fullmatch(one.text) is not None


def _is_gerund(one: Constituent) -> bool:
    """Return whether a part is no name, but the first word of its sentence: «Losing is my job»."""
    return not one.before and _GERUND.fullmatch(one.text) is not None
