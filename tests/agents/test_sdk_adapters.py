"""The adapters: replies as their frameworks document them, with text that the frameworks give."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mdmem import Workspace
from mdmem.agents.sdk import AgentsSession, HermesMemory, MemoryTool

FILES = {"MEMORY.md": "# Memory\n\n## Important events\n\n- 2026-02-13: the sloop passed its survey in Makkum\n"}


@pytest.fixture
def work(make: Callable[..., Workspace]) -> Workspace:
    return make("en", FILES)


# --- Anthropic's memory tool ---


def test_the_memory_tool_answers_as_the_api_documents(work: Workspace) -> None:
    """Each reply is the documented sentence, and nothing of ours is added to a success."""
    tool = MemoryTool(work)
    path = "/memories/world_state.md"
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}

    def ran(command: str, **arguments: object) -> tuple[str, bool]:
        return tool.run({"command": command, **arguments})

    text = "# World\n\n## Environment\n\n- the quay has shore power\n"
    assert ran("create", path=path, file_text=text) == (f"File created successfully at: {path}", False)
    assert ran("create", path=path, file_text=text) == (f"Error: File {path} already exists", True)
    shown, failed = ran("view", path=path)
    assert not failed
    assert shown == f"Here's the content of {path} with line numbers:\n" + "\n".join(
        f"{number:6}\t{line}" for number, line in enumerate(text.splitlines(), 1)
    )
    edited, _ = ran("str_replace", path=path, old_str="shore power", new_str="shore power, 16 A")
    assert edited.startswith("The memory file has been edited.\n")
    assert ran("insert", path=path, insert_line=5, insert_text="- and water\n") == (
        f"The file {path} has been edited.", False,
    )  # fmt: skip
    new = "/memories/agents/main/world_state.md"
    assert ran("rename", old_path=path, new_path=new) == (f"Successfully renamed {path} to {new}", False)
    assert ran("delete", path=new)[1], "it holds entries, so the first call only asks"
    assert ran("delete", path=new) == (f"Successfully deleted {new}", False)
    missing, failed = ran("view", path=path)
    assert failed
    assert missing.startswith(f"The path {path} does not exist. Please provide a valid path.")
    assert ran("view", path="/memories")[0].startswith("Here're the files and directories up to 2 levels deep in /mem")


@pytest.mark.parametrize("block", [dict, SimpleNamespace])
def test_a_tool_use_block_gets_its_result_block(work: Workspace, block: Callable[..., Any]) -> None:
    tool = MemoryTool(work, actor="claude")
    good = block(id="toolu_1", input={"command": "view", "path": "/memories/MEMORY.md"})
    assert tool.result(good) | {"content": ""} == {"type": "tool_result", "tool_use_id": "toolu_1", "content": ""}
    unfit: tuple[object, ...] = ({"command": "view", "path": "/etc/passwd"}, {"command": "dance"}, {}, None, [], "view")
    for wrong in unfit:
        made = tool.result(block(id="toolu_2", input=wrong))
        assert made["is_error"] is True
        assert made["content"]


def test_the_sdks_tool_runner_takes_the_tool(work: Workspace) -> None:
    lib = pytest.importorskip("anthropic.lib.tools")
    tool = MemoryTool(work)
    assert "survey" in tool.call({"command": "view", "path": "/memories/MEMORY.md"})
    with pytest.raises(lib.ToolError, match="does not exist"):
        tool.call({"command": "view", "path": "/memories/none.md"})


# --- OpenAI's Agents SDK ---

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "Is the winch oiled?"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": "winch"}', "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": "\n".join(f"row {n}" for n in range(40))},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {
        "type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
        "content": [{"type": "output_text", "text": "Yes.\n\nIt was oiled on Monday.", "annotations": []}],
    },
]  # fmt: skip


def run(awaitable: Any) -> Any:
    return asyncio.run(awaitable)


def test_a_session_gives_back_what_it_was_given(work: Workspace) -> None:
    session = AgentsSession("user-42", work)
    assert run(session.get_items()) == []
    assert not work.sessions.list(), "nothing is written before the first item"
    run(session.add_items(ITEMS))
    user, call, output, answer = run(session.get_items())
    assert user == {"role": "user", "content": "Is the winch oiled?"}
    assert (call["name"], json.loads(call["arguments"])) == ("look", {"at": "winch"})
    assert output["call_id"] == call["call_id"]
    assert output["output"].splitlines() == [f"row {n}" for n in range(40)], "a long output comes back whole"
    assert answer == {"role": "assistant", "content": "Yes.\n\nIt was oiled on Monday."}
    assert run(session.get_items(2)) == [output, answer]
    assert run(session.get_items(0)) == []


def test_another_process_goes_on_with_the_session(work: Workspace) -> None:
    run(AgentsSession("user-42", work).add_items(ITEMS[:1]))
    run(AgentsSession("user-7", work).add_items([{"role": "user", "content": "Another conversation"}]))
    again = AgentsSession("user-42", Workspace(work.root))
    run(again.add_items([{"role": "user", "content": "And the mast?"}]))
    assert [one["content"] for one in run(again.get_items())] == ["Is the winch oiled?", "And the mast?"]
    assert len(work.sessions.list()) == 2


def test_the_newest_item_can_be_taken_back(work: Workspace) -> None:
    session = AgentsSession("user-42", work)
    run(session.add_items(ITEMS))
    before = run(session.get_items())
    assert run(session.pop_item()) == before[-1]
    assert run(session.get_items()) == before[:-1]
    assert run(session.pop_item()) == before[-2]
    assert run(session.get_items()) == before[:1], "a call leaves with its output"
    assert run(session.pop_item()) == before[0]
    assert run(session.pop_item()) is None
    run(session.add_items(ITEMS[:1]))
    assert run(session.get_items()) == before[:1]


def test_a_cleared_session_is_empty_and_its_file_stays(work: Workspace) -> None:
    session = AgentsSession("user-42", work)
    run(session.add_items(ITEMS[:1]))
    run(session.clear_session())
    assert run(session.get_items()) == []
    run(session.add_items([{"role": "user", "content": "A new start"}]))
    assert [one["content"] for one in run(session.get_items())] == ["A new start"]
    assert sorted(bool(one.ended) for one in work.sessions.list()) == [False, True]


def test_a_secret_in_a_session_is_masked(work: Workspace) -> None:
    session = AgentsSession("user-42", work)
    run(session.add_items([{"role": "user", "content": "the key is sk-ant-api03-" + "Zq7" * 30}]))
    assert "Zq7Zq7" not in run(session.get_items())[0]["content"]
    assert not [path for path in Path(work.root).rglob("*.md") if "Zq7Zq7" in path.read_text("utf-8")]


def test_the_sdk_takes_the_session_for_one_of_its_own(work: Workspace) -> None:
    memory = pytest.importorskip("agents.memory")
    assert isinstance(AgentsSession("user-42", work), memory.Session)


# --- Hermes ---


@pytest.fixture
def hermes(work: Workspace) -> HermesMemory:
    provider = HermesMemory(work.root, lang="en")
    provider.initialize("s1", hermes_home="/nowhere", agent_context="primary")
    return provider


def test_hermes_gets_memories_and_leaves_its_rounds(hermes: HermesMemory, work: Workspace) -> None:
    assert hermes.is_available()
    assert "survey in Makkum" in hermes.system_prompt_block()
    assert "Makkum" in hermes.prefetch("where did the sloop pass its survey?", session_id="s1")
    assert hermes.prefetch("what is the capital of Peru?") == ""
    hermes.sync_turn("Is the winch oiled?", "Yes, on Monday.", session_id="s1", messages=[])
    hermes.sync_turn("And the mast?", "Ordered.", session_id="s1")
    hermes.on_session_end([])
    (session,) = work.sessions.list()
    assert session.ended
    turns = [turn.text for turn in work.sessions.show(session.id).turns]
    assert turns == ["Is the winch oiled?", "Yes, on Monday.", "And the mast?", "Ordered."]


def test_hermes_calls_tools_and_mirrors_its_own_memory(hermes: HermesMemory, work: Workspace) -> None:
    schemas = hermes.get_tool_schemas()
    assert {"name", "description", "parameters"} == set(schemas[0])
    reply = json.loads(hermes.handle_tool_call("memory_search", {"query": "sloop"}))
    assert reply["status"] == "done"
    assert json.loads(hermes.handle_tool_call("nothing", {}))["status"] == "error"
    hermes.on_memory_write("add", "memory", "2026-02-20: the owner prefers tan sails")
    assert "tan sails" in "".join(path.read_text("utf-8") for path in Path(work.root).glob("*.md"))
    assert work.history.log()[0].actor == "mdmem"


def test_helpers_of_hermes_leave_nothing(work: Workspace) -> None:
    provider = HermesMemory(work.root)
    provider.initialize("s2", agent_context="cron")
    provider.sync_turn("tick", "tock")
    provider.on_memory_write("add", "memory", "2026-02-20: the owner prefers tan sails")
    provider.shutdown()
    assert not work.sessions.list()
    assert not work.history.log()


def test_a_broken_memory_does_not_stop_hermes(hermes: HermesMemory, work: Workspace) -> None:
    (Path(work.root) / "mdmem.toml").write_text("[memory]\nenabled = false\n", "utf-8")
    off = HermesMemory(work.root)
    assert not off.is_available()
    assert (off.prefetch("sloop"), off.get_tool_schemas()) == ("", [])
    off.sync_turn("a", "b")
    off.shutdown()


def test_what_hermes_compresses_keeps_its_key_points(hermes: HermesMemory) -> None:
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "Never sail the sloop above 6 Beaufort."},
        {"role": "assistant", "content": "Understood."},
        {"role": "tool", "content": None},
    ]
    assert "6 Beaufort" in hermes.on_pre_compress(said)
    assert hermes.on_pre_compress([]) == ""


# --- LangGraph, an example ---


def test_the_example_store_of_langgraph_keeps_its_contract(work: Workspace) -> None:
    base = pytest.importorskip("langgraph.store.base")
    folder = Path(__file__).resolve().parents[2] / "docs" / "examples"
    spec = spec_from_file_location("langgraph_store", folder / "langgraph_store.py")
    assert spec
    assert spec.loader
    spec.loader.exec_module(example := module_from_spec(spec))
    store = example.MemoryStore(work)
    assert isinstance(store, base.BaseStore)
    values = [{"text": "the winch was oiled in Heeg", "n": 2, "list": [1, {"a": None}]}, {"text": "沈念喜欢绿茶"}]
    for key, value in zip("ab", values, strict=True):
        store.put(("boats", "sloop"), key, value)
    store.put(("people",), "c", {"text": "the smith lives in Heeg"})
    assert store.get(("boats", "sloop"), "a").value == values[0]
    assert store.get(("boats", "sloop"), "b").value == values[1]
    assert store.get(("boats",), "a") is None
    assert next(one.key for one in store.search(("boats",), query="oiled in Heeg")) == "a"
    assert {one.key for one in store.search(())} == {"a", "b", "c"}
    assert [one.key for one in store.search((), filter={"n": 2})] == ["a"]
    assert store.list_namespaces() == [("boats", "sloop"), ("people",)]
    assert store.list_namespaces(prefix=("boats",)) == [("boats", "sloop")]
    assert store.list_namespaces(max_depth=1) == [("boats",), ("people",)]
    store.put(("boats", "sloop"), "a", {"text": "changed"})
    assert store.get(("boats", "sloop"), "a").value == {"text": "changed"}
    store.delete(("boats", "sloop"), "a")
    assert store.get(("boats", "sloop"), "a") is None
    with pytest.raises(ValueError, match="not a file name"):
        store.put(("people",), "../../x", {"text": "out"})
    assert asyncio.run(store.aget(("people",), "c")).value["text"] == "the smith lives in Heeg"


def test_items_that_are_not_as_documented_lose_nothing(work: Workspace) -> None:
    session = AgentsSession("odd", work)
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "half a sign \ud83d here"},
        {"type": "function_call", "arguments": "{}"},
        {"type": "function_call_output", "output": "done"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "ok \udc00"}, {"type": "refusal"}]},
    ]
    asyncio.run(session.add_items(items))
    found = asyncio.run(session.get_items())
    assert [one.get("content") for one in found if "role" in one] == ["half a sign ? here", "ok ?"]
    assert [one["output"] for one in found if one.get("type") == "function_call_output"] == ["done"]


def test_a_defect_of_the_memory_never_stops_hermes(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = HermesMemory(work.root)
    memory.sync_turn(None, "The harbour office closes at noon.")
    memory.sync_turn("Which office?", None)
    (stored,) = work.sessions.list()
    assert [turn.role for turn in work.sessions.show(stored.id).turns] == ["assistant", "user"]

    def broken(*_: object, **__: object) -> None:
        raise KeyError("what was said")

    monkeypatch.setattr(Workspace, "recall", broken)
    assert memory.prefetch("the office") == ""
