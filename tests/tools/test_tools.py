"""The tools of agents: what their schemas say, what they do, what they answer, and that nothing brings them down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.errors import UsageError
from mdmem.tools.definitions import tools
from mdmem.tools.dispatch import check
from mdmem.workspace import Workspace

MEMORY = "# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：主人说周五有面试\n\n## 待办与承诺\n\n- 提醒主人周五准备面试\n"
MOST = 1000
NAMES = list(tools("zh"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A Chinese workspace with a MEMORY.md and the files of `init`."""
    root = tmp_path / "ws"
    root.mkdir()
    work = Workspace(root, lang="zh", cache=False)
    work.init()
    (root / "MEMORY.md").write_text(MEMORY, "utf-8")
    work.knowledge.add("riverlog-csv", "导入 riverlog 的 CSV", "看前六行")
    (root / "artifacts").mkdir()
    (root / "artifacts/t0012.md").write_text(
        "---\ntool_id: t0012\ntool_name: shell\n---\n12 passed in 0.41s\n", "utf-8"
    )
    return work


def test_schemas_are_strict_small_and_in_both_languages() -> None:
    assert list(tools("en")) == NAMES
    for lang in ("zh", "en"):
        for tool in tools(lang).values():
            assert tool.schema["additionalProperties"] is False
            assert set(tool.schema["required"]) <= set(tool.schema["properties"])
            assert len(json.dumps(tool.as_dict(), ensure_ascii=False)) < 1000, "every token of it is paid in every turn"
            for said in (tool.description, *(one["description"] for one in tool.schema["properties"].values())):
                assert said
                assert any("\u4e00" <= char <= "\u9fff" for char in said) == (lang == "zh")


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_takes_its_example_and_refuses_what_differs(name: str) -> None:
    tool = tools("zh")[name]
    assert check(tool.schema, tool.call, "zh", MOST) == tool.call
    wrong: list[object] = [None, [], "x", {**tool.call, "more": 1}]
    wrong += [{key: value for key, value in tool.call.items() if key != gone} for gone in tool.schema["required"]]
    wrong += [{**tool.call, gone: None} for gone in tool.schema["required"]]
    for key, schema in tool.schema["properties"].items():
        kind = schema["type"]
        others: list[object] = [kind != "boolean" or 1, "\ud800", "x" * (MOST + 1)]
        others += [] if kind in ("string", "array") else [1.5, "one", ""]
        others += [] if kind == "array" else [[1]]
        others += [{"a": "\udfff"}] if kind == "object" else [{"a": 1}]
        wrong += [{**tool.call, key: value} for value in others]
    for arguments in wrong:
        with pytest.raises(UsageError) as caught:
            check(tool.schema, arguments, "en", MOST)
        for key in tool.schema["properties"]:
            assert key in caught.value.hint


MEANT: list[tuple[dict[str, Any], object, object]] = [
    ({"type": "integer"}, "3", 3),
    ({"type": "integer"}, " -20 ", -20),
    ({"type": "integer"}, 3.0, 3),
    ({"type": "integer"}, "3.0", 3),
    ({"type": "string"}, 1, "1"),
    ({"type": "string"}, 2.1, "2.1"),
    ({"type": "string"}, 2.0, "2"),
    ({"type": "string"}, "3", "3"),
    ({"type": "boolean"}, "true", True),
    ({"type": "boolean"}, " False", False),
    ({"type": "string", "enum": ["add", "done"]}, " Done", "done"),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, "a, b", ["a, b"]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, '["a", "b"]', ["a", "b"]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, "[x] call Ida", ["[x] call Ida"]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}, ["a", 7], ["a", "7"]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, "[1, 5]", [1, 5]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, ["1", "-1"], [1, -1]),
    ({"type": "object", "additionalProperties": {"type": "string"}}, '{"a": 1}', {"a": "1"}),
]


@pytest.mark.parametrize(("schema", "given", "meant"), MEANT)
def test_what_a_model_sends_is_taken_for_what_it_can_only_mean(schema: Any, given: object, meant: object) -> None:
    whole = {"properties": {"x": schema}, "required": ["x"]}
    assert check(whole, {"x": given}, "en", MOST) == {"x": meant}
    optional = {"properties": {"x": schema}, "required": []}
    assert check(optional, {"x": None}, "en", MOST) == {}


def test_a_closed_set_is_in_the_schema_and_in_the_refusal(workspace: Workspace) -> None:
    schemas = {tool["name"]: tool["input_schema"]["properties"] for tool in workspace.tools()}
    assert schemas["plan"]["action"]["enum"] == ["show", "add", "done", "next", "goto", "move", "remove", "phase"]
    for name in ("pin_add", "pin_update"):
        assert schemas[name]["type"]["enum"] == ["constraint", "path", "command", "code", "conclusion"]
    wrong = workspace.call("plan", {"action": "advance"})
    assert (wrong["code"], "goto" in wrong["message"]) == ("usage", True)
    own = Path(workspace.root, "templates/PINS.md")
    own.parent.mkdir()
    text = Path(__file__).parents[2] / "templates/zh/PINS.md"
    own.write_text(text.read_text("utf-8").replace("code, conclusion]", "code, conclusion, smell]"), "utf-8")
    again = {tool["name"]: tool for tool in Workspace(workspace.root, lang="zh", cache=False).tools()}
    assert again["pin_add"]["input_schema"]["properties"]["type"]["enum"][-1] == "smell"


def test_every_example_does_what_it_says(workspace: Workspace) -> None:
    for name in NAMES:
        reply = workspace.call(name, tools("zh")[name].call)
        expected = {"memory_check": "findings", "memory_forget": "planned"}.get(name, "done")
        assert reply["status"] in ("done", expected), (name, reply)
    text = Path(workspace.root, "MEMORY.md").read_text("utf-8")
    assert "- 2026-02-20：主人通过了面试" in text
    assert "- ✅ 已提醒主人准备面试（2026-02-14）" in text
    assert not Path(workspace.root, "sessions/notes.md").exists()


def test_a_write_is_logged_under_the_agent(workspace: Workspace) -> None:
    reply = workspace.call("memory_add", {"path": "MEMORY.md", "section": "笔记", "content": "2026-02-20：喜欢安静"})
    (change,) = workspace.history.log(limit=1)
    assert (change.id, change.actor, change.reason) == (reply["transaction"], "agent", "memory_add")


def test_the_replies_of_read_write_edit_are_the_published_ones(workspace: Workspace) -> None:
    call = workspace.call
    assert call("read", {"path": "MEMORY.md"})["text"] == MEMORY
    assert call("write", {"path": "notes.md", "content": "- 记\n"})["message"] == "成功写入 6 字节到 notes.md"
    done = call("edit", {"path": "MEMORY.md", "oldText": "周五有面试", "newText": "周五有复试"})
    assert (done["status"], done["message"]) == ("done", "成功替换了 MEMORY.md 中的文本")
    same = call("edit", {"path": "MEMORY.md", "oldText": "复试", "newText": "复试"})
    assert (same["status"], same["message"]) == ("unchanged", "替换后内容没有变化。")
    none = call("edit", {"path": "MEMORY.md", "oldText": "主人说周六有复试", "newText": "x"})
    assert none["message"].startswith("无法在 MEMORY.md 中找到指定文本。")
    assert none["candidates"][0] == "5: - 2026-02-13：主人说周五有复试", "the nearest line is shown"
    many = call("edit", {"path": "MEMORY.md", "oldText": "主人", "newText": "x"})
    assert many["message"] == "找到 2 处匹配。请提供更多上下文使其唯一。"
    assert call("edit", {"path": "no.md", "oldText": "a", "newText": "b"})["message"] == "文件不存在：no.md"
    assert call("read", {"path": "../a.md"})["message"] == "不允许访问工作区外的文件"


def test_kinds_and_aliases_name_files_and_sections(workspace: Workspace) -> None:
    added = workspace.call("memory_add", {"path": "fastmemo", "section": "我", "content": "先验证再汇报"})
    assert (added["status"], added["path"]) == ("done", "FASTMEMO.md")
    found = workspace.call("memory_read", {"path": "/memories/FASTMEMO.md", "section": "自我"})
    assert found["text"].startswith("## 自我感知\n")
    assert "- 先验证再汇报\n" in found["text"]
    assert "用户感知" not in found["text"]
    wrong = workspace.call("memory_read", {"path": "fastmemo", "section": "心情"})
    assert (wrong["code"], wrong["candidates"][:2]) == ("target", ["自我感知", "用户感知"])
    assert "自我感知" in wrong["hint"]


def test_memory_check_gives_findings_that_can_be_acted_on(workspace: Workspace) -> None:
    Path(workspace.root, "MEMORY.md").write_text(MEMORY + "- 路由器的密码是 Kz8-river-77\n", "utf-8")
    reply = workspace.call("memory_check", {"path": "MEMORY.md"})
    assert reply["status"] == "findings"
    (finding,) = [one for one in reply["findings"] if one["severity"] == "error"]
    assert (finding["path"], finding["line"], finding["code"]) == ("MEMORY.md", 10, "MM502")
    assert finding["hint"]
    assert "Kz8" not in json.dumps(reply)
    assert workspace.call("memory_check", {"path": "SOUL.md"})["message"] == "没有问题"


VIEW = """\
Here's the content of /memories/MEMORY.md with line numbers:
     1\t# 🧠 记忆
     2\t
     3\t## 重要事件"""
SNIPPET = """\
The memory file has been edited.
     2\t
     3\t## 重要事件
     4\t
     5\t- 2026-02-13：主人说周五有复试
     6\t
     7\t## 待办与承诺
     8\t"""
WORDING: list[tuple[str, dict[str, Any], str]] = [
    ("view", {"path": "/memories/MEMORY.md", "view_range": [1, 3]}, VIEW),
    ("view", {"path": "/memories/no.md"}, "The path /memories/no.md does not exist. Please provide a valid path."),
    ("create", {"path": "/memories/a/n.md", "file_text": "- x\n"}, "File created successfully at: /memories/a/n.md"),
    ("create", {"path": "/memories/MEMORY.md", "file_text": ""}, "Error: File /memories/MEMORY.md already exists"),
    ("str_replace", {"path": "/memories/MEMORY.md", "old_str": "五有面试", "new_str": "五有复试"}, SNIPPET),
    (
        "str_replace", {"path": "/memories/MEMORY.md", "old_str": "没有", "new_str": "x"},
        "No replacement was performed, old_str `没有` did not appear verbatim in /memories/MEMORY.md.",
    ),
    (
        "str_replace", {"path": "/memories/MEMORY.md", "old_str": "主人", "new_str": "x"},
        ("No replacement was performed. Multiple occurrences of old_str `主人` in lines: 5, 9. "
         "Please ensure it is unique"),
    ),
    (
        "str_replace", {"path": "/memories/no.md", "old_str": "a", "new_str": "x"},
        "Error: The path /memories/no.md does not exist. Please provide a valid path.",
    ),
    ("insert", {"path": "/memories/MEMORY.md", "insert_line": 5, "insert_text": "- 2026-02-14：过了"},
     "The file /memories/MEMORY.md has been edited."),
    ("insert", {"path": "/memories/no.md", "insert_line": 0, "insert_text": "x"},
     "Error: The path /memories/no.md does not exist"),
    (
        "insert", {"path": "/memories/MEMORY.md", "insert_line": 10, "insert_text": "x"},
        "Error: Invalid `insert_line` parameter: 10. It should be within the range of lines of the file: [0, 9]",
    ),
    ("delete", {"path": "/memories/MEMORY.md"}, "Successfully deleted /memories/MEMORY.md"),
    ("delete", {"path": "/memories/no.md"}, "Error: The path /memories/no.md does not exist"),
    ("rename", {"old_path": "/memories/MEMORY.md", "new_path": "/memories/old.md"},
     "Successfully renamed /memories/MEMORY.md to /memories/old.md"),
    ("rename", {"old_path": "/memories/no.md", "new_path": "/memories/b.md"},
     "Error: The path /memories/no.md does not exist"),
    ("rename", {"old_path": "/memories/MEMORY.md", "new_path": "/memories/SOUL.md"},
     "Error: The destination /memories/SOUL.md already exists"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments", "wording"), WORDING)
def test_the_memory_tools_verbs_answer_in_its_published_wording(
    workspace: Workspace, name: str, arguments: dict[str, Any], wording: str
) -> None:
    reply = workspace.call(name, arguments)
    if reply.get("code") == "confirm":
        reply = workspace.call(name, arguments)
    assert reply.get("text", reply["message"]) == wording
    assert (reply["status"] == "error") == ("code" in reply)
    one_tool = workspace.call("memory", {"command": "view", "path": "/memories/SOUL.md"})
    assert one_tool["text"].startswith("Here's the content of /memories/SOUL.md with line numbers:\n     1\t")


def test_insert_puts_lines_where_it_says(workspace: Workspace) -> None:
    file = Path(workspace.root, "notes.md")
    for before, line, text, after in (
        ("- a\n- b\n", 1, "- x", "- a\n- x\n- b\n"),
        ("- a\n- b\n", 0, "- x\n", "- x\n- a\n- b\n"),
        ("- a\n- b", 2, "- x", "- a\n- b\n- x\n"),
        ("- a\r\n- b\r\n", 1, "- x", "- a\r\n- x\r\n- b\r\n"),
    ):
        file.write_bytes(before.encode())
        workspace.call("insert", {"path": "/memories/notes.md", "insert_line": line, "insert_text": text})
        assert file.read_bytes().decode() == after


def test_view_lists_two_levels_with_sizes_and_no_hidden_items(workspace: Workspace) -> None:
    root = Path(workspace.root)
    for name, size in (("a/b/c/deep.md", 2048), ("a/x.md", 10), (".hidden/y.md", 1), ("node_modules/z.md", 1)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x" * size)
    (root / "link.md").symlink_to("/etc/hostname")
    (root / "loop").symlink_to(".")
    header, *rows = workspace.call("view", {"path": "/memories/a"})["text"].splitlines()
    assert header == (
        "Here're the files and directories up to 2 levels deep in /memories/a, excluding hidden items and node_modules:"
    )
    assert rows == ["2.0K\t/memories/a", "2.0K\t/memories/a/b", "2.0K\t/memories/a/b/c", "10\t/memories/a/x.md"]
    names = [row.split("\t")[1] for row in workspace.call("view", {"path": "/memories"})["text"].splitlines()[1:]]
    assert {"/memories", "/memories/MEMORY.md", "/memories/a/b"} <= set(names)
    assert not [
        name for name in names if "hidden" in name or "node_modules" in name or "link" in name or "deep" in name
    ]


OUTSIDE = [
    "../x.md", "/memories/../x.md", "/etc/passwd", "memories/../../x.md", "a/../../x.md", "%2e%2e%2fx.md",
    "%2E%2E/x.md", "%252e%252e%252fx.md", "..\\x.md", "a\\..\\..\\x.md", "C:\\x.md", "C:/x.md", "//etc/passwd",
    "a\0.md", "\n", "", " ", "/memories/\x1b[31m.md", "/memoriesx/a.md",
]  # fmt: skip


@pytest.mark.parametrize("name", ["read", "write", "memory_add", "view", "create", "insert", "delete", "memory_check"])
def test_no_path_leaves_the_workspace(workspace: Workspace, name: str) -> None:
    workspace.call("read", {"path": "none.md"})  # the first refusal of a process writes the cache of the messages
    before = sorted(Path(workspace.root).parent.rglob("*"))
    for path in OUTSIDE:
        reply = workspace.call(name, {**tools("zh")[name].call, "path": path})
        assert (reply["status"], reply["code"]) == ("error", "refused"), path
        assert str(workspace.root) not in json.dumps(reply)
        assert sorted(Path(workspace.root).parent.rglob("*")) == before, path


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PATHS = (
    st.sampled_from(["MEMORY.md", "/memories/FASTMEMO.md", "SOUL.md", "fastmemo", "a/b.md", "/memories", "."]) | JSON
)
LIKELY = st.fixed_dictionaries(
    {},
    optional={
        "path": PATHS, "old_path": PATHS, "new_path": PATHS, "content": JSON, "section": st.just("我") | JSON,
        "oldText": st.just("面试") | JSON, "newText": JSON, "file_text": JSON, "old_str": st.just("面试") | JSON,
        "new_str": JSON, "insert_line": st.integers(-3, 20) | JSON, "insert_text": JSON, "fields": JSON,
        "view_range": st.lists(st.integers(-2, 20), max_size=3) | JSON, "command": st.sampled_from(NAMES) | JSON,
    },
)  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "password: Kz8-river-77q",
        "密码是Kz8-river-77q",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hLXJpdmVyIn0.q7Zt3Xw9Lm2Vb8Kc4Rf6Yh1Dp5Ns0Jg3",
    ],
)
def test_a_name_that_is_a_secret_is_not_repeated(workspace: Workspace, name: str) -> None:
    """It is masked before it is cut: what is left of a long token does not read as one."""
    given = [(name, {}), ("memory", {"command": name}), ("pin_list", {name: 1})]
    for reply in (workspace.call(tool, arguments) for tool, arguments in given):
        assert reply["status"] == "error"
        assert not any(part in json.dumps(reply, ensure_ascii=False) for part in ("river", name[:20]))


@given(name=st.sampled_from([*NAMES, "memory", "no_such_tool"]) | JSON, arguments=LIKELY | JSON)
@example(name="memory_add", arguments={"path": "MEMORY.md", "content": "x" * 10_000_000})
@example(name="write", arguments={"path": "MEMORY.md", "content": "\ud800"})
@example(name="write", arguments={"path": "a" * 5000 + ".md", "content": "x"})
def test_whatever_a_model_sends_the_answer_is_a_reply(workspace: Workspace, name: Any, arguments: Any) -> None:
    reply = workspace.call(name, arguments)
    json.dumps(reply, ensure_ascii=False).encode()
    assert {"status", "message", "hint", "findings"} <= set(reply)
    assert reply["message"]
    assert reply["status"] in ("done", "unchanged", "waiting", "planned", "findings", "error")
    assert (reply["status"] == "error") == ("code" in reply)
    if reply.get("code") == "usage" and name in NAMES and isinstance(arguments, dict):
        unknown = set(arguments) - set(tools("zh")[name].schema["properties"])
        assert not unknown or all(key in reply["hint"] for key in tools("zh")[name].schema["properties"])


def test_memory_switched_off_offers_no_tools_and_reads_only_who_the_agent_is(workspace: Workspace) -> None:
    Path(workspace.root, "mdmem.toml").write_text('lang = "zh"\n[memory]\nenabled = false\n')
    off = Workspace(workspace.root, cache=False)
    assert off.tools() == []
    for name in NAMES:
        if name not in ("create", "rename"):  # they ask first whether the place is free
            assert off.call(name, {**tools("zh")[name].call, "path": "MEMORY.md"})["code"] in ("memory-off", "usage")
    assert off.call("view", {"path": "/memories"})["code"] == "memory-off"
    assert off.call("read", {"path": "SOUL.md"})["status"] == "done"


def test_a_folder_is_not_deleted_or_moved_at_once(workspace: Workspace) -> None:
    workspace.call("create", {"path": "/memories/sessions/a.md", "file_text": "- a\n"})
    for name, arguments in (
        ("delete", {"path": "/memories/sessions"}),
        ("delete", {"path": "/memories"}),
        ("rename", {"old_path": "/memories/sessions", "new_path": "/memories/old"}),
    ):
        assert workspace.call(name, arguments)["code"] == "target"
    assert Path(workspace.root, "sessions", "a.md").exists()


def test_bytes_that_are_no_text_are_shown_as_such(workspace: Workspace) -> None:
    Path(workspace.root, "raw.md").write_bytes(b"- caf\xe9\n")
    reply = workspace.call("read", {"path": "raw.md"})
    assert reply["text"] == "- caf\ufffd\n"
