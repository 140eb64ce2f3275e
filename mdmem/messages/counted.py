"""Numbers with nouns in sentences: `{count:entry|entries}` is «1 entry» or «3 entries»."""

from __future__ import annotations

from collections.abc import Mapping

_ARTICLE, _VOWELS = "a", ("a", "e", "i", "o", "u")
_MOST_DIGITS = (
    18  # a longer row of digits is a text: Python reads no number of thousands of digits; `010` is a text too
)


class Counted(int):
    """A number that is formatted with its noun: the format holds singular and plural, separated by `|`."""

    def __format__(self, spec: str) -> str:
        """Return the number and, if the format has nouns, the matching one."""
        one, between, many = spec.partition("|")
        return f"{int(self)} {one if self == 1 else many}" if between else int.__format__(self, spec)


class Named(str):
    """A text that is formatted with its English article: `{kind:a}` is «a password» or «an identity number»."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        """Return the text, behind its article if the format asks for it."""
        if spec != _ARTICLE:
            return str.__format__(self, spec)
        return f"{_ARTICLE}{'n' * self[:1].casefold().startswith(_VOWELS)} {self}"


def counted(facts: Mapping[str, object]) -> dict[str, object]:
    """Return the facts of a sentence with their numbers as `Counted`."""
    return {key: _counted(value) for key, value in facts.items()}


def _counted(value: object) -> object:
    is_short = isinstance(value, str) and len(value) <= _MOST_DIGITS
    if isinstance(value, str) and is_short and value.isascii() and value.isdecimal() and str(int(value)) == value:
        return Counted(value)
    if isinstance(value, str):
        return Named(value)
    return Counted(value) if isinstance(value, int) and not isinstance(value, bool) else value
