"""Eight processes set eight values at once: one of them holds, seven are older ones, and none is lost."""

from __future__ import annotations

import pytest
from conftest import Make
from processes import CONTEXT, process

from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

VALUES = tuple(f"端口是 {8000 + number}" for number in range(8))


def put(root: str, value: str, gate: object) -> None:
    gate.wait(60)  # type: ignore[attr-defined]
    Workspace(root).fact_set("riverlog", "端口", value)


@pytest.mark.thorough
@pytest.mark.parametrize("there", [False, True], ids=["a new file", "a file that is there"])
def test_one_value_holds(make: Make, there: bool) -> None:
    work = make()
    if there:
        work.fact_set("riverlog", "语言", "用 Python 写")
    gate = CONTEXT.Barrier(len(VALUES))
    processes = [process(put, work.root, value, gate) for value in VALUES]
    for one in processes:
        one.start()
    for one in processes:
        one.join(120)
    assert [one.exitcode for one in processes] == [0] * len(VALUES)
    lines = work.fact_history("riverlog", "端口")
    assert sorted(line.text for line in lines) == sorted(VALUES)
    assert [line.live for line in lines] == [False] * 7 + [True]
    assert {line.superseded_by for line in lines[:-1]} == {line.id for line in lines[1:]}
    assert not Workspace(work.root).lint().diagnostics  # the processes write on the day of the clock
