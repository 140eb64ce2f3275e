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

# Words of other programs, and what says the same here.
HABITS = {
    "new": "add", "create": "add", "find": "search", "grep": "search", "query": "search", "check": "lint",
    "fix": "lint --fix", "format": "lint --fix", "fmt": "lint --fix", "validate": "lint", "list": "status",
    "ls": "status", "info": "status", "cat": "show", "view": "show", "get": "show", "read": "show", "open": "show",
    "append": "add", "insert": "add", "note": "add", "save": "add", "remove": "rm", "delete": "rm", "del": "rm",
    "update": "edit", "replace": "edit", "set": "edit", "daily": "today", "diary": "today", "recall": "search",
    "done": "tick", "complete": "tick", "rename": "mv", "move": "mv", "history": "log", "revert": "undo",
    "rollback": "undo", "rules": "explain", "rule": "explain", "pack": "context", "prompt": "context",
    "settings": "config", "install": "hook install", "purge": "forget", "condense": "compact",
    "accept": "inbox accept", "reject": "inbox reject", "version": "--version", "man": "help", "usage": "help",
    "journal": "today", "todo": "remember", "todos": "show memory", "store": "remember", "touch": "add",
    "tail": "log", "recent": "log", "recent-activity": "log", "head": "show", "print": "show", "tree": "status",
    "stat": "status", "stats": "status", "vault": "status", "memories": "status", "read-note": "show",
    "write-note": "add", "edit-note": "edit", "delete-note": "rm", "search-notes": "search",
    "build-context": "context", "backlinks": "search", "tags": "search --tag", "tag": "search --tag", "blame": "why",
    "checkout": "restore", "reset": "undo", "untick": "tick --undo", "uncheck": "tick --undo", "pins": "pin list",
    "unpin": "pin remove", "backup": "export", "dump": "export", "load": "import", "reindex": "index rebuild",
    "rebuild": "index rebuild", "repair": "doctor", "fsck": "doctor", "gc": "compact", "clean": "compact",
    "tidy": "compact", "summarize": "compact", "serve": "mcp", "server": "mcp", "daemon": "watch",
    "start": "session start", "end": "session end", "disconnect": "connect --remove", "steps": "plan",
}  # fmt: skip
VERBS_OF_NOUNS = {  # the same below a noun; the first one that the noun has
    "get": ("show",), "set": ("add", "start"), "ls": ("list", "show"), "list": ("list", "show", "status"),
    "view": ("show", "get"), "cat": ("show", "get"), "read": ("show", "get"), "new": ("add", "start", "put", "set"),
    "save": ("put", "add"), "create": ("add", "start", "put", "set"), "insert": ("add",), "append": ("add",),
    "begin": ("start",), "stop": ("end",), "close": ("end",), "rm": ("remove", "reject", "uninstall"),
    "delete": ("remove", "reject"), "del": ("remove",), "run": ("call",), "build": ("rebuild",),
    "reindex": ("rebuild",), "show": ("get", "list"), "update": ("set", "rebuild"), "find": ("grep", "list"),
}  # fmt: skip
OPTIONS = {  # the same for options
    "-C": "--root", "--cwd": "--root", "--dir": "--root", "--vault": "--root", "--project": "--root",
    "-v": "--version", "--output-format": "--format", "--porcelain": "--json", "--port": "--http", "--tags": "--tag",
    "--type": "--kind", "--max": "--limit", "--top": "--limit", "--force": "--yes", "-f": "--yes", "-y": "--yes",
    "--check": "--diff", "--language": "--lang", "--no-color": "--color", "--after": "--since", "--before": "--until",
    "--folder": "--root", "--path": "--root", "--preview": "--dry-run", "--dry": "--dry-run", "--category": "--as",
    "-m": "--message", "--max-tokens": "--budget", "--workers": "--jobs", "--exclude": "--ignore",
    "--output": "--to", "-o": "--to",
}  # fmt: skip
# Verbs of git that mdmem leaves to git.
GITS = frozenset((
    "commit", "push", "pull", "fetch", "clone", "branch", "merge", "rebase", "stash", "switch", "remote",
))  # fmt: skip
