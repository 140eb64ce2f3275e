"""A fact as a reader sees it alone: a bare value stands behind its predicate, a sentence stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.facts.read import fact_words
from mdmem.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "predicate", "kind", "shown"),
    [
        ("black tea", "morning drink", "fact", "morning drink: black tea"),
        ("43", "shoe_size", "", "shoe size: 43"),
        ("dark chocolate", "likes", "preference", "likes: dark chocolate"),
        ("红茶", "早上喝", "fact", "早上喝: 红茶"),
        ("3.12", "Python版本", "fact", "Python版本: 3.12"),
        ("lives in Oslo", "lives_in", "fact", "lives in Oslo"),
        ("lives in Oslo", "city", "fact", "lives in Oslo"),
        ("the shoes are size 43", "shoe_size", "fact", "the shoes are size 43"),
        ("Python 升级到 3.12", "Python版本", "fact", "Python 升级到 3.12"),
        ("two cups of black tea, and a third one on Sundays", "morning drink", "fact",
         "two cups of black tea, and a third one on Sundays"),
        ("Answer in English", "language", "rule", "Answer in English"),
        ("black tea", "", "fact", "black tea"),
    ],
)  # fmt: skip
def test_what_a_reader_sees(tmp_path: Path, text: str, predicate: str, kind: str, shown: str) -> None:
    words = fact_words(Workspace(tmp_path, lang="en").config)
    assert words.shown(text, predicate, kind, ": ") == shown
