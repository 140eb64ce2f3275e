"""`mdmem session turn` and `mdmem session end`, which programs call with each turn: what they do and print.

The functions that typer calls, in `cli/commands`, call these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from mdmem import ROLES, RecordedTurn, Sessions
from mdmem.cli import console, output
from mdmem.cli.console import Paint, folded, safe
from mdmem.cli.language import current_language
from mdmem.cli.opened import open_workspace
from mdmem.cli.outcome import advice
from mdmem.cli.usage import usage_error
from mdmem.errors import ExitCode, UsageError
from mdmem.messages.catalog import say

_INPUT = "-"  # stands for the standard input


class TurnWords(NamedTuple):
    """What the words of a turn name: the session, the role and the text."""

    name: str  # empty for the newest open session
    role: str
    text: str = _INPUT


def turn_words(said: Sequence[str]) -> TurnWords:
    """Return what the words of a turn name.

    Raises:
        UsageError: they name no role, or have more than one text.
    """
    name = "" if said[0] in ROLES else said[0]
    rest = said[1:] if name else said
    if name and not (rest and rest[0] in ROLES):  # of two words the first one was meant as the role
        lang, wrong = current_language(), rest[0] if rest[1:] else name
        raise UsageError(say(lang, "session.role", role=wrong[:40]), hint=say(lang, "session.role.hint"))
    if len(rest) > 2:
        raise usage_error("one-text")
    return TurnWords(name, *rest)


def turn(sessions: Sessions, given: TurnWords, read: Callable[[], str], agent: str, at: str, *, as_json: bool) -> None:
    """Add a turn to a session; `read` reads the standard input."""
    session = sessions.resume(given.name or None, agent=agent)
    text = read().removesuffix("\n") if given.text == _INPUT else given.text
    _print(session.turn(given.role, text, at=at or None), as_json=as_json)


def end(sessions: Sessions, name: str, response: str, outcome: str, agent: str, *, as_json: bool) -> None:
    """End a session with its response and outcome."""
    _print(sessions.resume(name or None, agent=agent).end(response, outcome), as_json=as_json)


def quick_turn(values: Mapping[str, Any]) -> int | None:
    """Add a turn, as `cli/grammar/quick.py` has read it; return None if its text comes by the standard input."""
    given = turn_words(values["said"]) if values["said"] else TurnWords("", "")
    if given.text == _INPUT:
        return None
    sessions = _opened(values, "keys")
    turn(sessions, given, str, values["agent"] or "main", values["at"] or "", as_json=values["json"])
    return ExitCode.OK


def quick_end(values: Mapping[str, Any]) -> int | None:
    """End a session, as `cli/grammar/quick.py` has read it; return None if a text comes by the standard input."""
    if values["response"] == _INPUT:
        return None
    name, response, outcome = values["name"], values["response"] or "", values["outcome"] or ""
    end(_opened(values, "held"), name, response, outcome, values["agent"] or "main", as_json=values["json"])
    return ExitCode.OK


def _opened(values: Mapping[str, Any], passes_over: Literal["keys", "held"]) -> Sessions:
    console.choose(values["color"] or "auto")
    return output.lenient(open_workspace(values["root"], values["lang"], values["user"] or ""), passes_over).sessions


def _print(done: RecordedTurn, *, as_json: bool) -> None:
    """Print the result of recording a turn or of ending a session."""
    if as_json:
        output.json(asdict(done))
        return
    paint = Paint(sys.stdout)
    mark = paint("good", "✓") if done.status == "done" else "="
    print("\n".join([f"{mark} {folded(safe(done.message), 2)}", *advice(done.hint, paint)]))
