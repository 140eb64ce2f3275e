"""The front matter of a tool run reads back as written, and the output below it is unchanged."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.formats.artifact import Artifact, artifact_id, artifact_path, read_artifact, write_head
from mdmem.text.document import parse

ID = "20261122-041402-k7f3"


def run(**facts: Any) -> Artifact:
    base = Artifact(ID, artifact_path(ID), "main", "shell", "ls", 0, "2026-11-22 04:14:02", "", 0, 0, "", ())
    return replace(base, **facts)


@given(st.binary(max_size=300), st.text(max_size=80), st.text(max_size=20).filter(bool))
@example(b"---\nnot: yours\n---\n", "---\nx: y", "yes")
@example(b"\r\n---\n", "a: b # c", "null")
@example(b"\xff\xfe\x00", "\ud800 \U0001f600 \u202e", "1e5")
def test_the_output_and_the_facts_come_back(output: bytes, given_input: str, tool: str) -> None:
    artifact = run(input=given_input, tool=tool, bytes=len(output), summary=("one", "two: # x"))
    data = write_head(artifact) + output
    back = read_artifact(data, artifact.path)
    assert data[back.body :] == output
    plain = "".join(f"\\x{ord(c) & 255:02x}" if "\ud800" <= c <= "\udfff" else c for c in given_input)
    assert (back.input, back.summary, back.bytes) == (plain, ("one", "two: # x"), len(output))
    front = parse(write_head(artifact)).front_matter
    assert front is not None
    assert not front.problems


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_value_can_close_the_front_matter_or_hide_in_it(word: str, line: str) -> None:
    head = write_head(run(input=word, owner=word, tool=word, summary=(line,))).decode()
    assert head.endswith("\n---\n")
    assert all(char.isprintable() or char == "\n" for char in head)
    assert head.count("\n---\n") == 1


@pytest.mark.parametrize(
    ("id", "path"),
    [
        (ID, f"artifacts/2026-11/{ID}.md"),
        (f"{ID}-2", f"artifacts/2026-11/{ID}-2.md"),
        (f"{ID}-input", f"artifacts/2026-11/{ID}-input.md"),
        ("t0007", "artifacts/t0007.md"),
    ],
)
def test_the_path_follows_from_the_id(id: str, path: str) -> None:  # noqa: A002
    assert artifact_path(id) == path
    for reference in (id, f"tool:{id}", path):
        assert artifact_id(reference) == id


@given(st.text(alphabet=string.printable + "…/\\", max_size=30))
@example("../MEMORY")
@example("tool:..")
@example("artifacts/../MEMORY.md")
def test_what_could_lead_elsewhere_is_no_id(reference: str) -> None:
    found = artifact_id(reference)
    assert not set(found) & set("/\\ \n")
    assert not found.startswith(".")


def test_an_older_file_is_read() -> None:
    data = b"---\ntool_id: t1\ntool_name: shell\nexit_code: 0\ncreated_at: 2026-02-03 20:19\n---\n# Tool output\n\nx"
    found = read_artifact(data, "artifacts/t1.md")
    assert (found.id, found.tool, found.exit_code, found.started) == ("t1", "shell", 0, "2026-02-03 20:19")
    assert data[found.body :] == b"# Tool output\n\nx"


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    found = read_artifact(data, "artifacts/t0001.md")
    assert 0 <= found.body <= len(data)
