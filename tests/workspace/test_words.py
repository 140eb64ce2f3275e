"""Both languages say everything, and with the same facts."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

import mdmem
from mdmem.core.intent import note
from mdmem.workspace.words import WORDS, say


def facts(sentence: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(sentence) if name is not None)


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_are_complete_and_use_the_same_facts(key: str) -> None:
    both = WORDS[key]
    assert both.zh.strip()
    assert both.en.strip()
    assert facts(both.zh) == facts(both.en)
    assert not any("\u4e00" <= char <= "\u9fff" for char in both.en)


def test_an_advice_belongs_to_a_sentence_or_is_shared() -> None:
    hints = {key.removesuffix(".hint") for key in WORDS if key.endswith(".hint")}
    assert hints - WORDS.keys() == {"sections", "entries"}


def test_every_sentence_is_said_somewhere() -> None:
    """Keys stand as texts in the code, in the names of notes, or behind a prefix: `f"name-{why}"`."""
    folder = Path(mdmem.__file__).parent / "workspace"
    said = {
        node.value
        for file in folder.rglob("*.py")
        if file != folder / "words.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    said |= set((note.Note.__doc__ or "").split())
    prefixes = tuple(text for text in said if text.endswith("-") and len(text) > 4)
    keys = [key for key in WORDS if not key.endswith(".hint") and not key.startswith(prefixes)]
    assert [key for key in keys if key not in said] == []


def test_every_note_of_an_intent_has_its_sentence() -> None:
    kinds = [line.split()[0] for line in (note.Note.__doc__ or "").splitlines()[2:] if line.strip()]
    silent = {"full", "removed", "unchanged"}  # told by the outcome itself
    assert len(kinds) >= 10
    assert [kind for kind in kinds if kind not in silent and kind not in WORDS] == []


def test_what_nobody_wrote_is_a_mistake_unless_it_is_an_advice() -> None:
    assert say("zh", "outside") == "不允许访问工作区外的文件"
    assert say("en", "renamed.hint") == ""
    with pytest.raises(AssertionError):
        say("en", "no such key")
