"""Patterns of a folder: the same answer as git, and an end also where one backtracks."""

import itertools
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from mdmem.formats.template import Schemas
from mdmem.formats.template_reader import read_template
from mdmem.store.walk import is_excluded

LONG = "a" * 200
HOSTILE = [
    "*a" * 12 + "*b", "*[a]" * 12 + "*b", "*[!b]" * 12 + "b", "**a" * 9 + "b", "x/" + "*a" * 12 + "*b",
    "**/a/" * 12 + "b", "**/*a*a*a/" * 6 + "b", "*\\a" * 12 + "*b", "*?a" * 12 + "b", "*记" * 12 + "*忆",
]  # fmt: skip
NAMES = [LONG, f"x/{LONG}", "/".join("a" * 150), "/".join([LONG] * 8), "记" * 80]


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_pattern_ends(line: str) -> None:
    head = f"---\nmdmem:\n  kind: x\n  files: [{json.dumps(line + '.md')}]\n  create: never\n---\n# X\n"
    schemas = Schemas([read_template(head.encode(), "x.md", "en")], "en")
    for name in NAMES:
        is_excluded(name, [line])
        schemas.kind(name + "b.md")
        schemas.kind(name + "忆.md")


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize(("third", "wild"), [("c", ["?", "[ab]", "[!a]", "[^b]"]), ("记", [])])  # git's `?` is one byte
def test_patterns_answer_as_git_does(tmp_path: Path, third: str, wild: list[str]) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    draw = random.Random(30)
    pieces = ["a", "b", third, "*", "*", "*", *wild, "\\b", "/", "/**/"]
    names = ["".join(one) for size in (1, 2, 3, 4) for one in itertools.product(f"ab{third}", repeat=size)]
    paths = [*names, *("/".join(draw.choices(names[:12], k=draw.randint(2, 5))) for _ in range(300))]
    for _ in range(100):
        line = "".join(draw.choices(pieces, k=draw.randint(2, 7)))
        line = re.sub(r"(?<!/)\*{2,}|\*{2,}(?!/)", "*", line)  # there, too, of `***/b` and the like
        line += "a" if line.endswith("/**/") else ""  # pathspec and git differ there about files right in the folder
        (tmp_path / ".gitignore").write_text(line + "\n", encoding="utf-8")
        asked = subprocess.run(
            ["git", "-C", tmp_path, "check-ignore", "--no-index", "-z", "--stdin"],
            input="\0".join(paths).encode(), capture_output=True, check=False,
        )  # fmt: skip
        git = set(filter(None, asked.stdout.decode().split("\0")))
        assert {one for one in paths if is_excluded(one, [line])} == git, line


@pytest.mark.thorough
def test_stars_and_folders_answer_as_without_atomic_groups() -> None:
    draw = random.Random(7)
    pieces = ["a", "b", ".", "*", "*", "?", "[ab]", "\\b", "[b-]", "/", "/**/", "**"]
    names = ["".join(one) for size in (1, 2, 3, 4) for one in itertools.product("ab.", repeat=size)]
    paths = [*names, *("/".join(draw.choices(names[:30], k=draw.randint(2, 5))) for _ in range(200))]
    for _ in range(300):
        line = "".join(draw.choices(pieces, k=draw.randint(2, 9)))
        plain = GitIgnoreSpec.from_lines([line])
        for path in paths:
            assert is_excluded(path, [line]) == plain.match_file(path), (line, path)
