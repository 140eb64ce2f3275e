"""Build the site, strictly: a dead link, a page that is missing or a docstring that is wrong stops it.

    python docs/build.py [FOLDER]      # into FOLDER; without one into a temporary folder, as a check

The pages of this folder are copied into a temporary folder. A line `<!-- generated: NAME -->` in a page is replaced by
what NAME generates: the reference of the command line from its help texts, the list of rules from the registry, the
reference of Python from `mdmem.__all__`. Nothing that is generated is kept here.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import mdmem
from mdmem.cli.help import Help
from mdmem.cli.parser.catalog import CHAPTERS
from mdmem.cli.parser.declare import Command, Group, load
from mdmem.cli.terminal import Paint
from mdmem.messages.catalog import say

DOCS = Path(__file__).resolve().parent
_MARKER = re.compile(r"^<!-- generated: ([a-z-]+) -->$", re.MULTILINE)
_FENCE_INFO = re.compile(r"^(```+)markdown (.+)$", re.MULTILINE)
_FAMILIES = {
    "1": "The file", "2": "Sections", "3": "Entries", "4": "Limits", "5": "Safety", "6": "Plans and sessions",
}  # fmt: skip


def main(folder: str = "") -> int:
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
    pages.mkdir(parents=True)
    for page in sorted(DOCS.glob("*.md")):
        text = _MARKER.sub(lambda found: "\n".join(GENERATED[found[1]]()), page.read_text("utf-8"))
        (pages / page.name).write_text(text, "utf-8")
    shutil.copytree(DOCS / "decisions", pages / "decisions")
    (pages / "rules").mkdir()
    for name, text in rule_pages():
        (pages / "rules" / name).write_text(text, "utf-8")


def commands(lang: str) -> Iterator[str]:
    """Yield the reference of the command line: each verb with its help, in the order of `mdmem --help`."""
    os.environ["COLUMNS"] = "100"
    page = Help(lang, Paint(io.StringIO()))
    yield from _block(page.overview())
    for chapter in CHAPTERS:
        yield f"\n## {say(lang, f'help.chapter.{chapter.key}')}"
        for verb in chapter.verbs:
            found = load(verb)
            yield f"\n### mdmem {verb.name}"
            if isinstance(found, Command):
                yield from _block(page.command([verb.name], found))
            else:
                yield from _block(page.group(verb.name, found))
                yield from _verbs(page, verb.name, found)


def _verbs(page: Help, name: str, group: Group) -> Iterator[str]:
    for one in group.names:
        yield f"\n#### mdmem {name} {one}"
        yield from _block(page.command([name, one], group.get(one)))


def _block(lines: Iterator[str]) -> Iterator[str]:
    yield from ("", "```text", *lines, "```")


def rules() -> Iterator[str]:
    """Yield the list of rules, a table for each family, with links to their pages."""
    family = ""
    for rule in mdmem.RULES:
        if rule.code[2] != family:
            family = rule.code[2]
            yield f"\n## MM{family}xx: {_FAMILIES[family]}\n\n| rule | severity | what it finds |\n|---|---|---|"
        what = _first_paragraph(mdmem.rule_page(rule)).replace("|", r"\|")
        yield f"| [{rule.code} {rule.name}](rules/{rule.code.lower()}.md) | {rule.severity} | {what} |"


def _first_paragraph(page: str) -> str:
    return " ".join(page.split("\n\n")[1].split())


def rule_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each rule's page on the site: the English page, then the Chinese one."""
    for rule in mdmem.RULES:
        page, key = _FENCE_INFO.sub(r'\1markdown title="\2"', mdmem.rule_page(rule)), f"pages.{rule.code}"
        what, why, fix = (say("zh", f"{key}.{part}") for part in ("finds", "why", "fix"))
        text = f"{page.rstrip()}\n\n## 中文\n\n{what}\n\n**原因**：{why}\n\n**修复**：{fix}\n"
        yield f"{rule.code.lower()}.md", text


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
    "cli-en": lambda: commands("en"),
    "cli-zh": lambda: commands("zh"),
    "rules": rules,
    "api": api,
}

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
