"""What the keeper says to people and agents, in Chinese and English: what waits, what it did, why it did not.

No sentence quotes an answer that was refused, but for the facts that it invented.
"""

from __future__ import annotations

from mdmem.messages.entries import Both, worded


def tell(lang: str, key: str, /, **facts: object) -> str:
    """Put facts into a sentence; an advice that nobody wrote is empty."""
    return worded(WORDS, lang, key, facts)


WORDS = {
    # what waits
    "work-window": Both(
        "对话窗口有 {tokens} 个 token（软上限 {max}），第 {last} 轮及以前等压缩进 context 池",
        "the chat window holds {tokens:token|tokens} (soft limit {max}): rounds up to {last} wait for the context pool",
    ),
    "work-compact": Both(
        "「{section}」有 {count} 条（上限 {max}），等压缩",
        "«{section}» has {count} of {max:entry|entries}: to be condensed",
    ),
    "work-compact-waiting": Both(
        "「{section}」有 {count} 条（上限 {max}），收件箱里还有 {waiting} 条放不下，等压缩",
        "«{section}» has {count} of {max:entry|entries}, {waiting} more wait in the inbox: to be condensed",
    ),
    "work-return": Both(
        "收件箱里有 {waiting} 条可以送回「{section}」",
        "{waiting:entry|entries} of the inbox can go home to «{section}»",
    ),
    "work-expire": Both("有 {count} 条已过期", "{count:entry is past its|entries are past their} time"),
    "work-retire": Both("「{section}」的 {count} 条该归档", "{count:entry|entries} of «{section}» to archive"),
    "work-merge": Both(
        "有 {count} 条在别的日子说过", "{count:entry says|entries say} what another says on a later day"
    ),
    "work-tidy": Both(
        "已用 {chars} / {max} 个字符，等整理", "{chars} of {max:character|characters} are used: to be tidied"
    ),
    "work-tidy-entries": Both(
        "有 {entries} 条（上限 {max}），等整理", "{entries} of {max:entry|entries}: to be tidied"
    ),
    "work-roll": Both(
        "已用 {chars} / {max} 个字符，等滚动压缩", "{chars} of {max:character|characters} are used: to be rolled up"
    ),
    "work-roll-entries": Both(
        "有 {entries} 条（上限 {max}），等滚动压缩", "{entries} of {max:entry|entries}: to be rolled up"
    ),
    "tried": Both(
        "上次没成（{attempts} 次，{until} 以后再试）：{reason}",
        "did not work ({attempts} times, again after {until}): {reason}",
    ),
    # what was done
    "rounds": Both(
        "然后收件箱里的 {waiting} 条分 {rounds} 批放回 {path}「{section}」，放满就再压缩",
        "then {waiting} inbox entries return to «{section}» of {path} in {rounds} batch(es); it is condensed when full",
    ),
    "compacted": Both("已压缩 {path}：{sections}", "condensed {path}: {sections}"),
    "condensed": Both(
        "已把 {path} 第 {first}–{last} 轮压缩进 {to}「{section}」：{count} 条",
        "condensed rounds {first} to {last} of {path} into {to}, section «{section}»: {count:entry|entries}",
    ),
    "no-sentence": Both(
        "第 {first}–{last} 轮没有短到能整句摘录的话，原文见出处",
        "rounds {first} to {last}: no sentence is short enough to be quoted; see the source",
    ),
    "made-memory": Both("已压缩成 {path}：{count} 个 token", "condensed into {path}: {count:token|tokens}"),
    "transcript": Both("原话在 {path}", "the raw messages are in {path}"),
    "context-fits": Both(
        "上下文有 {count} 个 token，到 {max} 才需要压缩",
        "the context has {count:token|tokens}; it is condensed from {max} on",
    ),
    "no-message": Both("第 {number} 条不是消息", "number {number} is no message"),
    "no-message.hint": Both(
        '每条是一个 JSON 对象，每行一条：{{"role": "user", "text": "……"}}；role 是 user、assistant、tool 或 system',
        'a JSON object a line: {{"role": "user", "text": "..."}}; a role is user, assistant, tool or system',
    ),
    "tidied": Both("已整理 {path}：{sections}", "tidied {path}: {sections}"),
    "only-archived": Both("；{count} 条现在只在 {archive}：{names}", "; {count} now only in {archive}: {names}"),
    "only-archived-unnamed": Both("；{count} 条现在只在 {archive}", "; {count} now only in {archive}"),
    "and-more": Both("……", ", …"),
    "quoted": Both("「{text}」", "«{text}»"),
    "section": Both("「{section}」{before} → {after} 条", "«{section}» {before} → {after:entry|entries}"),
    "returned": Both("收件箱里的 {count} 条已送回 {path}", "{count:entry|entries} of the inbox moved to {path}"),
    "retired": Both("{path} 里旧区域的 {count} 条已移到归档", "moved {count:entry|entries} of {path} to the archive"),
    "days-merged": Both(
        "{path} 里 {count} 条同样的话已合并，日期保留", "merged {count} repeated entries of {path}, with their days"
    ),
    "expired": Both(
        "{path} 里过期的 {count} 条已移到 {to}", "{count:entry|entries} of {path} past their time moved to {to}"
    ),
    "nothing": Both("没有要压缩或整理的", "nothing waits to be condensed or tidied"),
    "nothing-here": Both("{path} 现在不用整理", "{path} needs no tidying now"),
    "nothing-here.hint": Both("要现在就做，加 --now", "to do it all the same, say --now"),
    "nothing-left": Both(
        "{path} 里能合并的都合并了，剩下的是规则、没做完的事、里程碑和最近的记录",
        "all that may be merged in {path} is merged; rules, open to-dos, milestones and recent notes are left",
    ),
    "nothing-left.hint": Both("请人来看看哪些可以删", "a person should look what may go"),
    "wants-agent": Both("{path} 等 agent 来压缩", "{path} waits for the agent to condense it"),
    "wants-agent.hint": Both(
        "`mdmem compact --prompt` 给出提示词，`mdmem compact --apply` 收回答案",
        "`mdmem compact --prompt` prints the prompt, `mdmem compact --apply` takes the answer",
    ),
    "fresh": Both("{path} 刚刚有人改过，先不动", "{path} was changed just now; left as it is"),
    "fresh.hint": Both("安静下来以后再整理", "it is condensed after a quiet time"),
    "later": Both("{path} 上次没成，{until} 以后再试：{reason}", "{path} did not work; again after {until}: {reason}"),
    "later.hint": Both("要现在就试，加 --now", "to try at once, say --now"),
    # what was refused
    "refused": Both("{path} 没有动：{reason}", "{path} is left as it is: {reason}"),
    "rest": Both("其余的", "the rest"),
    "refused.hint": Both("{seconds} 秒后再试", "to be tried again in {seconds} seconds"),
    "answer": Both("答案", "the answer"),
    "moved-on": Both("文件一直在变，没赶上", "the file kept changing meanwhile"),
    "lost": Both("会丢掉一条记忆", "an entry would be lost"),
    "no-operations": Both("答案里没有操作", "the answer holds no operation"),
    "wrong-path": Both("答案要改别的文件「{path}」", "the answer would change another file, «{path}»"),
    "no-section": Both("没有「{section}」这个区域", "there is no section «{section}»"),
    "twice": Both("「{section}」出现了不止一次", "«{section}» is named more than once"),
    "left-out": Both("漏了「{section}」", "«{section}» is left out"),
    "invented-section": Both(
        "「{section}」原来是空的，答案却写了内容", "«{section}» was empty, and the answer fills it"
    ),
    "empty": Both("「{section}」的答案是空的", "the answer for «{section}» is empty"),
    "too-long": Both(
        "「{section}」的答案有 {chars} 个字符，太长了",
        "the answer for «{section}» is too long: {chars:character|characters}",
    ),
    "too-many": Both(
        "「{section}」应是 {max} 条，答案有 {count} 条",
        "«{section}» should have {max:entry|entries}, the answer has {count}",
    ),
    "entry-too-long": Both(
        "「{section}」里有一条 {chars} 个字符，上限是 {max}",
        "an entry of «{section}» has {chars:character|characters}, its cap is {max}",
    ),
    "unfit": Both(
        "「{section}」的答案里有密钥、隐藏文字或指令",
        "the answer for «{section}» holds a secret, hidden text or an order",
    ),
    "too-many-tokens": Both(
        "答案有 {count} 个 token，上限是 {max}", "the answer has {count:token|tokens}, at most {max} fit"
    ),
    "grew": Both("「{section}」整理后反而更长", "«{section}» would grow by being tidied"),
    "rule-lost": Both(
        "「{section}」里的规则或纠正没有一字不改地留下",
        "a rule or correction of «{section}» is not there word for word",
    ),
    "invented": Both(
        "「{section}」里出现了原文没有的内容：{facts}",
        "the answer for «{section}» says what the text does not: {facts}",
    ),
    "too-little": Both(
        "「{section}」留下的太少：{all} 条里只有 {count} 条还找得到",
        "too little is left of «{section}»: {count} of {all:entry|entries} left a trace",
    ),
    "answer-too-long": Both(
        "答案有 {chars} 个字符，上限是 {max}", "the answer has {chars:character|characters}, at most {max} are read"
    ),
    "answer-empty": Both("答案是空的", "the answer is empty"),
    "answer-no-json": Both("答案里没有读得懂的 JSON", "the answer holds no JSON that can be read"),
    "answer-half": Both("答案里的 JSON 只有一半", "the JSON of the answer breaks off"),
    "answer-several": Both("答案里有好几段 JSON，不知道以哪段为准", "the answer holds several pieces of JSON"),
    "answer-shape": Both("答案不是 memory_edit 操作", "the answer is no list of memory_edit operations"),
    "meaning-negated": Both(
        "「{section}」里有一句的肯定和否定跟原文相反",
        "a clause of «{section}» denies what the source says, or the reverse",
    ),
    "meaning-certain": Both(
        "「{section}」里有一句的确定程度跟原文不一样", "a clause of «{section}» is more or less certain than the source"
    ),
    "meaning-subject": Both(
        "「{section}」里有一句换了人", "a clause of «{section}» is about another person than in the source"
    ),
    "meaning-moved": Both(
        "「{section}」里有一句的数字原来说的是别的事", "a number in a clause of «{section}» belongs to something else"
    ),
    "meaning-unfounded": Both(
        "「{section}」里有一句在原文里没有依据", "a clause of «{section}» is not found in the source"
    ),
    "answer-unicode": Both(
        "答案里有半个字符，不是有效的 Unicode", "the answer holds half a character; it is no valid Unicode"
    ),
    "answer-key-twice": Both("答案里同一个键出现两次", "a key stands twice in the answer"),
    "answer-tool": Both("答案调用了别的工具「{tool}」", "the answer calls another tool, «{tool}»"),
    # the log
    "reason": Both("压缩（{backend}）", "compact ({backend})"),
    "reason-return": Both("收件箱归位", "inbox entries come home"),
    "reason-retire": Both("旧区域归档", "a retired section is archived"),
    "reason-merge": Both("合并不同日子的同一句话", "the same statement of several days"),
    "reason-expire": Both("过期", "past their time"),
}
