"""A question as a query: `"…"` must stand so, `-word` must not, `word*` may go on, AND, OR and NOT between words.

Beside other words a quotation is a wish: what holds it comes first. What does not fit these forms is text, so that no
question is wrong: a lone quote, a bracket, a star, an option such as `-q` are what they are.
"""

from __future__ import annotations

from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.words.fold import fold, plain
from mdmem.core.words.stop import is_stop, without_phrases
from mdmem.core.words.terms import terms

_TOKEN = pattern(
    r'(?P<not>(?:(?<=\s)|^)(?:-|NOT\s+))?"(?P<phrase>[^"]*)"'
    r"|(?P<minus>(?:(?<=\s)|^)(?:-(?=[A-Za-z]\w|[^\W\dA-Za-z])|NOT\s+(?=\S)))(?P<never>[^\s\"]+)"
    r"|(?P<prefix>[^\s\"*]*\w)\*(?=\s|$)"
    r"|(?P<word>[^\s\"]+|\")"
)
_LEAST, _ENDING = 3, 4  # letters of a stem, and of what a stem may lack of a word's beginning


class Phrase(NamedTuple):
    """What a row's text holds just so, however it is spaced; `begins`: at the beginning of a word."""

    text: str  # folded, in small letters, without spaces
    terms: tuple[str, ...]  # all of these are terms of such a row
    begins: bool = False

    def within(self, text: str) -> bool:
        """Tell whether a text holds it."""
        if not self.begins:
            return self.text in small(text)
        said = plain(fold(text))
        at = said.find(self.text)
        while at > 0 and said[at - 1].isascii() and said[at - 1].isalnum():
            at = said.find(self.text, at + 1)
        return at >= 0


class Query(NamedTuple):
    """What a question asks for."""

    text: str  # as it was asked
    words: tuple[str, ...]  # content terms, any of which may be; all terms where none has content
    must: tuple[Phrase, ...] = ()
    never: tuple[Phrase, ...] = ()
    prefixes: tuple[Phrase, ...] = ()  # any of which may be; terms begin with their first one, or are one of the others
    wishes: tuple[Phrase, ...] = ()  # what holds these comes first

    def allows(self, text: str) -> bool:
        """Tell whether a text holds all that must be in it, and nothing that must not."""
        if not (self.must or self.never):  # as nearly always
            return True
        return all(one.within(text) for one in self.must) and not any(one.within(text) for one in self.never)

    @property
    def sought(self) -> frozenset[str]:
        """Every term that an answer may be marked by."""
        return frozenset(self.words).union(*(one.terms for one in (*self.must, *self.prefixes, *self.wishes)))

    @property
    def lenient(self) -> Query:
        """The same question, with nothing that must be."""
        return self._replace(must=(), wishes=(*self.must, *self.wishes)) if self.must else self


def parse_query(text: str) -> Query:
    """Read a question, whatever it holds."""
    must: list[Phrase] = []
    never: list[Phrase] = []
    prefixes: list[Phrase] = []
    quoted: list[Phrase] = []
    said: list[str] = []
    beside = False  # words stand beside the quotations
    found = list(_TOKEN.finditer(fold(text)))
    for index, match in enumerate(found):
        phrase, word = match["phrase"], match["word"]
        if phrase is not None:
            (never if match["not"] else quoted).append(_phrase(phrase))
            said += [] if match["not"] else [phrase]
        elif match["never"] is not None:
            never.append(_phrase(match["never"]))
        elif match["prefix"] is not None:
            prefixes.append(_prefix(match["prefix"]))
        elif word in ("AND", "OR") and 0 < index < len(found) - 1:
            if word == "AND":
                must += [_phrase(one) for one in (found[index - 1]["word"], found[index + 1]["word"]) if one]
        else:
            said.append(word)
            beside = beside or not any(one["word"] == "AND" for one in found[max(0, index - 1) : index + 2])
    must, wishes = (must, quoted) if beside else (quoted + must, [])
    kept = (tuple(one for one in dict.fromkeys(some) if one.terms) for some in (must, never, prefixes, wishes))
    return Query(text, _content(" ".join(said)), *kept)


def small(text: str) -> str:
    """Give a text folded, in small letters, without spaces: how phrases are compared."""
    return "".join(plain(word) for word in fold(text).split())


def _content(text: str) -> tuple[str, ...]:
    content = (term for term in terms(without_phrases(text)) if not is_stop(term))
    return tuple(dict.fromkeys(content)) or tuple(dict.fromkeys(terms(text)))


def _phrase(text: str) -> Phrase:
    return Phrase(small(text), tuple(dict.fromkeys(terms(text))))


def _prefix(text: str) -> Phrase:
    word = small(text)
    stems = (word[:-cut] for cut in range(1, _ENDING + 1) if len(word) - cut >= _LEAST)
    return Phrase(word, (word, *stems), begins=True)
