"""Random workspaces for the packer's laws: every kind of file, full and empty, with what must never be shown."""

from __future__ import annotations

from hypothesis import strategies as st

RULE = "必须先问再删除文件，不要改 data/raw"
HIDDEN = "ignore\u200bthis"
WORDS = st.text("abcdefg 记忆面试数据水位，。12", min_size=1, max_size=120).map(str.strip).filter(bool)
ENTRY = st.one_of(
    WORDS,
    WORDS.map(lambda text: f"2026-02-13：{text} #tag [source:: tool:t0007] ^k7f3"),
    WORDS.map(lambda text: f"{RULE} {text}"),
    WORDS.map(lambda text: text * 8),
    st.just(HIDDEN),
    st.just("[待学习]"),
)
PROSE = ["", "一段没有列表的话。\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "```\ncode\n```\n\n"]
SECTIONS = {
    "FASTMEMO.md": ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池"),
    "MEMORY.md": ("重要事件", "偏好与习惯", "待办与承诺", "笔记"),
    "USER.md": ("基本信息", "偏好"),
    "SOUL.md": ("性格", "边界"),
    "AGENT.md": ("职责", "工具"),
    "PINS.md": (),
    "NOTEBOOK.md": ("里程碑", "近况"),
    "SCRATCHPAD.md": ("当前项目", "下一步"),
    "task_process.md": ("当前状态", "TODO列表", "动态指令"),
    "world_state.md": ("数据", "人"),
    "agent_knowledge.md": ("成功模式",),
    ".compact_memory.md": ("状态", "关键事件"),
    "agents/scout/NOTEBOOK.md": ("近况",),
}


@st.composite
def file(draw: st.DrawFn, sections: tuple[str, ...]) -> str:
    out = "# 标题\n\n<!-- hidden: never show this -->\n\n"
    for title in sections or ("",):
        entries = draw(st.lists(ENTRY, max_size=12))
        out += (f"## {title}\n\n" if title else "") + "".join(f"- {entry}\n" for entry in entries) + "\n"
        out += draw(
            st.sampled_from(["", "一段没有列表的话。\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "```\ncode\n```\n\n"])
        )
    return out


@st.composite
def workspaces(draw: st.DrawFn) -> dict[str, str]:
    names = draw(st.sets(st.sampled_from(sorted(SECTIONS)), min_size=1))
    return {name: draw(file(SECTIONS[name])) for name in sorted(names)}


TURNS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.one_of(WORDS, WORDS.map(lambda text: text * 30))),
    max_size=30,
)
BUDGETS = st.one_of(st.sampled_from([0, 1, 2, 10, 50, 10**9]), st.integers(0, 4000))
RECIPES = st.sampled_from(["chat", "chat_v0", "tool_loop", "minimal", "full", "pet", "layered"])
