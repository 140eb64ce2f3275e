"""Read what was said as material: the turns of a chat, and an agent's own sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.context.model import LONG, ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pieces
from mdmem.context.read_file import without_residue
from mdmem.formats.session import Session, Turn
from mdmem.text.inline import comments, mask
from mdmem.text.pattern import pattern
from mdmem.text.tokens import TokenCounter

_HEADING = pattern(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_RUN = pattern(r"tool:[\w.-]*\w")  # an artifact, as the source of an entry names it
_PATH = pattern(r"artifacts/(?:[\w.-]+/)?([\w.-]+)\.md")
_UNDERLINE = pattern(r"(?m)^[ ]{0,3}(?:=+|-+)[ \t]*$")


_LEAST = 3  # lines of a run: what was run, what came of it, where the output lies
_MARK = "{count}"  # stands for code where only its room counts
_SHORT = 120  # characters of a piece of what the user says now: its beginning is shown in the least room


class Limits(NamedTuple):
    """How much of a turn is shown."""

    code_lines: int  # of a block of code in the chat window; a longer one is only named (G014)
    tool_lines: int  # of what a tool gave (G032)
    tool_chars: int  # of each of them
    tool_turns: int  # the newest runs that are told, or up to a step more; older ones are in notebook and artifacts
    run_lines: int = 0  # of all runs together: the more there are, the fewer lines each has; 0: no limit
    run_tokens: int = 0  # of all turns together but what users said; 0: no limit
    step: int = 1  # turns by which the beginning of what is told moves on


def split(turns: Sequence[Turn], keep: int, condensed: int = 0) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Part a chat in its window and its newest rounds; what stands in the pool already is in neither."""
    numbers = list(dict.fromkeys(turn.number for turn in turns))
    newest = set(numbers[-keep:]) if keep else set()
    window = tuple(turn for turn in turns if turn.number not in newest and turn.number > condensed)
    return window, tuple(turn for turn in turns if turn.number in newest)


def read_turns(
    turns: Sequence[Turn], path: str, eyes: ContentChecks, limits: Limits, *,
    count: TokenCounter, before: Mapping[int, int] = {}, code: str = "", kept: bool = False,
) -> Material:  # fmt: skip
    """Read turns; raw tool output is never shown (G013).

    Args:
        turns: in the order in which they were said.
        path: of the session; empty for a chat that a program holds.
        eyes: the workspace's.
        limits: how much of a turn is shown.
        count: counts the tokens of a text.
        before: the number of a round's turns between its opening and the turns given, by round.
        code: the mark for a wall of code that is left out; empty: code stays.
        kept: what users said stays longest: it is the task at hand; only these turns are numbered within their round.
    """
    groups: list[MaterialGroup] = []
    items: list[MaterialItem] = []
    left: list[OmittedItem] = []
    places, limits = _places(turns, before), _shared(limits, turns, before)
    told = _told_from(turns, places, limits, count)
    older = {turn.number for turn, at in zip(turns, places, strict=True) if not _is_told(turn, at, told)}
    left += (OmittedItem(path, number, "", "rounds") for number in sorted(older | before.keys()))
    for turn, at in zip(turns, places, strict=True):
        if not _is_told(turn, at, told):
            continue
        stays = kept and turn.role == "user"
        told_of = _tell(turn.text, turn.role == "tool", limits, code, eyes.clean, _SHORT if stays else LONG)
        left += [OmittedItem(path, turn.number, one, why) for one, why in told_of.lost]
        if path and told_of.hides:
            left.append(OmittedItem(path, turn.number, told_of.said, "hidden"))  # what is missing is never repeated
        if not told_of.said:
            continue
        groups.append(MaterialGroup(path))
        head = f"**{eyes.clean(turn.speaker or turn.role)}**: "
        part, place = at if kept else (0, turn.number)
        for number, (joint, piece) in enumerate(told_of.pieces):
            text = piece if number else head + piece
            own = joint if number else "\n\n"
            items.append(MaterialItem(text, len(groups) - 1, turn.number, piece, own, stays, part=part, place=place))
    return Material(tuple(groups), tuple(items), tuple(left))


class _Told(NamedTuple):
    """What is told of a turn."""

    said: str
    pieces: tuple[tuple[str, str], ...]  # what joins it to the one before, and the piece
    lost: tuple[tuple[str, str], ...]  # what is left out, and why
    hides: bool  # it holds what nobody sees


@lru_cache(maxsize=4096)
def _tell(text: str, is_run: bool, limits: Limits, code: str, clean: Callable[[str], str], most: int) -> _Told:  # noqa: FBT001
    shown, lost = _tool(text, limits) if is_run else _without_code(text, limits, code)
    said = _seen(shown, clean)
    hides = said != shown.replace("\r\n", "\n").replace("\r", "\n").strip()
    cut = pieces(_standing(said), most) if said else ()
    return _Told(said, tuple(cut), tuple((clean(one), why) for one, why in lost), hides)


def newest_runs(
    turns: Sequence[Turn], limits: Limits, before: Mapping[int, int], count: TokenCounter
) -> tuple[Turn, ...]:  # fmt: skip
    """Return the newest runs of tools: as many as are told and have room."""
    places, limits = _places(turns, before), _shared(limits, turns, before)
    told = _told_from(turns, places, limits, count)
    return tuple(turn for turn, at in zip(turns, places, strict=True) if turn.role == "tool" and at >= told.runs)


def _is_told(turn: Turn, at: tuple[int, int], told: _From) -> bool:
    return turn.role == "user" or at >= (told.runs if turn.role == "tool" else told.others)


class _From(NamedTuple):
    """The round, and the place in it, from which turns are told."""

    runs: tuple[int, int] = (0, 0)  # of tools
    others: tuple[int, int] = (0, 0)  # but what users said, which is always told


def _told_from(
    turns: Sequence[Turn], places: Sequence[tuple[int, int]], limits: Limits, count: TokenCounter
) -> _From:  # fmt: skip
    """Find where what is told begins.

    What leaves, leaves in whole blocks of `step` turns, counted from the beginning of the round, so that most of what
    is told stays where it was.
    """
    runs = [at for turn, at in zip(turns, places, strict=True) if turn.role == "tool"]
    first = _block(runs[-limits.tool_turns], limits) if len(runs) > limits.tool_turns else (0, 0)
    room = limits.run_tokens
    if not room:
        return _From(first)
    newest = [(turn, at) for turn, at in zip(turns, places, strict=True) if turn.role != "user" and at >= first]
    start = len(newest)
    while start and (room := room - shown_tokens(newest[start - 1][0], limits, count)) >= 0:
        start -= 1
    if not start:
        return _From(first, first)
    cut = _block(newest[start - 1][1], limits)
    # where not even one block has room, the newest turns of it do
    first = next((at for _, at in newest[start:] if _block(at, limits) > cut), newest[min(start, len(newest) - 1)][1])
    return _From(first, first)


def shown_tokens(turn: Turn, limits: Limits, count: TokenCounter) -> int:
    """Return the tokens that a turn takes in a pack, without the code that is left out there."""
    shown = _shown(turn.text, turn.role == "tool", limits)
    return count(f"**{turn.speaker or turn.role}**: {shown}\n\n")


@lru_cache(maxsize=4096)
def _shown(text: str, is_run: bool, limits: Limits) -> str:  # noqa: FBT001
    return (_tool(text, limits) if is_run else _without_code(text, limits, _MARK))[0]


def _block(at: tuple[int, int], limits: Limits) -> tuple[int, int]:
    """Return the round, and the place in it where the block of a turn begins."""
    return at[0], at[1] // limits.step * limits.step


def _places(turns: Sequence[Turn], before: Mapping[int, int]) -> list[tuple[int, int]]:
    """Number the turns of each round from its beginning, those that were not read included."""
    counts: dict[int, int] = {}
    found = []
    for turn in turns:
        place = counts.get(turn.number, 0)
        place += before.get(turn.number, 0) if place == 1 else 0
        found.append((turn.number, place))
        counts[turn.number] = place + 1
    return found


def read_sessions(sessions: Iterable[Session], titles: Mapping[str, str], eyes: ContentChecks) -> Material:
    """Read what sessions came to, oldest first: the task, what was asked, what was answered (D039)."""
    groups: list[MaterialGroup] = []
    items: list[MaterialItem] = []
    for number, session in enumerate(sessions, 1):
        said = " ".join(filter(None, (session.started, session.task or session.id)))
        title = eyes.clean(" ".join(said.split()) + (f" ({session.outcome})" if session.outcome else ""))
        groups.append(MaterialGroup(session.path, title, 3, session.id))
        for key, text in (("request", session.request), ("response", session.response)):
            clean = _seen(text, eyes.clean)
            for part, (joint, piece) in enumerate(pieces(_standing(clean)) if clean else ()):
                shown = piece if part else f"**{titles[key]}**: {piece}"
                items.append(MaterialItem(shown, number - 1, number, piece, joint if part else "\n\n"))
        if not items or items[-1].group != number - 1:
            items.append(MaterialItem(f"`{session.id}`", number - 1, number, session.id))
    return Material(tuple(groups), tuple(items))


def shorten_output(text: str, limits: Limits) -> str:
    """Return the first and the last lines of an output, a few and none too long: for what nobody has summarised."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(lines) > limits.tool_lines:
        first = limits.tool_lines // 2
        lines = [*lines[:first], "…", *lines[len(lines) - (limits.tool_lines - first - 1) :]]
    return "\n".join(_cut(line, limits) for line in lines)


def _seen(text: str, clean: Callable[[str], str]) -> str:
    """Return what a person sees of a text: no comments, nothing hidden (law 11)."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean(mask(plain, comments(plain), "")).strip()


def _standing(text: str) -> str:
    """Keep what was said from looking like a part of the pack: escape headings, close a fence left open."""
    text = without_residue(text)
    if "#" not in text and "```" not in text and "~~~" not in text and not _UNDERLINE.search(text):
        return text
    out: list[str] = []
    for lines, fenced in _fences(text.split("\n")):
        if not fenced:
            out += (f"\\{line}" if _HEADING.match(line) or _UNDERLINE.match(line) else line for line in lines)
            continue
        fence = lines[0].strip()
        fence = fence[: len(fence) - len(fence.lstrip(fence[0]))]
        closed = len(lines) > 1 and lines[-1].strip().startswith(fence) and not lines[-1].strip().strip(fence[0])
        out += lines if closed else [*lines, fence]
    return "\n".join(out)


def _tool(text: str, limits: Limits) -> tuple[str, list[tuple[str, str]]]:
    """Shorten what is told of a run: its first lines, and the last one that points to the output."""
    whole = [line.rstrip() for line in text.splitlines() if line.strip()]
    pointers = [number for number, line in enumerate(whole) if _RUN.search(line)]
    if not pointers:
        short = shorten_output(text, limits)
        return short, [] if short.split() == text.split() else [(text, "output")]
    # the path of a file that an id names already says nothing more
    lines = [
        line for line in whole if not (_PATH.fullmatch(line.strip()) and _PATH.sub(r"tool:\1", line.strip()) in text)
    ]
    pointer = whole[pointers[-1]]
    if len(lines) > limits.tool_lines:
        first = [line for line in lines if line != pointer][: max(1, limits.tool_lines - 1)] or [""]
        lines = [*first[:-1], " ".join((_cut(first[-1], limits), "…", *_RUN.findall(pointer)))]
    cut = [line if len(line) <= limits.tool_chars or _RUN.search(line) else _cut(line, limits) for line in lines]
    return "\n".join(cut), [] if cut == whole else [(text, "output")]


def _cut(line: str, limits: Limits) -> str:
    return line if len(line) <= limits.tool_chars else f"{line[: limits.tool_chars - 1]}…"


def _shared(limits: Limits, turns: Sequence[Turn], before: Mapping[int, int]) -> Limits:
    """Share the lines between all runs there were: the longer the work, the less is told of each.

    A block that is not full yet counts as full, so that what was told changes only when a block begins.
    """
    runs = sum(turn.role == "tool" for turn in turns) + sum(before.values())
    if not limits.run_lines or not runs:
        return limits
    most = -(-runs // limits.step) * limits.step
    return limits._replace(tool_lines=min(limits.tool_lines, max(_LEAST, limits.run_lines // most)))


def least(limits: Limits) -> Limits:
    """Return how much of a turn is shown after long work."""
    return limits._replace(tool_lines=_LEAST) if limits.run_lines else limits


def runs_of(text: str) -> frozenset[str]:
    """Return the runs that a turn points to, as sources: `tool:ID`."""
    return frozenset(match.group() for match in _RUN.finditer(text))


def _without_code(text: str, limits: Limits, mark: str) -> tuple[str, list[tuple[str, str]]]:
    """Leave out the code that is too long for a window."""
    lost: list[tuple[str, str]] = []
    if not mark or ("```" not in text and "~~~" not in text):
        return text, lost
    out: list[str] = []
    for lines, fenced in _fences(text.splitlines()):
        if fenced and len(lines) - 2 > limits.code_lines:
            lost.append(("\n".join(lines), "code"))
            out.append(mark.format(count=len(lines) - 2))
        else:
            out += lines
    return "\n".join(out), lost


def _fences(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """Part lines in those of fenced blocks, their fences included, and the others."""
    held: list[str] = []
    fence = ""
    for line in lines:
        bare = line.strip()
        if fence:
            held.append(line)
            if bare.startswith(fence) and not bare.strip(fence[0]):
                yield held, True
                held, fence = [], ""
        elif bare.startswith(("```", "~~~")):
            if held:
                yield held, False
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            held = [line]
        else:
            held.append(line)
    if held:
        yield held, bool(fence)
