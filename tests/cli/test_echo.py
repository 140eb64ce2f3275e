"""What a message repeats of the words that were typed holds no secret of theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem.linter.masking import masked, safe_message
from mdmem.workspace import Workspace

from .test_language import here, said, speak  # noqa: F401 - `here` is a fixture

SECRET = "Kz8-river-77"
TOKEN = "ghp_" + "q7XzR2mK9vLpT4wB8nYcJ3sHd6FgA1eUo5Wi"
TYPED = (
    ("search", f"路由器的密码是 {SECRET}"),
    ("search", "the", "wifi", "password", "is", SECRET),
    ("search", TOKEN),
    ("add", "MEMORY.md", "x", "--sektion", f"密码：{SECRET}"),
    ("rm", "MEMORY.md", f"路由器的密码是 {SECRET}"),
    ("show", "MEMORY.md", "密码是", SECRET),
    ("undo", TOKEN),
    ("why", f"the password is {SECRET}"),
    ("status", f"--password={SECRET}"),
    ("add", f"密码是{SECRET}.md", "x"),
    ("context", f"密码是{SECRET}"),
)


@pytest.mark.parametrize("words", TYPED, ids=" ".join)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_message_repeats_a_typed_secret(
    lang: str,
    form: tuple[str, ...],
    words: tuple[str, ...],
    here: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speak(here, lang)
    code, out = said(monkeypatch, *words, *form)
    assert code != 0
    assert SECRET[:5] not in out
    assert TOKEN[:12] not in out


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_search", {"query": f"the password is {SECRET}"}),
        ("memory_tick", {"entry": f"the password is {SECRET}"}),
        ("memory_undo", {"id": TOKEN}),
        (TOKEN, {}),
        ("memory_add", {"path": f"password is {SECRET}.md", "content": "x"}),
        ("memory_add", {"path": "MEMORY.md", "content": "x", f"password: {SECRET}": "y"}),
    ],
)
def test_no_tool_repeats_a_secret_that_it_was_given(tmp_path: Path, name: str, arguments: dict[str, str]) -> None:
    reply = json.dumps(Workspace(tmp_path, lang="en", cache=False).call(name, arguments), ensure_ascii=False)
    assert SECRET[:5] not in reply
    assert TOKEN[:12] not in reply


def test_what_is_cut_of_a_secret_is_masked_too() -> None:
    typed = f"my password is {SECRET}"
    assert masked(f"no entry matches `{SECRET[:7]}…`", typed) == "no entry matches `[password]…`"
    assert masked("Kzar lives here", typed) == "Kzar lives here"


def test_what_holds_no_secret_is_repeated_as_it_was() -> None:
    for text in ("no entry matches `牙医几点`", "there is no option `--sektion`", "20260220T120000-0a1b2c3d"):
        assert masked(text, text) == text


LONG = "x" * 100_000
GIVEN_LONG: tuple[tuple[str, dict[str, object]], ...] = (
    ("memory_search", {"query": "a", "since": LONG}),
    ("memory_search", {"query": "a", "until": f"2026-{LONG}"}),
    ("memory_read", {"path": LONG}),
    ("memory_read", {"path": "a b/" * 25_000}),
    ("file_snippet", {"path": LONG, "start": 1, "len": 1}),
    ("view", {"path": LONG}),
    ("edit", {"path": LONG, "old": "a", "new": "b"}),
    (LONG, {}),
    ("pin_list", {LONG: 1}),
)


@pytest.mark.parametrize(("name", "arguments"), GIVEN_LONG, ids=range(len(GIVEN_LONG)))
def test_a_tool_repeats_only_the_beginning_of_a_long_value(
    tmp_path: Path, name: str, arguments: dict[str, str]
) -> None:
    reply = Workspace(tmp_path, lang="en", cache=False).call(name, arguments)
    assert reply["status"] == "error"
    assert len(json.dumps(reply)) < 3_000


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(
    "words",
    [("search", "a", "--since", LONG), ("search", "a", f"--since={LONG}"), ("show", LONG), (f"--{LONG}",), (LONG,)],
)
def test_the_command_line_repeats_only_the_beginning_of_a_long_word(
    form: tuple[str, ...],
    words: tuple[str, ...],
    here: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speak(here, "en")
    code, out = said(monkeypatch, *words, *form)
    assert code != 0
    assert len(out) < 2_000


def test_a_secret_at_the_cut_of_a_long_value_is_masked() -> None:
    value = "a" * 184 + " password: " + SECRET + " b" * 300
    assert SECRET[:5] not in safe_message(f"`{value}` is not a date", value, [value])
