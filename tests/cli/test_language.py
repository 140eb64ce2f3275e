"""A Chinese workspace hears no English, an English one no Chinese: help, usage errors, rule pages, hook, init."""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from messages_list import tables
from typer.core import TyperArgument
from verbs import commands, paths

from mdmem import rule_page
from mdmem.cli import app
from mdmem.cli.console import width
from mdmem.cli.grammar.verbs import VERBS
from mdmem.cli.output import guard
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.messages.catalog import table

PATHS = list(dict.fromkeys([*((name,) for name in VERBS), *paths()]))
# Names, not sentences: quoted text, options, paths, capitals, words that stand for themselves.
NAMED = re.compile(
    r"`[^`]*`|\"[^\"]*\"|\{[^}]*\}|--?[\w-]+|[\w./-]*[/._][\w./-]*|\b[A-Z][A-Z0-9_-]*\b|\w+\|[\w|]+|\w+:\w*|\^\w*|\[\w*…?\]"
)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
BLOCK = re.compile(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1$")
WRONG = (
    ("nope",), ("find", "x"), ("add",), ("add", "--sektion", "x"), ("status", "--json=1"), ("log", "-n", "x"),
    ("log", "-n0"), ("lint", "--fail-on", "all"), ("lint", "--select"), ("lint", "nowhere.md"), ("lint", "*.txt"),
    ("lint", "--staged", "--fix"), ("lint", "-", "MEMORY.md"), ("lint", "--stdin-filename", "x"), ("hook",),
    ("pin", "nope"), ("show", "MEMORY.md", "USER.md"), ("explain", "MM999"), ("busy", "--for", "long"), ("search",),
    ("context", "--json", "--explain"), ("session", "turn", "user", "a", "b"), ("artifact", "list", "--since", "now"),
    ("edit", "MEMORY.md", "--new", "x"), ("add", "MEMORY.md", "x", "--field", "y"), ("compact", "--prompt", "--plan"),
    ("session", "record", "a", "--task", "b"), ("status", "--root", "nowhere"), ("lint", "empty"),
    ("forget", "面试"), ("context", "--rounds", "MEMORY.md"), ("context", "--rounds", "nowhere.json"),
    ("context", "nope"), ("search", "--since", "soon", "x"), ("search", "--limit", "0", "x"),
    ("lint", "--select", "XY9"), ("busy", "--for", "1m", "--name", "a b"),
    ("show", "empty"), ("show", "mdmem.toml/x"), ("lint", "--staged"), ("hook", "install"),
    ("context", "--agent", "../x"), ("artifact", "grep", "x", "("), ("pin", "add", "x", "--field", "y"),
    ("init", ""), ("remember", "牙医几点？"), ("context", "--budget", "-1"),
    ("edit", "MEMORY.md", "--old", "", "--new", "x"),
)  # fmt: skip


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "empty").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.parent / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder)
    return folder


def said(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    """Run a command line in this process; give its exit code and all that it printed."""
    from mdmem.cli.language import language

    language.cache_clear()
    monkeypatch.setattr(sys, "argv", ["mdmem", *words])
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out), redirect_stderr(out):
        code = guard(lambda: app.main(words))
    out.seek(0)
    return code, out.read()


def english(text: str) -> list[str]:
    """Find English sentences: three plain words in a row."""
    text = re.sub(r"^用法：.*", "", text, flags=re.MULTILINE)
    plain = NAMED.sub(" ", re.sub(r"\n {4,}", " ", text))
    return re.findall(r"[a-z]{2,}(?: [a-z]+){2,}", plain)


def speak(folder: Path, lang: str) -> None:
    (folder / "mdmem.toml").write_text(f'lang = "{lang}"\n', "utf-8")


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_help_speaks_one_language_within_80_columns(
    lang: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak(here, lang)
    for words in ((), *PATHS):
        code, text = said(monkeypatch, *words, "--help")
        assert code == 0, words
        foreign = english(text) if lang == "zh" else CHINESE.findall(text)
        assert not foreign, (words, foreign)
        for line in text.splitlines():
            assert width(line) <= 80, (words, line)


@pytest.mark.parametrize(("own", "locale"), [("zh", "en_US.UTF-8"), ("en", "zh_CN.UTF-8"), ("zh", "C")])
def test_a_report_from_the_cache_speaks_the_language_that_is_asked_for(
    here: Path, monkeypatch: pytest.MonkeyPatch, own: str, locale: str
) -> None:
    speak(here, own)
    (here / "notes.md").write_text("text\u200bwith hidden signs\n", "utf-8")
    monkeypatch.setenv("LC_ALL", locale)
    for asked in (None, "en", "zh", None, "zh", "en", None):
        _, text = said(monkeypatch, "lint", *(("--lang", asked) if asked else ()))
        assert ("个文件" in text) is ((asked or own) == "zh"), (asked, text)
        assert ("隐" in text or "看不见" in text) is ((asked or own) == "zh"), (asked, text)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_every_wrong_call_is_told_in_one_language(
    words: tuple[str, ...], lang: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak(here, lang)
    code, text = said(monkeypatch, *words)
    assert code > 1
    text = text.replace("主人说周五有面试", "").replace("面试", "")  # what the file and the call say
    foreign = english(text) if lang == "zh" else CHINESE.findall(text.replace(str(here), ""))
    assert not foreign, text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_rules_init_hook_and_config_speak_one_language(
    lang: str, here: Path, monkeypatch: pytest.MonkeyPatch, git: object
) -> None:
    speak(here, lang)
    assert git
    for words in (("explain",), ("init",), ("hook", "install"), ("hook", "uninstall"), ("busy",), ("log",)):
        code, text = said(monkeypatch, *words)
        assert code == 0, text
        prose = text
        if words == ("explain",):  # a rule's name is English in both
            prose = re.sub(r"MM\d+\s+[a-z-]+", "", text)
        foreign = english(prose) if lang == "zh" else CHINESE.findall(prose)
        if (lang, words) == ("en", ("explain",)):
            foreign = []  # pages name Chinese words where they are about them
        assert not foreign, (words, foreign)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_page_in_both_languages(rule: Rule, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    speak(here, "zh")
    code, text = said(monkeypatch, "explain", rule.code)
    assert code == 0
    prose = BLOCK.sub("", text.split("\n", 1)[1])
    assert not english(prose), english(prose)
    assert "## 为什么" in text
    assert "## 修复" in text
    assert "## Why" in said(monkeypatch, "explain", rule.code, "--lang", "en")[1]


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_in_english_a_rule_has_each_of_its_english_examples_and_no_chinese_one(
    rule: Rule, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    speak(here, "en")
    _, page = said(monkeypatch, "explain", rule.code)
    blocks = [block[0] for block in BLOCK.finditer(rule_page(rule))]
    assert [block[0] for block in BLOCK.finditer(page)] == [block for block in blocks if not CHINESE.search(block)]
    prose = BLOCK.sub("```", page)
    assert not re.findall(r"^```.+|^````.*", prose, re.MULTILINE), "half a block"
    assert not re.findall(r"^.*:\n\n(?!```|- ).*", prose, re.MULTILINE), "a caption without its example"


def test_a_rules_examples_are_in_the_script_of_the_reader(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    speak(here, "en")
    for lang, mine, other in (("en", "interview on Friday", "交周报"), ("zh", "交周报", "interview on Friday")):
        text = said(monkeypatch, "explain", "MM310", "--lang", lang)[1]
        assert (mine in text, other in text) == (True, False)


def test_what_other_programs_call_it_is_answered_with_the_verb(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(here, "en")
    for key, words in table("en", "habit").items():
        code, text = said(monkeypatch, words.split()[0])
        assert (code, f"`{key.partition('.')[2]}`" in text) == (2, True)
    assert "`status`" in said(monkeypatch, "statsu")[1]


def test_each_argument_has_a_name_in_every_language() -> None:
    english = tables("en")
    for path, command in commands():
        for one in command.params:
            if isinstance(one, TyperArgument):
                word = "-".join(re.findall("[A-Za-z]+", one.metavar or one.name)).lower()
                assert f"argument.{word}" in english, (path, word)
