"""Kill the process anywhere in an extraction: the facts and the mark of the session are all old or all new."""

from __future__ import annotations

import os
import re
import sys

import pytest
from forms import many
from harness import die_at

from mdmem.workspace import Workspace

from ..conftest import Make
from .conftest import PATH, MakeSession, facts, through
from .test_extract import TALK

pytestmark = pytest.mark.slow


def lines(workspace: Workspace) -> list[str]:
    return [re.sub(r"\W", "", text) for text in facts(workspace)]


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
def test_all_old_or_all_new_and_run_again_without_doubles(make: Make, session: MakeSession) -> None:
    number, ended, seen = 0, False, set[int]()
    whole: list[str] = []
    while not ended:
        number += many(61, 7)
        workspace = make({PATH: session(*TALK)})
        for path in _facts(workspace):
            os.unlink(path)
        ended = die_at(number, workspace)
        fresh = Workspace(workspace.root)
        fresh.config.day = workspace.config.day
        fresh.history.recover()
        kept = facts(fresh)
        assert (len(kept), through(fresh)) in ((0, 0), (5, 4))
        seen.add(len(kept))
        fresh.keeper.extract(backend="rules")
        whole = whole or lines(fresh)
        assert lines(fresh) == whole
        assert len(whole) == 5
    assert seen == {0, 5}
    assert number > 50


def _facts(workspace: Workspace) -> list[str]:
    folder = os.path.join(workspace.root, "facts")
    return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
