"""An agent's ordinary calls: few are refused, and what a refusal advises is right at the next call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mdmem.messages.catalog import table
from mdmem.text.document import parse
from mdmem.tools.commands import for_agent
from mdmem.tools.model import ToolReply
from mdmem.workspace import Workspace

LOG = "".join(f"tests/test_routes.py::test_case_{at} PASSED [{at}%]\n" for at in range(40)) + "40 passed in 3.2s\n"
FILES = {
    "mdmem.toml": 'lang = "en"\n',
    "MEMORY.md": (
        "# Memory\n\n## Important events\n\n- 2026-02-10: Mara started at the bakery\n\n"
        "## To-dos and promises\n\n- 2026-02-11: book the dentist for Mara\n- 2026-02-12: renew the parking permit\n\n"
        "## Notes\n\n- 2026-02-09: the spare key is with the neighbour\n"
    ),
    "USER.md": "# User\n\n## Profile\n\n- Mara, lives in Ghent\n",
}

# What an agent that has read the tools' names and keys sends in a week of work, without a look at any limit.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_search", {"query": "dentist", "limit": "3"}),
    ("memory_read", {"path": "memory"}),
    ("memory_read", {"path": "user"}),
    ("memory_add", {"path": "memory", "content": "2026-02-13: Mara moves house in April"}),
    ("memory_add", {"path": "MEMORY.md", "section": "notes", "content": "- The landlord is called Pieter\n"}),
    ("memory_add", {"path": "memory", "section": "todo", "content": "call the electricity company before Friday"}),
    ("memory_add", {"path": "user", "content": "prefers short answers", "fields": {"confidence": 0.9}}),
    ("memory_add", {"path": "fastmemo", "section": "user", "content": "Mara works early shifts"}),
    ("memory_add", {"path": "daily", "content": "Talked about the move"}),
    ("memory_add", {"path": "memory", "section": "notes", "content": LOG}),
    ("memory_tick", {"entry": "dentist"}),
    ("memory_tick", {"path": "memory", "entry": "parking permit", "done": "true"}),
    ("memory_replace", {"path": "memory", "entry": "spare key", "content": "2026-02-14: the spare key is in the shed"}),
    ("memory_remove", {"path": "memory", "entries": "parking permit"}),
    ("memory_undo", {}),
    ("edit", {"path": "MEMORY.md", "oldText": "Pieter", "newText": "Pieter Maes"}),
    ("memory_edit", {"path": "fastmemo", "section": "environment", "content": "Linux laptop\nfish shell\n"}),
    ("artifact_put", {"tool": "shell", "input": "pytest -q", "output": LOG, "exit_code": "0"}),
    ("memory_search", {"query": "Pieter", "limit": 5, "since": None}),
    ("grep", {"path": "memory", "pattern": "Mara", "limit": "10", "regex": "false"}),
    ("file_snippet", {"path": "MEMORY.md", "start": "1", "len": "5"}),
    ("pin_add", {"type": "Constraint", "title": "Move", "summary": "no trips in April", "source": "file:MEMORY.md#L5"}),
    ("pin_list", {}),
    ("plan", {"action": "add", "text": "compare three removal firms"}),
    ("plan", {"action": "add", "text": "ask Pieter about the deposit"}),
    ("plan", {"action": "next"}),
    ("plan", {"action": "done", "step": 1}),
    ("write", {"path": "world_state.md", "content": "# World\n\n- The office is closed on Mondays\n"}),
    ("view", {"path": "/memories", "view_range": None}),
    ("memory_check", {}),
    ("delete", {"path": "/memories/world_state.md"}),
]


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """An English workspace in use."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    work = Workspace(tmp_path, cache=False)
    work.init()
    return work


def mended(tool: str, arguments: dict[str, Any], reply: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Do what a refusal's hint says, read as a model reads it."""
    hint, named = reply["hint"], re.findall(r"`(\w+)`", reply["hint"])
    if "confirm" in named:
        return tool, {**arguments, "confirm": number(reply)}
    if "artifact_put" in named:
        return "artifact_put", {"tool": "shell", "output": arguments["content"]}
    if reply.get("candidates") and "section" in hint:
        return tool, {**arguments, "section": reply["candidates"][0]}
    pytest.fail(f"the hint helps nobody: {tool} {reply}")


def test_natural_calls_are_refused_twice_at_most(work: Workspace) -> None:
    assert len(CALLS) >= 30
    refused = []
    for tool, arguments in CALLS:
        reply = work.call(tool, arguments)
        assert not spoken_verbs(reply), reply
        if reply["status"] == "error":
            again, more = mended(tool, arguments, reply)
            second = work.call(again, more)
            assert second["status"] != "error", (again, more, second)
            refused.append((tool, arguments, reply))
    assert len(refused) <= 2, refused


def test_an_addition_needs_no_section(work: Workspace) -> None:
    replies = [work.call(*call) for call in CALLS if call[0] == "memory_add" and "section" not in call[1]]
    assert [reply["status"] for reply in replies] == ["done"] * len(replies), replies


VERBS = "add|rm|edit|tick|write|mv|undo|log|diff|forget|inbox|pin|plan|artifact|session|lint|search|show|status|doctor"
VERB = re.compile(rf"mdmem (?:{VERBS}|recover|trust|compact|index|watch|context|why|replace|init|explain|config)\b")


def spoken_verbs(reply: dict[str, Any]) -> list[str]:
    """Return the commands that the sentences of a reply name; an agent has tools."""
    said = [reply["message"], reply["hint"], *(one["message"] + one["hint"] for one in reply["findings"])]
    return [text for text in said if VERB.search(text) or "--yes" in text]


def sentences() -> Iterator[str]:
    """Return every sentence that is said about memories, in both languages."""
    for lang in ("zh", "en"):
        for name in ("pen", "artifact", "pin", "tool", "plan", "rules"):
            yield from table(lang, name).values()


def test_no_sentence_names_a_verb_to_an_agent() -> None:
    told = [text for text in sentences() if "`" in text or "mdmem " in text]
    assert len(told) > 20
    for text in told:
        for lang in ("zh", "en"):
            reply = for_agent(ToolReply("error", text, text), lang)
            assert not VERB.search(reply.message + reply.hint), text
            assert "--yes" not in reply.hint


def test_a_command_is_the_tool_that_does_it_or_the_users(work: Workspace) -> None:
    told = {
        "`mdmem undo` restores it": "`memory_undo` restores it",
        "`mdmem rm FILE ID` takes it out": "`memory_remove` takes it out",
        "`mdmem inbox accept KEY`": "the user's command `inbox accept`",
        "`mdmem artifact get t1 --raw`": "the user's command `artifact get`",
        "plain `code` stays": "plain `code` stays",
    }
    for text, expected in told.items():
        assert for_agent(ToolReply("done", text), "en").message == expected
    work.call("write", {"path": "notes.md", "content": "run `mdmem undo` then `mdmem rm X`\n"})
    assert work.call("read", {"path": "notes.md"})["text"] == "run `mdmem undo` then `mdmem rm X`\n"


MANY = [f"2026-01-{day:02}: fact number {word}" for day, word in enumerate(("one", "two", "red", "tall", "wet"), 1)]


def test_several_entries_are_not_replaced_by_one_without_a_word(work: Workspace) -> None:
    work.add("MEMORY.md", MANY, section="Notes")
    before = Path(work.root, "MEMORY.md").read_bytes()
    asked = work.call("memory_edit", {"path": "memory", "section": "Notes", "content": "2026-02-15: a summary"})
    assert (asked["code"], "`confirm`" in asked["hint"], "`memory_replace`" in asked["hint"]) == ("confirm", True, True)
    assert "6 of the 6" in asked["message"]
    assert Path(work.root, "MEMORY.md").read_bytes() == before
    again = {"path": "memory", "section": "Notes", "content": "2026-02-15: a summary", "confirm": str(number(asked))}
    assert work.call("memory_edit", again)["status"] == "done"
    archived = "".join(path.read_text("utf-8") for path in Path(work.root, "archive").glob("*.md"))
    assert all(text.partition(": ")[2] in archived for text in MANY)


REWRITES = [
    (2, ["2026-02-15: something else"], True),  # both of two
    (1, ["2026-02-15: something else"], False),  # one for one
    (5, [*MANY[:3], "2026-02-15: something else"], False),  # two of five
    (5, [MANY[0], "2026-02-15: something else"], True),
    (5, [f"{text}." for text in MANY], False),  # all are still said
    (5, ["; ".join(MANY)], False),  # joined whole
    (3, [*MANY[:1], "2026-02-15: else"], True),  # two of three: more than half
]


@pytest.mark.parametrize(("there", "new", "asks"), REWRITES)
def test_what_is_asked_about_is_what_goes(tmp_path: Path, there: int, new: list[str], asks: bool) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    work = Workspace(tmp_path, cache=False)
    work.add("MEMORY.md", MANY[:there], section="Notes")
    reply = work.call("memory_edit", {"path": "memory", "section": "Notes", "content": "\n".join(new)})
    assert (reply.get("code") == "confirm") is asks, reply


def test_what_a_write_asks_a_tool_can_answer(work: Workspace) -> None:
    work.add("MEMORY.md", MANY, section="Notes")
    less = {"path": "MEMORY.md", "content": "# Memory\n\n## Notes\n\n- 2026-02-15: only this\n"}
    asked = work.call("write", less)
    assert asked["code"] == "confirm"
    assert work.call("write", {**less, "confirm": number(asked)})["status"] == "done"


def number(reply: dict[str, Any]) -> int:
    """Return the number that a reply asks to be repeated."""
    found = re.search(r"`confirm`: (\d+)", reply["hint"])
    assert found, reply
    return int(found[1])


ASKED: list[tuple[str, dict[str, Any]]] = [
    ("write", {"path": "MEMORY.md", "content": "# Memory\n\n## Notes\n\n- 2026-02-15: only this\n"}),
    ("memory_edit", {"path": "memory", "section": "Notes", "content": "2026-02-15: a summary"}),
    ("memory_forget", {"text": "spare key"}),
]


@pytest.mark.parametrize(("tool", "arguments"), ASKED, ids=[tool for tool, _ in ASKED])
def test_only_the_number_of_the_plan_that_was_shown_confirms(
    work: Workspace, tool: str, arguments: dict[str, Any]
) -> None:
    work.add("MEMORY.md", MANY, section="Notes")
    before = Path(work.root, "MEMORY.md").read_bytes()
    for guess in (True, 1, 123456, "yes"):
        refused = work.call(tool, {**arguments, "confirm": guess})
        assert refused["status"] in ("error", "planned"), refused
        assert "number" in refused["hint"] or "`confirm`: " in refused["hint"]
    planned = work.call(tool, arguments)
    assert Path(work.root, "MEMORY.md").read_bytes() == before
    work.add("MEMORY.md", ["2026-02-20: the spare key is back"], section="Notes")
    stale = work.call(tool, {**arguments, "confirm": number(planned)})
    assert stale["status"] in ("error", "planned"), "more would go than was shown"
    assert work.call(tool, {**arguments, "confirm": number(stale)})["status"] == "done"


def entries(work: Workspace, path: str = "MEMORY.md") -> list[str]:
    """Return the texts of a file's entries."""
    return [entry.text for entry in parse(Path(work.root, path).read_bytes()).entries]


def test_one_memory_is_changed_by_key_or_text_wherever_it_stands(work: Workspace) -> None:
    assert (
        work.call("memory_replace", {"entry": "lives in Ghent", "content": "Mara, lives in Bruges"})["path"]
        == "USER.md"
    )
    (key,) = [item.key for part in work.show("MEMORY.md").sections for item in part.entries if "permit" in item.text]
    assert work.call("memory_tick", {"entry": key, "path": "memory"})["status"] == "done"
    assert "✅ 2026-02-12: renew the parking permit" in entries(work)
    assert work.call("memory_remove", {"entries": ["dentist", "spare key"]})["status"] == "done"
    assert len(entries(work)) == 2
    two = work.call("memory_remove", {"entries": ["bakery", "Bruges"]})
    assert (two["code"], "MEMORY.md, USER.md" in two["message"]) == ("usage", True)
    assert work.call("memory_remove", {"entries": ["nothing like it"]})["code"] == "target"
    archived = work.call("memory_remove", {"entries": ["dentist"]})
    assert archived["code"] == "target", "what is in the archive is no memory to remove"


def test_an_agent_takes_back_its_own_change(work: Workspace) -> None:
    mine = work.call("memory_add", {"path": "memory", "section": "notes", "content": "2026-02-15: a slip"})
    work.add("USER.md", ["rides a bike"], section="Profile")
    assert work.call("memory_undo", {})["status"] == "done"
    assert "2026-02-15: a slip" not in entries(work)
    assert "rides a bike" in entries(work, "USER.md")
    assert work.call("memory_undo", {})["code"] == "target", "nothing of its own is left"
    again = work.call("memory_undo", {"id": mine["transaction"]})
    assert again["status"] in ("done", "unchanged")
    unknown = work.call("memory_undo", {"id": "20260101"})
    assert unknown["code"] == "target"
    assert unknown["candidates"]


@pytest.mark.slow
def test_forgetting_tells_the_places_first_and_is_never_broad(work: Workspace) -> None:
    before = Path(work.root, "MEMORY.md").read_bytes()
    planned = work.call("memory_forget", {"text": "spare key"})
    assert (planned["status"], planned["text"]) == (
        "planned",
        "MEMORY.md:14 entry - 2026-02-09: the spare key is with the neighbour",
    )
    assert Path(work.root, "MEMORY.md").read_bytes() == before
    done = work.call("memory_forget", {"text": "spare key", "confirm": number(planned)})
    assert (done["status"], "transaction" in done) == ("done", True)
    assert b"spare key" not in Path(work.root, "MEMORY.md").read_bytes()
    work.write("SOUL.md", "# Soul\n\nI am patient and kind.\n", confirm=True)
    assert work.call("memory_forget", {"text": "patient and kind", "confirm": 1})["code"] == "refused", "the user's"
    broad = work.call("memory_forget", {"text": "2026", "confirm": 1})
    assert broad["code"] == "refused", broad
    for short in ("7", "12", "a", "of"):
        assert work.call("memory_forget", {"text": short, "confirm": 1})["code"] in ("usage", "refused")
    soul = Path(work.root, "SOUL.md")
    soul.write_text("# Soul\n\n## Role\n\n- patient and plain-spoken\n", "utf-8")
    assert work.call("memory_forget", {"text": "plain-spoken", "confirm": 1})["code"] == "refused"
    assert work.call("memory_forget", {"text": "never written anywhere"})["status"] == "unchanged"


PROSE = "# World\n\nThe lab is on the third floor.\n\n## Network\n\n- printer at 10.0.0.8\n  - tray 2 jams\n\n> ask Bo"


def test_a_deleted_file_is_in_the_archive(work: Workspace) -> None:
    Path(work.root, "world_state.md").write_text(PROSE, "utf-8")
    assert work.call("delete", {"path": "/memories/world_state.md"})["code"] == "confirm"
    reply = work.call("delete", {"path": "/memories/world_state.md"})
    assert reply["message"] == "Successfully deleted /memories/world_state.md"
    (archive,) = Path(work.root, "archive").glob("*.md")
    assert f"archive/{archive.name}" in reply["hint"]
    kept = archive.read_text("utf-8")
    for text in ("The lab is on the third floor.", "printer at 10.0.0.8", "tray 2 jams", "ask Bo"):
        assert text in kept
    assert "[from:: world_state.md#Network]" in kept
    assert "[why:: deleted]" in kept
    gone = work.call("delete", {"path": f"/memories/archive/{archive.name}"})
    assert gone["code"] == "refused"
    assert work.call("memory_undo", {})["status"] == "done"
    assert Path(work.root, "world_state.md").read_text("utf-8") == PROSE


def test_a_form_that_nobody_filled_in_leaves_nothing(work: Workspace) -> None:
    reply = work.call("delete", {"path": "/memories/FASTMEMO.md"})
    assert reply["status"] == "done"
    assert not list(Path(work.root).glob("archive/*.md"))


def test_a_run_whose_note_failed_says_so(work: Workspace) -> None:
    notebook = Path(work.root, "NOTEBOOK.md")
    notebook.unlink(missing_ok=True)
    notebook.mkdir()
    kept = work.artifacts.put(b"12 passed\n", tool="pytest")
    assert "notebook" in kept.warning
    assert Path(work.root, kept.path).exists()
    reply = work.call("artifact_put", {"tool": "pytest", "output": "12 passed\n"})
    assert reply["status"] == "done"
    assert "notebook" in reply["hint"]
    notebook.rmdir()
    assert work.artifacts.put(b"12 passed\n", tool="pytest").warning == ""
