"""Every sentence is there in both languages with the same facts, and is said somewhere; one law for all tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from string import Formatter
from typing import Any, NamedTuple

import pytest

import mdmem
from mdmem.entries.edits import content
from mdmem.linter.registry import RULES
from mdmem.messages.entries import WORDS, say

NAMES = ("WORDS", "_WORDS")  # of a table
LANGUAGES = {"zh", "en"}
FORMAT_WORDS = {"success", "partial", "failed", "ongoing"}  # English words of a file, which English shows as they are
UNSAID = {"needs-subverb", "agent-line"}  # nobody says these any more
SHARED_HINTS = {"sections", "entries"}  # advices to more than one sentence


class Bilingual(NamedTuple):
    """A sentence in both languages, whatever the shape of its table."""

    zh: str
    en: str


def read_table(table: object) -> dict[str, Bilingual]:
    """Return the sentences of a table by their keys; nothing for what is no table of sentences in two languages."""
    if not isinstance(table, Mapping) or not table:
        return {}
    if table.keys() == LANGUAGES and all(isinstance(one, Mapping) for one in table.values()):
        zh, en = table["zh"], {word: word for word in FORMAT_WORDS & table["zh"].keys()} | table["en"]
        return {key: Bilingual(zh.get(key, ""), en.get(key, "")) for key in zh | en}
    said = {key: one for key, value in table.items() if (one := read_pair(value))}
    assert len(said) in (0, len(table)), f"not in two languages: {table.keys() - said.keys()}"
    return said


def read_pair(value: Any) -> Bilingual | None:
    """Return what is said in two languages: by name, or one beside the other, the Chinese first or last."""
    if hasattr(value, "zh") and hasattr(value, "en"):
        return Bilingual(value.zh, value.en)
    if not isinstance(value, tuple) or len(value) != 2 or not all(isinstance(one, str | tuple) for one in value):
        return None
    first, second = (one if isinstance(one, str) else "\n".join(one) for one in value)
    return Bilingual(second, first) if is_chinese(second) else Bilingual(first, second)


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


@cache
def tables() -> dict[str, dict[str, Bilingual]]:
    """Return every table of sentences by the module that it stands in, and that of the rules."""
    found: dict[str, dict[str, Bilingual]] = {}
    for module in walk_packages(mdmem.__path__, f"{mdmem.__name__}."):
        if not module.name.endswith("__main__"):
            for name in NAMES:
                if table := read_table(vars(import_module(module.name)).get(name)):
                    found[module.name] = found.get(module.name, {}) | table
    found["rules"] = {
        f"{rule.code}.{part}": Bilingual(getattr(rule.zh, part), getattr(rule.en, part))
        for rule in RULES for part in ("message", "hint") if rule.zh.hint or rule.en.hint or part == "message"
    }  # fmt: skip
    return found


TABLES = {module: table for module, table in tables().items() if module != "rules"}  # their keys stand in the code


def facts(sentence: str) -> set[str]:
    """Return the facts that a sentence is filled with; `{what.zh}` and `{what.en}` are one fact in two languages."""
    return {name.partition(".")[0] for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_both_languages_are_complete_and_use_the_same_facts() -> None:
    wrong = [
        f"{module} {key}: {problem}"
        for module, table in tables().items()
        for key, said in table.items()
        for problem in problems(said)
    ]
    assert sum(map(len, tables().values())) > 600
    assert wrong == []


def problems(said: Bilingual) -> Iterator[str]:
    if not said.zh.strip() or not said.en.strip():
        yield f"is not there in both languages: {said}"
    if facts(said.zh) != facts(said.en):
        yield f"facts differ: {sorted(facts(said.zh))} {sorted(facts(said.en))}"
    if is_chinese(said.en):
        yield f"Chinese in English: {said.en}"


def test_an_advice_belongs_to_a_sentence_or_is_shared() -> None:
    for module, table in TABLES.items():
        keys = table.keys()
        hints = {key.removesuffix(".hint") for key in keys if key.endswith(".hint")}
        assert hints - keys <= SHARED_HINTS, module


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


def test_every_sentence_is_said_somewhere(said: set[str]) -> None:
    """Keys are texts in the code, names of notes, begin with a prefix (`f"name-{why}"`), or end with a plural's s."""
    prefixes = tuple(text for text in said if text.endswith("-") and len(text) > 4)
    keys = {key for table in TABLES.values() for key in table if not key.endswith(".hint")}
    assert len(keys) > 400
    assert {key for key in keys - said if not key.startswith(prefixes) and key.removesuffix("s") not in said} == UNSAID


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
