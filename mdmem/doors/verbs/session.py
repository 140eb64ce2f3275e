"""`mdmem session`: what was said, turn by turn."""

from __future__ import annotations

from typing import Annotated, Literal

from mdmem.core.session import ROLES
from mdmem.doors import sessions
from mdmem.doors.declare import Argument, Group, Option
from mdmem.doors.usage import wrong
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root

app = Group()

_RECORD_ZH = """每行读一个 JSON 对象 {"role", "text", "time"?}，每行回一个；给程序用。

{"end": "结果", "outcome"?: "success"} 结束会话。写错的一行会指出来，然后接着读下一行。"""

Agent = Annotated[str, Option("--agent", help="Whose session.", zh="谁的会话。")]
Named = Annotated[
    str,
    Argument(
        metavar="[ID]",
        help="A session's id, or its beginning; else the open one.",
        zh="会话编号或它的开头；不写就是进行中的那个。",
    ),
]
Said = Annotated[
    list[str],
    Argument(
        metavar="[ID] ROLE [TEXT]",
        help="Who says what; `-` or nothing: a pipe.",
        zh="谁说了什么；写 `-` 或不写文字就从管道读。",
    ),
]
At = Annotated[
    str,
    Option(
        "--at",
        help="When: 21:30, or 2026-02-13 21:30; else now.",
        zh="时间：21:30，或 2026-02-13 21:30；不写就是现在。",
    ),
]


@app.command(zh="新开一个会话；会显示编号，别的命令用它来指明会话。")
def start(
    task: Annotated[str, Argument(help="What is to be done, in one sentence.", zh="要做什么，一句话。")],
    agent: Agent = "main",
    request: Annotated[
        str, Option("--request", help="What was asked for, in full; `-`: a pipe.", zh="完整的请求；`-` 从管道读。")
    ] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Begin a session; prints its id, by which the other verbs know it."""
    work = given.workspace(root, lang)
    asked = given.text("-") if request == "-" else request
    sessions.begun(work.session(task, agent=agent, request=asked), as_json=json)


@app.command(zh="记下谁说的话；不写编号就记到这个智能体最新的会话里。")
def turn(
    said: Said, agent: Agent = "main", at: At = "", root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Add what somebody said; without an id, to the agent's newest open session."""
    name = "" if said[0] in ROLES else said[0]
    role, *text = said[1:] if name else said
    if len(text) > 1:
        raise wrong("one-text")
    work = given.workspace(root, lang)
    session = work.resume(name or None, agent=agent)
    words = given.text("-").removesuffix("\n") if text in ([], ["-"]) else text[0]
    sessions.recorded(session.turn(role, words, at=at or None), as_json=json)


@app.command(zh="结束会话：记下结局、时长、轮数和用过的工具。")
def end(
    name: Named = "",
    response: Annotated[
        str,
        Option(
            "--response", help="What came of it, conclusion first; `-`: a pipe.", zh="结果，先写结论；`-` 从管道读。"
        ),
    ] = "",
    outcome: Annotated[
        Literal["success", "partial", "failed", "ongoing"], Option("--outcome", help="How it went.", zh="结局如何。")
    ] = "success",
    agent: Agent = "main",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """End a session: how it went, and how long, how many rounds and which tools it took."""
    work = given.workspace(root, lang)
    text = given.text("-") if response == "-" else response
    sessions.recorded(work.resume(name or None, agent=agent).end(text, outcome), as_json=json)


@app.command("list", zh="列出最近的会话。")
def list_(
    agent: Annotated[str, Option("--agent", help="Only this agent's.", zh="只列这个智能体的。")] = "",
    since: Annotated[
        str, Option("--since", help="Only from this day on: 2026-02-13.", zh="只列这一天及以后的：2026-02-13。")
    ] = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1, help="At most so many.", zh="最多几个。")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the newest sessions."""
    work = given.workspace(root, lang)
    sessions.listed(work.sessions(agent=agent or None, since=since, limit=limit), work.lang, as_json=json)


@app.command(zh="显示会话：请求、结果和每一轮。")
def show(
    name: Annotated[str, Argument(metavar="ID", help="The session's id, or its beginning.", zh="会话编号或它的开头。")],
    tail: Annotated[
        int | None, Option("--tail", min=1, help="Only so many of its last rounds.", zh="只要最后几轮。")
    ] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show a session: what was asked, what came of it, and its turns."""
    work = given.workspace(root, lang)
    if tail is not None:
        sessions.turns(work.recent_turns(name, tail), as_json=json)
    else:
        sessions.session(work.read_session(name), work.lang, as_json=json)


@app.command(zh=_RECORD_ZH)
def record(
    name: Named = "",
    task: Annotated[
        str,
        Option(
            "--task",
            help="Begin a session for this task, and end it with the pipe.",
            zh="为这个任务新开会话，管道结束时也结束会话。",
        ),
    ] = "",
    agent: Agent = "main",
    root: Root = "",
    lang: Lang = None,
) -> int:
    """Read one JSON object a line, {"role", "text", "time"?}, and answer each with one; for programs.

    {"end": "response", "outcome"?: "success"} ends the session. A line that is wrong is told, and the next one is read.
    """
    work = given.workspace(root, lang)
    if bool(name) and bool(task):
        raise wrong("id-or-task")
    session = work.session(task, agent=agent, lazy=True) if task else work.resume(name or None, agent=agent)
    return sessions.record(session)
