"""All golden files: what stands in each, computed from the mdmem at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path

import mdmem

from . import api
from .program import Program
from .replies import transcript

FOLDER = Path(__file__).parent / "golden"
COMMAND = "python -m tests.surface.write"
LANGUAGES = ("en", "zh")
_TAKES_A_VERB = re.compile(r"VERB|命令")  # in a line of usage
_OPTIONS = re.compile(r"Options|选项")  # the heading below the verbs
_ROW = re.compile(r"  ([a-z]+)  ")  # of a list of verbs


def goldens() -> dict[str, Callable[[Path], str]]:
    """Return what makes the text of each golden file, in an empty folder."""
    makers = {
        "names.txt": lambda _: _text(api.public_names()),
        "api.txt": lambda _: _text(api.definitions(), between="\n\n"),
        "errors.txt": lambda _: _text(errors()),
    }
    return makers | {name: make for lang in LANGUAGES for name, make in _in_language(lang)}


def _in_language(lang: str) -> Iterator[tuple[str, Callable[[Path], str]]]:
    yield f"help.{lang}.txt", lambda home: _text(_help(Program(home), lang), between="\n\n")
    yield f"tools.{lang}.txt", lambda home: _text(_tools(home, lang), between="\n\n")
    yield f"replies.{lang}.txt", lambda home: _text(transcript(Program(home), home / lang, lang)).lstrip("\n")


def _text(lines: Iterable[str], between: str = "\n") -> str:
    """Join lines or blocks; no line ends in a blank, which editors and diffs lose."""
    return "\n".join(line.rstrip() for line in between.join(lines).split("\n")) + "\n"


def errors() -> Iterator[str]:
    """Yield a line for each class of errors: exit code, code, name."""
    found = [one for name in mdmem.__all__ if isinstance(one := getattr(mdmem, name), type)]
    kinds = [one for one in found if issubclass(one, mdmem.MdmemError)]
    for kind in sorted(kinds, key=lambda one: (int(one.exit_code), one.code)):
        yield f"{int(kind.exit_code):>3}  {kind.code:20}  {kind.__name__}"


def _help(program: Program, lang: str, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the help of mdmem, or of a verb, and of all verbs that it lists."""
    asked = [*words, "--help"] if words else ["help", "--all"]
    done = program.run([*asked, "--lang", lang], program.home)
    yield f"$ {' '.join(['mdmem', *asked])}\n{done.out}{done.err}".rstrip()
    usage, *rows = done.out.splitlines()
    if _TAKES_A_VERB.search(usage):
        for row in takewhile(lambda row: not _OPTIONS.match(row), rows):
            if listed := _ROW.match(row):
                yield from _help(program, lang, (*words, listed[1]))


def _tools(home: Path, lang: str) -> Iterator[str]:
    for tool in mdmem.Workspace(home / f"tools {lang}", lang=lang).tools():
        yield json.dumps(tool, ensure_ascii=False, indent=2)
