"""The journey of watching: what a watcher says, when it lets the keeper begin, and that there is one of it."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Timer

import pytest

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ConfigError, LockedError, ModelError, WorkspaceNotFoundError
from mdmem.keeper.busy import active_leases, release, write_lease
from mdmem.search.index import SearchIndex
from mdmem.search.index.refresh import IndexWriter
from mdmem.settings import tables
from mdmem.watch import board
from mdmem.watch.board import Keep, KeeperRun, keep
from mdmem.watch.events import IdleGate
from mdmem.watch.model import Notice
from mdmem.watch.service import watch
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

QUICK = 'lang = "en"\n[watch]\ndebounce_ms = 30\npoll_ms = 50\nquiet_seconds = 1\n'
FULL = "# 表层记忆\n\n## 自我感知\n\n" + "".join(f"- 第 {n} 条关于自己的记忆\n" for n in range(10))
CALM = "# 表层记忆\n\n## 自我感知\n\n- 只有一条关于自己的记忆\n"


@pytest.fixture(autouse=True)
def _soon_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LEAST_QUIET_SECONDS", 1)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "mdmem.toml").write_text(QUICK)
    (folder / "MEMORY.md").write_text("# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：主人说周五有面试\n", "utf-8")
    return folder


@contextmanager
def watching(place: Path, work: Keep | None = None, *, poll: bool = False) -> Iterator[Iterator[Notice]]:
    notices = watch(WorkspaceConfig(str(place)), once=False, poll=poll, keep=work or (lambda _: KeeperRun()))
    with closing(notices):  # type: ignore[type-var]
        yield notices


def kinds(notices: Iterator[Notice], until: str) -> list[str]:
    """Read notices up to one of a kind."""
    found = []
    for one in notices:
        found.append(one.kind)
        if one.kind == until:
            break
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("poll", [False, True])
def test_what_changes_is_judged_and_what_becomes_pending_is_told(place: Path, poll: bool) -> None:
    (place / "mdmem.toml").write_text(f"{QUICK}keep = false\n")  # on a slow machine its moment would come in between
    with watching(place, poll=poll) as notices:
        first = next(notices)
        assert (first.kind, first.severity) == ("started", "note")
        how = "polling" if poll else "file events"
        assert first.message == f"watching 1 file by {how}: clean"
        (place / "MEMORY.md").write_text("# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：路由器的密码是 Kz8-river-77\n", "utf-8")
        found = next(notices)
        assert (found.kind, found.path, found.severity) == ("changed", "MEMORY.md", "error")
        assert "MM502" in {one.code for one in found.diagnostics}
        assert "Kz8" not in str(found)
        (place / "FASTMEMO.md").write_text(FULL, "utf-8")
        assert [next(notices).kind, next(notices).kind] == ["changed", "pending"]
        (place / "FASTMEMO.md").write_text(FULL + "\n## 历史感知\n", "utf-8")
        assert next(notices).kind == "changed"  # told once
        (place / "FASTMEMO.md").write_text(CALM, "utf-8")
        assert [next(notices).kind, next(notices).kind] == ["changed", "home"]
        (place / "FASTMEMO.md").unlink()
        assert next(notices) == Notice("gone", "was deleted", "note", "FASTMEMO.md")


def test_the_next_search_finds_the_index_up_to_date(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watching(place) as notices:
        next(notices)
        (place / "notes.md").write_text("- the zebra crossed\n", "utf-8")
        assert next(notices).kind == "changed"
        (place / "MEMORY.md").unlink()
        assert next(notices).kind == "gone"
        (place / "last.md").write_text("- over\n", "utf-8")
        assert next(notices).kind == "changed"
    written: list[str] = []
    monkeypatch.setattr(IndexWriter, "put", lambda _, found, __: written.append(found.path))
    assert [hit.path for hit in Workspace(place).search("zebra 面试")] == ["notes.md"]
    assert "notes.md" not in written  # last.md may be: whoever reads the notices holds up the watcher


def test_a_save_is_told_while_the_index_is_built(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, waited_out = Event(), Event()

    def refresh(_: SearchIndex) -> None:
        if not done.wait(60):
            waited_out.set()

    monkeypatch.setattr(SearchIndex, "refresh", refresh)
    with watching(place) as notices:
        next(notices)
        Timer(0.5, (place / "notes.md").write_text, ["- the zebra crossed\n"]).start()
        assert next(notices).path == "notes.md"
        assert not waited_out.is_set(), "the index was waited for"
        done.set()


def test_what_waits_from_before_is_told_at_the_start(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    with watching(place) as notices:
        assert next(notices).kind == "started"
        pending = next(notices)
        assert (pending.kind, pending.path) == ("pending", "FASTMEMO.md")
        assert "10" in pending.message


def test_it_writes_nothing_that_it_watches(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    before = {path: path.read_bytes() for path in place.iterdir()}
    with watching(place) as notices:
        kinds(notices, "pending")
    assert {path: path.read_bytes() for path in place.iterdir() if path.is_file()} == before
    assert {path.name for path in place.iterdir()} - {path.name for path in before} == {".mdmem"}


def test_settings_and_templates_hold_from_when_they_change(place: Path) -> None:
    with watching(place) as notices:
        next(notices)
        (place / "mdmem.toml").write_text(QUICK.replace('"en"', '"zh"'))
        assert [next(notices).kind, next(notices).message[:3]] == ["settings", "正在监"]
        (place / "mdmem.toml").write_text("[watch\n")
        assert next(notices).kind == "settings"
        wrong = next(notices)
        assert (wrong.kind, wrong.severity) == ("unread", "error")
        assert "mdmem.toml:1" in wrong.message
        (place / "mdmem.toml").write_text(QUICK)
        assert kinds(notices, "started") == ["settings", "started"]


def test_wrong_settings_from_the_start_are_an_error(place: Path) -> None:
    (place / "mdmem.toml").write_text("[watch]\ndebounce = 1\n")
    with pytest.raises(ConfigError, match="unknown key"):
        next(Workspace(place).watch())


def test_on_a_new_day_everything_is_judged_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "mdmem.toml").write_text(f"{QUICK}rescan_seconds = 1\n")
    with watching(place) as notices:
        next(notices)
        tomorrow = (dt.date.today() + dt.timedelta(1)).isoformat()  # noqa: DTZ011 - a memory's days are local
        monkeypatch.setattr("mdmem.config.workspace_config.strftime", lambda _: tomorrow)
        monkeypatch.setattr(board, "strftime", lambda _: tomorrow)
        assert next(notices).kind == "looked"


@pytest.mark.thorough
def test_a_folder_that_vanishes_and_returns(place: Path) -> None:
    with watching(place) as notices:
        next(notices)
        away = place.with_name("away")
        place.rename(away)
        assert next(notices).kind == "lost"
        Timer(0.2, away.rename, [place]).start()
        assert [next(notices).kind, next(notices).kind] == ["back", "started"]
        (place / "MEMORY.md").write_text("x", "utf-8")
        assert next(notices).kind == "changed"
        while place.exists():  # the index may be written in the meantime
            shutil.rmtree(place, ignore_errors=True)
        assert kinds(notices, "lost")[-1] == "lost"


def test_a_folder_that_was_never_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceNotFoundError):
        next(Workspace(tmp_path / "no").watch())


def test_there_is_one_watcher_of_a_workspace(place: Path) -> None:
    with watching(place) as notices:
        next(notices)
        for once in (True, False):
            with pytest.raises(LockedError, match="watch"):
                next(Workspace(place).watch(once=once))
    assert next(Workspace(place).watch(once=True)).kind == "looked"


class Keeper:
    """A keeper that condenses FASTMEMO.md, or does what it is told, and counts."""

    def __init__(self, place: Path, answers: list[KeeperRun | ModelError] | None = None) -> None:
        self.place, self.calls, self.answers = place, 0, answers or []
        self.go = Event()
        self.go.set()

    def __call__(self, _: WorkspaceConfig) -> KeeperRun:
        self.calls += 1
        self.go.wait(20)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, ModelError):
            raise answer
        if answer is None:
            (self.place / "FASTMEMO.md").write_text(CALM, "utf-8")
        return answer or KeeperRun((Notice("kept", "ten entries became one"),))


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How many seconds after the last touch the gate was asked each time that it opened."""
    touches, found = [], []
    touched, wait = IdleGate.touched, IdleGate.wait

    def touch(gate: IdleGate, now: float) -> None:
        touches.append(now)
        touched(gate, now)

    def ask(gate: IdleGate, now: float, *, busy: bool) -> float:
        left = wait(gate, now, busy=busy)
        if not left:
            found.append(now - touches[-1])
        return left

    monkeypatch.setattr(IdleGate, "touched", touch)
    monkeypatch.setattr(IdleGate, "wait", ask)
    return found


def test_the_keeper_begins_when_all_has_been_quiet(place: Path, rested: list[float]) -> None:
    keeper = Keeper(place)
    with watching(place, keeper) as notices:
        next(notices)
        (place / "FASTMEMO.md").write_text(FULL, "utf-8")
        assert kinds(notices, "keeping") == ["changed", "pending", "keeping"]
        assert round(rested[-1], 3) >= 1, "quiet_seconds"
        seen: set[str] = set()
        while not {"changed", "kept", "home"} <= seen:  # what it wrote is a change like any other
            seen.add(next(notices).kind)
        assert keeper.calls == 1


def test_it_waits_for_a_quiet_time_from_its_own_start(place: Path, rested: list[float]) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    _old(place)
    with watching(place, Keeper(place)) as notices:
        assert kinds(notices, "keeping") == ["started", "pending", "keeping"]
        assert round(rested[-1], 3) >= 1, "quiet_seconds"


@pytest.mark.thorough
@pytest.mark.parametrize("once", [False, True])
def test_a_quiet_time_below_the_least_is_told_and_raised(
    place: Path, monkeypatch: pytest.MonkeyPatch, rested: list[float], *, once: bool
) -> None:
    monkeypatch.setattr(tables, "LEAST_QUIET_SECONDS", 60 if once else 3)  # one look must end before it is over
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    if once:
        told = list(watch(WorkspaceConfig(str(place)), once=True, poll=True, keep=keep))
        assert "keeping" not in {one.kind for one in told}, "the file is younger than the least"
    else:
        keeper = Keeper(place)
        with watching(place, keeper) as notices:
            told = []
            while not told or told[-1].kind != "keeping":
                told.append(next(notices))
        assert round(rested[-1], 3) >= 3
    short = next(one for one in told if one.kind == "too-short")
    assert short.severity == "warning"
    assert "quiet_seconds = 1 " in short.message
    assert f"{tables.LEAST_QUIET_SECONDS} seconds" in short.message


def test_a_save_is_told_while_the_keeper_works(place: Path) -> None:
    keeper = Keeper(place)
    keeper.go.clear()
    with watching(place, keeper) as notices:
        next(notices)
        (place / "FASTMEMO.md").write_text(FULL, "utf-8")
        kinds(notices, "keeping")
        (place / "MEMORY.md").write_text("x", "utf-8")
        assert next(notices).path == "MEMORY.md"
        keeper.go.set()
        assert "kept" in kinds(notices, "kept")


@pytest.mark.thorough
def test_nobody_busy_is_disturbed(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    keeper, config = Keeper(place), WorkspaceConfig(str(place))
    write_lease(config, "agent", 60)
    with watching(place, keeper) as notices:
        assert kinds(notices, "pending") == ["started", "pending"]
        Timer(1.5, release, [config, "agent"]).start()
        assert next(notices).kind == "keeping"
        assert active_leases(config) == ()


@pytest.mark.thorough
def test_a_keeper_that_fails_is_told_and_left_alone(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    keeper = Keeper(place, [KeeperRun((Notice("refused", "two entries"),), again=1), ModelError("no answer")])
    with watching(place, keeper) as notices:
        found = kinds(notices, "failed")
    assert found == ["started", "pending", "keeping", "refused", "keeping", "failed"]
    assert keeper.calls == 2


@pytest.mark.thorough
def test_a_keeper_that_finds_nothing_to_do_is_not_asked_in_a_loop(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    keeper = Keeper(place, [KeeperRun(), KeeperRun(), KeeperRun(), KeeperRun()])
    with watching(place, keeper) as notices:
        assert kinds(notices, "keeping")[-1] == "keeping"
        Timer(2.5, (place / "MEMORY.md").write_text, ["x"]).start()
        assert next(notices).kind == "changed"
        assert keeper.calls == 1


@pytest.mark.parametrize("off", ["[memory]\nenabled = false\n", "keep = false\n"])
def test_switched_off_it_keeps_nothing(place: Path, off: str) -> None:
    (place / "mdmem.toml").write_text(QUICK + off)
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    _old(place)
    keeper = Keeper(place)
    list(watch(WorkspaceConfig(str(place)), once=True, poll=False, keep=keeper))
    assert keeper.calls == 0


def _old(place: Path, seconds: int = 100) -> None:
    for path in place.iterdir():
        os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_once_is_a_look_and_a_turn_of_the_keeper(place: Path) -> None:
    (place / "mdmem.toml").write_text(
        QUICK.replace("quiet_seconds = 1", "quiet_seconds = 60")
    )  # the machine may be slow
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    keeper, config = Keeper(place), WorkspaceConfig(str(place))

    def look() -> list[str]:
        return [one.kind for one in watch(config, once=True, poll=False, keep=keeper)]

    assert look() == ["looked", "pending", "fresh"]
    _old(place)
    write_lease(config, "agent", 60)
    assert look() == ["looked", "pending", "busy"]
    release(config, "agent")
    assert look() == ["looked", "pending", "keeping", "kept"]
    assert look() == ["looked"]
    assert keeper.calls == 1
    assert active_leases(config) == ()


def test_the_keeper_itself_condenses_and_is_left_in_peace(place: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    _old(place)
    found = list(watch(WorkspaceConfig(str(place)), once=True, poll=False, keep=keep))
    assert [one.kind for one in found] == ["looked", "pending", "keeping", "kept"]
    assert (place / "FASTMEMO.md").read_text("utf-8").count("\n- ") == 1
    assert [one.kind for one in watch(WorkspaceConfig(str(place)), once=True, poll=False, keep=keep)] == ["looked"]


def test_a_refused_answer_is_told_and_tried_again_later(place: Path, tmp_path: Path) -> None:
    (place / "FASTMEMO.md").write_text(FULL, "utf-8")
    _old(place)
    user = tmp_path / "config" / "mdmem"
    user.mkdir(parents=True)
    (user / "mdmem.toml").write_text('[keeper]\nbackend = "command"\n[command]\nrun = ["echo", "Sure!"]\n')
    found = keep(WorkspaceConfig(str(place)))
    assert [(one.kind, one.severity, one.path) for one in found.notices] == [("refused", "warning", "FASTMEMO.md")]
    assert found.again is not None
    assert 5 < found.again <= 12
    assert (place / "FASTMEMO.md").read_text("utf-8") == FULL
    assert keep(WorkspaceConfig(str(place))).notices == ()  # not before its time
