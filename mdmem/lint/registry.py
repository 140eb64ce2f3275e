"""Every rule, in the order of its code: the one list there is. A retired code stays here as a comment."""

from __future__ import annotations

from mdmem.lint.rule import Rule
from mdmem.lint.rules import (
    mm102_byte_order_mark,
    mm118_unused_suppression,
    mm301_multi_line_entry,
    mm302_nested_entry,
    mm303_wrong_marker,
    mm304_empty_entry,
    mm305_duplicate_entry,
    mm306_near_duplicate,
    mm307_raw_output,
    mm308_missing_date,
    mm309_impossible_date,
    mm310_relative_date,
    mm311_unknown_field,
    mm312_invalid_field,
    mm313_missing_field,
    mm314_duplicate_id,
    mm315_dangling_reference,
    mm316_placeholder,
    mm317_prose_entry,
    mm401_section_over_cap,
)

RULES: tuple[Rule, ...] = (
    mm102_byte_order_mark.RULE,
    mm118_unused_suppression.RULE,
    mm301_multi_line_entry.RULE,
    mm302_nested_entry.RULE,
    mm303_wrong_marker.RULE,
    mm304_empty_entry.RULE,
    mm305_duplicate_entry.RULE,
    mm306_near_duplicate.RULE,
    mm307_raw_output.RULE,
    mm308_missing_date.RULE,
    mm309_impossible_date.RULE,
    mm310_relative_date.RULE,
    mm311_unknown_field.RULE,
    mm312_invalid_field.RULE,
    mm313_missing_field.RULE,
    mm314_duplicate_id.RULE,
    mm315_dangling_reference.RULE,
    mm316_placeholder.RULE,
    mm317_prose_entry.RULE,
    mm401_section_over_cap.RULE,
)

UNUSED_SUPPRESSION = mm118_unused_suppression.RULE
