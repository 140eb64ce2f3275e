"""`workspace/`, the living example: every kind is there, every reference leads somewhere, the linter is content."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest
from conftest import Lint

from mdmem.formats.template import Schemas
from mdmem.text.document import parse

ROOT = Path(__file__).resolve().parents[2] / "workspace"
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.md"))
_REFERENCE = re.compile(r"\b(file|tool):([\w./-]*\w)(?:#L(\d+))?")


def read(path: str) -> str:
    return (ROOT / path).read_bytes().decode()


def size(path: str) -> int:
    return (ROOT / path).stat().st_size


def test_every_kind_is_there_and_no_other_file(schemas: Schemas) -> None:
    found = {path: schemas.match(path) for path in FILES}
    assert [path for path, template in found.items() if template is None] == []
    assert {template.kind for template in found.values() if template} == set(schemas.kinds)


def test_both_languages_are_spoken(schemas: Schemas) -> None:
    found = [schemas.match(path, parse(read(path).encode())) for path in FILES]
    assert {template.lang for template in found if template} == {"zh", "en"}


@pytest.mark.parametrize("path", FILES)
def test_the_linter_reports_nothing(path: str, lint: Lint) -> None:
    assert lint(read(path), path, exists=lambda one: (ROOT / one).exists(), size_of=size) == []


@pytest.mark.parametrize("path", FILES)
def test_every_reference_leads_somewhere(path: str) -> None:
    for kind, name, line in _REFERENCE.findall(read(path)):
        target = ROOT / (name if kind == "file" else f"artifacts/{name}.md")
        assert target.is_file(), name
        assert int(line or 1) <= len(target.read_bytes().splitlines()), f"{name}#L{line}"
        assert not line or target.read_bytes().splitlines()[int(line) - 1].strip(), f"{name}#L{line} is blank"
    front = parse(read(path).encode()).front_matter
    local = front.values.get("local_path") if front else None
    if local:
        assert front is not None
        assert (ROOT / str(local)).stat().st_size == front.values["file_size"]


@pytest.mark.parametrize("path", FILES)
def test_dates_are_real_and_days_of_the_week_agree(path: str) -> None:
    text = read(path)
    for match in re.finditer(r"\b(\d{4})-(\d\d)-(\d\d)\b(?:（周(.)）)?", text):
        day = dt.date(int(match[1]), int(match[2]), int(match[3]))
        assert not match[4] or "一二三四五六日"[day.weekday()] == match[4], match.group()
    for match in re.finditer(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (\d{4}-\d\d-\d\d)", text):
        assert dt.date.fromisoformat(match[2]).strftime("%A") == f"{match[1]}day", match.group()


def test_what_is_referred_to_by_id_carries_it() -> None:
    text = "\n".join(map(read, FILES))
    named = set(re.findall(r"\[superseded_by:: ([\w-]+)\]", text))
    linked = set(re.findall(r"\[facts:: [^\]#]+#([\w-]+)\]", text))
    given = set(re.findall(r" \^([\w-]+)$", text, re.MULTILINE))
    assert given == named | linked, "an id is written where something needs it"
