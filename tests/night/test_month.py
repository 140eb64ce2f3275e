"""Thirty nights over the made days: nothing doubles, the person's own bytes stay, the newest values stay known.

The short form plays six days; `MDMEM_FORM=long` plays the whole month.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from unittest import mock

import pytest
from forms import many
from month.clock import month_clock
from month.days import make_month
from month.laws import judge
from month.run import play_day

from mdmem.text.similarity import comparison_key
from mdmem.workspace import Workspace

DAYS, NIGHTS = many(6, 30), many(8, 40)
SEED = 3
LEAST = 0.9
OWN = {
    "MEMORY.md": "\n## 我手写的一节\n\n这一段谁也不许动，  两个空格也不许。\n\n* 星号开头的一行\n- [ ] 还没做的事\n",
    "USER.md": "\n<!-- 我的注释 -->\n- 称呼： 念念 \n",
    "facts/手写.md": "# 手写\n\n## 现在\n\n- 2026-01-03：手写的一行，没有字段\n- 2026-01-04：手写的一行，没有字段\n",
}

pytestmark = pytest.mark.slow


@pytest.mark.thorough
def test_nights_after_made_days(tmp_path: Path) -> None:
    month = make_month(SEED, DAYS)
    root = tmp_path / "workspace"
    root.mkdir()
    folders = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with mock.patch.dict("os.environ", folders), month_clock() as clock:
        (root / "mdmem.toml").write_text('lang = "zh"\n[night]\nenabled = true\n', "utf-8")
        Workspace(root).init()
        for name, text in OWN.items():
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text((path.read_text("utf-8") if path.is_file() else "") + text, "utf-8")
        live = 0
        first = month.days[0].date
        for number in range(NIGHTS):
            day = first + dt.timedelta(days=number)
            if number < DAYS:
                play_day(root, month.days[number], clock)
            clock.set(day + dt.timedelta(days=1), 3)
            work = _open(root, day + dt.timedelta(days=1))
            planted = _plant(root, work, number)
            before = len(work.facts())
            report = work.night()
            after = work.facts()
            assert report.steps[2].merged == planted
            assert len(after) == before - planted
            assert report.status in ("done", "unchanged"), report
            assert all(one.refused == 0 for one in report.steps), report
            seen = [(one.path, one.type, comparison_key(one.text)) for one in after if one.path not in OWN]
            assert len(set(seen)) == len(seen), "nothing stands twice"
            if number >= DAYS:
                assert len(after) <= live
            live = len(after)
            files = _files(root)
            assert _open(root, day + dt.timedelta(days=1)).night().status == "unchanged"
            assert _files(root) == files
        for name, text in OWN.items():
            assert text.strip("\n") in (root / name).read_text("utf-8")
        (root / "facts" / "手写.md").unlink()  # its lines have no source that could bear them out
        work = _open(root, first + dt.timedelta(days=NIGHTS))
        judged = judge(work, month, DAYS)
        assert judged.known >= LEAST * judged.covered, judged.missed
        assert (judged.stale, judged.rules, judged.invented) == ((), (), ())
        assert [one for one in work.lint().diagnostics if one.severity == "error"] == []


def _plant(root: Path, work: Workspace, number: int) -> int:
    """Write second lines for some facts, as two conversations would leave them; return how many."""
    some = [one for one in work.facts() if one.type != "rule" and one.priority != "permanent" and one.source]
    chosen = some[number::17][:3]
    for one in chosen:
        path = root / one.path
        lines = path.read_text("utf-8").splitlines(keepends=True)
        at = next(place for place, line in enumerate(lines) if f"^{one.key}" in line or one.text in line)
        copy = lines[at].rstrip("\n").rpartition(" ^")[0] or lines[at].rstrip("\n")
        lines.insert(at, copy.replace(one.text, f"{one.text}。", 1) + "\n")
        path.write_text("".join(lines), "utf-8")
    return len(chosen)


def _open(root: Path, day: dt.date) -> Workspace:
    work = Workspace(root)
    work.config.day = day.isoformat()
    return work


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*.md")}
