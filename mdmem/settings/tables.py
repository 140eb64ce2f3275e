"""The tables of what stands in the workspace: memories, how they are written and watched, sessions, tool runs."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from mdmem.settings.import_table import ImportSettings


class MemorySettings(NamedTuple):
    """The table `[memory]`."""

    enabled: bool
    review: str
    review_lines: int
    review_chars: int
    review_words: int
    review_requests: tuple[str, ...]


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
    struck_versions: int
    list: int


class SessionSettings(NamedTuple):
    """The table `[session]`."""

    write: bool
    open_among: int
    slug_chars: int
    task_chars: int
    paste_lines: int
    paste_chars: int
    result_lines: int
    transcript: bool
    list: int
    idle_minutes: int
    prune_days: int


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


class AttachmentSettings(NamedTuple):
    """The table `[attachments]`; the shipped file says what each value is for."""

    max_bytes: int
    agent_folders: tuple[str, ...]
    tools: tuple[str, ...]
    keys: tuple[str, ...]
    types: tuple[str, ...]


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


class KeeperSettings(NamedTuple):
    """The table `[keeper]`."""

    backend: str
    rules: tuple[str, ...]
    corrections: tuple[str, ...]
    wishes: tuple[str, ...]
    imperatives: tuple[str, ...]
    orders: tuple[str, ...]
    bans: tuple[str, ...]
    duties: tuple[str, ...]
    states: tuple[str, ...]
    addressees: tuple[str, ...]
    persons: tuple[str, ...]
    others: tuple[str, ...]
    pronouns: tuple[str, ...]
    adverbs: tuple[str, ...]
    adverbials: tuple[str, ...]
    leads: tuple[str, ...]
    no_verbs: tuple[str, ...]
    told: tuple[str, ...]
    no_rules: tuple[str, ...]
    negations: tuple[str, ...]
    no_negations: tuple[str, ...]
    changes: tuple[str, ...]
    same_denied: float
    hedges: tuple[str, ...]
    asking: tuple[str, ...]
    importance: tuple[str, ...]
    keep_importance: float
    half_life_days: int
    undated_recency: float
    recency_share: float
    copy_worth: float
    fact_worth: int
    said_fact_worth: int
    order_worth: float
    view_titles: int
    fresh_days: int
    tidy_at: float
    tidy_to: float
    roll_to: float
    least_founded: float
    least_kept: float
    full_at: float
    unsure: tuple[str, ...]
    max_answer_chars: int
    tries: int
    retry_seconds: int
    retry_most_seconds: int
    named: int
    named_chars: int


class ExtractSettings(NamedTuple):
    """The table `[extract]`; the shipped file says what each value is for."""

    tries: int
    lease_seconds: int
    idle_seconds: int
    rounds: int
    max_items: int
    max_chars: int
    clause_chars: int
    sentence_chars: int
    least_importance: float
    shown_facts: int
    files: int
    run_chars: int
    prompt_chars: int
    rule_importance: float
    run_importance: float
    file_importance: float
    writers: tuple[str, ...]
    path_keys: tuple[str, ...]
    permanent: tuple[str, ...]
    standing: tuple[str, ...]
    one_off: tuple[str, ...]
    updates_on: tuple[str, ...]
    requests: tuple[str, ...]
    material: tuple[str, ...]
    speakers: int
    private: tuple[str, ...]
    harmless: tuple[str, ...]
    small_talk: tuple[str, ...]
    doubtful: tuple[str, ...]
    openers: tuple[str, ...]
    adverbs: tuple[str, ...]
    past_adverbs: tuple[str, ...]
    formerly: tuple[str, ...]
    pointing: tuple[str, ...]
    patterns: tuple[str, ...]
    lists: tuple[str, ...]


class ScratchpadSettings(NamedTuple):
    """The table `[scratchpad]`; the shipped file says what each value is for."""

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
    settled: float
    pending: tuple[str, ...]
    deferred: tuple[str, ...]
    courtesies: tuple[str, ...]
    asking: tuple[str, ...]
    next: tuple[str, ...]
    done: tuple[str, ...]


class SentenceSettings(NamedTuple):
    """The table `[sentences]`."""

    titles: tuple[str, ...]
    abbreviations: tuple[str, ...]
    numbered: tuple[str, ...]
    starters: tuple[str, ...]
    after_ordinals: tuple[str, ...]
    quoted_chars: int


class LintSettings(NamedTuple):
    """The table `[lint]`; the shipped file says what each value is for."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    skip_folders: tuple[str, ...]
    max_bytes: int
    max_line_chars: int
    max_lines: int
    max_front_matter_chars: int
    max_code_lines: int
    max_json_keys: int
    near_duplicate: float
    min_duplicate_chars: int
    max_findings_per_rule: int
    parallel_from_bytes: int
    max_query_words: int
    lost_ratio: float
    lost_min_bytes: int


class CommandSettings(NamedTuple):
    """The table `[command]`."""

    run: tuple[str, ...]
    seconds: int
    max_bytes: int


class OpenAISettings(NamedTuple):
    """The table `[openai]`."""

    base_url: str
    model: str
    key_env: str
    seconds: int
    attempts: int
    wait_seconds: int
    max_wait_seconds: int
    max_bytes: int


class VectorSettings(NamedTuple):
    """The table `[vectors]`."""

    backend: str
    model: str
    base_url: str
    key_env: str
    dimensions: int
    batch: int
    max_chars: int
    nearest: int
    seconds: int
    attempts: int
    fill_seconds: int
    rest_seconds: int
    rows_without_numpy: int


class TokensSettings(NamedTuple):
    """The table `[tokens]`."""

    counter: str
    percent: int


class RecallSettings(NamedTuple):
    """The table `[recall]`."""

    limit: int
    budget: int
    candidates: int
    searched: int
    around: int
    compared: int
    rounds: int
    recent: float
    meaning: float
    agree: int
    agreed: float
    stories: tuple[str, ...]
    after: float
    before: float
    fade: float
    answer: float
    unspoken: float
    short_terms: int
    asking: float
    class_share: float
    form_share: float
    rarest: int
    classes: tuple[str, ...]
    forms: tuple[str, ...]
    stop_words: tuple[str, ...]
    story: float
    story_lines: int
    story_decay: float
    distilled: float
    speaker: float
    asked: float
    subject: float
    predicate: float
    when: float
    time: int
    near: float
    near_days: int
    day: float
    read_days: int
    recent_days: int
    recently_days: int
    relevance: float
    recency: float
    importance: float
    access: float
    half_life_days: int
    undated_recency: float
    unrated_importance: float
    access_half: int
    focus: float
    same: float
    same_story: float
    alike: float
    ordinary: tuple[str, ...]
    judged: int
    known: float
    evidence: float
    most_evidence: float
    named: float
    unknown: float
    silent: float
    silent_more: float
    least: float
    superseded: tuple[str, ...]
    persona: tuple[str, ...]
    triggers: tuple[str, ...]
    fields: tuple[str, ...]
    whole: int
    long_tokens: int
    cut_tokens: int


class SearchSettings(NamedTuple):
    """The table `[search]`."""

    lock_seconds: int
    garbage: float
    k1: float
    b: float
    place_weight: float
    places: int
    crowd: int
    query_chars: int
    terms: int
    phrases: int
    typos: int
    typo_letters: int
    snippet_chars: int
    snippet_before: int
    generated: tuple[str, ...]


class RememberSettings(NamedTuple):
    """The table `[remember]`; the shipped file says what each value is for."""

    promise: str
    rule: str
    preference: str
    event: str
    fact: str
    promises: tuple[str, ...]
    rules: tuple[str, ...]
    preferences: tuple[str, ...]
    events: tuple[str, ...]
    event_endings: tuple[str, ...]
    no_events: tuple[str, ...]
    max_chars: int


_TABLES: dict[str, type] = {
    "lint": LintSettings,
    "memory": MemorySettings,
    "pen": PenSettings,
    "keeper": KeeperSettings,
    "extract": ExtractSettings,
    "scratchpad": ScratchpadSettings,
    "sentences": SentenceSettings,
    "recall": RecallSettings,
    "remember": RememberSettings,
    "store": StoreSettings,
    "session": SessionSettings,
    "watch": WatchSettings,
    "artifacts": ArtifactSettings,
    "attachments": AttachmentSettings,
    "imports": ImportSettings,
    "pins": PinSettings,
    "search": SearchSettings,
    "command": CommandSettings,
    "openai": OpenAISettings,
    "vectors": VectorSettings,
    "notebook": NotebookSettings,
    "tokens": TokensSettings,
}


class Settings:
    """All settings of a workspace."""

    lang: str  # zh, en, auto
    lint: LintSettings
    memory: MemorySettings
    pen: PenSettings
    keeper: KeeperSettings
    extract: ExtractSettings
    scratchpad: ScratchpadSettings
    sentences: SentenceSettings
    recall: RecallSettings
    remember: RememberSettings
    store: StoreSettings
    session: SessionSettings
    watch: WatchSettings
    artifacts: ArtifactSettings
    attachments: AttachmentSettings
    imports: ImportSettings
    pins: PinSettings
    search: SearchSettings
    command: CommandSettings
    openai: OpenAISettings
    vectors: VectorSettings
    notebook: NotebookSettings
    tokens: TokensSettings

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values  # as TOML and JSON hold them, checked
        self.lang = values["lang"]

    @classmethod
    def known(cls, values: Any) -> Self | None:  # noqa: ANN401 - it is checked here
        """Take values that were kept as JSON; None for anything else."""
        return cls(values) if isinstance(values, dict) and values.keys() == {"lang", *_TABLES} else None

    def replace(self, **tables: object) -> Self:
        """Give the same settings with other tables."""
        made = type(self)(self.values)
        vars(made).update(vars(self) | tables)
        return made

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the names above say what each is
        """Make a table when it is first asked for."""
        if name not in _TABLES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        values = self.values[name].items()
        made = _TABLES[name](**{key: tuple(value) if isinstance(value, list) else value for key, value in values})
        setattr(self, name, made)
        return made
