"""The verbs of the command line, in the chapters of `mdmem help --all`.

A verb is one line here, and a function (or, for a noun with verbs below it, `Verbs`) in a module of `cli/commands`.
Only the module of the called verb is imported.
"""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb and its module in `cli/commands`."""

    name: str
    module: str


CHAPTERS = {
    "write": (
        Verb("add", "entries"),
        Verb("remember", "entries"),
        Verb("fact", "facts"),
        Verb("today", "entries"),
        Verb("edit", "entries"),
        Verb("tick", "entries"),
        Verb("rm", "entries"),
        Verb("write", "entries"),
        Verb("mv", "entries"),
        Verb("inbox", "entries"),
    ),
    "find": (
        Verb("search", "search"),
        Verb("show", "history"),
        Verb("why", "history"),
        Verb("episode", "sessions"),
        Verb("status", "status"),
    ),
    "order": (
        Verb("lint", "lint"),
        Verb("explain", "explain"),
        Verb("extract", "keeper"),
        Verb("compact", "keeper"),
        Verb("night", "keeper"),
        Verb("forget", "history"),
    ),
    "maintain": (
        Verb("log", "history"),
        Verb("diff", "history"),
        Verb("undo", "history"),
        Verb("restore", "history"),
        Verb("recover", "history"),
        Verb("doctor", "history"),
    ),
    "evidence": (
        Verb("session", "sessions"),
        Verb("plan", "plan"),
        Verb("scratchpad", "scratchpad"),
        Verb("refresh", "facts"),
        Verb("compile", "facts"),
        Verb("pin", "evidence.pins"),
        Verb("artifact", "evidence.artifacts"),
        Verb("attach", "evidence.attachments"),
    ),
    "agents": (
        Verb("context", "context"),
        Verb("tool", "context"),
        Verb("mcp", "agents"),
        Verb("watch", "keeper"),
        Verb("busy", "keeper"),
        Verb("index", "status"),
    ),
    "setup": (
        Verb("init", "setup"),
        Verb("import", "exchange"),
        Verb("export", "exchange"),
        Verb("config", "setup"),
        Verb("trust", "keeper"),
        Verb("hook", "setup"),
        Verb("connect", "setup"),
        Verb("completion", "setup"),
        Verb("help", "explain"),
    ),
}
VERBS = {verb.name: verb for verbs in CHAPTERS.values() for verb in verbs}

# The verbs of a day, in its order: `mdmem --help` shows these first.
DAILY = (
    "init", "add", "remember", "search", "show", "edit", "tick", "rm", "undo", "lint", "status", "context",
)  # fmt: skip

# Verbs of other programs, and the verb of mdmem that does the same.
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
