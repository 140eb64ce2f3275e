"""The verbs around the keeper's work: watch, busy, trust."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from contextlib import suppress
from json import dumps
from typing import Annotated, Any

from mdmem.doors import emit
from mdmem.doors.declare import Option
from mdmem.doors.notices import Printer
from mdmem.doors.terminal import safe
from mdmem.doors.usage import wrong
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root, Yes
from mdmem.doors.words import words
from mdmem.errors import ConfirmError, ExitCode

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def watch(
    once: Annotated[
        bool,
        Option(
            "--once",
            help="Look once, let the keeper work if all is idle, and end.",
            zh="只看一遍；没人在忙就让整理者工作，然后结束。",
        ),
    ] = False,
    poll: Annotated[
        bool,
        Option(
            "--poll",
            help="Look every so often, for folders without events.",
            zh="每隔一会儿看一遍，用于没有事件通知的文件夹。",
        ),
    ] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Watch the memory files: lint what changes, tell what waits, start the keeper when nobody is at work."""
    work = given.workspace(root, lang)
    say = Printer(as_json=json)
    for ending in (signal.SIGTERM, signal.SIGINT):  # a shell starts its background jobs with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)  # watchdog's, where folders are made quickly
    with suppress(KeyboardInterrupt):  # whoever ends a watcher has had what they wanted
        for notice in work.watch(once=once, poll=poll):
            say(notice)


def busy(
    how_long: Annotated[
        str, Option("--for", help="Be busy for so long: 90s, 10m, 2h, 1d.", zh="忙多久：90s、10m、2h、1d。")
    ] = "",
    release: Annotated[bool, Option("--release", help="Be busy no longer.", zh="不再忙了。")] = False,
    name: Annotated[
        str, Option("--name", help="Who is busy, where there are several.", zh="谁在忙（有好几个时）。")
    ] = "cli",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Keep the keeper off for a while, or let it begin again; without an option, tell who is busy."""
    from mdmem.workspace import busy as marks

    work = given.workspace(root, lang)
    if release:
        marks.release(work.config, name)
    if how_long:
        marks.hold(work.config, name, _seconds(how_long))
    standing = marks.marks(work.config)
    if json:
        emit.json({"busy": [mark._asdict() for mark in standing]})
    else:
        names = [f"{mark.name} → {time.strftime('%H:%M:%S', time.localtime(mark.until))}" for mark in standing]
        print("\n".join(names) or words(work.lang)["not-busy"])


def _seconds(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or not 0 < int(number) < 10**6:
        raise wrong("no-duration", value=text)
    return int(number) * _UNITS[unit]


def trust(
    revoke: Annotated[bool, Option("--revoke", help="Trust them no longer.", zh="不再允许。")] = False,
    yes: Yes = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Let this workspace's mdmem.toml, as it is now, say which program or endpoint the keeper asks."""
    from mdmem.workspace.trust import asked

    work = given.workspace(root, lang)
    say, wanted = words(work.lang), asked(work.config)
    if not json:
        print("\n".join(_lines(wanted.tables)) or say["no-trust-asked"])
    if wanted.tables and not revoke and not (yes or wanted.trusted) and not _agreed(say["trust"], work.lang, json=json):
        return ExitCode.NOTHING
    if wanted.tables or revoke:
        wanted = work.trust(revoke=revoke)
    if json:
        emit.json(wanted._asdict())
    elif wanted.tables:
        print(say["trusted" if wanted.trusted else "not-trusted"])
    return ExitCode.OK


def _agreed(question: str, lang: str, *, json: bool) -> bool:
    """Ask whoever sits at the terminal; without one nobody's word is guessed."""
    if json or not sys.stdin.isatty():
        raise wrong("nobody", kind=ConfirmError, look="")
    return given.confirmed(question, lang)


def _lines(tables: dict[str, Any]) -> list[str]:
    """Write settings as TOML does, a value a line."""
    return [safe(f"{table}.{key} = {dumps(value, ensure_ascii=False)}") for table, keys in tables.items()
            for key, value in (keys.items() if isinstance(keys, dict) else ())]  # fmt: skip
