"""Build the site, strictly: a dead link, a page that is missing or a docstring that is wrong stops it.

    python docs/build.py [FOLDER]      # into FOLDER; without one into a temporary folder, as a check

The pages of this folder are copied into a temporary folder. A line `<!-- generated: NAME -->` in a page is replaced by
what NAME generates: the command line and the rules from what the program prints, the reference of Python from its
docstrings. Nothing that is generated is kept here.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from unittest import mock

import mdmem
from mdmem.cli.app import main
from mdmem.cli.grammar.application import VerbGroup, load
from mdmem.cli.grammar.verbs import VERBS

DOCS = Path(__file__).resolve().parent
_MARKER = re.compile(r"^<!-- generated: ([a-z-]+) -->$", re.MULTILINE)
_FENCE = re.compile(r"^(```+)markdown (\S+).*$", re.MULTILINE)
_ROW = re.compile(r"  (\S+)  ")
_SUFFIX = {"en": ".md", "zh": ".zh.md"}
_HEADS = {"en": "| rule | severity | what it finds |", "zh": "| 规则 | 级别 | 查什么 |"}
_FAMILIES = {
    "en": {
        "MM1": "The file", "MM2": "Sections", "MM3": "Entries", "MM4": "Limits", "MM5": "Safety",
        "MM6": "Plans and sessions",
    },
    "zh": {"MM1": "文件", "MM2": "小节", "MM3": "条目", "MM4": "上限", "MM5": "安全", "MM6": "计划和会话"},
}  # fmt: skip


def build(folder: str = "") -> int:
    """Build the site into a folder, or into a temporary one."""
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary, "stage")
        write_pages(stage / "pages")
        for name in ("mkdocs.yml", "docstring_examples.py"):
            shutil.copy(DOCS / name, stage)
        site = os.path.abspath(folder) if folder else str(Path(temporary, "site"))
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(stage / "mkdocs.yml")]
        environment = os.environ | {"PYTHONPATH": str(DOCS.parent), "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run([*command, "--site-dir", site], env=environment, cwd=stage, check=False)  # noqa: S603
    return done.returncode


def write_pages(pages: Path) -> None:
    """Write every page of the site: those of this folder with what they include, and the generated ones."""
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    pages.mkdir(parents=True)
    for page in sorted(DOCS.rglob("*.md")):
        text = _MARKER.sub(lambda found: "\n".join(GENERATED[found[1]]()), page.read_text("utf-8"))
        copy = pages / page.relative_to(DOCS)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text, "utf-8")
    for program_file in (DOCS / "examples").glob("*.py"):
        shutil.copy(program_file, pages / "examples")
    (pages / "rules").mkdir()
    for name, text in rule_pages():
        (pages / "rules" / name).write_text(text, "utf-8")


def program(*words: str) -> str:
    """Return what a command prints."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n")
    with (
        redirect_stdout(stream),
        mock.patch.object(sys, "argv", ["mdmem", *words]),
    ):  # the help reads its language there
        main(words)
    stream.seek(0)
    return stream.read().rstrip()


def commands(lang: str) -> Iterator[str]:
    """Yield the reference of the command line: each verb with its help, as `mdmem help --all` lists them."""
    overview = program("help", "--all", "--lang", lang)
    yield f"```text\n{overview}\n```"
    for block in overview.split("\n\n"):
        title, *rows = block.split("\n")
        verbs = [row[1] for line in rows if (row := _ROW.match(line)) and row[1] in VERBS]
        if verbs:
            yield f"\n## {title}"
        for verb in verbs:
            yield from _help(lang, verb)


def _help(lang: str, *words: str) -> Iterator[str]:
    yield f"\n{'##' + '#' * len(words)} mdmem {' '.join(words)}\n"
    yield f"```text\n{program('help', *words, '--lang', lang)}\n```"
    group = load(VERBS[words[0]]) if len(words) == 1 else None
    if isinstance(group, VerbGroup):
        for one in (name for name, command in group.commands.items() if not command.hidden):
            yield from _help(lang, *words, one)


def rules(lang: str) -> Iterator[str]:
    """Yield the list of rules, a table for each family, with links to their pages."""
    family = ""
    for rule in json.loads(program("explain", "--json", "--lang", lang))["rules"]:
        code = rule["code"]
        if code[:3] != family:
            family = code[:3]
            yield f"\n## {family}xx: {_FAMILIES[lang][family]}\n\n{_HEADS[lang]}\n|---|---|---|"
        link = f"[{code} {rule['name']}](rules/{code.lower()}{_SUFFIX[lang]})"
        yield f"| {link} | {rule['severity']} | {rule['finds'].replace('|', chr(92) + '|')} |"


def rule_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each rule's page, in both languages, as `mdmem explain` prints it."""
    for rule in mdmem.RULES:
        for lang, suffix in _SUFFIX.items():
            page = program("explain", rule.code, "--lang", lang)
            yield rule.code.lower() + suffix, _FENCE.sub(r'\1markdown title="\2"', page) + "\n"


def api() -> Iterator[str]:
    """Yield the reference of Python: each public name below its group."""
    for title, names in api_groups().items():
        yield f"\n## {title}\n"
        yield from (f"::: mdmem.{name}\n" for name in names)


def api_groups() -> Mapping[str, list[str]]:
    """Return the public names by what they are, each in one group."""
    groups: dict[str, list[str]] = {
        "Workspace": ["Workspace"], "Namespaces of a workspace": [], "Functions": [], "What calls return": [],
        "Errors": [], "Constants": [],
    }  # fmt: skip
    for name in sorted(set(mdmem.__all__) - {"Workspace", "__version__"}):
        value = getattr(mdmem, name)
        if inspect.isfunction(value):
            groups["Functions"].append(name)
        elif not inspect.isclass(value):
            groups["Constants"].append(name)
        elif issubclass(value, BaseException):
            groups["Errors"].append(name)
        elif name.lower() in vars(mdmem.Workspace):
            groups["Namespaces of a workspace"].append(name)
        else:
            groups["What calls return"].append(name)
    return groups


GENERATED: Mapping[str, Callable[[], Iterator[str]]] = {
    "commands-en": partial(commands, "en"),
    "commands-zh": partial(commands, "zh"),
    "rules-en": partial(rules, "en"),
    "rules-zh": partial(rules, "zh"),
    "api": api,
}

if __name__ == "__main__":
    sys.exit(build(*sys.argv[1:]))
