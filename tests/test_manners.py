"""What a newcomer meets first: files of foreign templates, an init that explains itself, text that is not lost."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import ConfigError, RefusedError
from mdmem.workspace import Workspace

_TEMPLATE = """---
mdmem:
  kind: {kind}
  files: [{name}]
  create: on-init
{more}---
# X

<!-- What belongs here -->

## One
"""


def foreign(name: str, kind: str = "foreign", more: str = "") -> dict[str, str]:
    return {"templates/x.md": _TEMPLATE.format(name=json.dumps(name), kind=kind, more=more)}


@pytest.mark.parametrize(
    "name",
    ["../out.md", "/tmp/out.md", "a/../../out.md", ".git/hooks/pre-commit", ".git/x.md", "~/x.md", "C:/x.md",
     "a\\..\\..\\x.md", ".mdmem/x.md", "Makefile", "run.sh", "mdmem.toml", "templates/x.md", "", "x\0.md"],
)  # fmt: skip
def test_a_template_may_not_name_a_file_outside_or_of_another_tool(make: Make, name: str, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if "workspace" not in path.parts and "cache" not in path.parts}
    work = make("en", foreign(name))
    with pytest.raises(ConfigError) as refused:
        work.init()
    assert (refused.value.path, refused.value.line) in {("templates/x.md", 4), ("templates/x.md", 1)}
    after = {path for path in tmp_path.rglob("*") if "workspace" not in path.parts and "cache" not in path.parts}
    assert after == before


def test_init_does_not_follow_a_link_out_of_the_folder(make: Make, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    work = make("en", foreign("notes/x.md"))
    os.symlink(tmp_path / "outside", tmp_path / "workspace" / "notes")
    with pytest.raises(Exception, match=r"notes"):
        work.init()
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_init_says_what_belongs_in_each_file(lang: str, tmp_path: Path) -> None:
    made = Workspace(tmp_path / "new", lang=lang).init()
    assert "MEMORY.md" in made.later
    assert "USER.md" in made.written
    assert all(made.purposes[name] for name in (*made.written, *made.later))
    assert Workspace(tmp_path / "new", lang=lang).history.log()[0].reason == "init"
    assert set(Workspace(tmp_path / "new", lang=lang).init().kept) == set(made.written)


def test_two_markers_before_a_text_are_one_entry_in_a_pack(make: Make) -> None:
    work = make("en", {"FASTMEMO.md": "# Surface memory\n\n## User\n\n- - likes tea\n- * * owns a kayak\n- -\n"})
    packed = work.pack("default").text
    assert "- likes tea" in packed
    assert "- owns a kayak" in packed
    assert "- - likes" not in packed


def test_a_description_that_is_not_valid_yaml_is_searched(make: Make) -> None:
    text = "---\ntitle: Boats\ndescription: kayak: the green one\n---\n# Notes\n\n- 2026-02-13: sun\n"
    work = make("en", {"notes.md": text, "crlf.md": text.replace("\n", "\r\n").replace("kayak", "canoe")})
    assert [hit.path for hit in work.search("kayak")] == ["notes.md"]
    assert [hit.path for hit in work.search("canoe")] == ["crlf.md"]
    assert "MM109" in {one.code for one in work.lint().diagnostics}


def test_dangerous_front_matter_is_not_read_line_by_line(make: Make) -> None:
    work = make("en", {"notes.md": "---\na: &x 1\ndescription: *x\ntitle: kayak\n---\n# N\n\n- sun\n"})
    assert not work.search("kayak")


def test_a_lazy_session_is_created_by_its_first_turn(make: Make, tmp_path: Path) -> None:
    work = make("en")
    session = work.sessions.start("Find the gaps", lazy=True)
    with pytest.raises(Exception, match="role"):
        session.turn("nobody", "hello")
    assert not (tmp_path / "workspace" / "sessions").exists()
    done = session.turn("user", "hello")
    assert done.path == session.path
    assert (tmp_path / "workspace" / done.path).is_file()
    session.end("done")
    assert work.sessions.list()[0].outcome == "unknown"


def test_a_foreign_template_does_not_loosen_the_safety_rules(make: Make) -> None:
    raw = foreign("MEMORY.md", "memory", "  body: raw\n")
    memory = "# X\n\n## One\n\n- 2026-02-13: the router password is Kz8-river-77\n"
    for files in (raw, foreign("MEMORY.md", "artifact", "  body: raw\n"), foreign("MEMORY.md", "session")):
        work = make("en", {**files, "MEMORY.md": memory})
        work.trust()
        assert "MM502" in {one.code for one in work.lint(["MEMORY.md"]).diagnostics}
        with pytest.raises(RefusedError):
            work.add("MEMORY.md", ["2026-02-14: the router password is Kz8-river-78"], section="One")


@pytest.mark.parametrize("kind", ["soul", "notes"])
def test_a_foreign_template_needs_trust_to_write_without_the_users_word(kind: str, make: Make) -> None:
    work = make("en", foreign("SOUL.md", kind))
    assert work.add("SOUL.md", ["be kind"], section="One", actor="agent").status == "waiting"
    assert "templates/x.md" in work.trust().tables["templates"]
    trusting = Workspace(work.root)
    assert trusting.add("SOUL.md", ["be patient"], section="One", actor="agent").status == "done"
    trusting.trust(revoke=True)
    assert Workspace(work.root).add("SOUL.md", ["be calm"], section="One", actor="agent").status == "waiting"


def test_a_memory_under_the_same_name_in_other_letters_is_told(make: Make) -> None:
    text = "# \N{BRAIN} Memory\n\n## Notes\n\n- 2026-02-13: sun\n"
    work = make("en", {"MEMORY.md": text, "memory.md": text.replace("sun", "rain"), "notes.md": "# N\n\n- sun\n"})
    found = [one for one in work.lint().diagnostics if one.code == "MM121"]
    assert [one.path for one in found] == ["memory.md"]
    assert "mdmem mv memory.md" in found[0].hint
    assert not make("en", {"notes.md": "# N\n"}).lint(["notes.md"]).diagnostics


@pytest.mark.parametrize("text", ["", "\n", "\ufeff \r\n"])
def test_an_empty_memory_file_is_told(make: Make, text: str) -> None:
    work = make("en", {"MEMORY.md": text, "notes.md": ""})
    found = [one for one in work.lint().diagnostics if one.code == "MM123"]
    assert [one.path for one in found] == ["MEMORY.md"]


def test_sessions_of_sub_projects_are_listed_and_shown(make: Make) -> None:
    session = "---\nagent: main\ntask: Mend the gate\nstarted: 2026-02-1{day} 10:00\n---\n# Session\n"
    work = make("en", {
        "app/.sessions/20260213_100000_gate.md": session.format(day=3),
        "app/web/sessions/20260214_100000_door.md": session.format(day=4),
        ".sessions/20260212_100000_roof.md": session.format(day=2),
        "node_modules/x/.sessions/20260215_100000_no.md": session.format(day=5),
    })  # fmt: skip
    assert [one.id for one in work.sessions.list()] == [
        "20260214_100000_door",
        "20260213_100000_gate",
        "20260212_100000_roof",
    ]
    assert work.sessions.show("20260213_100000_gate").task == "Mend the gate"


@pytest.mark.slow
def test_the_summary_of_an_artifact_shows_no_part_of_a_key(make: Make) -> None:
    work = make("en")
    for kind in (
        ["-t", "ed25519"],
        ["-t", "rsa", "-b", "2048"],
        ["-t", "ecdsa"],
        ["-t", "rsa", "-b", "2048", "-m", "PEM"],
    ):
        place = Path(work.root) / "key"
        subprocess.run(["ssh-keygen", "-q", "-N", "", *kind, "-f", str(place)], check=True)
        key = place.read_text()
        for path in (place, place.with_suffix(".pub")):
            path.unlink()
        body = [line for line in key.splitlines() if "-----" not in line]
        ways = (
            key,
            "> " + key.replace("\n", "\n> "),
            f"<pre>{key}</pre>",
            key.replace("\n", "\r\n"),
            json.dumps({"key": key}),
        )
        for said in ways:
            kept = work.artifacts.put(f"reading\n{said}\ndone\n".encode(), tool="shell", input="cat key", exit_code=0)
            shown = "\n".join(kept.summary) + (Path(work.root) / kept.path).read_text().partition("\n---\n")[0]
            assert not [line for line in body if line[:24] in shown or line[-24:] in shown], (kind, said[:10])
