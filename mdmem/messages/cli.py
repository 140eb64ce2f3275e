"""The words that the verbs of the pen print around what the workspace says, in both languages."""

from __future__ import annotations

_WORDS = {
    "en": {
        "more": "… and {count} more",
        "stands": "still there: {counted}; `mdmem lint` says where",
        "id": "id", "time": "when", "actor": "who", "reason": "why", "files": "files", "lines": "lines",
        "no-log": "nothing has been changed through mdmem yet",
        "no-log-of": "mdmem has changed no file of this name",
        "recovered": "nothing was left half done",
        "no-diff": "no difference",
        "key": "key", "text": "what waits", "to": "for",
        "no-inbox": "nothing waits",
        "inbox-hint": "`mdmem inbox accept KEY` or `mdmem inbox reject KEY`",
        "forget": "Forget all of this, in the files, the archive and the history? It cannot be undone.",
        "entry": "the entry", "words": "the words", "copy": "an editor's copy", "version": "versions in the history",
        "grave": "files put aside", "line": "lines of the log", "derived": "derived files",
        "kept": "nothing was forgotten",
        "tool": "tool", "does": "does",
        "no-pins": "nothing is pinned; `mdmem pin add` does it",
        "type": "type", "until": "until", "over": "(over)", "source": "source", "pin": "pin",
        "no-plan": "no plan yet; `mdmem plan add` begins one",
        "written": "written {time} by {actor} ({reason})", "before": "before:",
        "not-busy": "nobody is busy",
        "no-trust-asked": "the mdmem.toml here asks for no program and no endpoint; there is nothing to trust",
        "trust": "May this workspace say so?",
        "trusted": "trusted, as long as mdmem.toml stays as it is",
        "not-trusted": "not trusted; your own settings hold",
    },
    "zh": {
        "more": "……还有 {count} 行",
        "stands": "文件里还有 {counted}；`mdmem lint` 会告诉你在哪里",
        "id": "编号", "time": "时间", "actor": "谁", "reason": "缘由", "files": "文件", "lines": "行",
        "no-log": "还没有通过 mdmem 做过改动",
        "no-log-of": "没有通过 mdmem 改过叫这个名字的文件",
        "recovered": "没有做到一半的改动",
        "no-diff": "没有差别",
        "key": "名字", "text": "在等的内容", "to": "去处",
        "no-inbox": "没有在等的东西",
        "inbox-hint": "`mdmem inbox accept 名字` 或 `mdmem inbox reject 名字`",
        "forget": "要在文件、归档和历史里全部忘掉这些吗？忘掉以后不能撤销。",
        "entry": "整条", "words": "这些字", "copy": "编辑器留下的副本", "version": "历史里的版本",
        "grave": "移开的旧文件", "line": "日志里的行", "derived": "派生文件",
        "kept": "什么都没有忘掉",
        "tool": "工具", "does": "用途",
        "no-pins": "还没有钉住什么；`mdmem pin add` 可以钉一条",
        "type": "类型", "until": "到期", "over": "（已过期）", "source": "出处", "pin": "内容",
        "no-plan": "还没有计划；`mdmem plan add` 写下第一步",
        "written": "{time} 由 {actor} 写下（{reason}）", "before": "从前：",
        "not-busy": "没有人在忙",
        "no-trust-asked": "这里的 mdmem.toml 没有指定程序或接口，没有什么需要信任的",
        "trust": "允许这个工作区这样设置吗？",
        "trusted": "已信任；mdmem.toml 一改就要重新确认",
        "not-trusted": "没有信任；以你自己的设置为准",
    },
}  # fmt: skip


def words(lang: str) -> dict[str, str]:
    """Give the words of a language, zh or en."""
    return _WORDS[lang]
