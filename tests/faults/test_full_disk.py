"""A real small file system, filled to the last page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from injector import HERE, PROJECT

pytestmark = pytest.mark.slow


def test_a_full_disk_leaves_the_old_file_and_a_clear_message(tmp_path: Path) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("no right to mount a file system of our own")
    paths = os.pathsep.join((str(PROJECT), str(HERE)))
    ran = subprocess.run(
        ["unshare", "-m", sys.executable, str(HERE / "full_disk.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    for one in found:
        assert one["old"] or one["new"], one
        assert one["after"] == {}, one  # with space again it writes
        assert one["strays"] == [], one
        if one["error"]:
            assert one["error"]["code"] == "write", one
            assert "No space left on device" in one["error"]["message"], one
            assert str(tmp_path) not in str(one["error"]), one
            assert one["old"] or "written, but not synced" in one["error"]["message"], one
        else:
            assert one["new"], one
    refused = sum(bool(one["error"]) for one in found)
    assert 3 < refused < len(found) - 3  # from nothing free to enough
