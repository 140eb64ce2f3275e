"""Every rule, in the order of its code: the one list there is. A retired code stays here as a comment."""

from __future__ import annotations

from mdmem.lint.rule import Rule
from mdmem.lint.rules import (
    mm101_undecodable_text,
    mm102_byte_order_mark,
    mm103_mixed_line_endings,
    mm104_control_character,
    mm105_hidden_character,
    mm106_bidi_control,
    mm107_mixed_script_word,
    mm108_missing_final_newline,
    mm109_broken_front_matter,
    mm110_dangerous_front_matter,
    mm111_hidden_comment,
    mm112_unbalanced_auto_mark,
    mm113_conflict_marker,
    mm114_conflicted_copy,
    mm115_oversized_file,
    mm116_oversized_line,
    mm117_unclosed_block,
    mm118_unused_suppression,
    mm119_not_a_file,
    mm301_multi_line_entry,
    mm401_section_over_cap,
)

RULES: tuple[Rule, ...] = (
    mm101_undecodable_text.RULE,
    mm102_byte_order_mark.RULE,
    mm103_mixed_line_endings.RULE,
    mm104_control_character.RULE,
    mm105_hidden_character.RULE,
    mm106_bidi_control.RULE,
    mm107_mixed_script_word.RULE,
    mm108_missing_final_newline.RULE,
    mm109_broken_front_matter.RULE,
    mm110_dangerous_front_matter.RULE,
    mm111_hidden_comment.RULE,
    mm112_unbalanced_auto_mark.RULE,
    mm113_conflict_marker.RULE,
    mm114_conflicted_copy.RULE,
    mm115_oversized_file.RULE,
    mm116_oversized_line.RULE,
    mm117_unclosed_block.RULE,
    mm118_unused_suppression.RULE,
    mm119_not_a_file.RULE,
    mm301_multi_line_entry.RULE,
    mm401_section_over_cap.RULE,
)

UNUSED_SUPPRESSION = mm118_unused_suppression.RULE
