"""Shows sessions and what becomes of turns, and speaks with programs line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mdmem import ROLES
from mdmem.cli import output
from mdmem.cli.language import spoken
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.parser.usage import wrong
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint, safe
from mdmem.errors import MdmemError, UsageError
from mdmem.messages.catalog import label, say
from mdmem.messages.errors import in_language

if TYPE_CHECKING:
    from mdmem import OpenSession, RecordedTurn, Session, Turn

_STYLES = {"user": "note", "assistant": "good", "tool": "dim", "system": "warning"}
_SEND, _LINE = "send {line}", '{"role": "user", "text": "…"}'
_LONGEST = 4_000_000  # characters of a line that a program may send: more than a session may hold


def begun(session: OpenSession, *, as_json: bool) -> None:
    """Print a new session's id."""
    if as_json:
        output.json({"id": session.id, "path": session.path, "agent": session.agent})
    else:
        print(session.id)


def recorded(done: RecordedTurn, *, as_json: bool) -> None:
    """Print what became of a turn, or of the end."""
    if as_json:
        output.json(done._asdict())
        return
    paint = Paint(sys.stdout)
    print(f"{paint('good', '✓')} {safe(done.message)}" if done.status == "done" else f"= {safe(done.message)}")
    if done.hint:
        print(f"  {paint('dim', safe(done.hint))}")


def listed(found: Sequence[Session], lang: str, *, as_json: bool) -> None:
    """Print sessions as a table, or as one JSON object."""
    if as_json:
        output.json({"sessions": [_head(one) for one in found]})
        return
    paint = Paint(sys.stdout)
    if not found:
        print(say(lang, "cli.session.none"))
        return
    rows = [
        (one.id, one.started, one.agent, label(lang, f"cli.session.{one.outcome}", one.outcome), one.task)
        for one in found
    ]
    header = [say(lang, f"cli.session.{key}") for key in ("id", "started", "agent", "outcome", "task")]
    print("\n".join(table(header, rows, ("path", "dim", "", "note", ""), paint)))


def print_session(found: Session, lang: str, *, as_json: bool) -> None:
    """Print a whole session."""
    if as_json:
        output.json(_head(found) | {"turns": [_turn(one) for one in found.turns]})
        return
    paint = Paint(sys.stdout)
    print(paint("bold", safe(found.task or found.id)))
    facts = (found.started, found.agent, label(lang, f"cli.session.{found.outcome}", found.outcome))
    print(paint("dim", " · ".join(safe(one) for one in (*facts, found.path) if one)))
    for key, text in (("request", found.request), ("response", found.response)):
        if text:
            print(f"\n{paint('bold', say(lang, f'cli.session.{key}'))}\n{_lines(text)}")
    turns(found.turns, as_json=False)
    if found.torn:
        print(f"\n{paint('warning', say(lang, 'cli.session.torn'))}")


def turns(found: Sequence[Turn], *, as_json: bool) -> None:
    """Print turns, each below who said it when."""
    if as_json:
        output.json({"turns": [_turn(one) for one in found]})
        return
    paint = Paint(sys.stdout)
    for one in found:
        print(f"\n{paint(_STYLES[one.role], f'{one.number} {safe(one.speaker)}')} {paint('dim', one.time)}")
        print(_lines(one.text))


def run_recorder(session: OpenSession) -> int:
    """Answer each line of the standard input; gives 1 where one of them was wrong."""
    wrong, ended = 0, False
    while line := sys.stdin.buffer.readline(_LONGEST):
        if not line.strip():
            continue
        try:
            given = _object(line)
            reply, ended = session.record(given)._asdict(), ended or "end" in given
        except MdmemError as raised:
            wrong, error = 1, in_language(raised, spoken())
            reply = {"status": "error", "code": error.code, "message": error.message, "hint": error.hint}
        print(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace").decode(), flush=True)
    return wrong


def _object(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError("this line is not valid JSON", hint=_SEND, facts={"line": _LINE}) from error
    if not isinstance(given, dict):
        raise UsageError("this line is no JSON object", hint=_SEND, facts={"line": _LINE})
    return given


def _head(one: Session) -> dict[str, Any]:
    return {key: value for key, value in one._asdict().items() if key != "turns"}


def _turn(one: Turn) -> dict[str, Any]:
    return {"number": one.number, "role": one.role, "speaker": one.speaker, "time": one.time, "text": one.text}


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.split("\n"))


session = Group()

Agent = Annotated[str, Option("--agent")]
Named = Annotated[str, Argument(metavar="[ID]")]
Said = Annotated[list[str], Argument(metavar="[ID] ROLE [TEXT]")]
At = Annotated[str, Option("--at")]


@session.command()
def start(
    task: Annotated[str, Argument()],
    agent: Agent = "main",
    request: Annotated[str, Option("--request")] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Begin a session; prints its id, by which the other verbs know it."""
    work = parameters.workspace(root, lang)
    asked = parameters.text("-") if request == "-" else request
    begun(work.sessions.start(task, agent=agent, request=asked), as_json=json)


@session.command()
def turn(
    said: Said, agent: Agent = "main", at: At = "", root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Add what somebody said; without an id, to the agent's newest open session."""
    name = "" if said[0] in ROLES else said[0]
    role, *text = said[1:] if name else said
    if len(text) > 1:
        raise wrong("one-text")
    work = parameters.workspace(root, lang)
    session = work.sessions.resume(name or None, agent=agent)
    words = parameters.text("-").removesuffix("\n") if text in ([], ["-"]) else text[0]
    recorded(session.turn(role, words, at=at or None), as_json=json)


@session.command()
def end(
    name: Named = "",
    response: Annotated[str, Option("--response")] = "",
    outcome: Annotated[Literal["success", "partial", "failed", "ongoing"], Option("--outcome")] = "success",
    agent: Agent = "main",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """End a session: how it went, and how long, how many rounds and which tools it took."""
    work = parameters.workspace(root, lang)
    text = parameters.text("-") if response == "-" else response
    recorded(work.sessions.resume(name or None, agent=agent).end(text, outcome), as_json=json)


@session.command("list")
def list_(
    agent: Annotated[str, Option("--agent")] = "",
    since: Annotated[str, Option("--since")] = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the newest sessions."""
    work = parameters.workspace(root, lang)
    listed(work.sessions.list(agent=agent or None, since=since, limit=limit), work.lang, as_json=json)


@session.command()
def show(
    name: Annotated[str, Argument(metavar="ID")],
    tail: Annotated[int | None, Option("--tail", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show a session: what was asked, what came of it, and its turns."""
    work = parameters.workspace(root, lang)
    if tail is not None:
        turns(work.sessions.recent_turns(name, tail), as_json=json)
    else:
        print_session(work.sessions.show(name), work.lang, as_json=json)


@session.command()
def record(
    name: Named = "",
    task: Annotated[str, Option("--task")] = "",
    agent: Agent = "main",
    root: Root = "",
    lang: Lang = None,
) -> int:
    """Read one JSON object a line, {"role", "text", "time"?}, and answer each with one; for programs.

    {"end": "response", "outcome"?: "success"} ends the session. A line that is wrong is told, and the next one is read.
    """
    work = parameters.workspace(root, lang)
    if bool(name) and bool(task):
        raise wrong("id-or-task")
    session = (
        work.sessions.start(task, agent=agent, lazy=True) if task else work.sessions.resume(name or None, agent=agent)
    )
    return run_recorder(session)
