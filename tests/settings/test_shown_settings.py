"""`config show` names the line of each setting, in steps that grow with the file and no faster."""

from __future__ import annotations

import re

import pytest
from conftest import Make, Run
from growth import TIMES, steps

from mdmem.config.settings_shown import settings
from mdmem.settings.toml_file import KeyLines, line_of
from mdmem.workspace import Workspace

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
