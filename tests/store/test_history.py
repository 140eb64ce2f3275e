"""The log is read from its end, as far as asked; nothing of it is lost to that."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from harness import holding

from mdmem.errors import UnreadableFileError
from mdmem.store.history import versions
from mdmem.store.history.known import KnownFiles
from mdmem.store.history.versions import LOG, OBJECTS, Transaction, VersionStore, WrittenFile, is_fingerprint, read_line
from mdmem.store.purge.derived_files import ForgottenText
from mdmem.store.purge.traces import SearchedHistory, purge, traces
from mdmem.store.root import Root
from mdmem.workspace import Workspace


def written(root: Path, lines: list[bytes]) -> None:
    (root / LOG).parent.mkdir(parents=True, exist_ok=True)
    (root / LOG).write_bytes(b"".join(lines))


def line(number: int, reason: str) -> bytes:
    return Transaction(f"20260301T000000-{number:08x}", "2026-03-01T00:00:00+01:00", "ada", reason, ()).line()


@pytest.mark.parametrize("torn", [b"", b"0123 {half a line"])
def test_a_log_of_any_length_comes_back_whole_newest_first(tmp_path: Path, torn: bytes) -> None:
    for count in (0, 1, 40, 700):  # below and far above the first piece that is read
        written(tmp_path, [*(line(number, "ä" * (number % 97)) for number in range(count)), torn])
        with Root(str(tmp_path)) as root:
            found = [one.id for one in VersionStore(root, 0).log()]
        assert found == [f"20260301T000000-{number:08x}" for number in reversed(range(count))]


def test_the_newest_changes_cost_the_same_however_long_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, [line(number, "tides") for number in range(20_000)])
    read, pread = 0, os.pread

    def counted(*given: int) -> bytes:
        nonlocal read
        data = pread(*given)
        read += len(data)
        return data

    monkeypatch.setattr(os, "pread", counted)
    assert len(Workspace(tmp_path).history.log(limit=20)) == 20
    assert read < 50_000


@pytest.mark.parametrize("reason", ["the harbour key", 'the "harbour\tkey"', "the\\harbour key", "HARBOUR  KEY"])
def test_a_reason_is_found_however_the_line_spells_it(tmp_path: Path, reason: str) -> None:
    written(tmp_path, [line(1, "tides"), line(2, reason), line(3, "berths")])
    with Root(str(tmp_path)) as root:
        (found,) = VersionStore(root, 0).explained(re.compile(r"harbour\s+key", re.IGNORECASE))
    assert found.reason == reason


def test_a_rewritten_log_keeps_the_lines_that_do_not_change(tmp_path: Path) -> None:
    lines = [line(number, reason) for number, reason in enumerate(("tides", "the harbour key", "berths ö", "winch"))]
    written(tmp_path, [*lines[:3], b"0123 {a torn line}\n", lines[3]])

    def change(one: Transaction) -> Transaction:
        return replace(one, reason="") if "key" in one.reason else replace(one)

    with Root(str(tmp_path)) as root:
        VersionStore(root, 0).rewrite(change)
        assert VersionStore(root, 0).check() == []
    assert (tmp_path / LOG).read_bytes() == b"".join([lines[0], line(1, ""), *lines[2:]])


def test_only_the_digest_of_a_version_becomes_a_file_name() -> None:
    digest = "0a" * 32
    assert is_fingerprint(digest)
    for one in (digest[1:], digest + "0", digest + "\n", digest.upper(), f"../{digest[3:]}", "٠" * 64, None, 7):
        assert not is_fingerprint(one)


def test_a_log_that_is_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / LOG).mkdir(parents=True)
    with pytest.raises(UnreadableFileError):
        Workspace(tmp_path).history.log()


def test_forgetting_reads_each_version_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Workspace(tmp_path, lang="en")
    for number in range(30):
        work.add("MEMORY.md", [f"2026-03-01: crane {number} was oiled"], section="notes")
    work.add("MEMORY.md", ["2026-03-01: the harbour key is blue"], section="notes")
    read: Counter[str] = Counter()
    raw = VersionStore.raw
    monkeypatch.setattr(VersionStore, "raw", lambda self, digest: read.update([digest]) or raw(self, digest))
    kept = len(list((tmp_path / ".mdmem/history/objects").iterdir()))
    assert work.forget("harbour key").status == "done"
    assert read.total() <= kept + 6  # those that hold the text, and those of forgetting itself, are read again
    assert holding(tmp_path, "harbour key") == []


def test_a_second_search_decodes_only_the_newer_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line(number, "the harbour key" if number == 40 else "tides") for number in range(300)]
    searched, regex, decoded = SearchedHistory(), re.compile("harbour key"), 0

    def counted(given: bytes) -> Transaction | None:
        nonlocal decoded
        decoded += 1
        return read_line(given)

    def found() -> list[str]:
        with Root(str(tmp_path)) as root:
            return [one.name[-8:] for one in traces(root, regex, searched) if one.what == "line"]

    written(tmp_path, lines)
    assert found() == [f"{40:08x}"]
    monkeypatch.setattr(versions, "read_line", counted)
    written(tmp_path, [*lines, line(300, "the harbour key"), line(301, "tides")])
    assert found() == [f"{300:08x}", f"{40:08x}"]
    assert decoded == 3
    written(tmp_path, lines[:60])  # somebody has written the log again, without the newest line that was read
    assert found() == [f"{40:08x}"]


def test_a_purge_frees_reasons_and_names_of_the_text_and_names_the_new_versions(tmp_path: Path) -> None:
    regex = re.compile("harbour key")
    named = WrittenFile("sessions/harbour key.md", None, "a" * 64)
    held = WrittenFile("MEMORY.md", "b" * 64, "d" * 64)
    tides = Transaction("20260301T000000-00000007", "2026-03-01T00:00:00+01:00", "ada", "tides", ())
    lines = [line(1, "the harbour key"), *(replace(tides, files=(one,)).line() for one in (named, held))]
    written(tmp_path, lines)
    (tmp_path / OBJECTS).mkdir()
    (tmp_path / OBJECTS / ("b" * 64)).write_bytes(b"the harbour key")
    with Root(str(tmp_path)) as root:
        found = list(traces(root, regex, SearchedHistory(), lambda path: "harbour key" in path))
        forgotten = ForgottenText(regex, lambda path: path.replace("harbour key", "forgotten"))
        purge(root, found, {"b" * 64: "c" * 64}, 1.0, forgotten)
        log = list(VersionStore(root, 0).log())
    assert [(one.reason, one.files) for one in log] == [
        ("tides", (replace(held, before="c" * 64),)),
        ("tides", (replace(named, path="sessions/forgotten.md"),)),
        ("", ()),
    ]
    assert not (tmp_path / OBJECTS / ("b" * 64)).exists()


def test_known_files_go_on_from_a_state_that_was_kept_without_a_log(tmp_path: Path) -> None:
    """A log that could not be looked at once, as on a bad disk, is read from its beginning."""
    work = Workspace(tmp_path)
    work.add("MEMORY.md", ["the boat lies at berth 14"])
    log = tmp_path / ".mdmem" / "history" / "log"
    kept = log.rename(tmp_path / "elsewhere")
    known = KnownFiles(str(tmp_path), (0.5, 100))
    known.refresh()
    state = json.loads(json.dumps(known.state))
    kept.rename(log)
    again = KnownFiles(str(tmp_path), (0.5, 100), state)
    assert again.refresh()
    assert list(again.files) == ["MEMORY.md"]


def test_the_marks_of_programs_are_in_a_line_only_where_there_are_some() -> None:
    plain, marked = WrittenFile("a.md", None, "a" * 64), WrittenFile("b.sh", "b" * 64, None, was_program=True)
    change = Transaction("20260101T101010-0000abcd", "2026-01-01T10:10:10+00:00", "user", "rm", (plain, marked))
    assert read_line(change.line()) == change
    assert b'["a.md",null,"' + b"a" * 64 + b'"]' in change.line(), "as an earlier version wrote it"
    forged = replace(change, files=(replace(marked, is_program="yes"),))  # type: ignore[arg-type]
    assert read_line(forged.line()) is None
