"""Every rule, in the order of its code: the one list there is. A retired code stays here as a comment."""

from __future__ import annotations

from mdmem.lint.rule import Rule
from mdmem.lint.rules import (
    mm102_byte_order_mark,
    mm118_unused_suppression,
    mm301_multi_line_entry,
    mm401_section_over_cap,
)

RULES: tuple[Rule, ...] = (
    mm102_byte_order_mark.RULE,
    mm118_unused_suppression.RULE,
    mm301_multi_line_entry.RULE,
    mm401_section_over_cap.RULE,
)

UNUSED_SUPPRESSION = mm118_unused_suppression.RULE
