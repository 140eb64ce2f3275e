# ruff: noqa: INP001, S603 - no package; it runs our own program
"""Generates the pages of the rules and of the command line when the site is built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from mdmem import RULES, rule_page
from mdmem.cli.parser.catalog import CHAPTERS
from mdmem.messages.catalog import say


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and the README as the first page."""
    for name, text in {"rules.md": _rules(), "cli.md": _commands(), "index.md": _start(config)}.items():
        files.append(File.generated(config, name, content=text))
    return files


def _rules() -> str:
    pages = (rule_page(rule).replace("\n## ", "\n### ").replace("# ", "## ", 1) for rule in RULES)
    return "# Rules\n\n" + "\n\n".join(pages)


def _commands() -> str:
    return "# Command line\n\n" + "\n".join(_helps())


def _helps() -> Iterator[str]:
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "LANG": "C.UTF-8"}
    for chapter in CHAPTERS:
        for verb in chapter.verbs:
            words = [sys.executable, "-m", "mdmem", "help", verb.name, "--lang", "en"]
            done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
            about = say("en", f"help.{verb.name}.about")
            yield f"## mdmem {verb.name}\n\n{about}\n\n```text\n{done.stdout.rstrip()}\n```\n"


def _start(config: MkDocsConfig) -> str:
    with open(os.path.join(os.path.dirname(config.docs_dir), "README.md"), encoding="utf-8") as stream:
        text = stream.read().replace("](docs/", "](")
    lines = [line for line in text.splitlines() if "README.zh.md" not in line and "CONTRIBUTING.md" not in line]
    return "\n".join(lines) + "\n"
