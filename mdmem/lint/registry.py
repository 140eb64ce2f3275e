"""Every rule, in the order of its code: the one list there is. A retired code stays here as a comment."""

from __future__ import annotations

from mdmem.lint.rule import Rule
from mdmem.lint.rules import (
    mm102_byte_order_mark,
    mm118_unused_suppression,
    mm301_multi_line_entry,
    mm401_section_over_cap,
    mm501_secret,
    mm502_spoken_password,
    mm503_instruction_override,
    mm504_role_tag,
    mm505_exfiltration_link,
    mm506_escaping_link,
    mm507_encoded_payload,
)

RULES: tuple[Rule, ...] = (
    mm102_byte_order_mark.RULE,
    mm118_unused_suppression.RULE,
    mm301_multi_line_entry.RULE,
    mm401_section_over_cap.RULE,
    mm501_secret.RULE,
    mm502_spoken_password.RULE,
    mm503_instruction_override.RULE,
    mm504_role_tag.RULE,
    mm505_exfiltration_link.RULE,
    mm506_escaping_link.RULE,
    mm507_encoded_payload.RULE,
)

UNUSED_SUPPRESSION = mm118_unused_suppression.RULE
