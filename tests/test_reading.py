"""The files that a reader opens for a journey are those that `docs/architecture.md` lists: traced, not believed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import in_process
import pytest

import mdmem

PACKAGE = Path(mdmem.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"
MOST = {"add": 16, "lint": 9, "search": 14}  # of a search, four tell which lines no longer hold
FRAME = (
    "cli/app",
    "cli/output",
    "cli/grammar/",
    "cli/console",
    "cli/lint_report",
    "cli/outcome",
    "cli/language",
    "cli/opened",
)
VOCABULARY = ("text/", "formats/", "settings/", "messages/", "errors", "config/", "__init__", "__main__")
BELIEVED = (
    "linter/detect/",
    "linter/masking",
    "linter/rules/",
    "search/words/",
    "search/index/",
    "store/",
)
ENTRANCES = {"store/pen.py", "search/index/search_index.py"}
INSIDE_OF_LINT = {
    "linter/rule.py", "linter/runner.py", "linter/suppressions.py", "linter/service.py", "linter/fastmemo_text.py",
}  # fmt: skip
TRACE = """
import json, os, sys
import mdmem.__main__ as program
import mdmem.cli.app
seen, root = set(), os.environ["TRACED"]
def profile(frame, event, argument):
    code = frame.f_code
    is_function = code.co_flags & 1 and not code.co_name.startswith("<")
    if event == "call" and is_function and code.co_filename.startswith(root):
        seen.add(os.path.relpath(code.co_filename, root))
program._leave = sys.exit
sys.argv = ["mdmem", *sys.argv[1:]]
sys.setprofile(profile)
try:
    program.main()
except SystemExit:
    pass
sys.setprofile(None)
print(json.dumps(sorted(seen)), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for words in (("init", "--lang", "en"), ("add", "memory", "the dentist is on Monday"), ("search", "Monday")):
        assert in_process.run(*words, cwd=tmp_path, env=environment(tmp_path)).returncode == 0
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "TRACED": str(PACKAGE), "PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": str(folder / ".cache"),
    }  # fmt: skip


def listed(journey: str) -> set[str]:
    found = re.search(rf"<!-- journey {journey} -->\n(.*?)<!-- /journey -->", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    return set(re.findall(r"`([^`]+)`", found[1]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("journey", "words"), [("add", ("memory", "Ann likes tea")), ("lint", ()), ("search", ("dentist",))]
)
def test_a_journey_is_read_in_the_files_that_the_page_lists(journey: str, words: tuple[str, ...], folder: Path) -> None:
    program = [sys.executable, "-c", TRACE, journey, *words]
    traced = subprocess.run(
        program, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    ).stderr
    called = json.loads(traced.splitlines()[-1])
    opened = {
        name for name in called
        if name in ENTRANCES or not name.startswith((*FRAME, *VOCABULARY, *BELIEVED))
    } - (INSIDE_OF_LINT if journey == "add" else set())  # fmt: skip
    assert opened == listed(journey)
    assert len(opened) <= MOST[journey]


def test_the_page_names_every_package() -> None:
    table = PAGE.read_text("utf-8").partition("<!-- packages -->")[2].partition("<!-- /packages -->")[0]
    named = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    }
    packages = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert named == packages - {"__init__", "__main__"}
