"""The options of `mdmem lint`, once: the quick path, the full command line and the docs are made from this table.

typer costs more start-up than a whole lint, and argparse a tenth of one, so `mdmem lint` is parsed here;
`mdmem --help`, `mdmem lint --help` and shell completion come from typer. Both read the same rows.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

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


def parse(options: Sequence[Option], arguments: Sequence[str]) -> dict[str, Any]:
    """Parse a command line by a table: `--name value`, `--name=value`, `-j 2`, flags, and paths anywhere.

    Raises:
        UsageError: an option is unknown, lacks its value or has one that does not fit.
    """
    named = {name: option for option in options for name in (option.flag, option.short) if name}
    values: dict[str, Any] = {option.name: False if option.type == "flag" else None for option in options}
    values["paths"] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            values["paths"] += rest
        elif word.startswith("-") and word != "-":
            name, joined, value = word.partition("=")
            option = named.get(name)
            if option is None:
                raise UsageError(f"there is no option `{name}`", hint="`mdmem lint --help` lists them")
            if option.type == "flag":
                if joined:
                    raise UsageError(f"`{name}` takes no value")
                values[option.name] = True
                continue
            given = value if joined else next(rest, None)
            values[option.name] = _value(option, given, values[option.name])
        else:
            values["paths"].append(word)
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
