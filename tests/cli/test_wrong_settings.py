"""A mistake in mdmem.toml stops neither what repairs a workspace nor the record of a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

WRONG_KEY, NO_TOML = "[lint]\nmax_byte = 3\n", "x = ["


@pytest.fixture
def written(mdmem: Run, folder: Path) -> Path:
    """A workspace with one change, before its settings are broken."""
    mdmem("init", "--lang", "en")
    mdmem("add", "MEMORY.md", "2026-01-01: tea", "--lang", "en")
    return folder


@pytest.mark.parametrize("settings", [WRONG_KEY, NO_TOML])
@pytest.mark.parametrize("verb", ["recover", "log", "undo --dry-run", "show MEMORY.md", "diff", "why tea"])
def test_what_repairs_goes_on_and_tells_the_mistake(mdmem: Run, written: Path, settings: str, verb: str) -> None:
    (written / "mdmem.toml").write_text(settings, "utf-8")
    done = mdmem(*verb.split(), "--lang", "en")
    assert done.stderr.startswith("mdmem: mdmem.toml:")
    assert done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("settings", [WRONG_KEY, NO_TOML])
def test_doctor_lists_the_mistake_with_the_other_checks(mdmem: Run, written: Path, settings: str) -> None:
    (written / "mdmem.toml").write_text(settings, "utf-8")
    checks = json.loads(mdmem("doctor", "--json").stdout)["checks"]
    assert [one["name"] for one in checks if one["state"] == "bad"] == ["settings"]
    assert len(checks) > 4


def test_a_turn_is_recorded_and_the_right_keys_hold(mdmem: Run, written: Path) -> None:
    mdmem("session", "start", "mend")
    (written / "mdmem.toml").write_text(WRONG_KEY, "utf-8")
    assert mdmem("session", "turn", "user", "the boat leaks", "--lang", "en").stderr.startswith("mdmem: mdmem.toml:2")
    (written / "mdmem.toml").write_text(f"{WRONG_KEY}[memory]\nenabled = false\n", "utf-8")
    assert "switched off" in mdmem("session", "turn", "user", "hello", "--lang", "en").stderr
    (written / "mdmem.toml").write_text(NO_TOML, "utf-8")
    mdmem("session", "turn", "user", "hello")
    said = next((written / "sessions").iterdir()).read_text("utf-8")
    assert "the boat leaks" in said
    assert "hello" not in said


def test_a_misspelt_key_is_answered_with_the_nearest(mdmem: Run, written: Path) -> None:
    (written / "mdmem.toml").write_text(WRONG_KEY, "utf-8")
    assert "did you mean `max_bytes`?" in mdmem("lint", "--lang", "en").stderr
