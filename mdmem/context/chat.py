"""Read what was said as material: the turns of a chat, and an agent's own sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mdmem.context.material import LONG, Eyes, Group, Item, Material, pieces
from mdmem.context.residue import without_residue
from mdmem.context.result import Left
from mdmem.core.inline import comments, mask
from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.session import Session, Turn

_HEADING = pattern(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_RUN = pattern(r"tool:[\w.-]*\w")  # an artifact, as the source of an entry names it
_PATH = pattern(r"artifacts/(?:[\w.-]+/)?([\w.-]+)\.md")
_UNDERLINE = pattern(r"(?m)^[ ]{0,3}(?:=+|-+)[ \t]*$")


_LEAST = 3  # lines of a run: what was run, what came of it, where the output lies
_SHORT = 120  # characters of a piece of what the user says now: its beginning is shown in the least room


class Limits(NamedTuple):
    """How much of a turn is shown."""

    code_lines: int  # of a block of code in the chat window; a longer one is only named (G014)
    tool_lines: int  # of what a tool gave (G032)
    tool_chars: int  # of each of them
    tool_turns: int  # the newest runs that are told, or up to a step more; older ones are in notebook and artifacts
    run_lines: int = 0  # of all runs together: the more there are, the fewer lines each has; 0: no limit
    step: int = 1  # turns by which the beginning of what is told moves on


def split(turns: Sequence[Turn], keep: int, condensed: int = 0) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Part a chat in its window and its newest rounds; what stands in the pool already is in neither."""
    numbers = list(dict.fromkeys(turn.number for turn in turns))
    newest = set(numbers[-keep:]) if keep else set()
    window = tuple(turn for turn in turns if turn.number not in newest and turn.number > condensed)
    return window, tuple(turn for turn in turns if turn.number in newest)


def read_turns(
    turns: Sequence[Turn], path: str, eyes: Eyes, limits: Limits, *,
    before: Mapping[int, int] = {}, code: str = "", kept: bool = False,
) -> Material:  # fmt: skip
    """Read turns; raw tool output is never shown (G013).

    Args:
        turns: in the order in which they were said.
        path: of the session; empty for a chat that a program holds.
        eyes: the workspace's.
        limits: how much of a turn is shown.
        before: the number of a round's turns between its opening and the turns given, by round.
        code: the mark for a wall of code that is left out; empty: code stays.
        kept: what users said stays longest: it is the task at hand; only these turns are numbered within their round.
    """
    groups: list[Group] = []
    items: list[Item] = []
    left: list[Left] = []
    places = _places(turns, before)
    shown = set(map(id, newest_runs(turns, limits, before)))
    limits = _shared(limits, sum(turn.role == "tool" for turn in turns) + sum(before.values()))
    older = {turn.number for turn in turns if turn.role == "tool" and id(turn) not in shown}
    left += (Left(path, number, "", "rounds") for number in sorted(older | before.keys()))
    for turn, at in zip(turns, places, strict=True):
        if turn.role == "tool" and id(turn) not in shown:
            continue
        text, lost = _tool(turn.text, limits) if turn.role == "tool" else _without_code(turn.text, limits, code)
        left += [Left(path, turn.number, eyes.clean(one), why) for one, why in lost]
        said = _seen(text, eyes)
        if path and said != text.replace("\r\n", "\n").replace("\r", "\n").strip():
            left.append(Left(path, turn.number, said, "hidden"))  # what is missing is never repeated
        if not said:
            continue
        groups.append(Group(path))
        head = f"**{eyes.clean(turn.speaker or turn.role)}**: "
        stays = kept and turn.role == "user"
        part, place = at if kept else (0, turn.number)
        like = Item("", len(groups) - 1, turn.number, "", kept=stays, part=part, place=place)
        for number, (joint, piece) in enumerate(pieces(_standing(said), _SHORT if stays else LONG)):
            text = piece if number else head + piece
            items.append(like._replace(text=text, said=piece, joint=joint if number else "\n\n"))
    return Material(tuple(groups), tuple(items), tuple(left))


def newest_runs(turns: Sequence[Turn], limits: Limits, before: Mapping[int, int]) -> tuple[Turn, ...]:
    """Return the newest runs of tools: as many as are told, and those in the same block as the oldest of these.

    A block is `step` turns of a round, counted from its beginning: what leaves, leaves in whole blocks.
    """
    runs = [(at, turn) for turn, at in zip(turns, _places(turns, before), strict=True) if turn.role == "tool"]
    if len(runs) <= limits.tool_turns:
        return tuple(turn for _, turn in runs)
    number, place = runs[-limits.tool_turns][0]
    first = (number, place // limits.step * limits.step)
    return tuple(turn for at, turn in runs if at >= first)


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


def read_sessions(sessions: Iterable[Session], titles: Mapping[str, str], eyes: Eyes) -> Material:
    """Read what sessions came to, oldest first: the task, what was asked, what was answered (D039)."""
    groups: list[Group] = []
    items: list[Item] = []
    for number, session in enumerate(sessions, 1):
        said = " ".join(filter(None, (session.started, session.task or session.id)))
        title = eyes.clean(" ".join(said.split()) + (f" ({session.outcome})" if session.outcome else ""))
        groups.append(Group(session.path, title, 3, session.id))
        for key, text in (("request", session.request), ("response", session.response)):
            clean = _seen(text, eyes)
            for part, (joint, piece) in enumerate(pieces(_standing(clean)) if clean else ()):
                shown = piece if part else f"**{titles[key]}**: {piece}"
                items.append(Item(shown, number - 1, number, piece, joint if part else "\n\n"))
        if not items or items[-1].group != number - 1:
            items.append(Item(f"`{session.id}`", number - 1, number, session.id))
    return Material(tuple(groups), tuple(items))


def shorten_output(text: str, limits: Limits) -> str:
    """Give the first and the last lines of an output, a few and none too long: for what nobody has summarised."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if len(lines) > limits.tool_lines:
        first = limits.tool_lines // 2
        lines = [*lines[:first], "…", *lines[len(lines) - (limits.tool_lines - first - 1) :]]
    return "\n".join(_cut(line, limits) for line in lines)


def _seen(text: str, eyes: Eyes) -> str:
    """Give what a person sees of a text: no comments, nothing hidden (law 11)."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return eyes.clean(mask(plain, comments(plain), "")).strip()


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


def _shared(limits: Limits, runs: int) -> Limits:
    """Share the lines between all runs there were: the longer the work, the less is told of each.

    A block that is not full yet counts as full, so that what was told changes only when a block begins.
    """
    if not limits.run_lines or not runs:
        return limits
    most = -(-runs // limits.step) * limits.step
    return limits._replace(tool_lines=min(limits.tool_lines, max(_LEAST, limits.run_lines // most)))


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
