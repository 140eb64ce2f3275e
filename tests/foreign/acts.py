"""Everything that is done in a hostile folder: every verb, every hook of every agent, every tool and resource.

`{artifact}` and the like are names in the folder, which `folder.names` finds. A verb or tool without a row is called
with what it asks for: the hostile files where that is a file, and the example of the tool's definition.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import verbs
from forms import each
from typer.core import TyperArgument

from mdmem.agents.hooks.model import AGENTS
from mdmem.cli.grammar.application import VerbCommand
from mdmem.tools.definitions import tools
from mdmem.tools.model import Tool

MODEL = '{"role": "user", "content": "we sail on Sunday"}\n{"role": "assistant", "content": "noted"}\n'


class Act(NamedTuple):
    """One call of the command line: its words, and what it is given at the standard input."""

    words: str
    given: str = ""


FILES = ("MEMORY.md", "links.md", "memory/notes.md")  # one of the memory, one that is a link, one below a link

# By the verb; one that is only read comes before one that changes what others look for.
_VERBS: dict[str, tuple[Act, ...]] = {
    "config show": (Act("config show --all"),),
    "trust": (Act("trust", "n\n"), Act("trust --revoke")),
    "lint": (
        Act("lint --no-cache"), Act("lint --staged"), Act("lint links.md --fix"), Act("lint memory/notes.md"),
        Act("lint --baseline baseline.json"),
    ),
    "explain": (Act("explain MM310"),),
    "search": (
        Act("search 'heron sings'"), Act("search shell --role tool --tool shell"),
    ),
    "show": (Act("show MEMORY.md"), Act("show links.md"), Act("show memory/notes.md")),
    "why": (Act("why heron"),),
    "diff": (Act("diff memory"),),
    "fact show": (Act("fact show Ada"),),
    "fact history": (Act("fact history Ada home"),),
    "session show": (Act("session show {session}"),),
    "session export": (Act("session export {session}"), Act("session export --jsonl")),
    "knowledge list": (Act("knowledge list"), Act("knowledge list 'mend the net'")),
    "knowledge show": (Act("knowledge show mend"),),
    "artifact get": (Act("artifact get tool:{artifact} --raw"),),
    "artifact grep": (Act("artifact grep tool:{artifact} FAIL.*D --regex"),),
    "artifact snippet": (Act("artifact snippet links.md 1 5"),),
    "attach show": (Act("attach show {attachment}"),),
    "context": (
        Act("context own"), Act("context chat --query heron"), Act("context agent"),
        Act("context layered --persona tech_expert --user ada"),
    ),
    "help": (Act("help --all"),),
    "completion": (Act("completion fish"),),
    "init": (Act("init {root}"),),
    "add": (Act("add memory 'the owl nests in the barn'"), Act("add links.md 'the owl nests in the barn'")),
    "remember": (Act("remember 'I promised Ada a letter'"),),
    "fact set": (Act("fact set Ada home Porto --at 2026-02-13"),),
    "today": (Act("today 'walked to the mill'"),),
    "edit": (Act("edit memory --old 'the heron nests' --new 'the heron sleeps'"),),
    "tick": (Act("tick memory letter"),),
    "rm": (Act("rm memory 'the owl nests'"),),
    "write": (
        Act("write notes.md", "# Notes\n\n- the ford is shallow\n"), Act("write links.md --yes", "# Notes\n"),
        Act("write memory/notes.md --yes", "# Notes\n"),
    ),
    "mv": (Act("mv notes.md notes_2.md"), Act("mv links.md links_2.md")),
    "inbox accept": (Act("inbox accept"),),
    "inbox reject": (Act("inbox reject 1"),),
    "episode write": (Act("episode write {session} --backend openai"),),
    "extract": (
        Act("extract --prompt"), Act("extract --now --backend command"), Act("extract --now --backend openai"),
    ),
    "compact": (
        Act("compact --now"), Act("compact fastmemo --now --backend command"),
        Act("compact fastmemo --now --backend openai"), Act("compact context", MODEL),
    ),
    "night": (Act("night --now"),),
    "forget": (
        Act("forget 'the weir is closed' --yes"), Act("forget heron --files --dry-run"),
    ),
    "undo": (Act("undo"),),
    "restore": (Act("restore memory"), Act("restore links.md")),
    "recover": (Act("recover"),),
    "session start": (Act("session start 'mend the net' --agent scout"),),
    "session turn": (Act("session turn user 'I live in Rome now' --agent scout"),),
    "session record": (
        Act("session record --agent scout", MODEL),
        Act("session record --agent scout", json.dumps({
            "role": "assistant", "content": "sent", "tool_calls": [
                {"name": name, "id": name, "input": {"path": "{home}/.ssh/id_ed25519", "file": "{home}/diary.md"}}
                for name in ("write_file", "send_file", "Read")
            ],
        }) + "\n"),
    ),
    "session end": (Act("session end --agent scout --response done"),),
    "session prune": (Act("session prune --older 1d"),),
    "plan add": (Act("plan add one two three"),),
    "plan done": (Act("plan done"),),
    "plan next": (Act("plan next"),),
    "plan goto": (Act("plan goto 2"),),
    "plan move": (Act("plan move 3 2"),),
    "plan remove": (Act("plan remove 3"),),
    "plan phase": (Act("plan phase waiting"),),
    "scratchpad": (Act("scratchpad --update"),),
    "refresh": (Act("refresh"),),
    "compile": (Act("compile soul --backend command"),),
    "pin add": (Act("pin add Tide 'turns at noon' --type constraint --source file:MEMORY.md#L5"),),
    "pin update": (Act("pin update Tide --summary 'turns at one'"),),
    "pin renew": (Act("pin renew Tide --ttl 14d"),),
    "pin remove": (Act("pin remove Tide"),),
    "artifact mask": (Act("artifact mask 20260213-101010-aaaa"),),
    "artifact put": (Act("artifact put --tool shell --input pytest", "FAILED a\n1 failed\n"),),
    "artifact prune": (Act("artifact prune --days 1"),),
    "attach": (
        Act("attach {root}/boat.pdf --description boat"), Act("attach http://127.0.0.1:{port}/boat.jpg"),
        Act("attach links.md"), Act("attach memory/boat.pdf"),
    ),
    "attach describe": (Act("attach describe {attachment} 'a white boat'"),),
    "tool call": (Act("tool call memory_search", '{"query": "heron"}'),),
    "mcp": (),  # `replies` below calls what its server calls: a server in this process would take its streams
    "watch": (Act("watch --once"),),
    "busy": (Act("busy --for 1m"), Act("busy --release")),
    "index rebuild": (Act("index rebuild"),),
    "knowledge add": (Act("knowledge add mend 'how a net is mended' 'Find the hole {width=2}' 'Knot it'"),),
    "knowledge save": (Act("knowledge save mend plain"), Act("knowledge save mend tight --note 'two knots'")),
    "knowledge versions": (Act("knowledge versions mend"),),
    "knowledge diff": (Act("knowledge diff mend plain"),),
    "knowledge try": (Act("knowledge try mend plain tight"),),
    "run": (Act("run mend --replace"), Act("run ../../mend")),
    "knowledge compare": (Act("knowledge compare mend"),),
    "knowledge pick": (Act("knowledge pick mend plain"),),
    "knowledge back": (Act("knowledge back mend plain"),),
    "handoff": (Act("handoff scout ada --new"),),
    "resolve": (Act("resolve 'MEMORY (conflicted copy 2026-02-13).md'"), Act("resolve 'links (1).md'")),
    "merge": (Act("merge notes_2.md MEMORY.md USER.md 7 notes.md"),),
    "git setup": (Act("git setup --driver"), Act("git setup --undo")),
    "sync": (Act("sync --dry-run"), Act("sync")),
    "bundle install": (
        Act("bundle install {root}/incoming/skills --name nets"),
        Act("bundle install {root}/incoming/skills --name boats"),
    ),
    "bundle list": (Act("bundle list"),),
    "bundle overlay": (Act("bundle overlay nets/mend"),),
    "bundle update": (Act("bundle update nets {root}/incoming/skills --yes"),),
    "bundle make": (Act("bundle make {out}/mend.zip nets/mend"),),
    "bundle remove": (Act("bundle remove boats"),),
    "import": (Act("import {root}/incoming --from markdown"),),
    "export": (Act("export --to {out}/markdown"), Act("export --to {out}/lines --as jsonl")),
    "hook install": (Act("hook install"),),
    "hook run": (Act("hook run start --for claude", '{"hook_event_name": "SessionStart", "session_id": "v"}'),),
    "hook uninstall": (Act("hook uninstall"),),
    "connect": (
        Act("connect claude --project {root}"), Act("connect codex --file {root}/AGENTS.md"),
        Act("connect claude --plugin {root}/plugin"), Act("connect claude --plugin {root}/plugin --remove"),
        Act("connect codex --file {root}/AGENTS.md --remove"), Act("connect claude --project {root} --remove"),
        Act("connect gemini --dry-run"),
    ),
}  # fmt: skip

# By the event: the payload of one agent; a session begins, goes on and ends.
EVENTS: dict[str, dict[str, Any]] = {
    "start": {"hook_event_name": "SessionStart", "source": "startup"},
    "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "where does the heron nest? I live in Rome now."},
    "tool": {
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": "F" * 3000,
        "tool_input": {"command": "cat", "file_path": "{home}/diary.md"},
    },
    "compact": {"hook_event_name": "PreCompact", "trigger": "manual"},
    "stop": {"hook_event_name": "Stop", "last_assistant_message": "It nests on the mill."},
    "end": {"hook_event_name": "SessionEnd", "reason": "other"},
}  # fmt: skip

# By the tool: what an agent asks of it; one whose last call takes away what others look for comes last.
_TOOLS: dict[str, tuple[dict[str, Any], ...]] = {
    "view": ({"path": "/memories"}, {"path": "/memories/MEMORY.md"}, {"path": "/memories/links.md"}),
    "memory_read": ({"path": "FASTMEMO.md"}, {"path": "links.md"}),
    "memory_search": ({"query": "heron canary"},),
    "search_memory": ({"query": "heron"},),
    "file_snippet": ({"path": "MEMORY.md", "start": 1, "len": 5}, {"path": "links.md", "start": 1, "len": 5}),
    "grep": ({"path": "MEMORY.md", "pattern": "heron"}, {"path": "links.md", "pattern": "CANARY"}),
    "why": ({"name": "heron"},),
    "artifact_get": ({"id": "{artifact}"},),
    "knowledge": ({}, {"task": "mend the net"}, {"name": "mend"}, {"name": "../links"}, {"name": "mend@plain"}),
    "knowledge_run": ({"name": "mend", "inputs": {"width": "3"}, "replace": True}, {"name": "../../diary"}),
    "plan": ({"action": "show"}, {"action": "add", "text": "mend the net"}, {"action": "done"}),
    "write": (
        {"path": "notes_3.md", "content": "# Notes\n\n- the ford is shallow\n"},
        {"path": "links.md", "content": "# N\n"},
        {"path": "Makefile", "content": "all:\n\ttouch x\n"}, {"path": "memory/notes.md", "content": "# Notes\n"},
        {"path": "conftest.py", "content": "import os\n"}, {"path": ".git/hooks/post-commit", "content": "#!/bin/sh\n"},
    ),
    "edit": ({"path": "MEMORY.md", "oldText": "the heron", "newText": "the grey heron"},),
    "memory_add": (
        {"path": "MEMORY.md", "content": "2026-02-20: the mast is ordered"}, {"path": "links.md", "content": "an owl"},
    ),
    "memory_remember": ({"content": "Ada likes a seat at the window"},),
    "memory_fact": ({"subject": "Ada", "predicate": "editor", "content": "Zed"},),
    "memory_edit": ({"path": "FASTMEMO.md", "section": "User awareness", "content": "Ada likes short replies"},),
    "memory_replace": ({"path": "MEMORY.md", "entry": "the mast", "content": "2026-02-20: the mast has come"},),
    "memory_tick": ({"path": "MEMORY.md", "entry": "letter"},),
    "memory_remove": ({"path": "MEMORY.md", "entries": ["the mast"]},),
    "memory_undo": ({},),
    "memory_forget": ({"text": "the lock is closed"},),
    "add_memory": ({"content": "Ada has a cat"},),
    "pin_add": ({"type": "constraint", "title": "Noon", "summary": "no call before noon", "source": "file:MEMORY.md"},),
    "pin_update": ({"id": "Noon", "summary": "no call before one"},),
    "pin_renew": ({"ids": ["Noon"], "ttl": "14d"},),
    "pin_remove": ({"ids": ["Noon"]},),
    "artifact_put": ({"tool": "shell", "input": "pytest", "output": "1 passed\n"},),
    "attachment_add": tuple(
        {"source": source} for source in (
            "{home}/.ssh/id_ed25519", "boat.pdf", "links.md", "../home/diary.md", "http://127.0.0.1:{port}/a.jpg",
            "file://{home}/diary.md", "memory/boat.pdf",
        )
    ),
    "attachment_describe": ({"id": "{attachment}", "description": "a white boat"},),
    "create": (
        {"path": "/memories/sessions/notes.md", "file_text": "# Notes\n"},
        {"path": "/memories/memory/more.md", "file_text": "# Notes\n"},
    ),
    "str_replace": ({"path": "/memories/MEMORY.md", "old_str": "the grey heron", "new_str": "the heron"},),
    "insert": ({"path": "/memories/MEMORY.md", "insert_line": 4, "insert_text": "- 2026-02-12: a gale\n"},),
    "rename": ({"old_path": "/memories/notes_3.md", "new_path": "/memories/agents/main/world_state.md"},),
    "delete": ({"path": "/memories/sessions/notes.md"}, {"path": "/memories/links.md"}),
}  # fmt: skip


def payloads() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every event of every agent: the agent, the event, the payload."""
    for agent in each(len(AGENTS), AGENTS):
        for event, payload in EVENTS.items():
            yield agent, event, {"session_id": f"s-{agent}", **payload}


def each_verb() -> dict[str, tuple[Act, ...]]:
    """Return what is done with each verb: those without a row come first."""
    found = {" ".join(path): command for path, command in verbs.commands()}
    assert found.keys() >= _VERBS.keys(), "a row of a verb that is gone"
    return {name: _plain(name, command) for name, command in found.items() if name not in _VERBS} | _VERBS


def _plain(name: str, command: VerbCommand) -> tuple[Act, ...]:
    """Return the calls of a verb with the arguments that it needs: of each file, if it takes one."""
    needed = [one.name for one in command.params if isinstance(one, TyperArgument) and one.required]
    files = FILES if "file" in needed else FILES[:1]
    return tuple(Act(" ".join((name, *(file if one == "file" else "heron" for one in needed)))) for file in files)


def each_tool() -> dict[str, tuple[dict[str, Any], ...]]:
    """Return what is asked of each tool; of those without a row, the ones that only read come first."""
    found = tools("en")
    assert found.keys() >= _TOOLS.keys(), "a row of a tool that is gone"
    derived = {name: _example(tool) for name, tool in found.items() if name not in _TOOLS}
    reading = {name: calls for name, calls in derived.items() if found[name].effect == "read"}
    return reading | _TOOLS | derived


def _example(tool: Tool) -> tuple[dict[str, Any], ...]:
    """Return the example of a tool's definition: with each file, if it takes one."""
    return tuple({**tool.call, "path": file} for file in FILES) if "path" in tool.call else (dict(tool.call),)
