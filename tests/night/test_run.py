"""The run as a whole: off until it is switched on, one at a time, in its budget, and the same end after any break."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Make, Run, Text
from forms import many
from harness import killed, needs_fork

from mdmem import LockedError, NightReport, RefusedError, UsageError
from mdmem.errors import ConfigError
from mdmem.night import service
from mdmem.night.model import NightItem, NightOptions, StepCounts
from mdmem.night.progress import NightLease, read_state
from mdmem.night.report import read_report
from mdmem.night.run import NightRun
from mdmem.night.service import night
from mdmem.search.access_counts import record_access
from mdmem.text.document import parse
from mdmem.text.entry import statement_key
from mdmem.workspace import Workspace

from .test_decay import session

SAID = "[confidence:: 0.5] [source:: file:notes.txt]"
HAND = "- 2026-02-01：我自己写的一行，谁也不许动\n"


def files() -> dict[str, str]:
    """Return a memory with work for each step, and lines of a person in each file."""
    keys = [
        f"- 2026-02-{day}：备用钥匙{word}放在奶奶家门口的陶土花盆下面 {SAID}\n"
        for day, word in (("10", ""), ("11", "现在"))
    ]
    pumps = [f"- 2026-02-{day}：the old pump in the cellar needs {word} oil every spring {SAID}\n"
             for day, word in (("10", ""), ("12", "more"))]  # fmt: skip
    faded = f"- 2025-12-01：阳台上的番茄刚发芽 [priority:: short_term] {SAID}\n"
    over = f"- 2026-01-01：下午的火车在三号站台 [priority:: transient] {SAID}\n"
    return {
        "facts/用户.md": f"# 用户\n\n我自己的一段话。\n\n## 现在\n\n{HAND}{''.join(keys)}{faded}",
        "facts/水泵.md": f"# 水泵\n\n## 现在\n\n{''.join(pumps)}{over}{HAND}",
        "MEMORY.md": f"# 记忆\n\n## 重要事件\n\n{HAND}- 2026-02-10：水位图改用标准库来画 [source:: file:notes.txt]\n",
        "USER.md": "# 用户\n\n- 称呼：念念\n",
        "sessions/20251201_090000_水位.md": session("2025-12-01", 0),
        "sessions/20260218_090000_水位.md": session("2026-02-18", 0),
        "memory/2025-10-01.md": "# 2025-10-01\n\n手写的日记。\n",
        "notes.txt": "x",
    }


def tree(work: Workspace) -> dict[str, str]:
    """Return the memory files without what differs from run to run: ids of changes, clocks, names of runs."""
    import re

    found = {}
    for path in sorted(Path(work.root).rglob("*.md")):
        text = path.read_text("utf-8")
        text = re.sub(
            r"\[change:: [^]]*\]|\[run:: [^]]*\]|\[seconds:: [^]]*\]|^(started|ended): .*$",
            "",
            text,
            flags=re.MULTILINE,
        )
        name = path.relative_to(work.root).as_posix()
        if name.startswith("archive/2"):  # the order of the archive is that of the changes
            text = "\n".join(sorted(text.splitlines()))
        found[name] = text
    return found


def raw(work: Workspace) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(work.root).rglob("*.md")}


def fresh(work: Workspace) -> Workspace:
    again = Workspace(work.root)
    again.config.day = work.config.day
    return again


def test_it_is_off_until_it_is_switched_on(mdmem: Run, root: Path) -> None:
    told = mdmem("night", code=1).stdout
    assert "没有打开" in told
    assert "--now" in told
    assert not (root / "archive").exists()
    (root / "mdmem.toml").write_text('lang = "zh"\n[night]\nenabled = true\n', "utf-8")
    mdmem("night")
    assert len(list((root / "archive" / "nights").iterdir())) == 1
    mdmem("busy", "--for", "5m")
    assert "有人在用" in mdmem("night", code=1).stdout
    mdmem("night", "--now")


@pytest.fixture
def work(make: Make) -> Workspace:
    return make(files=files())


def test_a_plan_tells_and_writes_nothing(work: Workspace) -> None:
    before = raw(work)
    report = work.night(plan=True)
    assert report.status == "planned"
    assert [(one.step, one.merged, one.moved) for one in report.steps] == [
        ("learn", 0, 0), ("extract", 0, 2), ("dedup", 2, 0), ("corrections", 0, 0), ("decay", 0, 2), ("portrait", 0, 1),
        ("compile", 0, 0), ("ageing", 0, 1), ("instructions", 0, 0),
    ]  # fmt: skip
    assert raw(work) == before
    assert not Path(work.root, ".mdmem/night.json").exists()


def test_a_plan_goes_on_past_a_file_that_cannot_be_read_as_the_run_does(make: Make, tmp_path: Path) -> None:
    memory = make(files=files())
    outside = tmp_path / "elsewhere.md"
    outside.write_text("# 钉住的事\n", "utf-8")
    Path(memory.root, "PINS.md").symlink_to(outside)
    planned, done = memory.night(plan=True), memory.night(now=True)
    refused = [one.step for one in planned.steps if one.refused]
    assert refused == [one.step for one in done.steps if one.refused] != []
    assert all("PINS.md" in reason for one in planned.steps for reason in one.reasons)


def test_a_plan_in_which_all_is_refused_does_not_say_that_nothing_is_to_do(make: Make, tmp_path: Path) -> None:
    memory = make(files=files())
    memory.night(now=True)
    outside = tmp_path / "elsewhere.md"
    outside.write_text("# 钉住的事\n", "utf-8")
    Path(memory.root, "PINS.md").unlink(missing_ok=True)
    Path(memory.root, "PINS.md").symlink_to(outside)
    planned = memory.night(plan=True)
    refused = sum(one.refused for one in planned.steps)
    assert (planned.status, refused > 0) == ("unchanged", True)
    assert f"{refused} 条被拒绝" in planned.message


def test_each_step_adds_up_and_a_second_run_changes_nothing(work: Workspace, text: Text) -> None:
    seen: list[tuple[str, int, int]] = []
    report = work.night(now=True, progress=lambda *told: seen.append(told))
    assert report.status == "done"
    assert [(one.step, one.entries, one.kept, one.merged, one.moved, one.refused) for one in report.steps] == [
        ("learn", 0, 0, 0, 0, 0), ("extract", 2, 0, 0, 2, 0),
        ("dedup", 10, 8, 2, 0, 0), ("corrections", 0, 0, 0, 0, 0), ("decay", 2, 0, 0, 2, 0),
        ("portrait", 3, 2, 0, 1, 0), ("compile", 0, 0, 0, 0, 0), ("ageing", 2, 0, 0, 2, 0),
        ("instructions", 0, 0, 0, 0, 0),
    ]  # fmt: skip
    assert {step for step, _, _ in seen} == {"extract", "dedup", "decay", "portrait", "ageing"}
    path = "archive/nights/2026-02-20.md"
    lines = read_report(parse(text(path).encode()))
    assert [lines[one.step].report.entries for one in report.steps] == [one.entries for one in report.steps]
    assert "status: done" in text(path)
    assert work.lint().diagnostics == ()
    before = raw(work)
    again = fresh(work).night(now=True)
    assert again.status == "unchanged"
    assert raw(work) == before


def test_what_a_person_wrote_stays_byte_for_byte(make: Make, text: Text) -> None:
    given = files()
    work = make(files=given)
    work.night(now=True)
    for name in ("facts/用户.md", "facts/水泵.md", "MEMORY.md"):
        assert HAND in text(name)
    assert "我自己的一段话。" in text("facts/用户.md")
    assert text("USER.md") == given["USER.md"]
    assert text("archive/memory/2025-10-01.md") == given["memory/2025-10-01.md"]


def test_what_changed_by_day_stands_in_the_portrait_by_night(make: Make, text: Text) -> None:
    work = make(
        files={
            "MEMORY.md": "# 记忆\n\n## 笔记\n\n- 2026-02-01：我自己写的一行 [source:: file:notes.txt]\n",
            "notes.txt": "x",
        }
    )
    work.fact_set("用户", "Python 版本", "用户的 Python 是 3.10")
    work.night(now=True)
    assert "用户的 Python 是 3.10 [fact:: facts/" in text("MEMORY.md")
    work.fact_set("用户", "Python 版本", "用户的 Python 是 3.12")
    work.fact_set("用户", "编辑器", "用户的编辑器是 Zed")
    report = fresh(work).night(now=True)
    assert {one.step: one.moved for one in report.steps}["portrait"] > 0
    assert "用户的编辑器是 Zed [fact:: facts/" in text("MEMORY.md")
    assert "用户的 Python 是 3.12 [fact:: facts/" in text("MEMORY.md")
    assert "3.10" not in text("MEMORY.md")
    assert "- 2026-02-01：我自己写的一行 [source:: file:notes.txt]\n" in text("MEMORY.md")
    Path(work.root, "mdmem.toml").write_text('lang = "zh"\n[night]\nportrait = []\n', "utf-8")
    work.fact_set("用户", "外壳", "用户的外壳是 fish")
    fresh(work).night(now=True)
    assert "fish" not in text("MEMORY.md")


@pytest.mark.parametrize(
    ("lang", "user", "aspect", "trait"),
    [
        ("zh", "用户", "语气", "回答要平静、少用感叹号"),
        ("en", "user", "tone", "answers calmly, without exclamation marks"),
    ],
)
def test_a_sure_trait_stands_in_the_persona_file_after_the_night(
    make: Make, text: Text, lang: str, user: str, aspect: str, trait: str
) -> None:
    work = make(lang)
    work.fact_set(user, aspect, trait, type="persona_trait")
    assert not Path(work.root, "personas/user_custom.md").exists()
    report = work.night(now=True)
    assert {one.step: one.moved for one in report.steps}["portrait"] > 0
    assert f"{trait} [fact:: facts/" in text("personas/user_custom.md")


def test_a_generated_line_takes_no_line_of_the_memory_away(make: Make, text: Text) -> None:
    said = "- 2026-02-10：备用钥匙现在放在奶奶家门口的陶土花盆下面"
    own = f"{said} [source:: file:notes.txt]\n"
    block = f"<!-- mdmem:auto core -->\n{said} [fact:: facts/用户.md#k1]\n<!-- /mdmem:auto -->\n"
    work = make(files={"MEMORY.md": f"# 记忆\n\n## 笔记\n\n{own}\n{block}", "notes.txt": "x"})
    assert [one.merged for one in work.night(now=True, only="dedup").steps] == [0]
    assert own in text("MEMORY.md")


def test_a_person_may_write_into_the_report(work: Workspace, text: Text) -> None:
    work.night(now=True, only="dedup")
    path = Path(work.root, "archive/nights/2026-02-20.md")
    mine = "\n- 看过了，没问题\n\n## 我的话\n\n一段话。\n"
    path.write_text(path.read_text("utf-8") + mine, "utf-8")
    fresh(work).night(now=True)
    told = text("archive/nights/2026-02-20.md")
    assert told.endswith(mine) or ("- 看过了，没问题" in told and "一段话。" in told)
    assert told.count("[step:: dedup]") == 1


class Break(BaseException):
    """The end of a process, in the middle of a run."""


@pytest.mark.thorough
@pytest.mark.slow
def test_a_break_between_any_two_items_ends_the_same(
    work: Workspace, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = len([1 for one in work.night(plan=True).steps for _ in range(one.merged + one.moved)])
    work.night(now=True)
    wanted = tree(work)
    done = 0
    steps = service.STEPS
    for stop in range(1, whole + 3):
        for path in Path(work.root).rglob("*"):
            if path.is_file() and path.name != "mdmem.toml":
                path.unlink()
        again = make(files=files())
        left = stop

        def counted(apply: Callable[[NightRun, NightItem], StepCounts]) -> Callable[[NightRun, NightItem], StepCounts]:
            def run(given: NightRun, item: NightItem) -> StepCounts:
                nonlocal left
                left -= 1
                if left < 0:
                    raise Break
                return apply(given, item)

            return run

        monkeypatch.setattr(service, "STEPS", tuple(one._replace(apply=counted(one.apply)) for one in steps))
        try:
            again.night(now=True)
            done += 1
        except Break:
            monkeypatch.setattr(service, "STEPS", steps)
            assert fresh(again).night(now=True).status == "done"
        assert tree(again) == wanted, stop
    assert done, "it came to its end"


def test_a_break_after_a_break_is_counted_too(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run ends after its first item: the report tells all of them in the end."""
    work = make(files={name: text for name, text in files().items() if name.startswith(("facts/", "notes"))})
    steps = service.STEPS

    def once(apply: Callable[[NightRun, NightItem], StepCounts]) -> Callable[[NightRun, NightItem], StepCounts]:
        begun = False

        def run(given: NightRun, item: NightItem) -> StepCounts:
            nonlocal begun
            if begun:
                raise Break
            begun = True
            return apply(given, item)

        return run

    for _ in range(2):
        monkeypatch.setattr(service, "STEPS", tuple(one._replace(apply=once(one.apply)) for one in steps))
        with pytest.raises(Break):
            fresh(work).night(now=True)
    monkeypatch.setattr(service, "STEPS", steps)
    fresh(work).night(now=True)
    told = read_report(parse(Path(work.root, "archive/nights/2026-02-20.md").read_bytes()))
    assert (told["dedup"].report.merged, told["decay"].report.moved) == (2, 2)
    assert told["dedup"].report.entries == 8


def _copies(work: Workspace) -> Iterator[str]:
    for name in ("facts/用户.md", "facts/水泵.md"):
        yield Path(work.root, name).read_text("utf-8")


@pytest.mark.thorough
@pytest.mark.slow
@needs_fork
def test_a_kill_at_any_call_of_the_system_ends_the_same(make: Make) -> None:
    def run(given: Workspace) -> Any:
        return night(given.config, NightOptions(now=True))

    def recalled(given: Workspace) -> Workspace:
        lines = (
            line.removeprefix("- ") for text in files().values() for line in text.splitlines() if "备用钥匙" in line
        )
        record_access(given.config, map(statement_key, lines), "2026-02-19")
        return given

    work = recalled(make(files=files()))
    run(work)
    wanted = tree(work)
    assert "[accesses:: 2]" in wanted["facts/用户.md"]

    def prepare() -> Workspace:
        for path in Path(work.root).rglob("*"):
            if path.is_file() and path.name != "mdmem.toml":
                path.unlink()
        return recalled(make(files=files()))

    for after in killed(many(331, 11), prepare, run):
        assert "花盆" in next(_copies(after)), "never both gone"
        assert night(after.config, NightOptions(now=True)).status in ("done", "unchanged")
        assert {name: text for name, text in tree(after).items() if "nights" not in name} == {
            name: text for name, text in wanted.items() if "nights" not in name
        }
        told = read_report(parse(Path(after.root, "archive/nights/2026-02-20.md").read_bytes()))
        assert (told["dedup"].report.merged, told["decay"].report.moved) == (2, 2)


def test_two_runs_at_once_one_refuses(work: Workspace) -> None:
    lease = NightLease(work.config, "one")
    before = raw(work)
    with pytest.raises(LockedError, match="已经有一个"):
        work.night(now=True)
    assert raw(work) == before
    lease.release()
    assert work.night(now=True).status == "done"


@pytest.mark.thorough
def test_a_lease_without_a_sign_of_life_is_taken_over(make: Make) -> None:
    work = make(files=files(), settings="[night]\nlease_seconds = 1\n")
    lease = NightLease(work.config, "one")
    time.sleep(1.1)
    assert work.night(now=True).status == "done"
    with pytest.raises(LockedError):
        lease.update(step="dedup")


def test_the_lease_of_a_process_that_has_died_is_taken_over_at_once(work: Workspace) -> None:
    lease = NightLease(work.config, "one")
    lease.update(pid=2**22 + 1)
    assert work.night(now=True).status == "done"
    assert read_state(work.config).ended


@pytest.mark.thorough
def test_a_damaged_state_costs_nothing(work: Workspace) -> None:
    for text in ("{", "[]", '{"day": 3}', '{"items": {"a": [1]}}', "\x00"):
        Path(work.root, ".mdmem").mkdir(exist_ok=True)
        Path(work.root, ".mdmem/night.json").write_text(text, "utf-8")
        work.night(now=True)
    assert work.night(now=True).status == "unchanged"


def test_one_step_alone(work: Workspace, mdmem: Run) -> None:
    report = work.night(now=True, only="decay")
    assert [one.step for one in report.steps] == ["decay"]
    assert not read_state(work.config).ended, "the night of the day is still to come"
    with pytest.raises(UsageError, match="没有"):
        work.night(now=True, only="nothing")
    with pytest.raises(UsageError, match="calls"):
        work.night(now=True, calls=-1)
    assert "extract" in mdmem("night", "--only", "x", code=2).stderr


@pytest.mark.thorough
def test_a_locked_or_unreadable_file_is_told_and_the_rest_goes_on(make: Make, text: Text) -> None:
    from mdmem.store import locks
    from mdmem.store.root import Root

    given = files()
    work = make(files={**given, "facts/坏.md": "# x"}, settings="[store]\nlock_seconds = 1\nstable_ms = 1\n")
    Path(work.root, "facts/坏.md").write_bytes(b"# \xff\xfe\n\n- x\n")
    with Root(work.root) as root, locks.locked(root, ["facts/用户.md"], 0):
        report = work.night(now=True)
    steps = {one.step: one for one in report.steps}
    assert (steps["dedup"].merged, steps["decay"].moved) == (1, 1)
    assert any("facts/用户.md" in reason for reason in steps["dedup"].reasons)
    assert any("facts/坏.md" in reason for reason in steps["dedup"].reasons)
    assert text("facts/用户.md") == given["facts/用户.md"]
    assert "facts/坏.md" in text("archive/nights/2026-02-20.md")
    assert str(work.root) not in text("archive/nights/2026-02-20.md")
    later = fresh(work).night(now=True)
    assert (later.steps[2].merged, later.steps[4].moved) == (1, 1)
    told = read_report(parse(text("archive/nights/2026-02-20.md").encode()))
    assert told["dedup"].report.merged == 2


MODEL = """
import sys, time
sys.stdin.read()
open({log!r}, "a").write("x")
{act}
"""


def with_model(make: Make, tmp_path: Path, act: str, settings: str = "") -> Workspace:
    log, program = tmp_path / "calls", tmp_path / "model.py"
    program.write_text(MODEL.format(log=str(log), act=act), "utf-8")
    run = json.dumps([sys.executable, "-I", str(program)])
    work = make(files=files(), settings=f'[keeper]\nbackend = "command"\n[command]\nrun = {run}\n{settings}')
    work.trust()
    return work


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "settings"),
    [
        ("print('I have thought about it.')", ""),
        ("print('{\"x\":')", ""),
        ("raise SystemExit(3)", ""),
        ("time.sleep(60)", "seconds = 1\n"),
    ],
)
def test_a_model_that_answers_wrong_or_hangs_leaves_the_sessions_as_they_were(
    make: Make, tmp_path: Path, text: Text, act: str, settings: str
) -> None:
    work = with_model(make, tmp_path, act, settings)
    given = files()
    started = time.monotonic()
    report: NightReport = work.night(now=True, calls=5)
    assert time.monotonic() - started < 30
    steps = {one.step: one for one in report.steps}
    assert steps["extract"].refused + steps["extract"].left == 2
    assert len((tmp_path / "calls").read_text("utf-8")) <= 5
    for name in ("sessions/20251201_090000_水位.md", "sessions/20260218_090000_水位.md"):
        assert text(name) == given[name], "it was not extracted, so it did not move"
    assert steps["extract"].reasons
    assert steps["dedup"].merged == 2, "what needs no model is done"


def test_a_model_that_never_answers_is_no_spent_budget(make: Make, tmp_path: Path) -> None:
    work = with_model(make, tmp_path, "time.sleep(60)", "seconds = 1\n[night]\nfailures = 1\n")
    report = work.night(now=True, only="extract")
    assert report.status == "stopped"
    assert "预算" not in report.message + report.hint
    assert "模型没有回答" in report.message


def test_a_night_in_which_all_was_refused_does_not_say_that_there_was_nothing_to_do(make: Make) -> None:
    work = make(files={"facts/坏.md": "# x"})
    Path(work.root, "facts/坏.md").write_bytes(b"# \xff\xfe\n\n- x\n")
    report = work.night(now=True, only="dedup")
    assert report.status == "unchanged"
    assert "没有要整理的" not in report.message
    assert "拒绝" in report.message


def test_a_first_night_without_work_is_one_change(make: Make) -> None:
    work = make(files={"MEMORY.md": "# 记忆\n\n- 2026-02-13：面试\n"})
    before = len(work.history.log(limit=50))
    work.night(now=True)
    assert len(work.history.log(limit=50)) == before + 1


@pytest.mark.thorough
def test_without_calls_the_sessions_wait(make: Make, tmp_path: Path) -> None:
    work = with_model(make, tmp_path, "print('NONE')")
    report = work.night(now=True, calls=0)
    assert report.status == "stopped"
    assert (report.steps[1].left, report.steps[1].calls) == (2, 0)
    assert "预算" in report.hint
    assert work.night(now=True).steps[1].moved == 2
    assert "status: done" in Path(work.root, "archive/nights/2026-02-20.md").read_text("utf-8")


@pytest.mark.thorough
def test_the_report_is_a_kind_that_lint_knows(work: Workspace) -> None:
    work.night(now=True)
    assert work.config.schemas.kind("archive/nights/2026-02-20.md") == "night"
    path = Path(work.root, "archive/nights/2026-02-20.md")
    path.write_text(path.read_text("utf-8").replace("[in:: 10]", "[in:: many]"), "utf-8")
    assert [one.code for one in work.lint().diagnostics if one.path == "archive/nights/2026-02-20.md"] == ["MM312"]


def test_no_search_finds_a_report(work: Workspace) -> None:
    work.night(now=True)
    assert [one for one in work.search("合并重复 旧文件归档", archive=True) if "nights" in one.path] == []


def test_an_agent_extracts_itself_and_the_rest_is_done(make: Make, text: Text) -> None:
    work = make(files=files(), settings='[keeper]\nbackend = "agent"\n')
    report = work.night(now=True)
    assert (report.steps[1].kept, report.steps[1].moved) == (2, 0)
    assert report.steps[2].merged == 2
    assert text("sessions/20260218_090000_水位.md") == files()["sessions/20260218_090000_水位.md"]


def test_the_hour_must_be_one(make: Make) -> None:
    for at in ("3 o'clock", "25:00", ""):
        work = make(files=files(), settings=f'[night]\nenabled = true\nat = "{at}"\n')
        with pytest.raises(ConfigError, match=r"night\.at"):
            work.night()
        with pytest.raises(ConfigError, match=r"night\.at"):
            list(work.watch(once=True))


def test_both_languages(make: Make) -> None:
    work = make("en", files=files())
    report = work.night(now=True)
    assert report.lines[1].startswith("merging: 10 in")
    told = Path(work.root, "archive/nights/2026-02-20.md").read_text("utf-8")
    assert "# Night of 2026-02-20" in told
    assert "## Steps" in told
    assert work.lint().diagnostics == ()


def test_an_undo_takes_back_what_the_night_did_and_not_its_report(work: Workspace, text: Text) -> None:
    before = text("facts/水泵.md"), text("facts/用户.md")
    assert work.night(now=True, only="dedup").steps[0].merged == 2
    for _ in range(2):  # one change for each pair
        assert work.history.undo().status == "done"
    assert (text("facts/水泵.md"), text("facts/用户.md")) == before


def test_the_first_night_of_an_empty_workspace_is_one_change(make: Make) -> None:
    workspace = make("en")
    workspace.init()
    before = len(workspace.history.log())
    assert workspace.night(now=True).status == "unchanged"
    assert len(workspace.history.log()) == before + 1
    workspace.night(now=True)
    assert len(workspace.history.log()) == before + 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_help_names_every_step(mdmem: Run, lang: str) -> None:
    said = mdmem("night", "--help", "--lang", lang).stdout
    assert [step.name for step in service.STEPS if step.name not in said] == []


def test_a_refusal_says_what_to_do_next(make: Make) -> None:
    work = make("en")
    work.fact_set("user", "home", "lives in Lisbon")
    Path(work.root, "USER.md").write_text(
        "# User\n\n## Getting to know\n\n<!-- mdmem:auto user -->\n- half a block\n", "utf-8"
    )
    (step,) = work.night(only="portrait", now=True).steps
    with pytest.raises(RefusedError) as caught:
        work.portrait.refresh("user")
    assert step.reasons == (f"{caught.value.message} ({caught.value.hint})",)
