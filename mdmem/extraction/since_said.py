"""What happened since a round was said: a person deleted its line, or the user asked to keep it quiet.

Facts of one day are put in order by the time of their rounds.
"""

# The history is imported when there is something to undo.
from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.edited_by_hand import deleted_lines
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.facts.model import NewFact
from mdmem.facts.service import fact_files
from mdmem.formats.session import Session, read_rounds
from mdmem.messages.catalog import say
from mdmem.sessions.read import find, read_whole
from mdmem.store.history.versions import Transaction, VersionStore
from mdmem.text.similarity import comparison_key

_CHAT = "chat:"
_STAMP_CHARS = 15  # of the time in a session's id: 20260220_080000
_DAY_CHARS = 10
_MINUTE_CHARS = 16  # of a time: 2026-02-20 08:00


class RoundTimes:
    """The times of rounds, by the source that names them; each session is read once."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config
        self._sessions: dict[str, Session | None] = {}

    def __call__(self, source: str) -> str:
        """Return when the round of a source was said, as a text that can be compared; empty if it is not known.

        Rounds of the same minute are in the order in which their sessions began.
        """
        name, _, numbers = source.removeprefix(_CHAT).partition("#")
        rounds = read_rounds(numbers)
        if not source.startswith(_CHAT) or rounds is None:
            return ""
        if name not in self._sessions:
            self._sessions[name] = self._read(name)
        session = self._sessions[name]
        time = next((turn.time for turn in session.turns if turn.number == rounds[0]), "") if session else ""
        if session is None or not time:
            return ""
        day = "" if "-" in time else f"{session.started[:_DAY_CHARS]} "
        return f"{day}{time} {session.id[:_STAMP_CHARS]}"

    def _read(self, name: str) -> Session | None:
        try:
            return read_whole(self._config, find(self._config, name))
        except MdmemError:
            return None


def without_deleted(config: WorkspaceConfig, items: Sequence[NewFact]) -> list[NewFact]:
    """Return statements without those whose line a person deleted by hand after they were said."""
    deleted = {comparison_key(one.text): one.time for one in reversed(deleted_lines(config, fact_files(config, items)))}
    times = RoundTimes(config)

    def is_deleted(item: NewFact) -> bool:
        time = "" if item.effect else deleted.get(comparison_key(item.text), "")
        said = times(item.source)[:_MINUTE_CHARS] if time else ""
        return bool(said) and said < time.replace("T", " ")[:_MINUTE_CHARS]

    return [one for one in items if not is_deleted(one)]


def undo_private(config: WorkspaceConfig, since: str, texts: Sequence[str]) -> bool:
    """Undo the keeper's changes that brought in one of some texts; return whether there was one.

    Args:
        config: the workspace.
        since: when the session began that says them.
        texts: what may not be kept.
    """
    if not texts:
        return False
    from mdmem.history.read import open_history
    from mdmem.history.undo import undo

    wanted, done = [text.encode("utf-8", "surrogateescape") for text in texts], False
    with open_history(config) as history:
        own = [one for one in history.log() if one.actor == KEEPER and one.time[:10] >= since[:10]]
        names = [one.id for one in own if _brings_in(config, history, one, wanted)]
    for name in names:
        with suppress(MdmemError):  # somebody has changed the line since, and it is theirs
            undo(config, name, actor=KEEPER, reason=say(config.lang, "extract.reason-private"), dry_run=False)
            done = True
    return done


def _brings_in(config: WorkspaceConfig, history: VersionStore, change: Transaction, wanted: Sequence[bytes]) -> bool:
    """Return whether a change brought a text into a file that still holds it."""
    for file in change.files:
        live = live_bytes(config, file.path) or b""
        held = [text for text in wanted if text in live]
        before = history.read(file.before) if held and file.before else b""
        after = history.read(file.after) if held and file.after else b""
        if after and before is not None and any(text in after and text not in before for text in held):
            return True
    return False
