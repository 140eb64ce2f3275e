"""The tables of the keeper: how it condenses, what it extracts, and what it does at night."""

from typing import NamedTuple

HEADLESS = ("claude", "codex", "gemini")  # agents whose own programs may be asked as a model
MODELS = ("command", "openai", *HEADLESS)  # the backends that ask a model


class KeeperSettings(NamedTuple):
    """The table `[keeper]`."""

    backend: str
    calls_per_day: int
    tokens_per_day: int
    rules: tuple[str, ...]
    conditions: tuple[str, ...]
    corrections: tuple[str, ...]
    wishes: tuple[str, ...]
    imperatives: tuple[str, ...]
    orders: tuple[str, ...]
    bans: tuple[str, ...]
    duties: tuple[str, ...]
    lasting: tuple[str, ...]
    general: tuple[str, ...]
    states: tuple[str, ...]
    addressees: tuple[str, ...]
    persons: tuple[str, ...]
    wants: tuple[str, ...]
    things: tuple[str, ...]
    pronouns: tuple[str, ...]
    adverbs: tuple[str, ...]
    adverbials: tuple[str, ...]
    openers: tuple[str, ...]
    no_verbs: tuple[str, ...]
    narrative: tuple[str, ...]
    no_rules: tuple[str, ...]
    confidences: tuple[str, ...]
    confidence_rows: tuple[str, ...]
    confidence_fillers: tuple[str, ...]
    confidences_ahead: tuple[str, ...]
    confidences_all: tuple[str, ...]
    no_confidences: tuple[str, ...]
    confidences_dropped: tuple[str, ...]
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
    copy_weight: float
    fact_weight: int
    order_weight: float
    view_titles: int
    fresh_days: int
    tidy_at: float
    tidy_to: float
    roll_to: float
    least_supported: float
    least_kept: float
    full_at: float
    unsure: tuple[str, ...]
    max_answer_chars: int
    tries: int
    retry_seconds: int
    max_retry_seconds: int
    named: int
    named_chars: int


class ExtractSettings(NamedTuple):
    """The table `[extract]`."""

    tries: int
    lease_seconds: int
    rounds: int
    max_items: int
    max_chars: int
    clause_chars: int
    sentence_chars: int
    least_importance: float
    shown_facts: int
    inbox_changes: int
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
    firm: tuple[str, ...]
    bounds: tuple[str, ...]
    agreed: tuple[str, ...]
    remember: tuple[str, ...]
    remember_not: tuple[str, ...]
    remember_orders: tuple[str, ...]
    note_importance: float
    said_now: tuple[str, ...]
    pause: int
    takebacks: tuple[str, ...]
    said_cover: float
    denied_cover: float
    unsure_cover: float
    claim_share: float
    withdrawals: tuple[str, ...]
    mistakes: tuple[str, ...]
    rule_endings: tuple[str, ...]
    rule_names: tuple[str, ...]
    rule_ends: tuple[str, ...]
    deed_endings: tuple[str, ...]
    happenings: tuple[str, ...]
    recipients: tuple[str, ...]
    parted_endings: tuple[str, ...]
    stale: tuple[str, ...]
    told: tuple[str, ...]
    right_words: tuple[str, ...]
    right_ends: tuple[str, ...]
    negations: tuple[str, ...]
    past_negations: tuple[str, ...]
    past_habits: tuple[str, ...]
    verdicts: tuple[str, ...]
    endings: tuple[str, ...]
    end_times: tuple[str, ...]
    claim_fillers: tuple[str, ...]
    change_signs: tuple[str, ...]
    model_confidence: float
    reminders: tuple[str, ...]
    one_off: tuple[str, ...]
    pronouns: tuple[str, ...]
    no_owners: tuple[str, ...]
    others: tuple[str, ...]
    own_words: tuple[str, ...]
    own_uses: tuple[str, ...]
    name_openers: tuple[str, ...]
    states: tuple[str, ...]
    degrees: tuple[str, ...]
    acts: tuple[str, ...]
    doings: tuple[str, ...]
    no_doings: tuple[str, ...]
    updates_on: tuple[str, ...]
    events_on: tuple[str, ...]
    reasons: tuple[str, ...]
    kin: tuple[str, ...]
    intended: tuple[str, ...]
    requests: tuple[str, ...]
    no_requests: tuple[str, ...]
    finite: tuple[str, ...]
    objects: tuple[str, ...]
    material: tuple[str, ...]
    compositions: tuple[str, ...]
    fiction: tuple[str, ...]
    reports: tuple[str, ...]
    no_reports: tuple[str, ...]
    introductions: tuple[str, ...]
    speakers: int
    private: tuple[str, ...]
    harmless: tuple[str, ...]
    small_talk: tuple[str, ...]
    doubtful: tuple[str, ...]
    openers: tuple[str, ...]
    adverbs: tuple[str, ...]
    past_adverbs: tuple[str, ...]
    hypotheses: tuple[str, ...]
    alterations: tuple[str, ...]
    nows: tuple[str, ...]
    since: tuple[str, ...]
    since_ends: tuple[str, ...]
    since_times: tuple[str, ...]
    since_back: tuple[str, ...]
    formerly: tuple[str, ...]
    pointing: tuple[str, ...]
    patterns: tuple[str, ...]
    lists: tuple[str, ...]


class NightSettings(NamedTuple):
    """The table `[night]`; the shipped file says what each value is for."""

    enabled: bool
    at: str
    calls: int
    tokens: int
    minutes: int
    failures: int
    lease_seconds: int
    batch: int
    dedup: tuple[str, ...]
    near: float
    least_words: int
    unsure: float
    light: tuple[str, ...]
    portrait: tuple[str, ...]
    daily_days: int
    artifacts: bool


class DecaySettings(NamedTuple):
    """The table `[decay]`."""

    enabled: bool
    pinned: tuple[str, ...]
