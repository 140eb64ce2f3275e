"""A secret that was masked in a session is masked where it comes again, and is nowhere in clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem import Workspace
from mdmem.entries.tombstones import slow_digest
from mdmem.sessions import known_secrets
from mdmem.sessions.known_secrets import FOLDER, KnownSecrets

VALUE = "Zebra2213"


def everything(work: Workspace) -> str:
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace") for path in Path(work.root).rglob("*") if path.is_file()
    )


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    return Workspace(tmp_path)


def test_a_later_turn_is_masked_also_by_another_process(work: Workspace) -> None:
    with work.sessions.start("log in", agent="a") as session:
        session.turn("user", f"my password is {VALUE}! and I need to log in")
        again = work.sessions.resume(session.path, agent="a")
        done = again.turn("assistant", f"I log in with {VALUE}! now (kim:{VALUE}@host, 用{VALUE}登录).")
        assert "password" in done.hint
        session.end(f"Logged in with {VALUE}.")
    assert VALUE not in everything(work)
    assert "I log in with [password]! now (kim:[password]@host, 用[password]登录)." in work.read(session.path).text


def test_tool_runs_and_their_artifacts_are_masked(work: Workspace) -> None:
    session = work.sessions.start("log in", request=f"log in, the password is {VALUE}")
    calls = [{"name": "sh", "id": "1", "input": {"command": f"login {VALUE}"}}]
    log = "\n".join(f"line {number}: try {VALUE}" for number in range(500))
    session.turn("assistant", "done", tool_calls=calls, tool_results=[{"tool_use_id": "1", "content": log}])
    assert VALUE not in everything(work)
    assert "try [password]" in everything(work)
    assert session.masked(f"a {VALUE}, b") == "a [password], b"


def test_a_name_in_which_a_value_stands_is_left_alone(work: Workspace) -> None:
    session = work.sessions.start("x")
    session.turn("user", "the PIN is 4821, my password is sunnyhill and the other password is Zebra2")
    session.turn("assistant", "4821 lines, a sunnyhill, Zebra2213, xZebra2")
    assert "4821 lines, a sunnyhill, Zebra2213, xZebra2" in work.read(session.path).text


def test_another_session_does_not_know_it(work: Workspace) -> None:
    work.sessions.start("x").turn("user", f"my password is {VALUE}")
    other = work.sessions.start("y")
    other.turn("user", f"{VALUE} is a zebra")
    assert f"{VALUE} is a zebra" in work.read(other.path).text


def test_a_session_that_continues_it_does(work: Workspace) -> None:
    first = work.sessions.start("x")
    first.turn("user", f"my password is {VALUE}")
    next_ = work.sessions.start("y", follows=first.path)
    next_.turn("user", f"{VALUE} again")
    work.sessions.resume(next_.path).turn("user", f"and {VALUE}")
    assert VALUE not in everything(work)


def test_only_digests_are_kept_and_few(tmp_path: Path) -> None:
    known = KnownSecrets(str(tmp_path), "s.md")
    for number in range(45):
        value = f"Zebra{number:03}x"
        known.add(value, [("password", 0, len(value))])
    known.save("s.md", 60)
    (path,) = (tmp_path / FOLDER).iterdir()
    assert "Zebra" not in path.read_text()
    again = KnownSecrets(str(tmp_path), "s.md")
    assert not list(again.find("Zebra004x"))
    assert list(again.find("Zebra005x Zebra044x")) == [("password", 0, 9), ("password", 10, 19)]


def test_a_damaged_file_costs_no_turn(work: Workspace) -> None:
    session = work.sessions.start("x")
    session.turn("user", f"my password is {VALUE}")
    (path,) = (Path(work.root) / FOLDER).iterdir()
    for damaged in (b"", b"[]", b'{"salt": "zz", "values": []}', b'{"salt": "00", "values": [1]}'):
        path.write_bytes(damaged)
        assert work.sessions.resume(session.path).turn("assistant", "fine").status == "done"


def test_of_many_secrets_the_last_ones_are_known_again(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest takes milliseconds: a pasted log with thousands of tokens must not take a minute."""
    made: list[bytes] = []

    def counted(salt: str, value: bytes, cost: int) -> str:
        made.append(value)
        return slow_digest(salt, value, cost)

    monkeypatch.setattr(known_secrets, "slow_digest", counted)
    rows = [f"gauge {number}: password: Kz8-river-{number}q" for number in range(500)]
    with work.sessions.start("Read the log") as session:
        session.turn("user", "\n".join(rows))
        assert len(made) <= 100
        session.turn("assistant", "Is it Kz8-river-499q or Kz8-river-470q?")
        text = work.read(session.path).text
    assert "Kz8-river" not in text
