"""A change of many new files waits once for editors that may be saving them, not once for each."""

from __future__ import annotations

from pathlib import Path

import commands
import pytest

from mdmem.store import transaction
from mdmem.store.pen import Pen
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit

WAIT = 0.03  # seconds for a file that mdmem never wrote: a tenth of `[store] stable_ms`
SETTINGS = commands.SETTINGS.replace(store=commands.SETTINGS.store._replace(stable_ms=300))


class CountedClock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self, wakes: dict[int, Path] | None = None) -> None:
        self.slept, self._calls, self._saves = 0.0, 0, wakes or {}

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self._calls += 1
        if self._calls in self._saves:
            self._saves[self._calls].write_text("- by the editor\n", "utf-8")


def commit(root: Path, names: list[str]) -> None:
    pen = Pen(str(root), SETTINGS, lambda *_: None, lambda: commands.NOW)
    pen.commit(lambda files: made(files, names), actor="a", reason="r", paths=names)


def made(files: DraftFiles, names: list[str]) -> Edits:
    documents = {name: files[name] for name in names}
    ends = {name: len(one.text) if one else 0 for name, one in documents.items()}
    return {name: (Edit.replace(end, end, "- by the pen\n"),) for name, end in ends.items()}


@pytest.mark.parametrize("count", [1, 40])
def test_the_wait_does_not_grow_with_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    clock = CountedClock()
    monkeypatch.setattr(transaction, "time", clock)
    names = [f"facts/{number:02}.md" for number in range(count)]
    commit(tmp_path, names)
    assert all((tmp_path / name).exists() for name in names)
    assert WAIT <= clock.slept < 2 * WAIT


def test_an_editor_that_saves_one_of_them_meanwhile_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.md", "b.md", "c.md"]
    monkeypatch.setattr(transaction, "time", CountedClock({2: tmp_path / "c.md"}))
    commit(tmp_path, names)
    assert [(tmp_path / name).read_text("utf-8") for name in names] == [
        "- by the pen\n",
        "- by the pen\n",
        "- by the editor\n- by the pen\n",
    ]
