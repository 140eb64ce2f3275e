"""What is said about plans, in Chinese and English."""

from __future__ import annotations

from mdmem.messages.entries import Both, worded


def say(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence; an advice that nobody wrote is empty."""
    return worded(WORDS, lang, key, facts)


WORDS = {
    "added": Both("{count} 步已加进 {path}", "{count:step|steps} added to {path}"),
    "done": Both("这一步已完成", "the step is done"),
    "went": Both("已换到另一步", "went to another step"),
    "moved": Both("这一步现在是第 {to} 步", "the step is number {to} now"),
    "phase": Both("阶段：{phase}", "phase: {phase}"),
    "removed": Both("从 {path} 拿掉了 {count} 步", "took {count:step|steps} out of {path}"),
    "now": Both("现在是第 {number} 步：{text}", "now at step {number}: {text}"),
    "all-done": Both("所有步骤都完成了", "every step is done"),
    "empty": Both("计划里没有步骤", "the plan has no steps"),
    "reopened": Both("这些步骤要重做，已重新打开：{numbers}", "to be done again, so open again: {numbers}"),
    "no-step": Both("{path} 里没有这一步", "{path} has no such step"),
    "no-step.hint": Both("可选：{names}", "these: {names}"),
    "none-open": Both("{path} 里没有可做的步骤", "{path} has no open step"),
    "none-open.hint": Both("用 add 加一步，或用 goto 重做一步", "add one, or `goto` a step to do it again"),
    "many-steps": Both("{path} 里不止一步对得上", "several steps of {path} match"),
    "many-steps.hint": Both("是哪一步：{names}", "which one: {names}"),
    "open-below": Both("下面还有没做完的步骤：{names}", "steps below it are open: {names}"),
    "open-below.hint": Both(
        "先做完它们（next 会走进去），不需要的用 remove 拿掉",
        "do them first (`next` goes there), or remove what is not needed",
    ),
    "phase-unknown": Both("没有这个阶段", "there is no such phase"),
    "phase-unknown.hint": Both("阶段是其中之一：{names}", "the phase is one of: {names}"),
    "unproved": Both(
        "没有写入：{path} 的列表写法特别，这样改会动到别的步骤",
        "not written: {path} is written in a way in which other steps would change",
    ),
    "unproved.hint": Both("请用 edit 手动改", "change it with edit"),
    "agent": Both("agent 的名字应是一个词", "an agent's name is one word"),
}
