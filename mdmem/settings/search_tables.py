"""The tables of mdmem.toml that search and recall read; the shipped file says what each value is for."""

from typing import NamedTuple


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
    covered: float
    meaning_alone: float
    covered_power: int
    choice_words: int
    old_things: tuple[str, ...]
    stories: tuple[str, ...]
    after: float
    before: float
    fade: float
    answer: float
    without_speaker: float
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
    role: float
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
    sharing: tuple[str, ...]
    counting: tuple[str, ...]
    open_entries: tuple[str, ...]
    checked: int
    known: float
    evidence: float
    most_evidence: float
    named: float
    unknown: float
    unknown_below: float
    unknown_below_growth: float
    common: tuple[str, ...]
    common_share: float
    sure_share: float
    sure_growth: float
    sure_words: float
    sure_more: float
    sure_asks: float
    sure_rest: float
    sure_before: int
    sure_after: int
    sure_said: float
    sure_meaning: float
    sure_alike: float
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

    linked: tuple[str, ...]
    lock_seconds: int
    garbage: float
    k1: float
    b: float
    heading_weight: float
    max_headings: int
    max_tied_headings: int
    query_chars: int
    terms: int
    phrases: int
    typos: int
    typo_letters: int
    snippet_chars: int
    snippet_before: int
    snippet_fields: tuple[str, ...]
    generated: tuple[str, ...]
