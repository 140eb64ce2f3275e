"""Turn chats into material: the turns of a chat, and an agent's own sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.context.model import LONG, ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pieces
from mdmem.formats.session import Session, Turn
from mdmem.text.inline import comments, mask, without_residue
from mdmem.text.pattern import pattern
from mdmem.text.tokens import TokenCounter

_HEADING = pattern(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_RUN = pattern(r"tool:[\w.-]*\w")  # an artifact, as entries name it in `source`
_PATH = pattern(r"artifacts/(?:[\w.-]+/)?([\w.-]+)\.md")
_UNDERLINE = pattern(r"(?m)^[ ]{0,3}(?:=+|-+)[ \t]*$")


_LEAST = 3  # lines of a tool run: command, result, path of the output
_MARK = "{count}"  # the marker of omitted code when only tokens are counted
_SHORT = 120  # characters of a piece of a user's turn, so that its beginning fits into little room


class Limits(NamedTuple):
    """The limits of turns in a part."""

    code_lines: int  # of a code block in the chat window; longer blocks are only mentioned (G014)
    tool_lines: int  # of a tool run (G032)
    tool_chars: int  # of a line of a tool run
    tool_turns: int  # the newest tool runs that are shown, and up to a step more
    run_lines: int = 0  # of all tool runs together: the more runs, the fewer lines each; 0 for no limit
    run_tokens: int = 0  # of all turns together except the users'; 0 for no limit
    step: int = 1  # block size in turns by which the beginning of what is shown moves on


def split(turns: Sequence[Turn], keep: int, condensed: int = 0) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Return a chat's window and its newest rounds; rounds that are condensed into the pool are in neither."""
    numbers = list(dict.fromkeys(turn.number for turn in turns))
    newest = set(numbers[-keep:]) if keep else set()
    window = tuple(turn for turn in turns if turn.number not in newest and turn.number > condensed)
    return window, tuple(turn for turn in turns if turn.number in newest)


def read_turns(
    turns: Sequence[Turn], path: str, checks: ContentChecks, limits: Limits, *,
    count: TokenCounter, before: Mapping[int, int] = {}, code: str = "", kept: bool = False,
) -> Material:  # fmt: skip
    """Return turns as material; raw tool output is never shown (G013).

    Args:
        turns: in the order of the chat.
        path: of the session; empty for a chat from the caller.
        checks: the content checks of the workspace.
        limits: the limits of the part.
        count: counts the tokens of a text.
        before: by round, the number of turns after its first one that were not read.
        code: the marker for a long code block that is omitted; empty to show code.
        kept: cut users' turns last, because they are the current task, and number all turns within their round.
    """
    groups: list[MaterialGroup] = []
    items: list[MaterialItem] = []
    left: list[OmittedItem] = []
    positions, limits = _positions(turns, before), _shared_limits(limits, turns, before)
    start = _start_of_shown(turns, positions, limits, count)
    older = {turn.number for turn, at in zip(turns, positions, strict=True) if not _is_shown(turn, at, start)}
    left += (OmittedItem(path, number, "", "rounds") for number in sorted(older | before.keys()))
    for turn, at in zip(turns, positions, strict=True):
        if not _is_shown(turn, at, start):
            continue
        is_kept = kept and turn.role == "user"
        turn_text = _turn_text(turn.text, turn.role == "tool", limits, code, checks.clean, _SHORT if is_kept else LONG)
        left += [OmittedItem(path, turn.number, one, why) for one, why in turn_text.lost]
        if path and turn_text.has_hidden:
            left.append(OmittedItem(path, turn.number, turn_text.text, "hidden"))  # without the hidden text itself
        if not turn_text.text:
            continue
        groups.append(MaterialGroup(path))
        head = f"**{checks.clean(turn.speaker or turn.role)}**: "
        part, position = at if kept else (0, turn.number)
        for number, (separator, piece) in enumerate(turn_text.pieces):
            text = piece if number else head + piece
            own = separator if number else "\n\n"
            items.append(
                MaterialItem(text, len(groups) - 1, turn.number, piece, own, is_kept, part=part, position=position)
            )
    return Material(tuple(groups), tuple(items), tuple(left))


class _TurnText(NamedTuple):
    """The text of a turn as it is shown."""

    text: str
    pieces: tuple[tuple[str, str], ...]  # separator before the piece, piece
    lost: tuple[tuple[str, str], ...]  # omitted text, reason
    has_hidden: bool  # the turn contains hidden text


@lru_cache(maxsize=4096)
def _turn_text(text: str, is_run: bool, limits: Limits, code: str, clean: Callable[[str], str], most: int) -> _TurnText:  # noqa: FBT001
    shown, lost = _short_run(text, limits) if is_run else _without_code(text, limits, code)
    visible = _visible(shown, clean)
    has_hidden = visible != shown.replace("\r\n", "\n").replace("\r", "\n").strip()
    cut = pieces(_escaped(visible), most) if visible else ()
    return _TurnText(visible, tuple(cut), tuple((clean(one), why) for one, why in lost), has_hidden)


def newest_runs(
    turns: Sequence[Turn], limits: Limits, before: Mapping[int, int], count: TokenCounter
) -> tuple[Turn, ...]:  # fmt: skip
    """Return the newest tool runs that are shown."""
    positions, limits = _positions(turns, before), _shared_limits(limits, turns, before)
    start = _start_of_shown(turns, positions, limits, count)
    return tuple(turn for turn, at in zip(turns, positions, strict=True) if turn.role == "tool" and at >= start.runs)


def _is_shown(turn: Turn, at: tuple[int, int], start: _Start) -> bool:
    return turn.role == "user" or at >= (start.runs if turn.role == "tool" else start.others)


class _Start(NamedTuple):
    """The positions (round, turn in it) from which turns are shown; users' turns are always shown."""

    runs: tuple[int, int] = (0, 0)  # tool runs
    others: tuple[int, int] = (0, 0)  # other turns except the users'


def _start_of_shown(
    turns: Sequence[Turn], positions: Sequence[tuple[int, int]], limits: Limits, count: TokenCounter
) -> _Start:  # fmt: skip
    """Return the position from which turns are shown.

    Turns are dropped in whole blocks of `step`, counted from the beginning of the round, so that the beginning of what
    is shown rarely changes.
    """
    runs = [at for turn, at in zip(turns, positions, strict=True) if turn.role == "tool"]
    first = _block(runs[-limits.tool_turns], limits) if len(runs) > limits.tool_turns else (0, 0)
    room = limits.run_tokens
    if not room:
        return _Start(first)
    newest = [(turn, at) for turn, at in zip(turns, positions, strict=True) if turn.role != "user" and at >= first]
    start = len(newest)
    while start and (room := room - shown_tokens(newest[start - 1][0], limits, count)) >= 0:
        start -= 1
    if not start:
        return _Start(first, first)
    cut = _block(newest[start - 1][1], limits)
    # if not even one block fits, show its newest turns
    first = next((at for _, at in newest[start:] if _block(at, limits) > cut), newest[min(start, len(newest) - 1)][1])
    return _Start(first, first)


def shown_tokens(turn: Turn, limits: Limits, count: TokenCounter) -> int:
    """Return the tokens of a turn in a pack, without the code that is omitted there."""
    shown = _shown(turn.text, turn.role == "tool", limits)
    return count(f"**{turn.speaker or turn.role}**: {shown}\n\n")


@lru_cache(maxsize=4096)
def _shown(text: str, is_run: bool, limits: Limits) -> str:  # noqa: FBT001
    return (_short_run(text, limits) if is_run else _without_code(text, limits, _MARK))[0]


def _block(at: tuple[int, int], limits: Limits) -> tuple[int, int]:
    """Return the position at which the block of a turn begins."""
    return at[0], at[1] // limits.step * limits.step


def _positions(turns: Sequence[Turn], before: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the round of each turn and its number in it; turns that were not read count."""
    counts: dict[int, int] = {}
    found = []
    for turn in turns:
        position = counts.get(turn.number, 0)
        position += before.get(turn.number, 0) if position == 1 else 0
        found.append((turn.number, position))
        counts[turn.number] = position + 1
    return found


def read_sessions(sessions: Iterable[Session], titles: Mapping[str, str], checks: ContentChecks) -> Material:
    """Return sessions as material, oldest first: task, request and response (D039)."""
    groups: list[MaterialGroup] = []
    items: list[MaterialItem] = []
    for number, session in enumerate(sessions, 1):
        source_text = " ".join(filter(None, (session.started, session.task or session.id)))
        title = checks.clean(" ".join(source_text.split()) + (f" ({session.outcome})" if session.outcome else ""))
        groups.append(MaterialGroup(session.path, title, 3, session.id))
        for key, text in (("request", session.request), ("response", session.response)):
            clean = _visible(text, checks.clean)
            for part, (separator, piece) in enumerate(pieces(_escaped(clean)) if clean else ()):
                shown = piece if part else f"**{titles[key]}**: {piece}"
                items.append(MaterialItem(shown, number - 1, number, piece, separator if part else "\n\n"))
        if not items or items[-1].group != number - 1:
            items.append(MaterialItem(f"`{session.id}`", number - 1, number, session.id))
    return Material(tuple(groups), tuple(items))


def shorten_output(text: str, limits: Limits) -> str:
    """Return the first and last lines of an output without a summary, within the limits."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(lines) > limits.tool_lines:
        first = limits.tool_lines // 2
        lines = [*lines[:first], "…", *lines[len(lines) - (limits.tool_lines - first - 1) :]]
    return "\n".join(_cut(line, limits) for line in lines)


def _visible(text: str, clean: Callable[[str], str]) -> str:
    """Return a text without comments and hidden characters (law 11)."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean(mask(plain, comments(plain), "")).strip()


def _escaped(text: str) -> str:
    """Return a text that cannot be taken for a part of the pack: headings escaped, open fences closed."""
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


def _short_run(text: str, limits: Limits) -> tuple[str, list[tuple[str, str]]]:
    """Return the first lines of a tool run and its last pointer to the output, and what was omitted."""
    whole = [line.rstrip() for line in text.splitlines() if line.strip()]
    pointers = [number for number, line in enumerate(whole) if _RUN.search(line)]
    if not pointers:
        short = shorten_output(text, limits)
        return short, [] if short.split() == text.split() else [(text, "output")]
    # omit the path of a file whose id is shown too
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


def _shared_limits(limits: Limits, turns: Sequence[Turn], before: Mapping[int, int]) -> Limits:
    """Return limits with `run_lines` shared between all tool runs of the rounds.

    An incomplete block counts as a complete one, so that the limits change only when a block begins.
    """
    runs = sum(turn.role == "tool" for turn in turns) + sum(before.values())
    if not limits.run_lines or not runs:
        return limits
    most = -(-runs // limits.step) * limits.step
    return limits._replace(tool_lines=min(limits.tool_lines, max(_LEAST, limits.run_lines // most)))


def least_limits(limits: Limits) -> Limits:
    """Return the limits that apply after many tool runs."""
    return limits._replace(tool_lines=_LEAST) if limits.run_lines else limits


def runs_of(text: str) -> frozenset[str]:
    """Return the tool runs that a turn names, as sources: `tool:ID`."""
    return frozenset(match.group() for match in _RUN.finditer(text))


def _without_code(text: str, limits: Limits, mark: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a text with a marker for each long code block, and the omitted blocks; all code if `mark` is empty."""
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
    """Yield runs of lines, and whether each is a fenced block, including its fences."""
    block: list[str] = []
    fence = ""
    for line in lines:
        bare = line.strip()
        if fence:
            block.append(line)
            if bare.startswith(fence) and not bare.strip(fence[0]):
                yield block, True
                block, fence = [], ""
        elif bare.startswith(("```", "~~~")):
            if block:
                yield block, False
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            block = [line]
        else:
            block.append(line)
    if block:
        yield block, bool(fence)
