"""What a watcher says, in Chinese and English."""

from __future__ import annotations

from mdmem.messages.entries import Both

_WORDS = {
    "started": Both("在看 {files} 个文件（{how}）：{found}", "watching {files:file|files} by {how}: {found}"),
    "looked": Both("看过 {files} 个文件：{found}", "looked at {files:file|files}: {found}"),
    "events": Both("系统事件", "the system's events"),
    "polling": Both("定时查看", "polling"),
    "clean": Both("没有问题", "clean"),
    "error": Both("{count} 个错误", "{count} error"),
    "errors": Both("{count} 个错误", "{count:error|errors}"),
    "warning": Both("{count} 个警告", "{count} warning"),
    "warnings": Both("{count} 个警告", "{count:warning|warnings}"),
    "and": Both("、", " and "),
    "gone": Both("不在了", "is gone"),
    "pending": Both("等待整理：{reason}", "waits for the keeper: {reason}"),
    "home": Both("不再等待整理", "no longer waits for the keeper"),
    "settings": Both("设置或模板变了，重新看一遍", "settings or templates changed; looking at everything again"),
    "unread": Both("现在没法检查：{why}", "cannot be judged now: {why}"),
    "lost": Both("文件夹不见了，等它回来", "the folder is gone; waiting for it to come back"),
    "back": Both("文件夹回来了", "the folder is back"),
    "too-short": Both(
        "[watch] quiet_seconds = {set} 太短：人停下来想一想也会超过它，整理会打断正在写的人；按 {used} 秒算",
        "[watch] quiet_seconds = {set} is too short: it interrupts anyone who stops to think; {used} seconds are used",
    ),
    "keeping": Both("没有人在用，开始整理", "nobody is at work; the keeper begins"),
    "kept": Both("整理完了", "the keeper is done"),
    "failed": Both("整理没有完成：{why}", "the keeper did not finish: {why}"),
    "busy": Both("有人在用（{names}），这次不整理", "busy ({names}); the keeper waits"),
    "fresh": Both("刚刚有人写过，这次不整理", "somebody has just written; the keeper waits"),
    "taken": Both("这个文件夹已经有一个 watch 在运行", "a watcher is at work in this folder already"),
    "taken.hint": Both("一个工作区一个就够了", "one for a workspace is enough"),
}
