"""The parameters of a command, of which help and completion are made, and how the words behind a verb are read.

`lint` and `search` list theirs here, so that their quick start reads no annotations; every other verb declares its own
beside its parameters (`cli/parser/declare.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any, NamedTuple

from mdmem.cli.parser.usage import nearest, wrong
from mdmem.errors import MdmemError


class Parameter(NamedTuple):
    """One option, or one positional argument where there is no flag."""

    name: str
    flags: tuple[str, ...]
    type: str  # flag, text, texts, number, choice
    help: str
    zh: str
    choices: tuple[str, ...] = ()
    min: int | None = None
    required: bool = False
    default: object = None
    metavar: str = ""


FORMATS = ("text", "json", "github", "sarif")
ROOT = Parameter("root", ("--root",), "text", "The workspace; else the one found upwards from here.",
                 "工作区；不写就从当前目录往上找。")  # fmt: skip
LANG = Parameter("lang", ("--lang",), "choice", "The language of messages.", "提示信息的语言。", ("zh", "en"))
JSON = Parameter("json", ("--json",), "flag", "Print JSON.", "输出 JSON。")
VERSION = Parameter("version", ("--version", "-V"), "flag", "Print the version.", "显示版本号。")
GLOBAL = (LANG, ROOT, JSON, VERSION)  # may stand before the verb too
# Heard by every command.
COMMON = (
    Parameter("color", ("--color", "--colour"), "choice", "Colour: auto only on a terminal.",
              "颜色：auto 只在终端里上色。", ("auto", "always", "never")),
    Parameter("help", ("--help", "-h"), "flag", "Show this help.", "显示这份帮助。"),
)  # fmt: skip

LINT = (
    Parameter("paths", (), "texts", "Files or folders, `-` a pipe; none: the workspace.",
              "文件或文件夹；`-` 从管道读；不写就检查整个工作区。"),
    Parameter("fix", ("--fix",), "flag", "Mend what can be mended safely.", "修复能安全修复的问题。"),
    Parameter("diff", ("--diff",), "flag", "Show what --fix would change; write nothing.",
              "只显示 --fix 会改什么，不写入。"),
    Parameter("staged", ("--staged",), "flag", "Judge what is staged in git, not the files on disk.",
              "检查 git 暂存区里的内容，而不是磁盘上的文件。"),
    Parameter("select", ("--select",), "texts", "Only these rules: codes, prefixes (MM3) or names, with commas.",
              "只用这些规则：代码、前缀（MM3）或名称，用逗号隔开。"),
    Parameter("ignore", ("--ignore",), "texts", "Leave these rules out.", "不用这些规则。"),
    Parameter("fail_on", ("--fail-on",), "choice", "Exit 1 from this severity on.",
              "从这个级别起退出码为 1。", ("error", "warning", "note")),
    Parameter("format", ("--format",), "choice", "How to print the findings.", "用什么格式输出。", FORMATS),
    Parameter("json", ("--json",), "flag", "Short for --format json.", "等于 --format json。"),
    Parameter("stdin_filename", ("--stdin-filename",), "text", "With `-`: the file that the text belongs to.",
              "与 `-` 同用：这段文字属于哪个文件。"),
    Parameter("jobs", ("--jobs", "-j"), "number", "Processes to use; else as many as the text is worth.",
              "用几个进程；不写就按文字量决定。", (), 1),
    ROOT,
    LANG,
    Parameter("no_cache", ("--no-cache",), "flag", "Neither read nor write the cache.", "不读也不写缓存。"),
    Parameter("quiet", ("--quiet", "-q"), "flag", "Print errors and warnings only, and no summary.",
              "只显示错误和警告，不显示小结。"),
)  # fmt: skip

SEARCH = (
    Parameter("words", (), "texts", 'Words; "…" as it stands, -word without it, word* its beginning.',
              '要找的词；"…" 原样查找，-词 排除，词* 按开头查找。'),
    Parameter("kind", ("--kind",), "texts", "Only these kinds (memory, daily, …), entries or turns.",
              "只在这些种类里找（memory、daily……），或只找条目、轮次。"),
    Parameter("since", ("--since",), "text", "Only what is dated on or after this day: 2026-02-13.",
              "只找这一天及以后的：2026-02-13。"),
    Parameter("until", ("--until",), "text", "Only what is dated on or before this day.", "只找这一天及以前的。"),
    Parameter("tag", ("--tag",), "texts", "Only entries with this tag; several: with all of them.",
              "只找带这个标签的条目；写几个就要全都有。"),
    Parameter("agent", ("--agent",), "text", "Only what belongs to this agent, or to nobody in particular.",
              "只找这个智能体的，或不属于谁的。"),
    Parameter("within", ("--in",), "choice", "Also in the archive, or nowhere else.",
              "连归档一起找，或只在归档里找。", ("all", "archive")),
    Parameter("limit", ("--limit", "-n"), "number", "How many hits.", "最多几条。", (), 1),
    JSON,
    ROOT,
    LANG,
)  # fmt: skip
TABLES = {"lint": LINT, "search": SEARCH}


def parse(parameters: Sequence[Parameter], arguments: Sequence[str], verb: str) -> dict[str, Any]:
    """Parse the words after a verb, in the way of GNU: options anywhere, `--name value`, `--name=value`, `-j2`, `-qj2`.

    Raises:
        UsageError: an option is unknown, lacks its value or has one that does not fit; an argument lacks or is one
            too many.
    """
    known = (*parameters, *COMMON)
    named = {flag: one for one in known for flag in one.flags}
    values: dict[str, Any] = {one.name: False if one.type == "flag" else one.default for one in known}
    try:
        options, placed = gnu_getopt(list(arguments), *_declared(named))
    except GetoptError as error:
        raise _misused(error.opt, named, verb) from None
    for flag, value in options:
        option = named[flag]
        if option.type == "flag":
            values[option.name] = True
        elif option.type == "texts":
            values[option.name] = [*(values[option.name] or ()), value]
        else:
            values[option.name] = _value(option, value if flag.startswith("--") else value.removeprefix("="))
    if not values["help"]:
        _place(parameters, placed, values, verb)
        _need(parameters, values, verb)
    return values


def leading(parameters: Sequence[Parameter], arguments: Sequence[str]) -> int:
    """Count the words before the first argument: options, and their values."""
    named = {flag: one for one in (*parameters, *COMMON) for flag in one.flags}
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] not in ("-", "--"):
        option = named.get(arguments[at])
        at += 2 if option and option.type != "flag" else 1
    return min(at, len(arguments))


def _declared(named: Mapping[str, Parameter]) -> tuple[str, list[str]]:
    """Return the letters and the names of the options for `getopt`; `:` and `=` mark those with a value."""
    letters = [flag[1:] + ":" * (one.type != "flag") for flag, one in named.items() if not flag.startswith("--")]
    names = [flag[2:] + "=" * (one.type != "flag") for flag, one in named.items() if flag.startswith("--")]
    return "".join(letters), names


def _misused(name: str, named: Mapping[str, Parameter], verb: str) -> MdmemError:
    """Return what is wrong with an option that `getopt` refused, by its name without dashes."""
    flag = f"--{name}" if len(name) > 1 else f"-{name}"
    if flag not in named:
        return wrong("no-option", nearest(flag, tuple(named)), option=flag, verb=verb)
    return wrong("no-value" if named[flag].type == "flag" else "needs-value", option=flag)


def _place(parameters: Sequence[Parameter], placed: Sequence[str], values: dict[str, Any], verb: str) -> None:
    """Assign the arguments to the parameters without a flag, in order; a list takes the rest."""
    left = list(placed)
    for one in parameters:
        if not one.flags and one.type == "texts":
            values[one.name], left = left or one.default or [], []
        elif not one.flags and left:
            values[one.name] = _value(one, left.pop(0))
    if left:
        raise wrong("too-many", argument=left[0], verb=verb)


def _need(parameters: Sequence[Parameter], values: Mapping[str, Any], verb: str) -> None:
    """Refuse a call in which something lacks that has no default."""
    for one in parameters:
        if one.required and values[one.name] in (None, [], ()):
            raise wrong("missing", parameter=shown(one), verb=verb)


def _value(option: Parameter, value: str) -> Any:  # noqa: ANN401 - the table says what it is
    if option.choices and value not in option.choices:
        raise wrong("choices", option=shown(option), choices=", ".join(option.choices), value=value)
    if option.type != "number":
        return value
    digits = value[1:] if value[:1] in ("-", "+") else value
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 15:
        raise wrong("number", option=shown(option), value=value)
    if option.min is not None and int(value) < option.min:
        raise wrong("least", option=shown(option), least=option.min, value=value)
    return int(value)


def shown(one: Parameter) -> str:
    """Return how a person writes a parameter: its first flag, or its name in capitals."""
    return one.flags[0] if one.flags else one.metavar or one.name.rstrip("_").upper().replace("_", "-")


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
