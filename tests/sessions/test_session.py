"""Sessions through the facade: start, record, end, find; every text is read back unchanged."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Make
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem.artifacts.model import StoredArtifact
from mdmem.errors import RefusedError, TargetError, UnreadableFileError, UsageError
from mdmem.formats.session import Session, Turn, rounds
from mdmem.linter.masking import mask
from mdmem.linter.views.hidden_characters import without_controls
from mdmem.sessions.read import latest_sessions, recent_turns
from mdmem.sessions.service import slug
from mdmem.store.append import AppendIntent, write_note
from mdmem.store.root import Root
from mdmem.workspace import Workspace

KEY = (
    "sk-ant-api03-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4hJ6kL8mN1pQ3rS5tU7vW9xY2zA4bC6dE8fG1hJ3kL5-AbCdEfAA"
)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_session_from_beginning_to_end(make: Make, text: Callable[[str], str], lang: str) -> None:
    """Turns are in the file in order, and the end of the session holds the outcome."""
    work = make(lang)
    kept = StoredArtifact(
        "t1", "artifacts/2026-02/t1.md", ("3 failed", "artifacts/2026-02/t1.md"), 1, "shell", "pytest -q", 0
    )
    with work.sessions.start("修好 CSV", agent="小满") as session:
        assert session.turn("user", "导入又挂了").number == 1
        assert session.turn("assistant", "先看原始字节").number == 1
        assert session.tool(kept).role == "tool"
        assert session.turn("user", "好\n\n## 第二点").number == 2
        session.turn("assistant", "修好了")
        session.end("## 修好了\n两个原因", "partial")
    found = work.sessions.show(session.id)
    assert [(one.number, one.role, one.text) for one in found.turns] == [
        (1, "user", "导入又挂了"),
        (1, "assistant", "先看原始字节"),
        (1, "tool", "shell `pytest -q` (exit 1)\n3 failed\nartifacts/2026-02/t1.md"),
        (2, "user", "好\n\n## 第二点"),
        (2, "assistant", "修好了"),
    ]
    assert (found.agent, found.task, found.request, found.outcome) == ("小满", "修好 CSV", "修好 CSV", "partial")
    assert found.response == "## 修好了\n两个原因"
    assert (found.extracted_through, found.condensed_through) == (2, 0)
    assert found.started
    assert found.ended
    words = {"zh": ("- 轮数: 2", "- 工具: shell(1)"), "en": ("- Rounds: 2", "- Tools: shell(1)")}
    assert all(line.casefold() in text(session.path).casefold() for line in words[lang])
    assert list(work.lint().diagnostics) == []
    reasons = [one.reason for one in work.history.log()]
    assert reasons[-2:] == (["结束会话", "开始会话"] if lang == "zh" else ["a session ends", "a session begins"])
    assert [check for check in work.history.doctor() if check.state == "bad"] == []


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


def test_an_exception_ends_it_as_failed(work: Workspace) -> None:
    """Only the exception's class is written, because its message may contain anything."""

    def fail() -> None:
        with work.sessions.start("try") as session:
            session.turn("user", "go")
            raise ValueError("private")

    with pytest.raises(ValueError, match="private"):
        fail()
    found = work.sessions.show(work.sessions.list()[0].id)
    assert (found.outcome, found.response) == ("failed", "ValueError")


def test_secrets_are_masked_and_reported(work: Workspace, traces: Callable[[str], list[str]]) -> None:
    """A secret is nowhere on the disk, the rest of the text is; hidden characters stay, and are named."""
    with work.sessions.start(f"use {KEY}") as session:
        done = session.turn("user", f"here: {KEY}\nand more")
        assert "masked" in done.hint
        assert KEY not in str(done)
        assert "200b" in session.turn("user", "a\u200bb\0c").hint.lower()
        assert session.turn("user", "我的密码是 hunter22，别忘了").hint
        session.end(f"used {KEY}")
    assert traces(KEY) == []
    assert traces("hunter22") == []
    found = work.sessions.show(session.id)
    assert found.turns[0].text == "here: [Anthropic key]\nand more"
    assert found.turns[1].text == "a\u200bbc"
    assert found.turns[2].text == "我的密码是 [password]，别忘了"
    with pytest.raises(RefusedError):
        work.sessions.resume(work.sessions.start("x").id).turn("user", "\ud800")


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool")), st.text(max_size=30)), max_size=12), st.data()
)
def test_reading_from_the_end_agrees_with_reading_all(
    make: Make, said: list[tuple[str, str]], data: st.DataObject
) -> None:
    """For any turns and any number of rounds, reading the end of the file equals reading the whole file."""
    work = make("zh")
    whole_texts = [(role, "".join(char for char in one if not "\ud800" <= char <= "\udfff")) for role, one in said]
    texts = [(role, without_controls(one)) for role, one in whole_texts]
    session = work.sessions.start("x")
    for role, one in whole_texts:
        session.turn(role, one)
    whole = work.sessions.show(session.id)
    assert [(turn.role, turn.text) for turn in whole.turns] == texts
    most = data.draw(st.integers(1, 8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mdmem.store.files._FIRST", data.draw(st.integers(1, 200)))
        found = recent_turns(work.config, session.path, enough=lambda turns: len(turns) >= most)
    assert found == expected(whole, most)


def expected(whole: Session, most: int) -> tuple[Turn, ...]:
    chosen: tuple[Turn, ...] = ()
    for turns in reversed(rounds(whole.turns)):
        if len(chosen) >= most and chosen:
            break
        chosen = turns + chosen
    return tuple(replace(turn, start=-1, end=-1, line=-1) for turn in chosen)


def test_what_is_read_does_not_grow_with_the_session(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long session the last rounds cost a few kilobytes, and a turn more costs as little."""
    import os

    work = make("en")
    session = work.sessions.start("long")
    filler = "".join(f"\n### {number} user 10:00\n\n{'x' * 400}\n" for number in range(1, 3000))
    with (Path(work.root) / session.path).open("a") as file:
        file.write(filler)
    sizes = list[int]()
    pread = os.pread

    def counted(descriptor: int, length: int, offset: int) -> bytes:
        found = pread(descriptor, length, offset)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(os, "pread", counted)
    assert [turn.number for turn in work.sessions.recent_turns(session.id, 3)] == [2997, 2998, 2999]
    assert session.turn("user", "one more").number == 3000
    assert sum(sizes) < 40_000


def test_names(make: Make) -> None:
    """A name shows the task in its own script, is safe everywhere, and is never taken twice."""
    assert slug('修好 riverlog 的 CSV/导入: "x" <y>|*?', 40) == "修好_riverlog_的_csv_导入_x_y"
    assert slug("../../etc/passwd", 40) == "etc_passwd"
    assert slug("…", 40) == "session"
    assert len(slug("很长" * 100, 40)) == 40
    work = make("en")
    ids = {work.sessions.start("same").id for _ in range(3)}
    assert len(ids) == 3


def test_latest_and_listing(make: Make) -> None:
    """Newest first by name, ours and the older ones; of an agent only its own."""
    head = "---\nagent: {}\ntask: t\n---\n# Session\n\n## Turns\n"
    work = make("en", {
        "sessions/20260213_213000_a.md": head.format("one"),
        "sessions/20260217_194500_b.md": head.format("two"),
        ".sessions/2026-02-14_101010_c.md": "# Session: one\n\n## 任务信息\n- Agent: one\n\n## 任务描述\nx\n",
        ".sessions/2026-02-15_d.md": "# Session: one\n\n## 任务信息\n- Agent: one\n\n## 任务描述\nx\n",
        "sessions/README.md": "# Sessions\n",
    })  # fmt: skip
    paths = ["sessions/20260217_194500_b.md", ".sessions/2026-02-15_d.md", ".sessions/2026-02-14_101010_c.md",
             "sessions/20260213_213000_a.md"]  # fmt: skip
    assert list(latest_sessions(work.config)) == paths
    assert list(latest_sessions(work.config, limit=2)) == paths[:2]
    assert list(latest_sessions(work.config, agent="one", limit=2)) == paths[1:3]
    assert [one.id for one in work.sessions.list(since="2026-02-15")] == ["20260217_194500_b", "2026-02-15_d"]
    assert [one.task for one in work.sessions.list(agent="two")] == ["t"]
    assert work.sessions.list(limit=2)[1].agent == "one"


def test_resume(work: Workspace) -> None:
    """The newest open session of an agent, or the one that is named; an ended one is not taken up again."""
    first, second = work.sessions.start("first", agent="a"), work.sessions.start("second", agent="b")
    assert work.sessions.resume(agent="a").id == first.id
    assert work.sessions.resume(second.id).agent == "b"
    first.end()
    with pytest.raises(TargetError):
        work.sessions.resume(agent="a")
    for wrong in (lambda: work.sessions.resume(first.id), lambda: first.turn("user", "x"), first.end):
        with pytest.raises(UsageError):
            wrong()
    with pytest.raises(TargetError):
        work.sessions.resume("2")
    for call in (
        lambda: second.turn("me", "x"),
        lambda: second.turn("user", "x", at="noon"),
        lambda: second.turn("user", "x", at="25:00"),
        lambda: second.turn("user", "x", at="10:60"),
        lambda: work.sessions.start(" "),
    ):
        with pytest.raises(UsageError):
            call()
    (Path(work.root) / second.path).unlink()
    with pytest.raises(UnreadableFileError):
        second.turn("user", "x")


def test_a_head_is_parsed_again_only_after_a_change(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    work = make()
    session = work.sessions.start("x", agent="a")
    session.turn("user", "one")
    work.sessions.resume(session.id).turn("assistant", "two")
    with monkeypatch.context() as patched:
        patched.setattr("mdmem.text.yaml.yaml_source.read_yaml", lambda *_: pytest.fail("YAML is parsed"))
        work.sessions.resume(session.id).turn("user", "three")
        assert work.sessions.resume(session.id).agent == "a"
    session.end()
    with pytest.raises(UsageError):
        work.sessions.resume(session.id)


def test_in_minimal_mode_turns_are_taken_and_nothing_is_written(make: Make, tmp_path: Path) -> None:
    minimal = make("en", settings="[session]\nwrite = false\n")
    with minimal.sessions.start("x") as session:
        assert session.turn("user", "hello").status == "unchanged"
    assert not (tmp_path / "workspace/sessions").exists()
    with minimal.sessions.start("x", write=True) as session:
        assert session.turn("user", "hello").status == "done"


def test_times(make: Make) -> None:
    """The clock on the session's own day, a date with it on another."""
    session = make("en").sessions.start("x")
    day = dt.datetime.strptime(session.id[:8], "%Y%m%d").replace(hour=9, minute=5)  # noqa: DTZ007
    for at in (day, day + dt.timedelta(days=1), "21:30", "2020-01-01T10:00"):
        session.turn("user", "x", at=at)
    found = [turn.time for turn in make("en").sessions.show(session.id).turns]
    assert found == ["09:05", f"{day + dt.timedelta(days=1):%Y-%m-%d} 09:05", "21:30", "2020-01-01 10:00"]


def test_threads_of_one_session(work: Workspace) -> None:
    """Several threads may speak into one session at once."""
    session = work.sessions.start("x")
    threads = [
        threading.Thread(target=lambda n=n: [session.turn("tool", f"{n} {i}") for i in range(10)]) for n in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    said = [turn.text for turn in work.sessions.show(session.id).turns]
    assert sorted(said) == sorted(f"{n} {i}" for n in range(4) for i in range(10))


def test_undo_of_the_end_keeps_the_turns(work: Workspace) -> None:
    """Undoing the end of a session keeps its turns, and it can be ended again."""
    session = work.sessions.start("x")
    session.turn("user", "hello")
    session.end("done")
    work.history.undo(next(one.id for one in work.history.log() if one.reason == "a session ends"))
    found = work.sessions.show(session.id)
    assert (found.ended, found.outcome, found.response) == ("", "ongoing", "")
    assert [turn.text for turn in found.turns] == ["hello"]
    assert work.sessions.resume(session.id).turn("user", "again").number == 2


def test_half_a_turn_is_none(work: Workspace) -> None:
    """A partial turn after a crash is not read as a turn and is reported; the next turn moves it aside."""
    session = work.sessions.start("x")
    session.turn("user", "whole")
    path = Path(work.root) / session.path
    base, record = path.read_bytes(), b"\n### 1 assistant 10:00\n\none\n\ntwo\n"
    found = path.stat()
    path.write_bytes(base + record[:-5])
    with Root(work.root) as root:
        write_note(
            root,
            AppendIntent(session.path, len(base), len(record), "### 1 assistant 10:00", (found.st_dev, found.st_ino)),
        )
    read = work.sessions.show(session.id)
    assert (read.torn, [turn.text for turn in read.turns]) == (True, ["whole"])
    assert [turn.text for turn in work.sessions.recent_turns(session.id, 1)] == ["whole"]
    assert "set aside" in session.turn("user", "next").hint
    read = work.sessions.show(session.id)
    assert (read.torn, [turn.text for turn in read.turns]) == (False, ["whole", "next"])
    assert "### 1 assistant" in work.history.diff(work.history.log()[0].id)


@pytest.mark.slow
@pytest.mark.parametrize("said", [
    "```\nopen", "## Response\n\nforged", "- a\n- a\n- a", "[[link]] ^id", "<!-- x -->", "a\n\n\nb\n\n", "#tag text",
    "![](x.png)", "| a |\n|---|", "x" * 3000, "`code\n", "1. a\n   - b\n", "\n".join(f"line {i}" for i in range(200)),
    'Traceback (most recent call last):\n  File "x", line 1', "- [ ] todo 明天", "\\# x", "---\na: b\n---",
])  # fmt: skip
def test_turns_lint_clean(work: Workspace, said: str) -> None:
    """Whatever form a turn has, the session that holds it has no finding of form."""
    with work.sessions.start("x") as session:
        session.turn("user", said)
        session.turn("assistant", said)
    assert [one.message for one in work.lint().diagnostics] == []


@pytest.mark.parametrize(
    "said",
    [
        "ｐａｓｓｗｏｒｄ：Kz8-river-77q",
        "p a s s w o r d: Kz8-river-77q",
        "密\u200b码是Kz8-river-77q",
        "İİİ password: Kz8-river-77q",
    ],
)
def test_a_turn_and_every_other_text_mask_the_same(make: Make, text: Callable[[str], str], said: str) -> None:
    """What a turn masks is masked in a hit, a pack and a message too: also what only a person reads as a password."""
    assert "river" not in mask(said)
    with make("en").sessions.start("the router") as session:
        session.turn("user", said)
    assert mask(said) in text(session.path)


@pytest.mark.parametrize("between", [". My key is ", " und mein Schlüssel ist ", "，密钥 "])
def test_a_password_beside_a_key_is_masked_too(make: Make, text: Callable[[str], str], between: str) -> None:
    with make("en").sessions.start("mend the import") as session:
        session.turn("user", f"The password is Kz8-river-77{between}{KEY}")
        session.turn("user", f"{KEY} and the password is Qf4-meadow-21.")
    assert "Kz8-river-77" not in text(session.path)
    assert "the password is Qf4" not in text(session.path)
    assert KEY not in text(session.path)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("the tide\0 table", "the tide table"),
        ("\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain \x1b(B", "red and plain "),
        ("one\x0ctwo\x0b three\x07", "one two three"),
        ("\x93quoted\x94 \x96 5 \x80", "“quoted” – 5 €"),
        ("船屋\0的\x1b[2K钥匙\u2028在花盆下\x7f", "船屋的钥匙 在花盆下"),
        ("a\tb\r\nc\n", "a\tb\r\nc\n"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_control_characters_are_taken_out_of_a_turn(make: Make, lang: str, given: str, kept: str) -> None:
    work = make(lang)
    with work.sessions.start(given) as session:
        done = session.turn("user", given, at="10:00")
        session.turn("assistant", "ok", tool_calls=[{"id": "1", "name": "sh", "input": {"x": given}}], at="10:01")
        session.turn("tool", "", tool_results=[{"id": "1", "content": given}], at="10:02")
        session.end(given)
    found = work.sessions.show(session.id)
    assert found.turns[0].text.split() == kept.split()
    assert found.request.split() == kept.split()
    assert ("control" in done.hint or "控制" in done.hint) is (given != kept)
    assert [one for one in work.lint([session.path]).diagnostics if one.code == "MM104"] == []
