"""Summaries of outputs: the cases in `cases/`, and properties of the summary of any output (G016, G032)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mdmem
from mdmem.artifacts.summaries import binary_kind, summarise
from mdmem.settings.reader import read_settings
from mdmem.settings.tables import ArtifactSettings

SHIPPED = Path(mdmem.__file__).parent.parent / "templates" / "mdmem.toml"
NUMBERS: ArtifactSettings = read_settings(SHIPPED.read_bytes()).artifacts
CASES = Path(__file__).parent / "cases"
CASE = re.compile(
    r"^## (?P<title>.+)\n\nexit (?P<code>-?\d+), (?P<lang>\w+)(?P<open>, no line ending)?\n\n"
    r"(?P<fence>`{3,})text\n(?P<output>[\s\S]*?)^(?P=fence)\n\n(?P=fence)summary\n(?P<summary>[\s\S]*?)^(?P=fence)$",
    re.MULTILINE,
)
HIDDEN = re.compile(r"\\(?:e|r|u\{([0-9a-f]+)\})")


def shown(text: str) -> str:
    marks = {"\\e": "\x1b", "\\r": "\r"}
    return HIDDEN.sub(lambda found: marks.get(found[0]) or chr(int(found[1], 16)), text)


def said(
    output: str, *, exit_code: int | None, lang: str = "en", lines: int = 6, numbers: ArtifactSettings = NUMBERS
) -> tuple[str, ...]:
    return summarise(
        output, tool="t", exit_code=exit_code, path="artifacts/t0001.md", lang=lang, lines=lines, numbers=numbers
    )


def cases() -> Iterator[object]:
    for file in sorted(CASES.glob("*.md")):
        found = list(CASE.finditer(file.read_text("utf-8")))
        assert len(found) == file.read_text("utf-8").count("\n## "), file
        yield from (pytest.param(case, id=f"{file.stem}: {case['title']}") for case in found)


@pytest.mark.parametrize("case", list(cases()))
def test_the_summary_of_an_output(case: re.Match[str]) -> None:
    output = shown(case["output"])
    output = output[:-1] if case["open"] else output
    found = said(output, exit_code=int(case["code"]), lang=case["lang"])
    assert "\n".join(found) + "\n" == case["summary"]


ERRORS = "".join(f"a.c:{line}:1: error: e{line}\n" for line in range(9))
LOG = "".join(f"12:00:0{second} ERROR e\n" for second in range(9))
DIFF = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n--- b\n+++ b\n@@ -0,0 +1 @@\n+y\n"


@pytest.mark.parametrize(
    ("output", "changed", "told"),
    [
        (ERRORS, {"errors": 1}, ["9 errors, 0 warnings in 1 file", "a.c:0: e0"]),
        (LOG, {"errors": 2}, ["log, 9 lines: 9 ERROR; 12:00:00 – 12:00:08", "12:00:00 ERROR e", "12:00:08 ERROR e"]),
        ("FAILED a\nFAILED b\n2 failed in 1s\n", {"failures": 1}, ["2 failed in 1s", "failed: a … and 1 more"]),
        (DIFF, {"files": 1}, ["2 files changed, +2 −1", "a +1 −1 … and 1 more"]),
        ("a;b\n1;2\n3;4\n", {"columns": 1}, ["table, 2 rows × 2 columns: a … and 1 more", "a 1 … 3, b 2 … 4"]),
        ("a;b\n1;2\n3;4\n", {"ranges": 1}, ["table, 2 rows × 2 columns: a, b", "a 1 … 3"]),
        ('{"a": "xy", "b": 1}', {"keys": 1}, ['JSON object, 2 keys: a "xy" … and 1 more']),
        ('{"a": "xy", "b": 1}', {"value_chars": 1}, ["JSON object, 2 keys: a, b 1"]),
    ],
)
def test_the_length_of_a_summary_is_a_setting(output: str, changed: dict[str, int], told: list[str]) -> None:
    numbers = NUMBERS._replace(**changed)  # type: ignore[arg-type]
    assert list(said(output, exit_code=1, numbers=numbers))[: len(told)] == told


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            (
                "Traceback (most recent call last):\n",
                '  File "a.py", line 1, in f\n',
                "ValueError: x\n",
                "@@ -1,9 +1 @@\n",
                "--- a\n+++ b\n",
                "12 passed in 1s\n",
                "FAILED t - x\n",
                "a.c:1:1: error: x\n",
                "{",
                "[",
                '{"a": 1}\n',
                "a,b\n",
                "NAME  READY\n",
                "\x1b[31m",
                "\x1b]0;",
                "\r",
                "| a | b |\n| - | - |\n",
                "2026-02-20 09:00:01 ERROR x\n",
                "panic: x\n",
                "thread 'm' panicked at a.rs:1:1:\n",
                "    at f (a.js:1:1)\n",
                "错误：失败\n",
                "\u202e",
                "\n",
            )
        ),
        st.text(max_size=40),
    ),
    max_size=30,
).map("".join)


@pytest.mark.slow
@given(PIECES, st.integers(1, 9), st.integers(1, 300), st.sampled_from(("zh", "en")), st.none() | st.integers(-9, 255))
@example("[" * 100_000, 6, 200, "en", 1)
@example('{"a":' * 50_000, 6, 200, "en", None)
@example("9" * 100_000, 6, 200, "en", None)
@example("[" + "9" * 10_000 + "]", 6, 200, "en", None)
@example('"\n' * 3, 6, 200, "en", None)
@example("| a |\n| - |\n| - |\n", 6, 200, "en", None)
@example('{"' + "k" * 500 + '": null}', 6, 200, "en", None)
@example("a;b\n" + '"' + "x" * 200_000 + ";c\nd;e\n", 6, 200, "en", None)
@example("@@ -999999999999999999999999999999 +1 @@\n+x\n", 6, 200, "en", None)
def test_any_output_gives_one_to_six_short_plain_lines(
    output: str, lines: int, line_chars: int, lang: str, exit_code: int | None
) -> None:
    numbers = NUMBERS._replace(line_chars=line_chars)
    found = said(output, exit_code=exit_code, lines=lines, lang=lang, numbers=numbers)
    assert 1 <= len(found) <= min(lines, 6)
    assert found[-1].endswith("tool:t0001")
    for line in found:
        assert line.isprintable()
        assert line.strip()
    assert all(len(line) <= max(line_chars, 40) for line in found[:-1])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary: PNG, 10 B"),
        (b"\x7fELF" + b"\x02" * 2000, "binary: ELF, 2 KB"),
        (b"%PDF-1.7\n\x93\x8c" + b"x" * 90, "binary: PDF, 101 B"),
        (b"a\x00b", "binary: unknown format, 3 B"),
        (b"", ""),
        (b"plain\n", ""),
        ("中文\n".encode(), ""),
        ("中文，旧编码".encode("gbk"), ""),
        (b"BM is the first word\n", ""),
        (b"\x1b[31mred\x1b[0m\n", ""),
    ],
)
def test_what_is_no_text_is_named_by_its_first_bytes(data: bytes, kind: str) -> None:
    assert binary_kind(data) == kind
