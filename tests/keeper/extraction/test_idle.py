"""A session that nobody adds to any more is noticed by a watcher, and extracted by the keeper that it starts."""

from __future__ import annotations

import os
import time

import pytest

from mdmem.keeper.compaction import compact
from mdmem.keeper.job_runner import BackendChoice
from mdmem.watch.board import WatchState
from mdmem.watch.watcher import Batch

from ..conftest import Make
from .conftest import PATH, MakeSession, facts
from .test_extract import TALK

pytestmark = pytest.mark.slow


def test_a_watcher_sees_a_session_become_idle(make: Make, session: MakeSession) -> None:
    workspace = make({PATH: session(*TALK, ended=False)}, settings="[session]\nidle_minutes = 10\n")
    state = WatchState(workspace.config)
    told = list(state.all())
    assert PATH not in state.pending, told
    os.utime(os.path.join(workspace.root, PATH), (0, time.time() - 600))  # idle since just now
    told = list(state.changed(Batch((), ())))
    assert state.pending[PATH] == ("4 轮等提取（第 1–4 轮）",), told
    compact(workspace.config, None, BackendChoice())
    assert "Python 升级到 3.12" in facts(workspace)
    list(state.changed(Batch((PATH,), ())))
    assert PATH not in state.pending
