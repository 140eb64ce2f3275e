"""A session ends also with a model that is slow, dead or talks nonsense: in one time, with what the rules know."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make

from mdmem import Workspace
from mdmem.errors import OutOfTimeError
from mdmem.models import TimeLimit

TURNS = (
    ("user", "I live in Leeds. I upgraded my Node from 18 to 20.1."),
    ("assistant", "Noted, the build uses it now."),
    ("user", "My editor is Emacs. Never push directly to main."),
    ("assistant", "All right."),
    ("user", "I moved from Leeds to Bristol. I no longer use Emacs. We replaced Jenkins with Buildkite."),
    ("assistant", "We keep the old host because the probes know it."),
)
NOTHING = "print('I cannot say')"
DEAD = "import sys; sys.exit('no such model')"
SLOW = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def trust(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, float], None]:
    """Set a model in the user's own settings."""
    home = tmp_path / "settings"
    (home / "mdmem").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))

    def use(program: str, seconds: float = 30) -> None:
        text = f'[command]\nrun = ["{sys.executable}", "-c", "{program}"]\n[session]\nend_seconds = {seconds}\n'
        (home / "mdmem/mdmem.toml").write_text(text + '[keeper]\nbackend = "command"\n')

    return use


def hold(work: Workspace, turns: tuple[tuple[str, str], ...] = TURNS) -> str:
    """Hold the conversation, end it, and return the hint of the end."""
    session = work.sessions.start("Mend the build")
    for role, text in turns:
        session.turn(role, text)
    return session.end("The build is mended.").hint


def live(work: Workspace) -> set[str]:
    return {one.text for one in work.facts()}


def waits(work: Workspace, path: str) -> tuple[str, ...]:
    (row,) = [one for one in work.status() if one.path == path]
    return row.pending


@pytest.mark.parametrize("program", [NOTHING, DEAD])
def test_a_model_that_fails_leaves_what_the_rules_know_and_the_rounds_waiting(
    make: Make, program: str, trust: Callable[[str, float], None]
) -> None:
    trust(program, 30)
    work = make("en")
    hint = hold(work)
    assert "by rules: rounds 1–3:" in hint
    assert "the model gave no usable answer, so the rounds wait for the next run: " in hint
    assert "wrote the episode of rounds 1-3" in hint
    (session,) = work.sessions.list()
    assert session.extracted_through == 0
    assert waits(work, session.path)[0] == "3 rounds wait to be extracted (1–3)"
    assert "Never push directly to main." in live(work)


def test_a_model_that_may_not_be_asked_leaves_the_same(make: Make, tmp_path: Path) -> None:
    (tmp_path / "settings/mdmem/mdmem.toml").write_text('[keeper]\nbackend = "command"\n')
    work = make("en", settings='[command]\nrun = ["true"]\n')  # not trusted
    hint = hold(work)
    assert "settings are ignored until you trust" in hint
    assert "by rules: rounds 1–3:" in hint
    assert "the model gave no usable answer, so the rounds wait for the next run: " in hint
    assert work.sessions.list()[0].extracted_through == 0
    assert "Never push directly to main." in live(work)


@pytest.mark.slow
def test_all_steps_share_one_time(make: Make, trust: Callable[[str, float], None]) -> None:
    trust(SLOW, 1)
    work = make("en")
    began = time.monotonic()
    hint = hold(work)
    assert time.monotonic() - began < 30, "each of three questions would wait for 60 seconds"
    assert "the 1 seconds for models are over" in hint
    (session,) = work.sessions.list()
    assert session.extracted_through == 0
    assert waits(work, session.path) == ("3 rounds wait to be extracted (1–3)",)
    assert [one.status for one in work.keeper.extract(backend=lambda _: "NONE")] == ["done"], "nothing delays it"
    assert work.sessions.list()[0].extracted_through == 3


def test_run_again_the_rules_write_nothing_twice(make: Make, trust: Callable[[str, float], None]) -> None:
    trust(DEAD, 30)
    work = make("en")
    hold(work)
    before = {path: Path(work.root, path).read_bytes() for path in work.files() if path.startswith("facts/")}
    assert before
    work.review()
    assert {path: Path(work.root, path).read_bytes() for path in before} == before
    work.keeper.extract(backend="rules", now=True)
    assert {path: Path(work.root, path).read_bytes() for path in before} == before
    assert work.sessions.list()[0].extracted_through == 3


def test_what_a_model_says_later_of_an_earlier_round_replaces_nothing(
    make: Make, trust: Callable[[str, float], None]
) -> None:
    trust(DEAD, 30)
    work = make("en")
    turns = (("user", "Our server port is 8080."), ("assistant", "ok"), ("user", "Our server port is 9090."))
    hold(work, turns)
    held = live(work)
    assert any("9090" in one for one in held)
    (row,) = [one for one in work.facts() if "9090" in one.text]
    answer = (
        f'[{{"type": "FACT", "subject": "{row.subject}", "predicate": "{row.predicate}", "content": '
        '"the server port is 8080", "importance": 0.8}]'
    )
    work.keeper.extract(backend=lambda _: answer, now=True)
    assert live(work) == held


def test_a_limit_gives_what_is_left_and_then_says_so() -> None:
    now = 100.0
    limit = TimeLimit(10, lambda: now)
    assert limit.most(3) == 3
    now = 108.0
    assert limit.most(3) == 2
    now = 110.0
    with pytest.raises(OutOfTimeError, match=re.escape("the 10 seconds for models are over")):
        limit.most(3)
