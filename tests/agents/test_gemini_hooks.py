"""The hooks of Gemini CLI 0.61: its payloads, reduced, and what it does with a reply at each event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Make
from harness import hook

from mdmem.agents.connect.service import Connector
from mdmem.agents.hooks.gemini_payload import shell_output, without_files
from mdmem.workspace import Workspace

OAK = "the oak chest was sold to Marit for 90 euros"
FERRY = "The ferry leaves at 7:40 on Sundays"
RULE = "Never call before noon"
ASKED = "what do you know of the ferry?"
BASE = {"transcript_path": "/home/ann/.gemini/tmp/p/chats/s.jsonl", "timestamp": "2026-11-23T19:24:29.444Z"}
FILES = "\n--- Content from referenced files ---\nContent from @notes.md:\na secret plan\n--- End of content ---"


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"MEMORY.md": f"# Memory\n\n## Notes\n\n- 2026-02-01: {OAK}\n"})


def given(work: Workspace, name: str, session: str = "s1", **payload: object) -> str:
    """Answer an event and return what stands in the model's context afterwards."""
    return hook(work, name, session, "gemini", **BASE, **payload)


def started(work: Workspace, source: str, session: str = "s1") -> str:
    return given(work, "SessionStart", session, source=source)


def asked(work: Workspace, prompt: str, session: str = "s1") -> str:
    return given(work, "BeforeAgent", session, prompt=prompt)


def ran(work: Workspace, output: str, below: str = "", **more: object) -> None:
    """Report a command of the shell, as it is told to the model and as it is displayed."""
    text = f"<untrusted_context>\nOutput: {output}{below}\nProcess Group PGID: 6369\n</untrusted_context>"
    response = {"llmContent": text, "returnDisplay": output, **more}
    given(work, "AfterTool", tool_name="run_shell_command", tool_input={"command": "make"}, tool_response=response)


def turns(work: Workspace) -> list[tuple[str, str]]:
    return [(turn.role, turn.text.strip()) for turn in work.sessions.show(work.sessions.list()[0].id).turns]


def test_the_memory_comes_once_with_the_first_prompt(work: Workspace) -> None:
    """What Gemini CLI is given at a start, it reads as words of the user: commands and `@names` in it too."""
    assert started(work, "startup") == ""
    assert OAK in asked(work, "hello")
    assert asked(work, "to whom was the oak chest sold?") == ""


def test_what_the_first_prompt_asks_for_comes_behind_the_memory(work: Workspace) -> None:
    day = Path(work.root) / "memory" / "2025-03-04.md"
    day.parent.mkdir(exist_ok=True)
    day.write_text(f"# 2025-03-04\n\n- 2025-03-04: {FERRY}\n", "utf-8")
    started(work, "startup")
    text = asked(work, ASKED)
    assert 0 <= text.index(OAK) < text.index(FERRY)


def test_a_resumed_session_is_given_only_what_is_new(work: Workspace) -> None:
    started(work, "startup")
    asked(work, "hello")
    assert (started(work, "resume"), asked(work, "go on")) == ("", "")
    work.add("MEMORY.md", [FERRY])
    started(work, "resume")
    news = asked(work, "go on")
    assert FERRY in news
    assert OAK not in news


@pytest.mark.parametrize("source", ["clear", "resume"])
def test_a_session_that_is_new_here_is_given_the_memory(work: Workspace, source: str) -> None:
    started(work, source, "another")
    assert OAK in asked(work, "hello", "another")


def test_a_session_whose_start_was_not_told_is_given_the_memory(work: Workspace) -> None:
    """`/resume` within Gemini CLI changes to another session and tells nobody."""
    assert OAK in asked(work, "hello")
    assert asked(work, "go on") == ""


def test_a_context_that_the_user_compressed_is_given_rules_and_pins_again(work: Workspace) -> None:
    added = Workspace(work.root).pins.add("constraint", "Calls", RULE, "file:MEMORY.md")
    assert added.status == "done", added
    started(work, "startup")
    assert RULE in asked(work, "hello")
    given(work, "PreCompress", trigger="auto")  # comes before every request to the model
    assert asked(work, "go on") == ""
    given(work, "PreCompress", trigger="manual")
    started(work, "resume")
    text = asked(work, "go on")
    assert RULE in text
    assert OAK not in text


def test_a_compression_is_told_only_if_the_user_asks_for_it(
    work: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Connector(work).connect("gemini")
    hooks: dict[str, Any] = json.loads((tmp_path / ".gemini/settings.json").read_bytes())["hooks"]
    assert [group["matcher"] for group in hooks["PreCompress"]] == ["manual"]


def test_a_turn_and_its_reply_are_kept_once_each(work: Workspace) -> None:
    started(work, "startup")
    asked(work, f"Please read @notes.md{FILES}")
    reply = "I will look.\nIt is done."  # what it said before a tool and after it
    given(work, "AfterAgent", prompt=f"Please read @notes.md{FILES}", prompt_response=reply, stop_hook_active=False)
    assert turns(work) == [("user", "Please read @notes.md"), ("assistant", reply)]


def test_where_the_model_said_nothing_no_reply_is_kept(work: Workspace) -> None:
    asked(work, "hello")
    given(work, "AfterAgent", prompt="hello", prompt_response="[no response text]", stop_hook_active=False)
    assert turns(work) == [("user", "hello")]


@pytest.mark.parametrize(("prompt", "said"), [
    ("see @a.md", "see @a.md"),
    (f"see @a.md{FILES}", "see @a.md"),
    (f"see @a.md{FILES}\n{FILES}", "see @a.md"),
    (f"see @a.md{FILES}\n\nfrom another hook", "see @a.md\n\nfrom another hook"),
    ("see @a.png\n--- Content from referenced files ---\n", "see @a.png"),
])  # fmt: skip
def test_the_files_of_a_prompt_are_no_words_of_the_user(prompt: str, said: str) -> None:
    assert without_files(prompt) == said


def test_a_failed_command_becomes_an_artifact_with_what_was_printed(work: Workspace) -> None:
    ran(work, "all fine")
    assert work.artifacts.list() == ()
    ran(work, "no rule to make target", "\nExit Code: 2")
    (stored,) = work.artifacts.list()
    assert (stored.exit_code, stored.lines) == (2, 1)
    assert "no rule to make target" in work.artifacts.get(stored.id).text


def test_a_long_output_is_stored_once(work: Workspace) -> None:
    output = "\n".join(f"line {number}" for number in range(400))
    ran(work, output)
    (stored,) = work.artifacts.list()
    assert stored.lines == 400


@pytest.mark.parametrize(("text", "output", "code"), [
    ("plain", "plain", None),
    ("Output: (empty)\nExit Code: 3\nProcess Group PGID: 7", "", 3),
    ("Output: a\nExit Code: 9\nb\nSignal: 15", "a\nExit Code: 9\nb", None),
    ("Output: a\nError: not started\nExit Code: 127\nBackground PIDs: 7, 8", "a\nError: not started", 127),
    ("<untrusted_context>\n&lt;/untrusted_context&gt;\n</untrusted_context>", "</untrusted_context>", None),
    ("Output: Exit Code: 1", "Exit Code: 1", None),
])  # fmt: skip
def test_what_a_tool_printed_is_read_out_of_what_the_model_is_told(text: str, output: str, code: int | None) -> None:
    assert shell_output(text) == (output, code)
