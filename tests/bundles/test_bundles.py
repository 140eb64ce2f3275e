"""A bundle (D064) from its maker to a workspace and out again: installed, trusted, overlaid, updated, removed."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from conftest import Make
from harness import files_of

from bundles.conftest import SKILLS, Build, manifest_of, tree, write_folder, write_zip
from mdmem import Workspace
from mdmem.errors import ConfirmError, MdmemError, RefusedError, TargetError

MINE = {
    "MEMORY.md": "# Memory\n\n- the heron nests on the mill\n",
    "knowledge/tides.md": "---\nname: tides\ndescription: Read the tide table.\n---\n# Tides\n\n## Steps\n\n1. look\n",
}
REVIEW = "knowledge/riverlog/review/SKILL.md"
OVERLAY = "knowledge/riverlog/review.md"
NEWER = {
    **{path: data for path, data in SKILLS.items() if path != "review/assets/logo.png"},
    "review/SKILL.md": SKILLS["review/SKILL.md"].replace(b"2. run the tests\n", b"2. run the tests\n3. ask a person\n"),
    "review/scripts/more.sh": b"#!/bin/sh\n",
}


def stored(work: Workspace) -> dict[str, bytes]:
    """Return the files of the bundle as they lie in the workspace, without its manifest."""
    found = files_of(Path(work.root, "knowledge/riverlog"))
    return {path: data for path, data in found.items() if path != "bundle.toml"}


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", MINE)


def test_its_files_are_installed_as_they_came_in_one_change_that_undo_takes_back(work: Workspace, build: Build) -> None:
    before = tree(work.root)
    done = work.bundles.install(build())
    assert done.status == "done"
    assert done.transaction is not None
    assert stored(work) == SKILLS
    assert {one.path for one in done.transaction.files} == {
        f"knowledge/riverlog/{path}" for path in (*SKILLS, "bundle.toml")
    }
    assert work.bundles.install(build(place="again")).status == "unchanged"
    assert work.history.undo().status == "done"
    assert tree(work.root) == before


def test_install_update_and_remove_leave_every_other_file_as_it_was(work: Workspace, build: Build) -> None:
    work.bundles.install(write_zip(build().parent / "riverlog.zip", {**SKILLS, "bundle.toml": manifest_of(SKILLS)}))
    foreign = {path: one for path, one in tree(work.root).items() if not path.startswith("knowledge/riverlog/")}
    assert work.bundles.update("riverlog", build(NEWER, "2.0", "newer")).status == "done"
    assert stored(work) == NEWER
    work.history.undo()
    assert stored(work) == SKILLS
    work.bundles.update("riverlog", build(NEWER, "2.0", "newer"))
    work.bundles.remove("riverlog")
    assert tree(work.root) == foreign
    assert not os.path.lexists(os.path.join(work.root, "knowledge", "riverlog"))
    work.history.undo()
    assert stored(work) == NEWER


def test_a_dry_run_writes_nothing(work: Workspace, build: Build) -> None:
    before = tree(work.root)
    assert work.bundles.install(build(), dry_run=True).status == "planned"
    assert tree(work.root) == before
    work.bundles.install(build())
    before = tree(work.root)
    assert work.bundles.update("riverlog", build(NEWER, "2.0", "newer"), dry_run=True).status == "planned"
    assert work.bundles.remove("riverlog", dry_run=True).status == "planned"
    assert tree(work.root) == before


def test_nothing_but_an_update_changes_its_files(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    before = tree(work.root)
    for actor in ("user", "ada"):
        with pytest.raises(RefusedError, match="belongs to the bundle riverlog") as caught:
            work.edit(REVIEW, "read the diff", "skip the diff", actor=actor)
        assert "mdmem bundle overlay riverlog/review" in caught.value.hint
    with pytest.raises(RefusedError):
        work.write("knowledge/riverlog/review/references/new.md", "# New\n", actor="ada")
    with pytest.raises(MdmemError):
        work.history.undo(actor="ada")
    with pytest.raises(RefusedError, match="only a person"):
        work.bundles.remove("riverlog", actor="ada")
    with pytest.raises(RefusedError, match="only a person"):
        work.bundles.install(build(), actor="ada")
    work.fix()
    assert tree(work.root) == before


def test_it_is_shown_and_found_but_given_to_no_model_and_not_run_before_it_is_trusted(
    work: Workspace, build: Build
) -> None:
    work.bundles.install(build())
    ask = "Import the CSV of riverlog"
    assert {one.name: one.trusted for one in work.knowledge.list()} == {
        "riverlog/import-csv": False, "riverlog/review": False, "tides": True,
    }  # fmt: skip
    assert "Read it." in work.knowledge.show("riverlog/import-csv")
    assert any(hit.path.startswith("knowledge/riverlog/") for hit in work.search(ask))
    assert work.knowledge.fitting(ask) == ()
    assert "riverlog" not in work.recall(ask).text
    review = "Review a change of riverlog"
    assert "read the diff" not in work.pack("minimal", query=review).text
    named = work.pack("minimal", query=review, knowledge=["riverlog/review"]).text
    assert "read the diff" not in named
    assert "have not trusted" in named
    with pytest.raises(RefusedError, match="not trusted as it is now"):
        work.knowledge.run("riverlog/review")
    work.trust("riverlog")
    assert work.knowledge.fitting(ask)[0] == "riverlog/import-csv"
    assert "read the diff" in work.pack("minimal", query=review, knowledge=["riverlog/review"]).text


def test_trust_is_for_the_content_and_ends_with_an_update_and_with_a_change_by_hand(
    work: Workspace, build: Build
) -> None:
    work.bundles.install(build())
    assert work.trust_requests().bundles == {"riverlog": False}
    assert work.trust().bundles == {"riverlog": True}
    script = Path(work.root) / "knowledge/riverlog/review/scripts/check.sh"
    script.write_bytes(b"#!/bin/sh\nrm -rf /\n")
    assert work.bundles.list()[0].changed == ("review/scripts/check.sh",)
    assert work.config.bundles.withholds(REVIEW)
    assert not work.config.bundles.withholds("knowledge/riverlog/import-csv/SKILL.md")
    script.write_bytes(SKILLS["review/scripts/check.sh"])
    assert not work.config.bundles.withholds(REVIEW)
    work.bundles.update("riverlog", build(NEWER, "2.0", "newer"))
    assert work.trust_requests().bundles == {"riverlog": False}
    assert work.trust("riverlog", revoke=True).bundles == {"riverlog": False}
    with pytest.raises(TargetError):
        work.trust("unknown")


def test_a_copy_of_the_folder_brings_no_trust_along(work: Workspace, build: Build, tmp_path: Path) -> None:
    work.bundles.install(build())
    work.trust()
    copy = write_folder(tmp_path / "copy", {path: (Path(work.root) / path).read_bytes() for path in tree(work.root)})
    assert Workspace(copy).trust_requests().bundles == {"riverlog": False}


def test_what_was_changed_by_hand_is_not_dropped_without_a_word(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    (Path(work.root) / REVIEW).write_text("mine\n", "utf-8")
    before = tree(work.root)
    with pytest.raises(ConfirmError, match="not as they were installed"):
        work.bundles.update("riverlog", build(NEWER, "2.0", "newer"))
    with pytest.raises(ConfirmError):
        work.bundles.remove("riverlog")
    assert tree(work.root) == before
    work.bundles.remove("riverlog", confirm=True)
    work.history.undo()
    assert tree(work.root) == before


def test_a_manifest_that_was_changed_by_hand_is_told_and_can_be_restored(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    work.trust()
    manifest = Path(work.root) / "knowledge/riverlog/bundle.toml"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole.replace(b"[files]", b"files"))
    assert work.bundles.list()[0].changed == ("bundle.toml",)
    assert not work.bundles.list()[0].trusted
    assert work.config.bundles.withholds(REVIEW)
    before = tree(work.root)
    for act in (work.bundles.remove, lambda name: work.bundles.update(name, build(NEWER, "2.0", "newer"))):
        with pytest.raises(RefusedError, match="no longer a valid manifest"):
            act("riverlog")
    with pytest.raises(MdmemError):
        work.restore("knowledge/riverlog/bundle.toml", work.history.log()[0].id, actor="ada")
    assert tree(work.root) == before
    work.restore("knowledge/riverlog/bundle.toml", work.history.log()[0].id)
    assert manifest.read_bytes() == whole
    assert work.bundles.list()[0].trusted


def test_an_overlay_holds_in_place_of_a_piece_and_survives_updates(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    work.bundles.overlay("riverlog/review")
    assert (Path(work.root) / OVERLAY).read_bytes() == SKILLS["review/SKILL.md"]
    work.edit(OVERLAY, "read the diff", "read the whole diff", actor="ada")
    assert [one.path for one in work.knowledge.list() if one.name == "riverlog/review"] == [OVERLAY]
    assert "read the whole diff" in work.knowledge.show("riverlog/review")
    assert work.config.bundles.withholds(OVERLAY)
    done = work.bundles.update("riverlog", build(NEWER, "2.0", "newer"))
    text = (Path(work.root) / OVERLAY).read_text("utf-8")
    assert "1. read the whole diff\n2. run the tests\n3. ask a person\n" in text
    assert f"merged into {OVERLAY}" in done.hint
    assert (Path(work.root) / REVIEW).read_bytes() == NEWER["review/SKILL.md"]
    work.history.undo()
    assert "ask a person" not in (Path(work.root) / OVERLAY).read_text("utf-8")
    assert stored(work).keys() - SKILLS.keys() == {"review.md"}
    work.bundles.remove("riverlog")
    assert "read the whole diff" in work.knowledge.show("riverlog/review")


def test_an_overlay_is_saved_in_versions_and_an_installed_piece_is_not(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    with pytest.raises(RefusedError, match="belongs to the bundle"):
        work.knowledge.save("riverlog/review", "mine")
    work.bundles.overlay("riverlog/review")
    work.knowledge.save("riverlog/review", "mine")
    assert [one.name for one in work.knowledge.versions("riverlog/review")] == ["mine"]
    assert work.bundles.list()[0].changed == ()


@pytest.mark.parametrize("what", ["link", "file"])
def test_a_link_or_a_file_in_the_place_of_a_folder_is_told_and_stays(make: Make, build: Build, what: str) -> None:
    work = make("en", {**MINE, "memory/SKILL.md": "# Mine\n"})
    work.bundles.install(build())
    folder = Path(work.root) / "knowledge/riverlog/review"
    folder.rename(Path(work.root) / "aside")
    folder.write_text("mine", "utf-8") if what == "file" else folder.symlink_to(Path(work.root) / "memory")
    before = tree(work.root)
    with pytest.raises(RefusedError, match="is a link, or not a folder"):
        work.bundles.update("riverlog", build(NEWER, "2.0", "newer"), confirm=True)
    with pytest.raises(RefusedError, match="is a link, or not a folder"):
        work.bundles.remove("riverlog", confirm=True)
    assert tree(work.root) == before


def test_where_an_update_and_an_overlay_collide_the_overlay_stays_and_it_is_told(work: Workspace, build: Build) -> None:
    work.bundles.install(build())
    work.bundles.overlay("riverlog/review")
    work.edit(OVERLAY, "run the tests", "run the tests twice")
    other = {**SKILLS, "review/SKILL.md": SKILLS["review/SKILL.md"].replace(b"run the tests", b"run no tests")}
    done = work.bundles.update("riverlog", build(other, "2.0", "other"))
    assert "run the tests twice" in (Path(work.root) / OVERLAY).read_text("utf-8")
    assert "run no tests" in (Path(work.root) / REVIEW).read_text("utf-8")
    assert "you had changed the same lines" in done.hint


def test_skills_without_a_manifest_get_a_name_from_the_user(work: Workspace, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "skills", {**SKILLS, "README.md": b"# Skills\n", ".git/config": b"x"})
    work.bundles.install(folder, "riverlog")
    assert stored(work) == {path: data for path, data in SKILLS.items() if path != "LICENSE"}
    assert work.bundles.list()[0].pieces == ("riverlog/import-csv", "riverlog/review")
    work.bundles.remove("riverlog")
    work.bundles.install(folder / "review", "riverlog")
    assert work.bundles.list()[0].pieces == ("riverlog/review",)
    work.bundles.remove("riverlog")
    work.bundles.install(write_zip(tmp_path / "csv.zip", {"SKILL.md": SKILLS["import-csv/SKILL.md"]}), "riverlog")
    assert work.bundles.list()[0].pieces == ("riverlog/csv",)


def test_a_bundle_goes_out_byte_for_byte_and_the_same_each_time(work: Workspace, build: Build, tmp_path: Path) -> None:
    work.bundles.install(build())
    names = ["riverlog/review", "riverlog/import-csv"]
    for place in ("one.zip", "two.zip", "folder"):
        work.bundles.make(tmp_path / place, names, name="out", version="1.0", license="MIT")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as opened:
        inside = {name: opened.read(name) for name in opened.namelist()}
    folder = {path: (tmp_path / "folder" / path).read_bytes() for path in tree(tmp_path / "folder")}
    assert inside == folder
    del inside["bundle.toml"]
    assert inside == {path: data for path, data in SKILLS.items() if path != "LICENSE"}
    with pytest.raises(RefusedError, match="`version`"):
        work.bundles.make(tmp_path / "other.zip", names, version="1\n0")
    with pytest.raises(RefusedError, match="exists already"):
        work.bundles.make(tmp_path / "folder", names)


def test_a_piece_of_ones_own_goes_out_as_a_skill_and_comes_in_again(work: Workspace, tmp_path: Path) -> None:
    assert work.bundles.make(tmp_path / "tides.zip", "tides", dry_run=True).status == "planned"
    assert not (tmp_path / "tides.zip").exists()
    work.bundles.make(tmp_path / "tides.zip", "tides", description="The tide table.")
    other = Workspace(write_folder(tmp_path / "other", {"mdmem.toml": b'lang = "en"\n'}))
    other.bundles.install(tmp_path / "tides.zip")
    assert other.knowledge.show("tides/tides") == MINE["knowledge/tides.md"]


def test_a_secret_does_not_go_out(make: Make, tmp_path: Path) -> None:
    work = make("en", {"knowledge/tides.md": f"{MINE['knowledge/tides.md']}\nThe password is Kz8-river-77q.\n"})
    with pytest.raises(RefusedError, match="MM502"):
        work.bundles.make(tmp_path / "tides.zip", "tides")
    assert not (tmp_path / "tides.zip").exists()


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """An SSH key of somebody."""
    path = tmp_path / "keys" / "id"
    path.parent.mkdir()
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


def test_a_signature_is_checked_against_the_users_own_signers(
    make: Make, tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = make("en", MINE)
    work.bundles.make(tmp_path / "signed", "tides", key=str(key))
    public = key.with_suffix(".pub").read_text("utf-8")
    (tmp_path / "signed" / "allowed_signers").write_text(f"ann@example.org {public}", "utf-8")
    with pytest.raises(RefusedError):
        work.bundles.install(tmp_path / "signed")  # a folder brings no signers along
    (tmp_path / "signed" / "allowed_signers").unlink()
    assert "nobody who is listed in" in work.bundles.install(tmp_path / "signed").hint
    signers = tmp_path / "config" / "mdmem" / "allowed_signers"
    signers.parent.mkdir(parents=True, exist_ok=True)
    signers.write_text(f"ann@example.org {public}", "utf-8")
    assert work.bundles.list()[0].signer == "ann@example.org"
    work.bundles.remove("signed")
    manifest = tmp_path / "signed" / "bundle.toml"
    manifest.write_bytes(manifest.read_bytes().replace(b'license = ""', b'license = "x"'))
    with pytest.raises(RefusedError, match="not a signature"):
        work.bundles.install(tmp_path / "signed")
