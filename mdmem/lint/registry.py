"""Every rule, in the order of its code: the one list there is. A retired code stays here as a comment."""

from __future__ import annotations

from mdmem.lint.rule import Rule
from mdmem.lint.rules import (
    mm102_byte_order_mark,
    mm118_unused_suppression,
    mm201_missing_section,
    mm202_unknown_section,
    mm203_duplicate_section,
    mm204_misplaced_section,
    mm205_section_alias,
    mm206_bracket_section,
    mm207_stray_text,
    mm301_multi_line_entry,
    mm401_section_over_cap,
    mm402_section_at_threshold,
    mm403_entry_too_long,
    mm404_file_over_limit,
    mm405_file_near_limit,
    mm406_expired_entry,
    mm407_too_many_entries,
    mm601_task_pointer,
    mm602_task_phase,
    mm603_session_name,
    mm604_session_parts,
    mm605_daily_name,
    mm606_session_times,
)

RULES: tuple[Rule, ...] = (
    mm102_byte_order_mark.RULE,
    mm118_unused_suppression.RULE,
    mm201_missing_section.RULE,
    mm202_unknown_section.RULE,
    mm203_duplicate_section.RULE,
    mm204_misplaced_section.RULE,
    mm205_section_alias.RULE,
    mm206_bracket_section.RULE,
    mm207_stray_text.RULE,
    mm301_multi_line_entry.RULE,
    mm401_section_over_cap.RULE,
    mm402_section_at_threshold.RULE,
    mm403_entry_too_long.RULE,
    mm404_file_over_limit.RULE,
    mm405_file_near_limit.RULE,
    mm406_expired_entry.RULE,
    mm407_too_many_entries.RULE,
    mm601_task_pointer.RULE,
    mm602_task_phase.RULE,
    mm603_session_name.RULE,
    mm604_session_parts.RULE,
    mm605_daily_name.RULE,
    mm606_session_times.RULE,
)

UNUSED_SUPPRESSION = mm118_unused_suppression.RULE
