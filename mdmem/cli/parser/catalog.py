"""All verbs of the command line, each with its line of help, in the groups that `mdmem --help` shows.

A verb is one function in a module of `cli/commands` and one line here; only the module of the verb that is called is
imported. For verbs below a noun it is a `Group` instead, by the name of the noun.
"""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb, and the module of `cli/commands` that holds it; none for those with a quick path of their own."""

    name: str
    module: str


class Chapter(NamedTuple):
    """Verbs that serve one purpose, which `[chapter]` of the help names."""

    key: str
    verbs: tuple[Verb, ...]


CHAPTERS = (
    Chapter(
        "write",
        (
            Verb("add", "entries"),
            Verb("remember", "entries"),
            Verb("today", "entries"),
            Verb("edit", "entries"),
            Verb("tick", "entries"),
            Verb("rm", "entries"),
            Verb("write", "entries"),
            Verb("mv", "entries"),
            Verb("inbox", "inbox"),
        ),
    ),
    Chapter(
        "find",
        (
            Verb("search", ""),
            Verb("show", "history"),
            Verb("why", "history"),
            Verb("status", "status"),
        ),
    ),
    Chapter(
        "order",
        (
            Verb("lint", ""),
            Verb("explain", "explain"),
            Verb("compact", "keeper"),
            Verb("forget", "history"),
        ),
    ),
    Chapter(
        "maintain",
        (
            Verb("log", "history"),
            Verb("diff", "history"),
            Verb("undo", "history"),
            Verb("restore", "history"),
            Verb("recover", "history"),
            Verb("doctor", "history"),
        ),
    ),
    Chapter(
        "evidence",
        (
            Verb("session", "sessions"),
            Verb("plan", "plan"),
            Verb("pin", "pins"),
            Verb("artifact", "artifacts"),
            Verb("attach", "attachments"),
        ),
    ),
    Chapter(
        "agents",
        (
            Verb("context", "context"),
            Verb("tool", "tools"),
            Verb("watch", "keeper"),
            Verb("busy", "keeper"),
            Verb("index", "status"),
        ),
    ),
    Chapter(
        "setup",
        (
            Verb("init", "setup"),
            Verb("config", "setup"),
            Verb("trust", "keeper"),
            Verb("hook", "setup"),
            Verb("completion", "setup"),
            Verb("help", "explain"),
        ),
    ),
)

VERBS = {verb.name: verb for chapter in CHAPTERS for verb in chapter.verbs}

# What people type who come from other programs, and the verb that does it here.
HABITS = {
    "new": "init", "create": "init", "find": "search", "grep": "search", "query": "search",
    "check": "lint", "fix": "lint --fix", "format": "lint --fix", "fmt": "lint --fix", "validate": "lint",
    "list": "status", "ls": "status", "info": "status", "cat": "show", "view": "show", "get": "show", "read": "show",
    "open": "show", "append": "add", "insert": "add", "note": "add", "save": "add", "remove": "rm", "delete": "rm",
    "del": "rm", "update": "edit", "replace": "edit", "set": "edit", "daily": "today", "diary": "today",
    "recall": "search", "done": "tick", "complete": "tick",
    "rename": "mv", "move": "mv", "history": "log", "revert": "undo", "rollback": "undo", "rules": "explain",
    "rule": "explain", "pack": "context", "prompt": "context", "settings": "config", "install": "hook install",
    "purge": "forget", "condense": "compact", "accept": "inbox accept", "reject": "inbox reject",
}  # fmt: skip
