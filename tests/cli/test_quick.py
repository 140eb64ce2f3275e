"""The reader of machine doors reads as typer does, or leaves the words to typer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.cli.grammar.application import VerbCommand, VerbGroup, load
from mdmem.cli.grammar.quick import HOOK_RUN, LINT, MERGE, SESSION, SYNC, Form, read
from mdmem.cli.grammar.verbs import VERBS
from mdmem.errors import MdmemError

VALUES = st.sampled_from(
    ["error", "json", "sarif", "MM3", "MM301,MM302", "2", "0", "-1", "x", "", "-", "--", "a b", "en", "zh", "auto",
     "never", "- a", "claude", "codex", "prompt", "MEMORY.md", "--fix", "-q", "1_0", " 1", "\u0661"]
)  # fmt: skip


def command(*path: str) -> VerbCommand:
    found = load(VERBS[path[0]])
    if isinstance(found, VerbGroup):
        found = found.commands[path[1]]  # type: ignore[assignment]
    assert isinstance(found, VerbCommand)
    return found


def words(form: Form) -> st.SearchStrategy[list[str]]:
    flags = st.sampled_from(
        [*form.flags, *form.lists, *form.values, "--nope", "-z", "-qj", "-qj2", "-j2", "-j=2", "--stag"]
    )
    attached = st.builds(lambda flag, value: f"{flag}={value}", flags, VALUES)
    return st.lists(st.one_of(flags, attached, VALUES), max_size=6)


def as_typer(path: tuple[str, ...], given_words: list[str]) -> dict[str, Any]:
    """Return the values that typer reads; MdmemError or its exit for what it refuses."""
    ctx = command(*path).make_context(" ".join(path), list(given_words))
    return dict(ctx.params)


def compare(path: tuple[str, ...], form: Form, given_words: list[str]) -> None:
    found = read(form, given_words)
    if found is None:
        return
    for name in ("color", "wide"):  # each verb takes them; no function gets them
        found.pop(name)
    typer = as_typer(path, given_words)  # raises where typer would refuse
    usual = {one.name: one.default for one in command(*path).params}  # the verb's function knows it too

    def chosen(values: dict[str, Any]) -> dict[str, Any]:
        return {name: None if value == usual.get(name) else value or None for name, value in values.items()}

    assert chosen(found) == chosen(typer)


@given(words(LINT))
def test_lint_is_read_alike(given_words: list[str]) -> None:
    compare(("lint",), LINT, given_words)


@given(words(HOOK_RUN))
def test_a_hook_is_read_alike(given_words: list[str]) -> None:
    compare(("hook", "run"), HOOK_RUN, given_words)


@given(words(MERGE))
def test_a_merge_is_read_alike(given_words: list[str]) -> None:
    compare(("merge",), MERGE, given_words)


@given(words(SYNC))
def test_a_sync_is_read_alike(given_words: list[str]) -> None:
    compare(("sync",), SYNC, given_words)


@given(words(SESSION["turn"]))
def test_a_turn_is_read_alike(given_words: list[str]) -> None:
    if (read(SESSION["turn"], given_words) or {}).get("said"):  # the verb leaves one without a text to typer
        compare(("session", "turn"), SESSION["turn"], given_words)


@given(words(SESSION["end"]))
def test_the_end_of_a_session_is_read_alike(given_words: list[str]) -> None:
    compare(("session", "end"), SESSION["end"], given_words)


def test_both_know_the_same_options() -> None:
    forms = {("lint",): LINT, ("hook", "run"): HOOK_RUN, ("merge",): MERGE, ("sync",): SYNC}
    for path, form in (forms | {("session", verb): form for verb, form in SESSION.items()}).items():
        typer = {flag for one in command(*path).params for flag in one.opts if flag.startswith("-")}
        assert typer == {*form.flags, *form.lists, *form.values}


@pytest.mark.parametrize("plain", [[], ["a.md", "b.md"], ["--fix", "a.md"], ["-q", "--jobs=2"], ["--select", "MM3"]])
def test_plain_words_need_no_typer(plain: list[str]) -> None:
    assert read(LINT, plain) is not None


@pytest.mark.parametrize("odd", [["--nope"], ["--jobs", "x"], ["--select"], ["--fix=1"], ["--help"], ["--lang", "xx"]])
def test_what_is_wrong_is_left_to_typer(odd: list[str]) -> None:
    assert read(LINT, odd) is None
    with pytest.raises((MdmemError, Exception)):
        as_typer(("lint",), odd)
