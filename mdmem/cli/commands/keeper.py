"""Takes a program's messages from a pipe, and tells what became of them."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from contextlib import suppress
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mdmem import Diagnostic
from mdmem.cli import outcome, output
from mdmem.cli.outcome import tell_all
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Option
from mdmem.cli.parser.parameters import Json, Lang, Root, Yes
from mdmem.cli.parser.usage import wrong
from mdmem.cli.terminal import Paint, safe
from mdmem.errors import ConfirmError, ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import CompactResult, Notice


def print_compacted(made: CompactResult, lang: str, *, as_json: bool, text: bool) -> int:
    """Print what was made, or only its text; gives the exit code: 0 done, 1 nothing was made."""
    if as_json:
        values = {"outcome": outcome.as_dict(made.outcome), "text": made.text, "tokens": made.tokens, "left": made.left}
        output.json(values)
        return int(not made.text)
    if text and made.text:
        output.raw("".join(f"{safe(line)}\n" for line in made.text.splitlines()) if sys.stdout.isatty() else made.text)
        return 0
    return outcome.tell_all((made.outcome,), lang, as_json=False)


_PRIORITIES = {"error": 3, "warning": 4, "note": 6}  # of syslog
_SHOWN = ("error", "warning")


class Printer:
    """Prints notices as they come; to the journal without colour and time, which it keeps itself."""

    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._journal = not as_json and _is_journal()
        self._paint = Paint(sys.stdout)

    def __call__(self, notice: Notice) -> None:
        """Print a notice, and what was found in its file."""
        if self._json:
            found = [one.as_dict() for one in notice.diagnostics]
            self._line(json.dumps(notice._asdict() | {"diagnostics": found}, ensure_ascii=False))
            return
        path = self._paint("path", safe(notice.path))
        self._print(notice.severity, f"{path}: {safe(notice.message)}" if path else safe(notice.message))
        for one in notice.diagnostics:
            if one.severity in _SHOWN:
                self._print(one.severity, self._finding(one))

    def _finding(self, one: Diagnostic) -> str:
        place = f"{safe(one.path)}:{one.line}:{one.column}:"
        return f"{place} {self._paint(one.severity, one.severity)} {one.code} {safe(one.message)}"

    def _print(self, severity: str, text: str) -> None:
        if self._journal:
            self._line(f"<{_PRIORITIES[severity]}>{text}")
        else:
            self._line(f"{self._paint('dim', time.strftime('%H:%M:%S'))} {text}")

    def _line(self, text: str) -> None:
        """Write a line at once, in UTF-8 whatever the locale says."""
        sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def _is_journal() -> bool:
    """Return whether the standard output goes to systemd's journal: JOURNAL_STREAM names the very stream."""
    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


_CONTEXT = "context"
_NAMES = ("session", "window")  # what is meant is no file


def compact(
    what: Annotated[str, Argument()] = "",
    plan: Annotated[bool, Option("--plan")] = False,
    now: Annotated[bool, Option("--now")] = False,
    backend: Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")] = None,
    prompt: Annotated[bool, Option("--prompt")] = False,
    apply: Annotated[str, Option("--apply")] = "",
    text: Annotated[bool, Option("--text")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Condense what has grown: sections at their threshold, files near their limit; the originals go to archive/."""
    if prompt and (apply or plan):
        raise wrong("prompt-alone")
    if (what == _CONTEXT) < text or (what == _CONTEXT and apply == "-"):
        raise wrong("text-context")
    work = parameters.workspace(root, lang)
    answer = parameters.text(apply) if apply else None
    if what == _CONTEXT:
        messages = work.keeper.read_messages(parameters.text("-"))
        if prompt:
            print(work.keeper.context_prompt(messages, write=not text), end="")
            return 0
        made = work.keeper.compact_context(messages, write=not text, plan=plan, now=now, backend=backend, apply=answer)
        return print_compacted(made, work.lang, as_json=json, text=text)
    file = (what if what in _NAMES else parameters.meant(work, root, what)) if what else None
    if prompt:
        print("\n".join(work.keeper.prompts(file)), end="")
        return 0
    found = work.compact(file, plan=plan, now=now, backend=backend, apply=answer)
    return tell_all(found, work.lang, as_json=json)


def extract(
    session: Annotated[str, Argument()] = "",
    plan: Annotated[bool, Option("--plan")] = False,
    now: Annotated[bool, Option("--now")] = False,
    backend: Annotated[Literal["rules", "command", "openai", "agent"] | None, Option("--backend")] = None,
    prompt: Annotated[bool, Option("--prompt")] = False,
    apply: Annotated[str, Option("--apply")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Take what is worth remembering from sessions into facts; what was left out is counted."""
    if prompt and (apply or plan):
        raise wrong("prompt-alone")
    work = parameters.workspace(root, lang)
    if prompt:
        print("\n".join(work.keeper.extraction_prompts(session or None)), end="")
        return 0
    answer = parameters.text(apply) if apply else None
    found = work.keeper.extract(session or None, plan=plan, now=now, backend=backend, apply=answer)
    return tell_all(found, work.lang, as_json=json)


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def watch(
    once: Annotated[bool, Option("--once")] = False,
    poll: Annotated[bool, Option("--poll")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Watch the memory files: lint what changes, tell what waits, start the keeper when nobody is at work."""
    work = parameters.workspace(root, lang)
    tell = Printer(as_json=json)
    for ending in (signal.SIGTERM, signal.SIGINT):  # a shell starts its background jobs with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)  # watchdog's, where folders are made quickly
    with suppress(KeyboardInterrupt):  # whoever ends a watcher has had what they wanted
        for notice in work.watch(once=once, poll=poll):
            tell(notice)


def busy(
    how_long: Annotated[str, Option("--for")] = "",
    release: Annotated[bool, Option("--release")] = False,
    name: Annotated[str, Option("--name")] = "cli",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Keep the keeper off for a while, or let it begin again; without an option, tell who is busy."""
    work = parameters.workspace(root, lang)
    if release:
        work.keeper.release(name)
    if how_long:
        work.keeper.acquire(name, _seconds(how_long))
    standing = work.keeper.leases()
    if json:
        output.json({"busy": [mark._asdict() for mark in standing]})
    else:
        names = [f"{mark.name} → {time.strftime('%H:%M:%S', time.localtime(mark.until))}" for mark in standing]
        print("\n".join(names) or say(work.lang, "cli.not-busy"))


def _seconds(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdecimal()) or not 0 < int(number) < 10**6:
        raise wrong("no-duration", value=text)
    return int(number) * _UNITS[unit]


def trust(
    revoke: Annotated[bool, Option("--revoke")] = False,
    yes: Yes = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Let this workspace's mdmem.toml, as it is now, say which program or endpoint the keeper asks."""
    work = parameters.workspace(root, lang)
    wanted = work.trust_requests()
    if not json:
        print("\n".join(_lines(wanted.tables)) or say(work.lang, "cli.no-trust-asked"))
    if (
        wanted.tables
        and not revoke
        and not (yes or wanted.trusted)
        and not _agreed(say(work.lang, "cli.trust"), work.lang, json=json)
    ):
        return ExitCode.NOTHING
    if wanted.tables or revoke:
        wanted = work.trust(revoke=revoke)
    if json:
        output.json(wanted._asdict())
    elif wanted.tables:
        print(say(work.lang, "cli.trusted" if wanted.trusted else "cli.not-trusted"))
    return ExitCode.OK


def _agreed(question: str, lang: str, *, json: bool) -> bool:
    """Ask whoever sits at the terminal; without one nobody's word is guessed."""
    if json or not sys.stdin.isatty():
        raise wrong("nobody", kind=ConfirmError, look="")
    return parameters.confirmed(question, lang)


def _lines(tables: dict[str, Any]) -> list[str]:
    """Write settings as TOML does, a value a line."""
    return [safe(f"{table}.{key} = {dumps(value, ensure_ascii=False)}") for table, keys in tables.items()
            for key, value in (keys.items() if isinstance(keys, dict) else ())]  # fmt: skip
