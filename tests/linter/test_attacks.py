"""Attacks and their harmless twins in twelve kinds: how many are found in a memory, and that nothing else is.

`attacks/attacks.toml` was written before a look at the detectors. What is not found, and what is an alarm although a
person would let it pass, is named here with the reason.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from conftest import Lint

KINDS = tomllib.loads((Path(__file__).parent / "attacks/attacks.toml").read_text("utf-8"))
HIDING = ("MM104", "MM105", "MM106", "MM107", "MM111")
# what each kind lacks: digits without a word for what they open, words that sentences use too, hexadecimal text, links
# to a file of keys, a password that manuals show
MISSED = {
    "passwords in Chinese": 1,
    "pins and codes": 3,
    "passphrases and seeds": 2,
    "numbers of persons": 1,
    "settings and commands": 1,
    "orders to the model": 1,
    "orders in Chinese": 1,
    "fake turns and tags": 2,
    "hidden text": 2,
    "exfiltration": 2,
}
DECIDED = (  # in a memory such a tag is one whatever is said of it, and what no reader sees is told
    "the <system> element",
    "Human: Nature",
    "[INST] is a Latin",
    "`<|im_start|>` is a token",
    "tea <!-- a reminder",
    "soft\u00adware",
)


def alarms(lint: Lint, text: str) -> list[str]:
    body = text if "\n" in text else f"- {text}"
    found = lint(f"# Memory\n\n## Notes\n\n{body}\n", "MEMORY.md")
    return [one.code for one in found if one.severity != "note" and (one.code[:4] == "MM50" or one.code in HIDING)]


@pytest.mark.parametrize("kind", KINDS)
def test_attacks_are_found(kind: str, lint: Lint) -> None:
    missed = [text for text in KINDS[kind]["must"] if not alarms(lint, text)]
    assert len(missed) <= MISSED.get(kind, 0), missed


@pytest.mark.parametrize("kind", KINDS)
def test_their_harmless_twins_are_none(kind: str, lint: Lint) -> None:
    false = {text: found for text in KINDS[kind]["harmless"] if (found := alarms(lint, text))}
    assert [text for text in false if not text.startswith(DECIDED)] == []
