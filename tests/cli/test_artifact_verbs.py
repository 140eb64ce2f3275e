"""`mdmem artifact` and the tools over evidence, as a shell and an agent meet them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import in_process
import pytest

from mdmem.workspace import Workspace

from .conftest import Run, environment

OUTPUT = b"\x1b[31m" + b"F.\r\n" * 3 + b"FAILED t.py::a - assert 1 == 2\n1 failed, 2 passed in 0.10s\n\xff\x00"[:-2]


@pytest.fixture
def put(folder: Path, tmp_path: Path) -> str:
    """Keep an output through a pipe, and give its id."""
    words = ("artifact", "put", "--tool", "shell", "--input", "pytest -q", "--exit-code", "1", "--json", "--lang", "en")
    done = in_process.run(*words, cwd=folder, env=environment(tmp_path), given=OUTPUT)
    assert done.returncode == 0, done.stderr
    kept = json.loads(done.stdout)
    assert kept["summary"][0] == "1 failed, 2 passed in 0.10s"
    assert kept["summary"][-1] == f"exit 1 · 5 lines · tool:{kept['id']}"
    assert (folder / kept["path"]).is_file()
    return str(kept["id"])


def test_an_output_goes_in_and_comes_out(put: str, folder: Path, mdmem: Run, tmp_path: Path) -> None:
    raw = in_process.run("artifact", "get", put, "--raw", cwd=folder, env=environment(tmp_path))
    assert raw.stdout == OUTPUT
    assert mdmem("artifact", "get", f"tool:{put}", "--range", "-1").stdout == "1 failed, 2 passed in 0.10s\n"
    listed = mdmem("artifact", "list", "--lang", "en")
    assert listed.stdout.splitlines()[1].startswith(put)
    assert json.loads(mdmem("artifact", "list", "--json").stdout)["artifacts"][0]["tool"] == "shell"


def test_a_list_without_outputs_says_so(mdmem: Run) -> None:
    assert mdmem("artifact", "list", "--lang", "en").stdout.startswith("no tool outputs yet")


def test_standard_error_is_a_file_of_its_own(folder: Path, mdmem: Run, tmp_path: Path) -> None:
    (tmp_path / "errors").write_bytes(b"ls: no such file\n")
    done = mdmem("artifact", "put", "--tool", "ls", "--exit-code", "2", "--stderr", str(tmp_path / "errors"), "--json")
    kept = json.loads(done.stdout)
    assert "no such file" in kept["summary"][0]
    assert mdmem("artifact", "get", f"{kept['id']}-stderr", "--range", "1").stdout == "ls: no such file\n"


def test_looking_is_bounded_and_plain(put: str, mdmem: Run) -> None:
    shown = mdmem("artifact", "get", put, "--lang", "en")
    assert "\x1b" not in shown.stdout
    assert "lines 1 to 5 of 5" in shown.stderr
    found = mdmem("artifact", "grep", f"tool:{put}", "FAILED")
    assert (found.returncode, found.stdout) == (0, "4: FAILED t.py::a - assert 1 == 2\n")
    assert mdmem("artifact", "grep", f"tool:{put}", "nothing").returncode == 1
    assert mdmem("artifact", "grep", "MEMORY.md", "面试$", "-E").stdout.startswith("5: ")
    assert mdmem("artifact", "snippet", "MEMORY.md", "3", "1").stdout == "## 重要事件\n"
    assert mdmem("artifact", "get", "t9999").returncode == 12
    assert mdmem("artifact", "get", "../x").returncode == 2


def test_pruning_says_what_would_go(put: str, mdmem: Run) -> None:
    assert mdmem("artifact", "prune", "--lang", "en").stderr.startswith("no tool runs to remove")
    planned = mdmem("artifact", "prune", "--bytes", "0", "--dry-run", "--lang", "en")
    assert put in planned.stdout
    assert "would remove 1 tool run," in planned.stderr
    assert json.loads(mdmem("artifact", "list", "--json").stdout)["artifacts"]
    assert mdmem("artifact", "prune", "--bytes", "0").returncode == 0
    assert not json.loads(mdmem("artifact", "list", "--json").stdout)["artifacts"]


@pytest.mark.thorough
@pytest.mark.slow
def test_a_large_output_is_read_in_blocks(folder: Path, tmp_path: Path) -> None:
    (folder / "mdmem.toml").write_text('lang = "en"\n[artifacts]\nmax_bytes = 1000000\n')
    with subprocess.Popen(
        [sys.executable, "-m", "mdmem", "artifact", "put", "--tool", "yes"],
        cwd=folder, env=environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        for _ in range(35):
            process.stdin.write(b"line of output\n" * 6667)
        process.stdin.close()
        assert process.stdout is not None
        told = process.stdout.read().decode()
    assert "… 4)" in told
    files = sorted((folder / "artifacts").rglob("*.md"), key=os.path.getmtime)
    assert len(files) == 4


def test_agents_look_at_evidence_with_its_own_tools_only(put: str, folder: Path) -> None:
    work = Workspace(folder, lang="en", cache=False)
    shown = work.call("artifact_get", {"id": f"tool:{put}"})
    assert shown["status"] == "done"
    assert "1 failed, 2 passed" in shown["text"]
    path = shown["path"]
    assert work.call("file_snippet", {"path": path, "start": 1, "len": 2})["text"].startswith("---\ntool_id")
    assert work.call("grep", {"path": f"tool:{put}", "pattern": "^F", "regex": True})["text"].startswith("1: ")
    assert work.call("grep", {"path": "MEMORY.md", "pattern": "面试", "limit": 1})["text"].startswith("5: ")
    for tool, arguments in {
        "read": {"path": path},
        "memory_read": {"path": path},
        "view": {"path": f"/memories/{path}"},
        "write": {"path": path, "content": "x"},
        "edit": {"path": path, "oldText": "1", "newText": "0"},
        "delete": {"path": f"/memories/{path}"},
        "memory_add": {"path": path, "content": "x"},
    }.items():
        told = work.call(tool, arguments)
        assert told["code"] == "refused", tool
        assert "artifact_get" in told["hint"]
    assert work.call("view", {"path": "/memories/artifacts"})["status"] == "done"
    assert work.call("grep", {"path": "MEMORY.md", "pattern": "x", "regex": "yes"})["code"] == "usage"


def test_memory_switched_off_offers_none_of_them(put: str, folder: Path) -> None:
    (folder / "mdmem.toml").write_text("[memory]\nenabled = false\n")
    work = Workspace(folder, lang="en", cache=False)
    assert work.tools() == []
    for tool, arguments in {
        "artifact_get": {"id": put},
        "file_snippet": {"path": "MEMORY.md", "start": 1, "len": 1},
        "grep": {"path": f"tool:{put}", "pattern": "x"},
    }.items():
        assert work.call(tool, arguments)["code"] == "memory-off"


JPEG = b"\xff\xd8\xff\xe0" + b"\0\x10JFIF" * 20


def test_a_picture_a_voice_and_an_address(mdmem: Run, folder: Path) -> None:
    (folder / "cat.jpg").write_bytes(JPEG)
    (folder / "memo.ogg").write_bytes(b"OggS" + b"\0\2" * 20)
    done = mdmem("attach", "cat.jpg", "-d", "一只橘猫趴在沙发上", "--tags", "猫,家", "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "")
    assert mdmem("attach", "memo.ogg", "https://example.org/a.pdf", "--session", "20260213_103000_x").returncode == 0
    assert mdmem("attach", "describe", "memo", "--transcription", "明早八点在虹桥站").returncode == 0
    assert mdmem("attach", "describe", "cat", "摄于外婆家").returncode == 0
    assert "attachments/cat.md" in mdmem("search", "上次我发给你的那张猫的照片").stdout.splitlines()[0]
    assert "attachments/memo.md" in mdmem("search", "虹桥站").stdout.splitlines()[0]
    listed = json.loads(mdmem("attach", "list", "--json").stdout)["attachments"]
    assert {one["id"]: one["mime_type"] for one in listed} == {
        "cat": "image/jpeg", "memo": "audio/ogg", "a": "application/pdf",
    }  # fmt: skip
    shown = json.loads(mdmem("attach", "show", "cat", "--json").stdout)
    assert (shown["description"], shown["tags"]) == ("一只橘猫趴在沙发上\n摄于外婆家", ["猫", "家"])
    assert "摄于外婆家" in mdmem("attach", "show", "cat").stdout


def test_the_text_of_a_file_comes_from_a_file_or_the_standard_input(mdmem: Run, folder: Path) -> None:
    (folder / "letter.pdf").write_bytes(b"%PDF-1.4\n\0")
    (folder / "letter.txt").write_text("Dear Ada,\nthe lamp arrived.\n", "utf-8")
    assert mdmem("attach", "letter.pdf", "--direction", "outbound", "--text-file", "letter.txt").returncode == 0
    assert mdmem("attach", "describe", "letter", "--text-file", "-", given="Yours, Ben\n").returncode == 0
    shown = json.loads(mdmem("attach", "show", "letter", "--json").stdout)
    assert (shown["direction"], shown["text"]) == ("outbound", "Dear Ada,\nthe lamp arrived.\nYours, Ben")


def test_what_cannot_be_attached_is_told_and_nothing_is_written(mdmem: Run, folder: Path) -> None:
    (folder / "link.jpg").symlink_to("cat.jpg")
    for source in ("", "nothing.jpg", "link.jpg", ".", "file:///etc/hostname"):
        done = mdmem("attach", source)
        assert done.returncode not in (0, 1), source
        assert "Traceback" not in done.stderr
        assert str(folder) not in done.stderr
    assert mdmem("attach").returncode == 2
    assert not (folder / "attachments").exists()


def test_forget_takes_the_picture_only_where_it_is_asked_to(mdmem: Run, folder: Path) -> None:
    (folder / "cat.jpg").write_bytes(JPEG)
    mdmem("attach", "cat.jpg", "-d", "a ginger cat on the sofa")
    assert "attachments/cat.jpg" in mdmem("forget", "ginger", "cat", "--yes").stdout
    assert (folder / "attachments" / "cat.jpg").exists()
    mdmem("attach", "describe", "cat", "striped, from Lyon")
    assert mdmem("forget", "striped", "--files", "--yes").returncode == 0
    assert list((folder / "attachments").iterdir()) == []
