"""Nothing is written between the marks of a merge conflict; resolving it is an ordinary edit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mdmem.errors import MdmemError, RefusedError
from mdmem.workspace import Workspace

SIDES = "<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> laptop\n"
WHOLE = SIDES.format(ours="## Notes\n\n- 2026-03-01: the van is blue\n", theirs="## Notes\n\n- 2026-03-01: it is red\n")
ENTRIES = "## Notes\n\n" + SIDES.format(ours="- 2026-03-01: the van is blue\n", theirs="- 2026-03-01: it is red\n")
ONE_SIDE = "## Notes\n\n- 2026-02-01: hello\n" + SIDES.format(ours="- 2026-03-01: the van is blue\n", theirs="")
LOOSE = "## Notes\n\n" + SIDES.format(
    ours="\n- 2026-03-01: the van is blue\n\n", theirs="\n- 2026-03-01: it is red\n\n"
)
PARAGRAPH = "## Notes\n\nHow it is.\n" + SIDES.format(ours="blue\n", theirs="- 2026-03-01: it is red\n")
EMPTY = "## Notes\n\n" + SIDES.format(ours="", theirs="")
SHAPES = {"whole": WHOLE, "entries": ENTRIES, "one side": ONE_SIDE, "loose": LOOSE}
HEAD = "# Memory\n\n## Important events\n\n- 2026-02-13: the lease was signed\n\n"


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """An English workspace."""
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    return Workspace(tmp_path, cache=False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_an_addition_to_a_section_in_conflict_is_refused_with_the_line(
    work: Workspace, shape: str, ending: str
) -> None:
    file = Path(work.root, "MEMORY.md")
    text = (HEAD + SHAPES[shape]).replace("\n", ending)
    file.write_bytes(text.encode())
    line = text.split(ending).index("<<<<<<< HEAD") + 1
    with pytest.raises(RefusedError) as refused:
        work.add("MEMORY.md", ["2026-03-02: the roof leaks"], section="Notes")
    assert str(refused.value).startswith(f"MEMORY.md:{line}: not written")
    assert refused.value.line == line
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("shape", [EMPTY, PARAGRAPH])
def test_what_stands_between_the_marks_stays(work: Workspace, shape: str) -> None:
    file = Path(work.root, "MEMORY.md")
    file.write_text(HEAD + shape, "utf-8")
    with suppress(RefusedError):
        work.add("MEMORY.md", ["2026-03-02: the roof leaks"], section="Notes")
    assert shape[shape.index("<<<<<<<") :] in file.read_text("utf-8")


def test_the_rest_of_the_file_is_written_as_ever(work: Workspace) -> None:
    file = Path(work.root, "MEMORY.md")
    file.write_text(HEAD + ENTRIES, "utf-8")
    work.add("MEMORY.md", ["2026-03-02: the roof leaks"], section="Important events")
    assert file.read_text("utf-8") == HEAD.rstrip("\n") + "\n- 2026-03-02: the roof leaks\n\n" + ENTRIES


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("edit", {"path": "MEMORY.md", "oldText": "van is blue", "newText": "van is green"}),
    ("str_replace", {"path": "/memories/MEMORY.md", "old_str": "van is blue", "new_str": "van is green"}),
    ("insert", {"path": "/memories/MEMORY.md", "insert_line": 10, "insert_text": "- 2026-03-02: more\n"}),
    ("memory_edit", {"path": "MEMORY.md", "section": "Notes", "content": "2026-03-02: all new"}),
    ("memory_replace", {"path": "MEMORY.md", "entry": "van is blue", "content": "2026-03-01: the van is green"}),
    ("memory_remove", {"path": "MEMORY.md", "entries": ["van is blue"]}),
    ("memory_tick", {"path": "MEMORY.md", "entry": "van is blue"}),
    ("memory_add", {"path": "MEMORY.md", "section": "Notes", "content": "2026-03-02: more"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_no_tool_writes_into_a_conflict(work: Workspace, tool: str, arguments: dict[str, Any]) -> None:
    file = Path(work.root, "MEMORY.md")
    file.write_text(HEAD + ENTRIES, "utf-8")
    reply = work.call(tool, arguments)
    if reply["code"] == "confirm":
        number = "".join(filter(str.isdigit, reply["hint"]))
        reply = work.call(tool, {**arguments, "confirm": number})
    assert (reply["status"], reply["code"]) == ("error", "refused"), reply
    assert "MEMORY.md:9" in reply["message"]
    assert file.read_text("utf-8") == HEAD + ENTRIES


def test_resolving_a_conflict_is_an_edit(work: Workspace) -> None:
    file = Path(work.root, "MEMORY.md")
    two = HEAD + ENTRIES + "\n## To-dos and promises\n\n" + SIDES.format(ours="- call\n", theirs="- write\n")
    file.write_text(two, "utf-8")
    conflict = ENTRIES.partition("\n\n")[2]
    done = work.call("edit", {"path": "MEMORY.md", "oldText": conflict, "newText": "- 2026-03-01: it is red\n"})
    assert done["status"] == "done", done
    resolved = file.read_text("utf-8").replace("<<<<<<< HEAD\n- call\n=======\n- write\n>>>>>>> laptop\n", "- call\n")
    assert work.call("write", {"path": "MEMORY.md", "content": resolved})["status"] == "done"
    assert work.add("MEMORY.md", ["2026-03-02: the roof leaks"], section="Notes").status == "done"


def test_changes_around_a_conflict_pass(work: Workspace) -> None:
    file = Path(work.root, "MEMORY.md")
    file.write_text(HEAD + ENTRIES + "\n- 2026-03-05: after it\n", "utf-8")
    text = file.read_text("utf-8").replace("the lease", "a lease").replace("after it", "behind it")
    done = work.call("write", {"path": "MEMORY.md", "content": text})
    assert (done["status"], file.read_text("utf-8")) == ("done", text), done


def test_a_conflict_shown_in_code_is_text(work: Workspace) -> None:
    fence = "## Notes\n\n- 2026-03-01: so it looks\n\n```\n" + SIDES.format(ours="a\n", theirs="b\n") + "```\n"
    Path(work.root, "MEMORY.md").write_text(HEAD + fence, "utf-8")
    try:
        assert work.add("MEMORY.md", ["2026-03-02: the roof leaks"], section="Notes").status == "done"
    except MdmemError as error:
        pytest.fail(error.message)
