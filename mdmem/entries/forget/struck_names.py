"""New names for files whose names hold a forgotten text. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from mdmem.entries.forget.spellings import name_pattern, name_pieces
from mdmem.formats.paths import within_user
from mdmem.formats.template import Schemas
from mdmem.text.pattern import pattern

_PIECE = pattern(r"[^\W_]+")
_STAMP = pattern(r"\d{4}-?\d\d-?\d\d(?:_\d{6})?")
_GAPS = pattern(r"[\s_-]{2,}")
_ENDS = "_-. "
_NAMELESS = "forgotten"
_LEAST = 2  # letters of the text with which a name was cut off
_FACTS = "facts"
_RECORDS = ("artifacts/", "attachments/")  # their names lead to other files


def is_struck(old: str, new: str) -> bool:
    """Return True if a file of one id may have got another: the same time, and no words that the old one has not."""
    stamp = found[0] if (found := _STAMP.match(old)) else ""
    if old == new or not stamp or not new.startswith(f"{stamp}_"):
        return False
    at, rest = len(stamp), new[len(stamp) + 1 :]
    for piece in () if rest == _NAMELESS else _PIECE.findall(rest):
        at = old.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


class StruckNames:
    """Gives each file whose name holds a text a name without it."""

    def __init__(self, words: str, schemas: Schemas, taken: Callable[[str], bool]) -> None:
        """Bind to a text; `taken` tells whether a path exists, and will after the text was forgotten."""
        self._regex = re.compile(name_pattern(words))
        self._slug = "_".join(name_pieces(words))
        self._schemas, self._taken = schemas, taken
        self._new: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """Return the path without the text, for a path of the log too."""
        new = self._new.get(path) or self._without(path)
        return new if new == path or path in self._new or self._is_free(path) else path

    def holds(self, path: str) -> bool:
        """Return True for a path whose name holds the text and may be changed."""
        return self(path) != path

    def mentions(self, path: str) -> bool:
        """Return True for a path whose folders or name hold the text, whether or not they may be changed."""
        return self._without(path) != path or self._regex.search(path.rpartition("/")[0]) is not None

    def rename(self, path: str, *, cut_off: bool = False) -> bool:
        """Give a file another name if its own holds the text, or ends with its beginning where it was `cut_off`.

        A name that mdmem or the person needs stays: that of a single file, of the person's facts, of a record.
        """
        if path in self._new:
            return True
        new = self._without(path, cut_off=cut_off)
        if new == path or within_user(path).startswith(_RECORDS) or not self._is_free(path):
            return False
        stem, dot, ending = new.rpartition(".")
        paths = (new if number == 1 else f"{stem}-{number}{dot}{ending}" for number in count(1))
        self._new[path] = next(one for one in paths if one not in self._new.values() and not self._taken(one))
        return True

    def former(self, path: str) -> str:
        """Return the old path of a file that gets this path; the path itself if none does."""
        return next((old for old, new in self._new.items() if new == path), path)

    def keep(self, path: str) -> None:
        """Give a file no new name."""
        self._new.pop(path, None)

    @property
    def renamed(self) -> Mapping[str, str]:
        """The new path of each renamed file."""
        return self._new

    def named(self, text: str) -> str:
        """Return a text in which the new ids of the renamed files stand for the old ones."""
        for old, new in sorted(self._ids(), key=lambda ids: -len(ids[0])):
            text = text.replace(old, new)
        return text

    def _ids(self) -> Iterator[tuple[str, str]]:
        for old, new in self._new.items():
            yield _stem(old), _stem(new)

    def _is_free(self, path: str) -> bool:
        if path.startswith(_RECORDS):
            return not self._taken(path)
        template = self._schemas.match(path)
        if template is None:
            return True
        if any(path == name or path.endswith(f"/{name}") for name in template.files):
            return False
        row = next(iter(template.parts.get("subjects", ())), "") if template.kind == _FACTS else ""
        return _stem(path) not in [name.strip() for name in row.split("=")]

    def _without(self, path: str, *, cut_off: bool = False) -> str:
        folder, slash, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".")
        stem = stem if dot else ending
        stamp = found[0] if (found := _STAMP.match(stem)) else ""
        own = stem[len(stamp) :]
        rest = self._regex.sub("_", own)
        if cut_off and rest == own:
            plain = unicodedata.normalize("NFC", rest)  # some file systems store names decomposed
            most = min(len(plain), len(self._slug))
            size = next((size for size in range(most, _LEAST - 1, -1) if plain.endswith(self._slug[:size])), 0)
            rest = plain[: len(plain) - size] if size else rest
        if rest == own:
            return path
        rest = _GAPS.sub("_", rest).strip(_ENDS) or _NAMELESS
        return f"{folder}{slash}{stamp}{'_' if stamp else ''}{rest}{dot}{ending if dot else ''}"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
