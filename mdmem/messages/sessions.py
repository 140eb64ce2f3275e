"""What sessions say to people and agents, in Chinese and English."""

from __future__ import annotations

from mdmem.messages.entries import Both, worded


def tell(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence."""
    return worded(WORDS, lang, key, facts)


WORDS = {
    "said": Both("第 {number} 轮：已记下{role}的话", "round {number}: recorded what the {role} said"),
    "ended": Both("会话 {id} 已结束，共 {rounds} 轮", "session {id} has ended after {rounds:round|rounds}"),
    "not-written": Both("没有写入：这里不写会话", "not written: no sessions are kept here"),
    "not-written.hint": Both("在 mdmem.toml 里设 [session] write = true", "set [session] write = true in mdmem.toml"),
    "masked": Both("已抹去 {count} 处私密信息（{names}）", "secrets masked: {count} ({names})"),
    "struck": Both("里面有已忘记的内容，没有写入", "it held what was forgotten, which was left out"),
    "said-again": Both("里面有你忘记过的内容", "you had this forgotten once"),
    "pasted": Both("粘贴的 {lines} 行已存为 tool:{id}", "{lines} pasted lines are kept as tool:{id}"),
    "torn": Both(
        "上次中断时留下的半轮已移走，`mdmem diff {id}` 可以看到",
        "half a turn that a crash left was set aside; `mdmem diff {id}` shows it",
    ),
    "role": Both("没有「{role}」这个角色", "there is no role `{role}`"),
    "role.hint": Both("用 user、assistant、tool 或 system", "use user, assistant, tool or system"),
    "time": Both("「{time}」不是时间", "`{time}` is no time"),
    "time.hint": Both("写成 21:30 或 2026-02-13 21:30", "write it as 21:30 or 2026-02-13 21:30"),
    "outcome": Both("没有「{outcome}」这种结局", "there is no outcome `{outcome}`"),
    "outcome.hint": Both("用 {outcomes}", "use one of: {outcomes}"),
    "surrogate": Both("这段文字里有半个字符，不能写成 UTF-8", "the text holds half a character, which is no UTF-8"),
    "surrogate.hint": Both("请按正确的编码重新读取它", "read it again in the right encoding"),
    "none": Both("没有叫「{id}」的会话", "no session is called `{id}`"),
    "none.hint": Both("`mdmem session list` 列出所有会话", "`mdmem session list` shows them all"),
    "none-open": Both("{agent} 没有还开着的会话", "{agent} has no open session"),
    "none-open.hint": Both("`mdmem session start 任务` 开始一个", "`mdmem session start TASK` begins one"),
    "over": Both("会话 {id} 已经结束", "session {id} has ended already"),
    "over.hint": Both("开始一个新的会话", "begin another one"),
    "task": Both("任务不能为空", "the task is empty"),
    "task.hint": Both("用一句话写出要做什么", "say in one sentence what is to be done"),
    "reason-start": Both("开始会话", "a session begins"),
    "reason-end": Both("结束会话", "a session ends"),
    "user": Both("用户", "user"),
    "assistant": Both("助手", "assistant"),
    "tool": Both("工具", "tool"),
    "system": Both("系统", "system"),
}
