"""Law 1: any bytes are returned unchanged, and every span refers to its text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from inputs import ODD_BYTES, documents, own_examples, raw_bytes, real_files, spec_examples
from invariants import check


@pytest.mark.parametrize("data", ODD_BYTES.values(), ids=ODD_BYTES.keys())
def test_odd_bytes(data: bytes) -> None:
    check(data)
    check(data.replace(b"\n", b"\r\n"))
    check(b"\xef\xbb\xbf" + data)
    check(b"---\nk: v\n---\n" + data)
    check(b"- " + data)


def test_every_prefix_of_a_memory() -> None:
    text = (
        "\ufeff---\r\nk: [v]\r\n---\r\n# 记\n\n- [ ] 2026-02-13：`a` #b [k:: v] ^c <!-- x -->\n  - d\n\n```\ne\n```\n"
    )
    data = text.encode()
    for end in range(len(data) + 1):
        check(data[:end])


def test_examples_of_the_specifications() -> None:
    for example in [*spec_examples(), *own_examples()]:
        check(example.encode())
        check(example.replace("\n", "\r\n").encode())
        check(example.replace("\n", "\r").encode())
        check(example.rstrip("\n").encode())


@pytest.mark.slow
@pytest.mark.parametrize("path", real_files(), ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    check(path.read_bytes())


@given(raw_bytes)
def test_any_bytes(data: bytes) -> None:
    check(data)


@given(documents)
def test_any_markdown(data: bytes) -> None:
    check(data)
