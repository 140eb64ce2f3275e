"""Every verb that changes memories, as a job to be put under faults."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from commands import Ack
from parsed_once import parse_once

from mdmem.attachments import service as attachments
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries import commit, tombstones
from mdmem.errors import UsageError
from mdmem.history.restore import lost_files
from mdmem.linter.sources import LintReport
from mdmem.sessions import open_session
from mdmem.store.pen import Pen
from mdmem.workspace import Workspace

SETTINGS = b"[store]\nstable_ms = 10\n"  # nobody edits here: a file that is missing is missing
SECRET = "the door code is four two"


def prepare(root: str, ack: Ack) -> None:
    """Make a workspace in which every verb has something to do."""
    workspace = Workspace(root, lang="en")
    workspace.write("notes.md", f"# Notes\n\n- [ ] call Ann\n- buy milk\n- {SECRET}\n")
    workspace.add("FASTMEMO.md", ["the dog is called Rex", "the cat is called Mia"], section="User")
    workspace.add("SOUL.md", ["Be kind"], section="Basics", actor="agent")  # waits for the user's word
    workspace.fact_set("gauge", "port", "the port is 8080", at="2026-01-05")
    Path(root, "sessions").mkdir(exist_ok=True)
    Path(root, "sessions/20260220_080000_talk.md").write_text(_TALK, "utf-8")
    workspace.write("lost.md", "# Lost\n\n- first\n\n# Found\n\n- second\n")
    workspace.write("see.md", "# See\n\n- [[notes]] and [the list](notes.md)\n")
    Path(root, "crooked.md").write_text("# Crooked\n\n- one  \n-  two\n- three", "utf-8")
    Path(root, "cat.txt").write_text("a cat on a sofa\n", "utf-8")
    Path(root, "lost.md").write_text("x", "utf-8")  # by hand
    workspace.add("notes.md", ["the newest entry"])
    ack("ready")


_TALK = (
    "---\nagent: main\ntask: move\nstarted: 2026-02-20 08:00\nended: 2026-02-20 09:00\noutcome: success\n"
    "extracted_through: 0\n---\n# Session: talk\n\n## Request\n\nmove\n\n## Response\n\n## Metadata\n\n## Turns\n"
    "\n### 1 user 08:01\n\nI live in Leeds. I upgraded my Node from 18 to 20.1.\n\n### 1 assistant 08:01\n\nNoted.\n"
    "\n### 2 user 08:02\n\nNever push directly to main.\n\n### 2 assistant 08:02\n\nAll right.\n"
)

VERBS: dict[str, Callable[[Workspace], object]] = {
    "add": lambda one: one.add("notes.md", ["water the plants"]),
    "edit": lambda one: one.edit("notes.md", "buy milk", "buy oat milk"),
    "replace": lambda one: one.replace("notes.md", "call Ann", "call Bob"),
    "remove": lambda one: one.remove("notes.md", ["buy milk"]),
    "tick": lambda one: one.tick("notes.md", "call Ann"),
    "write": lambda one: one.write("notes.md", "# Notes\n\n- all new\n", confirm=True),
    "rename": lambda one: one.rename("notes.md", "plans.md"),
    "delete": lambda one: one.delete("notes.md"),
    "restore": lambda one: one.restore("lost.md"),
    "undo": lambda one: one.history.undo(),
    "accept": lambda one: one.inbox.accept([item.key for item in one.inbox.list()]),
    "reject": lambda one: one.inbox.reject([item.key for item in one.inbox.list()]),
    "fact": lambda one: one.fact_set("gauge", "port", "the port is 8081"),
    "remember": lambda one: one.remember("I prefer green tea in the morning"),
    "replace_section": lambda one: one.replace_section("FASTMEMO.md", "User", "- a dog called Bo\n", confirm=True),
    "fix": lambda one: one.fix(["crooked.md"]),
    "plan": lambda one: one.plan.add(["measure the gauge", "write the report"]),
    "pin": lambda one: one.pins.add("constraint", "Quiet hours", "no calls before ten", "file:notes.md#L4"),
    "tool": lambda one: one.call("str_replace", {"path": "/memories/notes.md", "old_str": "milk", "new_str": "tea"}),
    "compact": lambda one: one.compact("FASTMEMO.md", now=True),
    "extract": lambda one: one.keeper.extract(backend="rules"),
    "forget": lambda one: one.forget(SECRET),
}


OPEN = "20260220_100000_gauge"
_GAUGE = (
    "---\nagent: main\ntask: mend the gauge\nstarted: 2026-02-20 10:00\nextracted_through: 0\n---\n# Session: gauge\n\n"
    "## Request\n\nMend the gauge in src/gauge.py\n\n## Response\n\n## Metadata\n\n## Turns\n"
    "\n### 1 user 10:01\n\nI moved to Bristol. I upgraded my Node from 18 to 20.1.\n"
    "\n### 1 assistant 10:01\n\nWe decided to keep the port at 8080 because the old probes know it.\n"
    "\n### 2 user 10:02\n\nNever push directly to main. Which probe is the newest?\n"
    "\n### 2 assistant 10:03\n\nI fixed src/gauge.py and the tests pass. Next step: write the report for Ann.\n"
)


def prepare_talk(root: str, ack: Ack) -> None:
    """Make a workspace with an open session, whose end changes files that are there and makes others."""
    workspace = Workspace(root, lang="en")
    workspace.fact_set("user", "address", "lives in Leeds", at="2026-01-05")
    workspace.write("SCRATCHPAD.md", "# Scratchpad\n\n## Next steps\n\n- a line of my own\n")
    Path(root, "sessions").mkdir(exist_ok=True)
    Path(root, f"sessions/{OPEN}.md").write_text(_GAUGE, "utf-8")
    Path(root, "cat.txt").write_text("a cat on a sofa\n", "utf-8")
    ack("ready")


def _end(workspace: Workspace) -> object:
    """End the session; of one that has ended, do the rest again, as a person does whose command was killed."""
    try:
        return workspace.sessions.resume(OPEN).end("Fixed the gauge: the parser dropped the sign of the newest probe.")
    except UsageError:
        return workspace.review(OPEN)


def prepare_night(root: str, ack: Ack) -> None:
    """Make a workspace in which each step of the night has something to do."""
    workspace = Workspace(root, lang="en")
    for number in (1, 2):
        workspace.fact_set("user", f"tea{number}", "drinks green tea without sugar in the morning", at="2026-01-05")
    Path(root, "sessions").mkdir(exist_ok=True)
    Path(root, "sessions/20260220_080000_talk.md").write_text(_TALK, "utf-8")
    ack("ready")


def _import(workspace: Workspace) -> object:
    """Import what another system holds, from a folder beside the workspace."""
    source = Path(workspace.root).parent / "elsewhere"
    source.mkdir(exist_ok=True)
    rows = [{"id": f"m{at}", "memory": f"The mill has {at} wheels", "created_at": "2026-01-05"} for at in range(4)]
    Path(source, "mem0.json").write_text(json.dumps({"results": rows}), "utf-8")
    return workspace.import_from(source / "mem0.json", system="mem0")


class Stepwise(NamedTuple):
    """A journey of several changes, each of them whole."""

    run: Callable[[Workspace], object]
    prepare: str  # the job that makes its workspace
    steps: int  # how many states its memories go through, with the first one
    ends: int = 1  # how many of the last of them are an end, for one that was cut short


STEPWISE = {
    "end": Stepwise(_end, "prepare_talk", 7),
    "extract_open": Stepwise(lambda one: one.keeper.extract(OPEN, backend="rules"), "prepare_talk", 2),
    "night": Stepwise(lambda one: one.night(now=True), "prepare_night", 5),
    "import": Stepwise(_import, "prepare_talk", 3, 2),  # a second run brings nothing, and writes no line with counts
    "init": Stepwise(lambda one: one.init(), "prepare_talk", 2),
    "attach": Stepwise(lambda one: one.attach(str(Path(one.root, "cat.txt"))), "prepare_talk", 3),  # a copy, a record
}


def warm_up() -> None:
    """Do what imports, parses and compiles most, so that it is there in every child."""
    tombstones._COST = 1 << 4  # what a digest costs is for those who guess
    parse_once(setattr)
    with tempfile.TemporaryDirectory() as root:
        prepare(root, lambda _: None)
        for verb in ("accept", "tool", "extract", "forget"):
            VERBS[verb](Workspace(root, lang="en"))
    with tempfile.TemporaryDirectory() as root:
        prepare_talk(root, lambda _: None)
        _end(Workspace(root, lang="en"))
        _import(Workspace(root, lang="en"))
        Workspace(root, lang="en").night(now=True)


class _Noon(dt.datetime):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
        return dt.datetime(2026, 2, 20, 12, tzinfo=tz or dt.UTC)


def at_noon(module: ModuleType) -> None:
    """Let a module write the same time in every run."""
    vars(module)["dt"] = SimpleNamespace(**{**vars(dt), "datetime": _Noon})


def _stepwise(name: str, root: str) -> None:
    """Run a journey; what it writes does not depend on the clock."""
    at_noon(open_session)
    at_noon(attachments)
    workspace = Workspace(root, lang="en")
    workspace.config.day = "2026-02-20"
    STEPWISE[name].run(workspace)


def steps_of(name: str, root: str) -> None:
    """Run a journey, and copy the folder to `steps/` beside it after each change."""
    target, numbers = Path(root).parent / "steps", count(1)

    def copied(change: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            done = change(*given, **named)
            shutil.copytree(root, target / f"{next(numbers):03}")
            return done

        return run

    Pen.commit = copied(Pen.commit)  # type: ignore[method-assign]
    vars(attachments)["stored"] = copied(vars(attachments)["stored"])
    _stepwise(name, root)


def dismiss(root: str, ack: Ack) -> None:
    """Take a loss as meant: a line in the log and a version in the history, and no file is touched."""
    if Workspace(root, lang="en").dismiss("lost.md").status == "done":  # without a log, no loss is known
        ack("done")


def still_lost(root: str, ack: Ack) -> None:
    """Tell which file is lost."""
    ack(", ".join(lost_files(WorkspaceConfig(root, "en"))))


def __getattr__(name: str) -> Callable[[str, Ack], None]:
    """Give the job of a verb, so that a zygote finds `journeys:rename`."""
    if name in STEPWISE:
        return lambda root, _: _stepwise(name, root)
    if name.startswith("steps_of_"):
        return lambda root, _: steps_of(name.removeprefix("steps_of_"), root)
    verb = VERBS.get(name)
    if verb is None:
        raise AttributeError(name)

    def job(root: str, ack: Ack) -> None:
        numbers = count()  # what an entry's archive line says of its change must be the same in every run
        vars(commit)["new_id"] = lambda _: f"20260220T120000-{next(numbers):08x}"
        if _done(verb(Workspace(root, lang="en"))):
            ack("done")

    return job


def _done(result: Any) -> bool:
    """Tell whether a verb says that it did what it was asked for; some say why not instead of raising."""
    if isinstance(result, LintReport):  # a file that cannot be read is a finding
        return bool(result.fixed)
    if isinstance(result, dict):
        return bool(result["status"] == "done")
    return all(getattr(one, "status", "done") == "done" for one in (result if type(result) is tuple else (result,)))
