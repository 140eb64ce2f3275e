"""The files whose functions a journey runs, the sizes of packages, and what each module does.

`python -m tests.reading` writes the first two into `docs/architecture.md`, and the last into `docs/modules.md`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import mdmem

PACKAGE = Path(mdmem.__file__).parent
PAGE = PACKAGE.parent / "docs" / "architecture.md"
MODULES = PAGE.with_name("modules.md")
# What every reader knows after a day, or need not know to follow one journey.
VOCABULARY = ("text/", "formats/", "settings/", "messages/", "errors", "__init__", "__main__")
RULES = ("linter/detect/", "linter/masking", "linter/rules/", "linter/views/")
FRAME = (
    "cli/app", "cli/console", "cli/grammar/", "cli/language", "cli/lint_report", "cli/opened", "cli/outcome",
    "cli/output", "cli/usage",
)  # fmt: skip
_TRACE = """
import json, os, sys
import mdmem.__main__ as program
import mdmem.cli.agent_hook
import mdmem.cli.app
mdmem.cli.agent_hook._Reply.until = lambda *_: None  # tracing is slow
seen, root = {}, os.environ["TRACED"]
def profile(frame, event, argument):
    code = frame.f_code
    is_function = code.co_flags & 1 and not code.co_name.startswith("<")
    if event == "call" and is_function and code.co_filename.startswith(root):
        seen.setdefault(os.path.relpath(code.co_filename, root))
def leave(code):  # which some verbs do without a word
    sys.setprofile(None)
    print(json.dumps(list(seen)), file=sys.stderr, flush=True)
    end(code)
end, os._exit = os._exit, leave
sys.argv = ["mdmem", *sys.argv[1:]]
sys.setprofile(profile)
try:
    program.main()
except SystemExit as ended:
    leave(ended.code)
"""
_ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| ([\d,]+) \| ([\d,]+) \| (.*) \|$", re.MULTILINE)
_ABOUT_MODULES = """# Modules

What each module does: the first sentence of its docstring. The packages stand as in [architecture.md](architecture.md);
`python -m tests.reading` writes this page. Rules are left out: each is a module of `linter/rules/` with its page; they
are listed in [rules.md](rules.md).
"""
_SAID = "I live in Rome, and I work as a nurse. We decided to use Postgres."  # no rule: it waits for the end
_PROMPT = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "when is the dentist?"})


class Journey(NamedTuple):
    """A call of the program, and the most files that a reader of it may have to open."""

    words: tuple[str, ...]
    most: int
    given: str = ""  # the standard input


JOURNEYS: Mapping[str, Journey] = {
    "add": Journey(("add", "memory", "Ann likes tea"), 38),
    "lint": Journey(("lint",), 20),
    "search": Journey(("search", "dentist"), 44),
    "recall for a prompt": Journey(("hook", "run", "UserPromptSubmit", "--for", "claude"), 97, _PROMPT),
    "session end": Journey(("session", "end"), 113),
    "night": Journey(("night", "--now"), 113),
}
_BEFORE = (
    ("init", "--lang", "en"), ("add", "memory", "the dentist is on Monday"), ("search", "Monday"),
    ("session", "start", "mend the boat"), ("session", "turn", "user", _SAID),
    ("session", "turn", "assistant", "All tests passed."),
)  # fmt: skip


def read_in(name: str, folder: Path) -> list[str]:
    """Return the files whose functions a journey runs in a new folder, in the order of their first calls.

    Not counted: the vocabulary, the rules and detectors of the linter, and the frame of the command line.
    """
    journey = JOURNEYS[name]
    for words in _BEFORE:
        _program(["-m", "mdmem", *words], folder, "")
    traced = _program(["-c", _TRACE, *journey.words], folder, journey.given)
    called: list[str] = json.loads(traced.splitlines()[-1])
    return [one for one in called if not one.startswith((*VOCABULARY, *RULES, *FRAME))]


def _program(arguments: list[str], folder: Path, given: str) -> str:
    homes = {f"XDG_{name}_HOME": str(folder / f".{name.lower()}") for name in ("CACHE", "CONFIG", "STATE")}
    env = os.environ | {"TRACED": str(PACKAGE), "PYTHONPATH": str(PACKAGE.parent), **homes}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, input=given, capture_output=True, text=True, check=True
    )
    return done.stderr


def sizes() -> dict[str, tuple[int, int]]:
    """Return the number of files and lines of each package, and of each module beside them."""
    found = {}
    for path in PACKAGE.iterdir():
        files = [path] if path.suffix == ".py" else list(path.rglob("*.py"))
        if files and not path.name.startswith("__"):
            found[path.stem] = (len(files), sum(len(one.read_text("utf-8").splitlines()) for one in files))
    return found


def listed(name: str, page: str) -> list[str]:
    """Return the files that the page lists for a journey."""
    found = re.search(rf"<!-- journey {name} -->\n(.*?)<!-- /journey -->", page, re.DOTALL)
    return re.findall(r"`([^`]+)`", found[1]) if found else []


def stated_sizes(page: str) -> dict[str, tuple[int, int]]:
    """Return what the page states of each row of its table: files and lines, by the names of the row's packages."""
    return {names: (int(files.replace(",", "")), int(lines.replace(",", ""))) for names, files, lines, _ in _rows(page)}


def _rows(page: str) -> list[tuple[str, str, str, str]]:
    """Return the rows of the table: the names of packages, files, lines, and what they hold."""
    return _ROW.findall(page.partition("<!-- packages -->")[2].partition("<!-- /packages -->")[0])


def packages(page: str) -> list[str]:
    """Return the packages of the table, in its order."""
    return [name for names, *_ in _rows(page) for name in re.findall(r"\w+", names)]


def about_modules(page: str) -> str:
    """Return the page that says what each module does; the packages stand as in the table of the other page."""
    parts = [_ABOUT_MODULES]
    for names, _, _, holds in _rows(page):
        parts.append(f"\n## {names}\n\n{holds[0].upper()}{holds[1:]}.\n\n")
        parts += [f"- `{name}`: {first}\n" for name, first in _first_sentences(re.findall(r"\w+", names))]
    return "".join(parts)


def _first_sentences(names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        single = PACKAGE / f"{name}.py"
        for path in [single] if single.exists() else sorted((PACKAGE / name).rglob("*.py")):
            place = path.relative_to(PACKAGE).as_posix()
            if path.name != "__init__.py" and not place.startswith("linter/rules/"):
                about = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
                yield place, " ".join(about.partition("\n\n")[0].split())


def size_of(names: str) -> tuple[int, int]:
    """Return the files and lines of the packages of a row of the table."""
    found = sizes()
    own = [found[name] for name in re.findall(r"\w+", names)]
    return sum(files for files, _ in own), sum(lines for _, lines in own)


def main() -> None:
    """Write the lists and sizes into the page."""
    page = PAGE.read_text("utf-8")
    for names in stated_sizes(page):
        files, lines = size_of(names)
        page = re.sub(
            rf"^\| {names} \| .*? \| .*? \|", f"| {names} | {files:,} | {lines:,} |", page, flags=re.MULTILINE
        )
    for name in JOURNEYS:
        with tempfile.TemporaryDirectory() as folder:
            rows = "".join(f"- `{one}`\n" for one in read_in(name, Path(folder)))
        start, end = f"<!-- journey {name} -->\n", "<!-- /journey -->"
        page = re.sub(rf"({re.escape(start)}).*?({end})", rf"\g<1>{rows}\g<2>", page, flags=re.DOTALL)
        print(f"{name}: {rows.count('`') // 2} files")
    PAGE.write_text(page, "utf-8", newline="\n")
    MODULES.write_text(about_modules(page), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
