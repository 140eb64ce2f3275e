"""Parses a question into a query and into what it asks for: `"…"`, `-word`, `word*`, AND, OR, NOT; days, tags, names.

Beside other words a quotation is a preference: matching rows come first. Anything that does not fit these forms is
text, so every question is valid: a lone quote, a bracket, a star, an option such as `-q`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from mdmem.search.earlier import Earlier, earlier_words, read_earlier
from mdmem.search.words.date_phrases import DateRanges, read_days
from mdmem.search.words.roles import Role
from mdmem.search.words.terms import fold, fold_case_and_accents, is_stop, pieces, terms, without_phrases
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern

_TOKEN = pattern(
    r'(?P<not>(?:(?<=\s)|^)(?:-|NOT\s+))?"(?P<phrase>[^"]*)"'
    r"|(?P<minus>(?:(?<=\s)|^)(?:-(?=[A-Za-z]\w|[^\W\dA-Za-z])|NOT\s+(?=\S)))(?P<never>[^\s\"]+)"
    r"|(?P<prefix>[^\s\"*]*\w)\*(?=\s|$)"
    r"|(?P<word>[^\s\"]+|\")"
)
_LEAST, _ENDING = 3, 4  # letters of a stem, and letters that a stem may lack from a prefix


class Phrase(NamedTuple):
    """A text to find literally, ignoring spaces; `begins`: only at the beginning of a word."""

    text: str  # folded, lower case, without spaces
    terms: tuple[str, ...]  # all of these are terms of a matching row
    begins: bool = False

    def within(self, text: str) -> bool:
        """Return whether a text contains it."""
        if not self.begins:
            return self.text in small(text)
        folded = fold_case_and_accents(fold(text))
        at = folded.find(self.text)
        while at > 0 and folded[at - 1].isascii() and folded[at - 1].isalnum():
            at = folded.find(self.text, at + 1)
        return at >= 0


class Query(NamedTuple):
    """A parsed query."""

    text: str  # as it was asked
    words: tuple[str, ...]  # content terms, any of which may match; all terms if none has content
    must: tuple[Phrase, ...] = ()
    never: tuple[Phrase, ...] = ()
    prefixes: tuple[Phrase, ...] = ()  # any may match: a term begins with the first one, or equals one of the others
    wishes: tuple[Phrase, ...] = ()  # matching rows come first

    def allows(self, text: str) -> bool:
        """Return whether a text contains all required and no excluded phrases."""
        if not (self.must or self.never):  # the usual case
            return True
        return all(one.within(text) for one in self.must) and not any(one.within(text) for one in self.never)

    @property
    def sought(self) -> frozenset[str]:
        """Return every term to highlight in an answer."""
        return frozenset(self.words).union(*(one.terms for one in (*self.must, *self.prefixes, *self.wishes)))

    @property
    def lenient(self) -> Query:
        """Return the query with its required phrases as preferences."""
        return self._replace(must=(), wishes=(*self.must, *self.wishes)) if self.must else self


def parse_query(text: str, stop_words: tuple[str, ...] = ()) -> Query:
    """Parse a question; `stop_words` are additional words without content."""
    must: list[Phrase] = []
    never: list[Phrase] = []
    prefixes: list[Phrase] = []
    quoted: list[Phrase] = []
    texts: list[str] = []
    beside = False  # there are words beside the quotations
    found = list(_TOKEN.finditer(fold(text)))
    for index, match in enumerate(found):
        phrase, word = match["phrase"], match["word"]
        if phrase is not None:
            (never if match["not"] else quoted).append(_phrase(phrase))
            texts += [] if match["not"] else [phrase]
        elif match["never"] is not None:
            never.append(_phrase(match["never"]))
        elif match["prefix"] is not None:
            prefixes.append(_prefix(match["prefix"]))
        elif word in ("AND", "OR") and 0 < index < len(found) - 1:
            if word == "AND":
                must += [_phrase(one) for one in (found[index - 1]["word"], found[index + 1]["word"]) if one]
        else:
            texts.append(word)
            beside = beside or not any(one["word"] == "AND" for one in found[max(0, index - 1) : index + 2])
    must, wishes = (must, quoted) if beside else (quoted + must, [])
    phrases = (tuple(one for one in dict.fromkeys(some) if one.terms) for some in (must, never, prefixes, wishes))
    return Query(text, _content(" ".join(texts), stop_words), *phrases)


def small(text: str) -> str:
    """Return a text folded, in lower case and without spaces, for comparing phrases."""
    return "".join(fold_case_and_accents(word) for word in fold(text).split())


def _content(text: str, stop_words: tuple[str, ...]) -> tuple[str, ...]:
    own: set[str] = set()
    for word in stop_words:
        if len(word) > 1 and is_dense(word[0]):
            text = text.replace(fold(word), " ")  # its characters may carry content elsewhere
        else:
            own.update(terms(word))
    content = (term for term in terms(without_phrases(text)) if term not in own and not is_stop(term))
    return tuple(dict.fromkeys(content)) or tuple(dict.fromkeys(terms(text)))


def _phrase(text: str) -> Phrase:
    return Phrase(small(text), tuple(dict.fromkeys(terms(text))))


def _prefix(text: str) -> Phrase:
    word = small(text)
    stems = (word[:-cut] for cut in range(1, _ENDING + 1) if len(word) - cut >= _LEAST)
    return Phrase(word, (word, *stems), begins=True)


_NOW = pattern(
    r"(?i)\b(?:now|nowadays|current(?:ly)?|latest|newest|most recent(?:ly)?|at present|today|still"
    r"|these days|anymore)\b|现在|目前|当前|如今|眼下|最新|最近一次|还在|仍然|现任"
)
_TAG = pattern(r"(?<!\S)#([^\s#]+)")
_MINE = pattern(r"(?i)\b(?:I|I'm|I've|my|me|mine|myself)\b|我")
_DENSE = "\u2e80"  # from here on, names are not separated by spaces


class Question(NamedTuple):
    """A parsed question."""

    text: str
    words: tuple[str, ...]
    days: tuple[DateRanges, ...] = ()
    past: bool = False  # it asks for a former state
    earlier: Earlier = Earlier()  # and for which one
    now: bool = False  # it asks explicitly for the present state
    mine: bool = False  # it is about the asker
    kinds: tuple[str, ...] = ()  # that it mentions: an image, a file, a tool's output
    roles: tuple[Role, ...] = ()  # what it asks for: a person, a place, a time, an amount
    tags: frozenset[str] = frozenset()
    weights: Mapping[str, float] = MappingProxyType({})  # the inverse document frequency of each word

    def names(self, whos: Iterable[str]) -> frozenset[str]:
        """Return the speakers, subjects and predicates that the question names."""
        folded = self.text.casefold()
        asked = frozenset(terms(self.text))
        return frozenset(who for who in set(whos) if who and _is_named(who, folded, asked))


def _is_named(who: str, folded: str, asked: frozenset[str]) -> bool:
    if who >= _DENSE:
        return who.casefold() in folded
    return not asked.isdisjoint(term for term in terms(who) if len(term) > 1 and not is_stop(term))


def content(text: str, old_things: tuple[str, ...]) -> str:
    """Return a question without words of time such as «now» or «before», which match no line."""
    folded = fold(text)
    rest = _NOW.sub(" ", earlier_words(old_things).sub(" ", folded))
    return rest if any(not is_stop(term) for term in terms(rest)) else text


def understand(
    text: str, words: Sequence[str], *, today: date, recently: int, triggers: Mapping[str, Sequence[str]],
    old_things: tuple[str, ...],
) -> Question:  # fmt: skip
    """Parse a question.

    `words` are its content terms; `recently` is the number of days of «recently»; `triggers` maps each kind of file to
    the words that ask for it (K071); `old_things` are those of `earlier_words`.
    """
    spelled = fold(text)
    folded = spelled.casefold()
    return Question(
        text,
        tuple(words),
        days=read_days(text, today, recently),
        past=earlier_words(old_things).search(spelled) is not None,
        earlier=read_earlier(spelled),
        now=_NOW.search(spelled) is not None,
        mine=_MINE.search(text) is not None,
        kinds=tuple(kind for kind, asked in triggers.items() if any(_occurs(word, folded) for word in asked)),
        tags=frozenset(_TAG.findall(text)),
    )


def _occurs(word: str, folded: str) -> bool:
    if not word.isascii():
        return word in folded
    at = folded.find(word)
    while at >= 0:
        ends = folded[at + len(word) : at + len(word) + 2]
        if not folded[at - 1 : at].isalnum() and not ends.removeprefix("s")[:1].isalnum():
            return True
        at = folded.find(word, at + 1)
    return False


_BETWEEN = pattern(r"(?i)\b(?:and|or|versus|vs)\b|&|、|还有|以及|或者|还是|和|或|跟|与")
_CHOICE = pattern(r"(?i)\b(?:or|versus|vs)\b")
_CLAUSE = pattern(r"[,:;](?=\s)")
_PAIR = 2


def parts_of(question: Question, left_out: Collection[str], choice_words: int) -> tuple[frozenset[str], ...]:
    """Return the terms of each thing that a question asks for («the roof and the fence»); none if it asks for one.

    A part is the word beside a conjunction, unless it is left out. Where something is compared, «buying the bike or
    selling the car», it is the nearest `choice_words` of the clause beside it.
    """
    asked = frozenset(question.words).difference(left_out)
    text = fold(question.text)
    is_choice = _CHOICE.search(text) is not None
    segments = _BETWEEN.split(text)
    found: list[frozenset[str]] = []
    for at, segment in enumerate(segments):
        clauses = _CLAUSE.split(segment)
        words = _segment_words(clauses[-1 if at == 0 else 0] if is_choice else segment, asked)
        if words and is_choice and segment.isascii():
            found.append(frozenset[str]().union(*(words[-choice_words:] if at == 0 else words[:choice_words])))
        elif words:
            found.append(words[-1] if at == 0 else words[0])
    distinct = tuple(dict.fromkeys(found))
    return distinct if len(distinct) > 1 else ()


def _segment_words(segment: str, asked: frozenset[str]) -> list[frozenset[str]]:
    """Return the words of a segment that have content, each as its terms; of a dense run, its pairs of characters."""
    found: list[frozenset[str]] = []
    for match in pieces(segment):
        piece = match.group()
        if is_dense(piece[0]):
            pairs = [one for one in terms(piece) if len(one) == _PAIR and one in asked and not any(map(is_stop, one))]
            found += [frozenset((one,)) for one in pairs]
        else:
            own = frozenset(term for term in terms(piece) if term in asked and not is_stop(term))
            found += [own] if own else []
    return found


_FIELD = pattern(r"\[[\w-]+::[^\[\]\n]*\]|(?<=\s)\^[\w-]+\s*\Z")
_DATE = pattern(r"\A\d{4}-\d{2}-\d{2}(?:[ T]\d{1,2}:\d{2})?\s*[:：,，]?\s*")


def plain(text: str) -> str:
    """Return a line without its fields and id, for comparison."""
    return _FIELD.sub("", text) if "::" in text or "^" in text else text


USER = "user"  # the `who` of the person whose memory this is


class Candidate(NamedTuple):
    """A line that may answer; a neighbour has no score of its own."""

    path: str
    line: int  # 1-based
    ordinal: int  # its number among the rows of its file
    text: str
    kind: str = ""
    date: str = ""  # ISO 8601, of the line or of its file
    who: str = ""  # the speaker or the subject
    words: float = 0.0  # BM25 of the question's words
    term_scores: tuple[tuple[int, float], ...] = ()  # the number and score of each term it contains
    length: int = 0  # in terms
    context: float = 0.0  # BM25 of the last rounds' words
    meaning: float = 0.0  # similarity in a vector backend, 0 to 1
    story: bool = False  # its file is one story: neighbouring lines belong together
    subject: str = ""
    predicate: str = ""
    type: str = ""  # FACT, PREFERENCE, RULE, SKILL, ERROR and other entry types of a memory (K105)
    tags: tuple[str, ...] = ()
    importance: float = 0.5  # 0 to 1
    opened: int = 0  # how often it was recalled; not counted for a line of a story
    key: str = ""
    old: bool = False  # marked as superseded
    source: str = ""  # what a fact cites: `chat:SESSION#round`

    @property
    def undated(self) -> str:
        """Return the text without its leading date."""
        return _DATE.sub("", self.text, count=1) if self.date and self.text.startswith(self.date[:10]) else self.text

    @property
    def plain(self) -> str:
        """Return the text without leading date, fields and id, for comparison."""
        return plain(self.undated)


class RankedHit(NamedTuple):
    """A row with its score and the reasons for it, strongest first."""

    row: Candidate
    score: float  # 0 to 1, relative to the best possible relevance
    why: tuple[str, ...]  # newest, words, context, meaning, time, neighbours, story, asked


def understood(question: str, settings: RecallSettings, today: str) -> Question:
    """Parse a question with the recall settings; `today` is an ISO date."""
    triggers = {row.split()[0]: row.split()[1:] for row in settings.triggers if row.strip()}
    words = parse_query(content(question, settings.old_things), settings.stop_words).words
    return understand(
        question, words, today=date.fromisoformat(today), recently=settings.recently_days, triggers=triggers,
        old_things=settings.old_things,
    )  # fmt: skip
