"""A call and its result, recorded as two turns, are one run."""

from __future__ import annotations

from mdmem.formats.session import Turn
from mdmem.formats.session_edits import tool_runs


def turns(*texts: str, number: int = 1) -> tuple[Turn, ...]:
    return tuple(Turn(number, "tool" if text[:1].islower() else "assistant", "", "10:00", text, -1, -1, -1)
                 for text in texts)  # fmt: skip


def test_a_result_completes_the_oldest_call_of_its_tool() -> None:
    found = tool_runs(turns("sow `beans`", "dig `bed 2`", "Two at once.", "dig (ok)\n30 cm", "sow (error)\nno seeds"))
    told = [(index, run.tool, run.input, run.ok, run.result) for index, run in found]
    assert told == [(4, "sow", "beans", False, "no seeds"), (3, "dig", "bed 2", True, "30 cm")]


def test_two_calls_of_one_tool_take_their_results_in_order() -> None:
    found = tool_runs(turns("dig `bed 1`", "dig `bed 2`", "dig (exit 0)\nfirst", "dig (exit 3)\nsecond"))
    told = [(run.input, run.result, run.exit_code) for _, run in found]
    assert told == [("bed 1", "first", 0), ("bed 2", "second", 3)]


def test_a_whole_run_a_lone_call_and_a_lone_result_stay_as_they_are() -> None:
    texts = ("dig `bed 1` (ok)\ndone", "sow `beans`", "rake (ok)\nlevel")
    assert [(run.tool, run.ok) for _, run in tool_runs(turns(*texts))] == [("dig", True), ("sow", None), ("rake", True)]
    later = (*turns("sow `beans`"), *turns("sow (ok)\nup", number=2))
    assert [run.input for _, run in tool_runs(later)] == ["beans", ""]
