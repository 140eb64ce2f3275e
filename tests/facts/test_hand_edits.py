"""A value that a person changes or ends in a facts file with an editor starts the same correction as `fact set`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

_MEMORY = {
    "en": "# Memory\n\n## Notes\n\n- 2026-02-01: the owner lives in Porto, near the sea\n- 2026-02-01: drinks port\n",
    "zh": "# 记忆\n\n## 笔记\n\n- 2026-02-01：主人住在波尔图，离河边不远\n- 2026-02-01：波尔图的酒很好喝\n",
}
_FACT = {"en": ("city", "lives in Porto"), "zh": ("住址", "住在波尔图")}
_NEW = {"en": "lives in Ghent", "zh": "住在根特"}
_OUTDATED = "MEMORY.md:5"

Look = Callable[[Workspace], object]


def _stated(make: Make, lang: str) -> tuple[Workspace, Path]:
    """Return a workspace in which a fact and a line of MEMORY.md state one value, and the file of the fact."""
    work = make(lang, {"MEMORY.md": _MEMORY[lang]})
    done = work.facts.set("user", *_FACT[lang], at="2026-02-01")
    return work, Path(work.root, done.path)


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def _end_session(work: Workspace) -> object:
    session = work.sessions.start("tea")
    session.turn("user", "Good morning.")
    return session.end("ok")


def _corrections(work: Workspace) -> list[str]:
    return [item.change for item in work.inbox.list() if item.path == "MEMORY.md"]


_LOOKS: dict[str, Look] = {
    "watch": lambda work: list(work.watch(once=True, poll=True)),
    "night": lambda work: work.night(now=True, only="corrections"),
    "session end": _end_session,
}


@pytest.mark.parametrize("look", _LOOKS.values(), ids=_LOOKS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_value_changed_by_hand_is_corrected_elsewhere_as_a_proposal(make: Make, lang: str, look: Look) -> None:
    work, file = _stated(make, lang)
    _edit(file, _FACT[lang][1], _NEW[lang])
    look(work)
    (change,) = _corrections(work)
    assert _NEW[lang] in change
    assert Path(work.root, "MEMORY.md").read_text("utf-8") == _MEMORY[lang]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_lint_tells_at_once_and_at_the_line(make: Make, lang: str) -> None:
    work, file = _stated(make, lang)
    assert not [one for one in work.lint().diagnostics if one.code == "MM323"]
    _edit(file, _FACT[lang][1], _NEW[lang])
    (found,) = [one for one in work.lint().diagnostics if one.code == "MM323"]
    assert f"{found.path}:{found.line}" == _OUTDATED
    assert file.name in found.message
    list(work.watch(once=True, poll=True))
    (found,) = [one for one in Workspace(work.root).lint().diagnostics if one.code == "MM323"]
    assert found.path == "inbox.md"


def test_a_line_moved_to_the_older_ones_ends(make: Make) -> None:
    work, file = _stated(make, "en")
    lines = file.read_text("utf-8").splitlines(keepends=True)
    (own,) = [line for line in lines if "lives in Porto" in line]
    rest = "".join(line for line in lines if line != own)
    file.write_text(f"{rest.rstrip()}\n\n## Before\n\n{own}", "utf-8")
    list(work.watch(once=True, poll=True))
    (change,) = _corrections(work)
    assert not [row for row in change.splitlines() if row.startswith("+")]


def test_a_line_taken_out_ends_unless_another_one_states_it(make: Make) -> None:
    work, file = _stated(make, "en")
    work.facts.set("harbour", "city", "lives in Porto", at="2026-02-01")
    own = next(line for line in file.read_text("utf-8").splitlines(keepends=True) if "lives in Porto" in line)
    _edit(file, own, "")
    list(work.watch(once=True, poll=True))
    assert not _corrections(work)
    _edit(Path(work.root, "facts/harbour.md"), "lives in Porto", "lies at the sea")
    list(work.watch(once=True, poll=True))
    assert _corrections(work)


def test_a_second_look_changes_nothing_and_a_rejected_correction_stays_away(make: Make) -> None:
    work, file = _stated(make, "en")
    _edit(file, "lives in Porto", "lives in Ghent")
    list(work.watch(once=True, poll=True))
    before = Path(work.root, "inbox.md").read_bytes()
    for look in _LOOKS.values():
        look(work)
    assert Path(work.root, "inbox.md").read_bytes() == before
    work.inbox.reject([work.inbox.list()[0].key])
    for look in _LOOKS.values():
        look(work)
    assert not _corrections(work)
    _edit(file, "lives in Ghent", "lives in Braga")
    list(work.watch(once=True, poll=True))
    (change,) = _corrections(work)
    assert "lives in Braga" in change


def test_an_edit_is_found_behind_a_later_change_by_mdmem_and_behind_the_watcher(make: Make) -> None:
    work, file = _stated(make, "en")
    _edit(file, "lives in Porto", "lives in Ghent")
    work.facts.set("user", "pet", "has a cat")
    assert work.night(now=True, only="corrections").steps[0].moved == 1


def test_what_is_stated_again_and_other_edits_start_nothing(make: Make) -> None:
    work, file = _stated(make, "en")
    _edit(file, "lives in Porto", "lives in  Porto")
    list(work.watch(once=True, poll=True))
    work.facts.set("user", "tea", "likes black tea")
    _edit(file, "likes black tea", "likes green tea")
    list(work.watch(once=True, poll=True))
    assert not _corrections(work)
