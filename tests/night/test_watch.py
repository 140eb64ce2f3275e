"""A watcher starts the night when its hour is past and nobody is at work, once a day."""

from __future__ import annotations

import datetime as dt
import os
import time
from pathlib import Path

import pytest
from conftest import Make

from mdmem import Notice
from mdmem.night.progress import NightLease, is_due, read_state
from mdmem.workspace import Workspace

from .test_run import files

ON = '[night]\nenabled = true\nat = "00:00"\n'


def quiet(work: Workspace) -> Workspace:
    """Let the files be as old as nobody at work leaves them."""
    past = time.time() - 600
    for path in Path(work.root).rglob("*"):
        os.utime(path, (past, past))
    return Workspace(work.root)


def kinds(work: Workspace) -> list[str]:
    return [one.kind for one in watch(work)]


def watch(work: Workspace) -> list[Notice]:
    return list(quiet(work).watch(once=True))


@pytest.mark.thorough
@pytest.mark.slow
def test_it_runs_once_a_day_when_nobody_is_at_work(make: Make) -> None:
    work = make(files=files(), settings=ON)
    told = watch(work)
    assert [one.kind for one in told][-2:] == ["night", "kept"]
    assert told[-1].path.startswith("archive/nights/")
    assert read_state(Workspace(work.root).config).ended
    assert "night" not in kinds(work)


def test_it_does_not_run_unless_it_is_switched_on(make: Make) -> None:
    assert "night" not in kinds(make(files=files()))


@pytest.mark.thorough
@pytest.mark.slow
def test_it_waits_while_somebody_is_at_work(make: Make) -> None:
    work = make(files=files(), settings=ON)
    with work.keeper.busy():
        assert kinds(work)[-1] == "busy"
    Path(work.root, "notes.md").write_text("# x\n", "utf-8")
    assert [one.kind for one in Workspace(work.root).watch(once=True)][-1] == "fresh"
    assert kinds(work)[-2:] == ["night", "kept"]


def test_its_hour(make: Make) -> None:
    work = make(settings='[night]\nenabled = true\nat = "03:00"\n')
    day = dt.date.fromisoformat(work.config.day)

    def at(hour: int, minute: int = 0) -> dt.datetime:
        return dt.datetime.combine(day, dt.time(hour, minute), dt.UTC)

    assert not is_due(work.config, at(2, 59))
    assert is_due(work.config, at(3))
    assert is_due(work.config, at(14)), "the machine was off at three"
    lease = NightLease(work.config, "one")
    assert not is_due(work.config, at(3)), "another run is at work"
    lease.update(day=work.config.day)
    lease.release()
    assert is_due(work.config, at(3)), "that run did not come to its end"
    work.night()
    assert not is_due(work.config, at(3))
    work.config.day = (day + dt.timedelta(days=1)).isoformat()
    assert is_due(work.config, at(3))
