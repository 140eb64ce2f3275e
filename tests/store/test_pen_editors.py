"""Law 5 against editors: programs that know nothing of mdmem save in a tight loop while two writers add entries.

`tests/faults/test_between.py` tries the same moments one by one; here all run free, as fast as they go. Promised is:

- Each save of the editor is in the file at the end, and once: the editor's text carries all its lines, so a save counts
  as kept where its line is in the live file. (A save that lands in a file just displaced comes home with the next write
  or `mdmem recover`, after `displaced_seconds`.)
- Each entry that a writer was told is written is in the file once; or the editor has saved over it a text that it had
  loaded before, and then a version that the log names has it. Nobody can tell a stale text from a deletion.
- A reader sees a whole file at every moment: the head, then known lines, each once. Only the editors that show a gap
  themselves (`SHOWS_A_GAP`) may show a missing, empty or half file, and only until it is stable.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path

import commands
import pytest
from editors import SHOWS_A_GAP, STYLES, Typist, line
from forms import LONG
from processes import CONTEXT, process

from mdmem.errors import MdmemError

pytestmark = pytest.mark.slow

HEAD = "# 记忆\n\n- what was there\n".encode()
ENTRIES = 300 if LONG else 8
WRITERS = 2
_TRIES = 300  # milliseconds that a reader waits for a file to be whole
_LINE = re.compile(rb"- (what was there|editor save \d+|writer \d+ entry \d+)")


def edit(root: str, style: str, go: Barrier, over: Event, answer: str) -> None:
    """Save in a tight loop; write down how many saves there were."""
    typist = Typist(Path(root, "MEMORY.md"), style, fresh=True)
    go.wait(60)  # until all have imported what they need
    while not over.is_set():
        for _ in typist.save():
            pass
        time.sleep(0.01)  # a writer needs a moment in which nobody saves
    Path(answer).write_text(str(typist.saves))


def write(root: str, number: int, go: Barrier, answer: str) -> None:
    """Add entries; write down which were acknowledged, and which were refused."""
    told: list[str] = []
    refused: list[str] = []
    go.wait(60)  # until all have imported what they need
    for count in range(ENTRIES):
        entry = f"- writer {number} entry {count}"
        try:
            commands.add(root, entry)
            told.append(entry)
        except MdmemError as error:
            refused.append(f"{error.code}: {error}")
        time.sleep(0.003)
    Path(answer).write_text(json.dumps([told, refused]))


def watch(root: str, gap: bool, go: Barrier, over: Event, answer: str) -> None:
    """Read the live file all the time; write down what was not whole."""
    path, torn, reads = Path(root, "MEMORY.md"), [], 0
    go.wait(60)  # until all have imported what they need
    while not over.is_set():
        found = _read(path)
        reads += 1
        wrong = unwhole(found)
        for _ in range(_TRIES if gap else 0):  # a gap of the editor's own: it is over in a moment
            if wrong:
                time.sleep(0.001)
                wrong = unwhole(_read(path))
        if wrong:
            torn.append(wrong)
    Path(answer).write_text(json.dumps([reads, torn[:5]]))


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def unwhole(text: bytes | None) -> str:
    """Say what is not whole about a file."""
    if text is None:
        return "missing"
    if not text.startswith(HEAD) or not text.endswith(b"\n"):
        return f"cut off: {text[:20]!r}…{text[-40:]!r}"
    lines = text.splitlines()[2:]
    strange = [one for one in lines if not _LINE.fullmatch(one)]
    twice = sorted({one for one in lines if lines.count(one) > 1})
    return f"strange lines: {strange[:3]}" if strange else f"twice: {twice[:3]}" if twice else ""


@pytest.mark.parametrize("style", STYLES)
def test_no_save_and_no_entry_is_lost(tmp_path: Path, style: str) -> None:
    root, answers = tmp_path / "memory", [tmp_path / f"answer{i}" for i in range(WRITERS + 2)]
    root.mkdir()
    (root / "MEMORY.md").write_bytes(HEAD)
    commands.add(str(root), "- writer 9 entry 0")
    go, over = CONTEXT.Barrier(WRITERS + 2), CONTEXT.Event()
    others = [
        process(edit, str(root), style, go, over, str(answers[0])),
        process(watch, str(root), style in SHOWS_A_GAP, go, over, str(answers[1])),
    ]
    writers = [process(write, str(root), n, go, str(answers[n + 2])) for n in range(WRITERS)]
    jobs = [*others, *writers]
    for job in jobs:
        job.start()
    for job in writers:
        job.join(240)
    over.set()
    for job in others:
        job.join(120)
    assert [job.exitcode for job in jobs] == [0] * len(jobs)
    saves = int(answers[0].read_text())
    reads, torn = json.loads(answers[1].read_text())
    told = [entry for one in answers[2:] for entry in json.loads(one.read_text())[0]]
    commands.settle(str(root), lambda _: None)
    text = (root / "MEMORY.md").read_bytes()
    print(f"{style}: {saves} saves, {len(told)} entries, {reads} reads")
    assert [number for number in range(saves) if text.count(line(number + 1)) != 1] == []
    assert torn == []
    versions = commands.logged(str(root))
    gone = [entry for entry in told if f"{entry}\n".encode() not in text]
    assert [entry for entry in gone if not any(f"{entry}\n" in version for version in versions)] == []
    assert all(text.count(f"{entry}\n".encode()) <= 1 for entry in told)
    assert min(saves, len(told), reads) > 3


@pytest.mark.parametrize("options", ["set backupcopy=yes", "set backupcopy=no", "set nowritebackup"])
def test_the_real_vim(tmp_path: Path, options: str) -> None:
    """Vim saves in place, or by renaming away, while a writer adds entries: its text and ours are both there."""
    vim = shutil.which("vim")
    if not vim:
        pytest.skip("no vim here")
    path = tmp_path / "MEMORY.md"
    path.write_bytes(HEAD)
    commands.add(str(tmp_path), "- writer 9 entry 0")
    saves = 30 if LONG else 8
    script = [f"call append(line('$'), '- editor save {n + 1}') | write! | sleep 20m | edit!" for n in range(saves)]
    (tmp_path / "keys.vim").write_text("\n".join([options, "set noswapfile", *script, "quit!", ""]))
    command = [vim, "-es", "-u", "NONE", "-S", str(tmp_path / "keys.vim"), str(path)]
    # An entry between vim's look at the file and its write makes vim ask whether to write over it: its user says yes.
    (tmp_path / "answers").write_text("y\n" * 9 * saves)  # it may ask more than once for a save
    with (tmp_path / "answers").open("rb") as answers:
        running = subprocess.Popen(command, stdin=answers)
    told: list[str] = []
    while running.poll() is None:
        told.append(f"- writer 0 entry {len(told)}")
        commands.add(str(tmp_path), told[-1])
        time.sleep(0.005)
    commands.settle(str(tmp_path), lambda _: None)
    text = path.read_bytes()
    assert [n for n in range(saves) if text.count(line(n + 1)) != 1] == []
    versions = commands.logged(str(tmp_path))
    for entry in told:
        assert text.count(f"{entry}\n".encode()) == 1 or any(f"{entry}\n" in version for version in versions)
