"""An output with a secret is not committed: the hook of git names its line and the way out, never the secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem.workspace import Workspace

from .conftest import Run

pytestmark = pytest.mark.slow

TOKEN = "ghp_" + "B4nWq8Zt2LrVx6Kc9Md1Hs7Yf3Jg5Pa0Ue2Q"  # looks like one, opens nothing
KEY = "sk-proj-" + "q7Wb4Xn2Lm6Vc8Rk3Jh5Gd1Fs0PaZt9y"
PEM = (
    "-----BEGIN PRIVATE KEY-----\n"
    + "".join(f"Hs{n}QmT7vLk{n}RbYw8Zc{n}JdNf3Gx{n}PaEu6Xi{n}MoKz4VtWq\n" for n in range(9))
    + "-----END PRIVATE KEY-----\n"
)
# an output, the line of the secret in it, and its words that nothing may quote
HELD = {
    "a token": (f"one\ntwo\nGH_TOKEN={TOKEN}\n", 3, TOKEN),
    "a password in a sentence": ("the database password is Plover!58-reed\n", 1, "Plover!58-reed"),
    "a login in an address": ("ok\npostgres://ida:Wm4kRt9xQz@db.example.org/app\n", 2, "Wm4kRt9xQz"),
    "a private key": (f"key:\n{PEM}", 2, "QmT7vLk4RbYw8Zc4JdNf3Gx4Pa"),
    "a coloured key": (f"\n\n\x1b[36mapi key\x1b[0m: {KEY[:14]}\x1b[1m{KEY[14:]}\x1b[0m\n", 3, KEY[14:]),
    "a key behind megabytes of lines": ("all is well here\n" * 140_000 + f"token {KEY}\n", 140_001, KEY),
}


def stored(folder: Path, output: str) -> tuple[str, int]:
    """Store an output; return its path, and the number of lines of the front matter."""
    kept = Workspace(folder).artifacts.put(output.encode(), tool="shell", input="env")
    text = (folder / kept.path).read_text("utf-8")
    return kept.path, text.count("\n") - output.count("\n")


@pytest.mark.parametrize("kind", HELD)
def test_the_hook_refuses_an_output_with_a_secret(mdmem: Run, git: Run, folder: Path, kind: str) -> None:
    output, line, secret = HELD[kind]
    mdmem("hook", "install")
    path, head = stored(folder, output)
    git("add", ".")
    refused = git("commit", "-m", "x")
    said = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert f"{path}:{head + line}:" in said
    assert "error MM508" in said
    assert "mdmem forget" in said
    assert secret not in said
    git("reset", "-q", "--", path)
    (folder / ".gitignore").write_text("artifacts/\n")
    git("add", ".")
    assert git("commit", "-m", "x").returncode == 0, "without the file it is made"


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["a token", "a password in a sentence", "a login in an address", "a coloured key"])
def test_what_is_masked_or_struck_is_committed(mdmem: Run, git: Run, folder: Path, kind: str) -> None:
    output, _, secret = HELD[kind]
    mdmem("hook", "install")
    work = Workspace(folder)
    masked = work.artifacts.put(output.encode(), tool="shell", captured=True)
    git("add", ".")
    assert git("commit", "-m", "masked").returncode == 0
    kept = work.artifacts.put(output.encode(), tool="shell")
    data = (folder / kept.path).read_bytes().replace(secret.encode(), b"[forgotten]")
    (folder / kept.path).write_bytes(data)
    git("add", ".")
    committed = git("commit", "-m", "struck")
    assert committed.returncode == 0, committed.stdout + committed.stderr
    assert masked.masked == 1


def test_a_file_that_somebody_else_wrote_is_searched(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "artifacts").mkdir()
    (folder / "artifacts" / "t0009.md").write_text(f"---\ntool_id: t0009\ntool_name: sh\n---\n\n{TOKEN}\n", "utf-8")
    git("add", ".")
    done = mdmem("lint", "--staged", "--json")
    (found,) = json.loads(done.stdout)["findings"]
    assert (done.returncode, found["line"], found["severity"], found["code"]) == (1, 6, "error", "MM508")
    assert TOKEN not in done.stdout


def test_in_the_folder_it_stays_a_warning_and_the_setting_allows_it(mdmem: Run, git: Run, folder: Path) -> None:
    path, head = stored(folder, HELD["a token"][0])
    git("add", ".")
    for _ in range(2):  # the second time from the cache
        (found,) = json.loads(mdmem("lint", "--json").stdout)["findings"]
        assert (found["path"], found["line"], found["severity"]) == (path, head + 3, "warning")
        (found,) = json.loads(mdmem("lint", "--staged", "--json").stdout)["findings"]
        assert found["severity"] == "error"
    (folder / "mdmem.toml").write_text('[lint]\nignore = ["MM508"]\n', "utf-8")
    assert mdmem("lint", "--staged").returncode == 0


def test_a_secret_that_a_commit_has_already_is_a_note_and_a_new_one_an_error(
    mdmem: Run, git: Run, folder: Path
) -> None:
    (folder / "artifacts").mkdir()
    file = folder / "artifacts" / "t0009.md"
    head = "---\ntool_id: t0009\ntool_name: sh\n---\n"
    file.write_text(f"{head}{TOKEN}\n", "utf-8")
    git("add", ".")
    git("commit", "-qm", "old")
    file.write_text(f"{head}{TOKEN}\nthe end\n", "utf-8")
    git("add", ".")
    assert mdmem("lint", "--staged").returncode == 0
    file.write_text(f"{head}token {KEY}\n{TOKEN}\n", "utf-8")
    git("add", ".")
    assert mdmem("lint", "--staged").returncode == 1


NAMES = ("artifacts/run.txt", "artifacts/2026-11/build.log", "artifacts/answer.json", "artifacts/output")


@pytest.mark.thorough
@pytest.mark.parametrize("path", NAMES)
def test_an_output_of_any_name_is_judged(mdmem: Run, git: Run, folder: Path, path: str) -> None:
    (folder / "mdmem.toml").write_text("")
    mdmem("hook", "install")
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"all is well\ntoken: {TOKEN}\n", "utf-8")
    git("add", ".")
    refused = git("commit", "-m", "x")
    assert refused.returncode != 0
    assert f"{path}:2:" in refused.stdout + refused.stderr
    assert TOKEN not in refused.stdout + refused.stderr
    masked = mdmem("artifact", "mask", path)
    assert "masked 1 secret" in masked.stdout
    assert "all is well\ntoken: [" in file.read_text("utf-8")
    git("add", ".")
    assert git("commit", "-m", "x").returncode == 0


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 9, b""])
def test_an_output_that_is_no_text_is_committed(mdmem: Run, git: Run, folder: Path, data: bytes) -> None:
    mdmem("hook", "install")
    (folder / "artifacts").mkdir()
    (folder / "artifacts/picture.png").write_bytes(data)
    git("add", ".")
    assert git("commit", "-m", "x").returncode == 0


def test_a_stored_output_is_masked_in_all_its_files_and_undone(mdmem: Run, folder: Path) -> None:
    work = Workspace(folder)
    kept = work.artifacts.put(
        f"one\nGH_TOKEN={TOKEN}\n".encode(), stderr=f"api key: {KEY}\n".encode(), tool="shell", input="env"
    )
    before = {path: path.read_bytes() for path in (folder / "artifacts").rglob("*.md")}
    planned = work.artifacts.mask(f"tool:{kept.id}", dry_run=True)
    assert planned.status == "planned"
    assert {path: path.read_bytes() for path in before} == before
    done = work.artifacts.mask(f"tool:{kept.id}")
    assert done.status == "done"
    assert "2" in done.message
    text = "".join(path.read_text("utf-8") for path in before)
    assert TOKEN not in text
    assert KEY not in text
    assert "GH_TOKEN=[" in work.artifacts.get(kept.id).text
    assert "altered" not in work.artifacts.get(kept.id).message
    assert mdmem("lint", "artifacts").returncode == 0
    assert work.artifacts.mask(kept.id).status == "unchanged"
    work.history.undo()
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    "name", ["tool:20260101-000000-aaaa", "artifacts/none.txt", "MEMORY.md", "artifacts/../MEMORY.md", "../x"]
)
def test_what_is_no_stored_output_is_not_masked(mdmem: Run, folder: Path, name: str) -> None:
    (folder / "MEMORY.md").write_text(f"# Memory\n\n- token {TOKEN}\n")
    done = mdmem("artifact", "mask", name)
    assert done.returncode not in (0, 1)
    assert TOKEN in (folder / "MEMORY.md").read_text("utf-8")
