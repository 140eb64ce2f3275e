"""English stems by M. F. Porter's algorithm of 1980: connected, connecting, connection → connect."""

from __future__ import annotations

from functools import lru_cache

from mdmem.text.pattern import pattern

_CONSONANTS, _VOWELS = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
_SOME = pattern(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")  # a measure above 0
_ONE = pattern(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?\\Z")  # a measure of 1
_MORE = pattern(f"(?:{_CONSONANTS})?(?:{_VOWELS}{_CONSONANTS}){{2}}")  # above 1
_VOWEL = pattern(f"(?:{_CONSONANTS})?{_VOWELS}")
_SHORT = pattern("[^aeiou][^aeiouy]*[aeiouy][^aeiouwxy]\\Z")  # consonant, vowel, consonant
_DOUBLE = pattern(r"([^aeiouylsz])\1\Z")
_SECOND = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_THIRD = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_FOURTH = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize",
)  # fmt: skip
_LAST = frozenset(end[-1] for end, _ in _SECOND + _THIRD)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other languages are unchanged or lose an ending."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    for endings in (_SECOND, _THIRD):
        word = _replaced(word, endings)
    return _tidied(_shortened(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _SOME.match(word[:-3]) else word
    base = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not base or not _VOWEL.match(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _DOUBLE.search(base):
        return base[:-1]
    return base + "e" if _SHORT.fullmatch(base) else base


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    if word[-1] not in _LAST:
        return word
    found = [(end, new) for end, new in endings if word.endswith(end)]
    if not found:
        return word
    end, new = max(found, key=lambda pair: len(pair[0]))
    base = word[: -len(end)]
    return base + new if _SOME.match(base) else word


def _shortened(word: str) -> str:
    if word.endswith(("sion", "tion")):
        return word[:-3] if _MORE.match(word[:-3]) else word
    found = [end for end in _FOURTH if word.endswith(end)]
    if not found:
        return word
    base = word[: -len(max(found, key=len))]
    return base if _MORE.match(base) else word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _MORE.match(base) or (_ONE.match(base) and not _SHORT.fullmatch(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _MORE.match(word) else word
