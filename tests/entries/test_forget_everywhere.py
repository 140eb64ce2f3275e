"""A text that went everywhere in a busy day is nowhere after `forget`: not in memory, state, cache or agents' files."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Make
from harness import hook
from search.vectors.fake import Fake

from mdmem.keeper.backlog.queue import record_failure
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow
CASES = [
    ("en", "Zebulonquux", "I live in Zebulonquux and my cat is ill.", "I moved from Zebulonquux to Delft.",
     "What about Zebulonquux?"),
    ("zh", "栖霞公寓", "我住在栖霞公寓。", "我从栖霞公寓搬到了嘉兴。", "栖霞公寓怎么样？"),
]  # fmt: skip
PLACES = (
    "mdmem/lint-", "project/AGENTS.md", "workspace/.mdmem/agents/sessions/", "history/log", "history/objects/",
    "history/displaced/", "index.db", "mirrors/", "queue.json", "MEMORY.md", "NOTEBOOK.md", "PINS.md", "SCRATCHPAD.md",
    "artifacts/", "archive/nights/", "compiled/", "facts/", "inbox.md", "workspace/sessions/",
)  # fmt: skip


def holding(folder: Path, word: str) -> Iterator[str]:
    """Name each file below a folder that holds the word, also in JSON's escapes or compressed, or is called by it."""
    forms = {one.encode(code) for one in (word, word.casefold()) for code in ("utf-8", "utf-16-le", "utf-16-be")}
    forms.add(ascii(word)[1:-1].encode())
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        with suppress(zlib.error):
            data += zlib.decompress(data)
        if any(form in data for form in forms) or word.casefold() in path.name.casefold():
            yield path.relative_to(folder).as_posix()


def busy_day(workspace: Workspace, word: str, first: str, then: str, asked: str, outside: Path) -> None:
    """Bring the word to every place where mdmem keeps anything."""
    workspace.init()
    hook(workspace, "UserPromptSubmit", prompt=first)
    hook(workspace, "Stop", last_assistant_message=f"{word}, I see")
    hook(workspace, "PostToolUse", tool_name="Bash", tool_input={"command": f"cat {word}"},
         tool_response={"stdout": f"{word}\n" * 2000})  # fmt: skip
    hook(workspace, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "ls"}, error=f"no {word}")
    workspace.artifacts.put(f"{word} {word}".encode(), tool="shell", input=f"grep {word}", exit_code=1)
    for text in (first, then, asked):
        with workspace.sessions.start(text) as session:
            session.turn("user", text)
            session.turn("assistant", f"{word}: ok")
    given = {"path": "MEMORY.md", "content": f"2026-02-13: the door of {word} is green"}
    workspace.call("memory_add", given, actor="mcp:x")
    workspace.call("memory_search", {"query": word}, actor="mcp:x")
    soul = Path(workspace.root, "SOUL.md").read_text("utf-8")
    workspace.write("SOUL.md", f"{soul}\n- never paint {word} red\n")
    workspace.write("SOUL.md", f"{soul}\n- never paint {word} red\n- be kind to {word}\n", actor="ada")
    workspace.facts.set("user", "address", f"lives in {word}")
    workspace.facts.set("user", "address", "lives in Delft")
    workspace.facts.set(word, "colour", "is green")
    workspace.remember(f"{word} closes at six")
    workspace.pins.add("constraint", word, f"never call {word} after ten", "file:MEMORY.md")
    workspace.edit("MEMORY.md", "green", "blue", reason=f"{word} was painted")
    workspace.identity.compile()
    workspace.instructions.connect("codex", str(outside))
    record_failure(workspace.config, "FASTMEMO.md", f"says {word}", dt.datetime.now().astimezone())
    for folder, text in (
        ("SCRATCHPAD.md", "# Scratchpad\n\n## Now\n\n- "),
        ("archive/nights/2026-02-12.md", "# Night\n\n- "),
    ):
        Path(workspace.root, folder).parent.mkdir(parents=True, exist_ok=True)
        Path(workspace.root, folder).write_text(f"{text}paint {word}\n", "utf-8")
    workspace.scratchpad.update()
    workspace.night(now=True)
    workspace.index.rebuild()
    for _ in range(2):
        workspace.search(asked)
        workspace.recall(asked)
        workspace.pack()
        workspace.lint()


@pytest.mark.parametrize(("lang", "word", "first", "then", "asked"), CASES)
def test_nothing_that_mdmem_keeps_holds_it(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str, word: str, first: str, then: str, asked: str
) -> None:
    monkeypatch.setattr("mdmem.search.vectors.service._embedder", lambda *_: Fake())
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    make(lang, settings='[vectors]\nbackend = "local"\n[notebook]\nruns = true\n')
    Workspace(tmp_path / "workspace").trust()  # or the backend is ignored
    workspace, outside = Workspace(tmp_path / "workspace"), tmp_path / "project" / "AGENTS.md"
    outside.parent.mkdir()
    busy_day(workspace, word, first, then, asked, outside)
    before = "\n".join(holding(tmp_path, word))
    for one in PLACES:
        assert one in before
    assert Path(workspace.root, ".mdmem/vectors.db").exists()
    done = workspace.forget(word)
    assert (done.status, done.elsewhere, done.unread) == ("done", (), ())
    assert list(holding(tmp_path, word)) == []
    for use in (workspace.search, workspace.recall):
        use(asked)
    workspace.night(now=True)
    workspace.identity.compile()
    assert list(holding(tmp_path, word)) == []
    assert workspace.forget(word).status == "unchanged"
