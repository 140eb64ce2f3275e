"""The options of `mdmem lint`, once: the quick path, the full command line and the docs are made from this table.

typer costs more start-up than a whole lint, so `mdmem lint` is parsed by argparse; `mdmem --help`, `mdmem lint --help`
and shell completion come from typer. Both read the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Option(NamedTuple):
    """One option, or the positional arguments where there is no flag."""

    name: str
    flag: str
    type: str  # flag, text, texts, number, choice
    help: str
    choices: tuple[str, ...] = ()
    short: str = ""


FORMATS = ("text", "json", "github", "sarif")

LINT = (
    Option("paths", "", "texts", "Files or folders; none means the workspace found upwards from here."),
    Option("fix", "--fix", "flag", "Mend what can be mended safely."),
    Option("diff", "--diff", "flag", "Show what --fix would change; write nothing."),
    Option("staged", "--staged", "flag", "Judge what is staged in git, not the files on disk."),
    Option("select", "--select", "texts", "Run only these rules: codes, prefixes (MM3) or names; separated by commas."),
    Option("ignore", "--ignore", "texts", "Leave these rules out."),
    Option("fail_on", "--fail-on", "choice", "Exit 1 from this severity on.", ("error", "warning", "note")),
    Option("format", "--format", "choice", "How to print the findings.", FORMATS),
    Option("json", "--json", "flag", "Short for --format json."),
    Option(
        "jobs", "--jobs", "number", "Processes to use; without it, as many as the amount of text is worth.", (), "-j"
    ),
    Option("lang", "--lang", "choice", "The language of messages.", ("zh", "en")),
    Option("no_cache", "--no-cache", "flag", "Neither read nor write the cache."),
    Option("quiet", "--quiet", "flag", "Print errors and warnings only, and no summary.", (), "-q"),
)


def parse(options: Sequence[Option], arguments: Sequence[str], prog: str) -> dict[str, Any]:
    """Parse a command line by a table; prints usage and exits 2 on a wrong one."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog=prog, add_help=False, allow_abbrev=False)
    for option in options:
        names = [name for name in (option.short, option.flag) if name]
        settings: dict[str, Any] = {"dest": option.name, "default": None}
        if not names:
            parser.add_argument(option.name, nargs="*", metavar=option.name.upper())
            continue
        if option.type == "flag":
            settings |= {"action": "store_true", "default": False}
        elif option.type == "texts":
            settings |= {"action": "append"}
        elif option.type == "number":
            settings |= {"type": int}
        elif option.choices:
            settings |= {"choices": option.choices}
        parser.add_argument(*names, **settings)
    return vars(parser.parse_intermixed_args(arguments))


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
