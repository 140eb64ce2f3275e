"""Every rule's page is run: its bad examples are found, its good ones are not, its fix gives what it shows.

A fence's info names the file: ```` ```markdown MEMORY.md ````. After it may stand `escaped` (backslash escapes are
characters, for text that nobody can see; one at the end of a line joins it with the next) and settings as `key=number`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Lint

import mdmem.linter.rules
from mdmem.linter.fixes import fix_document
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.text.document import parse

FOLDER = Path(mdmem.linter.rules.__file__).parent
# Rules that cannot be broken alone: a file of the old format breaks those of today, an undated entry has no date.
ALSO = {"MM206": {"MM121", "MM201", "MM301", "MM303", "MM317"}, "MM310": {"MM308"}}
_CHINESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[rnt\\\n])")


class Example(NamedTuple):
    heading: str
    path: str
    text: str
    numbers: dict[str, float]


def page_path(rule: Rule) -> Path:
    return FOLDER / f"{rule.code.lower()}_{rule.name.replace('-', '_')}.md"


def examples(rule: Rule) -> list[Example]:
    document = parse(page_path(rule).read_bytes())
    found = []
    for fence in document.fences:
        words = fence.info.split()
        if not words or words[0] != "markdown":
            continue
        section = next(s for s in reversed(document.sections) if s.heading.start < fence.span.start)
        body = document.text[document.lines.full(fence.line).end : document.lines.span(fence.last_line).start]
        if "escaped" in words:
            body = _ESCAPE.sub(lambda match: match.group().encode().decode("unicode_escape"), body)
        numbers = {
            key: (float(value) if "." in value else int(value))
            for key, _, value in (word.partition("=") for word in words[2:])
            if value
        }
        found.append(Example(section.title, words[1], body, numbers))
    return found


def case_id(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}"


@pytest.mark.parametrize("rule", RULES, ids=case_id)
def test_page_is_complete(rule: Rule) -> None:
    document = parse(page_path(rule).read_bytes())
    assert [section.title for section in document.sections if section.level < 3] == [
        f"{rule.code} {rule.name}", "Why", "Bad", "Good", "Fix",
    ]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=case_id)
def test_bad_is_found_in_both_languages(rule: Rule, lint: Lint) -> None:
    bad = [example for example in examples(rule) if example.heading == "Bad"]
    assert bad or rule.scope == "file", "a page needs a bad example"
    for example in bad:
        for lang in ("en", "zh"):
            found = lint(example.text, example.path, lang=lang, **example.numbers)
            assert rule.code in {d.code for d in found}, example.text


@pytest.mark.parametrize("rule", RULES, ids=case_id)
def test_an_english_bad_example_shows_one_rule(rule: Rule, lint: Lint) -> None:
    for example in examples(rule):
        if example.heading == "Bad" and not _CHINESE.search(example.text):
            found = {d.code for d in lint(example.text, example.path, **example.numbers)}
            assert found - ALSO.get(rule.code, set()) == {rule.code}, example.text


@pytest.mark.parametrize("rule", RULES, ids=case_id)
def test_good_is_not_found(rule: Rule, lint: Lint) -> None:
    for example in examples(rule):
        if example.heading == "Good":
            found = lint(example.text, example.path, **example.numbers)
            assert [d for d in found if d.code == rule.code] == [], example.text


@pytest.mark.parametrize("rule", RULES, ids=case_id)
def test_fix_gives_what_the_page_shows(rule: Rule, lint: Lint) -> None:
    bad = [example for example in examples(rule) if example.heading == "Bad"]
    shown = [example for example in examples(rule) if example.heading == "Fix"]
    for index, example in enumerate(bad):
        result = fix_document(
            parse(example.text.encode("utf-8", "surrogateescape")),
            lambda document, e=example: [  # type: ignore[misc]
                d for d in lint(document, e.path, **e.numbers) if d.code == rule.code
            ],
        )
        if shown:
            assert shown[index].text == result.document.text
            assert result.remaining == ()
        else:
            assert result.applied == 0, "a rule that fixes shows the result on its page"
