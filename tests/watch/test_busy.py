"""Busy marks: they hold off the keeper, they end, and no crash leaves one standing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mdmem import UsageError, Workspace
from mdmem.workspace.busy import Mark, hold, marks, release
from mdmem.workspace.config import Config


@pytest.fixture
def config(root: Path) -> Config:
    return Config(str(root))


def test_busy_while_a_block_runs(root: Path, config: Config) -> None:
    work = Workspace(root)
    with work.busy():
        (mark,) = marks(config)
        assert mark.pid == os.getpid()
        assert 3500 < mark.until - time.time() <= 3600
        with work.busy(5):
            assert len(marks(config)) == 2
        assert marks(config) == (mark,)
    assert marks(config) == ()


def test_an_error_in_the_block_ends_it_too(root: Path, config: Config) -> None:
    with pytest.raises(KeyError), Workspace(root).busy():
        raise KeyError
    assert marks(config) == ()


def test_marks_end_with_their_time(config: Config) -> None:
    hold(config, "agent", 0.3)
    assert [mark.name for mark in marks(config)] == ["agent"]
    time.sleep(0.35)
    assert marks(config) == ()


def test_marks_are_renewed_and_taken_back_by_name(config: Config) -> None:
    hold(config, "one", 60)
    hold(config, "two", 60)
    hold(config, "one", 600)
    assert [(mark.name, mark.until - time.time() > 500) for mark in marks(config)] == [("one", True), ("two", False)]
    release(config, "one")
    release(config, "never-held")
    assert [mark.name for mark in marks(config)] == ["two"]


def test_a_killed_process_is_busy_no_longer(root: Path, config: Config) -> None:
    code = (
        f"import mdmem, sys, time\nwith mdmem.Workspace({str(root)!r}).busy():\n print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        assert [mark.pid for mark in marks(config)] == [process.pid]
        process.kill()
    assert marks(config) == ()
    assert list((root / ".mdmem" / "busy").iterdir()) == []


def test_of_another_machines_process_only_the_time_is_known(root: Path, config: Config) -> None:
    hold(config, "there", 60, pid=2**22 - 3)
    assert marks(config) == ()
    hold(config, "there", 60, pid=2**22 - 3)
    file = root / ".mdmem" / "busy" / "there"
    file.write_text(file.read_text().replace('"host": "', '"host": "not-'))
    assert [mark.name for mark in marks(config)] == ["there"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "x" * 5000, '{"until": 1e999, "pid": "x", "host": ""}', "\xff"])
def test_a_mark_that_cannot_be_read_is_none(root: Path, config: Config, text: str) -> None:
    (root / ".mdmem" / "busy").mkdir(parents=True)
    (root / ".mdmem" / "busy" / "odd").write_text(text, "latin-1")
    assert marks(config) == ()


@pytest.mark.parametrize("name", ["", "../MEMORY.md", "a/b", ".hidden", "a b", "x" * 65])
def test_a_name_is_one_word(config: Config, name: str) -> None:
    for call in (lambda: hold(config, name, 1), lambda: release(config, name)):
        with pytest.raises(UsageError):
            call()


def test_reading_makes_nothing(root: Path, config: Config) -> None:
    assert marks(config) == ()
    assert not (root / ".mdmem").exists()
    assert Mark("x", 1.0).pid == 0
