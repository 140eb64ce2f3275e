"""Front matter values that one reader of YAML takes for a date or a number, and another for text."""

from __future__ import annotations

import pytest
from conftest import Lint


def disputed(lint: Lint, line: str, path: str = "MEMORY.md") -> list[str]:
    found = lint(f"---\ntitle: boats\n{line}\n---\n# 🧠 记忆\n", path)
    return [one.message for one in found if one.code == "MM110"]


@pytest.mark.parametrize("value", ["2026-11", "2026-1-5", "12:30", "190:20:30", "010", "0o17", "[a, 2026-03]"])
def test_a_value_that_programs_read_differently_is_told(value: str, lint: Lint) -> None:
    assert disputed(lint, f"since: {value}")
    assert not disputed(lint, f"since: {value}", "docs/boats.md")


def test_the_message_quotes_the_value_as_it_stands(lint: Lint) -> None:
    assert "`010`" in disputed(lint, "count: 010")[0]


@pytest.mark.parametrize(
    "value", ['"2026-11"', "2026-11-02", "'12:30'", "12", "0", "1.5", "true", "in 2026-11", "yes", "20260215_190000"]
)
def test_a_value_that_all_read_alike_is_not(value: str, lint: Lint) -> None:
    assert not disputed(lint, f"since: {value}")
