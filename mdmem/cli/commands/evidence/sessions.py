"""`mdmem session`: start, record, end, list and show sessions; `mdmem episode`: what happened in them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from mdmem import ROLES
from mdmem.cli import output
from mdmem.cli.console import Paint, folded, safe
from mdmem.cli.grammar import completion, parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Agent, Backend, DryRun, Lang, Limit, Plan, Root, User
from mdmem.cli.language import current_language
from mdmem.cli.opened import open_workspace
from mdmem.cli.outcome import advice
from mdmem.cli.usage import named_in, usage_error
from mdmem.errors import ExitCode, MdmemError, TargetError, UsageError
from mdmem.messages.catalog import label, say
from mdmem.messages.translated_errors import in_language
from mdmem.text.encodings import sent_text

if TYPE_CHECKING:
    from mdmem import Episode, OpenSession, PrunedSessions, RecordedTurn, Session, SessionLine, Turn

_STYLES = {"user": "note", "assistant": "good", "tool": "dim", "system": "warning"}
_SEND, _LINE = "send {line}", '{"role": "user", "text": "…"}'
_LONGEST = 4_000_000  # bytes of an input line; more than a session may contain


def print_started(session: OpenSession, *, as_json: bool) -> None:
    """Print a new session's id."""
    if as_json:
        output.json({"id": session.id, "path": session.path, "agent": session.agent})
    else:
        print(session.id)


def print_recorded(done: RecordedTurn, *, as_json: bool) -> None:
    """Print the result of recording a turn or of ending a session."""
    if as_json:
        output.json(asdict(done))
        return
    paint = Paint(sys.stdout)
    mark = paint("good", "✓") if done.status == "done" else "="
    print("\n".join([f"{mark} {folded(safe(done.message), 2)}", *advice(done.hint, paint)]))


def print_sessions(call: Call, found: Sequence[Session]) -> None:
    """Print sessions as a table, or as one JSON object."""
    columns = {
        "cli.session.id": "path", "cli.session.started": "dim", "cli.session.agent": "", "cli.session.outcome": "note",
        "cli.session.task": "",
    }  # fmt: skip

    def row(one: Session) -> Sequence[str]:
        return one.id, one.started, one.agent, _outcome(call, one.outcome), one.task

    call.print_list("sessions", found, columns, row, none="cli.session.none", fields=_head)


def _outcome(call: Call, outcome: str) -> str:
    """Return the outcome of a session in the language of the call."""
    return label(call.work.lang, f"cli.session.{outcome}", outcome)


def print_session(call: Call, found: Session) -> None:
    """Print a whole session."""
    if call.json:
        output.json(_head(found) | {"turns": [_turn(one) for one in found.turns]})
        return
    paint = Paint(sys.stdout)
    print(paint("bold", safe(found.task or found.id)))
    facts = (found.started, found.agent, _outcome(call, found.outcome), found.path)
    print(paint("dim", " · ".join(safe(one) for one in facts if one)))
    for key, text in (("request", found.request), ("response", found.response)):
        if text:
            print(f"\n{paint('bold', call.say(f'cli.session.{key}'))}\n{_lines(text)}")
    turns(found.turns, as_json=False)
    if found.torn:
        print(f"\n{paint('warning', call.say('cli.session.torn'))}")


def turns(found: Sequence[Turn], *, as_json: bool) -> None:
    """Print turns, each below its speaker and time."""
    if as_json:
        output.json({"turns": [_turn(one) for one in found]})
        return
    paint = Paint(sys.stdout)
    for turn in found:
        print(f"\n{paint(_STYLES[turn.role], f'{turn.number} {safe(turn.speaker)}')} {paint('dim', turn.time)}")
        print(_lines(turn.text))


def exported(found: Iterable[SessionLine], *, several: bool, lang: str) -> None:
    """Print each turn as a JSON object on a line; of several sessions each line names its own."""
    is_empty = True
    for one in found:
        is_empty = False
        line = {
            "role": one.role,
            "content": one.content,
            "tool_calls": one.tool_calls,
            "tool_results": one.tool_results,
            "timestamp": one.timestamp,
            "token_estimate": one.token_estimate,
        }
        print(json.dumps({"session": one.session, **line} if several else line, ensure_ascii=False))
    if is_empty:
        print(say(lang, "cli.session.no-turns"), file=sys.stderr)


def print_pruned(done: PrunedSessions, *, as_json: bool) -> None:
    """Print which sessions moved, and why others stayed."""
    if as_json:
        output.json({key: getattr(done, key) for key in ("status", "message", "hint", "moved", "waiting")})
        return
    for one in done.moved:
        print(safe(one))
    sys.stdout.flush()
    print(done.message, file=sys.stderr)
    if done.hint:
        print(done.hint, file=sys.stderr)


def run_recorder(session: OpenSession, hear: Callable[[str, str], None], catch_up: Callable[[], None]) -> int:
    """Record each JSON line of the standard input and print a JSON reply; return 1 if one was refused.

    Args:
        session: where they are recorded.
        hear: takes the path and what the user said when the reply is out.
        catch_up: extracts what still waits when the lines end without an end of the session.
    """
    failed, ended, message = 0, False, dict[str, Any]()
    while line := sys.stdin.buffer.readline(_LONGEST):
        if not line.strip():
            continue
        try:
            message = _object(line)
            reply, ended = asdict(session.record(message)), ended or "end" in message
        except MdmemError as raised:
            failed, error = 1, in_language(raised, current_language())
            reply = {"status": "error", "code": error.code, "message": error.message, "hint": error.hint}
        print(json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace").decode(), flush=True)
        if reply.get("role") == "user" and not ended:
            hear(session.path, str(message.get("text") or message.get("content") or ""))
    if not ended:
        catch_up()
    return failed


def _decoded(line: bytes) -> str | bytes:
    """Return a line as it is if it is UTF-8; a program under another locale may send it in that encoding."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return sent_text(line, sys.stdin.encoding)
    return line


def _object(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(_decoded(line))
    except (ValueError, RecursionError) as error:
        raise UsageError("this line is not valid JSON", hint=_SEND, facts={"line": _LINE}) from error
    if not isinstance(message, dict):
        raise UsageError("this line is not a JSON object", hint=_SEND, facts={"line": _LINE})
    return message


def _head(session: Session) -> dict[str, Any]:
    return {key: value for key, value in asdict(session).items() if key != "turns"}


def _turn(turn: Turn) -> dict[str, Any]:
    return {"number": turn.number, "role": turn.role, "speaker": turn.speaker, "time": turn.time, "text": turn.text}


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.split("\n"))


session = Verbs(default="list")

Named = Annotated[str, Argument(metavar="ID", autocompletion=completion.sessions)]
TurnWords = Annotated[list[str], Argument(metavar="[ID] ROLE [TEXT]")]
At = Annotated[str, Option("--at")]


@session.command()
def start(
    call: Call,
    task: Annotated[str, Argument()],
    agent: Agent = "main",
    request: Annotated[str, Option("--request")] = "",
) -> None:
    """Start a session and print its id."""
    sessions, text = call.work.sessions, parameters.text("-") if request == "-" else request
    print_started(sessions.start(task, agent=agent, request=text), as_json=call.json)


@session.command()
def turn(call: Call, said: TurnWords, agent: Agent = "main", at: At = "") -> None:
    """Add a turn to a session; without an id, to the agent's newest open session."""
    said, known = list(said), named_in("role")
    for at_word, word in enumerate(said[:2]):  # the role is the first word, or the one behind the id
        if word in known:
            said[at_word] = known[word]
            break
    name = "" if said[0] in ROLES else said[0]
    rest = said[1:] if name else said
    if name and not (rest and rest[0] in ROLES):  # of two words the first one was meant as the role
        lang, wrong = current_language(), rest[0] if rest[1:] else name
        raise UsageError(say(lang, "session.role", role=wrong[:40]), hint=say(lang, "session.role.hint"))
    role, *text = rest
    if len(text) > 1:
        raise usage_error("one-text")
    session = call.lenient(passes_over="keys").sessions.resume(name or None, agent=agent)
    words = parameters.text("-").removesuffix("\n") if text in ([], ["-"]) else text[0]
    print_recorded(session.turn(role, words, at=at or None), as_json=call.json)


@session.command()
def end(
    call: Call,
    name: Named = "",
    response: Annotated[str, Option("--response")] = "",
    outcome: Annotated[Literal["success", "partial", "failed", "ongoing"] | None, Option("--outcome")] = None,
    agent: Agent = "main",
) -> None:
    """End a session with its outcome and response."""
    sessions = call.lenient(passes_over="held").sessions
    text = parameters.text("-") if response == "-" else response
    try:
        running = sessions.resume(name or None, agent=agent)
    except TargetError as error:
        if name:
            error.hint = call.say("usage.end-alone", hint=error.hint, response=quote(name))
        raise
    print_recorded(running.end(text, outcome or ""), as_json=call.json)


@session.command("list")
def list_(
    call: Call,
    agent: Agent = "",
    since: Annotated[str, Option("--since")] = "",
    limit: Limit = None,
) -> None:
    """Print the newest sessions."""
    print_sessions(call, call.work.sessions.list(agent=agent or None, since=since, limit=limit))


@session.command()
def show(call: Call, name: Named, tail: Annotated[int | None, Option("--tail", min=1)] = None) -> None:
    """Print a session, or only its last turns."""
    if tail is not None:
        turns(call.work.sessions.recent_turns(name, tail), as_json=call.json)
    else:
        print_session(call, call.work.sessions.show(name))


@session.command()
def record(
    call: Call,
    name: Named = "",
    task: Annotated[str, Option("--task")] = "",
    agent: Agent = "main",
    root: Root = "",  # noqa: ARG001 - read by `call`, as the next ones
    lang: Lang = None,  # noqa: ARG001
    user: User = "",  # noqa: ARG001
) -> int:
    """Record turns from JSON lines, {"role", "text", "time"?}, and reply to each with a JSON line; for programs.

    {"end": "response", "outcome"?: "success"} ends the session. A malformed line gets an error reply.
    """
    work = call.lenient(passes_over="keys")
    if bool(name) and bool(task):
        raise usage_error("id-or-task")
    session = (
        work.sessions.start(task, agent=agent, lazy=True) if task else work.sessions.resume(name or None, agent=agent)
    )
    said = work.keeper.said_now()
    return run_recorder(session, said.hear, said.catch_up)


@session.command()
def export(
    name: Named = "",
    since: Annotated[str, Option("--since")] = "",
    jsonl: Annotated[bool, Option("--jsonl")] = False,  # noqa: ARG001 - the one format so far
    root: Root = "",
    lang: Lang = None,
    user: User = "",
) -> None:
    """Print the turns as JSON lines, tool calls and results with them; `session record` takes them back."""
    work = open_workspace(root, lang, user)
    if bool(name) and bool(since):
        raise usage_error("id-or-since")
    exported(work.sessions.export(name or None, since=since), several=not name, lang=work.lang)


@session.command()
def prune(call: Call, older: Annotated[str, Option("--older")] = "", dry_run: DryRun = False) -> None:
    """Move old sessions that have ended and were extracted to archive/sessions/; nothing is deleted."""
    print_pruned(call.work.sessions.prune(older=older or None, dry_run=dry_run), as_json=call.json)


@session.command()
def review(call: Call, name: Named = "") -> int:
    """Do again what the end of a session does."""
    done = call.work.review(name or None)
    call.print_all(done)
    return ExitCode.NOTHING if any(one.status == "refused" for one in done) else ExitCode.OK


episode = Verbs(default="list")


@episode.command("list")
def list_episodes(
    call: Call,
    query: Annotated[str, Option("--query")] = "",
    entity: Annotated[str, Option("--entity")] = "",
    days: Annotated[int | None, Option("--days", min=1)] = None,
    session: Annotated[str, Option("--session")] = "",
    limit: Limit = None,
) -> int:
    """List episodes, the newest first, or those that fit a query best."""
    return print_episodes(call, call.work.episodes(query, entity=entity, days=days, session=session, limit=limit))


@episode.command("write")
def write_episode(
    call: Call,
    session: Annotated[str, Argument(autocompletion=completion.sessions)],
    backend: Backend = None,
    plan: Plan = False,
    write: Annotated[bool, Option("--write")] = False,
) -> int:
    """Write the episode of a session's rounds that have none yet."""
    return call.print(call.work.episodes.write(session, backend=backend, any_format=write, dry_run=plan))


def print_episodes(call: Call, found: Iterable[Episode]) -> int:
    """Print episodes, one a line. The exit code tells whether there are any."""
    episodes = list(found)
    if call.json:
        rows = [asdict(one) | {"actions": [asdict(run) for run in one.actions]} for one in episodes]
        output.json({"episodes": rows})
    elif not episodes:
        print(call.say("episode.none"))
    for one in () if call.json else episodes:
        rounds = str(one.first) if one.first == one.last else f"{one.first}-{one.last}"
        facts = {"started": one.started, "session": one.session, "summary": one.summary}
        line = call.say("episode.line", rounds=rounds, outcome=_outcome(call, one.outcome), **facts)
        print(folded(safe(line), 4))
    return ExitCode.OK if episodes else ExitCode.NOTHING
