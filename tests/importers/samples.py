"""Made sources of every system, from the documented formats; each tells how many records an import writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A made source: how it is made, who is recognized, and what is written of it."""

    make: Callable[[Path], Path]  # into an empty folder; returns the place to import
    system: str
    written: int
    files: dict[str, str]  # a file of the workspace → a text that it holds afterwards


def put(folder: Path, name: str, text: str) -> Path:
    """Write a file of a source."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


def memory(ident: str, content: str, **values: Any) -> dict[str, Any]:
    """Return a memory of OpenAkita with the keys of its first version."""
    return {
        "id": ident, "type": "FACT", "priority": "long_term", "content": content, "source": "manual", "tags": [],
        "created_at": "2026-01-05T08:00:00", "updated_at": "2026-01-05T08:00:00", "access_count": 0,
        "importance_score": 0.6, **values,
    }  # fmt: skip


MEMORIES = [
    memory("aa01", "用户住在宁波"),
    memory("aa02", "测试之前先备份", type="rule", priority="permanent"),
    memory("aa03", "正在搬家", type="context"),
]


def openakita_v1(folder: Path) -> Path:
    return put(folder, "memories.json", json.dumps(MEMORIES, ensure_ascii=False))


def openakita_v2(folder: Path) -> Path:
    more = {"subject": "宁波", "predicate": "港口", "confidence": 0.6, "decay_rate": 0.2, "expires_at": None}
    rows = [
        memory("bb01", "宁波的港口很大", **more),
        memory("bb02", "宁波只有一个港口", **more, superseded_by="bb01"),
        memory("bb03", "码头今天停电", **{**more, "expires_at": "2026-01-09T00:00:00"}),
    ]
    put(folder, "identity/SOUL.md", "# 我是谁\n\n## 原则\n\n- 说话要短\n")
    put(folder, "identity/MEMORY.md", "# 核心记忆\n\n## 事实\n- 宁波的港口很大\n\n## 我自己写的\n- 别动这一行\n")
    put(folder, "memories.json", json.dumps(rows, ensure_ascii=False))
    return folder


def openakita_database(folder: Path, version: int = 6) -> Path:
    place = folder / "openakita.db"
    with closing(sqlite3.connect(place)) as base:
        base.execute("create table _schema_meta (key text primary key, value text)")
        base.execute("insert into _schema_meta values ('version', ?)", (str(version),))
        base.execute(
            "create table memories (id text, content text, type text, priority text, importance_score real,"
            " created_at text, updated_at text, subject text, predicate text, access_count integer)"
        )
        row = ("cc01", "用户在学木工", "PREFERENCE", "SHORT_TERM", 0.5, "2026-01-03T10:00:00", "2026-01-03T10:00:00")
        base.execute("insert into memories values (?, ?, ?, ?, ?, ?, ?, '用户', '爱好', 2)", row)
        base.execute(
            "create table conversation_turns (session_id text, turn_index integer, role text, content text,"
            " tool_calls text, tool_results text, timestamp text, extracted integer)"
        )
        turns = [("s1", 0, "user", "凿子放在哪里"), ("s1", 1, "assistant", "在左边的抽屉")]
        for turn in turns:
            base.execute(
                "insert into conversation_turns values (?, ?, ?, ?, null, null, '2026-01-04T09:00:00', 1)", turn
            )
        base.commit()
    return folder


def pet(folder: Path) -> Path:
    put(folder, "p7/SOUL.md", "# 我是谁\n\n## 性格\n\n- 爱睡觉\n")
    put(folder, "p7/MEMORY.md", "# 🧠 记忆\n\n## 笔记\n\n- 2026-01-02：主人买了望远镜\n")
    return folder


def pet_json(folder: Path) -> Path:
    return put(folder, "user_memory.json", '{"职业": "园丁", "面试": "2026-01-08 去了花店面试", "其他": "怕高"}')


def fastmemo_v1(folder: Path) -> Path:
    lines = "\n".join(f"- 2026-01-{day:02}：第 {day} 天的记录" for day in range(1, 13))
    text = f"fastmemo v1 | max_chars: 1800\n\n[人生旅程]：路\n{lines}\n\n[淡化池]：要忘的\n- 旧的临时信息\n"
    return put(folder, "fastmemo.jsonl", text)


def fastmemo_v3(folder: Path) -> Path:
    text = "fastmemo v3 | max_chars: 1800\n\n[自我感知]\n- - 先验证再说\n\n[事件感知]\n1. 2026-01-06 换了终端\n"
    put(folder, "datememo.jsonl", "# datememo v2\n\n2026-01-07 20:00 | main | 日记: 换好了\n  键盘也换了\n")
    put(folder, "contextmemo.jsonl", '{"content":"还剩多少电","speaker":"user","time":"2026-01-07 21:00:00"}\n')
    put(folder, "fastmemory.jsonl", text)
    return folder


MEMO_TABLE = "(id integer primary key, ts text not null, date text not null, speaker text, content text not null)"


def fastmemo_database(folder: Path, name: str = "memo.db") -> Path:
    """Make the database of the first generation, whose diary repeats one line of the text file beside it."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    rows = {
        "datememo": [("2026-01-09 21:30:00", "memory", "修好了水车"), ("2026-01-10 08:00:00", "main", "结冰了")],
        "metamemo": [
            ("2026-01-09 20:00:05", "user", "水车怎么不转"),
            ("2026-01-09 20:00:09", "assistant/main", "轴卡住了"),
            ("2026-01-10 07:00:00", "user", "冷不冷"),
        ],
    }
    with closing(sqlite3.connect(place)) as base:
        for table, lines in rows.items():
            base.execute(f"create table {table} {MEMO_TABLE}")
            for at, speaker, text in lines:
                row = (at, at[:10], speaker, text)
                base.execute(f"insert into {table} (ts, date, speaker, content) values (?, ?, ?, ?)", row)
        base.commit()
    return folder


def fastmemo_march(folder: Path) -> Path:
    put(folder, "memory/fastmemory.jsonl", "fastmemo v3 | max_chars: 1800\n\n[动态上下文]\n- 2026-03-01 外置\n")
    put(folder, "memory/datememo.jsonl", "2026-01-09 21:30 | memory | 修好了水车\n")
    return fastmemo_database(folder, "memory/metamemory.db")


def projectling(folder: Path) -> Path:
    days = [
        {"d": "2026-01-09", "t": [["20:00", "user", "", "水车怎么不转"], ["20:01", "assistant", "萤", "轴卡住了"]]},
        {"d": "2026-01-10", "t": [["07:00", "user", "", "冷不冷"]]},
    ]
    put(folder, "memory/datememory.json", json.dumps({"v": 1, "days": days}, ensure_ascii=False))
    with closing(sqlite3.connect(folder / "memory/memory.db")) as base:
        base.execute(
            "create table diaries (date text primary key, diary text not null, keywords text not null,"
            " created_at text not null, updated_at text not null)"
        )
        base.execute("create table memory_events (id integer primary key, event_type text, detail text)")
        row = ("2026-01-09", "今天修好了水车。\n\n明天要上油。", '["水车", "轴", "上油", "河", "冬天"]', "", "")
        base.execute("insert into diaries values (?, ?, ?, ?, ?)", row)
        base.execute("insert into memory_events (event_type, detail) values ('memory_add', 'mode=append')")
        base.commit()
    return folder


def react(folder: Path) -> Path:
    put(
        folder,
        ".sessions/2025-09-03_debug_clock.md",
        "# Session: clock\n\n## 问题描述\n\n时钟慢\n\n## 解决方案\n\n换电池\n",
    )
    put(folder, ".notes/keeper_agent/agent_knowledge.md", "# 知识\n\n- 先看日志\n")
    put(folder, "state.json", '{"api_key": "sk-hidden"}')
    return folder


def chatgpt(folder: Path) -> Path:
    def node(ident: str, role: str, text: str, parent: str | None, **more: Any) -> dict[str, Any]:
        said = {"author": {"role": role}, "create_time": 1767600000.0, "content": {"parts": [text]}, **more}
        return {"id": ident, "message": said, "parent": parent, "children": []}

    nodes = [
        {"id": "r", "message": None, "parent": None},
        node("a", "user", "How do I graft a pear?", "r"),
        node("b", "assistant", "A first answer.", "a"),
        node("c", "assistant", "Cut a scion in winter.", "a"),
        node("d", "assistant", "The user grows pears", "c", recipient="bio"),
    ]
    talk = {
        "title": "Pears",
        "create_time": 1767600000,
        "current_node": "d",
        "mapping": {one["id"]: one for one in nodes},
    }
    return put(folder, "conversations.json", json.dumps([talk]))


def claude(folder: Path) -> Path:
    said = [
        {"uuid": "1", "sender": "human", "text": "Which varnish?", "created_at": "2026-01-05T10:00:00Z"},
        {"uuid": "2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Oil, twice."}]},
    ]
    talk = {"uuid": "77", "name": "Varnish", "created_at": "2026-01-05T10:00:00Z", "chat_messages": said}
    put(folder, "conversations.json", json.dumps([talk]))
    put(folder, "memories.json", json.dumps([{"conversations_memory": "**Work**\n\nRestores chairs.\n"}]))
    put(folder, "users.json", "[]")
    return folder


def mem0(folder: Path) -> Path:
    rows = [{"id": "m-1", "memory": "Likes cycling in rain", "hash": "x", "created_at": "2026-01-02T00:00:00Z"}]
    return put(folder, "export.json", json.dumps({"count": 1, "results": rows}))


def mcp_memory(folder: Path) -> Path:
    lines = [
        {"type": "entity", "name": "Olga", "entityType": "person", "observations": ["Plays the oboe", "Lives in Gent"]},
        {"type": "relation", "from": "Olga", "to": "Radio choir", "relationType": "conducts"},
    ]
    return put(folder, "memory.jsonl", "\n".join(map(json.dumps, lines)))


def basic_memory(folder: Path) -> Path:
    lines = "- [method] Rest the dough twice #bake\n- part_of [[Kitchen]]\n"
    text = f"---\ntitle: Bread\npermalink: bread\n---\n# Bread\n\n{lines}"
    put(folder, "bread.md", text)
    return folder


def logseq(folder: Path) -> Path:
    put(folder, "journals/2026_01_06.md", "- Repaired the gate\n\t- with two new hinges\n- Called the smith\n")
    put(folder, "pages/Garden___Gate.md", "type:: thing\n\n- Oak, from 1998\n")
    put(folder, "logseq/config.edn", "{}")
    return folder


def claude_code(folder: Path) -> Path:
    put(folder, "MEMORY.md", "# Memory\n\n- [Tests](tests.md) — run one file at a time\n")
    put(
        folder, "tests.md", "---\nname: tests\ndescription: how to test\ntype: feedback\n---\nRun one file at a time.\n"
    )
    return folder


def codex(folder: Path) -> Path:
    put(folder, "memory_summary.md", "# Summary\n\nThe repository uses tabs.\n")
    put(folder, "rollout_summaries/2026-01-06.md", "# A day\n\n- Fixed the build\n")
    return folder


SAMPLES = {
    "openakita v1": Sample(
        openakita_v1, "openakita", 3, {"facts/用户.md": "用户住在宁波", "memory/2026-01-05.md": "正在搬家"}
    ),
    "openakita v2": Sample(openakita_v2, "openakita", 5, {"MEMORY.md": "别动这一行", "SOUL.md": "说话要短"}),
    "openakita database": Sample(openakita_database, "openakita", 2, {"facts/用户.md": "木工"}),
    "pet": Sample(pet, "pet", 2, {"MEMORY.md": "望远镜", "SOUL.md": "爱睡觉"}),
    "pet json": Sample(pet_json, "pet", 3, {"USER.md": "园丁", "MEMORY.md": "怕高"}),
    "fastmemo v1": Sample(fastmemo_v1, "fastmemo", 13, {"FASTMEMO.md": "第 12 天的记录"}),
    "fastmemo v3": Sample(
        fastmemo_v3, "fastmemo", 4, {"FASTMEMO.md": "先验证再说", "memory/2026-01-07.md": "键盘也换了"}
    ),
    "fastmemo database": Sample(
        fastmemo_database, "fastmemo", 4, {"memory/2026-01-09.md": "修好了水车", "memory/2026-01-10.md": "结冰了"}
    ),
    "fastmemo March": Sample(fastmemo_march, "fastmemo", 5, {"FASTMEMO.md": "外置", "memory/2026-01-10.md": "结冰了"}),
    "projectling": Sample(projectling, "fastmemo", 5, {"memory/2026-01-09.md": "关键词: 水车, 轴, 上油, 河, 冬天"}),
    "react": Sample(react, "react", 2, {"sessions/2025-09-03_debug_clock.md": "换电池"}),
    "chatgpt": Sample(chatgpt, "chatgpt", 2, {"inbox.md": "The user grows pears"}),
    "claude": Sample(claude, "claude", 2, {"notes/claude/memory.md": "Restores chairs"}),
    "mem0": Sample(mem0, "mem0", 1, {"inbox.md": "Likes cycling in rain"}),
    "mcp-memory": Sample(mcp_memory, "mcp-memory", 3, {"facts/Olga.md": "Plays the oboe"}),
    "basic-memory": Sample(basic_memory, "basic-memory", 2, {"facts/Bread.md": "Rest the dough twice"}),
    "logseq": Sample(logseq, "logseq", 4, {"memory/2026-01-06.md": "Repaired the gate"}),
    "claude-code": Sample(claude_code, "claude-code", 2, {"MEMORY.md": "run one file at a time"}),
    "codex": Sample(codex, "codex", 2, {"notes/codex/memory_summary.md": "tabs"}),
}
