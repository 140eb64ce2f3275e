"""Masks the secrets of a text that leaves mdmem: a hit, a pack, a prompt, a reason; and those a message repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mdmem.linter.detect.decoded_views import DecodedView, readable_views
from mdmem.linter.detect.secrets import Secret, find_secrets, without_overlaps
from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.text.pattern import pattern

# What stands for a secret in a masked text: `[password]`, `[GitHub token]`.
MARK = pattern(
    r"\[[\w. -]{0,32}\b(?:passwords?|PIN|CVV|code|number|account|phrase|key|token|secret|address|credentials)"
    r"\b[\w. -]{0,32}\](?!\()",
    re.IGNORECASE,
)

_SUFFIX = pattern(r"\.[a-z]{2,5}\Z")  # of a file
_JOINS = pattern(r"([-_/\\.]+)")
_ECHOED = 40  # most characters of a caller's word that a message repeats
_REPEATED = 200  # most characters of a given value that an error repeats; a path is rarely longer
LONGEST_MESSAGE = 2_000  # most characters of a message
_LEAST = 3  # fewest characters of a cut secret that are masked too
_CUT = ("", "…", "`", ".")  # what follows a secret that was cut


def every_secret(text: str) -> Iterator[Secret]:
    """Yield the keys and tokens of a text and the passwords in its sentences, sorted, without overlaps.

    What only a person reads as one, such as a password in full-width letters, counts too.
    """
    return without_overlaps(
        (name, *view.locate(start, end))
        for view in readable_views(DecodedView(text))
        for name, start, end in (*find_secrets(view.text, view.runs), *find_spoken(view.text, view.lower))
        if view.shows(start, end)
    )


def name_in_words(name: str) -> str:
    """Return the name of a file, a folder or a predicate as a person reads it: `password_is_x1` as `password is x1`.

    A sign that joins words is a blank behind a word of letters only: a password such as `Tq4-willow` stays whole.
    """
    parts = _JOINS.split(_SUFFIX.sub("", name))
    pairs = zip(parts[::2], (*parts[1::2], ""), strict=True)
    return "".join(word + (" " if join and word.isalpha() else join) for word, join in pairs)


def mask(text: str, secrets: Iterable[Secret] | None = None) -> str:
    """Return a text with each secret replaced by `[name]`; `secrets` are those of the text if known."""
    found = every_secret(text) if secrets is None else secrets
    return _replaced(text, ((f"[{name}]", start, end) for name, start, end in found))


def mask_in_place(text: str, secrets: Iterable[Secret] | None = None) -> tuple[str, int]:
    """Return a text with its secrets masked, and their number; every line keeps its number.

    `secrets` are those of the text if known.
    """
    found = every_secret(text) if secrets is None else secrets
    marks = [(f"[{name}]" + "\n" * text.count("\n", start, end), start, end) for name, start, end in found]
    return _replaced(text, marks), len(marks)


def _replaced(text: str, marks: Iterable[tuple[str, int, int]]) -> str:
    pieces: list[str] = []
    copied = 0
    for mark, start, end in marks:
        pieces += (text[copied:start], mark)
        copied = end
    return "".join((*pieces, text[copied:]))


def echo(word: str, most: int | None = _ECHOED) -> str:
    """Return a caller's word for a message: secrets masked, then cut, without lone surrogates."""
    return mask(word)[:most].encode("utf-8", "replace").decode()


def masked(text: str, source: str) -> str:
    """Return a text in which each secret of `source` or of the text itself is replaced by `[its name]`.

    Both are searched: a message may quote the secret without the words that identify it, or only a part of it.
    """
    names = dict(_secrets(source)) | dict(_secrets(text))
    for value in sorted(names, key=len, reverse=True):
        text = _mask_value(text, value, f"[{names[value]}]")
    return text


def safe_message(text: str, source: str, given: Iterable[str]) -> str:
    """Return the message of an error, or its hint, for whoever caused it: secrets masked, long values cut.

    Args:
        text: the message.
        source: what the caller gave, as one text; it is searched for secrets as well.
        given: the single values; of a long one the message repeats the beginning.
    """
    for value in given:
        if len(value) > _REPEATED:
            text = text.replace(value, f"{value[:_REPEATED]}…")
    text = masked(text, source)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def _secrets(text: str) -> Iterator[tuple[str, str]]:
    """Yield each secret of a text with its name."""
    for name, start, end in every_secret(text):
        yield text[start:end], name


def _mask_value(text: str, value: str, name: str) -> str:
    """Replace a value, and the parts of it that a message has cut."""
    text, copied = text.replace(value, name), 0
    out: list[str] = []
    while (start := text.find(value[:_LEAST], copied)) >= 0:
        end = start + _common_length(text, start, value)
        is_cut = text[end : end + 1] in _CUT
        out += (text[copied:start], name if is_cut else text[start:end])
        copied = end
    return "".join((*out, text[copied:]))


def _common_length(text: str, offset: int, value: str) -> int:
    """Return how many characters of a value are in a text, from an offset."""
    length = 0
    while length < len(value) and text[offset + length : offset + length + 1] == value[length]:
        length += 1
    return length
