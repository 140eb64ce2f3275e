"""Kill the process anywhere while it writes an episode: the session and the facts are all old or all new."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import Make
from harness import die_at

from mdmem.episodes.service import write_episode
from mdmem.workspace import Workspace

from .test_episodes import PATH, session

pytestmark = pytest.mark.slow


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
def test_all_old_or_all_new_and_run_again_without_doubles(make: Make) -> None:
    work = make(files=session())
    work.facts.set("水位图", "做法", "水位图用标准库写 SVG", source="chat:20260213_213000_水位图#1")
    fact, story = Path(work.root, "facts/水位图.md"), Path(work.root, PATH)
    old = fact.read_bytes(), story.read_bytes()
    write_episode(work.config, PATH)
    new = fact.read_bytes(), story.read_bytes()
    number, ended, seen = 0, False, set()
    while not ended:
        number += 5
        for file, data in zip((fact, story), old, strict=True):
            file.write_bytes(data)
        ended = die_at(number, work, lambda memory: write_episode(memory.config, PATH))
        assert number < 5_000, "it never comes to its end"
        fresh = Workspace(work.root)
        fresh.config.day = work.config.day
        fresh.history.recover()
        left = fact.read_bytes(), story.read_bytes()
        assert left in (old, new)
        seen.add(left)
        write_episode(fresh.config, PATH)
        assert (fact.read_bytes(), story.read_bytes()) == new
    assert seen == {old, new}
    assert number > 50
