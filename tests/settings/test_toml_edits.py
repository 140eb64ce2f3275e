"""Values set in a TOML text and taken back: what they say, and that every other byte stays."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from mdmem.settings.toml_edits import SetValues, set_values, unset_values

WANTED = {("keeper", "backend"): "openai", ("openai", "base_url"): "http://h/v1", ("openai", "model"): 'm"x'}
TEXTS = [
    "",
    "# only a comment",
    'lang = "en"\n',
    '[keeper]\nbackend = "rules"   # mine\n',
    "[keeper] # below\nfresh_days = 5",
    "[ 'keeper' ]\r\nfresh_days = 5\r\n\r\n[openai]\r\nmodel = 'old'\r\n",
    'keeper.backend = "rules"\n[openai]\n  base_url="http://old/v1"#x\n',
    '[lint]\nignore = ["""\n[keeper]\nbackend = "rules"\n"""]\n[keeper]\n"backend" = \'command\'\n',
    '[command]\nrun = ["a",\n  "[openai]",\n]\n[keeper]\n[openai]\nseconds = 3',
    "\n\n[openai]\n[keeper]\n\n",
]


def made(text: str) -> SetValues:
    found = set_values(text, WANTED, "mdmem.toml")
    assert found is not None
    return found


def taken_back(text: str, done: SetValues) -> str:
    return unset_values(text, done.values, done.blocks, "mdmem.toml").text


def merged(held: dict[str, Any]) -> dict[str, Any]:
    for (table, key), value in WANTED.items():
        held.setdefault(table, {})[key] = value
    return held


@pytest.mark.parametrize("text", TEXTS)
def test_what_was_set_holds_and_what_is_taken_back_leaves_no_trace(text: str) -> None:
    done = made(text)
    assert tomllib.loads(done.text) == merged(tomllib.loads(text))
    assert [line for line in text.splitlines() if "#" in line and line.rpartition("#")[2] not in done.text] == []
    assert taken_back(done.text, done) == text


@pytest.mark.parametrize("text", TEXTS)
def test_what_somebody_adds_meanwhile_stays(text: str) -> None:
    done = made(text)
    end = "" if done.text.endswith("\n") else "\n"
    found = taken_back(f"{done.text}{end}# later\n[night]\nenabled = true\n", done)
    assert found.rstrip("\n").endswith("# later\n[night]\nenabled = true")
    assert tomllib.loads(found).get("night") == {"enabled": True}
    assert "openai" not in tomllib.loads(found).get("keeper", {}).values()


def test_a_value_that_was_changed_is_left_and_named() -> None:
    done = made("")
    found = unset_values(done.text.replace("http://h/v1", "http://mine/v1"), done.values, done.blocks, "mdmem.toml")
    assert [(one.table, one.key) for one in found.left] == [("openai", "base_url")]
    assert tomllib.loads(found.text)["openai"] == {"base_url": "http://mine/v1"}


def test_a_key_added_to_a_table_of_ours_stays() -> None:
    done = made("")
    found = unset_values(f"{done.text}seconds = 9\n", done.values, done.blocks, "mdmem.toml")
    assert tomllib.loads(found.text)["openai"] == {"seconds": 9}


@pytest.mark.parametrize("text", ["keeper = {backend = 'rules'}\n", "[x]\nkeeper = 1\n[[openai]]\na = 1\n"])
def test_a_text_without_room_is_left(text: str) -> None:
    assert set_values(text, WANTED, "mdmem.toml") is None
