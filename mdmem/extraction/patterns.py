"""Read the patterns of `templates/patterns.toml`, and match clauses against them.

A pattern matches a whole clause, so that its first words decide most cases; each slot has a longest length and a
clause too, so that the time grows with the number of clauses only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import NamedTuple

from mdmem.extraction.constituents import ConstituentReader
from mdmem.extraction.said_days import Tense
from mdmem.settings.phrases import any_of, fold_case
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern

TYPES = ("fact", "update", "preference", "retract", "task", "plan", "past", "end", "swap", "after", "lift", "correct")
KNOWN_TYPES = ("renew", "differ")  # of what is said of a property that a live fact has
_COLUMNS = 5
_TOKEN = pattern(r"\{([a-z_]+)(?::([^{}]*))?\}|[\[\]()|]| +|[^\[\](){}| ]+")
_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    "|(?:jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\b\\.?"
)
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMERAL = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_DAY = (
    rf"(?:\d{{4}} ?年 ?|[今明]年 ?)?{_NUMERAL} ?月(?: ?{_NUMERAL} ?[日号]|份?[初中底末]|[上中下]旬)?"
    rf"|(?:[下这本]个?)?(?:周|星期|礼拜)[一二三四五六日天末](?:[早晚]上?|[上下中]午)?(?:{_NUMERAL} ?点半?)?"
    r"|[下这本]个?(?:月|季度|学期)[初中底末]?|[今明]年(?:年?[初中底末]|[春夏秋冬]天)|[年月][底初中末]"
    r"|下个?(?:周|星期|礼拜)|明年"
    rf"|\d{{4}}-\d\d-\d\d|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})(?:,? \d{{4}})?"
    rf"|(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?|the \d{{1,2}}(?:st|nd|rd|th)"
    rf"|(?:the )?(?:beginning|start|middle|end) of (?:(?:the|next|this) )?(?:week|month|quarter|year|term|{_MONTH})"
    rf"|(?:next |this )?{_WEEKDAY}(?: (?:morning|afternoon|evening|noon|night))?|next (?:week|month|quarter|year)"
)
_CLOCK = rf"(?:{_NUMERAL} ?点(?:半|{_NUMERAL} ?分?|一刻)?|\d{{1,2}}[:：]\d\d)"
_ENGLISH_TIME = (
    rf"(?=.{{0,48}}?(?:\d|day\b|tomorrow|tonight|noon|\b(?:{_MONTH})|week|month|year|spring|summer|autumn|winter|fall\b"
    r"|easter|christmas|term\b))(?:on|in|at|by|from|since|until|till|for|around|before|after|during|over|next|this|last"
    rf"|early|late|the|tomorrow|tonight|today|yesterday|{_WEEKDAY}|{_MONTH}|\d{{1,2}})\b.{{0,48}}?"
)
CHINESE_TIME = (
    r"[于在]?(?:(?:[今明后昨前]天|[今明昨][早晚]|大[前后]天|(?:周|星期|礼拜)[一二三四五六日天末]"
    r"|[上下这本]{1,2}个?(?:周|星期|礼拜|月|学期)[一二三四五六日天末初底中]?|\d{4} ?年|[今明去前后]年"
    rf"|{_NUMERAL} ?月份?(?:{_NUMERAL} ?[日号]|[初底中]|[上中下]旬)?|[年月][初底末]|[春夏秋冬]天?|凌晨|[早晚]上"
    rf"|[上下中]午|傍晚|{_CLOCK}|五一|十一|国庆|春节|元旦|中秋|端午|清明|暑假|寒假|过年) ?){{1,4}}"
)
_ENGLISH_OFTEN = (
    r"(?:(?:every|each)(?! time)|on (?:weekends|weekdays)|at (?:weekends|the weekend|night)"
    rf"|(?:on )?{_WEEKDAY}s|in the (?:mornings?|evenings?|afternoons?)|an? (?:day|week|month|year)|daily|weekly"
    r"|(?:once|twice|(?:\d+|two|three|four|five|six) times)(?: an?| per| every))\b.{0,40}?"
)
_CHINESE_OFTEN = (
    r"(?>(?:每(?:[天日晚早年]|隔?[一两三四二]?个?(?:周|星期|礼拜|月|天)(?:[一二三四五六日天末][二三四五六]?)?)"
    rf"|周末|平时|工作日|一(?:天|周|个?月|年))(?:早上|晚上|上午|下午|中午|早|晚)?{_CLOCK}?)"
)
_SUM = (
    r"(?:[$€£¥￥] ?|(?:rmb|cny|usd|eur|gbp) )?\d[\d,.]{0,14}(?: ?[万千百亿km])?(?: ?(?:million|thousand))?"
    r"(?: ?(?:元|块钱|块|美元|欧元|英镑|日元|港币|人民币|dollars|euros?|pounds|yuan|francs|crowns|usd|eur|gbp|rmb))?"
    r"|[一二三四五六七八九十百千万亿两]{1,8}(?:元|块钱|块|美元|欧元)?"
)
_SLOTS = {  # what stands in a slot that is no list; the others hold any words
    "version": r"v?\d{1,4}(?:[.+-]\w{1,10}){0,5}\w{0,3}",
    "release": r"v?\d{1,4}(?:[.+-]\w{1,10}){1,5}",
    "number": r"\d{1,4}(?:\.\d{1,2})?|[零一二两三四五六七八九十百]{1,4}",
    "when": r"每[天日周晚早][早晚]?[上晨间]?(?:早晚)?各?|(?:\d{4} ?年 ?)?(?:[一二三四五六七八九十]{1,2}|\d{1,2}) ?月份?"
    r"|\d{4} ?年|[去今前]年|上个?月|年[初底]",
    "day": _DAY,
    "money": rf"(?:{_SUM})(?: ?(?:以内|左右|以下|上下|封顶))?",
    "moment": rf"(?=.{{0,60}}?(?:\d|\b{_WEEKDAY}|\b(?:{_MONTH})|\bnoon\b|midnight|[点号月周]|星期|礼拜))\S.{{0,79}}?",
    "deed": r"(?!have\b)(?!.{0,79}?(?:\bnever\b|\bnot\b|n't\b|[不别勿禁没]))\S.{0,79}?",
    "matter": r"(?!们|校|一下)"
    r"(?!.{0,79}?(?:\b(?:it|this|that|these|those|them|you|your|yours)\b|[你您它这那]))\S.{0,79}?",
    "town": r"(?:the )?(?-i:[A-Z][a-zÀ-ÿ])[\w'.-]*(?: (?:(?:and|the|of|de|la|in) )?(?-i:[A-Z])[\w'.-]*){0,4}",
    "counted": r"(?!.{0,39}?(?:(?:error|bug|typo|problem|question|issue|mistake|warning|line|row|column|argument"
    r"|parameter|page|word|character|item)s?\b|错误|问题|警告|毛病|参数|[行列字]))\S.{0,39}?",
    "verb": r"(?!(?:am|was|were|had|did|will|can|need|want|went|ran|took|ate|drank|saw|got|get|made|said|think|know"
    r")\b)(?![a-z]+ed\b)[a-z]{2,}",
    "object": r"(?!们)\S.{0,59}?",
    "place_or_person": r"(?!们)\S.{0,9}?",
    "clock": rf"(?:[早晚]上|[上下中]午)?{_CLOCK}|(?:周|星期|礼拜)[一二三四五六日天末]",
    "work": r"(?!们|[每逢把将请帮])[^\s每](?:[^每]{0,22}?[^\s每])??",
    "name": r"[^\W\d_](?:[^\W\d_]|[ ·'’.-]){0,29}?(?<! )",
    "product": r"(?-i:[A-Z])[\w.+#-]{1,23}(?: (?-i:[A-Z])[\w.+#-]{1,23})?",
    "tool": r"[A-Za-z][\w.+#-]{1,23}",
    "thing": r"(?!们)\S.{0,23}?",
    "who": r"(?!们)\S.{0,15}?",
    "old": r"(?!们)\S.{0,39}?",
}
_BY_LANGUAGE = {"time": (_ENGLISH_TIME, CHINESE_TIME), "often": (_ENGLISH_OFTEN, _CHINESE_OFTEN)}
_ANY = r"(?!们)\S.{0,79}?"
_NAMED = ("relative", "pet")  # lists whose words a given name may follow: «my sister Ola», 我女儿小敏
_GIVEN = {
    True: r"(?:\s?(?-i:[A-Z][a-z]{1,14})\s?|[小阿老](?-i:[\u3400-\u9fff])"
    r"|(?![昨今明][天早晚年]|[去前]年|[上下这]周|[满每才快])(?:(?![对在是有的了不也都很刚已又就要会想说给把被跟和与])(?-i:[\u3400-\u9fff])){2,3})?",
    False: r"(?: (?-i:(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z][\w-]{1,14}(?: [A-Z][\w-]{1,14})?))?",
}
_BEFORE = {
    True: r"(?:(?!们)(?!\S{1,13}(?:开始|[周月年号日天一二三四五六]起))[^\s的][^的]{0,14}?)?",
    False: r"(?:\S.{0,23}?[ -])?",
}  # what may stand before a word marked with +
_NEVER = "(?!)"
_UNORDERED = "~"  # marks a row that names the constituents of a statement, in any order
_PARTICLES = "(?:了|啦|呢|哦|呀|啊|哈|嘛|吧|的|~|～|…|\\s)*"
_EXACT = pattern(
    r"[0-9/@]|(?:周|星期|礼拜)[一二三四五六日天]|[零一二两三四五六七八九十百]+[点号月年岁]|\b(?!(?:OK|Ok|I|I'm|I've)\b)[A-Z]"
)
_GONE = pattern(
    r"昨|前[天年]|上个?(?:周|月|星期|礼拜)|去年|\b(?:yesterday|last|ago)\b", re.IGNORECASE
)  # no time of a plan
_CHOICE = pattern(r"\{[^{}]*\}|\([^()]*\)")
_JOINT = pattern(r"[,，:：]| and ")
_LATIN = pattern("[A-Za-z]")
_SLOT = pattern(r"\{([a-z_]+)\}")
_WORD = pattern("[A-Za-z0-9]")
_SHORT = 400  # characters of lists of words that are compiled whole at once


class Sign(NamedTuple):
    """The first words of a part that may not be left out: a clause that fits has one of them."""

    words: frozenset[str]
    shortest: int  # characters of the shortest text of the part


def _sign(texts: Sequence[str]) -> Sign | None:
    """Return the sign of a part that is one of some texts; None if it may be left out."""
    if not (texts and all(texts)):
        return None
    return Sign(frozenset(text.partition(" ")[0].casefold() for text in texts), min(map(len, texts)))


class SlotWords:
    """The words of slots, by the name of the slot."""

    def __init__(self, rows: Sequence[str]) -> None:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in rows:
            name, _, words = row.partition(":")
            found[name.strip()] += [word for part in words.split(",") if (word := part.strip())]
        self._words = found
        self._kept: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._signs: dict[tuple[str, bool], Sign | None] = {}
        self.held_by = lru_cache(maxsize=32)(self._held_by)  # many patterns have the same slots

    def __contains__(self, name: str) -> bool:
        return name in self._words

    def words(self, name: str, *, is_chinese: bool) -> tuple[str, ...]:
        """Return the words of one script, the longest first; capitals belong to both."""
        key = name, is_chinese
        if key not in self._kept:
            own = (one for one in self._words[name] if (not one.isascii() or one.lstrip("+").isupper()) == is_chinese)
            self._kept[key] = tuple(sorted(own, key=len, reverse=True))
        return self._kept[key]

    def _held_by(self, clause: str, name: str, *, is_chinese: bool) -> tuple[str, ...]:
        """Return the words of one script that a clause holds; if it holds none, one of them, which cannot match."""
        folded, words = fold_case(clause), self.words(name, is_chinese=is_chinese)
        return tuple(word for word in words if fold_case(word.lstrip("+")) in folded) or words[-1:]

    def are_excluded(self, slots: Mapping[str, str]) -> bool:
        """Return whether a slot holds a word that its list of other words names."""
        listed = ((self._words[f"no {name}"], said) for name, said in slots.items() if f"no {name}" in self._words)
        return any(any_of(words).search(said.replace("_", " ")) for words, said in listed)

    def sign(self, name: str, *, is_chinese: bool) -> Sign | None:
        """Return what a clause has that holds one of the words; None if one of them is empty, or there are none."""
        key = name, is_chinese
        if key not in self._signs:
            self._signs[key] = _sign([word.lstrip("+") for word in self.words(name, is_chinese=is_chinese)])
        return self._signs[key]


class StatementPattern:
    """One pattern; it is compiled when a clause bears one of its signs.

    The lists of its slots are long, and a clause holds few of their words: only these are compiled. When the parts
    together are as long as the lists, these are compiled, once for all clauses.
    """

    def __init__(self, columns: Sequence[str], importance: float, lists: SlotWords) -> None:
        kind, self.predicate, _, self._said, self.text = columns
        self.type, self.also = kind.rstrip("+"), kind.endswith("+")
        self.importance, self._lists = importance, lists
        self.is_chinese = has_chinese(self._said)
        self.is_timed = self.type == "plan" or "{time}" in self._said or "{often}" in self._said
        self._regexes: dict[tuple[tuple[str, ...], ...], re.Pattern[str]] = {}  # by the words of its lists
        self.tense: Tense = (
            "coming" if self.type == "plan" or "{moment}" in self._said else "past" if self.is_timed else ""
        )

    @cached_property
    def is_joined(self) -> bool:
        """Whether it is said in several clauses."""
        return _JOINT.search(_CHOICE.sub("", self._said)) is not None

    @cached_property
    def signs(self) -> tuple[frozenset[str], ...]:
        """The first words of each part that may not be left out, the part that tells most first."""
        return _signs(self._said, self._lists, is_chinese=self.is_chinese)

    def match(self, clause: str) -> re.Match[str] | None:
        """Return the match that is a whole clause."""
        words = self._lists.words if self._left <= 0 else partial(self._lists.held_by, clause)
        held = tuple(words(name, is_chinese=self.is_chinese) for name in self._listed)
        if held not in self._regexes:
            self._left -= sum(map(len, chain(*held)))
            made = _compiled(self._said, dict(zip(self._listed, held, strict=True)), is_chinese=self.is_chinese)
            self._regexes[held] = re.compile(made, re.IGNORECASE)
        return self._regexes[held].fullmatch(clause)

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The names of its slots."""
        return tuple(token.group(1) for token in _TOKEN.finditer(self._said) if token.group(1))

    @cached_property
    def _listed(self) -> tuple[str, ...]:
        """The slots that are lists."""
        return tuple(one for one in self.slots if one in self._lists)

    @cached_property
    def _left(self) -> int:
        """How many characters of words may still be compiled before the lists are."""
        words = (self._lists.words(one, is_chinese=self.is_chinese) for one in self._listed)
        return sum(map(len, chain(*words))) - _SHORT


class ClauseMatch(NamedTuple):
    """A clause that a pattern knows, and what its slots hold."""

    row: StatementPattern
    slots: dict[str, str]
    is_new: bool = False  # the clause says that it holds now, or since when
    since: str = ""  # the words that say since when

    @property
    def text(self) -> str:
        """What is written."""
        return _filled(self.row.text, self.slots)

    @property
    def predicate(self) -> str:
        """The predicate as one word."""
        words = _filled(self.row.predicate, self.slots).split()
        return ("" if has_chinese(self.row.predicate) else "_").join(words)

    @property
    def value(self) -> str:
        """What is said of the predicate."""
        names = ("value", "exact", "version", "name", "tool", "habit", "job", "company", "diet", "trait", "allergen",
                 "moment", "money", "day", "matter", "town")  # fmt: skip
        return next((self.slots[name] for name in names if self.slots.get(name)), "")


def _filled(text: str, slots: dict[str, str]) -> str:
    """Put values into slots, with a space where a Chinese character and a Latin word or a number meet."""
    out = ""
    for index, part in enumerate(_SLOT.split(text)):
        said = slots.get(part, "") if index % 2 else part
        left, right = out[-1:], said[:1]
        meets = (has_chinese(left) and _WORD.match(right)) or (_WORD.match(left) and has_chinese(right))
        out += f" {said}" if meets else said
    return " ".join(out.split())


class PatternIndex:
    """Finds the patterns that a clause may fit, by the words that must stand in it."""

    def __init__(self, rows: Sequence[StatementPattern]) -> None:
        self._rows = tuple(rows)
        self._free = [at for at, row in enumerate(rows) if not row.signs]
        self._telling: defaultdict[str, list[int]] = defaultdict(list)
        self._starts: defaultdict[str, list[str]] = defaultdict(list)  # the words by their first two characters
        for at, row in enumerate(rows):
            for word in row.signs[0] if row.signs else ():
                self._telling[word].append(at)
        for word in {word for row in rows for words in row.signs for word in words}:
            self._starts[word[:2]].append(word)
        self.rows = lru_cache(maxsize=8)(self._rows_for)  # a clause is asked about for several types

    def _rows_for(self, clause: str) -> tuple[StatementPattern, ...]:
        """Return the patterns, in their order, of which a clause has a word of each part."""
        folded = clause.casefold()
        starts = {*folded, *(folded[at : at + 2] for at in range(len(folded)))} & self._starts.keys()
        found = {word for start in starts for word in self._starts[start] if len(word) < 3 or word in folded}
        likely = {at for word in found & self._telling.keys() for at in self._telling[word]}
        rows = map(self._rows.__getitem__, sorted({*likely, *self._free}))
        return tuple(row for row in rows if not any(map(found.isdisjoint, row.signs)))


class StatementPatterns:
    """The patterns of one workspace."""

    def __init__(self, rows: Sequence[str], lists: Sequence[str]) -> None:
        """Bind to rows and to the words of their slots; a row that cannot be read is passed over."""
        self._given, self._words = rows, SlotWords(lists)
        self._indexes: dict[bool, PatternIndex] = {}  # for Chinese or not; made for the first clause in it
        self._readers: dict[bool, ConstituentReader] = {}  # the same
        self._unordered: dict[bool, dict[frozenset[str], StatementPattern]] = {}
        self.read = lru_cache(maxsize=8)(self._read)  # a sentence is often one clause

    def _index(self, *, is_chinese: bool) -> PatternIndex:
        if is_chinese not in self._indexes:
            self._indexes[is_chinese] = PatternIndex(self._rows(is_chinese=is_chinese, unordered=False))
        return self._indexes[is_chinese]

    def _rows(self, *, is_chinese: bool, unordered: bool) -> list[StatementPattern]:
        given = (row for row in self._given if _said(row).startswith(_UNORDERED) == unordered)
        made = (_row(row, self._words) for row in given if has_chinese(row if unordered else _said(row)) == is_chinese)
        return [row for row in made if row]

    def is_property(self, predicate: str) -> bool:
        """Return whether a predicate is the name of a property, or that of a relative's in English."""
        name = predicate.replace("_", " ").casefold()
        return not self._property_names.isdisjoint((name, name.partition(" ")[2]))

    @cached_property
    def _property_names(self) -> frozenset[str]:
        both = (self._words.words("attribute", is_chinese=is_chinese) for is_chinese in (True, False))
        return frozenset(word.lstrip("+").casefold() for words in both for word in words)

    def _read(self, sentence: str) -> ClauseMatch | None:
        """Return the unordered pattern whose constituents a sentence has, and what they are."""
        is_chinese = has_chinese(sentence)
        if is_chinese not in self._readers:
            self._readers[is_chinese] = ConstituentReader(self._words, is_chinese=is_chinese)
            rows = self._rows(is_chinese=is_chinese, unordered=True)
            self._unordered[is_chinese] = {frozenset(row.slots): row for row in rows}
        found = self._readers[is_chinese].read(sentence)
        if found is None:
            return None
        names, rows_by_slots = frozenset(found.slots), self._unordered[is_chinese]
        row = rows_by_slots.get(names) or rows_by_slots.get(names - {"old"})
        said = found.slots | {"said": sentence.strip(" 。.!！")}
        return ClauseMatch(row, said, is_new=found.is_change) if row else None

    def match(
        self, clause: str, types: Iterable[str] = TYPES, *, fits: Callable[[StatementPattern], bool] = lambda _: True
    ) -> ClauseMatch | None:  # fmt: skip
        """Return the first pattern that knows a clause and fits, and its slots."""
        wanted = frozenset(types)
        is_chinese = has_chinese(clause)
        for row in self._index(is_chinese=is_chinese).rows(clause):
            if row.type in wanted and fits(row) and (found := row.match(clause)):
                slots = {name: text.strip(" 　\"'“”「」") for name, text in found.groupdict(default="").items()}
                if row.type == "plan" and _GONE.search(slots.get("time", "")):
                    continue
                if self._words.are_excluded(slots):
                    continue
                exact = slots.get("exact")
                if exact is None or is_exact(exact, is_chinese=is_chinese):
                    return ClauseMatch(row, slots)
        return None


def is_exact(text: str, *, is_chinese: bool) -> bool:
    """Return whether a value holds a number, a path, an address or a name."""
    return _EXACT.search(text) is not None or (is_chinese and _LATIN.search(text) is not None)


@lru_cache(maxsize=4)
def patterns(rows: tuple[str, ...], lists: tuple[str, ...]) -> StatementPatterns:
    """Return the compiled patterns of some rows."""
    return StatementPatterns(rows, lists)


def _said(row: str) -> str:
    """Return the column of a row that is matched, if it has one."""
    return "".join(row.split(" | ")[3:4])


def _row(text: str, lists: SlotWords) -> StatementPattern | None:
    parts = [part.strip() for part in text.split(" | ")]
    if len(parts) != _COLUMNS or parts[0].rstrip("+") not in (*TYPES, *KNOWN_TYPES) or not _is_balanced(parts[3]):
        return None
    slots = [token.group(1) for token in _TOKEN.finditer(parts[3]) if token.group(1)]
    try:
        worth = float(parts[2])
    except ValueError:
        return None
    return StatementPattern(parts, worth, lists) if len(set(slots)) == len(slots) else None


def _is_balanced(said: str) -> bool:
    stack: list[str] = []
    for char in said:
        if char in "[(":
            stack.append(char)
        elif char in "])" and (not stack or stack.pop() + char not in ("[]", "()")):
            return False
    return not stack


def _signs(said: str, lists: SlotWords, *, is_chinese: bool) -> tuple[frozenset[str], ...]:
    """Return the first words of each part that may not be left out, the part that tells most first.

    A clause that has no word of one of these parts cannot fit.
    """
    depth, group = 0, list[str]()
    found: list[Sign | None] = []
    for token in _TOKEN.finditer(said):
        mark = token.group()
        if mark in "[(":
            depth, group = depth + 1, ["("] if mark == "(" and not depth else [*group, mark]
        elif mark in "])":
            depth -= 1
            if mark == ")" and not depth and group[:1] == ["("] and not {"[", "{", "("} & {*group[1:]}:
                found.append(_sign("".join(group[1:]).split("|")))
        elif depth:
            group.append("{" if token.group(1) else mark)
        elif mark == "|":
            return ()  # either side of it is enough
        elif token.group(2) is not None:
            found.append(_sign(token.group(2).split("|")))
        elif token.group(1) in lists and token.group(1) not in _SLOTS:
            found.append(lists.sign(token.group(1), is_chinese=is_chinese))
        elif not token.group(1) and not mark.isspace():
            found.append(_sign([mark]))
    parts = dict(filter(None, found))
    return tuple(sorted(parts, key=lambda words: -parts[words]))


def _compiled(said: str, lists: Mapping[str, Sequence[str]], *, is_chinese: bool) -> str:
    """Write a pattern as a regular expression, with some words of its lists."""
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


def _any_word(words: Sequence[str], *, is_chinese: bool) -> str:
    """Return what matches one of some words."""
    plain = [re.escape(word) for word in words if not word.startswith("+")]
    free = "|".join(re.escape(word[1:]) for word in words if word.startswith("+"))
    return "|".join([*plain, *([f"{_BEFORE[is_chinese]}(?:{free})"] if free else [])])


def _ends(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Return whether an optional part is the last of its pattern."""
    return all(one.group() != "]" or place == len(tokens) - 1 for place, one in enumerate(tokens) if place > index)


def _slot(name: str, words: str | None, lists: Mapping[str, Sequence[str]], *, is_chinese: bool) -> str:
    if words is not None:
        inner = "|".join(re.escape(word) for word in sorted(words.split("|"), key=len, reverse=True))
    elif name in lists:
        inner = _any_word(lists[name], is_chinese=is_chinese)
        if name in _NAMED:
            inner = f"(?:{inner}){_GIVEN[is_chinese]}"
        if name in _SLOTS:
            inner = f"{_SLOTS[name]}|{inner}" if inner else _SLOTS[name]
        inner = inner or _NEVER
    else:
        inner = _BY_LANGUAGE[name][is_chinese] if name in _BY_LANGUAGE else _SLOTS.get(name, _ANY)
    return f"(?P<{name}>{inner})"
