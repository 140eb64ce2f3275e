"""The table of the linter; the shipped `mdmem.toml` says what each value of any table is for."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


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
