"""Every sentence is there in both languages with the same facts, and is said somewhere; one law for all tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from string import Formatter

import pytest

import mdmem
from mdmem import workspace
from mdmem.entries.edits import content
from mdmem.messages.entries import WORDS, Both, say

NAMES = ("WORDS", "_WORDS")  # of a table
SHARED_HINTS = {"sections", "entries"}  # advices to more than one sentence


def tables() -> dict[str, dict[str, Both]]:
    """Find every table of sentences by the module that it stands in."""
    found = {}
    for module in walk_packages(workspace.__path__, f"{workspace.__name__}."):
        for name in NAMES:
            table = vars(import_module(module.name)).get(name)
            if isinstance(table, dict) and table and all(isinstance(one, Both) for one in table.values()):
                found[module.name] = table
    return found


TABLES = tables()
SENTENCES = [(module, key) for module, table in TABLES.items() for key in table]


def facts(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


@pytest.mark.slow
@pytest.mark.parametrize(("module", "key"), SENTENCES)
def test_both_languages_are_complete_and_use_the_same_facts(module: str, key: str) -> None:
    both = TABLES[module][key]
    assert both.zh.strip()
    assert both.en.strip()
    assert facts(both.zh) == facts(both.en)
    assert not any("\u4e00" <= char <= "\u9fff" for char in both.en)


@pytest.mark.parametrize("module", TABLES)
def test_an_advice_belongs_to_a_sentence_or_is_shared(module: str) -> None:
    hints = {key.removesuffix(".hint") for key in TABLES[module] if key.endswith(".hint")}
    assert hints - TABLES[module].keys() <= SHARED_HINTS


def texts(node: ast.AST) -> Iterator[str]:
    """Give every text in a piece of code, but for those of a table of sentences."""
    if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id in NAMES for one in node.targets):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for inner in ast.iter_child_nodes(node):
        yield from texts(inner)


@pytest.fixture(scope="module")
def said() -> set[str]:
    """Give every text in the code but the tables' own, and the names of notes."""
    files = Path(mdmem.__file__).parent.rglob("*.py")
    found = {text for file in files for text in texts(ast.parse(file.read_text("utf-8")))}
    return found | set((content.EditNote.__doc__ or "").split())


@pytest.mark.slow
@pytest.mark.parametrize("module", TABLES)
def test_every_sentence_is_said_somewhere(module: str, said: set[str]) -> None:
    """Keys stand as texts in the code, in the names of notes, or behind a prefix: `f"name-{why}"`."""
    prefixes = tuple(text for text in said if text.endswith("-") and len(text) > 4)
    keys = [key for key in TABLES[module] if not key.endswith(".hint") and not key.startswith(prefixes)]
    assert [key for key in keys if key not in said] == []


def test_every_note_of_an_intent_has_its_sentence() -> None:
    kinds = [line.split()[0] for line in (content.EditNote.__doc__ or "").splitlines()[2:] if line.strip()]
    silent = {"full", "removed", "unchanged"}  # told by the outcome itself
    assert len(kinds) >= 10
    assert [kind for kind in kinds if kind not in silent and kind not in WORDS] == []


def test_what_nobody_wrote_is_a_mistake_unless_it_is_an_advice() -> None:
    assert say("zh", "outside") == "不允许访问工作区外的文件"
    assert say("en", "renamed.hint") == ""
    with pytest.raises(AssertionError):
        say("en", "no such key")
