"""The idle gate: closed while somebody writes, is busy, or a rest is due; open soon after."""

from __future__ import annotations

from mdmem.watch.events import IdleGate


def test_it_opens_when_all_has_been_quiet_for_long_enough() -> None:
    gate = IdleGate(60, 2)
    gate.touched(100)
    assert gate.wait(100, busy=False) == 60
    assert gate.wait(130, busy=True) == 30
    assert gate.wait(160, busy=False) == 0
    gate.touched(150)
    assert gate.wait(160, busy=False) == 50
    gate.touched(120)
    assert gate.wait(160, busy=False) == 50, "an older save opens nothing"


def test_busy_is_asked_again_soon() -> None:
    assert IdleGate(60, 2).wait(1000, busy=True) == 2


def test_a_rest_is_a_rest() -> None:
    gate = IdleGate(60, 2)
    gate.rest(500)
    gate.touched(100)
    assert gate.wait(200, busy=False) == 300
    assert gate.wait(500, busy=False) == 0
