"""The tables of the keeper: what a memory is worth, how far it is condensed, who does it; where a sentence ends."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


class KeeperSettings(NamedTuple):
    """The table `[keeper]`."""

    backend: str
    rules: tuple[str, ...]
    corrections: tuple[str, ...]
    said_rules: tuple[str, ...]
    no_rules: tuple[str, ...]
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
    fresh_days: int
    tidy_to: float
    distil_to: float
    distil_min_chars: int
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
