"""What this machine can promise, and whether mdmem's own folder is sound; and finishing what crashes left."""

from __future__ import annotations

from mdmem.core.record import NamedTuple
from mdmem.errors import MdmemError
from mdmem.store.abilities import abilities
from mdmem.store.history import History
from mdmem.store.journal import ASIDE, Journal
from mdmem.store.record import Transaction
from mdmem.store.root import Root
from mdmem.workspace.config import Config
from mdmem.workspace.words import say

_LISTED = 20  # damaged versions that are named; more would bury the advice


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    state: str  # good, weaker (a promise that does not hold here), bad
    message: str
    hint: str = ""


def doctor(config: Config) -> tuple[Check, ...]:
    """Look at everything that the pen stands on; see `Workspace.doctor`."""
    checks = [_settings(config)]
    with Root(config.root) as root:
        for name, there in abilities(root)._asdict().items():
            state = "good" if there else "bad" if name == "locks" else "weaker"
            checks.append(_check(config, f"can-{name}", state))
        history = History(root, config.settings.store.lock_seconds)
        damaged = history.check()
        sizes = [history.size(digest) for digest in history.objects()]
        journal = Journal(root)
        left, aside = len(journal.pending()), len(journal.aside())
    store = config.settings.store
    facts = {"count": len(sizes), "bytes": sum(sizes), "days": store.keep_days, "most": store.keep_bytes}
    checks.append(_check(config, "history", "good", **facts))
    checks += [_check(config, f"damaged-{one.what}", "bad", item=one.name) for one in damaged[:_LISTED]]
    if left:
        checks.append(_check(config, "unfinished", "bad", count=left))
    if aside:
        checks.append(_check(config, "aside", "bad", count=aside, folder=ASIDE))
    return tuple(checks)


def recover(config: Config) -> tuple[Transaction, ...]:
    """Finish what crashed processes left; see `Workspace.recover`."""
    return config.pen().recover()


def _settings(config: Config) -> Check:
    try:
        on = config.settings.memory.enabled
        for kind in config.schemas.kinds:
            config.schemas.languages(kind)
    except MdmemError as error:
        return Check("settings", "bad", str(error), error.hint)
    return _check(config, "settings" if on else "settings-off", "good")


def _check(config: Config, name: str, state: str, **facts: object) -> Check:
    hint = "" if state == "good" else say(config.lang, f"doctor-{name}.hint", **facts)
    return Check(name, state, say(config.lang, f"doctor-{name}", **facts), hint)
