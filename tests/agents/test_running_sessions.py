"""A session that still runs is no memory of another one, and a hook acts only where there is a memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import Make
from harness import hook
from processes import wait_for

from mdmem.agents.hooks.service import find_workspace
from mdmem.workspace import Workspace

PORT = "The lighthouse of Skerrow gets its paraffin from Tollund"
ASKED = "where does the lighthouse of Skerrow get its paraffin?"
LOG = "\n".join(f"2026-02-18 07:{n:02}:40 INFO {PORT}" for n in range(40))


def said(work: Workspace) -> str:
    return hook(work, "UserPromptSubmit", "b", prompt="Look at the notes about the harbour, please")


def ended(work: Workspace) -> None:
    """Wait until the process that ends a session, which no hook waits for, has ended one."""
    assert wait_for(lambda: any(one.ended for one in Workspace(work.root).sessions.list()))


SAYS: dict[str, Callable[[Workspace], object]] = {
    "its request": lambda work: hook(work, "UserPromptSubmit", "b", prompt=PORT),
    "a later prompt": lambda work: (said(work), hook(work, "UserPromptSubmit", "b", prompt=PORT)),
    "a reply": lambda work: (said(work), hook(work, "Stop", "b", last_assistant_message=f"{PORT}.")),
    "a draft in a fence": lambda work: (
        said(work), hook(work, "Stop", "b", last_assistant_message=f"Draft:\n\n```\nDear all,\n{PORT}\n```\n")
    ),
    "the output of a tool": lambda work: (
        said(work), hook(work, "PostToolUseFailure", "b", tool_name="Bash", tool_input={"command": "x"}, error=PORT)
    ),
    "a paste": lambda work: (
        said(work), hook(work, "UserPromptSubmit", "b", prompt=LOG)
    ),
    "a session of another agent": lambda work: hook(work, "UserPromptSubmit", "b", "codex", prompt=PORT),
}  # fmt: skip


@pytest.mark.parametrize("kind", SAYS)
def test_what_a_running_session_says_is_given_to_no_other_one(make: Make, kind: str) -> None:
    work = make("en", settings="[notebook]\nruns = false\n")
    SAYS[kind](work)
    for agent in ("claude", "codex"):
        assert "Skerrow" not in hook(work, "UserPromptSubmit", f"a {agent}", agent, prompt=ASKED)
        assert "Skerrow" not in hook(work, "SessionStart", f"c {agent}", agent, source="startup")


@pytest.mark.parametrize("kind", SAYS)
def test_the_night_makes_nothing_of_a_running_session(make: Make, kind: str) -> None:
    work = make("en", settings="[notebook]\nruns = false\n")
    SAYS[kind](work)
    Workspace(work.root).night()
    paths = [path.relative_to(work.root).as_posix() for path in Path(work.root).rglob("*.md")
             if "Skerrow" in path.read_text("utf-8")]  # fmt: skip
    assert [path for path in paths if not path.startswith(("sessions/", "artifacts/"))] == []


SEARCHES: dict[str, dict[str, object]] = {
    "memory_search": {"query": "lighthouse Skerrow paraffin"},
    "search_memory": {"query": "lighthouse Skerrow paraffin"},
}


@pytest.mark.thorough
@pytest.mark.parametrize("tool", SEARCHES)
@pytest.mark.parametrize("kind", SAYS)
def test_a_tool_of_another_client_finds_nothing_of_a_running_session(make: Make, kind: str, tool: str) -> None:
    work = make("en", settings="[notebook]\nruns = false\n")
    SAYS[kind](work)
    client = Workspace(work.root)
    assert "Tollund" not in str(client.call(tool, SEARCHES[tool], actor="codex"))
    hook(work, "SessionEnd", "b", "codex" if "another" in kind else "claude", reason="other")
    found = partial(Workspace(work.root).call, tool, SEARCHES[tool], actor="codex")
    assert wait_for(lambda: "Tollund" in str(found())), "the process that ends the session may still write its file"


@pytest.mark.thorough
@pytest.mark.parametrize("kind", SAYS)
def test_the_scratchpad_of_another_session_holds_nothing_of_a_running_one(make: Make, kind: str) -> None:
    work = make("en", settings="[notebook]\nruns = false\n")
    hook(work, "UserPromptSubmit", "a", prompt="Please write the minutes of the harbour board")
    SAYS[kind](work)
    hook(work, "Stop", "a", last_assistant_message="The minutes are written. Next: send them to Ida.")
    hook(work, "SessionEnd", "a", reason="other")
    ended(work)
    Workspace(work.root).scratchpad.update()
    pad = Path(work.root, "SCRATCHPAD.md").read_text("utf-8")
    assert "Ida" in pad
    assert "Skerrow" not in pad
    assert "Skerrow" not in hook(work, "SessionStart", "c", source="startup")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", SAYS)
def test_a_night_with_other_work_makes_nothing_of_a_running_session(make: Make, kind: str) -> None:
    """The night condenses, extracts and writes episodes of the session that has ended beside it."""
    work = make("en", settings="[notebook]\nruns = false\n")
    hook(work, "UserPromptSubmit", "old", prompt="I live in Bristwick. My cat is called Pim.")
    hook(work, "Stop", "old", last_assistant_message="Noted: the report is finished.")
    Workspace(work.root).sessions.resume(agent="claude").end()
    SAYS[kind](work)
    Workspace(work.root).night()
    texts = {path.relative_to(work.root).as_posix(): path.read_text("utf-8") for path in Path(work.root).rglob("*.md")}
    made = {name: text for name, text in texts.items() if not name.startswith(("sessions/", "artifacts/"))}
    assert any("Bristwick" in text for text in made.values()), "the night has worked"
    assert [name for name, text in made.items() if "Skerrow" in text] == []
    assert [name for name in texts if name.startswith("episodes/") and "Skerrow" in texts[name]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["its request", "a later prompt", "a reply", "a draft in a fence", "a paste"])
def test_when_it_has_ended_it_is_a_memory(make: Make, kind: str) -> None:
    """So the tests above can fail."""
    work = make("en")
    SAYS[kind](work)
    hook(work, "SessionEnd", "b", reason="other")
    assert "Tollund" in hook(work, "UserPromptSubmit", "a", prompt=ASKED)


FOLDERS: dict[str, Callable[[Path], object]] = {
    "an empty folder": Path.exists,
    "a project with a page": lambda folder: (folder / "README.md").write_text("# A page\n", "utf-8"),
    "a repository": lambda folder: (folder / ".git").mkdir(),
    "a folder with notes of another tool": lambda folder: (folder / "notes.md").write_text("- a note\n", "utf-8"),
    "a program with a CLAUDE.md": lambda folder: (folder / "CLAUDE.md").write_text("Be brief.\n", "utf-8"),
    "a folder that is not there": lambda folder: folder.rmdir(),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_hook_finds_no_workspace_and_makes_nothing(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    FOLDERS[kind](folder)
    before = sorted(tmp_path.rglob("*"))
    assert find_workspace(str(folder), "") is None
    assert find_workspace("", str(folder)) is None
    assert sorted(tmp_path.rglob("*")) == before
