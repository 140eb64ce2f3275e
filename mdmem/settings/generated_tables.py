"""The tables of mdmem.toml for facts, and for the lines made from them and from sessions."""

from typing import NamedTuple


class ScratchpadSettings(NamedTuple):
    """The table `[scratchpad]`."""

    enabled: bool
    sessions: int
    days: int
    read_sessions: int
    read_rounds: int
    line_chars: int
    projects: int
    progress: int
    questions: int
    steps: int
    projects_share: float
    progress_share: float
    questions_share: float
    steps_share: float
    changes: int
    answered_share: float
    named_share: float
    pending: tuple[str, ...]
    unsettled: tuple[str, ...]
    labels: tuple[str, ...]
    deferred: tuple[str, ...]
    put_off: tuple[str, ...]
    notes: tuple[str, ...]
    agreements: tuple[str, ...]
    courtesies: tuple[str, ...]
    rhetorical: tuple[str, ...]
    advice: tuple[str, ...]
    suppositions: tuple[str, ...]
    asked_memory: tuple[str, ...]
    excuses: tuple[str, ...]
    offers: tuple[str, ...]
    settled: tuple[str, ...]
    asking: tuple[str, ...]
    times: tuple[str, ...]
    when: tuple[str, ...]
    amounts: tuple[str, ...]
    roughly: tuple[str, ...]
    which: tuple[str, ...]
    denials: tuple[str, ...]
    inquirers: tuple[str, ...]
    inquiries: tuple[str, ...]
    next: tuple[str, ...]
    commitments: tuple[str, ...]
    actions: tuple[str, ...]
    unkept: tuple[str, ...]
    postponed: tuple[str, ...]
    promises: tuple[str, ...]
    reminders: tuple[str, ...]
    reminder_openers: tuple[str, ...]
    reminder_inquiries: tuple[str, ...]
    reminded: tuple[str, ...]
    done: tuple[str, ...]


class FactSettings(NamedTuple):
    """The table `[facts]`; the shipped file says what each value is for."""

    subjects: tuple[str, ...]
    predicates: tuple[str, ...]
    edit_days: int


class PortraitSettings(NamedTuple):
    """The table `[portrait]`; the shipped file says what each value is for."""

    memory_chars: int
    per_type: int
    user_facts: int
    persona_confidence: float
    changes: int
    skip: tuple[str, ...]
    categories: tuple[str, ...]


class CompileSettings(NamedTuple):
    """The table `[compile]`."""

    soul: int
    agent_core: int
    agent_tooling: int
    user: int
    persona: int
    restated: float
    tries: int
    skip: tuple[str, ...]
    examples: tuple[str, ...]
    principles: tuple[str, ...]
    pledges: tuple[str, ...]
    marks: tuple[str, ...]
    exceptions: tuple[str, ...]

    def tokens(self, target: str) -> int:
        """Return the cap of a target."""
        return int(getattr(self, target.replace(".", "_")))
