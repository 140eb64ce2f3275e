"""The desktop pet, ReactAgent and OpenClaw: workspaces that are Markdown already. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.importers.json_stream import BrokenJsonError, JsonItem, stream_json
from mdmem.importers.model import (
    ImportedFile,
    ImportedLine,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import base, first_item, note_text, stem
from mdmem.text.pattern import pattern

_USER_MEMORY = "user_memory"  # the column of the pet's database, and of an export of it
_PET_FILES = ("SOUL.md", "USER.md", "MEMORY.md")
_ABOUT = pattern(
    r"(?i)name|nickname|姓名|名字|称呼|昵称|职业|工作|job|occupation|生日|birthday|年龄|age|城市|city|timezone|时区"
)
_EVENT = pattern(r"(?i)event|事件|面试|纪念日|anniversary|约定|旅行|trip|考试|exam")
_KEPT = pattern(r"(?:.*/)?\.(sessions|notes)/(.+\.md)\Z")
_STATES = ("state", "index")  # JSON files of the program
_CLAW_FILES = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "HEARTBEAT.md")
_CLAW_IDENTITY = "IDENTITY.md"
_CLAW_PATHS = {
    "AGENTS.md": "AGENT.md", _CLAW_IDENTITY: "personas/IDENTITY.md", "SOUL.md": "SOUL.md", "USER.md": "USER.md",
    "MEMORY.md": "MEMORY.md", "memory.md": "MEMORY.md",
}  # fmt: skip
_CLAW_DAY = pattern(r"memory/\d{4}-\d\d-\d\d\.md\Z")
_CLAW_PROGRAM = ("skills/", "BOOTSTRAP.md")  # abilities and the first run: no memories
_AGENT_NOTES = ("knowledge.md", "compact.md", "agent_knowledge.md", "world_state.md", "task_process.md")


def recognizes_pet(source: ImportSource) -> bool:
    """Return whether there are the three files of a pet, or JSON that says that it is the memory of one."""
    return any(
        base(name) in _PET_FILES
        or (_is_pet_json(source, name) and (_USER_MEMORY in stem(name) or _has_user_memory(first_item(source, name))))
        for name in source.names
    )


def _is_pet_json(source: ImportSource, name: str) -> bool:
    """Return whether a file can be what a pet knows of its owner; any object of plain values can."""
    item = first_item(source, name) if name.endswith(".json") else None
    if item is None or _has_user_memory(item):
        return item is not None
    return isinstance(item.value, str | int) and (bool(item.key) or isinstance(item.value, str))


def _has_user_memory(item: JsonItem | None) -> bool:
    if item is None:
        return False
    return item.key == _USER_MEMORY or (isinstance(item.value, Mapping) and _USER_MEMORY in item.value)


def read_pet(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the files as they are, and each entry of the JSON to the file that it belongs in."""
    for name in source.names:
        last = base(name)
        if last in _PET_FILES:
            text = source.text(name)
            if text is None:
                yield ImportProblem(name, "import.not-text", {})
            else:
                yield ImportedFile(origin_of("pet", name), name, last, text)
        elif _is_pet_json(source, name):
            yield from _pet_json(source, name)
        else:
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")


def _pet_json(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    try:
        with source.open(name) as stream:
            for item in stream_json(stream):
                found = item.value
                if isinstance(found, Mapping) and _USER_MEMORY in found:
                    found, key = found[_USER_MEMORY], _USER_MEMORY
                else:
                    key = item.key
                yield from _values(key, found, f"{name}:{item.line}")
    except BrokenJsonError as error:
        yield ImportProblem(f"{name}:{error.line}", "import.broken-json", {})


def _values(key: str, value: object, place: str) -> Iterator[ImportRecord]:
    if isinstance(value, Mapping):
        for inner, one in value.items():
            yield from _values(str(inner), one, place)
    elif isinstance(value, list):
        for one in value:
            yield from _values("" if key == _USER_MEMORY else key, one, place)
    elif value is None or isinstance(value, bool) or not str(value).strip():
        yield ImportProblem(place, "import.empty", {}, "skipped")
    else:
        said = " ".join(str(value).split())
        joint = ": " if key.isascii() else "："
        text = f"{key}{joint}{said}" if key and key != _USER_MEMORY else said
        kind, section = ("user", "基本信息") if _ABOUT.search(key) else ("memory", "")
        if kind == "memory" and _EVENT.search(key):
            section = "重要事件"
        yield ImportedLine(origin_of("pet", key, said), place, kind, text, section)


def recognizes_react(source: ImportSource) -> bool:
    """Return whether there are the hidden folders of the agent, or the folders of one agent with its notes."""
    return any(_KEPT.match(name) or ".vscode_memory/" in name or _is_agent_home(name) for name in source.names)


def _is_agent_home(name: str) -> bool:
    return ".agent/" in name or base(name) in _AGENT_NOTES


def read_react(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield sessions and notes as files under the same names; the state with its keys of services is not read."""
    for name in source.names:
        found = _KEPT.match(name)
        if name.endswith(".json") and stem(name) in _STATES:
            yield ImportProblem(name, "import.state", {}, "skipped")
            continue
        if not name.endswith(".md") or not (found or _is_agent_home(name)):
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")
            continue
        if isinstance(text := note_text(source, name), ImportProblem):
            yield text
        elif found and found[1] == "sessions":
            yield ImportedFile(origin_of("react", name), name, f"sessions/{base(name)}", text)
        else:
            inner = found[2] if found else name.rpartition(".agent/")[2]
            yield ImportedFile(origin_of("react", name), name, f"notes/react/{inner}", text)


def recognizes_openclaw(source: ImportSource) -> bool:
    """Return whether a folder has two of the files that say who an agent of OpenClaw is and how it works."""
    return _claw_home(source) is not None


def _claw_home(source: ImportSource) -> str | None:
    """Return the outermost folder of an agent's workspace, with its slash; None if there is none."""
    found = dict[str, int]()
    for name in source.names:
        if base(name) in _CLAW_FILES:
            home = name.removesuffix(base(name))
            found[home] = found.get(home, 0) + (2 if base(name) == _CLAW_IDENTITY else 1)
    return min((home for home, number in found.items() if number > 1), key=len, default=None)


def read_openclaw(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the files that say who the agent is to their places, the days, and the other notes."""
    home = _claw_home(source) or ""
    for name in source.names:
        inner = name.removeprefix(home)
        if not (name.startswith(home) and name.endswith(".md")) or inner.startswith(_CLAW_PROGRAM):
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")
        elif isinstance(text := note_text(source, name), ImportProblem):
            yield text
        else:
            note = f"notes/openclaw/{inner}"
            path = inner if _CLAW_DAY.match(inner) else _CLAW_PATHS.get(inner, note)
            yield ImportedFile(origin_of("openclaw", inner), name, path, text, note if path != note else "")


OPENCLAW = ImportReader("openclaw", recognizes_openclaw, read_openclaw)
PET = ImportReader("pet", recognizes_pet, read_pet)
REACT = ImportReader("react", recognizes_react, read_react)
