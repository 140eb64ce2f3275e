"""What is said about pins and evidence, in Chinese and English."""

from __future__ import annotations

from mdmem.messages.entries import Both, worded


def say(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence; an advice that nobody wrote is empty."""
    return worded(WORDS, lang, key, facts)


def fact(lang: str, name: str) -> str:
    """Name a fact of a piece of evidence."""
    return _label(lang, f"fact-{name}", name)


def gone(lang: str, reason: str) -> str:
    """Say why an entry is in the archive; a reason that somebody else wrote stays as it is."""
    return _label(lang, f"gone-{reason}", reason)


def _label(lang: str, key: str, name: str) -> str:
    return worded(WORDS, lang, key, {}) if key in WORDS else name


WORDS = {
    "pinned": Both("已钉住 {key}：{title}", "pinned as {key}: {title}"),
    "updated": Both("已改好 {key}", "changed {key}"),
    "renewed": Both("已续期：{keys}，从 {day} 算起", "renewed: {keys}, counted from {day}"),
    "no-change": Both("没有给出要改的内容", "nothing to change was given"),
    "no-change.hint": Both(
        "可改 title、summary、type、source、artifact、ttl", "title, summary, type, source, artifact and ttl can change"
    ),
    "full": Both(
        "钉住的已有 {count} 条（上限 {max}），没有写入", "{count:pin is|pins are} there already, of {max}; not written"
    ),
    "full.hint": Both(
        "先放下一条（`mdmem pin remove`）再钉。最该放下的：{candidates}",
        "unpin one first (`mdmem pin remove`), then pin. The first to go: {candidates}",
    ),
    "over": Both("已过期", "expired"),
    "long": Both(
        "这条有 {chars} 个字符，上限 {max}，没有写入", "the pin has {chars:character|characters} of {max}; not written"
    ),
    "long.hint": Both(
        "全文用 `mdmem artifact put` 存下，这里只写摘要，并给出 artifact",
        "`mdmem artifact put` keeps the whole of it; pin a summary, with `artifact`",
    ),
    "twin": Both("已经钉过了：{text}；没有写入", "it is pinned already: {text}; not written"),
    "twin.hint": Both(
        "要改内容用 `mdmem pin update`，要续期用 `mdmem pin renew`",
        "to change it use `mdmem pin update`, to renew it `mdmem pin renew`",
    ),
    "type": Both("没有名为 `{name}` 的类型", "there is no type `{name}`"),
    "type.hint": Both("类型是其中之一：{names}", "the type is one of: {names}"),
    "ttl": Both("看不懂期限 `{name}`", "`{name}` is no time to live"),
    "ttl.hint": Both("例如 7d、2w 或 `30 sessions`", "such as 7d, 2w or `30 sessions`"),
    "text": Both("标题和摘要都要写", "a pin has a title and a summary"),
    "no-evidence": Both("出处查不到：{why}；没有写入", "the source was not found: {why}; not written"),
    "no-evidence.hint": Both(
        "写成 chat:会话[#轮次]、tool:证据编号 或 file:路径#L行号，并且要真的存在",
        "write chat:SESSION[#round], tool:ARTIFACT or file:PATH#Lx, of something that exists",
    ),
    # evidence
    "source-shape": Both(
        "这不是 chat:、tool: 或 file: 开头的出处", "this is no source that begins with chat:, tool: or file:"
    ),
    "no-session": Both("没有会话 {name}，或者不止一个", "there is no session {name}, or more than one"),
    "no-round": Both("{path} 里没有第 {name} 轮", "{path} has no round {name}"),
    "no-artifact": Both("没有工具结果 {name}", "there is no tool run {name}"),
    "unreadable": Both(
        "{path} 读不了：不是普通文件、太大，或者没有权限",
        "{path} cannot be read: it is no regular file, is too large, or is not for you to read",
    ),
    "no-line": Both("{path} 只有 {lines} 行，没有第 {line} 行", "{path} has {lines:line|lines}, none numbered {line}"),
    # why
    "why-none": Both("哪个记忆文件里都没有 `{name}`", "no memory file has `{name}`"),
    "why-none.hint": Both("用 ^id、条目的 key 或一段文字", "name it by its ^id, its key, or a piece of its text"),
    "why-many": Both("有 {count} 条对得上", "{count:entry matches|entries match}"),
    "why-many.hint": Both("说得更准一些：{names}", "name one of them: {names}"),
    "why-by-hand": Both(
        "不是通过 mdmem 写的，或者历史已清理", "not written through mdmem, or its history is no longer kept"
    ),
    "why-no-source": Both("没有写出处", "it names no source"),
    # what is known of a piece of evidence
    "fact-agent": Both("智能体", "agent"),
    "fact-task": Both("任务", "task"),
    "fact-started": Both("开始于", "started"),
    "fact-round": Both("轮次", "round"),
    "fact-tool": Both("工具", "tool"),
    "fact-input": Both("输入", "input"),
    "fact-exit": Both("退出码", "exit code"),
    # why an entry is in the archive
    "gone-run": Both("已合并计数", "counted"),
    "gone-compacted": Both("已压缩", "condensed"),
    "gone-merged": Both("并入别的条目", "merged into others"),
    "gone-removed": Both("已移走", "removed"),
    "gone-deleted": Both("随文件删除", "deleted with its file"),
    "gone-expired": Both("已过期", "expired"),
    "gone-outdated": Both("已不再成立", "outdated"),
    "gone-superseded": Both("已被取代", "superseded"),
    "gone-decayed": Both("已淡忘", "faded"),
}
