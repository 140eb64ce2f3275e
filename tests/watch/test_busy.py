"""Busy marks: they hold off the keeper, they end, and no crash leaves one standing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UsageError
from mdmem.keeper.busy import BusyLease, active_leases, release, write_lease
from mdmem.watch.events import IdleGate
from mdmem.workspace import Workspace


@pytest.fixture
def config(root: Path) -> WorkspaceConfig:
    return WorkspaceConfig(str(root))


def test_busy_while_a_block_runs(root: Path, config: WorkspaceConfig) -> None:
    work = Workspace(root)
    with work.keeper.busy():
        (mark,) = active_leases(config)
        assert mark.pid == os.getpid()
        assert 3500 < mark.until - time.time() <= 3600
        with work.keeper.busy(5):
            assert len(active_leases(config)) == 2
        assert active_leases(config) == (mark,)
    assert active_leases(config) == ()


def test_an_error_in_the_block_ends_it_too(root: Path, config: WorkspaceConfig) -> None:
    with pytest.raises(KeyError), Workspace(root).keeper.busy():
        raise KeyError
    assert active_leases(config) == ()


def test_marks_end_with_their_time(config: WorkspaceConfig) -> None:
    write_lease(config, "agent", 0.3)
    assert [mark.name for mark in active_leases(config)] == ["agent"]
    time.sleep(0.35)
    assert active_leases(config) == ()


def test_marks_are_renewed_and_taken_back_by_name(config: WorkspaceConfig) -> None:
    write_lease(config, "one", 60)
    write_lease(config, "two", 60)
    write_lease(config, "one", 600)
    assert [(mark.name, mark.until - time.time() > 500) for mark in active_leases(config)] == [
        ("one", True),
        ("two", False),
    ]
    release(config, "one")
    release(config, "never-held")
    assert [mark.name for mark in active_leases(config)] == ["two"]


def test_a_killed_process_is_busy_no_longer(root: Path, config: WorkspaceConfig) -> None:
    code = (
        f"import mdmem, time\nwith mdmem.Workspace({str(root)!r}).keeper.busy():\n print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        assert [mark.pid for mark in active_leases(config)] == [process.pid]
        process.kill()
    assert active_leases(config) == ()
    assert list((root / ".mdmem" / "busy").iterdir()) == []


def test_of_another_machines_process_only_the_time_is_known(root: Path, config: WorkspaceConfig) -> None:
    write_lease(config, "there", 60, pid=2**22 - 3)
    assert active_leases(config) == ()
    write_lease(config, "there", 60, pid=2**22 - 3)
    file = root / ".mdmem" / "busy" / "there"
    file.write_text(file.read_text().replace('"host": "', '"host": "not-'))
    assert [mark.name for mark in active_leases(config)] == ["there"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "x" * 5000, '{"until": 1e999, "pid": "x", "host": ""}', "\xff"])
def test_a_mark_that_cannot_be_read_is_none(root: Path, config: WorkspaceConfig, text: str) -> None:
    (root / ".mdmem" / "busy").mkdir(parents=True)
    (root / ".mdmem" / "busy" / "odd").write_text(text, "latin-1")
    assert active_leases(config) == ()


@pytest.mark.parametrize("name", ["", "../MEMORY.md", "a/b", ".hidden", "a b", "x" * 65])
def test_a_name_is_one_word(config: WorkspaceConfig, name: str) -> None:
    for call in (lambda: write_lease(config, name, 1), lambda: release(config, name)):
        with pytest.raises(UsageError):
            call()


def test_reading_makes_nothing(root: Path, config: WorkspaceConfig) -> None:
    assert active_leases(config) == ()
    assert not (root / ".mdmem").exists()
    assert BusyLease("x", 1.0).pid == 0


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
