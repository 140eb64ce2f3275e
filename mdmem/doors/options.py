"""The options of `mdmem lint` and `mdmem search`, once: quick path, full command line and docs are made from them.

typer costs more start-up than a whole lint, and argparse a tenth of one, so these two are parsed here;
`mdmem --help`, `mdmem lint --help` and shell completion come from typer. Both read the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mdmem.core.record import NamedTuple
from mdmem.errors import UsageError


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

SEARCH = (
    Option("words", "", "texts", 'What to look for: words; "…" as it stands, -word without it, word* as a beginning.'),
    Option("kind", "--kind", "texts", "Only in files of these kinds (memory, daily, …), or entries or turns only."),
    Option("since", "--since", "text", "Only what is dated on or after this day: 2026-02-13."),
    Option("until", "--until", "text", "Only what is dated on or before this day."),
    Option("tag", "--tag", "texts", "Only entries with this tag; all of them where there are several."),
    Option("agent", "--agent", "text", "Only what belongs to this agent, or to nobody in particular."),
    Option("within", "--in", "choice", "Where to look: also in the archive, or nowhere else.", ("all", "archive")),
    Option("limit", "--limit", "number", "How many hits.", (), "-n"),
    Option("json", "--json", "flag", "Print JSON."),
    Option("root", "--root", "text", "The workspace; without it, the one found upwards from here."),
    Option("lang", "--lang", "choice", "The language of messages.", ("zh", "en")),
)


def parse(options: Sequence[Option], arguments: Sequence[str], verb: str = "lint") -> dict[str, Any]:
    """Parse a command line by a table: `--name value`, `--name=value`, `-j 2`, flags, and paths anywhere.

    Raises:
        UsageError: an option is unknown, lacks its value or has one that does not fit.
    """
    named = {name: option for option in options for name in (option.flag, option.short) if name}
    values: dict[str, Any] = {option.name: False if option.type == "flag" else None for option in options}
    rest_of = next(option.name for option in options if not option.flag)
    values[rest_of] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            values[rest_of] += rest
        elif word.startswith("-") and word != "-":
            name, joined, value = word.partition("=")
            option = named.get(name)
            if option is None:
                raise UsageError(f"there is no option `{name}`", hint=f"`mdmem {verb} --help` lists them")
            if option.type == "flag":
                if joined:
                    raise UsageError(f"`{name}` takes no value")
                values[option.name] = True
                continue
            given = value if joined else next(rest, None)
            values[option.name] = _value(option, given, values[option.name])
        else:
            values[rest_of].append(word)
    return values


def _value(option: Option, value: str | None, before: Any) -> Any:  # noqa: ANN401 - the table says what it is
    if value is None:
        raise UsageError(f"`{option.flag}` needs a value")
    if option.choices and value not in option.choices:
        raise UsageError(f"`{option.flag}` is one of: {', '.join(option.choices)}")
    if option.type == "texts":
        return [*(before or ()), value]
    if option.type != "number":
        return value
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"`{option.flag}` needs a whole number above 0")
    return int(value)


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
