"""What the user takes back ends with the day and the sentence; what only sounds like it ends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import said

from mdmem.workspace import Workspace

from ..conftest import Make
from .conftest import PATH, MakeSession, facts

FIRST = "sessions/20260110_080000_a.md"
FOLDER = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def two_sessions(make: Make, session: MakeSession, before: str, then: str) -> Workspace:
    """Extract what two sessions say, the second of them later."""
    older = session(("user", before), ("assistant", "ok"), started="2026-01-10 08:00")
    newer = session(("user", then), ("assistant", "ok"))
    workspace = make({FIRST: older, PATH: newer}, lang="en" if before.isascii() else "zh")
    workspace.keeper.extract(FIRST, backend="rules")
    return workspace


@pytest.mark.thorough
@pytest.mark.parametrize(("before", "then", "gone"), rows("taken_back.tsv"))
def test_what_is_taken_back_is_gone(make: Make, session: MakeSession, before: str, then: str, gone: str) -> None:
    workspace = two_sessions(make, session, before, then)
    assert any(gone in fact for fact in facts(workspace)), "it was never kept"
    workspace.keeper.extract(PATH, backend="rules")
    assert not any(gone in fact for fact in facts(workspace))
    ended = [fact for fact in workspace.facts(before=True) if not fact.live and gone in fact.text]
    assert [fact.superseded for fact in ended] == ["2026-02-20"]
    assert all(not fact.superseded_by for fact in ended) or facts(workspace)
    assert not [one for one in workspace.lint().diagnostics if one.severity == "error"]


@pytest.mark.parametrize(("before", "then", "held"), rows("corrected.tsv"))
def test_a_part_that_was_wrong_is_corrected(
    make: Make, session: MakeSession, before: str, then: str, held: str
) -> None:
    workspace = two_sessions(make, session, before, then)
    workspace.keeper.extract(PATH, backend="rules")
    assert facts(workspace) == [held]


@pytest.mark.parametrize(("before", "then"), rows("not_taken_back.tsv"))
def test_what_only_sounds_like_it_ends_nothing(make: Make, session: MakeSession, before: str, then: str) -> None:
    workspace = two_sessions(make, session, before, then)
    held = facts(workspace)
    workspace.keeper.extract(PATH, backend="rules")
    assert set(held) <= set(facts(workspace))
    assert "[ends::" not in said(workspace, "inbox.md")


def test_the_sentence_that_ended_a_fact_stands_behind_it(make: Make, session: MakeSession) -> None:
    workspace = two_sessions(
        make, session, "My landlord is called Mr Petrov.", "Scratch that, Petrov isn't my landlord."
    )
    workspace.keeper.extract(PATH, backend="rules")
    assert "[superseded:: 2026-02-20] [why:: Scratch that, Petrov isn't my landlord.]" in said(
        workspace, "facts/user.md"
    )


def test_where_it_may_be_one_of_two_facts_the_user_is_asked(make: Make, session: MakeSession) -> None:
    before = "I work at London Zoo. My sister Ida works at London Zoo."
    workspace = two_sessions(make, session, before, "Forget what I said about London Zoo.")
    held = facts(workspace)
    workspace.keeper.extract(PATH, backend="rules")
    assert facts(workspace) == held
    first, *_ = (item for item in workspace.inbox.list() if "[ends::" in item.text)
    workspace.inbox.accept([first.key])
    assert len(facts(workspace)) == len(held) - 1


def test_what_the_keeper_proposed_goes_with_the_fact(make: Make, session: MakeSession) -> None:
    workspace = two_sessions(make, session, "I work at Siemens as a test engineer.", "Forget that I work at Siemens.")
    proposed = [
        f"works at Siemens as a test engineer [to:: MEMORY.md#Notes] [by:: {who}]" for who in ("keeper", "user")
    ]
    lines = "\n".join(f"- [ ] {line}" for line in proposed)
    Path(workspace.root, "inbox.md").write_text(f"# Inbox\n\n## Proposals\n\n{lines}\n", "utf-8")
    workspace.keeper.extract(PATH, backend="rules")
    assert [item.by for item in workspace.inbox.list()] == ["user"]


def test_what_was_said_a_moment_ago_is_never_written(make: Make, session: MakeSession) -> None:
    turns = [
        ("user", "My doctor is Dr. Weiss."),
        ("assistant", "ok"),
        ("user", "Dr. Weiss isn't my doctor, I mixed that up."),
    ]
    workspace = make({PATH: session(*turns, ("assistant", "ok"))}, lang="en")
    workspace.keeper.extract(PATH, backend="rules")
    assert "Weiss" not in said(workspace, "facts/user.md")


def test_a_line_that_a_person_wrote_by_hand_waits(make: Make, session: MakeSession) -> None:
    files = {
        "facts/user.md": "# user\n\n## Now\n\n- lives in Graz [predicate:: lives_in]\n",
        PATH: session(("user", "I don't live in Graz anymore."), ("assistant", "ok")),
    }
    workspace = make(files, lang="en")
    workspace.keeper.extract(PATH, backend="rules")
    assert facts(workspace) == ["lives in Graz"]
    assert [item.path for item in workspace.inbox.list()] == ["facts/user.md"]
