"""The tables of what stands in the workspace: memories, how they are written and watched, sessions, tool runs."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


class MemorySettings(NamedTuple):
    """The table `[memory]`."""

    enabled: bool


class PenSettings(NamedTuple):
    """The table `[pen]`."""

    create: tuple[str, ...]
    shrink_ratio: float
    shrink_min_chars: int
    shrink_entries: int


class StoreSettings(NamedTuple):
    """The table `[store]`."""

    lock_seconds: int
    stable_ms: int
    lease_ms: int
    grave_seconds: int
    keep_days: int
    keep_bytes: int
    list: int


class SessionSettings(NamedTuple):
    """The table `[session]`."""

    write: bool
    open_among: int
    slug_chars: int
    task_chars: int
    paste_lines: int
    paste_chars: int
    transcript: bool
    list: int


class NotebookSettings(NamedTuple):
    """The table `[notebook]`."""

    runs: bool
    note_chars: int


class ArtifactSettings(NamedTuple):
    """The table `[artifacts]`."""

    max_bytes: int
    input_chars: int
    line_chars: int
    errors: int
    failures: int
    files: int
    columns: int
    ranges: int
    keys: int
    value_chars: int
    reply_chars: int
    first_lines: int
    found_lines: int
    found_chars: int
    search_chars: int
    search_seconds: int
    listed: int
    keep_days: int
    keep_bytes: int
    let_go: tuple[str, ...]


class PinSettings(NamedTuple):
    """The table `[pins]`."""

    candidates: int
    candidate_chars: int
    evidence_lines: int
    evidence_chars: int
    before: int


LEAST_QUIET_SECONDS = 60  # whoever pauses to think has not stopped working; no settings file shortens this


class WatchSettings(NamedTuple):
    """The table `[watch]`."""

    keep: bool
    debounce_ms: int
    burst_ms: int
    poll_ms: int
    look_again_seconds: int
    versions: bool
    version_seconds: int
    version_most_seconds: int
    quiet_seconds: int
    busy_seconds: int

    @property
    def quiet(self) -> int:
        """The seconds of quiet after which the keeper begins: as set, but never fewer than the least."""
        return max(self.quiet_seconds, LEAST_QUIET_SECONDS)
