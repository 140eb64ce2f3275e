"""A forged or damaged entry of the journal is set aside and told; writes and recovery go on, and nothing is touched."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.errors import UnreadableFileError
from mdmem.store import replace
from mdmem.store.journal import ASIDE, FOLDER
from mdmem.store.root import Version, read_open
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.workspace import Workspace

TEXT = "# Notes\n\n- first\n"
ID = "20260220T120000-00000000"
D = hashlib.sha256(TEXT.encode()).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "mdmem.toml").write_text('lang = "en"\n')
    (tmp_path / "outside.md").write_text("outside\n")
    workspace = Workspace(folder)
    workspace.write("notes.md", TEXT)
    workspace.write("more.md", TEXT)
    (folder / "link").symlink_to(tmp_path)
    return workspace


def entry(*files: object, temporaries: object = None, **values: object) -> bytes:
    """Forge an entry, with a checksum that holds."""
    whole = {"id": ID, "time": "", "actor": "me", "reason": "", "files": files, "undoes": ""} | values
    text = json.dumps(whole).encode()
    line = hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"
    return line + json.dumps(temporaries if temporaries is not None else {}).encode()


def temporary(path: str) -> str:
    return f"{os.path.dirname(path)}/.x.0123.mdmem".lstrip("/")


FORGED: dict[str, bytes] = {
    "above the folder": entry(["../outside.md", None, D], ["notes.md", D, D]),
    "an absolute path": entry(["/etc/passwd", None, D], ["notes.md", D, D]),
    "through a link": entry(["link/outside.md", None, D], ["notes.md", D, D]),
    "our own folder": entry([".mdmem/history/log", D, None], ["notes.md", D, D]),
    "a git hook": entry([".git/hooks/pre-commit", None, D], ["notes.md", D, D]),
    "an empty path": entry(["", None, D]),
    "a NUL": entry(["a\0b", None, D]),
    "a digest that is a path": entry(["notes.md", D, "../../../notes.md"]),
    "a digest of nothing": entry(["notes.md", D, OTHER], ["more.md", D, OTHER]),
    "a number for a path": entry([7, None, D]),
    "no files": entry(),
    "another id": entry(["notes.md", D, None], id="20260220T120000-11111111"),
    "a temporary that is a memory": entry(["notes.md", D, D], temporaries={"notes.md": "more.md"}),
    "a temporary elsewhere": entry(["notes.md", D, D], temporaries={"notes.md": "../.x.0123.mdmem"}),
    "a temporary of another file": entry(["notes.md", D, D], temporaries={"other.md": temporary("other.md")}),
    "temporaries that are a list": entry(["notes.md", D, D], temporaries=[["notes.md"]]),
    "deep nesting": entry(["notes.md", D, D])[:-2] + b"[" * 100_000,
    "not JSON": b"not JSON at all\n",
    "half a line": entry(["notes.md", D, D])[:50],
}


def plant(memory: Workspace, data: bytes, state: str, *, old: bool = True) -> Path:
    path = Path(memory.root, FOLDER, f"{ID}.{state}")
    path.write_bytes(data)
    if old:
        os.utime(path, (1, 1))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("state", ["begun", "decided"])
@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_a_forged_entry_is_set_aside_and_told(memory: Workspace, tmp_path: Path, data: bytes, state: str) -> None:
    if state == "begun" and data == FORGED["a digest of nothing"]:
        return  # such a change never happened; it is given up like any other
    path = plant(memory, data, state)
    memory.write("notes.md", f"{TEXT}- second\n")
    told = [one for one in memory.history.recover() if "set aside" in one.reason]
    told += [one for one in memory.history.log() if "set aside" in one.reason]
    assert told, "in the log, and by recover"
    assert told[0].files == ()
    assert not path.exists()
    assert len(list(Path(memory.root, ASIDE).iterdir())) == 1
    assert [one.name for one in memory.history.doctor() if one.state == "bad"] == ["aside"]
    assert Path(memory.root, "notes.md").read_text() == f"{TEXT}- second\n"
    assert Path(memory.root, "more.md").read_text() == TEXT
    assert (tmp_path / "outside.md").read_text() == "outside\n"
    assert memory.history.recover() == ()
    assert memory.history.undo().status == "done"


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _inner_link(path: Path) -> None:
    path.symlink_to("../../notes.md")


def _huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 34)


@pytest.mark.parametrize("make", [_link, _inner_link, _huge, Path.mkdir, os.mkfifo])
def test_what_is_no_entry_at_all_is_set_aside_by_the_next_write(
    memory: Workspace, make: Callable[[Path], None]
) -> None:
    make(Path(memory.root, FOLDER, f"{ID}.decided"))
    memory.write("notes.md", f"{TEXT}- second\n")
    assert not os.listdir(Path(memory.root, FOLDER))
    assert len(os.listdir(Path(memory.root, ASIDE))) == 1
    assert Path(memory.root, "notes.md").read_text() == f"{TEXT}- second\n"


WHOLE = entry(["notes.md", D, D], temporaries={"notes.md": temporary("notes.md")})


@pytest.mark.parametrize("cut", [0, 7, 16, 17, 18, 50, WHOLE.index(b"\n"), WHOLE.index(b"\n") + 1, len(WHOLE) - 3])
def test_an_entry_that_is_being_written_is_left_alone(memory: Workspace, cut: int) -> None:
    path = plant(memory, WHOLE[:cut], "begun", old=False)
    memory.write("notes.md", f"{TEXT}- second\n")
    assert memory.history.recover() == ()
    assert path.exists()


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"not JSON at all\n", "begun"),
    "prose without an end": (b"a note about the journal", "begun"),
    "a changed line": (WHOLE.replace(b"notes.md", b"other.md", 1), "begun"),
    "binary": (bytes(range(256)), "begun"),
    "temporaries that are none": (WHOLE[: WHOLE.index(b"\n") + 1] + b"x", "begun"),
    "half of what was decided": (WHOLE[:60], "decided"),
    "an unknown state": (WHOLE, "forgotten"),
    "nothing, decided": (b"", "decided"),
}


@pytest.mark.parametrize(("data", "state"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_an_entry_is_told_at_once_and_once(memory: Workspace, data: bytes, state: str) -> None:
    path = plant(memory, data, state, old=False)
    memory.write("notes.md", f"{TEXT}- second\n")
    assert not path.exists()
    memory.write("notes.md", f"{TEXT}- third\n", confirm=True)
    assert memory.history.recover() == ()
    assert len([one for one in memory.history.log() if "set aside" in one.reason]) == 1


@pytest.mark.parametrize("line", [b"[]", b"{}", b'{"files": 7}', b"[" * 100_000, b'{"files": [["a", 1, 2]], "id": 1}'])
def test_a_forged_line_of_the_log_counts_for_none(memory: Workspace, line: bytes) -> None:
    log = Path(memory.root, ".mdmem/history/log")
    log.write_bytes(log.read_bytes() + hashlib.blake2b(line, digest_size=8).hexdigest().encode() + b" " + line + b"\n")
    assert len(memory.history.log()) == 2
    assert memory.lint().files
    assert memory.history.undo().status == "done"


def test_a_file_that_cannot_be_read_any_more_undoes_the_change_of_the_others(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was read before, so the first file is replaced by then."""
    asked = []

    def refused(descriptor: int, path: str) -> Version:
        asked.append(path)
        if len(asked) > 1:
            raise UnreadableFileError("could not be read: {reason}", path=path, facts={"reason": "EIO"})
        return read_open(descriptor, path)

    monkeypatch.setattr(replace, "read_open", refused)
    with pytest.raises(UnreadableFileError, match="could not be read: EIO"):
        memory.config.pen().commit(
            lambda files: {name: appended(files[name]) for name in ("more.md", "notes.md")}, actor="a", reason="b"
        )
    assert [Path(memory.root, name).read_text("utf-8") for name in ("more.md", "notes.md")] == [TEXT, TEXT]
    assert not os.listdir(Path(memory.root, FOLDER))
    assert not [name for name in os.listdir(memory.root) if name.endswith(".mdmem") and name != ".mdmem"]


def appended(document: Document | None) -> list[Edit]:
    return [Edit.insert(len(document.text), "- second\n")] if document else []
