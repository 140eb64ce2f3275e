"""`mdmem session`: what was said, turn by turn."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mdmem.core.session import ROLES
from mdmem.doors import sessions
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError

app = typer.Typer(help="Sessions: what was said, turn by turn, in a file each.", no_args_is_help=True)

Agent = Annotated[str, typer.Option("--agent", help="Whose session.")]
Named = Annotated[str, typer.Argument(metavar="[ID]", help="A session's id, or its beginning; else the open one.")]
Said = Annotated[list[str], typer.Argument(metavar="[ID] ROLE [TEXT]", help="Who says what; `-` or nothing: a pipe.")]
At = Annotated[str, typer.Option("--at", help="When: 21:30, or 2026-02-13 21:30; else now.")]


@app.command()
def start(
    task: Annotated[str, typer.Argument(help="What is to be done, in one sentence.")],
    agent: Agent = "main",
    request: Annotated[str, typer.Option("--request", help="What was asked for, in full; `-`: a pipe.")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Begin a session; prints its id, by which the other verbs know it."""
    work = given.workspace(root, lang)
    asked = given.text("-") if request == "-" else request
    sessions.begun(work.session(task, agent=agent, request=asked), as_json=json)


@app.command()
def turn(
    said: Said, agent: Agent = "main", at: At = "", root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Add what somebody said; without an id, to the agent's newest open session."""
    name = "" if said[0] in ROLES else said[0]
    role, *text = said[1:] if name else said
    if len(text) > 1:
        raise UsageError("say it in one text", hint="put it in quotes, or pipe it in: `mdmem session turn user -`")
    work = given.workspace(root, lang)
    session = work.resume(name or None, agent=agent)
    words = given.text("-").removesuffix("\n") if text in ([], ["-"]) else text[0]
    sessions.recorded(session.turn(role, words, at=at or None), as_json=json)


@app.command()
def end(
    name: Named = "",
    response: Annotated[str, typer.Option("--response", help="What came of it, conclusion first; `-`: a pipe.")] = "",
    outcome: Annotated[
        Literal["success", "partial", "failed", "ongoing"], typer.Option("--outcome", help="How it went.")
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


@app.command("list")
def list_(
    agent: Annotated[str, typer.Option("--agent", help="Only this agent's.")] = "",
    since: Annotated[str, typer.Option("--since", help="Only from this day on: 2026-02-13.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="At most so many.")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the newest sessions."""
    work = given.workspace(root, lang)
    sessions.listed(work.sessions(agent=agent or None, since=since, limit=limit), work.lang, as_json=json)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="The session's id, or its beginning.")],
    tail: Annotated[int | None, typer.Option("--tail", min=1, help="Only so many of its last rounds.")] = None,
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


@app.command()
def record(
    name: Named = "",
    task: Annotated[str, typer.Option("--task", help="Begin a session for this task, and end it with the pipe.")] = "",
    agent: Agent = "main",
    root: Root = "",
    lang: Lang = None,
) -> None:
    """Read one JSON object a line, {"role", "text", "time"?}, and answer each with one; for programs.

    {"end": "response", "outcome"?: "success"} ends the session. A line that is wrong is told, and the next one is read.
    """
    work = given.workspace(root, lang)
    if bool(name) and bool(task):
        raise UsageError("give either an ID or --task")
    session = work.session(task, agent=agent, lazy=True) if task else work.resume(name or None, agent=agent)
    raise typer.Exit(sessions.record(session))
