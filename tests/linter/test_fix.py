"""Law 13: fixes converge, lose no word, and leave nothing that could be fixed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Lint
from forms import each
from hypothesis import given
from hypothesis import strategies as st
from inputs import ODD_BYTES, documents, own_examples, raw_bytes, real_files, spec_examples

from mdmem.formats.template import Schemas
from mdmem.linter import fixes
from mdmem.linter.fixes import fix_document
from mdmem.linter.rule import Finding
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, Edit
from mdmem.text.verify import violations

_LETTER = re.compile(r"[^\W\d_](?<!\[[xX](?=\]))")  # not of a checkbox


def letters(document: Document) -> Counter[str]:
    """Count the letters: fixes may change signs and join lines, but a letter is somebody's memory.

    Titles are left out, for a fix may give a section its own name instead of another.
    """
    counts = Counter(_LETTER.findall(document.text))
    brackets = (found.group(1) for line in range(len(document.lines)) if (found := document.bracket(line)))
    for title in (*(section.title for section in document.sections if section.style != "bracket"), *brackets):
        counts -= Counter(_LETTER.findall(title))
    return counts


def converge(lint: Lint, path: str, data: bytes) -> None:
    def look(document: Document) -> list[Diagnostic]:
        return lint(document, path, every=True)

    once = fix_document(parse(data), look)
    again = fix_document(parse(once.document.to_bytes()), look)
    assert again.document.to_bytes() == once.document.to_bytes(), f"{path}: a second run changes more"
    assert again.applied == 0
    lost = letters(parse(data)) - Counter(_LETTER.findall(once.document.text))
    assert not lost, f"{path}: letters lost: {dict(lost)}"


def paths(schemas: Schemas) -> list[str]:
    """One file name of every kind, and a file of no kind."""
    patterns = [next(iter(schemas.languages(kind).values())).files[0] for kind in schemas.kinds]
    return [*(pattern.replace("**/", "").replace("*", "a") for pattern in patterns), "README.md"]


# Good and bad pieces: what the kinds ask for, nearly, and what people write instead.
_PIECES = [
    re.sub(r"\\(?:[nx\\]|u[0-9a-f]{4})[0-9a-f]{0,2}", lambda m: m.group().encode().decode("unicode_escape"), line)
    for line in (Path(__file__).parent / "pieces.txt").read_text("utf-8").splitlines()
]
_ENDS = ["\n", "\n", "\n", "\n\n", "\r\n", "\r", "", " \n", "\t\n"]
_memory = st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(_ENDS)), max_size=16).map(
    lambda pairs: "".join(piece + end for piece, end in pairs).encode()
)


@pytest.mark.thorough
@pytest.mark.slow
@given(data=_memory)
def test_random_memories(lint: Lint, schemas: Schemas, data: bytes) -> None:
    for path in paths(schemas):
        converge(lint, path, data)


@pytest.mark.thorough
@pytest.mark.slow
@given(data=st.one_of(raw_bytes, documents))
def test_random_bytes(lint: Lint, schemas: Schemas, data: bytes) -> None:
    for path in paths(schemas):
        converge(lint, path, data)


@pytest.mark.thorough
@pytest.mark.slow
def test_odd_bytes_and_examples(lint: Lint) -> None:
    for data in ODD_BYTES.values():
        for path in ("FASTMEMO.md", "MEMORY.md", "README.md"):
            converge(lint, path, data)
    for example in each(4, sorted({*own_examples(), *spec_examples()})):
        converge(lint, "FASTMEMO.md", example.encode())


@pytest.mark.slow
@pytest.mark.parametrize("path", each(5, real_files()), ids=lambda path: path.name)
def test_real_files(lint: Lint, path: Path) -> None:
    for name in (path.name, "FASTMEMO.md"):
        converge(lint, name, path.read_bytes())


def told(document: Document, *edits: Edit) -> Diagnostic:
    """Make a finding with a fix."""
    finding = Finding(edits[0].span, fix=tuple(edits))
    return Diagnostic("", 1, 1, 1, 1, "MM000", "", "note", "", "", secret=False, span=finding.span, fix=finding.fix)


def replacing(old: str, new: str) -> Callable[[Document], list[Diagnostic]]:
    def look(document: Document) -> list[Diagnostic]:
        return [
            told(document, Edit.replace(match.start(), match.end(), new)) for match in re.finditer(old, document.text)
        ]

    return look


def test_a_fix_that_cannot_be_proved_is_left_and_the_others_are_made() -> None:
    text = "a\n\nX\n\n- b\n"
    result = fix_document(parse(text.encode()), replacing("X", "```"))
    assert result.document.text == text
    assert result.applied == 0
    assert len(result.remaining) == 1
    assert not any(one.fix for one in result.remaining)
    text = "X\n\n" * 20 + "```\nX\n"

    def look(document: Document) -> list[Diagnostic]:
        good = replacing("X\n\n", "Y\n\n")(document)
        return [*good, told(document, Edit.insert(len(document.text), "- swallowed\n"))]

    result = fix_document(parse(text.encode()), look)
    assert result.document.text == text.replace("X\n\n", "Y\n\n")
    assert result.applied == 20
    assert len(result.remaining) == 1


def test_two_rules_that_undo_each_other_end() -> None:
    def look(document: Document) -> list[Diagnostic]:
        old, new = ("a", "b") if "a" in document.text else ("b", "a")
        return replacing(old, new)(document)

    assert fix_document(parse(b"a"), look).applied == 100


def test_fixes_side_by_side_wait_for_one_another() -> None:
    result = fix_document(parse(b"xxxxxxxxxx"), replacing("x", "y"))
    assert result.document.text == "y" * 10
    assert result.applied == 10


@pytest.mark.slow
def test_fixes_that_all_fail_cost_a_bounded_number_of_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    proofs = 0

    def counted(*args: object) -> Iterator[str]:
        nonlocal proofs
        proofs += 1
        return violations(*args)  # type: ignore[arg-type]

    def underline(document: Document) -> list[Diagnostic]:
        return [told(document, Edit.insert(match.end(), "---\n")) for match in re.finditer("words\n", document.text)]

    monkeypatch.setattr(fixes, "violations", counted)
    result = fix_document(parse(b"words\n\n" * 400), underline)
    assert result.applied == 0
    assert proofs <= 250
