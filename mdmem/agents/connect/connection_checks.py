"""The checks of `mdmem doctor` about agents: their settings, the plugin, the instruction files, and the hooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

from mdmem import DoctorCheck, MdmemError, Workspace
from mdmem.agents.connect.agent_files import OFF_SWITCH
from mdmem.agents.connect.entered import is_switched_off, without_entered
from mdmem.agents.connect.own_program import runs
from mdmem.agents.connect.plugin import ClaudePlugin
from mdmem.agents.connect.service import RECORD
from mdmem.agents.hooks.hook_state import last_failure
from mdmem.agents.hooks.service import left_note
from mdmem.agents.mcp.sdk_loader import has_sdk
from mdmem.context.model import UNSAFE
from mdmem.instructions.model import RECORD as BLOCKS
from mdmem.instructions.read import read_outside
from mdmem.instructions.records import AgentRecord
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.files import short_path


def connection_checks(work: Workspace) -> Iterator[DoctorCheck]:
    """Test each connection: whether what was entered stands there and is fresh, and whether the program runs."""
    yield from _settings(work)
    with suppress(MdmemError):  # the settings or a template are wrong, which another check tells
        yield from _plugins(work)
        yield from _instructions(work)
        yield from _left_out(work)
    if failure := last_failure(work.root):
        yield DoctorCheck("hook", "weaker", say(work.lang, "connect.failed", **failure))


def _left_out(work: Workspace) -> Iterator[DoctorCheck]:
    """List the lines of the memory that the start of an agent leaves out for safety."""
    settings = work.config.settings
    if settings.memory.enabled:
        pack = work.pack(settings.agents.recipe, budget=settings.agents.budget)
        if note := left_note(work.lang, [one for one in pack.left if one.why == UNSAFE]):
            yield DoctorCheck("left-out", "weaker", note, say(work.lang, "connect.check-left"))


def _settings(work: Workspace) -> Iterator[DoctorCheck]:
    record, root = AgentRecord(work.config, RECORD), short_path(work.root)
    for path, one in sorted(record.files.items()):
        facts = {"agent": one["agent"], "path": short_path(path)}
        found = _state(_text(path), one)
        if found == "good" and record.has_moved(one):
            found = "moved"
        hint = "" if found == "good" else say(work.lang, "connect.check-again", agent=one["agent"], root=root)
        if found == "disabled":
            hint = say(work.lang, "connect.check-disabled.hint", switch=OFF_SWITCH)
        grade: Literal["good", "weaker", "bad"] = (
            "good" if found == "good" else "weaker" if found == "disabled" else "bad"
        )
        yield DoctorCheck(f"connection-{one['agent']}", grade, say(work.lang, f"connect.check-{found}", **facts), hint)
    if any(one["agent"] != "hermes" for one in record.files.values()) and not has_sdk():
        yield DoctorCheck("mcp", "weaker", say(work.lang, "connect.no-tools"), say(work.lang, "mcp.no-sdk.hint"))


def _state(text: str, entered: Mapping[str, Any]) -> Literal["good", "gone", "changed", "broken", "disabled", "moved"]:
    """Return the state of what was entered into a settings file."""
    try:
        removal = without_entered(text, entered)
    except ValueError:
        return "gone"
    if removal.left:
        return "changed"
    if removal.missing:
        return "gone"
    if not runs(entered["program"]):
        return "broken"
    return "disabled" if entered["agent"] == "claude" and is_switched_off(text, OFF_SWITCH) else "good"


def _text(path: str) -> str:
    try:
        return (read_outside(path) or b"").decode("utf-8", "replace")
    except MdmemError:
        return ""


def _plugins(work: Workspace) -> Iterator[DoctorCheck]:
    plugin, root = ClaudePlugin(work), short_path(work.root)
    for folder in plugin.folders:
        state = plugin.state(folder)
        found = "broken" if state == "good" and not runs(plugin.program(folder)) else state
        shown = short_path(folder)
        hint = "" if found == "good" else say(work.lang, "connect.plugin-again", path=shown, root=root)
        grade: Literal["good", "weaker", "bad"] = "good" if found == "good" else "weaker" if found == "old" else "bad"
        yield DoctorCheck("plugin-claude", grade, say(work.lang, f"connect.plugin-{found}", path=shown), hint)
        if any(one["agent"] == "claude" for one in AgentRecord(work.config, RECORD).files.values()):
            hint = say(work.lang, "connect.twice.hint", root=root)
            yield DoctorCheck("connection-claude", "weaker", say(work.lang, "connect.twice", path=shown), hint)


def _instructions(work: Workspace) -> Iterator[DoctorCheck]:
    """Test the instruction files: whether the block stands there, and says what the memory says."""
    if not AgentRecord(work.config, BLOCKS).own:  # most workspaces have none, and what tests one can also write it
        return
    files = work.instructions
    for one in files.refresh(dry_run=True):
        key, file, error = one.key, one.file, one.error
        root = short_path(work.root)
        again = say(work.lang, "instructions.again", agent=files.agent(key), path=file.path, root=root)
        name = f"instructions-{files.agent(key)}"
        if error:
            found = in_language(error, work.lang)
            yield DoctorCheck(name, "bad", say(work.lang, "instructions.failed", path=file.path, why=found), found.hint)
        elif file.status == "gone":
            yield DoctorCheck(name, "bad", say(work.lang, "instructions.gone", path=file.path), again)
        elif file.status == "unchanged":
            yield DoctorCheck(name, "good", say(work.lang, "instructions.fresh", path=file.path))
        else:
            yield DoctorCheck(name, "weaker", say(work.lang, "instructions.stale", path=file.path), again)
