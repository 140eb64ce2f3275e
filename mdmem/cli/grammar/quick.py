"""Read the command lines of programs, which call mdmem thousands of times, without importing typer.

The forms here are those of `cli/commands`; `tests/cli/test_quick.py` compares both readers. What is not plainly right
is not read here: typer reads it again, and words the error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.messages.folders import languages


class Form(NamedTuple):
    """The options of a verb by name, with their flags; what is no flag or list takes one value."""

    arguments: str  # the name of the argument; empty for none
    several: bool  # whether there may be several
    flags: Mapping[str, str]
    lists: Mapping[str, str]
    values: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    numbers: Sequence[str]


_EVERY = {"--root": "root", "--lang": "lang", "--color": "color", "--colour": "color"}
_SWITCHES = {"--wide": "wide"}
_COLORS = {"color": ("auto", "always", "never")}
LINT = Form(
    arguments="paths",
    several=True,
    flags=_SWITCHES | {
        "--fix": "fix", "--diff": "diff", "--staged": "staged", "--all": "whole", "--json": "json",
        "--no-cache": "no_cache", "--quiet": "quiet", "-q": "quiet",
    },
    lists={"--select": "select", "--ignore": "ignore"},
    values=_EVERY | {
        "--fail-on": "fail_on", "--format": "format", "--stdin-filename": "stdin_filename", "--jobs": "jobs",
        "-j": "jobs", "--baseline": "baseline", "--write-baseline": "write_baseline",
    },
    choices=_COLORS | {"fail_on": ("error", "warning", "note"), "format": ("text", "json", "github", "sarif")},
    numbers=("jobs",),
)  # fmt: skip
HOOK_RUN = Form(
    arguments="event",
    several=False,
    flags=_SWITCHES | {"--record": "record"},
    lists={},
    values=_EVERY | {"--for": "agent", "--user": "user"},
    choices=_COLORS | {"agent": ("claude", "codex", "gemini", "cursor")},
    numbers=(),
)
MERGE = Form(
    arguments="versions",
    several=True,
    flags=_SWITCHES,
    lists={},
    values={name: value for name, value in _EVERY.items() if value != "root"},
    choices=_COLORS,
    numbers=(),
)

SYNC = Form(
    arguments="",
    several=False,
    flags=_SWITCHES | {"--json": "json", "--once": "once", "--dry-run": "dry_run", "--no-push": "no_push"},
    lists={},
    values=_EVERY | {"--every": "every", "--user": "user"},
    choices=_COLORS,
    numbers=(),
)


def read(form: Form, words: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of the words behind a verb; None if typer has to read them."""
    found: dict[str, Any] = {name: None for options in (form.lists, form.values) for name in options.values()}
    found |= dict.fromkeys(form.flags.values(), False)
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            rest += left
        elif not word.startswith("-") or word == "-":
            rest.append(word)
        elif not _take(form, word, left, found):
            return None
    if len(rest) > (form.arguments != "") and not form.several:
        return None
    if form.arguments:
        found[form.arguments] = rest if form.several else "".join(rest)
    return found


def _take(form: Form, word: str, left: Iterator[str], found: dict[str, Any]) -> bool:
    """Take an option with its value; return False if it is unknown, bundled, or has no right value."""
    flag, attached, value = word.partition("=")
    if flag in form.flags and not attached:
        found[form.flags[flag]] = True
        return True
    name = form.values.get(flag) or form.lists.get(flag)
    if name is None or (attached and not flag.startswith("--")):
        return False
    if not attached:
        value = next(left, "\0")
    if value == "\0" or not _fits(form, name, value):
        return False
    if flag in form.lists:
        found[name] = [*(found[name] or ()), value]
    else:
        found[name] = int(value) if name in form.numbers else value
    return True


def _fits(form: Form, name: str, value: str) -> bool:
    """Return whether a value is one that needs no second look."""
    if name in form.choices:
        return value in form.choices[name]
    if name in form.numbers:
        return value.isascii() and value.isdecimal() and 0 < len(value) < 10 and value[0] != "0"
    return name != "lang" or value in languages()
