"""The verb that keeps a memory small: compact."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem.doors import contexts
from mdmem.doors.declare import Argument, Option
from mdmem.doors.outcome import tell_all
from mdmem.doors.usage import wrong
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root

_CONTEXT = "context"
_NAMES = ("session", "window")  # what is meant is no file


def compact(
    what: Annotated[
        str,
        Argument(
            help="A memory file, or a kind: `fastmemo`; `session`: the chat windows of open sessions; `context`: "
            "messages from a pipe, a JSON object a line, into the compact memory.",
            zh="记忆文件或种类：`fastmemo`；`session`：进行中会话的对话窗口；`context`："
            "从管道读消息，每行一个 JSON 对象，写入精简记忆。",
        ),
    ] = "",
    plan: Annotated[
        bool, Option("--plan", help="Show what would change; change nothing.", zh="只显示会改什么，不写入。")
    ] = False,
    now: Annotated[
        bool,
        Option(
            "--now",
            help="Also what is not full yet; do not wait after a refusal.",
            zh="没写满的也精简；被拒绝后也不等。",
        ),
    ] = False,
    backend: Annotated[
        Literal["rules", "command", "openai", "agent"] | None,
        Option("--backend", help="Who condenses.", zh="由谁来精简。"),
    ] = None,
    prompt: Annotated[
        bool,
        Option("--prompt", help="Print the prompt for an agent; change nothing.", zh="输出给智能体的提示词，不写入。"),
    ] = False,
    apply: Annotated[
        str,
        Option(
            "--apply",
            help="A file with the agent's answer, which is proved and written; `-`: a pipe.",
            zh="存着智能体回答的文件，核对后写入；`-` 从管道读。",
        ),
    ] = "",
    text: Annotated[
        bool,
        Option(
            "--text",
            help="Of `context`: print the compact memory, and keep no file of it.",
            zh="用于 `context`：输出精简记忆，不存文件。",
        ),
    ] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Condense what has grown: sections at their threshold, files near their limit; the originals go to archive/."""
    if prompt and (apply or plan):
        raise wrong("prompt-alone")
    if (what == _CONTEXT) < text or (what == _CONTEXT and apply == "-"):
        raise wrong("text-context")
    work = given.workspace(root, lang)
    answer = given.text(apply) if apply else None
    if what == _CONTEXT:
        messages = contexts.messages(given.text("-"), work.lang)
        if prompt:
            print(work.context_prompt(messages, write=not text), end="")
            return 0
        made = work.compact_context(messages, write=not text, plan=plan, now=now, backend=backend, apply=answer)
        return contexts.told(made, work.lang, as_json=json, text=text)
    file = (what if what in _NAMES else given.meant(work, root, what)) if what else None
    if prompt:
        print("\n".join(work.compact_prompts(file)), end="")
        return 0
    found = work.compact(file, plan=plan, now=now, backend=backend, apply=answer)
    return tell_all(found, work.lang, as_json=json)
