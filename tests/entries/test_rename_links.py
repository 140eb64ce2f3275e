"""A file that is renamed: the links to it go with it, in the same transaction."""

from __future__ import annotations

import os

import pytest
from conftest import Make, Text

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits.link_targets import Rename
from mdmem.entries.read import live_bytes
from mdmem.errors import UnreadableFileError
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits


def mended(text: str, old: str, new: str, place: str = "MEMORY.md", *, is_unique: bool = True) -> str:
    return apply_edits(text, Rename(old, new, is_unique=is_unique).edits(parse(text.encode()), place))


@pytest.mark.parametrize(("written", "after"), [
    ("[[oak]]", "[[red oak]]"), ("[[Oak]]", "[[red oak]]"), ("[[oak.md]]", "[[red oak.md]]"),
    ("![[oak]]", "![[red oak]]"), ("[[oak|the tree]]", "[[red oak|the tree]]"), ("[[oak#^a1]]", "[[red oak#^a1]]"),
    ("[[notes/oak]]", "[[trees/red oak]]"), ("[[ oak ]]", "[[ red oak ]]"), ("[[oaks]]", "[[oaks]]"),
    ("[[other/oak]]", "[[other/oak]]"), ("[x](notes/oak.md)", "[x](trees/red%20oak.md)"),
    ("[x](notes/oak.md#a)", "[x](trees/red%20oak.md#a)"), ("[x](<notes/oak.md>)", "[x](<trees/red oak.md>)"),
    ("[x](./notes/oak.md 'title')", "[x](trees/red%20oak.md 'title')"), ("[x](oak.md)", "[x](oak.md)"),
    ("[x](https://a.example/notes/oak.md)", "[x](https://a.example/notes/oak.md)"),
    ("[x]: notes/oak.md", "[x]: trees/red%20oak.md"),
    ("[source:: file:notes/oak.md#L3]", "[source:: file:trees/red oak.md#L3]"),
    ("`[[oak]]`", "`[[oak]]`"), ("an oak in the notes", "an oak in the notes"),
])  # fmt: skip
def test_each_form_of_a_link_is_mended(written: str, after: str) -> None:
    assert mended(f"- see {written} there\n" if written[0] != "[" or "]:" not in written else f"{written}\n",
                  "notes/oak.md", "trees/red oak.md") in (f"- see {after} there\n", f"{after}\n")  # fmt: skip


def test_code_is_left_alone_and_a_name_that_two_files_have() -> None:
    code = "```\n[[oak]]\n```\n"
    assert mended(code, "oak.md", "elm.md") == code
    assert (
        mended("- [[oak]] [[notes/oak]]\n", "notes/oak.md", "notes/elm.md", is_unique=False)
        == "- [[oak]] [[notes/elm]]\n"
    )


def test_a_path_is_relative_to_the_file_that_links() -> None:
    assert mended("- [x](oak.md)\n", "notes/oak.md", "trees/elm.md", "notes/garden.md") == "- [x](../trees/elm.md)\n"
    assert (
        mended("- [x](../notes/橡树.md)\n", "notes/橡树.md", "notes/榆树.md", "b/c.md") == "- [x](../notes/榆树.md)\n"
    )


def test_the_links_change_with_the_name_and_an_undo_brings_both_back(make: Make, text: Text) -> None:
    links = "# Memory\n\n## Notes\n\n- 2026-02-13: see [[oak]] and [the file](oak.md)\n"
    work = make("en", {"MEMORY.md": links, "oak.md": "# Oak\n\n- tall\n", "sessions/old.md": "said: [[oak]]\n"})
    done = work.rename("oak.md", "elm.md")
    assert "MEMORY.md" in done.hint
    assert text("MEMORY.md") == links.replace("[[oak]]", "[[elm]]").replace("(oak.md)", "(elm.md)")
    assert done.transaction is not None
    assert {file.path for file in done.transaction.files} == {"MEMORY.md", "oak.md", "elm.md"}
    work.history.undo()
    assert text("MEMORY.md") == links
    assert text("oak.md") == "# Oak\n\n- tall\n"


def test_links_that_an_agent_may_not_change_are_named(make: Make, text: Text) -> None:
    soul = "# Soul\n\nI keep notes in [[oak]].\n"
    work = make("en", {"SOUL.md": soul, "oak.md": "- tall\n"})
    done = work.rename("oak.md", "elm.md", actor="ada")
    assert "left in SOUL.md" in done.hint
    assert text("SOUL.md") == soul


def test_a_file_that_cannot_be_read_keeps_no_other_one_from_being_renamed(make: Make, text: Text) -> None:
    work = make("en", {"MEMORY.md": "# Notes\n\n- see [[oak]]\n", "oak.md": "- tall\n", "huge.md": "x" * 3_000_000})
    os.mkfifo(os.path.join(work.root, "pipe.md"))
    work.rename("oak.md", "elm.md")
    assert "[[elm]]" in text("MEMORY.md")


def test_a_file_that_the_system_refuses_to_read_keeps_the_name_so_that_no_link_breaks(
    make: Make, text: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "# Notes\n\n- see [[oak]]\n"
    work = make("en", {"MEMORY.md": note, "oak.md": "- tall\n"})

    def refused(config: WorkspaceConfig, path: str, most: int | None = None) -> bytes | None:
        if path == "MEMORY.md":
            raise UnreadableFileError("could not be opened: Input/output error", path=path) from OSError(5, "I/O error")
        return live_bytes(config, path, most)

    monkeypatch.setattr("mdmem.entries.rename.live_bytes", refused)
    with pytest.raises(UnreadableFileError, match=r"MEMORY.md: could not be read, and may hold links to oak.md"):
        work.rename("oak.md", "elm.md")
    assert (text("MEMORY.md"), text("oak.md")) == (note, "- tall\n")
