"""A tool turn is readable text that is parsed back into the same run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.session import Turn
from mdmem.formats.session_edits import tool_runs
from mdmem.formats.tool_turn import ToolRun, read_tool_run, tool_run_text

PATH = "artifacts/2026-02/20260220-100000-0a1b.md"


@pytest.mark.parametrize(
    ("text", "run"),
    [
        (
            'write_file `{"path": "docs/a.md"}` (ok)\nok',
            ToolRun("write_file", '{"path": "docs/a.md"}', True, None, "ok", ""),
        ),
        (f"shell `pytest -q` (exit 1)\n3 failed\n{PATH}", ToolRun("shell", "pytest -q", False, 1, "3 failed", PATH)),
        ("search `{}` (error)", ToolRun("search", "{}", False, None, "", "")),
        ("shell `` echo `date` `` (exit 0)", ToolRun("shell", "echo `date`", True, 0, "", "")),
        ("搜索 `天气`", ToolRun("搜索", "天气", None, None, "", "")),
        ("shell (exit 0)", ToolRun("shell", "", True, 0, "", "")),
        ("shell:", ToolRun("shell", "", None, None, "", "")),
        (
            "shell `a` (exit 0)\nfirst\n40 lines · tool:t7",
            ToolRun("shell", "a", True, 0, "first\n40 lines · tool:t7", "t7"),
        ),
    ],
)
def test_the_text_of_a_run(text: str, run: ToolRun) -> None:
    """Each form is written exactly so, and parsed into the same run."""
    assert tool_run_text(run) == text
    assert read_tool_run(text) == run


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("shell: exit 0", ToolRun("shell", "", None, None, "exit 0", "")),
        ('write_file {"path": "a"} (ok)\nok', ToolRun("write_file", '{"path": "a"}', True, None, "ok", "")),
        ("shell `echo `date`` (exit 0)\nx", ToolRun("shell", "echo `date`", True, 0, "x", "")),
        ("3 failed, 2 passed", None),
        ("done", None),
        ("", None),
        ("`ls` lists files", None),
        ("see `ls` for more", None),
    ],
)
def test_older_forms_and_texts_without_a_run(text: str, run: ToolRun | None) -> None:
    """What earlier versions wrote is read; a text that only speaks of a tool is no run."""
    assert read_tool_run(text) == run


_INPUTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("` \n(){}")), max_size=40)


@given(
    st.from_regex(r"[A-Za-z_文][A-Za-z0-9_.文-]{0,20}", fullmatch=True),
    _INPUTS,
    st.one_of(st.none(), st.booleans()),
    st.one_of(st.none(), st.integers(-9, 300)),
    _INPUTS,
)
def test_any_run_is_read_back(tool: str, given_: str, ok: bool | None, code: int | None, result: str) -> None:
    """The tool, its input, how it ended and its result survive, whatever characters they hold."""
    ok = None if code is not None else ok
    text = tool_run_text(ToolRun(tool, given_, ok, code, result, ""))
    found = read_tool_run(text)
    assert found is not None
    assert found[:2] == (tool, given_)
    assert (found.ok, found.exit_code) == (ok if code is None else code == 0, code)
    assert found.result == result
    assert tool_run_text(found) == text


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
