"""What the runs of tools teach: a failure and what mended it, and the files that were written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmem.extraction.model import ExtractionTask, FactCandidate, FactType
from mdmem.formats.session import Turn
from mdmem.formats.session_edits import tool_runs
from mdmem.formats.tool_turn import ToolRun
from mdmem.messages.catalog import say
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.text.inline import one_line

_COMMANDS = ("command", "cmd", "script", "code")  # keys of a tool's input that hold what is run


class ToolStep(NamedTuple):
    """One run, and what of it is compared and told."""

    run: ToolRun
    number: int  # of its round
    command: str  # what was run, one line
    path: str  # the file that its input names; empty for none
    given: str = ""  # the command as it was given, with all its lines; empty for a tool that takes none

    @property
    def key(self) -> tuple[str, str]:
        """What makes two runs the same: the tool, and the first word of a command."""
        return self.run.tool, "" if self.path else self.command.partition(" ")[0]


def run_candidates(task: ExtractionTask) -> Iterator[FactCandidate]:
    """Return failures that a later run of the same tool mended, and the files that tools wrote."""
    own = task.settings
    failed: dict[tuple[str, str], ToolStep] = {}
    written: dict[str, ToolStep] = {}
    since: dict[tuple[str, str], list[str]] = {}  # the files written since a failure
    for one in tool_steps(task.turns, own):
        if one.run.ok is False:
            failed.setdefault(one.key, one)
            since.setdefault(one.key, [])
        elif one.run.ok and one.key in failed:
            yield from _mended(task, failed.pop(one.key), one, since.pop(one.key))
        if one.path and one.run.ok is not False and is_writer(one.run.tool, own):
            written[one.path] = one
            for paths in since.values():
                if one.path not in paths:
                    paths.append(one.path)
    for path, one in list(written.items())[-own.files :]:
        text = say(task.lang, "extract.file", path=path, tool=one.run.tool)
        yield _candidate(task, "fact", "file", text, own.file_importance, one)


def _mended(task: ExtractionTask, bad: ToolStep, good: ToolStep, files: list[str]) -> Iterator[FactCandidate]:
    own, lang = task.settings, task.lang
    name = f"{bad.run.tool} {bad.command}".strip()
    facts = {"run": name, "result": _result(task, bad)}
    text = say(lang, "extract.failed" if facts["result"] else "extract.failed-silent", **facts)
    yield _candidate(task, "error", "run", text, own.run_importance, bad, good)
    joint = say(lang, "punctuation.list")
    key = "extract.mended-by" if files else "extract.mended"
    end = _result(task, good)
    text = say(lang, key, run=f"{good.run.tool} {good.command}".strip(), files=joint.join(files[-own.files :]))
    text = say(lang, "extract.with-result", text=text, result=end) if end else text
    yield _candidate(task, "skill", "run", text, own.run_importance, bad, good)


def _candidate(
    task: ExtractionTask,
    kind: FactType,
    predicate: str,
    text: str,
    worth: float,
    first: ToolStep,
    last: ToolStep | None = None,
) -> FactCandidate:
    return FactCandidate(
        kind, task.word("project"), task.word(predicate), text, worth,
        first.number, last.number if last else 0, also=True,
    )  # fmt: skip


def tool_steps(turns: Sequence[Turn], own: ExtractSettings) -> Iterator[ToolStep]:
    """Yield the tool runs of some turns, each with what it ran."""
    return (_read(turns[index], run, own) for index, run in tool_runs(turns))


def is_writer(tool: str, own: ExtractSettings) -> bool:
    """Return whether a tool writes the file that its input names."""
    return tool.rpartition(".")[2].casefold() in own.writers


def _read(turn: Turn, run: ToolRun, own: ExtractSettings) -> ToolStep:
    given = run.input.strip()
    values = _values(run.input)
    path = next((str(values[key]) for key in own.path_keys if isinstance(values.get(key), str)), "")
    if not values and is_writer(run.tool, own) and given and " " not in one_line(given):
        path = given
    command = next((str(values[key]) for key in _COMMANDS if isinstance(values.get(key), str)), "")
    command = command or ("" if values else given)
    told, path = one_line(path or command), one_line(path)
    return ToolStep(run, turn.number, _cut(told, own.run_chars), _cut(path, own.run_chars), "" if path else command)


def _values(text: str) -> dict[str, object]:
    """Return the keys of a tool's input; none where it is no JSON object."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _result(task: ExtractionTask, one: ToolStep) -> str:
    lines = (one_line(line) for line in one.run.result.splitlines())
    return _cut(next(filter(None, lines), ""), task.settings.run_chars)


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut at white space so that no name or number is cut."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0].rstrip(" ,;，；") or ""
