"""The format of session files: reads and escapes turns, and reads the parts above them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

from mdmem.formats.artifact import FOLDER as ARTIFACTS
from mdmem.formats.artifact import HEAD
from mdmem.formats.template import Template, fold
from mdmem.settings.tables import Settings
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span, count_lines

FOLDERS = ("sessions", ".sessions")  # new sessions go to the first; the second is only read (D031)
_TIME = r"(?:\d{4}-\d{2}-\d{2}[ T])?\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?"
_TURN = pattern(
    r"### ([1-9][0-9]{0,8}) (\S(?:[^\r\n]{0,62}?\S)?)"
    rf" ({_TIME})[ \t]*(\r\n|\r|\n|\Z)",
    re.ASCII,
)
_SECTION = pattern(r"##[ \t]+([^\r\n]+)")
_FRONT = pattern(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", re.MULTILINE | re.DOTALL)
_THROUGH = pattern(r"^extracted_through:[ \t]*([0-9]{1,9})[ \t]*(?:#.*)?$", re.MULTILINE)
_ENDED = pattern(r"^ended:[ \t]*[^\s#]", re.MULTILINE)
_FRONT_CHARS = 16_000


def most_bytes(settings: Settings, path: str) -> int:
    """Return the most bytes that a file may have.

    An artifact, which agents do not change, may have more than a memory. So may a session: its turns keep to the bound,
    and its end, its episode and its marks are written behind them.
    """
    most, folder = settings.lint.max_bytes, path.rpartition("/")[0]
    if path.startswith(f"{ARTIFACTS}/"):
        return max(most, settings.artifacts.max_bytes + HEAD)
    return most + int(most * settings.session.room) if folder.rpartition("/")[2] in FOLDERS else most


def turn_marks(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield the headings of turns from an offset on: round, speaker, time, line ending."""
    return (match for match in _TURN.finditer(text, start) if _begins_line(text, match.start()))


def is_turn(line: str) -> bool:
    """Return whether a line is the heading of a turn."""
    return line.startswith("### ") and _TURN.match(line) is not None


def is_turns(line: str, template: Template) -> bool:
    """Return whether a line is the heading above the turns, in any language."""
    match = _SECTION.match(line) if line.startswith("##") else None
    return match is not None and fold(match[1]) != "" and template.name(match[1]) == template.name("turns")


def turns_start(text: str, template: Template) -> int | None:
    """Return the offset of the turns: after the last heading above turns; None if there is none."""
    found = None
    for match in _SECTION.finditer(text):
        if _begins_line(text, match.start()) and is_turns(match[0], template):
            found = match.end()
    return found


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in "\r\n"


_LINE = r"[ ]{0,3}(?:\#{1,3}(?![^ \t\r\n])|(?:=+|-+)[ \t]*(?![^\r\n]))"  # a possible heading, or an underline of one
_ESCAPED = pattern(rf"(?:(?<=[\r\n])|\A)\\(?=\\*{_LINE})")
_ALREADY = pattern(rf"\\+{_LINE}")
_FENCED = pattern(r"(`{4,})verbatim\n(.*)\n\1\Z", re.DOTALL)
_TICKS = pattern(r"`+")
# Without one of these, no line is a heading, opens an unclosed block, or is hidden.
_NOTABLE = pattern(r"(?:\A|[\r\n])[ \t]*(?:[#=\\]|```|~~~|-+[ \t]*(?![^\r\n]))|<[A-Za-z/!?]")
_LEVEL = 3  # of the heading of a turn; deeper headings belong to its text
_FRAME = "### 1 user 00:00\n"
_TRIES = 4


def escape(text: str, template: Template) -> str:
    """Return a text as it is written into the file."""
    if not _NOTABLE.search(text):
        return text
    plain = _escaped(text, template)
    return _fenced(text, template) if plain is None or _FENCED.match(plain) else plain


def unescape(written: str) -> str:
    """Return the text of a turn as written in the file."""
    fenced = _FENCED.match(written)
    inner = fenced[2] if fenced and _longest(fenced[2]) < len(fenced[1]) else written
    return _ESCAPED.sub("", inner) if "\\" in inner else inner


def _escaped(text: str, template: Template) -> str | None:
    """Escape the lines that need it; None if the text would still not be separate."""
    lines = Lines(text)
    marked = {line for line in range(len(lines)) if _always(lines.text(line), template)}
    for _ in range(_TRIES):  # an escaped heading may be underlined by the next line
        written = _mark(text, lines, marked)
        more = _headings(written)
        if not more:
            return written if more is not None else None
        marked |= more
    return None


def _fenced(text: str, template: Template) -> str:
    lines = Lines(text)
    inner = _mark(text, lines, {line for line in range(len(lines)) if _always(lines.text(line), template)})
    fence = "`" * max(4, _longest(inner) + 1)
    return f"{fence}verbatim\n{inner}\n{fence}"


def _always(line: str, template: Template) -> bool:
    """Return whether a line is always escaped: it is a marker, or resembles an escaped line."""
    return is_turn(line) or is_turns(line, template) or _ALREADY.match(line) is not None


def _mark(text: str, lines: Lines, marked: set[int]) -> str:
    starts = (lines.start(line) for line in sorted(marked))
    return "\\".join(_cut(text, starts)) if marked else text


def _cut(text: str, starts: Iterator[int]) -> Iterator[str]:
    done = 0
    for start in starts:
        yield text[done:start]
        done = start
    yield text[done:]


def _headings(written: str) -> set[int] | None:
    """Return the lines that the Markdown parser reads as headings; None if the text would not be separate."""
    document = Document(f"{_FRAME}\n{written}\n\n{_FRAME}".encode("utf-8", "surrogateescape"))
    if document.comments or any(block.kind == "html" for block in document.blocks):
        return None
    outer = [block for block in document.blocks if block.kind == "heading" and not block.depth and not block.quoted]
    found = [block for block in outer if block.level <= _LEVEL]
    last = document.lines.at(len(document.text) - len(_FRAME))
    if found[-1].line != last:
        return None
    shift = 2  # lines of the frame above
    return {(max(block.line, block.last_line)) - shift for block in found[1:-1]}


def _longest(text: str) -> int:
    return max((match.end() - match.start() for match in _TICKS.finditer(text)), default=0)


def is_text(text: str) -> bool:
    """Return whether a text can be written as UTF-8 at all: lone surrogates cannot."""
    return not any("\ud800" <= char <= "\udfff" for char in text) if not text.isascii() else True


ROLES = ("user", "assistant", "tool", "system")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, or one run of a tool."""

    number: int  # of its round, from 1
    role: str  # one of ROLES
    speaker: str  # as written in the file
    time: str  # `21:30`, or a date and a time
    text: str  # unescaped
    start: int  # characters of the file: from the heading
    end: int  # to the next one
    line: int  # of the heading, 0-based


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation, in our format or an older one; missing values are empty or 0."""

    id: str  # the file's name without its ending
    path: str
    agent: str
    task: str
    started: str
    ended: str
    outcome: str  # success, partial, failed, ongoing, unknown
    extracted_through: int  # the last round from which memories were extracted
    condensed_through: int  # the last round in the context pool
    request: str
    response: str
    turns: tuple[Turn, ...]
    torn: bool = False  # the file ends with an incomplete turn after a crash, which is not in `turns`
    user: str = ""  # the user, if several users share a workspace
    continues: str = ""  # the id of the full file that this one continues


def rounds(turns: Iterable[Turn]) -> tuple[tuple[Turn, ...], ...]:
    """Return the turns by round: a user's turn and those up to the next one."""
    return tuple(tuple(group) for _, group in groupby(turns, key=lambda turn: turn.number))


_FIELD = pattern(r"[ \t]*[-*+][ \t]+\**([^*:：\r\n]{1,40}?)\**[:：]\**[ \t]*([^\r\n]*)")
_STAMP = pattern(r"(\d{4})-?(\d{2})-?(\d{2})(?:_(\d{2})(\d{2})(\d{2}))?(?:_|\Z)")
_BLOCK = pattern(r"(`{3,}|~{3,})[^\n]*\n(.*)\n\1[ \t]*\Z", re.DOTALL)
UNKNOWN = "unknown"  # the outcome of a session that tells none
_OUTCOMES = ("success", "partial", "failed", "ongoing", UNKNOWN)


def read_session(document: Document, path: str, template: Template) -> Session:
    """Read a session file.

    Args:
        document: the file.
        path: POSIX, from the root; its name is the session's id, and for older sessions the start time.
        template: of the kind `session`, in any language: each knows the words of the others.
    """
    at = turns_start(document.text, template)
    turns = () if at is None else tuple(turns_in(document.text, template, at))
    at = at if turns else None  # in an older format this heading has another meaning
    head = document if at is None else parse(document.text[:at].encode("utf-8", "surrogateescape"))
    values = head.front_matter.values if head.front_matter else {}
    fields = _fields(head, template)
    stem = path.rpartition("/")[2].removesuffix(".md")

    def word(key: str) -> str:
        value = values.get(key)
        return fields.get(key, "") if value is None else str(value)

    return Session(
        id=stem,
        path=path,
        agent=word("agent"),
        task=word("task") or _first_line(_part(head, template, "request")),
        started=word("started") or _stamp(stem),
        ended=word("ended"),
        outcome=_outcome(word("outcome"), template),
        extracted_through=_number(values.get("extracted_through")),
        condensed_through=_number(values.get("condensed_through")),
        request=_part(head, template, "request"),
        response=_part(head, template, "response"),
        turns=turns,
        user=word("user"),
        continues=word("continues"),
    )


def turns_in(text: str, template: Template, start: int = 0) -> Iterator[Turn]:
    """Yield the turns of a text from an offset on; lines count from the beginning of the text.

    Roles are recognized by the template's words; with free names, the first speaker of a round is the user.
    """
    marks, known, line = list(turn_marks(text, start)), known_roles(template), 0
    roles = {speaker: known.get(fold(speaker), "") for speaker in {mark[2] for mark in marks}}
    number = first = None
    counted = 0  # the offset up to which lines are counted; every heading begins a line
    for index, mark in enumerate(marks):
        last = index + 1 == len(marks)
        end = len(text) if last else marks[index + 1].start()
        if int(mark[1]) != number:
            number, first = int(mark[1]), mark[2]
        words = unescape(_body(text[mark.end() : end], mark[4] or "\n", last=last))
        role = roles[mark[2]] or ("user" if mark[2] == first else "assistant")
        line += count_lines(text, counted, mark.start())
        counted = mark.start()
        yield Turn(number, role, mark[2], mark[3], words, mark.start(), end, line)


def known_roles(template: Template) -> dict[str, str]:
    """Return the folded words for roles, and the role of each."""
    return {fold(word): role for role in ROLES for word in (role, *template.parts.get(role, ()))}


def _body(raw: str, ending: str, *, last: bool) -> str:
    """Return a turn's text without its frame: a blank line before, a line ending and a blank line after."""
    raw = raw.removeprefix(ending).removesuffix(ending)
    return raw if last else raw.removesuffix(ending)


def _part(document: Document, template: Template, name: str) -> str:
    """Return the unescaped text below a heading, sub-headings included.

    Older formats, which have no front matter, indent it in a fence.
    """
    span = part_span(document, template, name)
    if span is None:
        return ""
    inner = span.of(document.text).strip("\r\n")
    if document.front_matter:
        return unescape(inner)
    fenced = _BLOCK.match(inner)
    return dedent(fenced[2]).strip() if fenced else inner


def part_span(document: Document, template: Template, name: str) -> Span | None:
    """Return the span below one of a session's headings, sub-headings included; None if there is no such heading."""
    wanted = template.name(name)
    for index, section in enumerate(document.sections):
        if section.level == 2 and template.name(section.title) == wanted:
            below = (one.heading.start for one in document.sections[index + 1 :] if one.level <= section.level)
            return Span(section.body.start, next(below, len(document.text)))
    return None


def _fields(document: Document, template: Template) -> Mapping[str, str]:
    """Read the lines «key: value» of the metadata by the template's words."""
    found: dict[str, str] = {}
    keys = {fold(word): key for key in ("agent", "started", "ended", "outcome") for word in template.parts.get(key, ())}
    for line in _part(document, template, "metadata").splitlines():
        match = _FIELD.match(line)
        key = keys.get(fold(match[1])) if match else None
        if match and key:
            found.setdefault(key, match[2].strip())
    return found


def _outcome(word: str, template: Template) -> str:
    name = fold(word)
    return next((one for one in _OUTCOMES if name in (one, *map(fold, template.parts.get(one, ())))), word)


def _stamp(stem: str) -> str:
    """Return the start time from a session's file name."""
    match = _STAMP.match(stem)
    if not match:
        return ""
    year, month, day, hour, minute, _ = match.groups()
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}" if hour else "")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


Enough = Callable[[Sequence[Turn]], bool]


def newest_rounds(text: str, template: Template, enough: Enough, *, whole: bool) -> tuple[Turn, ...] | None:
    """Return the fewest newest rounds that are enough, or all; None if more of the file must be read.

    Args:
        text: the end of a session; its first line may be the end of one.
        template: of the kind `session`.
        enough: accepts the turns of some rounds.
        whole: the text is the file.

    Offsets count from the beginning of the text.
    """
    begin = turns_start(text, template)
    whole = whole or begin is not None
    if begin is None and whole:
        return ()
    found = rounds(turns_in(text, template, 1 if begin is None else begin))
    known = found if whole else found[1:]  # the first round that was read may begin earlier
    chosen: tuple[Turn, ...] = ()
    for turns in reversed(known):
        if chosen and enough(chosen):
            return chosen
        chosen = turns + chosen
    return chosen if whole or (chosen and enough(chosen)) else None


def openings(text: str, template: Template, numbers: Sequence[int]) -> Iterator[tuple[Turn, int]]:
    """Yield the first turn of each of these rounds and the number of its other turns, from the start of a session file.

    Args:
        text: the file up to a turn's heading.
        template: of the kind `session`.
        numbers: of the rounds, ascending.
    """
    at = turns_start(text[: text.find("\n### ") + 1], template) or 0
    for number in numbers:
        start = text.find(f"\n### {number} ", at)
        if start < 0:
            continue
        end = text.find("\n### ", start + 1) + 1
        opening = next(turns_in(text[start + 1 : end] if end else text[start + 1 :], template), None)
        if opening is not None:
            yield opening, text.count(f"\n### {number} ", start + 1)
        at = start


_ROUNDS = pattern(r"([1-9][0-9]{0,8})(?:[-–]([1-9][0-9]{0,8}))?\Z")


def read_rounds(text: str) -> tuple[int, int] | None:
    """Parse a range of rounds, `3` or `1-11`; None if it is invalid."""
    match = _ROUNDS.match(text.strip())
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    return (first, last) if first <= last else None


def last_number(text: str, template: Template, *, whole: bool) -> int | None:
    """Return the number of the last round, 0 if there is none; None if more of the file must be read."""
    begin = turns_start(text, template)
    numbers = [int(mark[1]) for mark in turn_marks(text, 1 if begin is None else begin)]
    if numbers:
        return numbers[-1]
    return 0 if whole or begin is not None else None


def extracted_through(text: str) -> int:
    """Return the last round from which memories were taken; the front matter is searched, and not parsed."""
    front = _FRONT.match(text, 0, _FRONT_CHARS)
    found = _THROUGH.search(front[1]) if front else None
    return int(found[1]) if found else 0


def to_extract(text: str, template: Template, *, is_idle: bool) -> tuple[int, int]:
    """Return the last round that was extracted, and the last that is to be; both 0 where nothing can wait.

    The text is searched and not parsed, for every status asks this of every session.
    """
    front = _FRONT.match(text, 0, _FRONT_CHARS)
    if front is None or not (is_idle or _ENDED.search(front[1])):
        return 0, 0
    return extracted_through(text), last_number(text, template, whole=True) or 0


def lost_turns(known: str, now: str) -> tuple[str, int]:
    """Return the text and the number of the newest turns of an earlier text that a later text does not have.

    A missing turn before one that the later text has was removed by its writer and is not returned. The newest turns
    may have been added while the file was open in an editor.
    """
    ours, theirs = _turn_texts(known), _turn_texts(now)
    left = Counter(text for _, text, _ in theirs)
    found = [bool(left[text]) and not left.subtract((text,)) for _, text, _ in ours]
    last = max((index for index, is_there in enumerate(found) if is_there), default=-1)
    same = max((index for index, (_, text, _) in enumerate(theirs) if last >= 0 and text == ours[last][1]), default=-1)
    edited = iter([heading for heading, _, _ in theirs[same + 1 :]])
    for index in range(last + 1, len(ours)):  # a turn that was edited by hand keeps its heading
        if ours[index][0] not in edited:
            break
        last = index
    count = len(ours) - last - 1
    return ("\n" + known[ours[last + 1][2] :] if count else "", count)


def _turn_texts(text: str) -> list[tuple[str, str, int]]:
    """Return the heading of each turn, its text without differences of white space, and where it begins."""
    marks = list(turn_marks(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [
        (" ".join(mark[0].split()), " ".join(text[mark.start() : end].split()), mark.start())
        for mark, end in zip(marks, ends, strict=False)
    ]
