"""The tables of the keeper: what a memory is worth, how far it is condensed, who does it; where a sentence ends."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


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


class SentenceSettings(NamedTuple):
    """The table `[sentences]`."""

    titles: tuple[str, ...]
    abbreviations: tuple[str, ...]
    numbered: tuple[str, ...]
    starters: tuple[str, ...]
    after_ordinals: tuple[str, ...]
    quoted_chars: int
