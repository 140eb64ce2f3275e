"""What fades: a short-term fact by its score, a transient one after a day; and what never does."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import pytest
from conftest import Make, Run, Text

from mdmem.entries.archive import archives
from mdmem.night import batches
from mdmem.night.fading import age, is_faded, score
from mdmem.search.access_counts import accesses
from mdmem.workspace import Workspace

NUMBERS = {"archive_below": 0.1, "archive_accesses": 2.0}
SAID = "[confidence:: 0.5] [source:: file:notes.txt]"


def facts_text(*lines: str) -> str:
    return "# 用户\n\n## 现在\n\n" + "".join(f"- {line}\n" for line in lines)


def on(work: Workspace, day: str) -> Workspace:
    fresh = Workspace(work.root)
    fresh.config.day = day
    return fresh


def moved(work: Workspace, day: str) -> int:
    return on(work, day).night(now=True, only="decay").steps[0].moved


def archived(work: Workspace) -> str:
    return "".join(Path(work.root, name).read_text("utf-8") for name in archives(work.config))


def test_the_score_is_the_seeds() -> None:
    assert score(0.5, 0.1, 15) == pytest.approx(0.10295, abs=1e-4)
    assert not is_faded(0.5, 0.1, 15, 0, NUMBERS)
    assert is_faded(0.5, 0.1, 16, 0, NUMBERS)
    assert is_faded(0.5, 0.1, 16, 1, NUMBERS)
    assert not is_faded(0.5, 0.1, 900, 2, NUMBERS)
    assert is_faded(0.5, 1, 1, 0, NUMBERS)
    assert not is_faded(0.5, 0, 9000, 0, NUMBERS)


def test_a_short_term_fact_stays_on_the_fifteenth_day_and_leaves_on_the_sixteenth(mdmem: Run, root: Path) -> None:
    mdmem("add", "facts/用户.md", "2026-02-01：阳台上的番茄刚发芽", "--field", "predicate=番茄",
          "--field", "priority=short_term",
          "--field", "importance=0.5", "--field", "decay_rate=0.1")  # fmt: skip
    work = Workspace(root)
    assert moved(work, "2026-02-16") == 0
    assert "番茄" in (root / "facts/用户.md").read_text("utf-8")
    assert moved(work, "2026-02-17") == 1
    assert "番茄" not in (root / "facts/用户.md").read_text("utf-8")
    assert "[why:: decayed]" in archived(work)
    assert moved(work, "2026-02-17") == 0
    work.history.undo(work.history.log("facts/用户.md")[0].id)
    assert "番茄" in (root / "facts/用户.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        ("[priority:: short_term]", False),
        ("[priority:: short_term] [accesses:: 1]", False),
        ("[priority:: short_term] [accesses:: 2]", True),
        ("[priority:: short_term] [accessed:: 2026-03-25]", True),
        ("[priority:: short_term] [updated:: 2026-03-25]", True),
        ("[priority:: short_term] [decay_rate:: 0]", True),
        ("[priority:: short_term] [importance:: 1] [decay_rate:: 0.01]", True),
        ("[priority:: short_term] [type:: rule]", True),
        ("[priority:: short_term] [type:: 规则]", True),
        ("[priority:: short_term] #置顶", True),
        ("[priority:: long_term]", True),
        ("[priority:: permanent]", True),
        ("", True),
    ],
)
def test_who_fades(make: Make, text: Text, fields: str, stays: bool) -> None:
    given = facts_text(f"2026-02-01：阳台上的番茄刚发芽 {fields} {SAID}")
    work = make(files={"facts/用户.md": given, "notes.txt": "x"})
    assert moved(work, "2026-04-01") == (0 if stays else 1)
    assert (text("facts/用户.md") == given) is stays


@pytest.mark.thorough
@pytest.mark.slow
def test_ten_years_take_no_rule_no_permanent_and_no_pinned_fact(make: Make, text: Text) -> None:
    given = facts_text(
        f"2026-02-01：回答一律用中文 [type:: rule] [priority:: short_term] {SAID}",
        f"2026-02-01：对青霉素过敏 [priority:: permanent] {SAID}",
        f"2026-02-01：书房的路由器密钥贴在背面 [priority:: short_term] {SAID} ^router",
        f"2026-02-01：奥德凯克的水位每小时记一次 [priority:: short_term] {SAID}",
        f"2026-02-01：没有写优先级的一行 {SAID}",
        f"2026-02-01：长期的一行 [priority:: long_term] {SAID}",
    )
    pins = "# 便签\n\n- 路由器在哪 [type:: conclusion] [source:: file:facts/用户.md#router]\n"
    pins += "- 奥德凯克的水位每小时记一次 [type:: conclusion] [source:: tool:t1] [created:: 2026-02-01]\n"
    work = make(files={"facts/用户.md": given, "PINS.md": pins})
    for year in range(2026, 2037):
        for month in ("03", "09"):
            on(work, f"{year}-{month}-15").night(now=True)
    assert text("facts/用户.md") == given


def test_decay_can_be_switched_off(make: Make, text: Text) -> None:
    given = facts_text(f"2026-02-01：阳台上的番茄刚发芽 [priority:: short_term] {SAID}",
                       f"2026-02-01：一时的事 [priority:: transient] {SAID}")  # fmt: skip
    work = make(files={"facts/用户.md": given}, settings="[decay]\nenabled = false\n")
    assert moved(work, "2026-06-01") == 0
    assert text("facts/用户.md") == given


def test_a_day_leaves_an_age_open_for_a_day() -> None:
    day = dt.date(2026, 2, 19)
    zone = dt.UTC
    assert age(day, dt.datetime(2026, 2, 19, 23, tzinfo=zone), 24) == "young"
    assert age(day, dt.datetime(2026, 2, 20, 3, tzinfo=zone), 24) == "unsure"
    assert age(day, dt.datetime(2026, 2, 21, 0, tzinfo=zone), 24) == "over"


@pytest.mark.parametrize(("hour", "left"), [(9, 0), (11, 1)])
def test_a_transient_fact_lives_a_day_and_no_longer(make: Make, hour: int, left: int) -> None:
    """It was said at ten: twenty-three hours later it stays, twenty-five hours later it leaves."""
    session = """---
agent: main
task: 票
started: 2026-02-19 09:00
ended: 2026-02-19 10:30
outcome: success
extracted_through: 1
condensed_through: 0
---
# Session: 20260219_090000

## 请求

票

## 回应

## 元数据

## 对话

### 1 用户 10:00

下午的火车在三号站台。

### 1 助手 10:01

好。
"""
    line = (
        "2026-02-19：下午的火车在三号站台 [priority:: transient] [confidence:: 0.5] [source:: chat:20260219_090000#1]"
    )
    work = make(files={"facts/用户.md": facts_text(line), "sessions/20260219_090000_票.md": session})
    with clock(dt.datetime(2026, 2, 20, hour).astimezone()):
        assert moved(work, "2026-02-20") == left


@pytest.mark.parametrize(("hours", "left"), [(23, 0), (25, 1)])
def test_the_moment_of_a_written_line_is_in_the_history(make: Make, hours: int, left: int) -> None:
    work = make()
    written = dt.datetime.now().astimezone().replace(microsecond=0)
    fresh = on(work, written.date().isoformat())
    fresh.add("facts/用户.md", ["下午的火车在三号站台"], fields={"predicate": "火车", "priority": "transient"})
    later = written + dt.timedelta(hours=hours)
    with clock(later):
        assert moved(work, later.date().isoformat()) == left
    if left:
        assert "[why:: expired]" in archived(work)


def test_a_transient_line_of_which_only_the_day_is_known_counts_from_its_end(make: Make) -> None:
    work = make(files={"facts/用户.md": facts_text(f"2026-02-19：一时的事 [priority:: transient] {SAID}")})
    assert moved(work, "2026-02-20") == 0
    assert moved(work, "2026-02-21") == 1


class _Clock(dt.datetime):
    """Tells one time."""

    told: ClassVar[dt.datetime]

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return cls.told.astimezone(tz)


@contextmanager
def clock(now: dt.datetime) -> Iterator[None]:
    """Let `datetime.datetime.now` tell one time."""
    _Clock.told = now
    with mock.patch("mdmem.night.run.dt.datetime", _Clock):
        yield


def test_older_values_leave_with_the_line_that_replaced_them(make: Make, text: Text) -> None:
    lines = facts_text(f"2026-01-02：阳台上的番茄刚发芽 [priority:: short_term] {SAID} ^new")
    lines += "\n## 以前\n\n- 2026-01-01：阳台上还没有番茄 [confidence:: 0.5] [superseded:: 2026-01-02]"
    lines += " [superseded_by:: new] ^mid\n"
    lines += "- 2025-12-01：阳台上种的是薄荷 [confidence:: 0.5] [superseded:: 2026-01-01] [superseded_by:: mid]\n"
    work = make(files={"facts/用户.md": lines, "notes.txt": ""})
    assert moved(work, "2026-04-01") == 3
    assert "番茄" not in text("facts/用户.md")
    assert archived(work).count("[why:: superseded]") == 2
    assert [one for one in on(work, "2026-04-01").lint().diagnostics if one.code == "MM315"] == []


def test_recalls_are_counted_into_the_facts_once(make: Make, text: Text) -> None:
    given = facts_text(
        f"2026-02-01：奥德凯克的水位每小时记一次 [priority:: short_term] {SAID}", "2026-02-02：水位图挂在走廊里"
    )
    work = make(files={"facts/用户.md": given, "notes.txt": ""})
    for _ in range(3):
        work.recall("奥德凯克的水位")
        work.recall("水位图挂在哪里")
    counts = Path(work.root, ".mdmem/access.json").read_text("utf-8")
    assert counts.count(":") >= 2
    work.night(now=True, only="decay")
    line = next(one for one in text("facts/用户.md").splitlines() if "每小时" in one)
    assert "[accesses:: 3]" in line or "[accesses:: 6]" in line
    assert "[accessed:: 2026-02-20]" in line
    assert "- 2026-02-02：水位图挂在走廊里\n" in text("facts/用户.md"), "a line as a person writes it is not touched"
    before = text("facts/用户.md")
    work.night(now=True, only="decay")
    assert text("facts/用户.md") == before
    assert moved(work, "2026-06-01") == 0, "it was asked for often enough"
    assert work.lint().diagnostics == ()


def test_a_night_that_only_counts_recalls_says_so(make: Make, text: Text) -> None:
    given = facts_text(f"2026-02-01：奥德凯克的水位每小时记一次 {SAID}", f"2026-02-01：水位图挂在走廊里 {SAID}")
    work = make(files={"facts/用户.md": given, "notes.txt": ""})
    work.recall("奥德凯克的水位")
    done = work.night(now=True, only="decay")
    assert (
        (done.status, done.steps[0].updated) == ("done", text("facts/用户.md").count("[accesses:: 1]")) != ("done", 0)
    )
    assert "想起的次数" in text("archive/nights/2026-02-20.md")
    report = text("archive/nights/2026-02-20.md")
    assert work.night(now=True, only="decay").status == "unchanged"
    assert text("archive/nights/2026-02-20.md") == report
    assert work.lint().diagnostics == ()


def test_a_recall_counts_for_a_line_whose_fields_change_before_the_night(make: Make, text: Text) -> None:
    work = make(
        files={"facts/用户.md": facts_text(f"2026-02-01：水位每小时记一次 [importance:: 0.5] {SAID}"), "notes.txt": ""}
    )
    work.recall("水位每小时记一次")
    now = text("facts/用户.md").replace("[confidence:: 0.5]", "[confidence:: 0.8] [updated:: 2026-02-19]")
    Path(work.root, "facts/用户.md").write_text(now, "utf-8")
    fresh = Workspace(work.root, lang="zh")
    fresh.index.forget()
    fresh.night(now=True, only="decay")
    assert "[accesses:: 1]" in text("facts/用户.md")


@pytest.mark.parametrize("written", [False, True])
def test_a_break_between_the_line_and_the_counter_counts_a_recall_once(
    make: Make, text: Text, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    given = facts_text(f"2026-02-01：水位每小时记一次 {SAID}")
    work = make(files={"facts/用户.md": given, "notes.txt": ""})
    work.recall("水位每小时记一次")
    with monkeypatch.context() as patch:
        if written:
            patch.setattr(batches, "settle_counts", mock.Mock(side_effect=KeyboardInterrupt))
        else:
            patch.setattr("mdmem.store.pen.draft_change", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work.night(now=True, only="decay")
    assert ("[accesses:: 1]" in text("facts/用户.md")) is written
    Workspace(work.root).recall("水位每小时记一次")
    Workspace(work.root).night(now=True, only="decay")
    assert "[accesses:: 2]" in text("facts/用户.md")
    assert accesses(work.config) == {}


def test_a_recall_ranks_by_the_counts_that_a_file_holds(make: Make) -> None:
    lines = facts_text(
        "2026-02-01：走廊里的水位图是蓝色的", f"2026-02-01：走廊里的水位图是大张的 [accesses:: 40] {SAID}"
    )
    work = make(files={"facts/用户.md": lines, "notes.txt": ""})
    assert "大张" in work.search("走廊里的水位图")[0].text


HEAD = """---
agent: main
task: {task}
started: {day} 09:00
ended: {day} 10:30
outcome: success
extracted_through: {through}
condensed_through: 0
---
# Session: {name}

## 请求

{task}

## 回应

## 元数据

## 对话

### 1 用户 10:00

水位图挂在走廊里。

### 1 助手 10:01

好。
"""


def session(day: str, through: int = 1) -> str:
    return HEAD.format(task="水位", day=day, through=through, name=f"{day.replace('-', '')}_090000")


def test_old_sessions_and_diaries_move_and_newer_ones_stay(make: Make, text: Text) -> None:
    old, new = session("2025-12-01"), session("2026-02-18")
    diary = "# 2025-10-01\n\n## 今天\n\n去河边走了一圈。手写的一句。\n"
    files = {
        "sessions/20251201_090000_水位.md": old, "sessions/20260218_090000_水位.md": new, "memory/2025-10-01.md": diary,
        "memory/2026-02-18.md": diary, "memory/notes.md": "# notes\n",
    }  # fmt: skip
    work = make(files=files)
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.moved) == (2, 2)
    assert text("archive/sessions/20251201_090000_水位.md") == old
    assert text("archive/memory/2025-10-01.md") == diary
    left = sorted(path.relative_to(work.root).as_posix() for path in Path(work.root).rglob("*.md"))
    assert {"sessions/20260218_090000_水位.md", "memory/2026-02-18.md", "memory/notes.md"} < set(left)
    assert "sessions/20251201_090000_水位.md" not in left
    assert work.night(now=True, only="ageing").status == "unchanged"
    assert work.search("去河边走了一圈", archive=True)
    assert [one for one in work.lint().diagnostics if one.severity == "error"] == []


def test_a_reference_to_a_file_that_moved_to_the_archive_still_holds(make: Make) -> None:
    old = "sessions/20251201_090000_水位.md"
    files = {
        old: session("2025-12-01"), "memory/2025-10-01.md": "# 2025-10-01\n\n## 今天\n\n去河边走了一圈。\n",
        "MEMORY.md": "# 长期记忆\n\n## 重要经历\n\n"
        f"- 2025-12-01：水位图挂在走廊里 [source:: file:{old}#L5]\n"
        "- 2025-10-01：去河边走了一圈 [source:: file:memory/2025-10-01.md#L5]\n",
    }  # fmt: skip
    work = make(files=files)
    read = [work.history.why(text).evidence[0].excerpt for text in ("水位图", "走了一圈")]
    assert all(read)
    assert work.night(now=True, only="ageing").steps[0].moved == 2
    assert "MM315" not in {finding.code for finding in work.lint().diagnostics}
    assert [work.history.why(text).evidence[0].excerpt for text in ("水位图", "走了一圈")] == read
    assert work.sessions.show(old).path == f"archive/{old}"


def test_a_name_that_the_archive_has_is_refused_and_nothing_is_lost(make: Make, text: Text) -> None:
    files = {"memory/2025-10-01.md": "# one\n", "archive/memory/2025-10-01.md": "# other\n"}
    work = make(files=files)
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.moved, done.refused) == (1, 0, 1)
    assert "archive" in done.reasons[0] or "归档" in done.reasons[0]
    assert {name: text(name) for name in files} == files


def test_an_old_session_is_extracted_before_it_moves(make: Make) -> None:
    work = make(files={"sessions/20251201_090000_水位.md": session("2025-12-01", 0)})
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.kept, done.moved) == (1, 1, 0)
    report = work.night(now=True)
    assert [one.moved for one in report.steps] == [0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert os.listdir(Path(work.root, "archive", "sessions")) == ["20251201_090000_水位.md"]


def test_old_outputs_that_nothing_cites_move_too(make: Make) -> None:
    work = make(
        files={
            "MEMORY.md": "# 记忆\n\n## 重要事件\n\n- 2026-02-10：水位图画好了 [source:: tool:20251201-090000-aaaa]\n"
        }
    )
    for name in ("20251201-090000-aaaa", "20251201-090000-bbbb"):
        path = Path(work.root, "artifacts", "2025-12", f"{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntool_id: {name}\ncreated_at: 2025-12-01 09:00:00\n---\nout\n", "utf-8")
    (done,) = work.night(now=True, only="ageing").steps
    assert done.moved == 1
    assert [path.stem for path in Path(work.root, "artifacts").rglob("*.md")] == ["20251201-090000-aaaa"]
    assert [path.stem for path in Path(work.root, "archive", "artifacts", "2025-12").iterdir()] == [
        "20251201-090000-bbbb"
    ]
    assert work.artifacts.get("20251201-090000-bbbb").text
    assert work.night(now=True, only="ageing").steps[0].moved == 0
