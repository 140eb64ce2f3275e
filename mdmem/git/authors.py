"""Who made a change, and on which machine: from mdmem's log into commits, and from commits back into the log."""

# The policy of persons and agents is imported where a commit is made: most syncs make none.
from __future__ import annotations

import os
import platform
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.git.checkout import Checkout
from mdmem.store.git.program import run
from mdmem.store.history.versions import EDITOR, Transaction, VersionStore
from mdmem.store.root import Root
from mdmem.text.pattern import pattern

TRANSACTION, MACHINE, ACTOR = "Mdmem-Transaction", "Mdmem-Machine", "Mdmem-Actor"  # trailers
SYNC = "sync"  # the actor of what is taken in, where no commit names one
_UNFIT = pattern(r"[^\w.-]+")
_NAME_CHARS = 24  # of a machine and of an actor; both and the sign between fit an actor's name in the log
_SEPARATOR = "\x1f"


class ChangesHere(NamedTuple):
    """The changes in the log that a commit holds."""

    ids: tuple[str, ...]  # of the transactions, oldest first
    actor: str  # of the newest


def machine_name(config: WorkspaceConfig) -> str:
    """Return the name of this machine: the user's setting, or the host's name."""
    return _fit(config.settings.sync.machine or platform.node()) or "machine"


def changes_here(config: WorkspaceConfig, paths: Collection[str], after: str) -> ChangesHere:
    """Return the logged changes of some files since the transaction `after`; a save that nobody logged is an editor's.

    `paths` are relative to the memory.
    """
    most, found = config.settings.sync.log_lines, list[Transaction]()
    with Root(config.root) as root:
        for one in VersionStore(root, 0).log():
            if one.id == after or len(found) == most:
                break
            if any(file.path in paths for file in one.files):
                found.append(one)
    return ChangesHere(tuple(one.id for one in reversed(found)), found[0].actor if found else EDITOR)


def newest_transaction(config: WorkspaceConfig) -> str:
    """Return the id of the newest change in the log; empty if there is none."""
    with Root(config.root) as root:
        return next((one.id for one in VersionStore(root, 0).log()), "")


def trailers(config: WorkspaceConfig, changes: ChangesHere) -> str:
    """Return the trailers of a commit."""
    lines = [f"{TRANSACTION}: {one}" for one in changes.ids]
    return "\n".join([*lines, f"{ACTOR}: {_fit(changes.actor)}", f"{MACHINE}: {machine_name(config)}"])


def identity(config: WorkspaceConfig, at: Checkout, actor: str) -> Mapping[str, str]:
    """Return the variables that name the author of a commit: the actor, or the user of git for a person.

    Where git knows no user, the machine stands in, so that a commit needs no set-up.
    """
    from mdmem.entries.access import PERSONS

    names = run(at.top, "config", "-z", "--get-regexp", r"^user\.(name|email)$", accept=(0, 1)).output
    known = dict(row.split("\n", 1) for row in os.fsdecode(names).split("\0") if "\n" in row)
    machine = machine_name(config)
    name, mail = known.get("user.name", "mdmem"), known.get("user.email", f"mdmem@{machine}")
    author = name if actor in (*PERSONS, EDITOR, SYNC) else actor
    values = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": mail}
    return values | {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail}


def actors_of(at: Checkout, old: str, new: str) -> Sequence[str]:
    """Return who made the commits between two, as names for the log such as `claude@laptop`, the newest first."""
    keys = _SEPARATOR.join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in (ACTOR, MACHINE))
    shown = run(at.top, "log", "--no-merges", f"--format={keys}", f"{old}..{new}", "--").output
    rows = (line.partition(_SEPARATOR) for line in os.fsdecode(shown).splitlines())
    return list(dict.fromkeys(_label(actor, machine) for actor, _, machine in rows)) or [SYNC]


def _label(actor: str, machine: str) -> str:
    """Return a name for the log from two trailers, which anybody can write."""
    fit = _fit(actor), _fit(machine)
    return "@".join(fit) if all(fit) else SYNC


def _fit(name: str) -> str:
    return _UNFIT.sub("-", name).strip("-")[:_NAME_CHARS]
