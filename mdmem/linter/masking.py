"""Masks the secrets of a text that leaves mdmem: a hit, a pack, a prompt, a reason; and those a message repeats."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from mdmem.linter.detect.secrets import Secret, find_secrets, without_overlaps
from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.linter.views.decoded_views import DecodedView, readable_views
from mdmem.text.pattern import pattern

# What stands for a secret in a masked text: `[password]`, `[GitHub token]`.
MARK = pattern(
    r"\[[\w. -]{0,32}\b(?:passwords?|PIN|CVV|code|number|account|phrase|key|token|secret|address|credentials)"
    r"\b[\w. -]{0,32}\](?!\()",
    re.IGNORECASE,
)

# Escape sequences of terminals, complete or cut off: colours, cursor moves, titles, hyperlinks.
ESCAPE = pattern("\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\\\)?|[@-Z\\\\^_]?)")

_SUFFIX = pattern(r"\.[a-z]{2,5}\Z")  # of a file
_JOINS = pattern(r"([-_/\\.]+)")
_ECHOED = 40  # most characters of a caller's word that a message repeats
_REPEATED = 200  # most characters of a given value that an error repeats; a path is rarely longer
LONGEST_MESSAGE = 2_000  # most characters of a message
_SPOKEN = ("password", "PIN", "CVV", "access code", "lock code", "backup code")
_LEAST = 3  # fewest characters of a cut secret that are masked too
_CUT = ("", "…", "`", ".")  # what follows a secret that was cut


def every_secret(text: str) -> Iterator[Secret]:
    """Yield the keys and tokens of a text and the passwords in its sentences, sorted, without overlaps.

    What only a person reads as one, such as a password in full-width letters, counts too.
    """
    return without_overlaps(
        (name, *view.locate(start, end))
        for view in readable_views(DecodedView(text))
        for name, start, end in (*find_secrets(view.text, view.runs), *find_spoken(view))
        if view.shows(start, end)
    )


def output_secrets(text: str) -> Iterator[Secret]:
    """Yield the keys, tokens and passwords of an output that is kept; in its tables, long numbers are rarely cards."""
    yield from find_secrets(text)
    yield from (one for one in find_spoken(DecodedView(text)) if one[0] in _SPOKEN)


def printed_secrets(text: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """Yield the secrets of an output, sorted; those that overlap as one, with the name of the first.

    Colour codes of a terminal may be inside a secret, or between it and the word that names it.

    Args:
        text: the output.
        find: returns the secrets of a text without escape sequences.
    """
    last: Secret | None = None
    for one in sorted((*find(text), *_coloured(text, find)), key=lambda secret: (secret[1], -secret[2])):
        if last is not None and one[1] < last[2]:
            last = (last[0], last[1], max(last[2], one[2]))
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _coloured(text: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """Yield the secrets of a text without its escape sequences, as spans of the text with them."""
    gaps = [gap.span() for gap in ESCAPE.finditer(text)] if "\x1b" in text else []
    if not gaps:
        return
    bounds = (0, *(offset for gap in gaps for offset in gap), len(text))
    shown = "".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    removed = list(accumulate((end - start for start, end in gaps), initial=0))
    offsets = [start - before for (start, _), before in zip(gaps, removed, strict=False)]  # of each gap in what shows
    for name, start, end in find(shown):
        yield name, start + removed[bisect_right(offsets, start)], end + removed[bisect_left(offsets, end)]


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
