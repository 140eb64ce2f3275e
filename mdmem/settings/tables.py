"""The tables of the settings, as types; `templates/mdmem.toml` explains each value."""

from typing import Any, NamedTuple, Self

from mdmem.settings.generated_tables import CompileSettings, FactSettings, PortraitSettings, ScratchpadSettings
from mdmem.settings.import_table import ImportSettings
from mdmem.settings.keeper_tables import DecaySettings, ExtractSettings, KeeperSettings, NightSettings
from mdmem.settings.search_tables import RecallSettings, SearchSettings, TokensSettings, VectorSettings


class MemorySettings(NamedTuple):
    """The table `[memory]`."""

    enabled: bool
    review: str
    review_lines: int
    review_chars: int
    review_words: int
    review_requests: tuple[str, ...]
    review_promises: tuple[str, ...]
    review_private: tuple[str, ...]
    forget: str


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
    displaced_seconds: int
    keep_days: int
    keep_bytes: int
    redacted_versions: int
    list: int


class SessionSettings(NamedTuple):
    """The table `[session]`."""

    write: bool
    open_among: int
    slug_chars: int
    task_chars: int
    paste_lines: int
    paste_chars: int
    text_chars: int
    room: float
    secret_days: int
    result_lines: int
    private: str
    transcript: bool
    list: int
    idle_minutes: int
    prune_days: int
    end_seconds: int
    end_pending: int
    portrait: tuple[str, ...]

    @property
    def idle_seconds(self) -> int:
        """The time after which a session without new turns counts as ended, in seconds."""
        return 60 * self.idle_minutes


class KnowledgeSettings(NamedTuple):
    """The table `[knowledge]`."""

    packed: int
    tasks: int
    confidence: float
    steps: int
    calls: int


class LearningSettings(NamedTuple):
    """The table `[learning]`."""

    enabled: bool
    worked: int
    strong: int
    proposals: int
    evidence: int
    sessions: int
    same_purpose: float
    changes: int
    command_chars: int
    error_chars: int
    line_chars: int
    plain: tuple[str, ...]
    changers: tuple[str, ...]
    runners: tuple[str, ...]
    corrections: tuple[str, ...]


class BundleSettings(NamedTuple):
    """The table `[bundles]`."""

    files: int
    bytes: int
    file_bytes: int
    told: int


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
    ignored_citations: tuple[str, ...]
    secrets: str


class AttachmentSettings(NamedTuple):
    """The table `[attachments]`."""

    max_bytes: int
    allowed: tuple[str, ...]
    schemes: tuple[str, ...]
    tools: tuple[str, ...]
    types: tuple[str, ...]
    paths: int
    list: int
    handed: int
    handed_share: float
    asking: tuple[str, ...]
    asked: tuple[str, ...]


class McpSettings(NamedTuple):
    """The table `[mcp]`."""

    tools: tuple[str, ...]
    plan_tools: tuple[str, ...]
    knowledge_tools: tuple[str, ...]
    artifact_tools: tuple[str, ...]
    unlisted: tuple[str, ...]
    max_bytes: int
    deadline_seconds: int
    patience_ms: int
    threads: int


class AgentsSettings(NamedTuple):
    """The table `[agents]`."""

    recipe: str
    compact_recipe: str
    file_recipe: str
    budget: int
    recall_tokens: int
    least_words: int
    deadline_ms: int
    lock_seconds: int
    index_seconds: int
    artifacts: tuple[str, ...]
    artifact_chars: int
    keep_days: int
    idle_minutes: int
    idle_sessions: int
    repeat_seconds: int
    detached_seconds: int


class PinSettings(NamedTuple):
    """The table `[pins]`."""

    candidates: int
    candidate_chars: int
    evidence_lines: int
    evidence_chars: int
    before: int


class PlanSettings(NamedTuple):
    """The table `[plan]`."""

    told_minutes: int


LEAST_QUIET_SECONDS = 60  # a user who pauses to think is still working; no settings file can lower this


class WatchSettings(NamedTuple):
    """The table `[watch]`."""

    keep: bool
    debounce_ms: int
    burst_ms: int
    poll_ms: int
    rescan_seconds: int
    versions: bool
    version_seconds: int
    max_version_seconds: int
    quiet_seconds: int
    busy_seconds: int

    @property
    def quiet(self) -> int:
        """The seconds without changes after which the keeper begins; never below the minimum."""
        return max(self.quiet_seconds, LEAST_QUIET_SECONDS)


class SyncSettings(NamedTuple):
    """The table `[sync]`."""

    seconds: int
    tries: int
    wait_ms: int
    machine: str
    whole_folder: bool
    watch_minutes: int
    log_lines: int


class SentenceSettings(NamedTuple):
    """The table `[sentences]`."""

    titles: tuple[str, ...]
    abbreviations: tuple[str, ...]
    numbered: tuple[str, ...]
    starters: tuple[str, ...]
    after_ordinals: tuple[str, ...]
    masked_words: int
    quoted_chars: int


class LintSettings(NamedTuple):
    """The table `[lint]`."""

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
    future_days: int
    min_duplicate_chars: int
    max_findings_per_rule: int
    small_talk: tuple[str, ...]
    fillers: tuple[str, ...]
    diary: tuple[str, ...]
    diary_fillers: tuple[str, ...]
    diary_steps: tuple[str, ...]
    diary_past: tuple[str, ...]
    diary_ends: tuple[str, ...]
    diary_least: int
    speakers: tuple[str, ...]
    merged_lines: int
    balances: tuple[str, ...]
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


class RememberSettings(NamedTuple):
    """The table `[remember]`."""

    promise: str
    rule: str
    preference: str
    event: str
    fact: str
    promises: tuple[str, ...]
    tasks: tuple[str, ...]
    task_times: tuple[str, ...]
    no_tasks: tuple[str, ...]
    rules: tuple[str, ...]
    preferences: tuple[str, ...]
    events: tuple[str, ...]
    event_endings: tuple[str, ...]
    no_events: tuple[str, ...]
    pointers: tuple[str, ...]
    max_chars: int


class RulesSettings(NamedTuple):
    """The table `[rules]`."""

    files: tuple[str, ...]
    without: tuple[str, ...]
    projects_in: str
    max_chars: int
    sessions: int
    rounds: int
    lifts: tuple[str, ...]
    folders: tuple[str, ...]
    paths: tuple[str, ...]
    projects: tuple[str, ...]
    anywhere: tuple[str, ...]


class Settings:
    """All settings of a workspace."""

    lang: str  # zh, en, auto
    lint: LintSettings
    memory: MemorySettings
    pen: PenSettings
    keeper: KeeperSettings
    extract: ExtractSettings
    night: NightSettings
    decay: DecaySettings
    facts: FactSettings
    scratchpad: ScratchpadSettings
    portrait: PortraitSettings
    compile: CompileSettings
    sentences: SentenceSettings
    recall: RecallSettings
    remember: RememberSettings
    rules: RulesSettings
    store: StoreSettings
    session: SessionSettings
    knowledge: KnowledgeSettings
    learning: LearningSettings
    bundles: BundleSettings
    watch: WatchSettings
    sync: SyncSettings
    artifacts: ArtifactSettings
    attachments: AttachmentSettings
    imports: ImportSettings
    mcp: McpSettings
    agents: AgentsSettings
    pins: PinSettings
    plan: PlanSettings
    search: SearchSettings
    command: CommandSettings
    openai: OpenAISettings
    vectors: VectorSettings
    notebook: NotebookSettings
    tokens: TokensSettings

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values  # validated, as types of TOML and JSON
        self.lang = values["lang"]

    @classmethod
    def known(cls, values: Any) -> Self | None:  # noqa: ANN401 - it is checked here
        """Return the settings from cached values; None if these are invalid."""
        return cls(values) if isinstance(values, dict) and values.keys() == cls.__annotations__.keys() else None

    def replace(self, **tables: object) -> Self:
        """Return a copy with other tables."""
        made = type(self)(self.values)
        vars(made).update(vars(self) | tables)
        return made

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the annotations above declare the types
        """Create a table on first use."""
        table = self.__annotations__.get(name)
        if table is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        values = self.values[name].items()
        made = table(**{key: tuple(value) if isinstance(value, list) else value for key, value in values})
        setattr(self, name, made)
        return made
