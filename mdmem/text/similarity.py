"""Compares short texts: equal keys, and near duplicates; used by linter, pen, keeper and index.

Near duplicates share most words: words in alphabetic scripts, pairs of adjacent characters in Chinese, Japanese and
Korean. Texts that differ in a number, a name or a negation, or in exactly one replaced part, are not duplicates: they
are two facts, or an old and a new value.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice, pairwise
from typing import NamedTuple

from mdmem.text.pattern import pattern

# Latin, Greek and Cyrillic words, numbers, and single letters of all other scripts
ATOM = pattern(  # a word, a number, or a character of a script without spaces
    r"[a-zß-ԯ]+(?:'[a-zß-ԯ]+)*[+#]*|\d+|[^\W\d_]"
)
_SINGLE = "\u0530"  # from here on, letters are compared in pairs
_DIGITS = pattern(r"\d+")
_NAME = pattern(r"(?<=[^\s.!?:][ ])[A-Z][\w+#]+")  # a capital inside a sentence
_NUMBER = pattern(r"(?<![\w-])-?\d+(?:[.,:/-]\d+)*|\d+(?:[.,:/-]\d+)*")
_NUMERALS = frozenset("二三四五六七八九十两百千万亿")
_NOT_CHARS = frozenset("不没無无非未别勿莫禁拒停")
_NOT_WORDS = ("取消", "讨厌", "ない", "ません", "なく")
_NOT = frozenset(
    ("no", "not", "none", "nor", "never", "without", "cannot", "stop", "stops", "stopped", "avoid", "avoids", "dislike",
     "dislikes", "hate", "hates")
)  # fmt: skip
# words without content: they do not change the meaning of a text
_EMPTY = frozenset("的了着过很也都就呢吧啊呀嘛地得一个些はがをのも") | frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "be", "been", "am", "very", "really", "also", "just",
     "please", "that")
)  # fmt: skip
# These marks are ignored, except between two digits, where they are part of a number.
_MARKS = r"""[\s.,:;!?'"()\[\]{}、。·…—–‘’“”「」『』《》〈〉【】*`|~]"""
_NOISE = pattern(rf"(?!!=)(?:(?<!\d){_MARKS}|{_MARKS}(?!\d)|(?<![\d\s])-|-(?!\d))")  # `!=` is a word of code
_DROPPED = pattern(r"""[ \t\r\n\-.,:;!?'"()\[\]{}、。·…—–‘’“”「」『』《》〈〉【】*`|~]+""")
# The usual signs that NFKC replaces in a Chinese text
_WIDE = {"，": ",", "：": ":", "；": ";", "！": "!", "？": "?", "（": "(", "）": ")", "…": "...", "～": "~"}
_LOOKS = 20  # candidates compared with one text for one word: keeps the search linear if thousands share words
_PAIRED = 12  # words in more texts than this are looked up in pairs: keeps the search linear in long texts


@lru_cache(maxsize=4096)  # several checks of a change compare the same entries
def comparison_prefilter(text: str) -> str:
    """Return a value that is equal for texts with equal comparison keys, and rarely for others; ten times as fast."""
    return _DROPPED.sub("", _fold(text).casefold())


@lru_cache(maxsize=4096)  # the same entries are compared with one set of lines after another
def comparison_key(text: str) -> str:
    """Return a key that is equal for texts that differ only in width, case, spaces or punctuation."""
    folded = " ".join(_compatible(text).casefold().split())
    return _NOISE.sub("", folded) or folded


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text; for scripts without spaces, the pairs of adjacent characters."""
    return _tokens(_atoms(_fold(text)))


def near_duplicates(texts: Sequence[str], least: float) -> Iterator[tuple[int, int]]:
    """Find near duplicates of earlier texts, as pairs (later, earlier); one pair for each later text.

    `least` is the share of common words (Jaccard) from which two texts are near duplicates.
    """
    return chain.from_iterable(_within(group, least) for group in _of_same_numbers(texts))


def alike_pairs(texts: Sequence[str], least: float) -> Iterator[tuple[int, int]]:
    """Find texts that share `least` of their words, and all numbers, names and negations, as pairs (later, earlier).

    Each text is compared with a few others, which an index of the rarest words names. One may say of one thing what the
    other says of another: `Difference` tells in which words they differ.
    """
    return chain.from_iterable(_within(group, least, every=True) for group in _of_same_numbers(texts))


def has_same_facts(one: str, other: str) -> bool:
    """Return True if two texts have the same numbers, negations and names."""
    mine, theirs = _fold(one), _fold(other)
    return _DIGITS.findall(mine) == _DIGITS.findall(theirs) and _facts(mine) == _facts(theirs)


class Difference(NamedTuple):
    """What two texts have in common, and the words that only one of them has."""

    share: float  # of common words (Jaccard)
    common: int
    first: tuple[str, ...]  # words, or characters where no spaces are written, of the first text alone
    second: tuple[str, ...]


def difference(one: str, other: str) -> Difference:
    """Compare the words of two texts."""
    mine, theirs = _atoms(_fold(one)), _atoms(_fold(other))
    own, its = _tokens(mine), _tokens(theirs)
    first, second = Counter(mine), Counter(theirs)
    return Difference(
        _overlap(own, its), len(own & its), (*(first - second).elements(),), (*(second - first).elements(),)
    )  # fmt: skip


def _of_same_numbers(texts: Sequence[str]) -> list[dict[int, str]]:
    groups: dict[tuple[str, ...], dict[int, str]] = {}
    for index, text in enumerate(texts):
        key = _fold(text)
        groups.setdefault(tuple(_DIGITS.findall(key)), {})[index] = key  # other numbers, other facts
    return [group for group in groups.values() if len(group) > 1]


def near_duplicate_marks(text: str, least: float) -> frozenset[object]:
    """Return marks of which near duplicates have one in common: their numbers and names, with one of the first words.

    The words are taken in one order for all texts, the longest first, for these are rare; see `_first_words`.
    """
    mark, _, own = _compared(_fold(text))
    ranked = sorted(own, key=lambda word: (-len(word), word))
    return frozenset((mark, word) for word in ranked[: _first_words(own, least)])


def is_near_duplicate_of_any(text: str, others: Iterable[str], least: float) -> bool:
    """Return whether a text is a near duplicate of one of the others, as `near_duplicates` would find it."""
    mark, atoms, own = _compared(_fold(text))
    return any(
        its_mark == mark and _overlap(own, its) >= least and not _replaced(atoms, its_atoms)
        for its_mark, its_atoms, its in map(_compared, map(_fold, others))
    )


@lru_cache(maxsize=4096)  # a fact is compared with each new one of its subject
def _compared(key: str) -> tuple[object, tuple[str, ...], frozenset[str]]:
    """Return what near duplicates are told by: the parts that must be equal, the atoms in their order, the tokens."""
    atoms = tuple(_atoms(key))
    return (tuple(_DIGITS.findall(key)), _facts(key)), atoms, _tokens(atoms)


def _within(texts: Mapping[int, str], least: float, *, every: bool = False) -> Iterator[tuple[int, int]]:
    """Compare the texts of one group by their rarest words: near duplicates share one of the first few."""
    alike: dict[object, list[int]] = {}
    for index, text in texts.items():
        alike.setdefault(_facts(text), []).append(index)
    for members in alike.values():
        if len(members) > 1:
            yield from _nearest({index: _atoms(texts[index]) for index in members}, least, every=every)


def _nearest(atoms: Mapping[int, list[str]], least: float, *, every: bool) -> Iterator[tuple[int, int]]:
    """Find the earlier near duplicates of each text; without `every`, one that says the same of the same thing."""
    words = {index: own for index, found in atoms.items() if (own := _tokens(found))}
    counts = Counter(chain.from_iterable(words.values()))
    order = {word: index for index, word in enumerate(sorted(counts, key=lambda word: (counts[word], word)))}
    known: dict[object, list[int]] = {}
    for index, own in words.items():
        keys = _keys(own, counts, order, least)
        seen = dict.fromkeys(chain.from_iterable(islice(known.get(key, ()), _LOOKS) for key in keys))
        for other in seen:
            if _overlap(own, words[other]) >= least and (every or not _replaced(atoms[index], atoms[other])):
                yield index, other
                if not every:
                    break
        for key in keys:
            known.setdefault(key, []).append(index)


def _keys(own: frozenset[str], counts: Mapping[str, int], order: Mapping[str, int], least: float) -> list[object]:
    """Return the lookup keys of a text: near duplicates share a rare word, or two common ones, of their rarest words.

    If the single word is in many texts, the pair is in few.
    """
    first = _first_words(own, least)
    ranked = sorted(own, key=order.__getitem__)[: first + 1]
    rare = [word for word in ranked[:first] if 1 < counts[word] <= _LOOKS]
    common = [word for word in ranked if counts[word] > _LOOKS][:_PAIRED]
    return [own, *rare, *combinations(common, 2)]


def _first_words(own: frozenset[str], least: float) -> int:
    """Return how many first words to look at, in any order that is the same for all texts.

    If two texts share at least `least` of their words, one of so many first words of each is common to both, and two
    of one more (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006).
    """
    return int(len(own) - least * len(own) + 1e-9) + 1


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


@lru_cache(maxsize=4096)  # for the same reason as `comparison_prefilter`
def _fold(text: str) -> str:
    return text if text.isascii() else _compatible(text).replace("’", "'")


def _compatible(text: str) -> str:
    """Return a text in NFKC; most Chinese texts are in it as soon as a few signs are replaced, and that is faster."""
    for wide, sign in _WIDE.items():
        text = text.replace(wide, sign)
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=4096)  # for the same reason
def _facts(text: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Return the parts that must be equal before words are compared: numbers, negations and names."""
    lower = text.lower()
    atoms = ATOM.findall(lower)
    words = [atom for atom in atoms if atom < _SINGLE and not atom.isdecimal()]
    numbers, negations = _NUMBER.findall(lower), [word for word in words if word in _NOT or word.endswith("n't")]
    if not lower.isascii():  # compiling a class of Chinese characters takes longer than reading a memory
        numbers += filter(_NUMERALS.__contains__, lower)
        negations += filter(_NOT_CHARS.__contains__, lower)
        negations += (word for word in _NOT_WORDS for _ in range(lower.count(word)))
    is_mixed = any(atom >= _SINGLE for atom in atoms)  # a mark such as `。` makes no other script of a text
    names = words if is_mixed else [name.lower() for name in _NAME.findall(text)]
    return tuple(sorted(numbers)), tuple(sorted(negations)), frozenset(names) - _EMPTY


def _atoms(text: str) -> list[str]:
    return [atom for atom in ATOM.findall(text.casefold()) if atom not in _EMPTY]


def _tokens(atoms: Sequence[str]) -> frozenset[str]:
    words = {atom for atom in atoms if atom < _SINGLE}
    return frozenset(words.union(a + b for a, b in pairwise(atoms) if a >= _SINGLE <= b))


def _replaced(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the texts are equal except for one part, which differs."""
    shorter = min(len(one), len(other))
    start = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    end = next((i for i in range(shorter - start) if one[-1 - i] != other[-1 - i]), shorter - start)
    here, there = one[start : len(one) - end], other[start : len(other) - end]
    if not here or not there:
        return False
    common = len(set(here) & set(there))
    return 2 * common < min(len(set(here)), len(set(there)))


_SENTENCE_END = pattern(r"[;；。！？]|[.!?](?=\s|\Z)")  # also of what an entry joins
_ROUNDS = pattern(r"\S+ ?\d+(?:[–-]\d+)?(?: \S+)?[:：]\s*")  # before an episode: «Round 1:», «第 1–2 轮：»
_SIGNS = pattern(r"[\W_]+")
_CUT = "…"


def restates(text: str, said: str) -> bool:
    """Return whether what was said contains each sentence of a text; the last word of a cut text is ignored.

    Facts, episodes, requests and the scratchpad quote a conversation, mostly without the first words of a sentence.

    Args:
        text: one line.
        said: as `spoken` returns it.
    """
    start = _ROUNDS.match(text)
    text = text[start.end() if start else 0 :].strip()
    if text.endswith(_CUT):
        text = text.removesuffix(_CUT).rpartition(" ")[0] or text.removesuffix(_CUT)
    sentences = [one for one in map(spoken, _SENTENCE_END.split(text)) if one.strip()]
    return bool(sentences) and all((one if one.isascii() else one.strip()) in said for one in sentences)


def spoken(text: str) -> str:
    """Return a text as `restates` compares it: in lower case, its words between single blanks."""
    return f" {_SIGNS.sub(' ', text.casefold()).strip()} "


_CLAUSE_END = pattern(r"[,;!?、。，；！？]|[.:](?=\s|\Z)")


def covers(line: str, text: str, least: float) -> bool:
    """Return whether a line says all that a text says: in the same words, or in these with others among them.

    The numbers and negations are the same, and no name of the line is missing in the text. What the line says besides
    are a few words (`least` is the share of common words), or whole clauses.
    """
    if comparison_key(line) == comparison_key(text):
        return True
    mine, its = _fold(text), _fold(line)
    numbers, negations, names = _facts(its)
    own_atoms, atoms = _atoms(mine), _atoms(its)
    if (numbers, negations) != _facts(mine)[:2] or not names <= {*own_atoms} or not own_atoms:
        return False
    rest = iter(atoms)
    if not all(atom in rest for atom in own_atoms):  # in this order
        return False
    return _overlap(_tokens(own_atoms), _tokens(atoms)) >= least or _is_clauses(its, mine)


def _is_clauses(line: str, text: str) -> bool:
    """Return whether some clauses of a line that follow each other are the text."""
    bounds, whole = {0}, ""
    for clause in _CLAUSE_END.split(line):
        whole += comparison_key(clause) if clause.strip() else ""
        bounds.add(len(whole))
    key = "".join(comparison_key(clause) for clause in _CLAUSE_END.split(text) if clause.strip())
    start = whole.find(key)
    while start >= 0:
        if {start, start + len(key)} <= bounds:
            return True
        start = whole.find(key, start + 1)
    return False
