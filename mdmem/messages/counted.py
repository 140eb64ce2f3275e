"""Numbers in sentences: `{count:entry|entries}` is «1 entry» or «3 entries»."""

from __future__ import annotations

from collections.abc import Mapping


class Counted(int):
    """A number that brings its noun along: the format names one and many, with `|` between."""

    def __format__(self, spec: str) -> str:
        """Write the number and, where the format names any, the noun that goes with it."""
        one, between, many = spec.partition("|")
        return f"{int(self)} {one if self == 1 else many}" if between else int.__format__(self, spec)


def counted(facts: Mapping[str, object]) -> dict[str, object]:
    """Return the facts of a sentence with their numbers ready to bring a noun along."""
    return {key: _counted(value) for key, value in facts.items()}


def _counted(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return Counted(value)
    return Counted(value) if isinstance(value, int) and not isinstance(value, bool) else value
