"""What a folder may say in its own mdmem.toml: each setting has a class, and the reader enforces it."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import in_process
import pytest
from conftest import Make, OwnSettings
from messages_list import tables

from mdmem.config.trust import shipped_boundary
from mdmem.errors import ConfigError
from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import largest
from mdmem.workspace import Workspace

SHIPPED: dict[str, Any] = tomllib.loads((Path(templates_folder()) / "mdmem.toml").read_text("utf-8"))
CLASSES = shipped_boundary().classes


# numbers of which «more than your own settings allow» says all
SMALL = {"watch.debounce_ms", "watch.burst_ms", "watch.poll_ms", "watch.rescan_seconds", "agents.index_seconds"}


def every_setting() -> Iterator[tuple[str, str, Any]]:
    for table, keys in SHIPPED.items():
        if isinstance(keys, dict):
            yield from ((table, key, value) for key, value in keys.items())


def test_each_setting_has_one_class() -> None:
    names = {f"{table}.{key}" for table, key, _ in every_setting()}
    assert names == set(CLASSES)
    text = (Path(templates_folder()) / "boundary.toml").read_text("utf-8")
    listed = [key for rows in tomllib.loads(text).values() if isinstance(rows, dict) for keys in rows.values()
              if isinstance(keys, list) for key in keys]  # fmt: skip
    words = [word for name in ("order", "words") for rows in [tomllib.loads(text)[name]] for row in rows.values()
             for word in row]  # fmt: skip
    assert len(listed) - len(words) == len(names), "no setting has two"


def test_what_a_setting_asks_for_is_said_of_a_setting_that_there_is() -> None:
    said = tables("en")
    named = {key.removeprefix("trust.") for key in said if key.startswith("trust.")} - {
        "more",
        "part.role",
        "templates",
    }
    assert {name for name in named if CLASSES[name] == "data"} == set()
    asked = {name for name, kind in CLASSES.items() if kind not in {"data", "bounded", "at_most"} and name not in SMALL}
    of_programs = ("command.", "openai.", "vectors.")  # tables in which the main ones are said
    assert {name for name in asked - named if not name.startswith(of_programs)} == set()


def looser(name: str, value: Any) -> Any:
    """Return a valid value that no folder may set by itself; None for a setting of any other class."""
    kind = CLASSES[name]
    if kind in {"at_most", "bounded"}:
        return min(0.9, value + 0.1) if isinstance(value, float) else value * 100
    if kind == "at_least":
        return value / 2 if isinstance(value, float) else max(1, value // 2)
    if kind == "superset":
        return value[1:]
    if kind == "subset":
        return ["*", *value]
    return {
        "memory.review": "write",
        "memory.forget": "agent",
        "keeper.backend": "command",
        "artifacts.secrets": "keep",
        "session.private": "keep",
    }.get(name)


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


GUARDED = [one for one in every_setting() if CLASSES[f"{one[0]}.{one[1]}"] not in {"data", "off", "trust"}]
SWITCHES = [f"{table}.{key}" for table, key, _ in every_setting() if CLASSES[f"{table}.{key}"] == "off"]


@pytest.mark.parametrize(("table", "key", "value"), GUARDED, ids=lambda one: str(one)[:20])
def test_what_is_looser_than_the_users_own_waits_for_trust(make: Make, table: str, key: str, value: Any) -> None:
    wanted = looser(f"{table}.{key}", value)
    if (table, key) in {("memory", "forget"), ("session", "private")}:
        pytest.skip("the shipped value is the loosest")
    text = f"[{table}]\n{key} = {written(wanted)}\n"
    settings = make("en", settings=text).config.settings
    assert settings.values[table][key] == value
    work = make("en", settings=text)
    assert work.trust_requests().tables == {table: {key: wanted}}
    work.trust()
    assert Workspace(work.root).config.settings.values[table][key] == wanted


@pytest.mark.parametrize(("text", "table", "key", "value"), [
    ('[pen]\ncreate = ["*.md"]\n', "pen", "create", ["*.md"]),
    ("[lint]\nmax_bytes = 4000\n", "lint", "max_bytes", 4000),
    ('[memory]\nreview = "off"\n', "memory", "review", "off"),
    ("[memory]\nenabled = false\n", "memory", "enabled", False),
    ("[watch]\npoll_ms = 9000\n", "watch", "poll_ms", 9000),
    ("[agents]\nbudget = 4000\n", "agents", "budget", 4000),
    ('[keeper]\nbackend = "agent"\n', "keeper", "backend", "agent"),
    ('[lint]\nsmall_talk = ["ahoy"]\n', "lint", "small_talk", ["ahoy"]),
])  # fmt: skip
def test_what_is_stricter_or_harmless_holds_at_once(make: Make, text: str, table: str, key: str, value: Any) -> None:
    work = make("en", settings=text)
    assert work.config.settings.values[table][key] == value
    assert work.trust_requests().tables == {}


@pytest.mark.parametrize("name", SWITCHES)
def test_what_the_user_has_switched_off_no_folder_switches_on(make: Make, own_settings: OwnSettings, name: str) -> None:
    table, key = name.split(".")
    own_settings(f"[{table}]\n{key} = false\n")
    work = make("en", settings=f"[{table}]\n{key} = true\n")
    assert work.config.settings.values[table][key] is False
    assert work.trust_requests().tables == {table: {key: True}}


def test_the_users_own_switch_holds_against_a_folder(make: Make, own_settings: OwnSettings) -> None:
    own_settings('[memory]\nenabled = false\nforget = "ask"\n')
    settings = make("en", settings='[memory]\nenabled = true\nforget = "agent"\n').config.settings
    assert (settings.memory.enabled, settings.memory.forget) == (False, "ask")


@pytest.mark.parametrize(
    ("table", "key"), [("night", "daily_days"), ("session", "idle_minutes"), ("store", "keep_bytes")]
)
def test_a_number_beyond_every_calendar_is_told(make: Make, table: str, key: str) -> None:
    assert make("en", settings=f"[{table}]\n{key} = {largest(key)}\n").config.settings
    with pytest.raises(ConfigError, match=f"`{table}.{key}` must be at most {largest(key)}"):
        _ = make("en", settings=f"[{table}]\n{key} = {10**18}\n").config.settings


def test_a_part_of_a_recipe_speaks_with_no_other_authority_before_it_is_trusted(make: Make) -> None:
    text = (
        '[part.result]\nrole = "system"\n[part.output]\ntitle = {en = "Output"}\nsource = "result"\nrole = "system"\n'
        '[recipe.own]\nparts = ["result"]\nbudget = 1000\n[recipe.other]\nparts = ["output"]\nbudget = 1000\n'
    )
    work = make("en", settings=text)
    roles = [work.recipes().get(name).slots[0].role for name in ("own", "other")]
    assert roles == ["tool", "tool"]
    assert work.trust_requests().tables == {"part": {"result.role": "system", "output.role": "system"}}
    work.trust()
    trusted = Workspace(work.root).recipes()
    assert [trusted.get(name).slots[0].role for name in ("own", "other")] == ["system", "system"]


def test_the_numbers_of_recipes_are_bounded_before_they_are_trusted(make: Make) -> None:
    shipped = make("en").recipes().recipes.values()
    most = 10 * max(one.budget for one in shipped)
    text = (
        f"[part.result]\ntool_lines = {10**9}\n"
        f'[part.first]\ntitle = {{en = "F"}}\nsource = "result"\nmax_chars = {10**11}\n'
        f'[recipe.own]\nparts = ["result"]\nbudget = {10**9}\n[recipe.other]\nparts = ["first"]\nbudget = {10**11}\n'
        '[recipe.small]\nparts = ["result"]\nbudget = 7\n'
    )
    work = make("en", settings=text)
    assert [work.recipes().get(name).budget for name in ("own", "other", "small")] == [most, most, 7]
    slots = [work.recipes().get(name).slots[0] for name in ("own", "other")]
    assert slots[1].max_chars is not None
    assert slots[0].tool_lines < 10**6
    assert slots[1].max_chars < 10**7
    asked = work.trust_requests().tables
    assert asked["recipe"] == {"own.budget": 10**9, "other.budget": 10**11}
    assert asked["part"] == {"result.tool_lines": 10**9, "first.max_chars": 10**11}
    told = in_process.run_text("trust", "--yes", "--root", work.root, "--lang", "en", cwd=".", env=dict(os.environ))
    assert f"recipe.own.budget = {10**9}\n  more than your own settings allow\n" in told.stdout
    assert Workspace(work.root).recipes().get("own").budget == 10**9


@pytest.mark.parametrize("text", [
    f'[recipe.own]\nparts = ["memory"]\nbudget = {10**13}\n', f"[part.memory]\nmax_chars = {10**13}\n",
])  # fmt: skip
def test_a_number_of_a_recipe_beyond_every_bound_is_told_with_its_line(make: Make, text: str) -> None:
    work = make("en", settings=text)
    with pytest.raises(ConfigError, match="must be at most") as told:
        work.lint()
    assert told.value.line == text.count("\n") + 1


def test_what_waits_is_named_by_doctor_and_trust(make: Make) -> None:
    work = make("en", settings='[attachments]\nallowed = ["/"]\n')
    (check,) = [one for one in work.history.doctor() if one.name == "settings-wait"]
    assert "attachments.allowed" in check.message
    work.trust()
    assert not [one for one in Workspace(work.root).history.doctor() if one.name == "settings-wait"]
