"""What the pen says to people and agents, in Chinese and English: every sentence of its replies and refusals.

`key` is the sentence, `key.hint` what to do next. `{facts}` are filled in; none of them is ever a refused text.
The replies of edit and write are those that agents of the older systems know (X1, X2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mdmem.messages.counted import counted


class Both(NamedTuple):
    """A sentence in two languages, with the same facts in each."""

    zh: str
    en: str


def say(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence; an advice that nobody wrote is empty."""
    return worded(WORDS, lang, key, facts)


def worded(words: Mapping[str, Both], lang: str, key: str, facts: Mapping[str, object]) -> str:
    """Put facts into a sentence of a table."""
    both = words.get(key)
    if both is None and key.endswith(".hint"):
        return ""
    assert both is not None, key
    return (both.zh if lang == "zh" else both.en).format_map(counted(facts))


WORDS = {
    "kind-promise": Both("承诺或待办", "promise or task"),
    "kind-rule": Both("规则", "rule"),
    "kind-preference": Both("偏好", "preference"),
    "kind-event": Both("事件", "event"),
    "kind-fact": Both("事实", "fact"),
    "remembered": Both("看作{kind}", "classified as: {kind}"),
    "remembered-words": Both("因为「{words}」看作{kind}", "classified as: {kind}, because of «{words}»"),
    "remembered-move": Both(
        "想换个地方：先 `mdmem undo`，再 `mdmem remember --as {others}`",
        "to move it: `mdmem undo`, then `mdmem remember --as {others}`",
    ),
    "question": Both("这是一个问题，没有记下", "this is a question; it was not saved"),
    "question.hint": Both(
        "查答案用 `mdmem search`；确实要记下这句话，加上 `--as fact`",
        "`mdmem search` looks for the answer; to save the question itself, add `--as fact`",
    ),
    "question-agent": Both("这是一个问题，没有记下", "this is a question; it was not saved"),
    "question-agent.hint": Both(
        "查答案用 `mdmem search`；确实要记下这句话，带上 `kind`：`fact`",
        "`mdmem search` looks for the answer; to save the question itself, pass `kind`: `fact`",
    ),
    "no-memory-kind": Both("没有「{name}」这一类", "`{name}` is not a kind of memory"),
    "no-memory-kind.hint": Both("可以用：{names}", "use one of: {names}"),
    "settings-purpose": Both("这个文件夹的设置", "the settings of this folder"),
    "did-you-mean": Both("是不是「{name}」？", "did you mean «{name}»? "),
    "question-cut": Both(
        "问题太长，只查找了前 {most} 个字符（共 {all} 个）",
        "the question is long: its first {most} of {all:character|characters} were looked up",
    ),
    # what was done
    "edited": Both("成功替换了 {path} 中的文本", "replaced the text in {path}"),
    "wrote": Both("成功写入 {bytes} 字节到 {path}", "wrote {bytes:byte|bytes} to {path}"),
    "unchanged": Both("替换后内容没有变化。", "the content is the same after the change"),
    "added": Both("已记到 {path}{section}", "saved to {path}{section}"),
    "added-many": Both("{count} 条已记到 {path}{section}", "{count:entry|entries} saved to {path}{section}"),
    "in-section": Both("「{section}」", ", section «{section}»"),
    "replaced": Both("已改好 {path} 里的这一条", "changed the entry in {path}"),
    "section-replaced": Both("已改写 {path}{section}", "rewrote {path}{section}"),
    "removed": Both("从 {path} 移走了 {count} 条", "took {count:entry|entries} out of {path}"),
    "ticked": Both("已在 {path} 里标为完成", "marked as done in {path}"),
    "unticked": Both("已在 {path} 里取消完成标记", "marked as not done in {path}"),
    "renamed": Both("{path} 已改名为 {new}", "{path} is now called {new}"),
    "deleted": Both("已删除 {path}", "deleted {path}"),
    "deleted.hint": Both("`mdmem undo` 可以把它找回来", "`mdmem undo` brings it back"),
    "undone": Both("已撤销 {id}（{reason}）", "took back {id} ({reason})"),
    "undo-conflict": Both(
        "{path} 后来又改过同一处，不能直接撤销", "{path} was changed in the same place since; it cannot be taken back"
    ),
    "undo-conflict.hint": Both("用 `mdmem diff` 看看，再手动改", "look at `mdmem diff`, then change it by hand"),
    "restored": Both(
        "已找回 {path}：{time} 写下的版本（{actor}：{reason}，{id}）",
        "restored {path} as it was written on {time} by {actor} ({reason}, {id})",
    ),
    "restored-before": Both(
        "已找回 {path}：{time} 那次改动之前的版本（{actor}：{reason}，{id}）",
        "restored {path} as it was before the change of {time} by {actor} ({reason}, {id})",
    ),
    "newer-kept": Both("之后写下的内容也保留了", "what was written since stays too"),
    "newer-conflict": Both(
        "{path} 丢失之后又写过，两边合不到一起，没有改动",
        "{path} was written to after it was lost, and the two cannot be merged; nothing was changed",
    ),
    "newer-conflict.hint": Both(
        "`mdmem log {path}` 列出它的版本，`mdmem restore {path} --at` 可以整篇换成其中一个",
        "`mdmem log {path}` lists its versions; `mdmem restore {path} --at` takes one of them whole",
    ),
    "last-known": Both(
        "这是 mdmem 最后知道的版本；在那之后手动改的内容，只有 `mdmem watch` 开着时才会留在历史里",
        "this is the last version that mdmem knew; later changes by hand are in the history only if `mdmem watch` ran",
    ),
    "not-lost": Both("{path} 没有丢失什么，不用找回", "{path} is not lost; there is nothing to restore"),
    "not-lost.hint": Both(
        "要换成以前的版本，用 `mdmem restore --at` 写明改动编号或时间",
        "to take an older version, name it: `mdmem restore --at` takes the id of a change or a time",
    ),
    "never-known": Both("历史里没有 {path}", "the history has no version of {path}"),
    "never-known.hint": Both(
        "`mdmem log` 会列出 mdmem 写过的文件；没有经过 mdmem 的文件，开着 `mdmem watch` 才会留下版本",
        "`mdmem log` lists the files that mdmem wrote; of others only a running `mdmem watch` keeps versions",
    ),
    "no-moment": Both("「{at}」既不是一次改动的编号，也不是时间", "`{at}` is neither the id of a change nor a time"),
    "no-moment.hint": Both(
        '编号见 `mdmem log`；时间写成 2026-02-13 或 "2026-02-13 21:30"',
        '`mdmem log` lists the ids; write a time as 2026-02-13 or "2026-02-13 21:30"',
    ),
    "not-yet": Both("{at} 的时候还没有 {path}", "there was no {path} at {at}"),
    "not-yet.hint": Both("`mdmem log {path}` 会列出它的版本", "`mdmem log {path}` lists its versions"),
    "dismissed": Both("已记下：{path} 现在的样子是有意的", "noted that this is meant so: {path}"),
    "dismissed.hint": Both("`mdmem undo {id}` 仍可以找回", "`mdmem undo {id}` still brings it back"),
    "nothing-to-undo": Both("没有可以撤销的改动", "there is nothing to take back"),
    "no-transaction": Both("没有叫 {id} 的改动或文件", "no change and no file is called {id}"),
    "no-transaction.hint": Both("`mdmem log` 列出所有改动", "`mdmem log` lists the changes"),
    "not-kept": Both("{path} 的旧版本已经不在了（{id}）", "the versions of {path} are no longer kept ({id})"),
    "not-kept.hint": Both(
        "过期的、被忘记的版本会从历史里清掉", "versions that are too old or were forgotten leave the history"
    ),
    "not-kept-forgotten": Both(
        "{id} 不能撤销：{path} 那时的版本里有 {day} 忘记的内容，已经从历史里删掉",
        "{id} cannot be taken back: its versions of {path} held what was forgotten on {day}, and were removed",
    ),
    "not-kept-forgotten.hint": Both("要改的地方请手动改", "change by hand what is to be changed"),
    "undo-forget": Both("{id} 是一次忘记，不能撤销", "{id} is a forgetting; it cannot be taken back"),
    "undo-forget.hint": Both(
        "要撤销更早的改动，写明编号：`mdmem log` 会列出来",
        "to take back an earlier change, name its id: `mdmem log` lists them",
    ),
    "forget-short": Both("要忘记的内容太短", "too short to forget"),
    "forget-short.hint": Both(
        "请写出至少两个汉字、三个字母或四位数字", "write at least three letters, four digits or two Chinese characters"
    ),
    "forget-done": Both("已忘记：{count} 处", "forgotten in {count:place|places}"),
    "forget-planned": Both(
        "会忘记 {count} 处；什么都没动", "would forget in {count:place|places}; nothing was touched"
    ),
    "forget-partial": Both(
        "已忘记：{count} 处；有 {unread} 处看不到里面", "forgotten in {count:place|places}; {unread} could not be read"
    ),
    "forget-unread": Both(
        "里面可能还有这段内容：{files}；能读之后再忘一次",
        "these may still hold it: {files}; forget again once they can be read",
    ),
    "forget-large": Both("{bytes} 字节，上限是 {most}", "{bytes:byte|bytes}, the limit is {most}"),
    "forget-unchanged": Both("没有找到这段内容", "not found"),
    "forget-elsewhere": Both("这些不是记忆文件，没有动：{files}", "no memory files, left alone: {files}"),
    "forget-git": Both(
        "git 的历史里可能还有，需要另外清理", "git's own history may still hold it; that is cleaned with git's tools"
    ),
    "forgotten": Both("里面有 {day} 忘记的内容，没有写入", "it holds what was forgotten on {day}; not written"),
    "forgotten.hint": Both(
        "只有用户本人可以再写；不要换个说法写回去", "only the user may write it again; do not put it in other words"
    ),
    "forgotten-words": Both("缘由或文件名里有已忘记的内容", "the reason or the name holds what was forgotten"),
    "forgotten-words.hint": Both("请换一个", "choose another one"),
    "recalled": Both(
        "里面有你在 {day} 忘记的内容；助手和整理仍然不能写它，除非删掉 {path} 里的那一行",
        "you forgot this on {day}; agents and the keeper still may not write it unless you delete that line in {path}",
    ),
    "tombstones": Both(
        "# 已忘记\n\n只记日期和加盐摘要，没有内容：好让导入和夜间整理不再把它带回来。\n",
        "# Forgotten\n\nDates and salted digests, no content: no import and no night job brings it back.\n",
    ),
    # the doctor
    "doctor-settings": Both("设置和模板都读得懂", "settings and templates are sound"),
    "doctor-settings-off": Both("设置和模板都读得懂；记忆开关是关的", "settings are sound; memory is switched off"),
    "doctor-can-locks": Both("文件锁：同一时间只有一个写者", "locks: one writer at a time"),
    "doctor-can-locks.hint": Both("这里不能加锁，mdmem 不会写入", "no locks here: mdmem will not write"),
    "doctor-can-confined": Both("逐级打开文件夹，出不了记忆文件夹", "folders are opened one by one: no way out"),
    "doctor-can-confined.hint": Both(
        "这个系统做不到逐级打开；请不要让别人能改这些文件夹", "not here: let nobody else change these folders"
    ),
    "doctor-can-exchange": Both("原子交换：不会盖掉编辑器刚存的内容", "exchange: no editor's save is written over"),
    "doctor-can-exchange.hint": Both(
        "这里没有；编辑器恰好同时保存时，那次保存可能丢失", "not here: a save at the very same moment may be lost"
    ),
    "doctor-can-lease": Both("租约：替换的瞬间编辑器等一等", "lease: editors wait while a file is replaced"),
    "doctor-can-lease.hint": Both(
        "这里没有；原地保存的内容可能晚一点才合并回来", "not here: a save in place may come home a little later"
    ),
    "doctor-can-attributes": Both("扩展属性会跟着文件走", "extended attributes go with a file"),
    "doctor-can-attributes.hint": Both("这里没有扩展属性", "this file system has none"),
    "doctor-history": Both(
        "历史：{count} 个版本，{bytes} 字节（保留 {days} 天，至多 {most} 字节）",
        "history: {count:version|versions}, {bytes:byte|bytes} (kept {days:day|days}, at most {most:byte|bytes})",
    ),
    "doctor-damaged-object": Both("历史里的版本 {item} 坏了", "version {item} in the history is damaged"),
    "doctor-damaged-object.hint": Both("检查磁盘；这个版本撤销不回去了", "check the disk; it cannot be undone to"),
    "doctor-damaged-line": Both("历史日志第 {item} 行坏了", "line {item} of the history's log is damaged"),
    "doctor-damaged-line.hint": Both("崩溃会留下半行，不影响别的", "a crash may leave half a line; the others stand"),
    "doctor-unfinished": Both("有 {count} 个改动中途断了", "{count:change was|changes were} interrupted"),
    "doctor-unfinished.hint": Both("`mdmem recover` 会把它们做完", "`mdmem recover` finishes them"),
    "doctor-aside": Both(
        "有 {count} 个损坏或伪造的日志项被移到了 {folder}/",
        "{count} damaged or forged journal entries lie in {folder}/",
    ),
    "doctor-aside.hint": Both(
        "`mdmem log` 写着是什么时候；看过以后就可以删掉它们",
        "`mdmem log` says when each was set aside; look at them, then delete them",
    ),
    "planned": Both("（试运行，什么都没写）{message}", "(dry run, nothing was written) {message}"),
    # what the caller should know besides
    "joined": Both("多行已合成一行", "several lines were made one"),
    "unmarked": Both("开头多余的列表符号已去掉", "a list marker in front was dropped"),
    "escaped": Both("开头的符号加了反斜杠，免得被当成别的格式", "a sign in front was escaped, so that it stays text"),
    "dated": Both("没有日期，已补上今天：{day}", "it had no date; today's was put in front: {day}"),
    "duplicate": Both(
        "已经记过了，在 {path} 第 {line} 行，没有重复写",
        "it stands there already, at {path} line {line}; not written again",
    ),
    "duplicate-here": Both("同一次里有重复的，只写了一条", "some of the texts say the same; it was written once"),
    "loose-match": Both(
        "空白和你给的不完全一样，按第 {line} 行的原文替换了", "the white space differed; line {line} was taken"
    ),
    "section-made": Both("新建了「{section}」", "the section «{section}» was made"),
    "nested": Both("下面的 {count} 条也一起移走了", "{count:entry|entries} below went along"),
    "archived": Both("移走的放在 {path}", "what left now stands in {path}"),
    "not-archived": Both(
        "有 {count} 条含密钥等内容，没有存档；要彻底抹掉请用 `mdmem forget`",
        "{count:entry|entries} with a secret or the like not archived; `mdmem forget` wipes out what must go",
    ),
    "pending": Both(
        "「{section}」已有 {count} 条（上限 {max}），等 keeper 压缩",
        "«{section}» now has {count} of {max:entry|entries}: it waits to be condensed",
    ),
    "near-limit": Both(
        "{path} 已有 {chars} 字符（上限 {max}），请在本次对话中整理",
        "{path} now has {chars} of {max:character|characters}: please tidy it in this conversation",
    ),
    # what waits
    "overflow": Both(
        "「{section}」满了（最多 {max} 条），{count} 条先放进 {inbox}「{waiting}」",
        "«{section}» is full ({max:entry|entries}); {count} put into {inbox}, section «{waiting}»",
    ),
    "overflow.hint": Both("没有丢；压缩腾出地方后会送回来", "nothing is lost; it comes home when there is room"),
    "proposed": Both(
        "{path} 要用户点头才能改，提议已放进 {inbox}「{waiting}」",
        "{path} changes only with the user's word; the proposal waits in {inbox}, section «{waiting}»",
    ),
    "proposed.hint": Both(
        "现在还没有生效；请用户看一眼收件箱", "it does not hold yet; ask the user to look at the inbox"
    ),
    "proposed-state": Both(
        "{paths} 的改动在 {inbox} 的「{waiting}」里等你点头",
        "the changes of {paths} wait in {inbox}, section «{waiting}»",
    ),
    "proposed-state.hint": Both(
        "`mdmem inbox accept` 同意，`mdmem inbox reject` 不要",
        "`mdmem inbox accept` makes them, `mdmem inbox reject` drops them",
    ),
    "proposed-agent": Both(
        "{path} 要主 agent 确认才能改，提议已放进 {inbox}「{waiting}」",
        "{path} changes only with the main agent's word; the proposal waits in {inbox}, section «{waiting}»",
    ),
    "waits-already": Both("同样的内容已在 {inbox} 里等着", "the same waits in {inbox} already"),
    "proposal": Both("{actor} 想改 {path}", "{actor} would like to change {path}"),
    "accepted": Both("已同意，改到了 {path}", "accepted; it now stands in {path}"),
    "still-full": Both("{path} 还是满的，这条继续等着", "{path} is still full; it goes on waiting"),
    "moved-on": Both(
        "{path} 已经变了，这条对不上，继续等着",
        "{path} has changed since; the proposal no longer fits, and goes on waiting",
    ),
    "rejected": Both("用户拒绝了此次修改。", "the user declined the change"),
    # what is refused
    "outside": Both("不允许访问工作区外的文件", "files outside the workspace may not be touched"),
    "outside.hint": Both(
        "请用工作区里的相对路径，例如 MEMORY.md", "use a path from the workspace's root, such as MEMORY.md"
    ),
    "closed": Both("{path} 不归记忆工具管", "{path} is not for memory tools"),
    "closed.hint": Both("设置和模板请用编辑器改", "change settings and templates with an editor"),
    "spelling": Both("这里的文件名写作 {other}", "the name is spelled {other} here"),
    "spelling.hint": Both("请照这个写法", "use that spelling"),
    "name-long": Both("文件名太长", "the file name is too long"),
    "name-character": Both("文件名里有不能用的字符", "the file name holds a character that it must not"),
    "name-unicode": Both("文件名的 Unicode 写法不规范", "the file name is not in Unicode's usual form (NFC)"),
    "name-reserved": Both("这个文件名在 Windows 上不能用", "Windows reserves this file name"),
    "name-ending": Both(
        "文件名不能以空格或点开头结尾", "a file name neither begins nor ends with a space, nor ends with a dot"
    ),
    "name-hidden": Both("不能新建隐藏的文件或文件夹", "hidden files and folders are not made here"),
    "name-name": Both("这里只新建 Markdown 文件", "only Markdown files are made here"),
    "name-name.hint": Both("换一个以 .md 结尾的名字", "choose a name that ends in .md"),
    "off": Both("记忆功能已关闭", "memory is switched off"),
    "off.hint": Both(
        "mdmem.toml 里 [memory] enabled = true 可以打开", "`enabled = true` in [memory] of mdmem.toml switches it on"
    ),
    "actor": Both("actor 应是一个词", "the actor must be one word"),
    "actor.hint": Both("例如 user、keeper 或 agent 的名字", "such as user, keeper, or an agent's name"),
    "missing": Both("文件不存在: {path}", "no such file: {path}"),
    "missing.hint": Both("用 `mdmem write` 新建，或看看路径对不对", "create it with `mdmem write`, or check the path"),
    "several-files": Both("「{kind}」有好几个文件", "kind `{kind}` has several files"),
    "several-files.hint": Both("请写明是哪一个：{names}", "name one of them: {names}"),
    "no-files": Both("「{kind}」还没有文件", "kind `{kind}` has no file yet"),
    "no-files.hint": Both("请写明路径，例如 {kind}/名字.md", "give a path, as in {kind}/NAME.md"),
    "no-such-kind": Both("没有「{kind}」这一类", "`{kind}` is not a kind"),
    "kinds": Both("可用的种类：{names}", "kinds: {names}"),
    "too-large": Both(
        "文件太大，没有搜索: {paths}（超过 {bytes} 字节）", "too large to search: {paths} (over {bytes:byte|bytes})"
    ),
    "never-made": Both("{path} 只能由人来建", "{path} is made by hand only"),
    "no-kind": Both("文件不存在: {path}，也不是已知的记忆文件", "no such file: {path}, and no known kind of memory"),
    "no-kind.hint": Both("要新建普通文件请用 `mdmem write`", "create an ordinary file with `mdmem write`"),
    "no-entry": Both("{path} 要有第一条记忆才新建", "{path} is made by its first entry, never before"),
    "no-entry.hint": Both("请连同第一条内容一起写", "write it together with the first entry"),
    "exists": Both("{path} 已经存在", "{path} is there already"),
    "exists.hint": Both("换一个名字", "choose another name"),
    "which-section": Both("{path} 里没有这个区域，或没说记到哪个", "{path} has no such section, or none was named"),
    "sections.hint": Both("可用的区域：{names}", "sections: {names}"),
    "no-match": Both("无法在 {path} 中找到指定文本。{near}", "the given text does not stand in {path}. {near}"),
    "nearest": Both("最接近的是第 {line} 行", "line {line} comes nearest"),
    "no-match.hint": Both("请先 read，再照原文给出", "read the file again, and give the text as it stands there"),
    "many-matches": Both(
        "找到 {count} 处匹配。请提供更多上下文使其唯一。",
        "found {count:match|matches}. Give more of the text around it, so that only one fits.",
    ),
    "empty-text": Both("没有给出文本", "there is no text"),
    "not-text": Both("内容里有半个字符，不是有效的 Unicode", "the text holds half a character; it is no valid Unicode"),
    "too-long": Both(
        "这条有 {chars} 个字符，上限是 {max}", "the entry has {chars:character|characters}, its cap is {max}"
    ),
    "too-long.hint": Both(
        "只留一句结论和指针，全文用 `mdmem artifact put` 存下",
        "keep one line with the conclusion and a pointer; `mdmem artifact put` keeps the whole",
    ),
    "too-many-lines": Both("{path} 有 {lines} 行，上限是 {max}", "{path} has {lines} lines, the cap is {max}"),
    "too-many-lines.hint": Both(
        "没有写入；把旧内容移到 archive/ 或拆成几个文件，再添加",
        "nothing was written; move old entries to archive/ or split the file, then add again",
    ),
    "no-entry-found": Both("{path} 里找不到这一条", "no entry of {path} matches"),
    "vague-entry": Both(
        "一两个字母、一个汉字或单独一个数字不足以指明是哪一条",
        "one or two letters, a single Chinese character, or a number alone do not name an entry",
    ),
    "many-entries": Both(
        "{path} 里有 {count} 条对得上，请说得更准", "{count:entry|entries} of {path} match; name one of them"
    ),
    "entries.hint": Both(
        "用条目的 key、^id 或独有的文字", "name an entry by its key, its ^id, or a piece of text that only it has"
    ),
    "refused": Both("没有写入：{message}（{code}）", "not written: {message} ({code})"),
    "refused-words": Both(
        "没有写入：说明里有不能记录的内容（{message}）",
        "not written: the reason or the path holds what must not be kept ({message})",
    ),
    "swallowed": Both("没有写入：会改到 {path} 的别处", "not written: it would change more of {path} than it names"),
    "swallowed.hint": Both("把上下文一起改，或换个位置", "change the lines around it too, or choose another place"),
    "in-conflict": Both(
        "没有写入：第 {line} 到 {last} 行是没解决的合并冲突",
        "not written: lines {line} to {last} are an unresolved merge conflict",
    ),
    "in-conflict.hint": Both(
        "先解决冲突：保留两边正确的内容，删掉冲突标记，再写一次",
        "resolve it first: keep what is right of both sides, delete the marks, then write again",
    ),
    "over-cap": Both(
        "没有写入：「{section}」会有 {count} 条，上限 {max}",
        "not written: «{section}» would have {count:entry|entries}, its cap is {max}",
    ),
    "over-cap.hint": Both(
        "先压缩这个区域；用 `mdmem add` 加的会自动进收件箱",
        "condense the section first; what is added with `mdmem add` goes to the inbox by itself",
    ),
    "over-entries": Both(
        "没有写入：{path} 会有 {count} 条，上限 {max}",
        "not written: {path} would have {count:entry|entries}, its cap is {max}",
    ),
    "shrink": Both(
        "没有写入：{path} 的内容会少掉 {percent}%", "not written: {percent}% of the text of {path} would be gone"
    ),
    "shrink.hint": Both(
        "确实要这样，就带上 {confirm} 再来一次；只改一处请用 `mdmem edit`",
        "if that is meant, repeat it with {confirm}; to change one place, use `mdmem edit`",
    ),
    "section-loses": Both(
        "没有写入：{count} 条记忆里有 {gone} 条不在新内容里",
        "not written: {gone} of the section's {count} entries are not in the new text",
    ),
    "section-loses.hint": Both(
        "把要留下的也写进来；确实要这样，就带上 {confirm} 再来一次（离开的会进归档）；只改一条请用 `memory_replace`",
        "send those to keep as well; if it is meant, repeat it with {confirm} (what leaves is archived); "
        "to change one entry, use `memory_replace`",
    ),
    "only-user": Both("{path} 只有用户自己能改名或删除", "only the user renames or deletes {path}"),
    "evidence": Both(
        "{path} 是工具输出，是证据：不能改，也不整篇读",
        "{path} is a tool's output, evidence: no agent changes it or reads it whole",
    ),
    "evidence.hint": Both(
        "用 `mdmem artifact get`、`mdmem artifact snippet` 或 `mdmem artifact grep` 看其中几行",
        "look at some lines with `mdmem artifact get`, `mdmem artifact snippet` or `mdmem artifact grep`",
    ),
    "inbox-user": Both(
        "收件箱由用户来批，agent 不能直接改", "the inbox is the user's to decide; no agent changes it directly"
    ),
    "long-proposal": Both(
        "这个提议有 {lines} 行，最多 {max} 行",
        "the proposal has {lines:line|lines}, at most {max} are shown to the user at once",
    ),
    "long-proposal.hint": Both("分几次提，一次改一处", "propose it in smaller pieces, one place at a time"),
    "no-waiting": Both("收件箱里没有 {name}", "nothing waits under {name}"),
    "no-waiting.hint": Both("`mdmem inbox` 会列出在等的和它们的 key", "`mdmem inbox` lists what waits, with its key"),
    "stale": Both(
        "读不到 {path} 的当前内容，这是上一个完好的版本",
        "{path} cannot be read just now; this is its last good version",
    ),
    "not-utf8": Both(
        "{path} 不是 UTF-8，看不懂的字节显示为 �", "{path} is not UTF-8; bytes that cannot be read are shown as �"
    ),
}
