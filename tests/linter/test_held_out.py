"""Sentences that were written without a look at the detectors: how many secrets are found, and that nothing else is.

`held_out/secrets_LANG.txt` and `harmless_LANG.txt` hold one sentence a line. Make
no pattern for one of these lines: they measure what is found of sentences that nobody had in mind.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.linter.masking import every_secret

FOLDER = Path(__file__).parent / "held_out"
FOUND = {"en": 52, "zh": 58}  # of 60


def sentences(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("lang", FOUND)
def test_secrets_are_found(lang: str) -> None:
    missed = [line for line in sentences(f"secrets_{lang}") if not list(every_secret(line))]
    assert len(sentences(f"secrets_{lang}")) - len(missed) >= FOUND[lang], missed


@pytest.mark.parametrize("lang", FOUND)
def test_nothing_else_is(lang: str) -> None:
    assert not [line for line in sentences(f"harmless_{lang}") if list(every_secret(line))]
