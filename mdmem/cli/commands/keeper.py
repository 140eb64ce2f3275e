"""The verbs of the keeper: compact, extract, night, watch, busy, trust."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from mdmem import Diagnostic
from mdmem.cli import outcome, output
from mdmem.cli.console import Paint, ProgressBar, folded, safe
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Apply, Backend, Plan, Prompt, Yes
from mdmem.cli.outcome import advice
from mdmem.cli.usage import usage_error
from mdmem.errors import ExitCode
from mdmem.linter.masking import mask
from mdmem.messages.catalog import label, say

if TYPE_CHECKING:
    from mdmem import CompactResult, Notice


def print_compacted(call: Call, result: CompactResult, *, text: bool) -> int:
    """Print a compact memory, or only its text; return 1 if none was made."""
    if call.json:
        values = {
            "outcome": outcome.as_dict(result.outcome),
            "text": result.text,
            "tokens": result.tokens,
            "left": result.left,
        }
        output.json(values)
        return int(not result.text)
    if text and result.text:
        output.raw(
            "".join(f"{safe(line)}\n" for line in result.text.splitlines()) if sys.stdout.isatty() else result.text
        )
        return 0
    return call.print_all((result.outcome,))


_PRIORITIES = {"error": 3, "warning": 4, "note": 6}  # levels of syslog
_SHOWN = ("error", "warning")


class Printer:
    """Prints notices; to the systemd journal with a priority instead of colour and time."""

    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._journal = not as_json and _is_journal()
        self._paint = Paint(sys.stdout)

    def __call__(self, notice: Notice) -> None:
        """Print a notice and the findings of its file."""
        if self._json:
            found = [one.as_dict() for one in notice.diagnostics]
            self._line(json.dumps(asdict(notice) | {"diagnostics": found}, ensure_ascii=False))
            return
        path = self._paint("path", safe(notice.path))
        self._print(notice.severity, f"{path}: {safe(notice.message)}" if path else safe(notice.message))
        for diagnostic in notice.diagnostics:
            if diagnostic.severity in _SHOWN:
                self._print(diagnostic.severity, self._finding(diagnostic))

    def _finding(self, diagnostic: Diagnostic) -> str:
        location = f"{safe(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}:"
        severity = self._paint(diagnostic.severity, diagnostic.severity)
        return f"{location} {severity} {diagnostic.code} {safe(diagnostic.message)}"

    def _print(self, severity: str, text: str) -> None:
        if self._journal:
            self._line(f"<{_PRIORITIES[severity]}>{text}")
        else:
            self._line(f"{self._paint('dim', time.strftime('%H:%M:%S'))} {text}")

    def _line(self, text: str) -> None:
        """Write and flush a line in UTF-8, independent of the locale."""
        sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def _is_journal() -> bool:
    """Return whether the standard output is the systemd journal, by comparing it to JOURNAL_STREAM."""
    try:
        found = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


_CONTEXT = "context"
_NAMES = ("session", "window")  # targets that are not files


def compact(
    call: Call,
    what: Annotated[str, Argument(autocompletion=completion.memory_files)] = "",
    plan: Plan = False,
    now: Annotated[bool, Option("--now")] = False,
    backend: Backend = None,
    prompt: Prompt = False,
    apply: Apply = "",
    text: Annotated[bool, Option("--text")] = False,
) -> int:
    """Condense sections at their threshold and files near their limit; originals go to archive/."""
    if prompt and (apply or plan):
        raise usage_error("prompt-alone")
    if (what == _CONTEXT) < text or (what == _CONTEXT and apply == "-"):
        raise usage_error("text-context")
    work = call.work
    answer = parameters.text(apply) if apply else None
    if what == _CONTEXT:
        messages = work.keeper.read_messages(parameters.text("-"))
        if prompt:
            print(work.keeper.context_prompt(messages, write=not text), end="")
            return 0
        result = work.keeper.compact_context(
            messages, write=not text, plan=plan, now=now, backend=backend, apply=answer
        )
        return print_compacted(call, result, text=text)
    file = (what if what in _NAMES else call.known_name(what)) if what else None
    if prompt:
        print("\n".join(work.keeper.prompts(file)), end="")
        return 0
    found = work.compact(file, plan=plan, now=now, backend=backend, apply=answer)
    if not call.json:
        call.tell_waiting()
    return call.print_all(found)


def extract(
    call: Call,
    session: Annotated[str, Argument(autocompletion=completion.sessions)] = "",
    plan: Plan = False,
    now: Annotated[bool, Option("--now")] = False,
    backend: Backend = None,
    prompt: Prompt = False,
    apply: Apply = "",
    meanwhile: Annotated[bool, Option("--meanwhile")] = False,
) -> int:
    """Take what is worth remembering from sessions into facts; what was left out is counted."""
    if prompt and (apply or plan):
        raise usage_error("prompt-alone")
    if meanwhile and (now or backend or prompt or apply):
        raise usage_error("meanwhile-alone")
    keeper = call.work.keeper
    if prompt:
        print("\n".join(keeper.extraction_prompts(session or None)), end="")
        return 0
    answer = parameters.text(apply) if apply else None
    return call.print_all(
        keeper.extract(session or None, plan=plan, now=now, backend=backend, apply=answer, meanwhile=meanwhile)
    )


def night(
    call: Call,
    plan: Plan = False,
    only: Annotated[str, Option("--only")] = "",
    calls: Annotated[int | None, Option("--calls")] = None,
    tokens: Annotated[int | None, Option("--tokens")] = None,
    now: Annotated[bool, Option("--now")] = False,
) -> int:
    """Extract what waits, merge what is said twice, and archive what has faded or grown old; with a report."""
    work = call.lenient(passes_over="held")
    with closing(ProgressBar("")) as bar:
        report = work.night(
            plan=plan, only=only, calls=calls, tokens=tokens, now=now,
            progress=lambda step, done, count: bar(done, count, call.say(f"night.step-{step}")),
        )  # fmt: skip
    if call.json:
        steps = [asdict(one) | {"entries": one.entries} for one in report.steps]
        output.json(asdict(report) | {"steps": steps})
    else:
        paint = Paint(sys.stdout)
        lines = [f"  {folded(safe(line), 4)}" for line in report.lines]
        hints = [hint for one in report.steps for hint in one.reasons] + [report.hint]
        below = [line for hint in hints for line in advice(hint, paint)]
        print("\n".join([folded(safe(report.message), 2), *lines, *below]))
    return ExitCode.NOTHING if report.status in ("off", "waiting") else ExitCode.OK


def watch(
    call: Call,
    once: Annotated[bool, Option("--once")] = False,
    poll: Annotated[bool, Option("--poll")] = False,
) -> None:
    """Watch the memory files: lint changes, report pending work, and start the keeper when the workspace is idle."""
    work = call.lenient(passes_over="held")
    printer = Printer(as_json=call.json)
    for ending in (signal.SIGTERM, signal.SIGINT):  # a shell starts its background jobs with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    # watchdog warns about folders that are made quickly
    warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
    with suppress(KeyboardInterrupt):  # the normal end of a watcher
        for notice in work.watch(once=once, poll=poll):
            printer(notice)


def busy(
    call: Call,
    how_long: Annotated[str, Option("--for")] = "",
    release: Annotated[bool, Option("--release")] = False,
    name: Annotated[str, Option("--name")] = "cli",
) -> None:
    """Acquire or release a busy lease, and print the active leases."""
    keeper = call.work.keeper
    if release:
        keeper.release(name)
    if how_long:
        keeper.acquire(name, parameters.seconds(how_long))
    leases = keeper.leases()
    if call.json:
        output.json({"busy": [asdict(lease) for lease in leases]})
    else:
        names = [f"{lease.name} → {time.strftime('%H:%M:%S', time.localtime(lease.until))}" for lease in leases]
        print("\n".join(names) or call.say("cli.not-busy"))


def trust(
    call: Call,
    bundle: Annotated[str, Argument()] = "",
    revoke: Annotated[bool, Option("--revoke")] = False,
    yes: Yes = False,
) -> int:
    """Trust the workspace's mdmem.toml, its repository and its bundles as they are now, or one bundle."""
    work = call.work
    wanted = work.trust_requests()
    tables = {} if bundle else wanted.tables
    asked = [] if tables and wanted.trusted else _lines(tables, work.lang)
    bundles = [name for name in wanted.bundles if bundle in ("", name)]
    git = {} if bundle else wanted.git
    shown = [] if call.json else _lines(tables, work.lang) + _git_lines(call, git) + _bundle_lines(call, bundles)
    if shown or not (call.json or bundle):
        print("\n".join(shown) or call.say("cli.no-trust-asked"))
    is_known = not asked and (wanted.git_trusted or not git) and all(wanted.bundles[name] for name in bundles)
    is_asked = not (revoke or yes or is_known)
    if is_asked and not call.confirmed(call.say("cli.trust")):
        return ExitCode.NOTHING
    if tables or git or bundles or bundle or revoke:
        wanted = work.trust(bundle, revoke=revoke)
    if call.json:
        output.json(asdict(wanted) | {"git": {name: mask(value) for name, value in wanted.git.items()}})
        return ExitCode.OK
    if tables:
        print(call.say("cli.trusted" if wanted.trusted else "cli.not-trusted"))
    if git:
        print(call.say("git.trusted" if wanted.git_trusted else "git.not-trusted"))
    for name in bundles:
        print(call.say("cli.bundle-trusted" if wanted.bundles[name] else "cli.bundle-not-trusted", name=name))
    return ExitCode.OK


def _git_lines(call: Call, names: Collection[str]) -> list[str]:
    """Return what the repository asks git for, each with what git does with it."""
    lines = []
    for one in call.work.config.git_requests if names else ():
        value = "" if one.kind == "hook" else f" = {mask(one.shown)}"
        lines += [safe(f"{one.name}{value}"), folded(f"  {call.say(f'git.asks-{one.kind}')}", 2)]
    return lines


def _bundle_lines(call: Call, names: Sequence[str]) -> list[str]:
    """Return what trust in each bundle lets in."""
    found = [one for one in call.work.bundles.list() if one.name in names] if names else []
    lines = []
    for one in found:
        signed = "anybody" if one.signer == "?" else "by" if one.signer else "nobody"
        facts = {"name": one.name, "version": one.version, "pieces": ", ".join(one.pieces)}
        lines.append(safe(call.say("cli.bundle-asks", **facts)))
        if one.description or one.license:
            about = call.say("cli.bundle.about", description=one.description, license=one.license or "-")
            lines.append(folded(f"  {about.strip()}", 2))
        lines.append(folded(f"  {call.say(f'cli.bundle-signed-{signed}', signer=one.signer)}", 2))
        lines += [folded(f"  {call.say('cli.bundle.changed', files=', '.join(one.changed))}", 2)] if one.changed else []
    return lines


def _asked(table: str, key: str, lang: str) -> str:
    """Return in plain words what a setting asks for."""
    names = (f"{table}.{key}", f"{table}.{key.rpartition('.')[2]}", table)
    found = (label(lang, f"trust.{name}", "") for name in names)
    return next(filter(None, found), "") or say(lang, "trust.more")


def _lines(tables: dict[str, Any], lang: str) -> list[str]:
    """Return settings as TOML, one value per line, each with what it asks for."""
    return [
        line
        for table, keys in tables.items()
        for key, value in (keys.items() if isinstance(keys, dict) else ())
        for line in (
            safe(f"{table}.{key} = {json.dumps(value, ensure_ascii=False)}"),
            folded(f"  {_asked(table, key, lang)}", 2),
        )
    ]
