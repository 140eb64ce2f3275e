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


@pytest.mark.parametrize(
    "settings",
    [
        '[memory]\nenabled = "false"\n', "[memory]\nenable = false\n", "[memory]\non = false\n", "memory = false\n",
        "[memry]\nenabled = false\n", "[memory]\nenabled = 0\n", "[memory]\nenabled = false\nreview = 3\n",
    ],
)  # fmt: skip
def test_memory_that_the_mistake_may_have_switched_off_is_off(mdmem: Run, written: Path, settings: str) -> None:
    mdmem("session", "start", "mend")
    (written / "mdmem.toml").write_text(settings, "utf-8")
    for words in (
        ("session", "turn", "user", "the boat leaks"),
        ("session", "end", "--response", "the boat leaks"),
        ("undo",),
    ):
        told = mdmem(*words, "--lang", "en")
        assert told.stderr.startswith("mdmem: mdmem.toml:")
        assert "switched off" in told.stderr
    assert not [one for one in written.rglob("*.md") if "leaks" in one.read_text("utf-8")]


@pytest.mark.parametrize(
    ("settings", "proposed"),
    [("", True), (WRONG_KEY, True), ('[memory]\nreview = "offf"\n', False), ("[memory]\nreview_lines = []\n", False)],
)
def test_a_mistake_about_the_review_makes_none(mdmem: Run, written: Path, settings: str, *, proposed: bool) -> None:
    mdmem("session", "start", "mend")
    (written / "mdmem.toml").write_text(settings, "utf-8")
    mdmem("session", "turn", "user", "Where do we find a doctor?")
    said = "Mia is allergic to penicillin and needs a doctor nearby."
    mdmem("session", "end", "--response", said, "--outcome", "success")
    inbox = written / "inbox.md"
    assert (inbox.exists() and "penicillin" in inbox.read_text("utf-8")) is proposed


def test_a_misspelt_key_is_answered_with_the_nearest(mdmem: Run, written: Path) -> None:
    (written / "mdmem.toml").write_text(WRONG_KEY, "utf-8")
    assert "did you mean `max_bytes`?" in mdmem("lint", "--lang", "en").stderr


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('[recipe.mine]\nparts = ["user", "memry"]\nbudget = 100\n', "mdmem.toml:2: no part is called `memry`"),
        ('lang = "en"\n[recipe.chat]\nparts = ["用户"]\nbudget = 9\n', "mdmem.toml:3: no part is called `用户`"),
        (
            '[recipe.a]\nparts = ["persona"]\nbudget = 1\n[recipe.b]\nparts = [\n"Memory"]\nbudget = 1\n',
            "mdmem.toml:5:",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["lint", "status", "context"])
def test_a_recipe_with_an_unknown_part_is_found(mdmem: Run, folder: Path, settings: str, told: str, verb: str) -> None:
    (folder / "mdmem.toml").write_text(settings, "utf-8")
    done = mdmem(verb, "--lang", "en")
    assert (done.returncode, told in done.stderr) == (4, True), done.stderr
    assert "the parts are: " in done.stderr


def test_a_part_of_its_own_is_known(mdmem: Run, folder: Path) -> None:
    own = '[part.mine]\ntitle = {en = "Mine"}\nsource = "memory"\n'
    own += '[recipe.mine]\nparts = ["mine", "persona"]\nbudget = 900\n'
    (folder / "mdmem.toml").write_text(own, "utf-8")
    assert mdmem("lint", "--lang", "en").returncode == 0
    assert mdmem("context", "mine").returncode == 0


@pytest.mark.parametrize("verb", ["status", "lint", "doctor"])
def test_the_mistake_is_told_in_the_language_of_the_file_that_has_it(mdmem: Run, written: Path, verb: str) -> None:
    (written / "mdmem.toml").write_text('lang = "zh"\nfoo = 3\n', "utf-8")
    done = mdmem(verb)
    assert "不认识的设置 `foo`" in done.stdout + done.stderr
    assert "unknown key" not in done.stdout + done.stderr
    (written / "mdmem.toml").write_text('lang = "zh"\nfoo = [\n', "utf-8")  # cannot be read: that of the locale
    done = mdmem(verb)
    assert "mdmem.toml:" in done.stdout + done.stderr
