"""Two users of one folder: what one says is neither shown to the other nor changed by what the other says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from harness import files_of

from mdmem.formats.paths import user_of

from .planted import old_session

ANN = "I am allergic to peanuts"


def said(mdmem: Run, user: str, *texts: str) -> None:
    """Record a conversation of a user, and end it."""
    turns = [one for text in texts for one in ({"role": "user", "text": text}, {"role": "assistant", "text": "Noted."})]
    lines = [json.dumps(one) for one in (*turns, {"end": "Noted.", "outcome": "success"})]
    words = ("--user", user) if user else ()
    mdmem("session", "record", "--task", texts[0], *words, given="\n".join(lines) + "\n")
    mdmem("extract", "--now", *words, code=1)  # the end has done it


def test_bobs_facts_do_not_supersede_anns(root: Path, mdmem: Run) -> None:
    said(mdmem, "ann", f"{ANN}. I live in Ghent.")
    said(mdmem, "bob", "I am allergic to cats. I live in Porto.")
    ann, bob = ("peanuts", "Ghent"), ("cats", "Porto")
    for user, own, other in (("ann", ann, bob), ("bob", bob, ann)):
        shown = mdmem("fact", "show", "user", "--user", user).stdout
        assert all(word in shown for word in own), shown
        assert not any(word in shown for word in other), shown
        pack = mdmem("context", "layered", "--user", user).stdout
        assert all(word in pack for word in own), pack
        assert not any(word in pack for word in other), pack
    assert sorted(path.name for path in (root / "users").iterdir()) == ["ann", "bob"]
    assert not (root / "sessions").exists()


def test_what_is_no_fact_of_a_user_is_shared(root: Path, mdmem: Run) -> None:
    mdmem("fact", "set", "riverlog", "database", "riverlog keeps its data in SQLite", "--user", "ann")
    mdmem("fact", "set", "user", "city", "lives in Ghent", "--user", "ann")
    mdmem("add", "MEMORY.md", "2026-02-01: the office moves in May")
    mdmem("add", "MEMORY.md", "2026-02-02: my wedding is in June", "--user", "ann")
    assert sorted(str(path.relative_to(root)) for path in root.glob("**/facts/*.md")) == [
        "facts/riverlog.md", "users/ann/facts/user.md",
    ]  # fmt: skip
    pack, found = (mdmem(*words, "--user", "bob").stdout for words in (("context",), ("search", "SQLite")))
    assert "office moves" in pack
    assert "wedding" not in pack
    assert "SQLite" in found
    anns = mdmem("context", "--user", "ann").stdout
    assert "office moves" in anns
    assert "wedding" in anns
    assert "wedding" not in mdmem("context").stdout
    assert "wedding" not in (root / "MEMORY.md").read_text("utf-8")


def test_forgetting_leaves_the_other_user_and_binds_only_who_forgets(root: Path, mdmem: Run) -> None:
    for user in ("ann", "bob"):
        said(mdmem, user, f"{ANN}. I live in Ghent.")
        mdmem("add", "memory", "2026-02-03: no peanuts at the party", "--user", user)
        mdmem("add", "memory", "2026-02-04: the party is over", "--user", user)
    before = files_of(root / "users/bob")
    told = mdmem("forget", "peanuts", "--yes", "--user", "ann").stdout
    assert "users/bob" not in told
    assert not any("peanuts" in path.read_text("utf-8") for path in (root / "users" / "ann").rglob("*.md"))
    assert files_of(root / "users/bob") == before
    assert "peanuts" in mdmem("search", "peanuts", "--user", "bob").stdout
    assert not (root / "archive" / "forgotten.md").exists()
    log = mdmem("log", "users/bob/MEMORY.md", "--json", "--user", "bob").stdout
    newest = json.loads(log)["transactions"][0]["id"]
    mdmem("undo", newest, "--user", "bob")  # the history keeps what the other has written
    assert "peanuts" in (root / "users/bob/MEMORY.md").read_text("utf-8")
    again = mdmem("add", "memory", "2026-02-05: peanuts again", "--user", "bob")
    assert "forgotten" not in again.stdout
    assert "forgotten" in mdmem("add", "memory", "2026-02-05: peanuts again", "--user", "ann").stdout


def test_forgetting_without_a_user_is_for_the_whole_folder(root: Path, mdmem: Run) -> None:
    said(mdmem, "ann", f"{ANN}.")
    mdmem("forget", "peanuts", "--yes")
    assert not any("peanuts" in path.read_text("utf-8") for path in root.rglob("*.md"))
    assert "forgotten" in mdmem("add", "memory", "2026-02-05: peanuts again", "--user", "ann").stdout


def test_a_night_runs_for_each_user_by_itself(root: Path, mdmem: Run) -> None:
    """One of them is only named by a session at the root, as an earlier version wrote it."""
    for user in ("ann", "bob", ""):
        for text in ("lives in Ghent", "lives in Ghent now"):
            mdmem("fact", "set", "user", "city", text, *(("--user", user) if user else ()), "--at", "2026-02-01")
    old_session(root, "cleo", "I live in Oslo.")
    mdmem("night", "--now", "--only", "extract")
    assert "Oslo" in mdmem("fact", "show", "user", "--user", "cleo").stdout
    assert len(list((root / "users/cleo/facts").glob("*.md"))) == 1
    for user in ("ann", "bob", ""):
        shown = mdmem("fact", "show", "user", *(("--user", user) if user else ())).stdout
        assert "Oslo" not in shown
    log = json.loads(mdmem("log", "--json").stdout)["transactions"]
    for change in log:
        users = {user_of(file["path"]) for file in change["files"] if "sessions/" not in file["path"]}
        assert len(users) <= 1, change


def test_a_session_at_the_root_is_of_the_user_that_it_names(root: Path, mdmem: Run) -> None:
    old_session(root, "ann", f"{ANN}.", ended=False)
    assert "peanuts" in mdmem("session", "show", "20260101", "--user", "ann").stdout
    mdmem("session", "turn", "20260101", "assistant", "Noted.", "--user", "ann")
    mdmem("session", "end", "20260101", "--user", "ann")
    assert "peanuts" in mdmem("fact", "show", "user", "--user", "ann").stdout
    for words in (("--user", "bob"), ()):
        mdmem("session", "show", "20260101", *words, code=12)
        mdmem("search", "peanuts", *words, code=1)


@pytest.mark.parametrize("name", ["../x", "a/b", ".", "..", "a b", "con", "x:y", "-" * 300, "a\u200bb"])
def test_a_name_that_is_no_folder_is_refused(mdmem: Run, root: Path, name: str) -> None:
    mdmem("fact", "list", "--user", name, code=2)
    assert not (root / "users").exists()


def test_names_that_a_file_system_may_mix_are_refused(mdmem: Run) -> None:
    mdmem("fact", "set", "user", "city", "lives in Ghent", "--user", "Ann")
    done = mdmem("fact", "show", "user", "--user", "ann", code=12)
    assert "Ann" in done.stderr
    mdmem("fact", "set", "用户", "城市", "住在杭州", "--user", "念念")
    assert "杭州" in mdmem("fact", "show", "用户", "--user", "念念").stdout


def test_a_connection_is_entered_with_its_user(root: Path, mdmem: Run) -> None:
    mdmem("connect", "claude", "--project", str(root), "--user", "ann")
    for name in (".mcp.json", ".claude/settings.json"):
        entered = (root / name).read_text("utf-8")
        assert entered.count("--user") >= 1
        assert "ann" in entered
    mdmem("connect", "claude", "--project", str(root), "--user", "ann", "--remove")
    left = [path.read_text("utf-8") for path in (root / ".mcp.json", root / ".claude/settings.json") if path.exists()]
    assert not any("ann" in text for text in left)


def test_what_a_user_cites_is_looked_for_in_the_files_of_that_user(root: Path, mdmem: Run) -> None:
    done = mdmem("artifact", "put", "--tool", "pytest", "--json", "--user", "ann", given="1 failed\n")
    source = f"tool:{json.loads(done.stdout)['id']}"
    mdmem("fact", "set", "user", "tests", "one of my tests fails", "--source", source, "--user", "ann")
    mdmem("lint", "users", "--select", "MM315")
    assert "1 failed" in mdmem("artifact", "get", source, "--user", "ann").stdout
    mdmem("artifact", "get", source, "--user", "bob", code=12)
    mdmem("artifact", "get", source, code=12)


def test_what_is_imported_for_a_user_is_that_users(root: Path, mdmem: Run, tmp_path: Path) -> None:
    """The same conversation may be imported for each of them."""
    (tmp_path / "said").mkdir()
    line = {"sessionId": "s1", "uuid": "u1", "timestamp": "2026-02-01T10:00:00Z", "cwd": "/x", "type": "user"}
    said = json.dumps({**line, "message": {"role": "user", "content": f"{ANN}."}})
    (tmp_path / "said" / "s1.jsonl").write_text(f"{said}\n", "utf-8")
    for user in ("ann", "bob"):
        mdmem("import", str(tmp_path / "said"), "--from", "claude-code", "--user", user)
        assert len(list((root / "users" / user / "sessions").iterdir())) == 1
    mdmem("import", str(tmp_path / "said"), "--from", "claude-code", "--user", "bob")
    assert not (root / "sessions").exists()


def test_a_folder_of_a_user_whose_name_is_none_stops_nothing(root: Path, mdmem: Run) -> None:
    for name in ("Ann", "ann", "a b"):
        (root / "users" / name).mkdir(parents=True)
    old_session(root, "Ann Lee", "I live in Oslo.")
    mdmem("status")
    mdmem("night", "--now", "--only", "extract")
    assert "Oslo" in mdmem("fact", "show", "user").stdout
