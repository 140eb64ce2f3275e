"""The text of a tool turn: tool, input, status and result."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.formats.artifact import POINTER
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_OK, _ERROR = "ok", "error"
_ENDED = r" \((?:(ok|error)|exit (-?[0-9]{1,10}))\)"
_STATUS = f"(?:{_ENDED})?"
_BARE = pattern(rf"([^\s`](?:[^\r\n`]{{0,198}}?[^\s`])??)(?:{_ENDED}|:)\Z")  # a name, and the status
_BEFORE_INPUT = pattern(r"([^\s`](?:[^\r\n`]{0,198}[^\s`])?) (`+)")
_AFTER_INPUT = pattern(rf"{_STATUS}(?:\n|\Z)")
_OLD_INPUT = pattern(rf"([^\s`](?:[^\r\n`]{{0,198}}[^\s`])?) `([^\r\n]*)`{_STATUS}\Z")
_OBJECT = pattern(rf"(\S{{1,200}}) (\{{[^\r\n]*\}}){_STATUS}\Z")  # a JSON object without backticks
_NAMED = pattern(r"([A-Za-z_][A-Za-z0-9_./-]{0,63}): ([^\r\n]*)\Z")  # `shell: its output`
_TICKS = pattern(r"`+")
_PATH = pattern(r"artifacts/[0-9A-Za-z_./-]{1,200}\.md\Z")
_POINTER = pattern(rf"(?:\A|· |\(){POINTER}([0-9A-Za-z][0-9A-Za-z_.-]{{0,99}})")


class ToolRun(NamedTuple):
    """One run of a tool, as in a tool turn."""

    tool: str  # its name
    input: str  # raw text: JSON or a command
    ok: bool | None  # None if unknown
    exit_code: int | None  # None if the tool has none
    result: str  # the lines after the first: the result, or a summary of it
    artifact: str  # path or id of the whole output, "" if none


def tool_run_text(run: ToolRun) -> str:
    """Return the text of a tool turn: `` name `input` (exit 1) ``, the result, the path of the output."""
    tool = one_line(run.tool).replace("`", "'") or "tool"
    first = f"{tool} {_code(run.input)}" if run.input else tool
    status = _status(run)
    first += f" ({status})" if status else "" if run.input else ":"
    artifact = run.artifact if run.artifact not in run.result else ""
    rest = "\n".join(filter(None, (run.result, artifact)))
    return f"{first}\n{rest}" if rest else first


def read_tool_run(text: str) -> ToolRun | None:
    """Read the text of a tool turn; None if it does not begin with the name of a tool in one of the known forms."""
    first, _, rest = text.partition("\n")
    began = _BEFORE_INPUT.match(text)
    if began:
        start, fence = began.end(), began[2]
        for close in _TICKS.finditer(text, start):
            after = _AFTER_INPUT.match(text, close.end()) if close[0] == fence else None
            if after:
                found = _uncode(text[start : close.start()])
                return _run(began[1], found, after[1], after[2], text[after.end() :])
        old = _OLD_INPUT.match(first)  # the input contains backticks
        return _run(old[1], old[2], old[3], old[4], rest) if old else None
    if called := _OBJECT.match(first):
        return _run(called[1], called[2], called[3], called[4], rest)
    if named := _NAMED.match(first):
        result = "\n".join(filter(None, (named[2], rest)))
        return _run(named[1], "", None, None, result)
    bare = _BARE.match(first)
    return _run(bare[1], "", bare[2], bare[3], rest) if bare else None


def _run(tool: str, run_input: str, word: str | None, code: str | None, rest: str) -> ToolRun:
    exit_code = None if code is None else int(code)
    ok = word == _OK if word else None if exit_code is None else exit_code == 0
    before, _, last = rest.rpartition("\n")
    if _PATH.match(last):
        return ToolRun(tool, run_input, ok, exit_code, before, last)
    pointer = _POINTER.search(last)
    return ToolRun(tool, run_input, ok, exit_code, rest, pointer[1] if pointer else "")


def _status(run: ToolRun) -> str:
    if run.exit_code is not None and run.ok in (None, run.exit_code == 0):
        return f"exit {run.exit_code}"
    return "" if run.ok is None else _OK if run.ok else _ERROR


def _code(text: str) -> str:
    """Return a text as a code span, between more backticks than any run in it."""
    fence = "`" * (max((len(one[0]) for one in _TICKS.finditer(text)), default=0) + 1)
    padded = text.startswith("`") or text.endswith("`") or (text[0] == text[-1] == " " and bool(text.strip()))
    return f"{fence} {text} {fence}" if padded else f"{fence}{text}{fence}"


def _uncode(text: str) -> str:
    padded = len(text) > 2 and text[0] == text[-1] == " " and text.strip()
    return text[1:-1] if padded else text
