"""The reasons of changes are printed in the reader's language; the log keeps what was written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from conftest import Make
from hypothesis import given
from hypothesis import strategies as st

import mdmem
from mdmem import Workspace, errors
from mdmem.cli.app import main
from mdmem.errors import ConfigError, MdmemError, UnreadableFileError
from mdmem.messages.catalog import say, table
from mdmem.messages.folders import languages
from mdmem.messages.reasons import reason_in
from mdmem.messages.translated_errors import in_language
from mdmem.portrait import service as portrait
from mdmem.store import pen, recovery
from mdmem.store.history.versions import FORGET, PRUNE
from mdmem.watch import saved_versions

HAN = re.compile(r"[\u4e00-\u9fff]")
STABLE = [
    f"{portrait._REASON}user",
    "compile: SOUL.md",
    pen._LATE,
    pen._TORN,
    pen._LOST,
    f"{pen._ASIDE}: .mdmem/journal/aside/x",
    f"{portrait._REASON}memory ({recovery._EDITED}MEMORY.md, USER.md)",
    *saved_versions._REASONS.values(),
]
CODE = Path(mdmem.__file__).parent
SPEAKING = {"night", "extract", "episode"}  # verbs whose callers always give a sentence
FACTS = {
    "session": "chat:20260220_100000", "backend": "rules", "id": "20260220_100000", "system": "openakita", "step": "?",
}  # fmt: skip


@pytest.mark.parametrize("reason", STABLE)
def test_a_stable_reason_is_a_sentence_of_each_language(reason: str) -> None:
    """The constants are those of the code: a new wording there must have its sentence here."""
    english, chinese = reason_in("en", reason), reason_in("zh", reason)
    assert HAN.search(chinese), chinese
    assert not HAN.search(english)
    assert not english.startswith(("portrait:", "compile:"))
    for name in ("SOUL.md", "user", ".mdmem/journal/aside/x", "MEMORY.md, USER.md"):
        assert (name in reason) == (name in chinese) == (name in english)


def spoken(lang: str) -> list[tuple[str, str]]:
    """Return each sentence of a language that a change gives as its reason, with its key."""
    keys = [key for name in ("extract", "keeper", "review", "night", "episode", "session", "import", "scratchpad")
            for key in table(lang, name) if re.fullmatch(rf"{name}\.reason(-\w+)?", key)]  # fmt: skip
    return [(key, say(lang, key, **FACTS | {"step": say(lang, "night.step-decay")})) for key in keys]


@pytest.mark.parametrize("other", languages())
@pytest.mark.parametrize("lang", languages())
def test_a_sentence_of_another_language_is_printed_in_the_readers(lang: str, other: str) -> None:
    own = dict(spoken(lang))
    assert len(own) > 10
    for key, reason in spoken(other):
        wanted = say(lang, "log.scratchpad", **FACTS) if key == "scratchpad.reason" else own[key]
        assert reason_in(lang, reason) == wanted


def test_what_a_change_adds_to_its_sentence_stays() -> None:
    assert reason_in("zh", "compact (rules); 3 in the archive only").endswith("; 3 in the archive only")
    assert "the model was of no use" in reason_in("zh", "scratchpad: chat:20260220_100000; the model was of no use")


@cache
def written() -> tuple[set[str], set[str]]:
    """Return each constant that the code gives as a reason, a verb of changes or `reason=`, and every constant."""
    reasons, constants = set[str](), set[str]()
    for file in CODE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
        constants |= _texts(nodes)
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            given = [one.value for one in call.keywords if one.arg == "reason"]
            if name == "_change":
                given.append(call.args[0])
            elif name == "ChangeRequest" and _may_be_empty(call.args[3]):
                given.append(call.args[1])
            reasons |= {one for one in _texts(part for value in given for part in ast.walk(value)) if _is_reason(one)}
    return (reasons | {FORGET, PRUNE}) - SPEAKING, constants


def _texts(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _may_be_empty(reason: ast.expr) -> bool:
    """Return whether the verb may be written: the reason is that of the caller, or none."""
    return ast.unparse(reason) in ("reason", "''")


def _is_reason(value: str) -> bool:
    """Return whether a constant is a reason as a whole: not a part of one, and no key of a message."""
    return re.fullmatch(r"[a-z]+([-_ ]+[a-z]+)*", value) is not None


def test_what_a_verb_writes_is_a_sentence_of_each_language() -> None:
    for reason in {*written()[0], "undo 20260220T100000-ab12", "restore 20260220T100000-ab12", "tool bash"}:
        assert HAN.search(reason_in("zh", reason)), reason
        assert reason_in("en", reason) != reason


@pytest.mark.parametrize("reason", [
    "", "undo the rename", "tool of the trade", "restore it", "expired milk leaves the list", "她说的", "portrait:",
    "the portrait: user", "night",
])  # fmt: skip
def test_the_words_of_a_person_stay(reason: str) -> None:
    assert all(reason_in(lang, reason) == reason for lang in languages())


@given(st.text(max_size=60))
def test_no_reason_brings_the_log_down(reason: str) -> None:
    for begin in ("", "portrait: ", "compact (", "scratchpad: {x}", f"a{recovery._EDITED}"):
        assert isinstance(reason_in("zh", begin + reason), str)


def test_log_and_undo_print_the_sentence_and_json_keeps_the_reason(
    make: Callable[..., Workspace], capsys: pytest.CaptureFixture[str]
) -> None:
    work = make("zh")
    work.facts.set("用户", "住址", "住在宁波的老城区", actor="user")
    work.portrait.refresh("memory")
    for lang, shown in (("en", "the lines made from facts were updated"), ("zh", "按事实更新了生成的行")):
        main(["log", "--root", work.root, "--lang", lang])
        printed = capsys.readouterr().out
        assert shown in printed
        assert "portrait:" not in printed
    main(["log", "--root", work.root, "--json", "--lang", "en"])
    assert '"portrait: memory"' in capsys.readouterr().out
    assert "按事实更新了生成的行" in work.history.undo(work.history.log(limit=1)[0].id).message


def test_each_sentence_for_a_verb_is_that_of_a_word_in_the_code() -> None:
    """A verb that is gone leaves none behind."""
    words = [key.removeprefix("log.reason-") for key in table("en", "log") if key.startswith("log.reason-")]
    forms = {word: {word, word.replace("-", "_"), f"memory_{word}", word.partition("-")[2]} for word in words}
    assert [word for word, some in forms.items() if not some & written()[1]] == []


ZH = {key.removeprefix("errors."): text for key, text in table("zh", "errors").items()}
CLASSES = {name for name, one in vars(errors).items() if isinstance(one, type)} | {"OutsideError"}
# What these raise is a fault of the program that calls them, or is said again in a workspace's own words.
RETOLD = ("text/edit.py", "entries/edits", "plan/draft.py", "plan/edits.py", "tools", "entries/joined.py")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def raised() -> Iterator[tuple[str, str]]:
    """Yield each file of the house, with a sentence that an error in it is made of."""
    for path in sorted(CODE.rglob("*.py")):
        place = path.relative_to(CODE).as_posix()
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
