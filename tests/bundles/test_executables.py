"""Scripts keep the mark that makes them executable, and a zip may have one more folder around its skills."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from conftest import Make

from bundles.conftest import SKILLS, manifest_of, write_folder, write_zip
from mdmem.bundles.bundle_source import describe_files
from mdmem.errors import RefusedError
from mdmem.workspace import Workspace

SCRIPT = "review/scripts/check.sh"
INSTALLED = "knowledge/riverlog/"
unix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such mark")


def runs(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def packed(path: Path, files: Mapping[str, bytes], executable: Collection[str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (0o104755 if name in executable else 0o100644) << 16
            made.writestr(info, data)
    return path


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


@unix
@pytest.mark.parametrize("form", ["zip", "folder", "manifest"])
def test_the_mark_goes_in_and_out(work: Workspace, tmp_path: Path, form: str) -> None:
    root = Path(work.root)
    if form == "zip":
        place = packed(tmp_path / "skills.zip", SKILLS, [SCRIPT])
    else:
        place = write_folder(tmp_path / "skills", SKILLS)
        (place / SCRIPT).chmod(0o755)
    if form == "manifest":
        work.bundles.install(place, "first")
        work.bundles.make(tmp_path / "made.zip", ["first/review"], name="riverlog")
        assert b'executable = ["review/scripts/check.sh"]' in zipfile.ZipFile(tmp_path / "made.zip").read("bundle.toml")
        place = tmp_path / "made.zip"
    done = work.bundles.install(place, "riverlog")
    assert "1 file is a program" in done.hint
    assert [path for path in SKILLS if (root / INSTALLED / path).exists() and runs(root / INSTALLED / path)] == [SCRIPT]
    assert not (root / INSTALLED / SCRIPT).stat().st_mode & 0o7000, "no other mark"
    assert not list(root.rglob("ran")), "nobody runs it"
    work.bundles.make(tmp_path / "out", ["riverlog/review"])
    work.bundles.make(tmp_path / "out.zip", ["riverlog/review"])
    assert runs(tmp_path / "out" / SCRIPT)
    assert not runs(tmp_path / "out/review/SKILL.md")
    modes = {one.filename: one.external_attr >> 16 for one in zipfile.ZipFile(tmp_path / "out.zip").infolist()}
    assert (modes[SCRIPT], modes["review/SKILL.md"]) == (0o100755, 0o100644)


@unix
def test_an_update_takes_the_mark_away_and_no_manifest_marks_what_it_does_not_bring(
    work: Workspace, tmp_path: Path
) -> None:
    work.bundles.install(packed(tmp_path / "one.zip", SKILLS, [SCRIPT]), "riverlog")
    work.bundles.update(
        "riverlog", packed(tmp_path / "two.zip", {**SKILLS, "review/new.md": b"new"}, ["review/new.md"])
    )
    assert not runs(Path(work.root, INSTALLED, SCRIPT))
    assert runs(Path(work.root, INSTALLED, "review/new.md"))
    text = describe_files("other", SKILLS, "1").text
    for wrong in ('executable = ["../../mdmem.toml"]', 'executable = ["review"]', 'executable = "review/SKILL.md"'):
        files = {**SKILLS, "bundle.toml": text.replace("\n[files]", f"{wrong}\n\n[files]", 1).encode()}
        with pytest.raises(RefusedError, match="`executable`"):
            work.bundles.install(write_zip(tmp_path / "wrong.zip", files))
    assert not runs(Path(work.root, "mdmem.toml"))


@pytest.mark.parametrize("with_manifest", [True, False])
def test_one_folder_around_the_skills_is_passed_over(work: Workspace, tmp_path: Path, with_manifest: bool) -> None:
    own = {"bundle.toml": manifest_of(SKILLS)} if with_manifest else {}
    files = {f"riverlog-main/{path}": data for path, data in {**SKILLS, **own}.items()}
    files["__MACOSX/riverlog-main/._LICENSE"] = b"\0\5"
    work.bundles.install(write_zip(tmp_path / "riverlog.zip", files), "" if with_manifest else "riverlog")
    found = {path for path in SKILLS if Path(work.root, INSTALLED, path).is_file()}
    assert found == {path for path in SKILLS if with_manifest or path != "LICENSE"}
    assert not list(Path(work.root).rglob("*MACOSX*"))
    work.bundles.install(write_zip(tmp_path / "one.zip", {f"review/{k}": v for k, v in
                         {"SKILL.md": SKILLS["review/SKILL.md"]}.items()}), "single")  # fmt: skip
    assert "single/review" in [piece for one in work.bundles.list() for piece in one.pieces]
    twice = {f"a/{path}": data for path, data in files.items()}
    with pytest.raises(RefusedError):
        work.bundles.install(write_zip(tmp_path / "deep.zip", twice), "deep")


@unix
def test_undo_brings_the_mark_back_and_takes_it_away(work: Workspace, tmp_path: Path) -> None:
    script = Path(work.root, INSTALLED, SCRIPT)
    work.bundles.install(packed(tmp_path / "one.zip", SKILLS, [SCRIPT]), "riverlog")
    work.bundles.remove("riverlog")
    work.history.undo()
    assert runs(script), "undo of a removal"
    work.bundles.update("riverlog", packed(tmp_path / "two.zip", SKILLS, ["review/SKILL.md"]))
    assert not runs(script)
    assert runs(script.parents[1] / "SKILL.md")
    work.history.undo()
    assert runs(script), "undo of an update that changed nothing but marks"
    assert not runs(script.parents[1] / "SKILL.md")
    assert script.read_bytes() == SKILLS[SCRIPT]


@unix
def test_restore_brings_the_mark_of_a_lost_file_back(work: Workspace, tmp_path: Path) -> None:
    script = Path(work.root, INSTALLED, SCRIPT)
    work.bundles.install(packed(tmp_path / "one.zip", SKILLS, [SCRIPT]), "riverlog")
    script.unlink()
    work.restore(f"{INSTALLED}{SCRIPT}")
    assert runs(script)
    own = Path(work.root, "knowledge/brew.md")
    own.write_text("---\nname: brew\ndescription: Tea\n---\n\n1. boil\n", "utf-8")
    own.chmod(0o755)
    work.edit("knowledge/brew.md", old="boil", new="heat")
    assert runs(own), "a change keeps it"
    work.delete("knowledge/brew.md")
    work.history.undo()
    assert runs(own), "undo of a removal"
    work.rename("knowledge/brew.md", "knowledge/tea.md")
    assert runs(own.with_name("tea.md"))
    work.history.undo()
    assert runs(own), "undo of a renaming"
    assert "heat" in own.read_text("utf-8")


@unix
@pytest.mark.parametrize("decided", [True, False])
def test_a_change_that_a_crash_left_is_completed_with_its_marks(
    work: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decided: bool
) -> None:
    script = Path(work.root, INSTALLED, SCRIPT)
    work.bundles.install(packed(tmp_path / "one.zip", SKILLS, []), "riverlog")
    with monkeypatch.context() as patch:
        if decided:  # the process dies before the first file is published
            patch.setattr("mdmem.store.transaction.publish", _die)
        else:
            patch.setattr("mdmem.store.journal.Journal.decide", _die)
        with pytest.raises(KeyboardInterrupt):
            work.bundles.update("riverlog", packed(tmp_path / "two.zip", SKILLS, [SCRIPT]))
    assert not runs(script)
    make_again = Workspace(work.root)
    make_again.history.recover()
    assert runs(script) == decided
    assert script.read_bytes() == SKILLS[SCRIPT]
    if decided:
        make_again.history.undo()
    assert not runs(script)


def _die(*_: object) -> None:
    raise KeyboardInterrupt
