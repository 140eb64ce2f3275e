"""Errors that are raised where the language is not known are translated into Chinese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from conftest import Make

import mdmem
from mdmem import errors
from mdmem.errors import ConfigError, MdmemError, UnreadableFileError
from mdmem.messages.catalog import table
from mdmem.messages.translated_errors import in_language

ZH = {key.removeprefix("errors."): text for key, text in table("zh", "errors").items()}
HOUSE = Path(mdmem.__file__).parent
CLASSES = {name for name, one in vars(errors).items() if isinstance(one, type)} | {"OutsideError"}
# What these raise is a fault of the program that calls them, or is said again in a workspace's own words.
RETOLD = ("text/edit.py", "entries/edits", "plan/draft.py", "plan/edits.py", "tools", "entries/joined.py")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def raised() -> Iterator[tuple[str, str]]:
    """Yield each file of the house, with a sentence that an error in it is made of."""
    for path in sorted(HOUSE.rglob("*.py")):
        place = path.relative_to(HOUSE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in CLASSES:
                continue
            for one in (*node.args[:1], *(word.value for word in node.keywords if word.arg == "hint")):
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value:
                    yield place, one.value
                elif isinstance(one, ast.JoinedStr):
                    yield place, ast.unparse(one)


@pytest.mark.thorough
@pytest.mark.slow
def test_every_sentence_that_a_user_can_meet_is_in_the_table() -> None:
    missing = {
        one for one in raised() if not one[0].startswith(RETOLD) and one[1] not in ZH and "pip install" not in one[1]
    }
    assert sorted(missing) == []


@pytest.mark.parametrize("english", ZH)
def test_both_languages_name_the_same_facts(english: str) -> None:
    facts = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (english, ZH[english])]
    assert facts[0] == facts[1] or facts[0] > facts[1] == set()
    assert CHINESE.search(ZH[english])


def test_an_error_is_translated() -> None:
    facts = {"reason": "Permission denied"}
    error = UnreadableFileError("could not be read: {reason}", hint="try again", path="a.md", line=3, facts=facts)
    assert str(error) == "a.md:3: could not be read: Permission denied"
    assert str(in_language(error, "en")) == "a.md:3: could not be read: Permission denied"
    assert (str(in_language(error, "zh")), error.hint) == ("a.md:3: 读不了：没有权限", "再试一次")
    unknown = MdmemError("something {odd}")
    assert in_language(unknown, "zh").message == "something {odd}"


def test_an_unknown_setting_is_reported_in_chinese(make: Make) -> None:
    with pytest.raises(ConfigError) as wrong:
        make("zh", settings="[lint]\nmost = 3\n").lint()
    told = in_language(wrong.value, "zh")
    assert told.message == "不认识的设置 `lint.most`"
    assert told.hint.startswith("最接近的有：")
