"""The tables of settings: all that the shipped file has, each under its name, made when it is asked for."""

from __future__ import annotations

import os
import pickle
import re
import socket
import tomllib
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Make, Run
from growth import TIMES, steps

from mdmem.config import settings_file
from mdmem.config.settings_shown import settings
from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import without_mistakes
from mdmem.settings.tables import Settings
from mdmem.settings.toml_edits import SetValues, set_values, unset_values
from mdmem.settings.toml_file import MOST_BYTES, KeyLines, line_of
from mdmem.store.files import FileSnapshot
from mdmem.workspace import Workspace

SHIPPED = tomllib.loads((Path(templates_folder()) / "mdmem.toml").read_text("utf-8"))
TABLES = sorted(name for name, value in SHIPPED.items() if isinstance(value, dict))


def test_every_table_has_a_name() -> None:
    assert set(Settings.__annotations__) == {"lang", *TABLES}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_values_of_the_shipped_file(name: str) -> None:
    settings = Settings(SHIPPED)
    table = getattr(settings, name)
    assert type(table) is Settings.__annotations__[name]
    assert table._asdict() == {key: tuple(v) if isinstance(v, list) else v for key, v in SHIPPED[name].items()}
    assert getattr(settings, name) is table
    assert getattr(pickle.loads(pickle.dumps(settings)), name) == table


def test_what_is_no_table_is_refused() -> None:
    unknown: typing.Any = Settings(SHIPPED)
    with pytest.raises(AttributeError, match="nothing"):
        _ = unknown.nothing
    assert Settings.known({"lang": "zh"}) is None
    assert Settings.known([1]) is None
    again = Settings.known(SHIPPED)
    assert again
    assert again.lint == Settings(SHIPPED).lint


def test_a_table_can_be_replaced() -> None:
    settings = Settings(SHIPPED)
    other = settings.replace(lint=settings.lint._replace(max_lines=7))
    assert (other.lint.max_lines, other.store, other.lang) == (7, settings.store, settings.lang)
    assert settings.lint.max_lines != 7


_SAID = "canary-of-another-folder"


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def _outside(path: Path) -> None:
    elsewhere = path.parent.parent / "elsewhere.toml"
    elsewhere.write_text(f'{_SAID} = "{_SAID}"\n', "utf-8")
    path.symlink_to(elsewhere)


_MADE: dict[str, Callable[[Path], object]] = {
    "not a regular file": os.mkfifo,
    "not a regular file ": _socket,
    "is a folder": Path.mkdir,
    "does not exist": lambda path: path.symlink_to("nowhere.toml"),
    "leads out": _outside,
    "leads out ": lambda path: path.symlink_to("/dev/zero"),
    "at most": lambda path: path.write_bytes(b"# " + b"x" * MOST_BYTES),
}
_VERBS = (
    ["lint"], ["status"], ["search", "heron"], ["context"], ["add", "MEMORY.md", "the heron nests on the mill"],
    ["config", "show"], ["compact"],
)  # fmt: skip


@pytest.mark.parametrize("said", _MADE)
def test_it_is_told_by_every_verb(said: str, root: Path, mdmem: Run) -> None:
    (root / "mdmem.toml").unlink()
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    _MADE[said](root / "mdmem.toml")
    for verb in _VERBS:
        done = mdmem(*verb, "--lang", "en", code=4)
        assert said.strip() in done.stderr, verb
        assert "mdmem.toml" in done.stderr
        assert _SAID not in done.stdout + done.stderr


@pytest.mark.parametrize("said", _MADE)
def test_a_check_tells_it_and_goes_on(said: str, root: Path, mdmem: Run) -> None:
    (root / "mdmem.toml").unlink()
    _MADE[said](root / "mdmem.toml")
    done = mdmem("doctor", "--root", str(root), "--lang", "en", code=1)
    assert said.strip() in done.stdout
    assert "locks" in done.stdout


def test_one_that_may_not_be_read_is_told(root: Path, mdmem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = FileSnapshot("unreadable", 0, "none", b"")
    monkeypatch.setattr(settings_file, "read_snapshot", lambda *_: seen)
    assert "cannot be read" in mdmem("lint", "--lang", "en", code=4).stderr


def test_a_template_is_not_read_from_elsewhere(root: Path, mdmem: Run) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.md").write_text(f"---\nmdmem:\n  kind: x\n---\n# {_SAID}\n", "utf-8")
    (root / "templates").symlink_to(elsewhere)
    done = mdmem("lint", "--lang", "en", code=4)
    assert "leads out" in done.stderr
    assert _SAID not in done.stdout + done.stderr


def test_an_ignore_file_from_elsewhere_hides_nothing(root: Path, mdmem: Run) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    (root.parent / "patterns").write_text("*.md\n", "utf-8")
    (root / ".gitignore").symlink_to(root.parent / "patterns")
    assert "owl" in mdmem("search", "owl", "--lang", "en").stdout


def test_wrong_keys_are_passed_over_without_a_search_for_similar_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("difflib.get_close_matches", lambda *_: pytest.fail("asked for a similar key"))
    assert without_mistakes({"a": 1}, {"a": 2, **{f"k{number}": 1 for number in range(1000)}}) == {"a": 2}


_SHAPES = {
    "one recipe of many keys": lambda n: "[recipe.mine]\n" + "".join(f"key{i} = {i}\n" for i in range(n)),
    "many recipes": lambda n: "".join(f'[recipe.r{i}]\nparts = ["memory"]\nbudget = {i + 1}\n' for i in range(n)),
    "many parts": lambda n: "".join(f'[part.p{i}]\nsource = "memory"\n' for i in range(n)),
    "dotted keys": lambda n: "".join(f"marker.m{i} = {i}\n" for i in range(n)),
}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("shape", _SHAPES)
def test_the_steps_grow_no_faster_than_the_keys(make: Make, shape: str) -> None:
    def shown(size: int) -> int:
        work = make("en", {"mdmem.toml": 'lang = "en"\n' + _SHAPES[shape](size)})
        assert len(settings(Workspace(work.root).config, every=False)) >= size
        config = Workspace(work.root).config
        return steps(lambda: settings(config, every=False))

    shown(50)
    small, large = shown(300), shown(300 * TIMES)
    assert large <= 1.5 * TIMES * small, (small, large)


def _line(text: str, key: str, table: str) -> int:
    """Search for a key as a person would: below the heading of its table, else anywhere."""
    heading = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE) if table else None
    wanted = re.compile(rf"^[ \t]*(?:\[[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=\].]", re.MULTILINE)
    found = wanted.search(text, heading.end() if heading else 0) or wanted.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


_TEXT = """\
lang = "en"
key = 1
"quoted key" = 2
[lint]
  max_bytes = 3
 'key' = 4
[ recipe.mine ]
parts = ["a",
 "b"]
budget = 4
memory.enabled = true
[[list]]
key = 5
[记]
记 = 1
[recipe.mine.more]
budget = 6
max_bytes=7
"""


def test_each_key_is_found_in_the_line_where_a_search_finds_it() -> None:
    keys = ("lang", "key", "quoted key", "max_bytes", "parts", "budget", "memory", "enabled", "list", "记", "lint", "x")
    tables = ("", "lint", "recipe.mine", "recipe.mine.more", "memory", "list", "记", "x")
    lines = KeyLines(_TEXT)
    for key in keys:
        for table in tables:
            assert lines.line(key, table) == line_of(_TEXT, key, table) == _line(_TEXT, key, table), (key, table)


def test_lines_are_shown(root: object, mdmem: Run) -> None:
    mdmem("init", "--lang", "en")
    shown = mdmem("config", "show", "--lang", "en").stdout
    assert "mdmem.toml:" in shown


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
