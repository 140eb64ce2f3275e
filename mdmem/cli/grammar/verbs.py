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
        Verb("episode", "evidence.sessions"),
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
        Verb("resolve", "git"),
        Verb("recover", "history"),
        Verb("doctor", "history"),
    ),
    "evidence": (
        Verb("session", "evidence.sessions"),
        Verb("plan", "evidence.plan"),
        Verb("handoff", "evidence.plan"),
        Verb("run", "evidence.knowledge"),
        Verb("knowledge", "evidence.knowledge"),
        Verb("bundle", "evidence.bundles"),
        Verb("scratchpad", "evidence.scratchpad"),
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
        Verb("git", "git"),
        Verb("sync", "git"),
        Verb("merge", "git"),
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

# Words of other programs are in `[habit]` of the messages. Below a noun they mean the first of these that it has.
VERBS_OF_NOUNS = {
    "get": ("show",), "set": ("add", "start"), "ls": ("list", "show"), "list": ("list", "show", "status"),
    "view": ("show", "get"), "cat": ("show", "get"), "read": ("show", "get"), "new": ("add", "start", "put", "set"),
    "save": ("put", "add"), "create": ("add", "start", "put", "set"), "insert": ("add",), "append": ("add",),
    "begin": ("start",), "stop": ("end",), "close": ("end",), "rm": ("remove", "reject", "uninstall"),
    "delete": ("remove", "reject"), "del": ("remove",), "run": ("call",), "build": ("rebuild",),
    "reindex": ("rebuild",), "show": ("get", "list"), "add": ("set", "start", "put", "install"),
    "status": ("list", "show"), "update": ("set", "rebuild"), "find": ("grep", "list"), "edit": ("update", "set"),
    "search": ("grep", "list"), "init": ("start",), "record": ("add",),
}  # fmt: skip
OPTIONS = {  # options of other programs; each stands for the first of these that the verb has
    "-C": "--root", "--cwd": "--root", "--dir": "--root", "--vault": "--root", "--project": "--root",
    "-v": "--version", "--output-format": "--format --json", "--format": "--json",
    "--porcelain": "--json", "--port": "--http", "--tags": "--tag",
    "--type": "--kind --as", "--kind": "--as", "-k": "--kind --as", "--max": "--limit", "--top": "--limit",
    "--force": "--yes --now", "-f": "--yes", "-y": "--yes", "--check": "--diff", "--language": "--lang",
    "--no-color": "--color", "--after": "--since", "--before": "--until", "--folder": "--root", "--path": "--root",
    "--preview": "--dry-run", "--dry": "--dry-run", "--category": "--as",
    "--max-tokens": "--budget", "--workers": "--jobs", "--exclude": "--ignore", "--output": "--to", "-o": "--to",
    "--extend-select": "--select", "--unsafe-fixes": "--fix", "--show-fixes": "--diff", "--date": "--at",
    "--title": "--name", "--duration": "--for",
}  # fmt: skip
# Verbs of git that mdmem leaves to git.
GITS = frozenset((
    "bisect", "cherry-pick", "submodule", "worktree", "commit", "push", "pull", "fetch", "clone", "branch", "rebase",
    "stash", "switch", "remote",
))  # fmt: skip
