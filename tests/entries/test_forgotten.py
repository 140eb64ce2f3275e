"""What was forgotten stays forgotten (law 12): only a person's write brings it back; one unread file stops nothing."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from conftest import Make, Traces
from forms import many

from mdmem.entries.tombstones import PATH, Tombstones
from mdmem.errors import RefusedError
from mdmem.store import replace
from mdmem.store.replace import Target
from mdmem.text.document import parse
from mdmem.workspace import Workspace

NOTES = "# Memory\n\n## Notes\n\n- 2026-02-13: Lena Brandt keeps the spare key\n- 2026-02-14: the boiler was serviced\n"
NOTIZ = "# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：何医生的诊所在三楼\n- 2026-02-14：锅炉检修过了\n"


def stones(memory: Workspace) -> Tombstones:
    return Tombstones(parse(Path(memory.root, PATH).read_bytes()))


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make("en", {"MEMORY.md": NOTES})


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "2026-02-13: Lena Brandt keeps the spare key",
        "2026-03-01: the spare key is with LENA  BRANDT, next door",
        "asked lena-brandt; she was out",
        "ＬＥＮＡ Brandt rang",
        "the boiler was serviced; Lena Brandt keeps the spare key; rain",
    ],
)
def test_no_agent_and_no_keeper_writes_it_back(memory: Workspace, text: str) -> None:
    memory.forget("Lena Brandt")
    for actor in ("ada", "keeper"):
        with pytest.raises(RefusedError, match="2026-02-20") as caught:
            memory.add("MEMORY.md", [text], section="Notes", actor=actor)
        assert "Lena" not in str(caught.value) + caught.value.hint
        with pytest.raises(RefusedError):
            memory.edit("MEMORY.md", "the boiler was serviced", text, actor=actor)
        with pytest.raises(RefusedError):
            memory.write("facts/key.md", f"# Key\n\n## Now\n\n- {text}\n", actor=actor)
    assert memory.add("MEMORY.md", ["2026-02-15: Lena sent a card"], section="Notes", actor="ada").status == "done"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["何医生的诊所在三楼", "2026-03-01：下午去看何医生", "预约了何 医生，带上病历"])
def test_nor_in_chinese(make: Make, text: str) -> None:
    memory = make("zh", {"MEMORY.md": NOTIZ})
    memory.forget("何医生")
    with pytest.raises(RefusedError, match="忘记"):
        memory.add("MEMORY.md", [text], section="笔记", actor="小满")
    assert memory.add("MEMORY.md", ["2026-02-15：医生说多喝水"], section="笔记", actor="小满").status == "done"


def test_what_an_entry_said_besides_is_known_under_another_day(memory: Workspace) -> None:
    memory.forget("Brandt keeps")
    with pytest.raises(RefusedError):
        memory.add("MEMORY.md", ["2027-01-01: lena brandt keeps the spare key!"], section="Notes", actor="ada")


def test_a_person_may_write_it_again_and_is_told(memory: Workspace) -> None:
    memory.forget("Lena Brandt")
    told = memory.add("MEMORY.md", ["2026-03-01: Lena Brandt has moved"], section="Notes")
    assert told.status == "done"
    assert "you forgot this on 2026-02-20" in told.hint
    assert PATH in told.hint
    quiet = memory.add("MEMORY.md", ["2026-03-01: the boiler is loud"], section="Notes")
    assert "forgot" not in quiet.hint


def test_what_a_person_wrote_again_may_be_ticked_moved_and_condensed(memory: Workspace) -> None:
    memory.forget("Lena Brandt")
    memory.add("MEMORY.md", ["2026-03-01: give Lena Brandt the key"], section="Notes")
    assert memory.tick("MEMORY.md", "the key", actor="ada").status == "done"
    assert memory.remove("MEMORY.md", ["the key"], actor="keeper").status == "done"
    assert "Lena Brandt" in Path(memory.root, "archive/2026-02.md").read_text("utf-8")


def test_a_keeper_that_answers_with_it_changes_nothing(make: Make) -> None:
    me = "\n".join(f"- the {word} lamp is {word}" for word in ("red", "blue", "green", "grey", "white"))
    memory = make("en", {"FASTMEMO.md": f"# Surface memory\n\n## Environment\n\n{me}\n- Lena Brandt has the lamp\n"})
    memory.forget("Lena Brandt")
    before = Path(memory.root, "FASTMEMO.md").read_text("utf-8")
    content = "- the red lamp is red; the blue lamp is blue; Lena Brandt has the lamp"
    given = json.dumps({"tool": "memory_edit", "path": "FASTMEMO.md", "section": "Environment", "content": content})
    outcomes = memory.compact("fastmemo", now=True, apply=given)
    assert [one.status for one in outcomes] == ["refused"]
    assert Path(memory.root, "FASTMEMO.md").read_text("utf-8") == before


def test_a_session_strikes_it_and_says_so(memory: Workspace, traces: Traces) -> None:
    memory.forget("Lena Brandt")
    session = memory.sessions.start("find Lena Brandt's number", agent="ada")
    done = session.turn("assistant", "I asked lena brandt, and\nLena\nBrandt did not answer.")
    assert "forgotten" in done.hint
    session.end("Lena Brandt was not found")
    text = Path(memory.root, session.path).read_text("utf-8")
    assert "I asked …, and\n… did not answer." in text
    assert traces("Lena Brandt") == []


@pytest.mark.parametrize("owner", ["ada", "user"])
def test_an_artifact_of_an_agent_has_it_struck(make: Make, traces: Traces, owner: str) -> None:
    memory = make("en", {"MEMORY.md": NOTES}, settings="[artifacts]\nmax_bytes = 4000\n[notebook]\nruns = true\n")
    memory.forget("Lena Brandt")
    long = "a line of a log\n" * 500
    kept = memory.artifacts.put(
        f"{long}error: lena brandt\nLena\nBrandt is out\n{long}".encode(),
        stderr=b"no Lena Brandt\n",
        tool="Lena Brandt",
        input="ls /home/lena-brandt; " + "x" * 1000 + " # Lena Brandt",
        exit_code=1,
        owner=owner,
    )
    data = memory.artifacts.get(kept.id).raw
    if owner == "user":
        assert len(traces("Lena Brandt")) > 1
        return
    assert "forgotten" in kept.warning
    assert traces("Lena Brandt") == traces("lena brandt") == traces("lena-brandt") == traces("Lena\nBrandt") == []
    assert b"error: \xe2\x80\xa6\n\xe2\x80\xa6 is out\n" in b"".join(
        one.read_bytes() for one in Path(memory.root, "artifacts").rglob("*.md")
    )
    assert memory.artifacts.list(limit=1)[0].bytes == len(data)
    assert memory.lint().diagnostics == ()


def test_an_artifact_without_it_stays_byte_for_byte(memory: Workspace) -> None:
    memory.forget("Lena Brandt")
    data = bytes(range(256)) * 10 + "Lena, \r\n caf\u00e9 \u2460".encode()
    kept = memory.artifacts.put(data, tool="shell", owner="ada")
    assert (memory.artifacts.get(kept.id).raw, kept.warning) == (data, "")


@pytest.mark.thorough
def test_a_long_output_loses_what_is_short(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make("en", {"MEMORY.md": f"{NOTES}- {' '.join(f'word{one}' for one in range(30))} Lena Brandt\n"})
    memory.forget("Lena Brandt")
    known, digests = stones(memory), 0
    slow = hashlib.scrypt

    def counted(password: bytes, **how: Any) -> bytes:
        nonlocal digests
        digests += 1
        return slow(password, **{**how, "n": 2})

    text = " ".join(f"{one:x} and{one:x}" for one in range(many(15_000, 60_000)))
    monkeypatch.setattr(hashlib, "scrypt", counted)
    assert known.strike(text, "…") == text
    assert digests < 500, "the digests that a text costs are limited, however many different words it has"
    monkeypatch.undo()
    known = stones(memory)
    text = "the quick brown fox jumps over the lazy dog " * many(5_000, 20_000)
    assert known.strike(f"{text}error in Lena Brandt today {text}", "…") == f"{text}error in … today {text}"


def test_neither_reason_nor_name_tells_it(memory: Workspace) -> None:
    memory.forget("Lena Brandt")
    with pytest.raises(RefusedError):
        memory.add("MEMORY.md", ["2026-03-01: rain"], section="Notes", actor="ada", reason="as Lena Brandt said")
    with pytest.raises(RefusedError):
        memory.write("facts/lena_brandt.md", "# X\n", actor="ada")


def test_only_whole_words_count(make: Make) -> None:
    memory = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-13: Ann has a cold\n"})
    memory.forget("Ann")
    assert memory.add("MEMORY.md", ["2026-02-14: the annual meeting"], section="Notes", actor="ada").status == "done"


def test_a_tombstone_of_an_older_version_is_read(make: Make) -> None:
    salt, digest = "00112233445566778899aabbccddeeff", "9b1f1b9d9b8a0b3f0c8f6f3f0f1d2c3b"
    memory = make("en", {PATH: f"# Forgotten\n\n- 2026-01-02 [forgotten:: {salt}:{digest}]\n"})
    assert not stones(memory).holds("anything")
    assert stones(memory).lines(["anything"], "2026-02-20")[0].startswith(f"- 2026-02-20 [forgotten:: {salt}:")


def test_two_machines_bring_two_salts(make: Make) -> None:
    lines = [line for text in ("Lena Brandt", "何医生") for line in Tombstones(None).lines([text], "2026-01-02")]
    memory = make("en", {PATH: "# Forgotten\n\n" + "\n".join(lines) + "\n"})
    assert stones(memory).holds("call Lena Brandt")
    assert stones(memory).holds("去看何医生")


# What cannot be read


def blocked(root: Path, kind: str) -> str:
    if kind == "fifo":
        os.mkfifo(root / "pipe.md")
        return "pipe.md"
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(root / "agent.sock"))
    return "agent.sock"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fifo", "socket"])
def test_one_file_that_cannot_be_read_stops_nothing(make: Make, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = make("en", {"MEMORY.md": NOTES, "archive/2026-01.md": "# Archive\n\n- 2026-01-02: Lena Brandt called\n"})
    monkeypatch.chdir(memory.root)  # the name of a socket must be short
    name = blocked(Path(memory.root), kind)
    plan = memory.forget("Lena Brandt", dry_run=True)
    assert (plan.status, [one.path for one in plan.unread]) == ("planned", [name])
    done = memory.forget("Lena Brandt")
    assert (done.status, [one.path for one in done.unread]) == ("partial", [name])
    assert name in done.hint
    assert "Lena" not in memory.read("MEMORY.md").text + memory.read("archive/2026-01.md").text
    again = memory.forget("Lena Brandt")
    assert (again.status, [one.path for one in again.unread]) == ("unchanged", [name])
    Path(memory.root, name).unlink()
    assert memory.forget("Lena Brandt").unread == ()


def test_a_large_file_that_does_not_hold_it_is_no_matter(make: Make) -> None:
    memory = make("en", {"MEMORY.md": NOTES, "LOG.md": "- a line of a log\n" * 120_000})
    assert memory.forget("Lena Brandt").status == "done"


BOUND = many(100_000, 2_000_000)  # of a file
SETTINGS = f"[lint]\nmax_bytes = {BOUND}\n"
LARGE = "all is well here " * (BOUND // 15)
OTHERS = ("MEMORY.md", "forgotten.md", "mdmem.toml")


@pytest.mark.parametrize("path", [
    "sessions/20260213_103000_where_is_lena_brandt.md", "sessions/20260213_103000_where.md", "LOG.md",
    "archive/2026-01.md", "attachments/told.txt", "transcripts/2026-02-13-a.jsonl",
])  # fmt: skip
def test_a_file_of_any_size_loses_it(make: Make, traces: Traces, path: str) -> None:
    text = f"# Task\n\nLena Brandt\n\n{LARGE}\n\n- Lena Brandt\n"
    memory = make("en", {"MEMORY.md": NOTES, path: text}, settings=SETTINGS)
    assert len(text) > memory.config.settings.lint.max_bytes
    done = memory.forget("Lena Brandt")
    assert (done.status, done.unread) == ("done", ())
    assert traces("Lena Brandt") == traces("lena_brandt") == []
    assert memory.forget("Lena Brandt").status == "unchanged"
    folder = Path(memory.root, path).parent
    (file,) = (one for one in folder.iterdir() if one.is_file() and one.name not in OTHERS)
    assert file.read_text("utf-8") == f"# Task\n\n…\n\n{LARGE}\n\n- …\n"


def test_a_large_session_that_an_editor_saved_loses_it(make: Make, traces: Traces) -> None:
    memory = make("en", {"MEMORY.md": NOTES}, settings=SETTINGS)
    session = memory.sessions.start("the key", agent="ada")
    session.turn("user", "Lena Brandt has it")
    file = Path(memory.root, session.path)
    file.write_text(f"{file.read_text('utf-8')}\n{LARGE}", "utf-8")
    assert memory.forget("Lena Brandt").status == "done"
    assert traces("Lena Brandt") == []


@pytest.mark.parametrize("kind", ["text", "name"])
def test_one_file_that_cannot_be_written_stops_nothing(
    make: Make, monkeypatch: pytest.MonkeyPatch, traces: Traces, kind: str
) -> None:
    path = "facts/lena_brandt.md" if kind == "name" else "facts/key.md"
    memory = make("en", {"MEMORY.md": NOTES, path: "# Key\n\n## Now\n\n- Lena Brandt has it\n"})

    def prepare(target: Target) -> None:
        if target.place.path.startswith("facts/"):
            raise PermissionError(13, "Permission denied", target.place.path)
        replace.prepare(target)

    monkeypatch.setattr("mdmem.store.transaction.prepare", prepare)
    done = memory.forget("Lena Brandt")
    assert (done.status, [(one.path, one.reason) for one in done.unread]) == (
        "partial",
        [(path, "could not be written: Permission denied")],
    )
    assert "Lena" not in memory.read("MEMORY.md").text
    assert [Path(one).name for one in traces("Lena Brandt")] == [Path(path).name]
    monkeypatch.undo()
    assert memory.forget("Lena Brandt").status == "done"
    assert traces("Lena Brandt") == []
