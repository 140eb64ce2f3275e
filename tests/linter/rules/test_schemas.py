"""Front matter and fields are held to their templates: types, choices, ranges, what is required, what is pointed at."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Lint

from mdmem.errors import ConfigError, RefusedError
from mdmem.formats.template_reader import read_template
from mdmem.linter.fixes import fix_document
from mdmem.text.document import Document, parse
from mdmem.workspace import Workspace

RECORD = "---\nfilename: boat.jpg\n{keys}\n---\n# Attachment\n\n## Description\n\nthe red boat at the quay\n"
FACT = "# Mill\n\n## Now\n\n- 2026-02-02: grinds rye on Tuesdays {fields}\n"
WHERE = "local_path: attachments/boat.jpg"


def codes(lint: Lint, text: str, path: str) -> list[str]:
    return [f"{one.code} {one.severity}" for one in lint(text, path)]


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (WHERE, []),
        ("url: https://example.com/boat.jpg", []),
        (f"{WHERE}\ndirection: outbound\nfile_size: 4096\ncreated_at: 2026-03-02 08:15\ntags: [boat]", []),
        (f"{WHERE}\ndirection:\nfile_size:", []),
        (f"{WHERE}\ndirection: sideways", ["MM312 error"]),
        (f"{WHERE}\ndirection: [inbound]", ["MM312 error"]),
        (f"{WHERE}\nfile_size: -4", ["MM312 error"]),
        (f"{WHERE}\nfile_size: 12 kB", ["MM312 error"]),
        (f"{WHERE}\ncreated_at: last week", ["MM312 error"]),
        (f"{WHERE}\ncreated_at: 2026-13-02 08:15", ["MM312 error"]),
        (f"{WHERE}\ndirection: INBOUND", ["MM318 warning"]),
        (f"{WHERE}\ncreated_at: 2026年3月2日", ["MM318 warning"]),
        ("direction: inbound", ["MM313 warning"]),
    ],
)
def test_an_attachment_is_what_its_template_says(lint: Lint, keys: str, found: list[str]) -> None:
    assert codes(lint, RECORD.format(keys=keys), "attachments/boat.md") == found


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("[importance:: 0] [confidence:: 1] [accesses:: 12]", []),
        ("[importance:: 7]", ["MM312 error"]),
        ("[importance:: -0.1]", ["MM312 error"]),
        ("[confidence:: 1.01]", ["MM312 error"]),
        ("[accesses:: -1]", ["MM312 error"]),
        ("[type:: opinion]", ["MM312 error"]),
        ("[type::  Fact ]", ["MM318 warning"]),
        ("[superseded_by:: mill9]", ["MM315 warning"]),
        ("[superseded_by:: ^mill9]", ["MM315 warning"]),
        ("[superseded_by:: mill2]\n- 2026-02-09: grinds rye on Fridays ^mill2", []),
    ],
)
def test_a_fact_is_what_its_template_says(lint: Lint, fields: str, found: list[str]) -> None:
    assert codes(lint, FACT.format(fields=fields), "facts/mill.md") == found


def test_a_session_is_what_its_template_says(lint: Lint) -> None:
    text = "---\nagent: ada\noutcome: {}\nextracted_through: {}\n---\n# Session\n\n## Request\n\nx\n"
    found = lint(text.format("whatever", -1), "sessions/20260302_081500_boat.md")
    assert [one.code for one in found if one.code == "MM312"] == ["MM312", "MM312"]
    found = lint(text.format("completed", 0), "sessions/20260302_081500_boat.md")
    assert [one.fix[0].new for one in found if one.code == "MM318"] == ["success"], "by the template's own words"


def test_what_is_meant_is_put_right_and_nothing_else(lint: Lint) -> None:
    keys = f"{WHERE}\ndirection: 'Outbound'   # to Ida\ncreated_at: 2026.3.2 08:15\nsession: Outbound"
    text = RECORD.format(keys=keys).replace("\n", "\r\n")

    def found(document: Document) -> list:  # type: ignore[type-arg]
        return lint(document, "attachments/boat.md")

    result = fix_document(parse(text.encode()), found)
    expected = text.replace("'Outbound'", "outbound").replace("2026.3.2 08:15", "2026-03-02 08:15")
    assert (result.document.text, result.remaining) == (expected, ())


def test_a_day_that_begins_with_its_month_is_left(lint: Lint) -> None:
    found = lint(RECORD.format(keys=f"{WHERE}\ncreated_at: 3/2/2026"), "attachments/boat.md")
    assert [(one.code, one.fix) for one in found] == [("MM312", ())]


def test_the_pen_refuses_what_is_an_error_and_lets_old_ones_be(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/mill.md").write_text(FACT.format(fields="[importance:: 7]"))
    memory = Workspace(tmp_path)
    with pytest.raises(RefusedError, match="MM312") as caught:
        memory.add("facts/mill.md", ["2026-03-03: sells oats"], section="Now", fields={"importance": "9"}, actor="ada")
    assert "0 … 1" in caught.value.hint
    with pytest.raises(RefusedError, match="MM312"):
        memory.write("attachments/boat.md", RECORD.format(keys=f"{WHERE}\ndirection: sideways"), actor="ada")
    assert memory.add("facts/mill.md", ["2026-03-03: sells oats"], section="Now", actor="ada").status == "done"
    assert memory.edit("facts/mill.md", "rye on", "rye and wheat on", actor="ada").status == "done"


def test_a_path_in_front_matter_must_lead_somewhere(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments/boat.md").write_text(RECORD.format(keys=WHERE))
    assert [one.code for one in Workspace(tmp_path).lint().diagnostics] == ["MM315"]
    (tmp_path / "attachments/boat.jpg").write_bytes(b"\xff\xd8")
    assert Workspace(tmp_path).lint().diagnostics == ()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{type: number, min: low}", "`mdmem.front_matter.a.min` must be a number"),
        ("{type: number, min: 2, max: 1}", "`mdmem.front_matter.a.min` is above its `max`"),
        ("{type: text, max: 3}", "unknown key `mdmem.front_matter.a.max`"),
        ("{type: text, required: true, unless: [b]}", "`mdmem.front_matter.a.unless` names an unknown key, `b`"),
    ],
)
def test_a_wrong_range_is_refused(rule: str, message: str) -> None:
    text = f"---\nmdmem:\n  kind: x\n  files: [X.md]\n  create: never\n  front_matter:\n    a: {rule}\n---\n# X\n"
    with pytest.raises(ConfigError) as caught:
        read_template(text.encode(), "X.md", "en")
    assert (caught.value.message, caught.value.line) == (message, 7)


def disputed(lint: Lint, line: str, path: str = "MEMORY.md") -> list[str]:
    found = lint(f"---\ntitle: boats\n{line}\n---\n# 🧠 记忆\n", path)
    return [one.message for one in found if one.code == "MM110"]


@pytest.mark.parametrize("value", ["2026-11", "2026-1-5", "12:30", "190:20:30", "010", "0o17", "[a, 2026-03]"])
def test_a_value_that_programs_read_differently_is_told(value: str, lint: Lint) -> None:
    assert disputed(lint, f"since: {value}")
    assert not disputed(lint, f"since: {value}", "docs/boats.md")


def test_the_message_quotes_the_value_as_it_stands(lint: Lint) -> None:
    assert "`010`" in disputed(lint, "count: 010")[0]


@pytest.mark.parametrize(
    "value", ['"2026-11"', "2026-11-02", "'12:30'", "12", "0", "1.5", "true", "in 2026-11", "yes", "20260215_190000"]
)
def test_a_value_that_all_read_alike_is_not(value: str, lint: Lint) -> None:
    assert not disputed(lint, f"since: {value}")
