"""The reader of machine doors reads as typer does, or leaves the words to typer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.cli.grammar.application import VerbCommand, VerbGroup, load
from mdmem.cli.grammar.quick import HOOK_RUN, LINT, MERGE, SYNC, Form, read
from mdmem.cli.grammar.verbs import VERBS
from mdmem.errors import MdmemError

VALUES = st.sampled_from(
    ["error", "json", "sarif", "MM3", "MM301,MM302", "2", "0", "-1", "x", "", "-", "--", "a b", "en", "zh", "auto",
     "never", "- a", "claude", "codex", "prompt", "MEMORY.md", "--fix", "-q", "1_0", " 1", "\u0661"]
)  # fmt: skip


def command(*path: str) -> VerbCommand:
    found = load(VERBS[path[0]])
    if isinstance(found, VerbGroup):
        found = found.get_command(None, path[1])
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
    assert {key: value or None for key, value in found.items()} == {
        key: value or None for key, value in typer.items()
    } | {key: None for key in found if typer.get(key) in ("claude", "") and not found[key]}


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


def test_both_know_the_same_options() -> None:
    for path, form in ((("lint",), LINT), (("hook", "run"), HOOK_RUN), (("merge",), MERGE), (("sync",), SYNC)):
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
